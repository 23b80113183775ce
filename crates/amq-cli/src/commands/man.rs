//! `amq man`: prints manual pages.

use crate::exit::Outcome;
use crate::stdio::Text;
use anyhow::{Context, anyhow};
use clap::{Arg, ArgAction, ArgGroup, Args, Command};
use clap_mangen::Man;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Print a manual page, or write all of them
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The command whose page to print [default: amq itself]
    #[arg(conflicts_with = "dir")]
    command: Option<String>,

    /// Write all pages to this folder, which is created if missing
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
    let man = Man::new(named);
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        writeln!(text, ".SH COMMANDS")?;
        man.render_subcommands_section(&mut text)?;
    }
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (mut examples, mut status, mut notes) = (String::new(), String::new(), String::new());
    for part in after.split("\n\n") {
        if let Some(part) = part.strip_prefix("Examples:\n") {
            for line in part.lines() {
                examples += &format!("{}\n", roff(line.strip_prefix("  ").unwrap_or(line)));
            }
        } else if let Some(part) = part.strip_prefix("Exit status") {
            // "Exit status: 0 if ..." or "Exit status, as that of grep: 0 if ...".
            let part = part.split_once(": ").map_or(part, |(_, part)| part);
            status = format!("{}\n", roff(part));
        } else if !part.is_empty() {
            notes += &format!(".PP\n{}\n", roff(part));
        }
    }
    if status.is_empty() {
        status = "0 if done, 2 on an error.\n".into();
    }
    writeln!(text, ".SH EXIT STATUS\n{status}.SH ENVIRONMENT\n.TP\nTMPDIR\n{TMPDIR}")?;
    if !notes.is_empty() {
        writeln!(text, ".SH NOTES\n{}", notes.trim_start_matches(".PP\n").trim_end())?;
    }
    if !examples.is_empty() {
        writeln!(text, ".SH EXAMPLES\n.nf\n{examples}.fi")?;
    }
    if page_name(command) != "amq" {
        writeln!(text, ".SH SEE ALSO\n.BR amq (1)")?;
    }
    Ok(text)
}

const TMPDIR: &str = "The folder of temporary files, /tmp by default: for hashes and lines.";

/// Text escaped for roff: no part is an instruction or is hyphenated.
fn roff(text: &str) -> String {
    let escaped = text.replace('\\', "\\e").replace('-', "\\-");
    let line = |line: &str| match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line.to_owned(),
    };
    escaped.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// `amq query [-v] [-e KEY] FILTER [KEYS]...`: options by their short names, if any, with their
/// values, which clap_mangen's synopsis omits.
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
