//! `amq bench`: the kinds, verified and timed on the user's own keys.

use crate::cli::KeyArgs;
use crate::exit::{Outcome, note};
use crate::kinds::KindParser;
use crate::numbers::{self, bytes_text, grouped, rate_text};
use crate::pipeline::Hashed;
use crate::progress;
use crate::spool::Spool;
use crate::stdio::Text;
use amq::{AnyFilter, Budget, DEFAULT_SEED, Filter, FilterKind, Key, KeyHash};
use anyhow::bail;
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use std::hint::black_box;
use std::ops::ControlFlow::{Break, Continue};
use std::time::{Duration, Instant};

/// Time filters on your keys
///
/// Builds a filter of each kind from the keys, checks that it denies none of them and that it errs
/// as often as its formula says, and times it: nanoseconds a key, on one thread (ribbons are built
/// on all), hashing not included. Takes less than a minute for ten million keys. The comparison
/// with other libraries is made by the harness amq-bench.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The false-positive rate to build for: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    #[arg(default_value = "1%")]
    fpr: f64,

    /// Only these kinds, with commas between
    #[arg(short, long, value_name = "KIND", value_parser = KindParser, ignore_case = true)]
    #[arg(value_delimiter = ',')]
    kind: Vec<FilterKind>,

    /// Take at most this many keys, the first ones
    #[arg(long, value_name = "N", value_parser = numbers::count, default_value = "1e7")]
    limit: u64,

    #[command(flatten)]
    keys: KeyArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq bench keys.txt
  $ amq bench --fpr 0.1% --kind bloom,ribbon,cuckoo keys.txt";

/// Queries for keys that are not in.
const ABSENT: usize = 1 << 20;

/// The least time measured: shorter work is repeated.
const LEAST: Duration = Duration::from_millis(20);

/// Standard deviations by which a rate may be off.
const SIGMAS: f64 = 5.0;

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let keys = self.keys.keys(&[])?;
        let bar = progress::bar(keys.bytes, false);
        let mut spool = Spool::new(usize::MAX / 8);
        let start = Instant::now();
        keys.run(
            DEFAULT_SEED,
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
        // In an order that has nothing to do with the table's.
        present.sort_unstable_by_key(|hash| hash.get().key_hash(1));
        let absent: Vec<KeyHash> = (0..ABSENT).map(|key| key.key_hash(0xA85E)).collect();
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_header([
            "kind",
            "size",
            "bits/key",
            "build",
            "ask: in",
            "ask: not in",
            "errs, formula",
            "errs, measured",
        ]);
        let mut wrong = Vec::new();
        let kinds = if self.kind.is_empty() { AnyFilter::KINDS } else { &self.kind };
        for &kind in kinds {
            match self.measure(kind, &present, &absent) {
                Ok(row) => drop(table.add_row(row)),
                Err(error) => wrong.push(format!("{kind}: {error:#}")),
            }
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let mut to = Text::new();
        to.write(format!(
            "{} keys, {} of them different; read and hashed in {:.1} ns each, with {} threads\n",
            grouped(read),
            grouped(present.len() as u64),
            reading.as_nanos() as f64 / read as f64,
            keys.threads
        ).as_bytes())?;
        for line in table.to_string().lines() {
            to.write(format!("{}\n", line.trim()).as_bytes())?;
        }
        to.write(b"times are nanoseconds a key, without hashing\n")?;
        to.flush()?;
        for text in &wrong {
            note(text);
        }
        if !wrong.is_empty() {
            bail!("{} kinds are not in the table", wrong.len());
        }
        Ok(Outcome::Done)
    }

    fn measure(
        &self,
        kind: FilterKind,
        present: &[KeyHash],
        absent: &[KeyHash],
    ) -> anyhow::Result<Vec<String>> {
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
        Ok(vec![
            kind.id().into(),
            bytes_text(filter.size_in_bytes()),
            format!("{:.2}", filter.stats().bits_per_key()),
            format!("{build:.1}"),
            format!("{:.1}", ask(present)),
            format!("{:.1}", ask(absent)),
            rate_text(expected),
            rate_text(measured),
        ])
    }
}

/// How many of the hashes the filter says yes to.
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

/// Nanoseconds a key: the best of some runs.
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
