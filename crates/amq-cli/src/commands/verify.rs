//! `amq verify`: whether filters are whole.

use crate::exit::{Outcome, complain};
use crate::input;
use crate::report::report;
use crate::stdio::Text;
use anyhow::bail;
use clap::Args;
use std::path::PathBuf;

/// Check that filters are whole
///
/// Checks each file's checksums and its table's structure, and prints a line for each that is
/// whole. Checksums find accidents, not forgers.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The filters' files; `-` is standard input
    #[arg(required = true, value_name = "FILTER")]
    filters: Vec<PathBuf>,

    /// Print nothing for those that are whole
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  $ amq verify seen.amq
  $ amq verify --quiet seen.amq && echo whole

Exit status: 0 if all are whole, 2 if not.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let mut damaged = 0;
        for path in &self.filters {
            match input::load(path) {
                Ok(_) if self.quiet => {}
                Ok(filter) => {
                    let text = report(&filter, &input::name(path));
                    Text::print(&format!("{text}: whole\n"))?;
                }
                Err(error) => {
                    complain(&error);
                    damaged += 1;
                }
            }
        }
        if damaged > 0 {
            bail!("{damaged} of {} files are no whole filters", self.filters.len());
        }
        Ok(Outcome::Done)
    }
}
