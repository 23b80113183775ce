//! `amq merge`: several filters into one.

use crate::exit::{Outcome, note};
use crate::input;
use crate::key_file::KeyFile;
use crate::kinds;
use crate::lock::Wait;
use crate::numbers::{of, rate_text};
use crate::output::Output;
use crate::replace::Existing;
use crate::report::{self, Held, overfull};
use crate::stdio;
use crate::stdio::is_dash;
use amq::{AnyError, AnyFile, AnyFilter, Filter, KeyEncoding, MergeError};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Merge filters into one that holds the keys of all
///
/// The filters must be of one kind, of equal parameters and of the same seed or secret key: build
/// them with the same --keys and the same rate or size (and --seed-of, if the seed is secret).
/// Ribbon, fuse and expandable-quotient filters cannot be merged. The output has a secret key only
/// if all of them have it.
///
/// Bloom filters that count nothing may also differ in size by a whole factor, with the same number
/// of probes, as long as the union keeps the rate that the larger one was planned for.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_alias = "union")]
pub(crate) struct Arguments {
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The filters; one of them may be `-`, standard input
    #[arg(required = true, num_args = 2.., value_name = "FILTER")]
    filters: Vec<PathBuf>,

    /// Keep only what is in all filters: keys that are in each stay in, and others may be found
    /// more often than the rate says. Of bloom, blocked-bloom and wide-blocked-bloom
    #[arg(long)]
    intersect: bool,

    /// Replace the output if it exists, even if it is one of the filters
    #[arg(short, long)]
    force: bool,

    /// No report on standard error
    #[arg(short, long)]
    quiet: bool,

    /// Print one JSON object instead: what `amq info --json` tells, and `merged`
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    key_file: KeyFile,
}

const EXAMPLES: &str = "\
Examples:
  $ amq build -o a.amq --fpr 1% --keys 10000 keys.txt
  $ amq build -o b.amq --fpr 1% --keys 10000 more.txt
  $ amq merge -o ab.amq a.amq b.amq
  $ amq merge --intersect -o common.amq a.amq b.amq";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let output = Output::new(&self.output, Existing::forced(self.force))?.telling(self.json)?;
        let dashes = self.filters.iter().filter(|path| is_dash(path)).count();
        stdio::once(dashes, self.key_file.path())?;
        let [first, rest @ ..] = self.filters.as_slice() else {
            bail!("name two filters or more");
        };
        output.not_among(self.key_file.path())?;
        let output = output.locked(self.wait)?;
        let key = self.key_file.key()?;
        let mut merged = input::load_to_merge(first, key)?;
        for path in rest {
            let other = input::load_to_merge(path, key)?;
            let both = || format!("{} and {}", input::name(first), input::name(path));
            same_encoding(&merged, &other).with_context(both)?;
            if self.intersect {
                intersect(&mut merged, &other).with_context(both)?;
            } else {
                let done = merged.merge(&other);
                done.map_err(|error| plain(error, &merged, &other)).with_context(both)?;
            }
        }
        output.write(&merged)?;
        let filter = merged.filter().into_inner();
        let held = Held::merged(filter);
        if self.json {
            output.tell(&merged, json!({ "merged": self.filters.len() }))?;
        } else if !self.quiet {
            note(&report::line(filter, &output.name(), &held));
            output.note_secret(&merged);
        }
        if !self.intersect {
            overfull(filter, &output.name(), &held);
        }
        Ok(Outcome::Done)
    }
}

/// What is wrong, with the way out that the command has.
fn plain(error: AnyError, ours: &AnyFile, theirs: &AnyFile) -> anyhow::Error {
    let AnyError::Merge(error) = error else { return error.into() };
    let mut way =
        "build each with the same --keys, the number of keys in all of them, and the same rate \
                   or size"
            .to_owned();
    if ours.secret() != theirs.secret() {
        way += ", and with one seed: --seed-of names a filter to take it from";
    }
    match error {
        MergeError::Sizes { .. } | MergeError::Mismatch { field: "bits" | "blocks", .. } => {
            let [ours, theirs] =
                [ours, theirs].map(|file| of(file.filter().into_inner().size_in_bytes(), "byte"));
            anyhow!("the filters differ in size: {ours} here, {theirs} there: {way}")
        }
        MergeError::Mismatch { .. } | MergeError::MismatchReal { .. } => anyhow!("{error}: {way}"),
        MergeError::Rate { merged, asked } => anyhow!(
            "the merged filter would have a false-positive rate of {}, above the {} promised: keep \
             both, and ask them together by amq query -F, or {way}",
            rate_text(merged),
            rate_text(asked)
        ),
        other => other.into(),
    }
}

/// Keeps the keys that are in both.
fn intersect(merged: &mut AnyFile, other: &AnyFile) -> anyhow::Result<()> {
    if merged.secret() != other.secret() {
        bail!("their keys are hashed under different seeds or secret keys");
    }
    let done = match (merged.filter_mut().into_inner(), other.filter().into_inner()) {
        (AnyFilter::Bloom(ours), AnyFilter::Bloom(theirs)) => ours.intersect(theirs),
        (AnyFilter::BlockedBloom(ours), AnyFilter::BlockedBloom(theirs)) => ours.intersect(theirs),
        (AnyFilter::WideBlockedBloom(ours), AnyFilter::WideBlockedBloom(theirs)) => {
            ours.intersect(theirs)
        }
        (ours, theirs) => bail!(
            "{} filter and {} filter have no intersection that keeps the keys of both: two Bloom \
             filters of one kind and size do",
            kinds::a(ours.kind()),
            kinds::a(theirs.kind())
        ),
    };
    done.map_err(|error| plain(error.into(), merged, other))
}

/// Refuses to merge keys of different types: a query can use only one.
pub(super) fn same_encoding(one: &AnyFile, other: &AnyFile) -> anyhow::Result<()> {
    let (ours, theirs) = (one.encoding(), other.encoding());
    let is_told = |encoding| encoding != KeyEncoding::Unknown;
    let both_hold = !one.filter().is_empty() && !other.filter().is_empty();
    if both_hold && is_told(ours) && is_told(theirs) && ours != theirs {
        bail!(
            "the keys of one are {}, and those of the other {}: keep both, and ask them together by \
             amq query -F, with --key-type",
            words(ours),
            words(theirs)
        );
    }
    Ok(())
}

const fn words(encoding: KeyEncoding) -> &'static str {
    match encoding {
        KeyEncoding::Bytes => "text or bytes",
        KeyEncoding::Hex => "bytes in hexadecimal digits",
        KeyEncoding::Integers => "integers",
        KeyEncoding::Dates => "dates",
        KeyEncoding::Instants => "instants",
        KeyEncoding::Mixed | KeyEncoding::Unknown => "of several types",
    }
}
