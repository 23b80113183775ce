//! `amq completions`: completions for shells.

use crate::exit::Outcome;
use crate::stdio::Text;
use clap::{Args, Command};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};

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
  $ amq completions bash > amq.bash
  $ amq completions fish > amq.fish

Bash reads ~/.local/share/bash-completion/completions/amq, fish
~/.config/fish/completions/amq.fish.";

/// Set by the shell scripts that ask for completions while a command is typed.
const ASKED: &str = "AMQ_COMPLETE";

impl Arguments {
    /// `root` is the whole command line, `amq` with its commands.
    pub(crate) fn run(&self, mut root: Command) -> anyhow::Result<Outcome> {
        let mut text = Vec::new();
        match (self.shell, Shells::builtins().completer(&self.shell.to_string())) {
            // Their static scripts would complete option names, but no values.
            (Shell::Elvish | Shell::PowerShell, Some(asking)) => {
                asking.write_registration(ASKED, "amq", "amq", "amq", &mut text)?;
            }
            (shell, _) => clap_complete::generate(shell, &mut root, "amq", &mut text),
        }
        let mut to = Text::new();
        to.write(&text)?;
        to.flush()?;
        Ok(Outcome::Done)
    }
}

/// Answers a shell that asks for completions, and ends the process; returns if none does.
/// `root` makes the whole command line, only for a shell that asks.
pub(crate) fn answer(root: fn() -> Command) {
    if std::env::var_os(ASKED).is_some() {
        CompleteEnv::with_factory(root).var(ASKED).complete();
    }
}
