//! The program `amq-bench`; everything is in the library of the same name.

use amq_bench::cli::Cli;
use amq_bench::commands::{self, Outcome};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match commands::run(&Cli::parse()) {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::OursFailed | Outcome::Moved) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
