//! What an operation costs in time: a table that the harness measured, between whose rows this
//! interpolates, by the bytes of a table and its rate.
//!
//! Beyond its most bytes, time is reckoned, and marked so.

mod larger;
mod operations;
mod rows;

pub(crate) use operations::{Spent, Table};

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use rows::{Figures, INSERT, Point, QUERIES};

/// The contender that reads one line of memory for each query, and one that writes one for each
/// insert.
const READS: &str = "line-reads";
const WRITES: &str = "blocked-bloom";

/// `log2(1 / rate)` of 1 %, at which every number of keys was measured.
const USUAL_BITS: f64 = 6.643_856_189_774_724;

/// A table of times: which contender takes how many nanoseconds, on some machine.
///
/// `amq-bench fit` writes it from the records of this repository.
#[derive(Clone, PartialEq, Debug)]
pub struct Times {
    date: String,
    processor: String,
    hash_ns_per_byte: f64,
    keyed_ns_per_byte: f64,
    /// What one insert in a thousand exceeds, in a filter of so many keys.
    tails: Vec<Pair>,
    figures: Vec<Figures>,
}

/// A contender and two numbers.
type Pair = (String, [f64; 2]);

impl Times {
    /// The table of this repository's records.
    #[must_use]
    pub fn committed() -> Self {
        // A test parses it.
        Self::parse(include_str!("../times.csv")).unwrap_or_else(Self::none)
    }

    /// No times at all: choices are then ranked by size alone.
    pub(crate) const fn none() -> Self {
        Self {
            date: String::new(),
            processor: String::new(),
            hash_ns_per_byte: 0.0,
            keyed_ns_per_byte: 0.0,
            tails: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Reads a table: lines with `#` that say what was measured, a head, and a row for each
    /// contender, number of keys and rate. `None` if a row cannot be read, or there is none.
    fn parse(text: &str) -> Option<Self> {
        let mut times = Self::none();
        for line in text.lines() {
            if let Some(comment) = line.strip_prefix('#') {
                times.describe(comment);
            } else if !line.starts_with("contender,") {
                let (contender, row) = Figures::row(line)?;
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
        Some(times).filter(|times| !times.figures.is_empty())
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

    /// The fewest and the most keys of the filters whose tails were measured.
    pub(crate) fn tail_keys(&self) -> Option<(u64, u64)> {
        let keys = || self.tails.iter().map(|(_, [_, keys])| *keys as u64);
        keys().min().zip(keys().max())
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
}

fn pair(text: &str) -> Option<Pair> {
    let mut words = text.split(' ');
    let contender = words.next()?.to_string();
    Some((contender, [words.next()?.parse().ok()?, words.next()?.parse().ok()?]))
}

#[cfg(test)]
mod tests {
    use super::rows::{OPERATIONS, Row};
    use super::*;
    use crate::{Keys, Structure, Workload};
    use alloc::format;
    use amq::FilterKind;

    #[test]
    fn the_committed_table_is_read_and_every_row_is_met_exactly() {
        let times = Times::parse(include_str!("../times.csv")).unwrap();
        assert_eq!(format!("{times:?}"), format!("{:?}", Times::committed()));
        assert!(!times.processor().is_empty() && times.date().len() == 10);
        assert!(times.hash_ns_per_byte > 0.0 && times.keyed_ns_per_byte > times.hash_ns_per_byte);
        assert!(times.figures.len() > 20);
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
    /// and query within a half, and within 0.15 on average (0.135; as many tables of 10^7 keys from
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
            let mean = off / count;
            assert!(count >= 27.0 && mean < allowed, "{most} keys: {mean} for {count} times");
        }
    }

    #[test]
    fn between_two_rows_time_lies_between_theirs_and_far_beyond_it_is_finite() {
        let times = Times::committed();
        let bloom = times.of("bloom").unwrap();
        let [low, mid, high] = [1e6, 3e6, 1e7].map(|bytes| times.at(bloom, 2, bytes, 6.64));
        assert!(low < mid && mid < high, "{low} {mid} {high}");
        // Seven lines of memory, and their pages.
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
        assert_eq!(Times::none().spent(filter, table, &workload), None);
    }
}
