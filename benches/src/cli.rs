//! The command line.

use crate::suite::Suite;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Compares the filters of this workspace with each other and with the best other crates, and draws
/// the report.
///
/// Without a command it does everything: verifies every contender, measures the `quick` suite,
/// writes the records and draws the page, in about three minutes; at the end it prints the table
/// and where the page is.
///
/// Exit code: 0 if all went well, 1 if a filter of this workspace gave a wrong answer (its cells
/// are errors then), 2 if the command could not be carried out.
#[derive(Parser, Debug)]
#[command(name = "amq-bench", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; everything, if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of the whole.
    #[command(flatten)]
    pub all: All,
}

/// The parts.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Verify and measure, and write the records; draw nothing
    Measure(Measure),
    /// Draw the report from records; measure nothing
    Render(Render),
    /// Verify every contender without timing or recording anything
    Verify(Subject),
    /// List the contenders and the suites
    List,
}

/// Measure, then draw.
#[derive(Args, Debug)]
pub struct All {
    /// What to measure.
    #[command(flatten)]
    pub measure: Measure,
    /// Folder for the page and its plots [default: reports/latest; reports/own/latest with keys of
    /// your own]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Options of `measure`.
#[derive(Args, Debug)]
pub struct Measure {
    /// Whom and what.
    #[command(flatten)]
    pub subject: Subject,
    /// Folder for the records; each machine and day has a folder in it. Those of an earlier run of
    /// the day are replaced when everything is measured, and not before [default: reports/records;
    /// reports/own/records with keys of your own]
    #[arg(long, value_name = "DIR")]
    pub records: Option<PathBuf>,
    /// Go on with the newest run of this machine that was interrupted, of those with or those
    /// without --only. Refused if an option, the compiler or the code has changed since
    #[arg(long)]
    pub resume: bool,
    /// Timed rounds of each cell [default: 3 in smoke, 7 in quick, 11 in full]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub rounds: Option<u64>,
}

/// Whom and what.
#[derive(Args, Debug)]
pub struct Subject {
    /// How much: smoke (seconds; its times mean nothing), quick (about three minutes), full (much
    /// longer, several gigabytes)
    #[arg(long, value_name = "SUITE", default_value_t = Suite::Quick, value_enum)]
    pub suite: Suite,
    /// Only these contenders, by their names in `list`, or `construction`. Added to the day's
    /// records, if those were measured with the same options
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Measure with your own keys, one a line, in place of the made ones; `-` is standard input.
    /// Any bytes will do, a carriage return before the newline is not part of the key, empty lines
    /// and repeated keys are left out and counted. The distinct keys are shuffled; the first half
    /// goes into the filters, the second half is asked for in vain. Courses and construction are
    /// left out. The report is in reports/own, which git ignores, and names the file without its
    /// folder
    #[arg(long, value_name = "FILE")]
    pub keys_file: Option<PathBuf>,
    /// Measure with so many random keys in place of the suite's key sets, at each of the three
    /// rates. Several numbers are separated by commas. Courses and construction are left out. The
    /// report is in reports/own
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "keys_file",
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub keys: Vec<u64>,
    /// Seed of keys, filters, query streams and the order of the rounds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// Options of `render`.
#[derive(Args, Debug)]
pub struct Render {
    /// Folder of records: of one run, or the one that all are in, of which the newest of this
    /// machine is drawn [default: reports/records]
    #[arg(long, value_name = "DIR")]
    pub records: Option<PathBuf>,
    /// Folder for the page and its plots [default: reports/latest; reports/own/latest for records
    /// of your own keys]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
