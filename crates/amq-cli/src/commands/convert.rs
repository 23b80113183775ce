//! `amq convert`: converts a filter without its keys, to a smaller one or another kind.

use crate::exit::{Outcome, note};
use crate::input;
use crate::key_file::KeyFile;
use crate::kinds;
use crate::lock::Wait;
use crate::numbers;
use crate::output::Output;
use crate::replace::Existing;
use crate::report::report;
use crate::stdio;
use amq::{AnyFile, AnyFilter, Budget, Filter, SipKey};
use anyhow::bail;
use clap::builder::PossibleValue;
use clap::{ArgGroup, Args};
use serde_json::json;
use std::path::PathBuf;

/// Convert a filter to a smaller one, or to another kind
///
/// Converts without the keys. A ribbon, fuse or quotient filter becomes the filter that its keys
/// would make at a higher rate or in fewer bytes. A counting filter becomes a Bloom filter with the
/// same answers, in a quarter of the space. For other conversions, rebuild the filter from its
/// keys.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
#[command(group(
    ArgGroup::new("result").required(true).args(["to", "fpr", "bits_per_key", "bytes"])
))]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input
    filter: PathBuf,

    /// The kind to make
    #[arg(long, value_name = "KIND", value_parser = [PossibleValue::new("bloom")], ignore_case = true)]
    to: Option<String>,

    /// The false-positive rate to keep: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    fpr: Option<f64>,

    /// The most bits per key that the filter was planned for
    #[arg(long, value_name = "BITS", value_parser = numbers::bits, allow_hyphen_values = true)]
    bits_per_key: Option<f64>,

    /// The most bytes of the table: 4096, 64KiB, 1.5GB
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, allow_hyphen_values = true)]
    bytes: Option<u64>,

    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,

    /// No report on standard error
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object instead: the fields of `amq info --json`
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    key_file: KeyFile,
}

const USAGE: &str = "\
amq convert FILTER -o FILE (--fpr RATE | --bits-per-key BITS | --bytes SIZE) [OPTIONS]
       amq convert FILTER -o FILE --to bloom [OPTIONS]";

const EXAMPLES: &str = "\
Examples:
  $ amq build -o all.amq --kind ribbon --fpr 1/10000 keys.txt
  $ amq convert all.amq --fpr 1% -o small.amq   # half as large
  $ amq build -o live.amq --kind counting --fpr 1% keys.txt
  $ amq convert live.amq --to bloom -o shipped.amq";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let output = Output::new(&self.output, Existing::forced(self.force))?.telling(self.json)?;
        stdio::once(0, [&*self.filter].into_iter().chain(self.key_file.path()))?;
        output.not_among(self.key_file.path())?;
        let output = output.locked(self.wait)?;
        let key = self.key_file.key()?;
        let file = match (self.budget(), &self.to) {
            (Some(budget), _) => input::load_within(&self.filter, key, budget)?,
            (None, Some(to)) => self.converted(key, to)?,
            (None, None) => bail!("give --fpr, --bits-per-key, --bytes or --to"),
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

    fn budget(&self) -> Option<Budget> {
        let fpr = self.fpr.map(Budget::Fpr);
        let bits = self.bits_per_key.map(Budget::BitsPerKey);
        fpr.or(bits).or(self.bytes.map(Budget::Bytes))
    }

    /// The filter converted to another kind.
    fn converted(&self, key: Option<SipKey>, to: &str) -> anyhow::Result<AnyFile> {
        let mut file = input::load_for_keys(&self.filter, key)?;
        let filter = file.filter_mut().into_inner();
        *filter = match &*filter {
            AnyFilter::Counting(counting) => AnyFilter::Bloom(counting.to_bloom()?),
            AnyFilter::Bloom(_) => {
                bail!("{}: it is a Bloom filter already", input::name(&self.filter))
            }
            other => bail!(
                "{}: {} filter cannot become a {to} filter without its keys: only counting to bloom \
                 is exact",
                input::name(&self.filter),
                kinds::a(other.kind()),
            ),
        };
        Ok(file)
    }
}
