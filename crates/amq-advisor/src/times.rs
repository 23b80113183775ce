//! What an operation costs in time: a table that the harness measured, between whose rows this
//! interpolates.
//!
//! A row has a contender, a number of keys, a rate, and nanoseconds an operation. At a number of
//! keys, time is linear in `log2(1 / rate)` between the rows; between numbers of keys it is linear
//! in their logarithm, which is how it rises from cache to cache. Below the fewest keys it stays.
//!
//! Beyond the most, time is reckoned, and marked so. What rises there is the wait for lines of
//! memory: the yardstick, which reads one line an operation, says how long a line takes, and the
//! last two numbers of keys how many lines the contender waits for.

use crate::{Structure, Workload};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use amq::FilterKind;
use core::fmt;

/// The operations: insert or build; query with none, half and all of the keys present; remove.
const OPERATIONS: usize = 5;
const INSERT: usize = 0;
const REMOVE: usize = 4;

/// The contender that reads one line of memory an operation, measured with the most keys.
const YARDSTICK: &str = "blocked-bloom";

/// No operation waits for more lines than this.
const MOST_LINES: f64 = 100.0;

/// Tables of so many keys lie in a cache at any rate.
const FEW: u64 = 100_000;

/// What a lock costs that nobody else holds: two locked instructions. Reckoned, not measured.
const LOCK_NS: f64 = 20.0;

/// And if another thread had it last: its cache line comes from another core. Reckoned, too.
const MOVED_LOCK_NS: f64 = 50.0;

/// A table of times: which contender takes how many nanoseconds, on some machine.
///
/// [`Times::committed`] is what the record in this repository says. One of your own machine is
/// written by `amq-bench fit`, and [`parse`](Self::parse)d here.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    date: String,
    processor: String,
    hash_ns_per_byte: f64,
    tails: Vec<Tail>,
    figures: Vec<Figures>,
}

/// What one insert in a thousand exceeds, in a filter of so many keys.
#[derive(Clone, PartialEq, Debug)]
struct Tail {
    contender: String,
    ns: f64,
    keys: u64,
}

/// The rows of one contender, by keys and then by bits of rate.
#[derive(Clone, PartialEq, Debug)]
struct Figures {
    contender: String,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Row {
    keys: u64,
    /// `log2(1 / rate)`.
    bits: f64,
    /// NaN where nothing was measured.
    ns: [f64; OPERATIONS],
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
                "line {line} of the table of times is not `contender,keys,rate` and five times"
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
        Self::parse(include_str!("times.csv")).unwrap_or_else(|_| Self::none())
    }

    /// No times at all: choices are then ranked by size alone.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            date: String::new(),
            processor: String::new(),
            hash_ns_per_byte: 0.0,
            tails: Vec::new(),
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
                let (contender, row) = row(line).ok_or(TimesError { line: number })?;
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
        match name.trim() {
            "date" => self.date = value.to_string(),
            "processor" => self.processor = value.to_string(),
            "insert_p99_9_ns" => {
                self.tails = value.split(", ").filter_map(tail).collect();
            }
            "hash_ns_per_byte" => self.hash_ns_per_byte = value.parse().unwrap_or(0.0),
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

    /// What a byte more of a long key costs to hash.
    pub(super) const fn hash_ns_per_byte(&self) -> f64 {
        self.hash_ns_per_byte
    }

    /// The fewest and the most keys of the filters whose tails were measured.
    pub(super) fn tail_keys(&self) -> Option<(u64, u64)> {
        let keys = || self.tails.iter().map(|tail| tail.keys);
        keys().min().zip(keys().max())
    }

    fn of(&self, contender: &str) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.contender == contender)
    }

    /// The lowest rate that was measured with the next number of entries that was; 1 if none was.
    pub(super) fn lowest_rate(
        &self,
        structure: Structure,
        entries: u64,
        workload: &Workload,
    ) -> f64 {
        let rows = || {
            let figures = self.of(contender(structure, workload)?)?;
            let sizes = figures.sizes();
            let next = sizes.iter().find(|&&size| size >= entries).or(sizes.last());
            figures.rows_at(*next?).last()
        };
        rows().map_or(1.0, |row| libm::exp2(-row.bits))
    }

    /// The times of a structure with this many entries; `None` if nobody has measured it.
    pub(super) fn spent(
        &self,
        structure: Structure,
        entries: u64,
        fpr: f64,
        workload: &Workload,
    ) -> Option<Spent> {
        let name = contender(structure, workload)?;
        let figures = self.of(name)?;
        // A map has no rate, but values of so many bits.
        let of_values = workload.value_bits().filter(|_| structure == Structure::Map);
        let bits = of_values.map_or_else(|| -libm::log2(fpr), f64::from);
        let at = |operation| self.at(figures, operation, entries, bits);
        let absent = workload.absent;
        let ([none, half, all], insert, remove) = ([1, 2, 3].map(at), at(INSERT), at(REMOVE));
        // Through the three measured shares.
        let query = if absent >= 0.5 {
            half + (none - half) * (absent - 0.5) * 2.0
        } else {
            all + (half - all) * absent * 2.0
        };
        let reckoned = !figures.has_measured(entries, bits);
        let remove = (!remove.is_nan()).then_some(remove);
        // In a larger table it is longer by as much as the mean insert is.
        let rise = |keys| (insert / self.at(figures, INSERT, keys, bits)).max(1.0);
        let tail = self.tails.iter().find(|tail| tail.contender == name);
        let tail = tail.map(|tail| tail.ns * rise(tail.keys));
        let spent = Spent { insert, query, remove, tail, reckoned };
        (query.is_finite() && insert.is_finite()).then(|| match structure {
            Structure::Sharded(_) => spent.locked(workload.threads),
            Structure::Periods(_) => spent.rolling(workload, 1.0),
            Structure::Rolling(_) => spent.rolling(workload, workload.absent),
            Structure::ShardedRolling(_) => {
                spent.rolling(workload, workload.absent).locked(workload.threads)
            }
            _ => spent,
        })
    }

    fn at(&self, figures: &Figures, operation: usize, keys: u64, bits: f64) -> f64 {
        let sizes = figures.sizes_of(operation);
        let [.., last] = sizes[..] else {
            return f64::NAN;
        };
        let at = |keys| figures.at(operation, keys, bits);
        if keys <= last {
            let above = sizes.partition_point(|&size| size < keys);
            let (high, low) = (sizes[above], sizes[above.saturating_sub(1)]);
            let share = if high == low { 0.0 } else { log(keys, low) / log(high, low) };
            return at(low) + share * (at(high) - at(low));
        }
        let (Some(yardstick), [.., before, _]) = (self.of(YARDSTICK), &sizes[..]) else {
            return at(last);
        };
        // A yardstick has no removals: they wait for the lines of its inserts. Its queries read one
        // line whatever the answer: of their times the least counts, since noise only adds.
        let line = |keys| match operation {
            INSERT | REMOVE => yardstick.along(INSERT, keys),
            _ => {
                let queries = (INSERT + 1..REMOVE).map(|query| yardstick.along(query, keys));
                queries.fold(f64::INFINITY, f64::min)
            }
        };
        let lines = (at(last) - at(*before)) / (line(last) - line(*before));
        let lines = if lines.is_nan() { 1.0 } else { lines.clamp(0.0, MOST_LINES) };
        at(last) + lines * (line(keys) - line(last)).max(0.0)
    }
}

/// How many times a number is another, as a logarithm.
fn log(keys: u64, of: u64) -> f64 {
    libm::log2(keys as f64 / of as f64)
}

/// A contender, nanoseconds, and the number of keys.
fn tail(text: &str) -> Option<Tail> {
    let mut words = text.split(' ');
    let contender = words.next()?.to_string();
    Some(Tail { contender, ns: words.next()?.parse().ok()?, keys: words.next()?.parse().ok()? })
}

fn row(line: &str) -> Option<(&str, Row)> {
    let mut cells = line.split(',');
    let contender = cells.next().filter(|name| !name.is_empty())?;
    let keys = cells.next()?.parse().ok().filter(|&keys| keys > 0)?;
    let rate: f64 = cells.next()?.parse().ok()?;
    let mut ns = [f64::NAN; OPERATIONS];
    for time in &mut ns {
        let cell = cells.next()?;
        *time = if cell.is_empty() { f64::NAN } else { cell.parse().ok()? };
    }
    let bits = if rate > 0.0 { -libm::log2(rate) } else { 0.0 };
    cells.next().is_none().then_some((contender, Row { keys, bits, ns }))
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

impl Figures {
    /// The numbers of keys, rising.
    fn sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.rows.iter().map(|row| row.keys).collect();
        sizes.dedup();
        sizes
    }

    /// Those at which an operation was measured: removals are not, of the most keys.
    fn sizes_of(&self, operation: usize) -> Vec<u64> {
        let measured =
            |&size: &u64| self.rows_at(size).iter().any(|row| !row.ns[operation].is_nan());
        self.sizes().into_iter().filter(measured).collect()
    }

    fn rows_at(&self, keys: u64) -> &[Row] {
        let from = self.rows.partition_point(|row| row.keys < keys);
        &self.rows[from..self.rows.partition_point(|row| row.keys <= keys)]
    }

    fn has_measured(&self, keys: u64, bits: f64) -> bool {
        // A set has no rate.
        let has_rates = self.rows.iter().any(|row| row.bits > 0.0);
        let mut around = self.sizes().into_iter().filter(|&size| size >= keys);
        around.any(|size| {
            let rows = self.rows_at(size);
            // Exact rates are a little off the round ones that were asked for.
            let low = rows.first().map_or(0.0, |row| row.bits) - 0.5;
            !has_rates || low <= bits && rows.last().is_some_and(|row| bits <= row.bits + 0.5)
        })
    }

    /// At a number of keys that has rows. Beyond their rates time runs as it does where such rates
    /// were measured; beyond those, on as between the first and the last.
    fn at(&self, operation: usize, keys: u64, bits: f64) -> f64 {
        let here = self.rows_at(keys);
        let (low, high) = (bits_of(here.first()), bits_of(here.last()));
        let inside = bits.clamp(low, high);
        let time = between(here, operation, inside);
        if bits == inside {
            return time;
        }
        let wide = self.lender(keys, bits);
        let (first, last) = (bits_of(wide.first()), bits_of(wide.last()));
        let slope = if last > first {
            (between(wide, operation, last) - between(wide, operation, first)) / (last - first)
        } else {
            0.0
        };
        // Where less time was measured at a lower rate, that was noise.
        let slope = slope.max(0.0);
        let on = |bits: f64| {
            let inside = bits.clamp(first, last);
            between(wide, operation, inside) + slope * (bits - inside)
        };
        // However few bits are asked for, hashing and the first line are left.
        (time + on(bits) - on(inside)).max(time / 4.0)
    }

    /// Of no more keys, or of few, the rows whose rates lie around this one; of several those of
    /// the most keys. Where there are none, those with most rates between them.
    fn lender(&self, keys: u64, bits: f64) -> &[Row] {
        let fewer = self.sizes().into_iter().rev().filter(|&size| size <= keys.max(FEW));
        let mut all = fewer.map(|size| self.rows_at(size));
        let span = |rows: &[Row]| bits_of(rows.last()) - bits_of(rows.first());
        let widest = all.clone().max_by(|a, b| span(a).total_cmp(&span(b)));
        let around = |rows: &&[Row]| {
            (bits_of(rows.first()) - 1.0..bits_of(rows.last()) + 1.0).contains(&bits)
        };
        all.find(around).or(widest).unwrap_or(&[])
    }

    /// A yardstick's time at its usual rate; beyond its most keys on as before.
    fn along(&self, operation: usize, keys: u64) -> f64 {
        let sizes = self.sizes();
        let above = sizes.partition_point(|&size| size < keys).min(sizes.len() - 1).max(1);
        let (Some(&low), Some(&high)) = (sizes.get(above - 1), sizes.get(above)) else {
            return f64::NAN;
        };
        let [from, to] = [low, high].map(|keys| self.at(operation, keys, USUAL_BITS));
        from + log(keys, low) / log(high, low) * (to - from)
    }
}

/// `log2(1 / rate)` of 1 %, at which every number of keys was measured.
const USUAL_BITS: f64 = 6.643_856_189_774_724;

fn bits_of(row: Option<&Row>) -> f64 {
    row.map_or(0.0, |row| row.bits)
}

/// Linear in the bits of rate, which lie within the rows'.
fn between(rows: &[Row], operation: usize, bits: f64) -> f64 {
    let above = rows.partition_point(|row| row.bits < bits).min(rows.len() - 1);
    let (low, high) = (rows[above.saturating_sub(1)], rows[above]);
    let share = if high.bits > low.bits { (bits - low.bits) / (high.bits - low.bits) } else { 1.0 };
    low.ns[operation] + share * (high.ns[operation] - low.ns[operation])
}

impl Spent {
    /// Behind a lock that several threads take.
    fn locked(self, threads: u32) -> Self {
        let lock = LOCK_NS + MOVED_LOCK_NS * (1.0 - 1.0 / f64::from(threads));
        Self {
            insert: self.insert + lock,
            query: self.query + lock,
            remove: self.remove.map(|ns| ns + lock),
            tail: self.tail.map(|ns| ns + lock),
            reckoned: true,
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
    use super::*;
    use crate::Keys;
    use alloc::format;

    #[test]
    fn the_committed_table_is_read_and_every_row_is_met_exactly() {
        let times = Times::parse(include_str!("times.csv")).unwrap();
        assert_eq!(format!("{times:?}"), format!("{:?}", Times::committed()));
        assert!(!times.processor().is_empty() && times.date().len() == 10);
        assert!(times.hash_ns_per_byte() > 0.0 && times.figures.len() > 15);
        for figures in &times.figures {
            for row in &figures.rows {
                for operation in (0..OPERATIONS).filter(|&o| !row.ns[o].is_nan()) {
                    let there = times.at(figures, operation, row.keys, row.bits);
                    assert!((there - row.ns[operation]).abs() < 1e-9, "{}", figures.contender);
                }
                assert!(figures.has_measured(row.keys, row.bits), "{}", figures.contender);
            }
        }
    }

    /// Left out, the largest tables are reckoned from the lines of smaller ones; within a half for
    /// every contender and query, and on average within a fifth: 0.09, 0.12 and 0.18 in three
    /// records of one machine, whose pages and neighbours differ from run to run.
    #[test]
    fn what_is_reckoned_beyond_the_table_is_near_what_was_measured_there() {
        let times = Times::committed();
        let largest = |figures: &&Figures| figures.sizes().last() == Some(&100_000_000);
        let (mut off, mut count) = (0.0, 0.0);
        for full in times.figures.iter().filter(largest) {
            if full.contender == YARDSTICK {
                continue;
            }
            let mut less = full.clone();
            less.rows.retain(|row| row.keys < 100_000_000);
            let [.., last] = full.rows[..] else { panic!("{}", full.contender) };
            for (operation, measured) in [1, 2, 3].map(|o| (o, last.ns[o])) {
                let reckoned = times.at(&less, operation, last.keys, last.bits);
                let ratio = reckoned / measured;
                assert!((0.66..1.5).contains(&ratio), "{} {ratio}", full.contender);
                (off, count) = (off + (ratio - 1.0).abs(), count + 1.0);
            }
            assert!(!less.has_measured(last.keys, last.bits));
        }
        assert!(count >= 15.0 && off / count < 0.2, "{off} of {count}");
    }

    #[test]
    fn between_two_rows_time_lies_between_theirs_and_far_beyond_it_is_finite() {
        let times = Times::committed();
        let bloom = times.of("bloom").unwrap();
        let [low, mid, high] =
            [1_000_000, 3_000_000, 10_000_000].map(|keys| times.at(bloom, 2, keys, 6.64));
        assert!(low < mid && mid < high, "{low} {mid} {high}");
        for figures in &times.figures {
            for bits in [0.01, 5.0, 64.0] {
                for operation in 0..OPERATIONS - 1 {
                    let ns = times.at(figures, operation, u64::MAX, bits);
                    assert!(ns.is_finite() && ns > 0.0, "{} {ns}", figures.contender);
                }
            }
        }
    }

    #[test]
    fn a_table_that_is_none_is_refused_with_its_line() {
        for (text, line) in [
            ("", 0),
            ("# date: 2026-01-01\ncontender,keys,rate,build\n", 0),
            ("contender,keys\nbloom,10,0.01,1,2,3,4", 2),
            ("contender,keys\nbloom,0,0.01,1,2,3,4,5", 2),
            ("contender,keys\n,1,0.01,1,2,3,4,5", 2),
            ("contender,keys\nbloom,1,0.01,1,2,3,4,", 0),
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
        assert_eq!(Times::none().spent(filter, 1000, 0.01, &workload), None);
    }
}
