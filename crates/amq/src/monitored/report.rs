//! What was seen, and what to think of it.

use super::counts::{Counts, Keys, Seen};
use super::interval::{ALARM, Confidence, USUAL, interval};
use super::sketch::ERROR;
use super::verdict::{Evidence, Verdict};
use amq_core::{Filter, Stats};
use core::fmt;

/// What a watched filter did; see [`Monitored::report`](super::Monitored::report).
///
/// The numbers of queries are estimates where one in 64 is counted: of `n`, right to within
/// `8 sqrt(n)` in two cases of three. Those of different keys are right to within a twentieth.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// How the filter stands.
    pub stats: Stats,
    /// The false-positive rate it was planned for.
    pub planned_fpr: f64,
    /// The number of queries since the beginning.
    pub queries: u64,
    /// Queries that were answered "probably", since the beginning.
    pub positives: u64,
    /// Queries that were answered "certainly not", since the beginning: reads that were saved.
    pub reads_saved: u64,
    /// Positives that were reported to be false, since the beginning.
    pub false_positives: u64,
    /// Recent queries for absent keys: those that `observed_fpr` and all that follows is about.
    pub recent_absent: u64,
    /// False positives over recent queries for absent keys; NaN before the first of these.
    pub observed_fpr: f64,
    /// The rates that these counts are compatible with, were no key more popular than others:
    /// 99.9 % confidence.
    pub interval: (f64, f64),
    /// The number of different absent keys that were asked for recently.
    pub absent_keys: u64,
    /// The share of them that are false positives, however often each was asked for; NaN without
    /// any.
    pub key_fpr: f64,
    /// The rates that these counts are compatible with, whatever keys are popular: 99.9 %
    /// confidence.
    pub key_interval: (f64, f64),
    /// How often a key of the false positives was asked for, over how often another absent key was:
    /// about 1 if chance picks the false positives, large if some are popular or replayed.
    pub repetition: f64,
    /// What to think of it.
    pub verdict: Verdict,
}

/// The rates that are compatible with these false positives among negative answers, each of which
/// stands for `weight` of them.
///
/// Given how many were counted in all, the false positives among them are binomial: their odds are
/// those of the rate, times the weight of a negative answer.
fn rates(sure: Confidence, hits: f64, negative: f64, weight: f64) -> (f64, f64) {
    let (low, high) = interval(sure, hits.round() as u64, (hits + negative).round() as u64);
    let rate = |share: f64| share / (share + (1.0 - share) * weight);
    (rate(low), rate(high))
}

/// Limits of the rate for numbers that two sketches estimate. Their errors and chance add in
/// quadrature.
fn key_rates(sure: Confidence, keys: Keys, weight: f64) -> (f64, f64) {
    let (low, high) = rates(sure, keys.false_positive, keys.negative, weight);
    let rate = keys.false_positive / (keys.false_positive + keys.negative * weight);
    let sketched = sure.deviate * ERROR * core::f64::consts::SQRT_2;
    let widened = |end: f64| {
        let own = (end / rate).ln().abs();
        match own.is_finite() {
            true => own.hypot(sketched) - own,
            false => sketched,
        }
    };
    (low * (-widened(low)).exp(), (high * widened(high).exp()).min(1.0))
}

impl Report {
    /// `weight` is how many queries a counted one stands for, and how many keys a watched one.
    pub(super) fn new(filter: &impl Filter, planned: f64, counts: &Counts, weight: u64) -> Self {
        let stats = filter.stats();
        let seen = counts.seen();
        let Seen { recent_negative, recent_false, keys, sampled, .. } = seen;
        let times = weight as f64;
        let (negative, hits) = (recent_negative as f64, recent_false as f64);
        let interval = rates(USUAL, hits, negative, times);
        let key_interval = key_rates(USUAL, keys, times);
        // Many different keys show in all of them, a few popular ones in the sample.
        let alarm = key_rates(ALARM, keys, times).0.max(key_rates(ALARM, sampled, 1.0).0);
        let each = |count: f64, keys: f64| if count > 0.0 { count / keys.max(1.0) } else { 0.0 };
        let other = each(negative * times, keys.negative * times).max(1.0);
        let repetition = each(hits, keys.false_positive) / other;
        let absent_keys = keys.false_positive + keys.negative * times;
        let reads_saved = seen.negative.saturating_mul(weight);
        let positives = seen.positive.saturating_mul(weight);
        let mut report = Self {
            stats,
            planned_fpr: planned,
            queries: reads_saved.saturating_add(positives),
            positives,
            reads_saved,
            false_positives: seen.false_positive,
            recent_absent: recent_negative.saturating_mul(weight).saturating_add(recent_false),
            observed_fpr: hits / (hits + negative * times),
            interval,
            absent_keys: absent_keys.round() as u64,
            key_fpr: keys.false_positive / absent_keys,
            key_interval,
            repetition,
            verdict: Verdict::TooEarly,
        };
        report.verdict = Verdict::of(Evidence {
            planned,
            load: stats.expected_fpr,
            overfull: report.overfull(),
            queries: interval,
            keys: (alarm, key_interval.1),
            repetition,
        });
        report
    }

    /// Whether the table says that it is overfull, whatever was reported: it holds more keys than
    /// it was planned for and errs more often than planned, or it errs more than twice as often as
    /// planned. The verdict is then never "as planned".
    #[must_use]
    pub fn overfull(&self) -> bool {
        let Stats { len, capacity, expected_fpr, .. } = self.stats;
        let above = len > capacity && expected_fpr > self.planned_fpr;
        above || expected_fpr > 2.0 * self.planned_fpr
    }

    /// The share of queries for keys that were there, since the beginning; NaN without queries.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        let hits = self.positives.saturating_sub(self.false_positives);
        hits as f64 / self.queries as f64
    }

    /// The share of queries that needed no read, since the beginning; NaN without queries.
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
            "{}: {} queries, {} reads saved, {} false positives; recent rate {:.2e} ({:.2e} to {:.2e}), \
             of different keys {:.2e} ({:.2e} to {:.2e}), planned {:.2e}, expected now {:.2e}: {}",
            self.stats.kind,
            self.queries,
            self.reads_saved,
            self.false_positives,
            self.observed_fpr,
            self.interval.0,
            self.interval.1,
            self.key_fpr,
            self.key_interval.0,
            self.key_interval.1,
            self.planned_fpr,
            self.stats.expected_fpr,
            self.verdict
        )
    }
}
