//! Reads the command line, and gives a tip where a long option was written with one dash.

use crate::cli::Cli;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Error, Parser};
use std::ffi::OsString;

/// Reads the arguments of this process.
pub(crate) fn parse() -> Result<Cli, Error> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    Cli::try_parse_from(&arguments).map_err(|mut error| {
        if let Some(tip) = tip(&arguments) {
            let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
            error.insert(ContextKind::Suggested, tips);
        }
        error
    })
}

/// `-fpr` was meant as `--fpr`: to the parser it is the options -f, -p and -r.
fn tip(arguments: &[OsString]) -> Option<String> {
    let mut root = Cli::command();
    root.build();
    let name = arguments.get(1)?.to_str()?;
    let command = root.find_subcommand(name)?;
    let mut given = arguments[2..].iter().filter_map(|argument| argument.to_str());
    given.find_map(|argument| {
        let option = argument.split_once('=').map_or(argument, |(option, _)| option);
        let name = option.strip_prefix('-').filter(|name| name.len() > 1)?;
        let known = command.get_arguments().any(|option| option.get_long() == Some(name));
        known.then(|| format!("'-{name}' is a row of short options; the long one is '--{name}'"))
    })
}
