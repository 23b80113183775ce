//! Parses the command line, and suggests what a wrong one may have meant.

use crate::answer::error_in_json;
use crate::cli::Cli;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error, Parser};
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;

/// Parses the arguments of this process.
pub(crate) fn parse() -> Result<Cli, Error> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    Cli::try_parse_from(&arguments).map_err(|mut error| {
        let unknown = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(unknown)) if error.kind() == ErrorKind::UnknownArgument => {
                unknown.clone()
            }
            _ => String::new(),
        };
        let mut root = Cli::command();
        root.build();
        let name = arguments.get(1).and_then(|name| name.to_str()).unwrap_or_default();
        let inner = arguments.get(2).and_then(|name| name.to_str()).unwrap_or_default();
        let command = root.find_subcommand(name);
        // `amq bins` has commands of its own.
        let command = command.map(|outer| outer.find_subcommand(inner).unwrap_or(outer));
        let tip = command
            .and_then(|command| one_dash(&arguments, command).or_else(|| meant(&unknown, command)))
            .or_else(|| no_command(name));
        // A wrong option is more likely than a key or file whose name begins with a dash.
        if tip.is_some() || (unknown.starts_with('-') && !Path::new(&unknown).exists()) {
            error.remove(ContextKind::Suggested);
        }
        if let Some(tip) = tip {
            error.remove(ContextKind::SuggestedSubcommand);
            error.remove(ContextKind::SuggestedArg);
            let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
            error.insert(ContextKind::Suggested, tips);
        }
        error
    })
}

/// Whether the command line asks for JSON.
pub(crate) fn wants_json() -> bool {
    let mut options = std::env::args_os().skip(1).take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json")
}

/// The error as a JSON object, if the command line asks for JSON.
pub(crate) fn for_programs(error: &Error) -> Option<Value> {
    wants_json().then(|| {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        // Drops the usage that follows.
        let text = text.split("\n\nUsage:").next().unwrap_or(text);
        let text = text.split("\n\nFor more information").next().unwrap_or(text);
        error_in_json(&text.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

/// `-fpr` was meant as `--fpr`: to the parser it is the options -f, -p and -r.
fn one_dash(arguments: &[OsString], command: &Command) -> Option<String> {
    let mut given = arguments[2..].iter().filter_map(|argument| argument.to_str());
    given.find_map(|argument| {
        let option = argument.split_once('=').map_or(argument, |(option, _)| option);
        let name = option.strip_prefix('-').filter(|name| name.len() > 1)?;
        let known = command.get_arguments().any(|option| option.get_long() == Some(name));
        known.then(|| format!("'-{name}' is a row of short options; the long one is '--{name}'"))
    })
}

/// The name here for an option of other commands or programs.
fn meant(unknown: &str, command: &Command) -> Option<String> {
    let has = |long: &str| command.get_arguments().any(|option| option.get_long() == Some(long));
    match unknown {
        "-o" | "--output" if !has("output") => {
            Some(format!("amq {} prints its answer: redirect it with >", command.get_name()))
        }
        "--file" if has("filter") => Some("a filter's file is '--filter'".into()),
        "-z" | "--decompress" | "--search-zip" if has("raw") => {
            Some("compressed files are recognised, and decompressed, without an option".into())
        }
        "--field" | "--delimiter" | "--csv" if !has("field") => {
            Some("build, insert, remove, query and dedupe take keys from a field".into())
        }
        key if command.get_display_name() == Some("amq-bins-query") => match key {
            "-e" | "--key" => Some("the keys follow the filter: amq bins query FILTER KEY".into()),
            _ => (key.starts_with('-') && !key.starts_with("--")).then(|| {
                format!(
                    "a key that begins with a dash follows '--': amq bins query FILTER -- {key}"
                )
            }),
        },
        _ => None,
    }
}

/// An explanation of commands that filters cannot support.
fn no_command(name: &str) -> Option<String> {
    if name == "plan" || name == "bench" {
        return Some("'amq choose --keys N --fpr RATE' shows how large each kind is".into());
    }
    let lists = ["list", "ls", "keys", "dump", "export", "print", "cat"];
    lists.contains(&name).then(|| {
        "a filter does not hold its keys, and cannot list them: 'amq info' says what it is, and 'amq \
         query' looks up keys that you give it"
            .into()
    })
}
