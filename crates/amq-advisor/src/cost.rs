//! What an operation costs in time: figures that the harness measured, between which this
//! interpolates.
//!
//! Each contender has points: bytes of the table, and nanoseconds for each operation at that size.
//! In between, time is linear in the logarithm of the bytes, which is how it rises from cache to
//! cache. Below the smallest table it stays constant; beyond a contender's largest one it rises as
//! the classic Bloom filter's does. A rate other than that of the points changes it by a measured
//! amount per bit of `log2(1 / rate)`.
//!
//! Tables up to a million keys come from a committed record ([`record`]); larger ones from a run
//! outside the harness ([`beyond`]), until a record has them.

mod beyond;
mod figures;
mod record;

use crate::{Structure, Workload};
use alloc::vec::Vec;
use amq::FilterKind;
use figures::{Figures, Point};

/// `log2(1 / rate)` of the points.
const BITS: f64 = 6.643_856_189_774_724;

/// What an uncontended lock costs: two locked instructions. Estimated, not measured.
const LOCK_NS: f64 = 20.0;

/// And if another thread had it last, so that its cache line comes from another core. Estimated,
/// too.
const MOVED_LOCK_NS: f64 = 50.0;

/// Where the times come from.
#[must_use]
pub(super) const fn source() -> &'static str {
    record::SOURCE
}

/// Nanoseconds for one operation each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Times {
    pub(super) insert: f64,
    pub(super) query: f64,
    pub(super) remove: Option<f64>,
}

/// The times of a structure of this many bytes; `None` if nobody has measured it.
pub(super) fn times(
    structure: Structure,
    bytes: u64,
    fpr: f64,
    workload: &Workload,
) -> Option<Times> {
    let contender = contender(structure, workload)?;
    let figures = record::FIGURES.iter().find(|figures| figures.contender == contender)?;
    let lock = match structure {
        Structure::Sharded(_) => {
            let others = 1.0 - 1.0 / f64::from(workload.threads);
            LOCK_NS + MOVED_LOCK_NS * others
        }
        _ => 0.0,
    };
    let at = |operation| figures.at(operation, bytes, fpr) + lock;
    let [none, half, all] = [at(1), at(2), at(3)];
    // Interpolates through the three measured shares.
    let absent = workload.absent;
    let query = if absent >= 0.5 {
        half + (none - half) * (absent - 0.5) * 2.0
    } else {
        all + (half - all) * absent * 2.0
    };
    let remove = at(4);
    Some(Times { insert: at(0), query, remove: (!remove.is_nan()).then_some(remove) })
}

/// The harness's name for a structure: the id of its kind. A map is asked as a bumped ribbon filter
/// is.
fn contender(structure: Structure, workload: &Workload) -> Option<&'static str> {
    let kind = match structure {
        Structure::AtomicBloom => return Some("atomic-bloom"),
        Structure::ExactSet => return Some("std-hashset"),
        Structure::Map => FilterKind::BumpedRibbon,
        Structure::Filter(kind) | Structure::Sharded(kind) => kind,
        Structure::AtomicBlockedBloom => return Some("atomic-blocked-bloom"),
        Structure::Nothing => return None,
    };
    let bounded = kind == FilterKind::Scalable && workload.is_bounded_growth();
    Some(if bounded { "scalable-bounded" } else { kind.id() })
}

impl Figures {
    fn at(&self, operation: usize, bytes: u64, fpr: f64) -> f64 {
        let points = self.points();
        let largest = points.last().map_or(0, |&(bytes, _)| bytes);
        let base = if bytes > largest && self.contender != YARDSTICK {
            between(&points, operation, largest) * rise(operation, largest, bytes)
        } else {
            between(&points, operation, bytes)
        };
        let more = self.per_bit[operation] * (-libm::log2(fpr) - BITS);
        // However low the rate's bits, hashing and the first cache line remain.
        (base + more).max(base / 2.0)
    }

    /// The record's points, then those beyond them.
    fn points(&self) -> Vec<Point> {
        let largest = self.points.last().map_or(0, |&(bytes, _)| bytes);
        let of_this = beyond::POINTS.iter().filter(|(name, _)| *name == self.contender);
        let beyond = of_this.map(|&(_, point)| point).filter(|point| point.0 > largest);
        self.points.iter().copied().chain(beyond).collect()
    }
}

/// The contender measured with the largest tables.
const YARDSTICK: &str = "bloom";

/// By how much the yardstick's time rises from one size to a larger one. It has no removals: those
/// are taken to rise as its inserts do.
fn rise(operation: usize, from: u64, to: u64) -> f64 {
    let operation = if operation == 4 { 0 } else { operation };
    let yardstick = record::FIGURES.iter().find(|figures| figures.contender == YARDSTICK);
    yardstick.map_or(1.0, |yardstick| {
        let points = yardstick.points();
        between(&points, operation, to) / between(&points, operation, from)
    })
}

/// Linear in the logarithm of the bytes.
fn between(points: &[Point], operation: usize, bytes: u64) -> f64 {
    let ns = |index: usize| points.get(index).map_or(f64::NAN, |(_, ns)| ns[operation]);
    let above = points.partition_point(|&(size, _)| size <= bytes);
    if above == 0 {
        return ns(0);
    }
    let (Some(&(low, _)), Some(&(high, _))) = (points.get(above - 1), points.get(above)) else {
        return ns(points.len() - 1);
    };
    let share = libm::log2(bytes as f64 / low as f64) / libm::log2(high as f64 / low as f64);
    ns(above - 1) + share * (ns(above) - ns(above - 1))
}

#[cfg(test)]
mod tests {
    use super::figures::OPERATIONS;
    use super::*;
    use crate::{Keys, Need};

    #[test]
    fn measured_kinds_have_times_that_pass_through_the_points() {
        let mut measured = 0;
        for kind in FilterKind::ALL {
            for keys in [Keys::Exactly(100_000), Keys::AtMost(100_000)] {
                let workload = Workload::new(keys).need(Need::Grow);
                let Some(times) = times(Structure::Filter(kind), 100_000, 0.01, &workload) else {
                    continue;
                };
                assert!(times.insert > 0.0 && times.query > 0.0, "{kind}: {times:?}");
                measured += 1;
            }
        }
        // Twice each of the thirteen that the record has.
        assert!(measured >= 26, "{measured}");
        for figures in record::FIGURES {
            for &(bytes, ns) in figures.points {
                for operation in (0..OPERATIONS).filter(|&o| !ns[o].is_nan()) {
                    let there = figures.at(operation, bytes, 0.01);
                    assert!((there - ns[operation]).abs() < 1e-9, "{}", figures.contender);
                }
            }
        }
    }

    #[test]
    fn points_rise_in_bytes_and_belong_to_contenders() {
        for figures in record::FIGURES {
            assert!(figures.points.is_sorted_by(|a, b| a.0 < b.0), "{}", figures.contender);
        }
        for (name, _) in beyond::POINTS {
            assert!(record::FIGURES.iter().any(|figures| figures.contender == *name), "{name}");
        }
        let sorted = |a: &(&str, Point), b: &(&str, Point)| a.0 != b.0 || a.1.0 < b.1.0;
        assert!(beyond::POINTS.is_sorted_by(sorted));
    }

    #[test]
    fn between_two_points_time_lies_between_theirs() {
        let figures = &record::FIGURES[0];
        let (small, large) = (figures.at(2, 100_000_000, 0.01), figures.at(2, 120_000_000, 0.01));
        assert!(small < large, "{small} {large}");
        let end = figures.at(2, u64::MAX, 0.01);
        assert!(end.is_finite() && end >= large);
    }
}
