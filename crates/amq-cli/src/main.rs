//! The command `amq`: filters built, asked, combined and chosen without writing a program.
//!
//! `cli` reads the command line, `commands` has a file for each command. Keys flow through `blocks`
//! (reading), `keys` (hashing) and `pipeline` (threads); filters come from `input` and go to
//! `output`.
#![forbid(unsafe_code)]

mod backup;
mod blocks;
mod cli;
mod commands;
mod distinct;
mod exit;
mod input;
mod keys;
mod kinds;
mod mistaken;
mod numbers;
mod output;
mod picture;
mod pipeline;
mod progress;
mod report;
mod signals;
mod spool;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::remove_unfinished_output();
    match cli::Cli::try_parse() {
        Ok(cli) => exit::status(cli.run()),
        // Help and version are no errors; but not even they may be lost on a full disk.
        Err(message) => match message.print() {
            Ok(()) => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2)),
            Err(error) => exit::status(Err(exit::stdout_error(error))),
        },
    }
}
