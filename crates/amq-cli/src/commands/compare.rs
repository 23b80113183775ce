//! `amq compare`: how many keys two filters have in common.

use super::merge::same_encoding;
use crate::exit::Outcome;
use crate::input;
use crate::key_file::KeyFile;
use crate::numbers::{grouped, of, rounded};
use crate::report::{bits_and_probes, estimate};
use crate::stdio::{self, Text};
use amq::{AnyFile, AnyFilter, Filter, KeyHash};
use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Estimate how many keys two filters have in common
///
/// Prints the number of keys in each filter, in both, and in only one of them. Bloom filters with
/// equal parameters are compared by their bits, with an interval that contains the true number in
/// at least 95 comparisons of 100. Quotient filters with equal parameters are compared by their
/// fingerprints: the numbers are exact, except for keys with equal fingerprints. Other kinds cannot
/// be compared.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The first filter's file; one of the two may be `-`, standard input
    first: PathBuf,

    /// The second filter's file
    second: PathBuf,

    /// Print one JSON object: `first`, `second`, `both`, `only_first` and `only_second`, each with
    /// `keys`, and the bounds `least` and `most`
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    key_file: KeyFile,
}

const EXAMPLES: &str = "\
Examples:
  $ amq build -o a.amq --fpr 1% --keys 10000 keys.txt
  $ amq build -o b.amq --fpr 1% --keys 10000 more.txt
  $ amq compare a.amq b.amq";

/// A number of keys, and its standard deviation.
#[derive(Clone, Copy)]
struct Number {
    keys: f64,
    variance: f64,
}

/// Standard deviations on either side of 95 % of a normal distribution.
const SIGMAS: f64 = 1.96;

impl Number {
    fn bounds(self) -> (u64, u64) {
        let off = SIGMAS * self.variance.sqrt();
        ((self.keys - off).max(0.0).floor() as u64, (self.keys + off).ceil() as u64)
    }

    /// The difference of two, taken as independent, which overstates its error.
    fn less(self, other: Self) -> Self {
        let variance = self.variance + other.variance;
        Self { keys: (self.keys - other.keys).max(0.0), variance }
    }
}

/// Keys in the first, the second, and in either.
type Sizes = [Number; 3];

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let paths = [&*self.first, &*self.second];
        stdio::once(0, paths.into_iter().chain(self.key_file.path()))?;
        let key = self.key_file.key()?;
        let [one, other] = [input::load(paths[0], key)?, input::load(paths[1], key)?];
        let names = paths.map(input::name);
        let both = || format!("{} and {}", names[0], names[1]);
        same_encoding(&one, &other).with_context(both)?;
        let [first, second, union] = sizes(&one, &other).with_context(both)?;
        let sum =
            Number { keys: first.keys + second.keys, variance: first.variance + second.variance };
        let rows = [
            ("first", format!("in {}", names[0]), first),
            ("second", format!("in {}", names[1]), second),
            ("both", "in both".into(), sum.less(union)),
            ("only_first", format!("only in {}", names[0]), union.less(second)),
            ("only_second", format!("only in {}", names[1]), union.less(first)),
        ];
        let mut text = String::new();
        let mut told = serde_json::Map::new();
        for (id, name, number) in rows {
            let (least, most) = number.bounds();
            told.insert(id.into(), json!({ "keys": number.keys, "least": least, "most": most }));
            text += &if number.variance > 0.0 {
                let about = of(rounded(number.keys), "key");
                format!("about {about} {name} ({} to {})\n", grouped(least), grouped(most))
            } else {
                format!("{} {name}\n", of(number.keys as u64, "key"))
            };
        }
        if self.json {
            text = format!("{}\n", serde_json::Value::Object(told));
        }
        Text::print(&text)?;
        Ok(Outcome::Done)
    }
}

fn sizes(one: &AnyFile, other: &AnyFile) -> anyhow::Result<Sizes> {
    let [first, second] = [one, other].map(|file| file.filter().into_inner());
    if first.kind() != second.kind() || first.parameters() != second.parameters() {
        bail!("their kinds or sizes differ, so that they cannot be compared: build both alike");
    }
    if one.secret() != other.secret() || first.seed() != second.seed() {
        bail!("their keys are hashed under different seeds: build one with --seed-of the other");
    }
    if let (Ok(ours), Ok(theirs)) = (first.hashes(), second.hashes()) {
        return Ok(counted(ours, theirs));
    }
    if let Some(full) = [first, second].into_iter().find(|filter| filter.load_factor() == 1.0) {
        bail!("all bits of a {} filter are set, which tells nothing of its keys", full.kind());
    }
    let (Some(first), Some(second)) = (number(first), number(second)) else {
        bail!("{} filters cannot be compared: Bloom and quotient filters can", first.kind());
    };
    let mut union = one.clone();
    union.merge(other)?;
    let union = number(union.filter().into_inner()).unwrap_or(first);
    Ok([first, second, union])
}

/// How many keys have set the bits of a Bloom filter. Linear counting (Whang, Vander-Zanden,
/// Taylor: *A linear-time probabilistic counting algorithm*, TODS 1990) with several bits a key.
fn number(filter: &AnyFilter) -> Option<Number> {
    let (bits, probes) = bits_and_probes(filter)?;
    let (_, keys) = estimate(filter)?;
    let load = keys * probes / bits;
    Some(Number { keys, variance: bits / probes.powi(2) * (load.exp() - 1.0 - load).max(0.0) })
}

/// Counts fingerprints, which are sorted; each copy once.
fn counted(ours: impl Iterator<Item = KeyHash>, theirs: impl Iterator<Item = KeyHash>) -> Sizes {
    let (mut ours, mut theirs) = (ours.peekable(), theirs.peekable());
    let mut found = [0u64; 3];
    loop {
        let next = match (ours.peek(), theirs.peek()) {
            (Some(&one), Some(&other)) => one.min(other),
            (Some(&one), None) | (None, Some(&one)) => one,
            (None, None) => return found.map(|keys| Number { keys: keys as f64, variance: 0.0 }),
        };
        found[0] += u64::from(ours.peek() == Some(&next));
        found[1] += u64::from(theirs.peek() == Some(&next));
        found[2] += 1;
        while ours.next_if_eq(&next).is_some() {}
        while theirs.next_if_eq(&next).is_some() {}
    }
}
