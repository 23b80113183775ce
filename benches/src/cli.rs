//! The command line.

use crate::record::{Suite, repeating};
use clap::{Args, Parser, Subcommand, value_parser};
use std::env;
use std::path::PathBuf;

/// Compares this workspace's filters with each other and with the best other crates, and draws the
/// report.
///
/// Without a command, does everything in about three minutes: verifies every contender, measures
/// the `quick` suite, writes the records, draws the page, and prints the table and the page's path.
///
/// Exit code: 0 on success, 1 if a filter of this workspace gave a wrong answer (its cells have
/// failed) or `diff` found rows that moved, 2 if the command failed.
#[derive(Parser, Debug)]
#[command(name = "amq-bench", version, args_conflicts_with_subcommands = true)]
pub struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) measure: Measure,
    /// Folder for the page and its plots [default: reports/latest; reports/own/latest with keys of
    /// your own]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Verify and measure, and write the records; draw nothing
    Measure(Measure),
    /// Draw the report from records; measure nothing
    Render {
        /// Folder of records: one run's, or a parent, whose newest record is drawn, of this machine
        /// if there are any, beside the ratios of every other machine's newest of the same suite
        /// and keys. With several folders, separated by commas, the first is drawn, beside the
        /// others' ratios [default: reports/records]
        #[arg(long, value_name = "DIR", value_delimiter = ',')]
        records: Vec<PathBuf>,
        /// Folder for the page and its plots [default: reports/latest; reports/own/latest for
        /// records of your own keys]
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Verify every contender without timing or recording anything
    Verify(Request),
    /// Write the advisor's tables of times, one a machine, from its newest records of the quick and
    /// the full suite
    Times,
    /// Compare two records: which rows moved by more than noise
    ///
    /// A time moved if it changed by more than the larger noise floor of the two runs and, where
    /// both have a ratio to the same reference, beyond both intervals of that ratio. A rate moved
    /// if its intervals are disjoint, peak bytes if they changed by more than 1 %, other counts and
    /// states if they changed at all. Rows of only one record are named, and do not count. Refused
    /// if a record has no twins, whose differences are the noise. Exit code: 0 if no row moved, 1
    /// if one did, 2 if a record cannot be read.
    Diff {
        /// The folder of the earlier record
        old: PathBuf,
        /// The folder of the later record
        new: PathBuf,
    },
    /// List the contenders and the suites
    List,
}

/// Options of `measure`.
#[derive(Args, Debug)]
pub(crate) struct Measure {
    #[command(flatten)]
    pub(crate) request: Request,
    /// Folder for the records, with a subfolder per machine and day, in which a day's further runs
    /// end in -2, -3 and so on [default: reports/records; reports/own/records with keys of your
    /// own]
    #[arg(long, value_name = "DIR")]
    pub(crate) records: Option<PathBuf>,
    /// Continue this machine's newest interrupted run, of all contenders or, with --only, of some.
    /// Refused if an option, the compiler or the code has changed since
    #[arg(long)]
    pub(crate) resume: bool,
    /// Timed rounds of each cell, with new filters in each [default: 2 in smoke, 12 in quick and
    /// full]
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..=1000))]
    pub(crate) rounds: Option<u64>,
}

/// The contenders and keys of a run.
#[derive(Args, Debug)]
pub(crate) struct Request {
    /// Size of the run: smoke (a check in seconds; its times are too coarse to compare), quick
    /// (about three minutes), full (much longer, several gigabytes)
    #[arg(long, value_name = "SUITE", default_value_t = Suite::Quick, value_enum)]
    pub(crate) suite: Suite,
    /// Only these contenders, by their names in `list`. Merged into the day's records, which must
    /// have been measured with the same options
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Measure with your own keys, one per line, instead of generated ones; `-` is standard input.
    /// Keys are bytes of any encoding, without a carriage return before the newline. Empty lines
    /// and repeated keys are dropped and counted. The keys are shuffled; the first half goes into
    /// the filters, the second is queried as absent. No scenarios. The report goes to reports/own,
    /// which git ignores; its command names the file's folder
    #[arg(long, value_name = "FILE")]
    pub(crate) keys_file: Option<PathBuf>,
    /// Measure with this many random keys instead of the suite's key sets, at each of the three
    /// rates. Separate several numbers with commas. No scenarios. The report goes to reports/own
    #[arg(long, value_name = "N", value_delimiter = ',', conflicts_with = "keys_file",
          value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) keys: Vec<u64>,
    /// Seed of keys, filters, query streams and the order within rounds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The command line that repeats the run.
    #[arg(skip = repeating(env::args().skip(1)))]
    pub(crate) command: String,
}
