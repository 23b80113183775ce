//! `amq completions`: for shells.

use crate::cli::Cli;
use crate::exit::Outcome;
use crate::stdio::Text;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print completions for a shell
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  $ amq completions bash > amq.bash             # for ~/.local/share/bash-completion/completions/amq
  $ amq completions fish > amq.fish             # for ~/.config/fish/completions/amq.fish";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "amq", &mut text);
        let mut to = Text::new();
        to.write(&text)?;
        to.flush()?;
        Ok(Outcome::Done)
    }
}
