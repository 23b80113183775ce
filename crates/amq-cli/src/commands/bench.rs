//! `amq bench`: all kinds, verified and timed on the user's own keys.

use crate::arguments::KeyArgs;
use crate::exit::{Outcome, note};
use crate::kinds::KindParser;
use crate::numbers::{self, bytes_text, grouped, of, rate_text};
use crate::pipeline::Hashed;
use crate::progress;
use crate::spool::Spool;
use crate::stdio::Text;
use crate::table::table;
use amq::{AnyFilter, Budget, DEFAULT_SEED, Filter, FilterKind, Key, KeyHash, Secret};
use anyhow::bail;
use clap::Args;
use serde_json::{Value, json};
use std::hint::black_box;
use std::ops::ControlFlow::{Break, Continue};
use std::time::{Duration, Instant};

/// Time filters on your keys
///
/// Builds a filter of each kind from the keys, checks that it denies none of them and that it errs
/// as often as its formula says, and times it: nanoseconds per key, on one thread (ribbons are
/// built on all), without hashing. Takes less than a minute for ten million keys. For a comparison
/// with other libraries see the harness amq-bench.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The false-positive rate to build for: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    #[arg(default_value = "1%")]
    fpr: f64,

    /// Only these kinds, separated by commas
    #[arg(short, long, value_name = "KIND", value_parser = KindParser, ignore_case = true)]
    #[arg(value_delimiter = ',')]
    kind: Vec<FilterKind>,

    /// Use at most this many keys, from the first on
    #[arg(long, value_name = "N", value_parser = numbers::count, default_value = "1e7")]
    limit: u64,

    /// Print JSON: a line for each kind, with times in nanoseconds per key
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    keys: KeyArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq bench keys.txt
  $ amq bench --fpr 0.1% --kind bloom,ribbon,cuckoo keys.txt";

/// Queries for keys that are not in.
const ABSENT: usize = 1 << 20;

/// The shortest time measured: work that takes less is repeated.
const LEAST: Duration = Duration::from_millis(20);

/// Standard deviations that a rate may be off by.
const SIGMAS: f64 = 5.0;

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let keys = self.keys.keys([])?;
        let bar = progress::bar(keys.bytes, false);
        let mut spool = Spool::new(usize::MAX / 8);
        let start = Instant::now();
        keys.run(
            Secret::Seed(DEFAULT_SEED),
            &bar,
            &Hashed,
            |work| {
                let room = (self.limit - spool.len()).min(work.hashes.len() as u64);
                spool.extend(&work.hashes[..room as usize])?;
                let enough = spool.len() == self.limit;
                Ok(if enough { Break(()) } else { Continue(()) })
            },
            || Ok(()),
        )?;
        let reading = start.elapsed();
        bar.finish_and_clear();
        let read = spool.len();
        spool.dedup()?;
        let mut present = spool.load()?.to_vec();
        if present.is_empty() {
            bail!("there are no keys to measure with");
        }
        // In an order that is independent of the table's.
        present.sort_unstable_by_key(|hash| hash.get().key_hash(1));
        let absent: Vec<KeyHash> = (0..ABSENT).map(|key| key.key_hash(0xA85E)).collect();
        let mut measures = Vec::new();
        let mut wrong = Vec::new();
        let kinds = if self.kind.is_empty() { AnyFilter::KINDS } else { &self.kind };
        for &kind in kinds {
            match self.measure(kind, &present, &absent) {
                Ok(measured) => measures.push(measured),
                Err(error) => wrong.push(format!("{kind}: {error:#}")),
            }
        }
        Text::print(&if self.json {
            measures.iter().map(|measured| format!("{}\n", measured.in_json(self.fpr))).collect()
        } else {
            let rows: Vec<Vec<String>> = measures.iter().map(Measured::in_words).collect();
            format!(
                "{}, {} of them different; read and hashed in {:.1} ns each, with {}\n\
                 {}times are nanoseconds a key, without hashing\n",
                of(read, "key"),
                grouped(present.len() as u64),
                reading.as_nanos() as f64 / read as f64,
                of(keys.threads as u64, "thread"),
                table(&HEAD, &rows)
            )
        })?;
        for text in &wrong {
            note(text);
        }
        if !wrong.is_empty() {
            bail!("not in the table: {}", of(wrong.len() as u64, "kind"));
        }
        Ok(Outcome::Done)
    }

    fn measure(
        &self,
        kind: FilterKind,
        present: &[KeyHash],
        absent: &[KeyHash],
    ) -> anyhow::Result<Measured> {
        let budget = Budget::Fpr(self.fpr);
        let filter = AnyFilter::build_hashes(kind, budget, DEFAULT_SEED, present)?;
        if yes(&filter, present)? != present.len() {
            bail!("it denies a key that it holds: please report this");
        }
        let measured = yes(&filter, absent)? as f64 / absent.len() as f64;
        let expected = filter.expected_fpr();
        let sigma = (expected * (1.0 - expected) / absent.len() as f64).sqrt();
        let off = (measured - expected).abs();
        // A static filter's rate is that of its formula over all its seeds.
        if off > SIGMAS * sigma + 5.0 / absent.len() as f64 {
            bail!(
                "it errs at {measured:.3e}, and its formula says {expected:.3e}: please report this"
            );
        }
        let build = time(present.len(), || {
            black_box(AnyFilter::build_hashes(kind, budget, DEFAULT_SEED, present).is_ok());
        });
        let ask = |hashes: &[KeyHash]| time(hashes.len(), || drop(black_box(yes(&filter, hashes))));
        Ok(Measured {
            kind,
            keys: present.len(),
            bytes: filter.size_in_bytes(),
            bits_per_key: filter.stats().bits_per_key(),
            build_ns: build,
            present_ns: ask(present),
            absent_ns: ask(absent),
            expected_fpr: expected,
            measured_fpr: measured,
        })
    }
}

/// The results for one kind. Times are nanoseconds per key.
struct Measured {
    kind: FilterKind,
    keys: usize,
    bytes: u64,
    bits_per_key: f64,
    build_ns: f64,
    present_ns: f64,
    absent_ns: f64,
    expected_fpr: f64,
    measured_fpr: f64,
}

const HEAD: [&str; 8] = [
    "kind",
    "size",
    "bits/\nkey",
    "build",
    "ask:\nin",
    "ask:\nnot in",
    "errs,\nformula",
    "errs,\nmeasured",
];

impl Measured {
    fn in_words(&self) -> Vec<String> {
        let one = |number: f64| format!("{number:.1}");
        vec![
            self.kind.id().into(),
            bytes_text(self.bytes),
            format!("{:.2}", self.bits_per_key),
            one(self.build_ns),
            one(self.present_ns),
            one(self.absent_ns),
            rate_text(self.expected_fpr),
            rate_text(self.measured_fpr),
        ]
    }

    fn in_json(&self, fpr: f64) -> Value {
        json!({
            "kind": self.kind.id(),
            "keys": self.keys,
            "fpr": fpr,
            "bytes": self.bytes,
            "bits_per_key": self.bits_per_key,
            "build_ns": self.build_ns,
            "present_ns": self.present_ns,
            "absent_ns": self.absent_ns,
            "expected_fpr": self.expected_fpr,
            "measured_fpr": self.measured_fpr,
        })
    }
}

/// The number of hashes that the filter says yes to.
fn yes(filter: &AnyFilter, hashes: &[KeyHash]) -> anyhow::Result<usize> {
    const BLOCK: usize = 4096;
    let mut answers = [false; BLOCK];
    let mut yes = 0;
    for hashes in hashes.chunks(BLOCK) {
        let answers = &mut answers[..hashes.len()];
        filter.contains_batch(hashes, answers)?;
        yes += answers.iter().filter(|&&answer| answer).count();
    }
    Ok(yes)
}

/// Nanoseconds per key: the best of several runs.
fn time(keys: usize, mut work: impl FnMut()) -> f64 {
    let all = Instant::now();
    let mut best = Duration::MAX;
    loop {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed());
        if all.elapsed() >= LEAST {
            return best.as_nanos() as f64 / keys as f64;
        }
    }
}
