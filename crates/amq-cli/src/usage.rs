//! Reads the command line, and gives a tip where a long option was written with one dash.

use crate::answer::error_in_json;
use crate::cli::Cli;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Error, Parser};
use serde_json::Value;
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

/// What is wrong, as a JSON object, if the command line asks for JSON.
pub(crate) fn for_programs(error: &Error) -> Option<Value> {
    let mut options = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json").then(|| {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        // What follows is how to use the command.
        let text = text.split("\n\nUsage:").next().unwrap_or(text);
        let text = text.split("\n\nFor more information").next().unwrap_or(text);
        error_in_json(&text.split_whitespace().collect::<Vec<_>>().join(" "))
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
