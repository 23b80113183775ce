//! Times of operations: interpolated, by a table's bytes and rate, between the rows that the
//! harness measured.
//!
//! Times of larger tables are extrapolated, and marked as such.

mod larger;
mod operations;
mod rows;

pub(crate) use operations::{Spent, Table};

use std::sync::LazyLock;

use rows::{Figures, INSERT, Point, QUERIES, Row};

/// The contenders that read one cache line per query, and write one per insert.
const READS: &str = "line-reads";
const WRITES: &str = "blocked-bloom";

/// `log2(1 / rate)` of 1 %, the rate at which every number of keys was measured.
const USUAL_BITS: f64 = 6.643_856_189_774_724;

/// A table of times: nanoseconds per operation of each contender, on one machine.
///
/// `amq-bench times` writes it from the records of this repository.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Times {
    date: String,
    processor: String,
    hash_ns_per_byte: f64,
    keyed_ns_per_byte: f64,
    /// The 99.9th percentile of insert times, and the number of keys it was measured with.
    tails: Vec<Pair>,
    figures: Vec<Figures>,
}

/// A contender and two numbers.
type Pair = (String, [f64; 2]);

impl Times {
    /// The table computed from this repository's records.
    #[must_use]
    pub fn committed() -> &'static Self {
        &Self::machines()[0]
    }

    /// A table for each machine in this repository's records; the first is
    /// [`committed`](Self::committed). Answers use the same table on all machines, and quote the
    /// others beside it.
    pub(crate) fn machines() -> &'static [Self] {
        // A test checks that they parse.
        static TIMES: LazyLock<Vec<Times>> = LazyLock::new(|| {
            let tables = include_str!("../times.csv").split("\n\n").map(Times::parse);
            tables.map(Option::unwrap_or_default).collect()
        });
        &TIMES
    }

    /// Parses a table: `#` lines that describe the measurement, a header, and a row for each
    /// contender, number of keys and rate, in this order. `None` if a row is invalid, or there is
    /// none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let told = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix("# ")?.strip_prefix(name));
            line.unwrap_or_default()
        };
        let number = |name| told(name).parse().unwrap_or(0.0);
        let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1).map(Figures::row);
        let rows: Vec<(&str, Row)> = rows.collect::<Option<_>>()?;
        let figures = rows.chunk_by(|a, b| a.0 == b.0).map(|rows| Figures {
            contender: rows[0].0.to_string(),
            rows: rows.iter().map(|&(_, row)| row).collect(),
        });
        (!rows.is_empty()).then(|| Self {
            date: told("date: ").to_string(),
            processor: told("processor: ").to_string(),
            hash_ns_per_byte: number("hash_ns_per_byte: "),
            keyed_ns_per_byte: number("keyed_ns_per_byte: "),
            tails: told("insert_p99_9_ns_and_keys: ").split(", ").filter_map(pair).collect(),
            figures: figures.collect(),
        })
    }

    /// The day of the measurement.
    #[must_use]
    pub fn date(&self) -> &str {
        &self.date
    }

    /// The processor that the times were measured on.
    #[must_use]
    pub fn processor(&self) -> &str {
        &self.processor
    }

    fn of(&self, contender: &str) -> Option<&Figures> {
        self.figures.iter().find(|figures| figures.contender == contender)
    }

    fn at(&self, figures: &Figures, operation: usize, bytes: f64, bits: f64) -> f64 {
        let points = figures.points(operation, bits);
        let above = points.partition_point(|point| point.bytes < bytes);
        match (above.checked_sub(1), points.get(above)) {
            (Some(low), Some(&high)) => Point::on_line(points[low], high, bytes),
            (None, Some(smallest)) => smallest.ns,
            (_, None) => larger::in_larger_table(&points, bytes, &self.yardstick(operation)),
        }
    }

    /// The yardstick of an operation. Queries read a line whatever the answer, so the mean of the
    /// three shares is used; removals wait like inserts.
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
}

fn pair(text: &str) -> Option<Pair> {
    let mut words = text.split(' ');
    let contender = words.next()?.to_string();
    Some((contender, [words.next()?.parse().ok()?, words.next()?.parse().ok()?]))
}

#[cfg(test)]
mod tests {
    use super::rows::OPERATIONS;
    use super::*;
    use crate::{Keys, Structure, Workload};
    use amq::FilterKind;

    #[test]
    fn the_committed_table_is_read_and_every_row_is_met_exactly() {
        Times::machines().iter().for_each(is_met_exactly);
    }

    fn is_met_exactly(times: &Times) {
        assert!(!times.processor().is_empty() && times.date().len() == 10);
        assert!(times.hash_ns_per_byte > 0.0 && times.keyed_ns_per_byte > times.hash_ns_per_byte);
        assert!(times.figures.len() > 20);
        let mut contenders: Vec<&str> = times.figures.iter().map(|it| &*it.contender).collect();
        contenders.sort_unstable();
        contenders.dedup();
        assert_eq!(contenders.len(), times.figures.len(), "rows of a contender stand together");
        for figures in &times.figures {
            let order = |row: &Row| (row.keys, row.bits);
            assert!(figures.rows.is_sorted_by_key(order), "{}", figures.contender);
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

    /// Leaves out the largest tables and extrapolates them from smaller ones: each contender and
    /// query is within a half, and within 0.15 on average (0.135; the same for tables of 10^7 keys,
    /// from those of up to 10^6, which fit the nearest caches: within 0.3).
    #[test]
    fn estimates_beyond_the_table_are_near_measurements() {
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
            let mean = off / count;
            assert!(count >= 27.0 && mean < allowed, "{most} keys: {mean} for {count} times");
        }
    }

    #[test]
    fn between_two_rows_time_lies_between_theirs() {
        let times = Times::committed();
        let bloom = times.of("bloom").unwrap();
        let [low, mid, high] = [1e6, 3e6, 1e7].map(|bytes| times.at(bloom, 2, bytes, 6.64));
        assert!(low < mid && mid < high, "{low} {mid} {high}");
        // Seven cache lines, and their page tables.
        assert!(times.at(bloom, 2, 1e12, 6.64) < 2000.0);
        for figures in times.figures.iter().filter(|figures| figures.contender != READS) {
            for bits in [0.01, 5.0, 64.0] {
                for operation in 0..OPERATIONS - 1 {
                    let ns = times.at(figures, operation, u64::MAX as f64, bits);
                    assert!(ns.is_finite() && ns > 0.0, "{} {ns}", figures.contender);
                }
            }
        }
    }

    #[test]
    fn a_table_that_cannot_be_read_is_none() {
        for text in [
            "",
            "# date: 2026-01-01\ncontender,keys,rate,build\n",
            "contender,keys\nbloom,10,0.01,12,1,2,3,4",
            "contender,keys\nbloom,0,0.01,12,1,2,3,4,5",
            "contender,keys\nbloom,1,0.01,0,1,2,3,4,5",
            "contender,keys\n,1,0.01,12,1,2,3,4,5",
        ] {
            assert_eq!(Times::parse(text), None, "{text}");
        }
        assert!(Times::parse("contender,keys\nbloom,1,0.01,12,1,2,3,4,").is_some());
        let workload = Workload::new(Keys::AtMost(1000));
        let filter = Structure::Filter(FilterKind::Bloom);
        let table = Table { keys: 1000, bytes: 1200, fpr: 0.01 };
        assert_eq!(Times::default().spent(filter, table, &workload), None);
    }
}
