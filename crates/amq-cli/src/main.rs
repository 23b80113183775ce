//! The command `amq`: builds, queries, combines and chooses filters.
//!
//! `cli` parses the command line, `commands` has a file for each command, `arguments` the options
//! they share. Keys flow through `blocks` (reading), `keys` (hashing) and `pipeline` (threads).
//! `input` loads filters and `output` writes them: `replace` swaps the file under a `lock`.
#![deny(unsafe_code)]

mod answer;
mod arguments;
#[cfg(target_os = "linux")]
mod attributes;
mod backup;
mod blocks;
mod cli;
mod commands;
mod distinct;
mod exact;
mod exit;
mod form;
mod gathered;
mod input;
mod key_file;
mod keys;
mod kinds;
mod lock;
mod mapped;
mod memory;
mod mistaken;
mod numbers;
mod output;
mod pipeline;
mod pool;
mod progress;
mod recorded;
mod records;
mod replace;
mod report;
mod signals;
mod spool;
mod stdio;
mod table;
mod temporary;
mod usage;
mod work;

use clap::CommandFactory;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::remove_unfinished_output();
    commands::completions::answer(cli::Cli::command);
    match usage::parse() {
        Ok(cli) => exit::status(cli.run()),
        // Help and version are not errors; but even they must not be lost silently on a full disk.
        Err(message) => exit::status(print(&message)),
    }
}

/// Prints a help text, the version, or the error in the command line.
fn print(message: &clap::Error) -> anyhow::Result<exit::Outcome> {
    if message.use_stderr() {
        // A failure here cannot be reported anywhere.
        let _ = message.print();
        if let Some(error) = usage::for_programs(message) {
            stdio::Text::print(&format!("{error}\n"))?;
        }
        return Ok(exit::Outcome::Told);
    }
    stdio::stdout()?;
    message.print().map_err(exit::stdout_error)?;
    Ok(exit::Outcome::Done)
}
