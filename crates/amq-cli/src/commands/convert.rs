//! `amq convert`: a filter into one of another kind, where that is exact.

use crate::exit::{Outcome, note};
use crate::input;
use crate::key_file::KeyFile;
use crate::kinds;
use crate::lock::Wait;
use crate::output::Output;
use crate::replace::Existing;
use crate::report::report;
use crate::stdio;
use amq::{AnyFilter, Filter};
use anyhow::bail;
use clap::Args;
use clap::builder::PossibleValue;
use serde_json::json;
use std::path::PathBuf;

/// Convert a filter into another kind
///
/// Only what is exact: a counting filter becomes the Bloom filter that gives the same answers, in a
/// quarter of the space. Other conversions would need the keys: build those filters anew.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input
    filter: PathBuf,

    /// The kind to make
    #[arg(long, value_name = "KIND", value_parser = [PossibleValue::new("bloom")], ignore_case = true)]
    to: String,

    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,

    /// No report on standard error
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object instead: what `amq info --json` tells
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    key_file: KeyFile,
}

const EXAMPLES: &str = "\
Examples:
  $ amq build -o live.amq --kind counting --fpr 1% keys.txt
  $ amq convert live.amq --to bloom -o shipped.amq";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let output = Output::new(&self.output, Existing::forced(self.force))?.telling(self.json)?;
        stdio::once(0, [&*self.filter].into_iter().chain(self.key_file.path()))?;
        output.not_among(self.key_file.path())?;
        let output = output.locked(self.wait)?;
        let key = self.key_file.key()?;
        let mut file = input::load_for_keys(&self.filter, key)?;
        let filter = file.filter_mut().into_inner();
        *filter = match &*filter {
            AnyFilter::Counting(counting) => AnyFilter::Bloom(counting.to_bloom()?),
            AnyFilter::Bloom(_) => {
                bail!("{}: it is a Bloom filter already", input::name(&self.filter))
            }
            other => bail!(
                "{}: {} filter cannot become a {} filter without its keys: only counting to bloom is \
                 exact",
                input::name(&self.filter),
                kinds::a(other.kind()),
                self.to
            ),
        };
        output.write(&file)?;
        if self.json {
            output.tell(&file, json!({}))?;
        } else if !self.quiet {
            note(&report(file.filter().into_inner(), &output.name()));
            output.note_secret(&file);
        }
        Ok(Outcome::Done)
    }
}
