//! `amq man`: the manual.

use crate::exit::Outcome;
use crate::stdio::Text;
use anyhow::{Context, anyhow};
use clap::{Arg, ArgAction, ArgGroup, Args, Command};
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
    /// `root` is the whole command line, `amq` with its commands.
    pub(crate) fn run(&self, mut root: Command) -> anyhow::Result<Outcome> {
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
    let named = command.clone().name(page_name(command)).override_usage(synopsis(command));
    Man::new(named).render(&mut text)?;
    Ok(text)
}

/// `amq query [-v] [-e KEY] FILTER [KEYS]...`: options by their short names, if they have any, and
/// with their values, which the manual's own synopsis leaves out.
fn synopsis(command: &Command) -> String {
    let required: Vec<&ArgGroup> =
        command.get_groups().filter(|group| group.is_required_set()).collect();
    let group = |arg: &Arg| {
        required.iter().position(|group| group.get_args().any(|member| member == arg.get_id()))
    };
    let mut parts = vec![command.get_bin_name().unwrap_or("amq").to_owned()];
    for (index, _) in required.iter().enumerate() {
        let members = command.get_arguments().filter(|arg| group(arg) == Some(index));
        let members: Vec<String> = members.map(plain).collect();
        parts.push(format!("({})", members.join(" | ")));
    }
    let known = |arg: &&Arg| !["help", "version"].contains(&arg.get_id().as_str());
    let (operands, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|arg| known(arg) && group(arg).is_none())
        .partition(|arg| arg.is_positional());
    for arg in options.into_iter().chain(operands) {
        let repeats = arg.is_positional() && matches!(arg.get_action(), ArgAction::Append);
        let dots = if repeats { "..." } else { "" };
        parts.push(match arg.is_required_set() {
            true => format!("{}{dots}", plain(arg)),
            false => format!("[{}]{dots}", plain(arg)),
        });
    }
    if command.has_subcommands() {
        parts.push("COMMAND [ARGUMENTS]...".into());
    }
    parts.join(" ")
}

/// `-e KEY`, `--json`, `FILTER`.
fn plain(arg: &Arg) -> String {
    let name = match (arg.get_short(), arg.get_long()) {
        (Some(short), _) => format!("-{short} "),
        (None, Some(long)) => format!("--{long} "),
        (None, None) => String::new(),
    };
    let takes = arg.get_num_args().is_some_and(|number| number.takes_values());
    let values = arg.get_value_names().filter(|_| takes).unwrap_or_default();
    format!("{name}{}", values.join(" ")).trim_end().to_owned()
}
