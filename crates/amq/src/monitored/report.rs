//! What was seen, and what to think of it.

use super::counts::{Counts, Seen};
use super::interval::interval;
use amq_core::{Filter, Stats};
use core::fmt;

/// What a watched filter did so far; see [`Monitored::report`](super::Monitored::report).
///
/// The numbers of queries are estimates where one in 64 is counted: of `n`, right to within
/// `8 sqrt(n)` in two cases of three.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// How the filter stands.
    pub stats: Stats,
    /// The false-positive rate it was planned for.
    pub planned_fpr: f64,
    /// The number of queries.
    pub queries: u64,
    /// Queries that were answered "probably".
    pub positives: u64,
    /// Queries that were answered "certainly not": reads that were saved.
    pub reads_saved: u64,
    /// Positives that were reported to be false.
    pub false_positives: u64,
    /// False positives over all queries for absent keys; NaN before the first of these.
    pub observed_fpr: f64,
    /// The rates that the counts are compatible with: 99.9 % confidence.
    pub interval: (f64, f64),
    /// How often a key of the false positives was asked for, over how often another absent key was:
    /// about 1 if chance picks the false positives, large if they are replayed.
    pub repetition: f64,
    /// What to think of it.
    pub verdict: Verdict,
}

/// The repetition above which false positives are replayed. Each of its two sketches errs by 6.5 %.
const REPLAYED: f64 = 1.5;

/// What the observed rate says about a filter and those who query it.
///
/// Decided by the first of these that holds, where `low` and `high` are the ends of the observed
/// rate's interval, `planned` is the rate planned, and `explained` the larger of that and the
/// filter's own expectation at its present load:
///
/// | verdict | if |
/// | --- | --- |
/// | hostile | `low > 2 explained`; or `low > explained` and repetition above 1.5 |
/// | overfull | `low > 2 planned` |
/// | unlucky | `low > explained` |
/// | as planned | `high <= 2 planned` |
/// | too early | else |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The filter errs no more often than twice the rate planned, nor than its load explains.
    AsPlanned,
    /// It errs more than twice as often as planned, because it holds more keys than planned: its
    /// load explains the rate. Build a larger one.
    Overfull,
    /// It errs more often than its load explains, by less than twice, and its false positives are
    /// asked for no more often than other keys: by chance the absent keys that are asked for fall
    /// on this seed's false positives. Another seed changes which; if it does not help, the keys
    /// are not hashed well.
    Unlucky,
    /// Chance does not explain the queries. Either the rate is more than twice what the load
    /// explains: somebody prepared keys for this seed, or keys collide in their hashes. Or it is
    /// higher than explained because its false positives are asked for again and again, half again
    /// as often as other absent keys or more: somebody replays them. (One absent key that is very
    /// popular and a false positive by chance looks the same, and costs the same.) Rebuild with a
    /// secret seed, and remember the false positives that were found.
    Hostile,
    /// Too few queries for absent keys to exclude that the rate is twice the one planned.
    TooEarly,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 5] =
        [Self::AsPlanned, Self::Overfull, Self::Unlucky, Self::Hostile, Self::TooEarly];

    pub(super) fn of(interval: (f64, f64), planned: f64, load: f64, repetition: f64) -> Self {
        let (low, high) = interval;
        // A rate that is not a number explains nothing.
        let explained = planned.max(load);
        if low > 2.0 * explained || (low > explained && repetition > REPLAYED) {
            Self::Hostile
        } else if low > 2.0 * planned {
            Self::Overfull
        } else if low > explained {
            Self::Unlucky
        } else if high <= 2.0 * planned {
            Self::AsPlanned
        } else {
            Self::TooEarly
        }
    }

    /// The verdict in one or two words, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AsPlanned => "as planned",
            Self::Overfull => "overfull",
            Self::Unlucky => "unlucky",
            Self::Hostile => "hostile",
            Self::TooEarly => "too early",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Report {
    /// `weight` is how many queries a counted one stands for.
    pub(super) fn new(filter: &impl Filter, planned: f64, counts: &Counts, weight: u64) -> Self {
        let stats = filter.stats();
        let Seen { negative, positive, false_positive, repetition } = counts.seen();
        let reads_saved = negative.saturating_mul(weight);
        // Given how many were counted in all, the false positives among them are binomial: their
        // odds are those of the rate, times the weight of a negative answer.
        let counted = negative.saturating_add(false_positive);
        let rate = |share: f64| share / (share + (1.0 - share) * weight as f64);
        let (low, high) = interval(false_positive, counted);
        let interval = (rate(low), rate(high));
        Self {
            stats,
            planned_fpr: planned,
            queries: reads_saved.saturating_add(positive.saturating_mul(weight)),
            positives: positive.saturating_mul(weight),
            reads_saved,
            false_positives: false_positive,
            observed_fpr: rate(false_positive as f64 / counted as f64),
            interval,
            repetition,
            verdict: Verdict::of(interval, planned, stats.expected_fpr, repetition),
        }
    }

    /// The share of queries for keys that were there; NaN without queries.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        let hits = self.positives.saturating_sub(self.false_positives);
        hits as f64 / self.queries as f64
    }

    /// The share of queries that needed no read; NaN without queries.
    #[must_use]
    pub fn saved_share(&self) -> f64 {
        self.reads_saved as f64 / self.queries as f64
    }
}

/// One line, as for a log.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} queries, {} reads saved, {} false positives: rate {:.2e} ({:.2e} to {:.2e}), planned \
             {:.2e}, expected now {:.2e}: {}",
            self.stats.kind,
            self.queries,
            self.reads_saved,
            self.false_positives,
            self.observed_fpr,
            self.interval.0,
            self.interval.1,
            self.planned_fpr,
            self.stats.expected_fpr,
            self.verdict
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_verdicts() {
        let of = |low, high, load, repetition| Verdict::of((low, high), 0.01, load, repetition);
        for (interval, load, repetition, verdict) in [
            ((0.009, 0.011), 0.01, 1.0, Verdict::AsPlanned),
            ((0.0, 0.02), 0.001, 9.0, Verdict::AsPlanned),
            ((0.014, 0.016), 0.015, 1.0, Verdict::AsPlanned),
            ((0.0, 1.0), 0.01, 0.0, Verdict::TooEarly),
            ((0.009, 0.021), 0.01, 1.0, Verdict::TooEarly),
            ((0.012, 0.021), 0.01, 1.0, Verdict::Unlucky),
            ((0.012, 0.014), 0.005, 1.4, Verdict::Unlucky),
            ((0.012, 0.014), 0.01, 1.6, Verdict::Hostile),
            ((0.021, 0.023), 0.01, 1.0, Verdict::Hostile),
            ((0.021, 0.023), 0.022, 1.0, Verdict::Overfull),
            ((0.021, 0.023), 0.015, 1.0, Verdict::Overfull),
            ((0.031, 0.033), 0.015, 1.0, Verdict::Hostile),
            ((0.012, 0.014), f64::NAN, 1.0, Verdict::Unlucky),
        ] {
            let (low, high) = interval;
            assert_eq!(of(low, high, load, repetition), verdict, "{interval:?} at {load}");
        }
    }
}
