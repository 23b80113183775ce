//! What an operation costs in time: a table that the harness measured, between whose rows this
//! interpolates, by the bytes of a table and its rate.
//!
//! Beyond its most bytes, time is reckoned, and marked so. Under a secret key, hashing takes as
//! much more as it does in the filters that were measured both ways.

mod beyond;
mod figures;

use crate::{KeysBy, Structure, Workload};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use amq::FilterKind;
use core::fmt;
use figures::{Figures, INSERT, Point, QUERIES, REMOVE};

/// The contender that reads one line of memory for each query, and one that writes one for each
/// insert.
const READS: &str = "line-reads";
const WRITES: &str = "blocked-bloom";

/// `log2(1 / rate)` of 1 %, at which every number of keys was measured.
const USUAL_BITS: f64 = 6.643_856_189_774_724;

/// What begins the name of a contender that hashes under a secret key; the rest is another's.
const KEYED: &str = "keyed-";

/// What a lock costs that nobody else holds: two locked instructions. Reckoned, not measured.
const LOCK_NS: f64 = 20.0;

/// Bytes of the keys that were measured.
const KEY_BYTES: u64 = 8;

/// A table of times: which contender takes how many nanoseconds, on some machine.
///
/// [`Times::committed`] is what the record in this repository says. One of your own machine is
/// written by `amq-bench fit`, and [`parse`](Self::parse)d here.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    date: String,
    processor: String,
    hash_ns_per_byte: f64,
    keyed_ns_per_byte: f64,
    tails: Vec<Tail>,
    shared: Vec<Shared>,
    figures: Vec<Figures>,
}

/// What one insert in a thousand exceeds, in a filter of so many keys.
type Tail = (String, [f64; 2]);

/// An insert when one thread inserts, and when two do.
type Shared = (String, [f64; 2]);

/// What holds the keys: entries and bytes of all filters together, and its rate.
#[derive(Clone, Copy)]
pub(super) struct Table {
    pub(super) keys: u64,
    pub(super) bytes: u64,
    pub(super) fpr: f64,
}

/// A table of times that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TimesError {
    /// The line, from 1; 0 if the table ends too early.
    pub line: usize,
}

impl fmt::Display for TimesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str("the table of times has no row"),
            line => write!(
                f,
                "line {line} of the table of times is not `contender,keys,rate,bytes` and five times"
            ),
        }
    }
}

amq_core::impl_error!(TimesError);

/// Nanoseconds of one operation each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Spent {
    pub(super) insert: f64,
    pub(super) query: f64,
    pub(super) remove: Option<f64>,
    /// What one insert in a thousand exceeds.
    pub(super) tail: Option<f64>,
    /// Whether they lie beyond what was measured.
    pub(super) reckoned: bool,
}

impl Times {
    /// The table of this repository's records.
    #[must_use]
    pub fn committed() -> Self {
        // A test parses it.
        Self::parse(include_str!("../times.csv")).unwrap_or_else(|_| Self::none())
    }

    /// No times at all: choices are then ranked by size alone.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            date: String::new(),
            processor: String::new(),
            hash_ns_per_byte: 0.0,
            keyed_ns_per_byte: 0.0,
            tails: Vec::new(),
            shared: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Reads a table, as `amq-bench fit` writes it: lines with `#` that say what was measured, a
    /// head, and a row for each contender, number of keys and rate.
    pub fn parse(text: &str) -> Result<Self, TimesError> {
        let mut times = Self::none();
        for (line, number) in text.lines().zip(1..) {
            if let Some(comment) = line.strip_prefix('#') {
                times.describe(comment);
            } else if !line.starts_with("contender,") {
                let (contender, row) = Figures::row(line).ok_or(TimesError { line: number })?;
                match times.figures.iter_mut().find(|figures| figures.contender == contender) {
                    Some(figures) => figures.rows.push(row),
                    None => times
                        .figures
                        .push(Figures { contender: contender.to_string(), rows: [row].into() }),
                }
            }
        }
        for figures in &mut times.figures {
            figures.rows.sort_by(|a, b| a.keys.cmp(&b.keys).then(a.bits.total_cmp(&b.bits)));
        }
        if times.figures.is_empty() { Err(TimesError { line: 0 }) } else { Ok(times) }
    }

    fn describe(&mut self, comment: &str) {
        let Some((name, value)) = comment.split_once(": ") else {
            return;
        };
        let pairs = || value.split(", ").filter_map(pair).collect();
        match name.trim() {
            "date" => self.date = value.to_string(),
            "processor" => self.processor = value.to_string(),
            "insert_p99_9_ns_and_keys" => self.tails = pairs(),
            "insert_ns_of_one_thread_and_two" => self.shared = pairs(),
            "hash_ns_per_byte" => self.hash_ns_per_byte = value.parse().unwrap_or(0.0),
            "keyed_ns_per_byte" => self.keyed_ns_per_byte = value.parse().unwrap_or(0.0),
            _ => {}
        }
    }

    /// The day of the measurement.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.date
    }

    /// The processor that they were measured on.
    #[must_use]
    pub fn processor(&self) -> &str {
        &self.processor
    }

    /// What hashing takes beyond what it did for the keys that were measured, for their bytes.
    pub(super) fn long_key_ns(&self, workload: &Workload) -> f64 {
        let each = match workload.keys_by {
            KeysBy::Trusted => self.hash_ns_per_byte,
            KeysBy::Strangers => self.keyed_ns_per_byte,
        };
        workload.key_bytes.saturating_sub(KEY_BYTES) as f64 * each
    }

    /// The fewest and the most keys of the filters whose tails were measured.
    pub(super) fn tail_keys(&self) -> Option<(u64, u64)> {
        let keys = || self.tails.iter().map(|(_, [_, keys])| *keys as u64);
        keys().min().zip(keys().max())
    }

    fn of(&self, contender: &str) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.contender == contender)
    }

    /// The times of a structure; `None` if nobody has measured it.
    pub(super) fn spent(
        &self,
        structure: Structure,
        table: Table,
        workload: &Workload,
    ) -> Option<Spent> {
        let name = contender(structure, workload)?;
        let figures = self.of(name)?;
        // A map has no rate, but values of so many bits.
        let of_values = workload.value_bits().filter(|_| structure == Structure::Map);
        let bits = of_values.map_or_else(|| -libm::log2(table.fpr), f64::from);
        let bytes = table.bytes as f64;
        let hashing = |operation| {
            let is_keyed = workload.keys_by == KeysBy::Strangers;
            let keyed = if is_keyed { self.keyed(name, operation, bytes, bits) } else { 0.0 };
            keyed + self.long_key_ns(workload)
        };
        let at = |operation| self.at(figures, operation, bytes, bits) + hashing(operation);
        let absent = workload.absent;
        let ([none, half, all], insert, remove) = (QUERIES.map(at), at(INSERT), at(REMOVE));
        // Through the three measured shares.
        let query = if absent >= 0.5 {
            half + (none - half) * (absent - 0.5) * 2.0
        } else {
            all + (half - all) * absent * 2.0
        };
        // A set reads the bytes of a key that is there once more, to compare them.
        let compared = match structure {
            Structure::ExactSet | Structure::ExactMap => {
                (1.0 - absent) * self.long_key_ns(workload)
            }
            _ => 0.0,
        };
        let tail = self.tails.iter().find(|(contender, _)| contender == name);
        let tail = tail.map(|(_, [ns, keys])| {
            // In a larger table it is longer by as much as the mean insert is.
            let smaller = self.at(figures, INSERT, bytes * keys / table.keys as f64, bits);
            ns * (self.at(figures, INSERT, bytes, bits) / smaller).max(1.0) + hashing(INSERT)
        });
        let spent = Spent {
            insert,
            query: query + compared,
            remove: (!remove.is_nan()).then_some(remove),
            tail,
            reckoned: !figures.has_measured(bytes, bits),
        };
        (query.is_finite() && insert.is_finite()).then(|| match structure {
            Structure::AtomicBloom | Structure::AtomicBlockedBloom => {
                spent.shared(self.slowing(name, workload))
            }
            Structure::Sharded(_) => spent.locked().shared(self.slowing(SHARDED, workload)),
            Structure::Periods(_) => spent.rolling(workload, 1.0),
            Structure::Rolling(_) => spent.rolling(workload, workload.absent),
            Structure::ShardedRolling(_) => {
                let spent = spent.rolling(workload, workload.absent).locked();
                spent.shared(self.slowing(SHARDED, workload))
            }
            _ => spent,
        })
    }

    fn at(&self, figures: &Figures, operation: usize, bytes: f64, bits: f64) -> f64 {
        let points = figures.points(operation, bits);
        let above = points.partition_point(|point| point.bytes < bytes);
        match (above.checked_sub(1), points.get(above)) {
            (Some(low), Some(&high)) => Point::on_line(points[low], high, bytes),
            (None, Some(smallest)) => smallest.ns,
            (_, None) => beyond::beyond(&points, bytes, &self.yardstick(operation)),
        }
    }

    /// What the wait for a line is measured by. A query reads it whatever the answer, so that of
    /// the three shares the mean counts; a removal waits as an insert does.
    fn yardstick(&self, operation: usize) -> Vec<Point> {
        let points = |name, operation| match self.of(name) {
            Some(figures) => figures.points(operation, USUAL_BITS),
            None => Vec::new(),
        };
        if !QUERIES.contains(&operation) {
            return points(WRITES, INSERT);
        }
        let [none, half, all] = QUERIES.map(|query| points(READS, query));
        let three = none.into_iter().zip(half).zip(all);
        three.map(|((a, b), c)| Point { ns: (a.ns + b.ns + c.ns) / 3.0, ..a }).collect()
    }

    /// What hashing under a secret key adds: by the filter's own measurement if it was measured
    /// both ways, otherwise by the mean of those that were; in a larger table than theirs as in
    /// their largest.
    fn keyed(&self, name: &str, operation: usize, bytes: f64, bits: f64) -> f64 {
        let operation = if operation == REMOVE { INSERT } else { operation };
        let added = |keyed: &Figures| {
            let plain = self.of(keyed.contender.strip_prefix(KEYED)?)?;
            let bytes = bytes.min(keyed.points(operation, bits).last()?.bytes);
            let [with, without] = [keyed, plain].map(|it| self.at(it, operation, bytes, bits));
            Some((with - without).max(0.0))
        };
        if let Some(own) = self.of(&(KEYED.to_string() + name)).and_then(added) {
            return own;
        }
        let all: Vec<f64> = self.figures.iter().filter_map(added).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    }

    /// How many times as long an insert takes when two threads insert, and whether that many do.
    fn slowing(&self, name: &str, workload: &Workload) -> (f64, bool) {
        let shared = self.shared.iter().find(|(contender, _)| contender == name);
        match (shared, workload.threads) {
            (_, 1) => (1.0, true),
            (Some((_, [one, two])), threads) => ((two / one).max(1.0), threads == 2),
            (None, _) => (1.0, false),
        }
    }
}

/// The contender that several threads insert into behind locks.
const SHARDED: &str = "sharded-cuckoo";

/// A contender and two numbers.
fn pair(text: &str) -> Option<(String, [f64; 2])> {
    let mut words = text.split(' ');
    let contender = words.next()?.to_string();
    Some((contender, [words.next()?.parse().ok()?, words.next()?.parse().ok()?]))
}

/// The harness' name of a structure: the id of its kind.
fn contender(structure: Structure, workload: &Workload) -> Option<&'static str> {
    Some(match structure {
        Structure::AtomicBloom => "atomic-bloom",
        Structure::AtomicBlockedBloom => "atomic-blocked-bloom",
        Structure::ExactSet | Structure::ExactMap => "std-hashset",
        Structure::Map => "ribbon-map",
        Structure::Bitmap | Structure::SortedList | Structure::Sketch | Structure::Nothing => {
            return None;
        }
        Structure::Filter(FilterKind::Scalable) if workload.is_bounded_growth() => {
            "scalable-bounded"
        }
        Structure::Filter(kind)
        | Structure::Sharded(kind)
        | Structure::Rolling(kind)
        | Structure::Periods(kind)
        | Structure::ShardedRolling(kind) => kind.id(),
    })
}

impl Spent {
    /// Each operation behind a lock.
    fn locked(self) -> Self {
        Self {
            insert: self.insert + LOCK_NS,
            query: self.query + LOCK_NS,
            remove: self.remove.map(|ns| ns + LOCK_NS),
            tail: self.tail.map(|ns| ns + LOCK_NS),
            reckoned: true,
        }
    }

    /// Beside other threads what changes the table takes so many times as long.
    fn shared(self, (times, is_measured): (f64, bool)) -> Self {
        Self {
            insert: self.insert * times,
            remove: self.remove.map(|ns| ns * times),
            tail: self.tail.map(|ns| ns * times),
            reckoned: self.reckoned || !is_measured,
            ..self
        }
    }

    /// This share of the keys is asked of all generations: absent ones, or all if they are counted.
    /// The others are asked of half of them on average.
    fn rolling(self, workload: &Workload, of_all: f64) -> Self {
        let generations = f64::from(workload.generations().unwrap_or(1));
        let asked = generations * (1.0 + of_all) / 2.0;
        Self { query: self.query * asked, reckoned: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::figures::{OPERATIONS, Row};
    use super::*;
    use crate::Keys;
    use alloc::format;

    #[test]
    fn the_committed_table_is_read_and_every_row_is_met_exactly() {
        let times = Times::parse(include_str!("../times.csv")).unwrap();
        assert_eq!(format!("{times:?}"), format!("{:?}", Times::committed()));
        assert!(!times.processor().is_empty() && times.date().len() == 10);
        assert!(times.hash_ns_per_byte > 0.0 && times.keyed_ns_per_byte > times.hash_ns_per_byte);
        assert!(times.figures.len() > 20 && times.shared.len() == 3);
        for figures in &times.figures {
            for row in &figures.rows {
                for operation in (0..OPERATIONS).filter(|&o| !row.ns[o].is_nan()) {
                    let there = times.at(figures, operation, row.bytes, row.bits);
                    let difference = (there - row.ns[operation]).abs();
                    assert!(difference < 1e-9, "{} {row:?}: {there}", figures.contender);
                }
                assert!(figures.has_measured(row.bytes, row.bits), "{}", figures.contender);
            }
        }
    }

    /// Left out, the largest tables are reckoned from the lines of smaller ones: of each contender
    /// and query within a half, and within 0.15 on average (0.141; as many tables of 10^7 keys from
    /// those of up to 10^6, which lie in the nearest caches, within 0.3).
    #[test]
    fn what_is_reckoned_beyond_the_table_is_near_what_was_measured_there() {
        let times = Times::committed();
        let is_asked = |figures: &&Figures| !figures.contender.starts_with("line-");
        for (most, allowed, each) in [(100_000_000, 0.15, 0.66..1.5), (10_000_000, 0.3, 0.4..2.0)] {
            let (mut off, mut count) = (0.0, 0.0);
            for full in times.figures.iter().filter(is_asked) {
                let rows = full.rows.iter().filter(|row| row.keys == most);
                let off_usual = |row: &Row| (row.bits - USUAL_BITS).abs();
                let usual = rows.min_by(|a, b| off_usual(a).total_cmp(&off_usual(b)));
                let Some(last) = usual else { continue };
                let mut less = full.clone();
                less.rows.retain(|row| row.keys < most);
                for operation in QUERIES {
                    let reckoned = times.at(&less, operation, last.bytes, last.bits);
                    let ratio = reckoned / last.ns[operation];
                    assert!(each.contains(&ratio), "{} {last:?}: {ratio}", full.contender);
                    (off, count) = (off + (ratio - 1.0).abs(), count + 1.0);
                }
                assert!(!less.has_measured(last.bytes, last.bits));
            }
            assert!(count >= 30.0 && off / count < allowed, "{most}: {off} of {count}");
        }
    }

    #[test]
    fn between_two_rows_time_lies_between_theirs_and_far_beyond_it_is_finite() {
        let times = Times::committed();
        let bloom = times.of("bloom").unwrap();
        let [low, mid, high] = [1e6, 3e6, 1e7].map(|bytes| times.at(bloom, 2, bytes, 6.64));
        assert!(low < mid && mid < high, "{low} {mid} {high}");
        for figures in times.figures.iter().filter(|figures| figures.contender != READS) {
            for bits in [0.01, 5.0, 64.0] {
                for operation in 0..OPERATIONS - 1 {
                    let ns = times.at(figures, operation, u64::MAX as f64, bits);
                    assert!(ns.is_finite() && ns > 0.0, "{} {ns}", figures.contender);
                }
            }
        }
    }

    /// Under a secret key every operation takes longer, and a long key longer still: in filters
    /// and in exact sets.
    #[test]
    fn what_hashing_takes_is_in_all_times() {
        let times = Times::committed();
        let table = Table { keys: 1_000_000, bytes: 1_316_160, fpr: 0.01 };
        let plain = Workload::new(Keys::AtMost(table.keys));
        let keyed = plain.clone().with_keys_by(KeysBy::Strangers);
        let kinds = [FilterKind::BlockedBloom, FilterKind::Cuckoo, FilterKind::BumpedRibbon];
        for structure in kinds.map(Structure::Filter).into_iter().chain([Structure::ExactSet]) {
            let of = |workload: &Workload| times.spent(structure, table, workload).unwrap();
            let long = [&plain, &keyed].map(|it| of(&it.clone().with_key_bytes(208)));
            for (short, long, each) in [(of(&plain), long[0], 0.11), (of(&keyed), long[1], 0.27)] {
                let more = 200.0 * each;
                assert!((long.insert - short.insert - more).abs() < 0.01, "{structure}");
                let compared = if structure == Structure::ExactSet { 1.5 } else { 1.0 };
                assert!((long.query - short.query - more * compared).abs() < 0.01, "{structure}");
            }
            assert!(of(&keyed).insert > of(&plain).insert + 2.0, "{structure}");
            assert!(of(&keyed).query > of(&plain).query + 3.0, "{structure}");
        }
        // Measured both ways, it is what was measured.
        let blocked = times.of("keyed-blocked-bloom").unwrap();
        let half = blocked.rows.iter().find(|row| row.bytes == table.bytes as f64).unwrap().ns[2];
        let spent =
            times.spent(Structure::Filter(FilterKind::BlockedBloom), table, &keyed).unwrap();
        assert!((spent.query - half).abs() < 0.1, "{} {half}", spent.query);
    }

    #[test]
    fn threads_that_insert_at_once_take_as_long_as_they_were_measured_to() {
        let times = Times::committed();
        let table = Table { keys: 1_000_000, bytes: 1_316_160, fpr: 0.01 };
        let by = |structure, threads| {
            let workload = Workload::new(Keys::AtMost(table.keys)).with_threads(threads);
            times.spent(structure, table, &workload).unwrap()
        };
        let [one, two, eight] = [1, 2, 8].map(|threads| by(Structure::AtomicBloom, threads));
        assert!((two.insert / one.insert - 53.58 / 34.28).abs() < 1e-3);
        assert_eq!((two.insert, two.query), (eight.insert, one.query));
        assert_eq!([one, two, eight].map(|it| it.reckoned), [false, false, true]);
        let sharded = Structure::Sharded(FilterKind::Cuckoo);
        assert!(by(sharded, 2).insert > by(sharded, 1).insert);
        assert!(by(sharded, 1).insert > by(Structure::Filter(FilterKind::Cuckoo), 1).insert);
    }

    #[test]
    fn a_table_that_is_none_is_refused_with_its_line() {
        for (text, line) in [
            ("", 0),
            ("# date: 2026-01-01\ncontender,keys,rate,build\n", 0),
            ("contender,keys\nbloom,10,0.01,12,1,2,3,4", 2),
            ("contender,keys\nbloom,0,0.01,12,1,2,3,4,5", 2),
            ("contender,keys\nbloom,1,0.01,0,1,2,3,4,5", 2),
            ("contender,keys\n,1,0.01,12,1,2,3,4,5", 2),
            ("contender,keys\nbloom,1,0.01,12,1,2,3,4,", 0),
        ] {
            let read = Times::parse(text);
            if line == 0 && text.ends_with(',') {
                assert!(read.is_ok());
            } else {
                assert_eq!(read, Err(TimesError { line }), "{text}");
            }
        }
        let workload = Workload::new(Keys::Exactly(1000));
        let filter = Structure::Filter(FilterKind::Bloom);
        let table = Table { keys: 1000, bytes: 1200, fpr: 0.01 };
        assert_eq!(Times::none().spent(filter, table, &workload), None);
    }
}
