//! `amq man`: the manual.

use crate::cli::Cli;
use crate::exit::Outcome;
use crate::stdio::Text;
use anyhow::{Context, anyhow};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use std::fs;
use std::path::PathBuf;

/// Print a page of the manual, or write all pages
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The command whose page to print; none is the page of amq itself
    #[arg(conflicts_with = "dir")]
    command: Option<String>,

    /// Write all pages into this folder, which is made
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  $ amq man build > amq-build.1
  $ amq man --dir man1                          # for ~/.local/share/man/man1";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let mut root = Cli::command();
        root.build();
        if let Some(folder) = &self.dir {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            for command in std::iter::once(&root).chain(root.get_subcommands()) {
                let path = folder.join(format!("{}.1", page_name(command)));
                fs::write(&path, page(command)?).with_context(|| path.display().to_string())?;
            }
            return Ok(Outcome::Done);
        }
        let command = match &self.command {
            None => &root,
            Some(name) => {
                root.find_subcommand(name).ok_or_else(|| anyhow!("there is no command {name}"))?
            }
        };
        let mut to = Text::new();
        to.write(&page(command)?)?;
        to.flush()?;
        Ok(Outcome::Done)
    }
}

/// `amq`, or `amq-build`.
fn page_name(command: &Command) -> String {
    command.get_bin_name().unwrap_or("amq").replace(' ', "-")
}

fn page(command: &Command) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    let named = command.clone().name(page_name(command));
    Man::new(named).render(&mut text)?;
    Ok(text)
}
