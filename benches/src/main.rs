//! The program `amq-bench`; everything is in the library of the same name.

use amq_bench::cli::Cli;
use amq_bench::commands;
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run(&Cli::parse()).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
