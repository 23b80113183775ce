//! `amq verify`: checks that filters are whole.

use super::{bins, info};
use crate::exit::{Outcome, complain};
use crate::input::{self, Followed};
use crate::numbers::of;
use crate::recorded::{Recorded, is_bins};
use crate::report::report;
use crate::stdio::Text;
use amq::DecodeError;
use anyhow::bail;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Check that filters are whole
///
/// Checks each file's checksums and the structure of its table, and prints a line for each that is
/// whole. Checksums detect accidents, not forgery. A file that is missing or unreadable is reported
/// as not read, not as damaged.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_alias = "check")]
pub(crate) struct Arguments {
    /// The filters' files; `-` is standard input
    #[arg(required = true, value_name = "FILTER")]
    filters: Vec<PathBuf>,

    /// Print nothing for files that are whole
    #[arg(short, long)]
    quiet: bool,

    /// Print JSON, a line for each file: `whole`, and the fields of `amq info --json` or the
    /// `error`. `whole` is null if the file was not read
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  $ amq verify seen.amq
  $ amq verify --quiet seen.amq && echo whole
  $ amq verify --json seen.amq

Exit status: 0 if all are whole, 2 if not.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let (mut damaged, mut unread) = (0u64, 0u64);
        for path in &self.filters {
            let name = input::name(path);
            if is_bins(path)
                && let Ok(file) = Recorded::load(path)
            {
                if self.json {
                    let mut told = bins::in_json(&name, &file);
                    told["whole"] = true.into();
                    Text::print(&format!("{told}\n"))?;
                } else if !self.quiet {
                    let bins = of(file.filter.bin_count(), "bin");
                    Text::print(&format!("{name}: {bins}: whole\n"))?;
                }
                continue;
            }
            match input::look(path) {
                Ok(_) if self.quiet => {}
                Ok((header, file)) if self.json => {
                    let mut told = info::in_json(&name, header, &file);
                    told["whole"] = true.into();
                    Text::print(&format!("{told}\n"))?;
                }
                Ok((_, file)) => {
                    let text = report(file.filter().into_inner(), &name);
                    Text::print(&format!("{text}: whole\n"))?;
                }
                Err(error) => {
                    let is_damaged = match error.downcast_ref() {
                        Some(DecodeError::UnsupportedKind { .. }) => false,
                        Some(_) => true,
                        None => error.is::<Followed>(),
                    };
                    if self.json {
                        let whole = if is_damaged { json!(false) } else { json!(null) };
                        let error = format!("{error:#}");
                        let told = json!({ "file": name, "whole": whole, "error": error });
                        Text::print(&format!("{told}\n"))?;
                    }
                    complain(&error);
                    *(if is_damaged { &mut damaged } else { &mut unread }) += 1;
                }
            }
        }
        let files = of(self.filters.len() as u64, "file");
        let damaged =
            (damaged > 0).then(|| format!("damaged, or not a filter: {damaged} of {files}"));
        let unread = (unread > 0).then(|| format!("not read, so not checked: {unread} of {files}"));
        match [damaged, unread].into_iter().flatten().collect::<Vec<_>>() {
            none if none.is_empty() => Ok(Outcome::Done),
            said => bail!(said.join("; ")),
        }
    }
}
