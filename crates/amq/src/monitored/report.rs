//! The report of a monitored filter, and its verdict.

use super::counts::Counts;
use alloc::string::{String, ToString};
use amq_core::{Filter, Stats};
use core::fmt;

/// The normal deviate of a two-sided interval of 99.9 %.
const DEVIATE: f64 = 3.290_526_731_491_926;

/// The counts of a monitored filter; see [`Monitored::report`](super::Monitored::report).
///
/// If one query in 64 is counted, numbers of queries are estimates: `n` has a standard deviation of
/// `8 sqrt(n)`.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The filter's keys, memory and load.
    pub stats: Stats,
    /// The false-positive rate it was planned for.
    pub planned_fpr: f64,
    /// The number of queries since the start.
    pub queries: u64,
    /// Queries answered "probably", since the start.
    pub positives: u64,
    /// Queries answered "certainly not", since the start: reads that were saved.
    pub reads_saved: u64,
    /// Positives that were reported as false, since the start.
    pub false_positives: u64,
    /// Recent queries for absent keys, on which `observed_fpr` and `interval` are based.
    pub recent_absent: u64,
    /// False positives over recent queries for absent keys; NaN before the first of these.
    pub observed_fpr: f64,
    /// The 99.9 % confidence interval of the rate.
    pub interval: (f64, f64),
    /// The verdict; `None` as long as the interval allows for more than one.
    pub verdict: Option<Verdict>,
}

/// Whether a filter works as planned, and what to do if not.
///
/// The first row that holds, where `low` and `high` are the ends of [`Report::interval`]:
///
/// | verdict | if |
/// | --- | --- |
/// | overfull | the filter expects more than twice the planned rate; or more than the planned rate, and it holds more keys than its capacity |
/// | worse than planned | `low >= 2 planned` |
/// | as planned | `high <= 2 planned` |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Verdict {
    /// The recent rate is at most twice the planned one.
    AsPlanned,
    /// The table is too full for the planned rate, by its own [`Filter::expected_fpr`], even if no
    /// false positive was reported. Build a larger filter.
    Overfull,
    /// The recent rate is at least twice the planned one, although the table is not too full:
    /// somebody replays false positives, a popular absent key is one, or hashes of keys collide.
    /// Rebuild under another seed, or a secret key if strangers choose the keys.
    WorseThanPlanned,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 3] = [Self::AsPlanned, Self::Overfull, Self::WorseThanPlanned];

    fn of(planned: f64, stats: &Stats, (low, high): (f64, f64)) -> Option<Self> {
        let Stats { len, capacity, expected_fpr, .. } = *stats;
        let twice = 2.0 * planned;
        if expected_fpr > twice || (len > capacity && expected_fpr > planned) {
            Some(Self::Overfull)
        } else if low >= twice {
            Some(Self::WorseThanPlanned)
        } else if high <= twice {
            Some(Self::AsPlanned)
        } else {
            None
        }
    }
}

/// One to three words, in lower case.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsPlanned => "as planned",
            Self::Overfull => "overfull",
            Self::WorseThanPlanned => "worse than planned",
        })
    }
}

impl Report {
    pub(super) fn new(filter: &impl Filter, planned_fpr: f64, counts: &Counts) -> Self {
        let stats = filter.stats();
        let (reads_saved, positives, false_positives) = counts.totals();
        let (negative, hits) = counts.recent();
        let absent = hits.saturating_add(negative.saturating_mul(counts.weight));
        let interval = interval(hits, negative, counts.weight);
        Self {
            stats,
            planned_fpr,
            queries: reads_saved.saturating_add(positives),
            positives,
            reads_saved,
            false_positives,
            recent_absent: absent,
            observed_fpr: hits as f64 / absent as f64,
            interval,
            verdict: Verdict::of(planned_fpr, &stats, interval),
        }
    }

    /// The share of queries for present keys, since the start; NaN without queries.
    #[must_use]
    pub fn hit_rate(&self) -> f64 {
        let hits = self.positives.saturating_sub(self.false_positives);
        hits as f64 / self.queries as f64
    }
}

/// One line, for a log.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stats, queries, reads_saved, false_positives, planned_fpr, .. } = self;
        let (observed, (low, high)) = (self.observed_fpr, self.interval);
        let (expected, used) = (stats.expected_fpr, 100.0 * stats.load_factor);
        let verdict =
            self.verdict.map_or(String::from("too early to tell"), |verdict| verdict.to_string());
        write!(
            f,
            "{}: {queries} queries, {reads_saved} reads saved, {false_positives} false positives; \
             recent rate {observed:.2e} ({low:.2e} to {high:.2e}), planned {planned_fpr:.2e}, \
             expected now {expected:.2e}; {used:.0} % of its memory in use: {verdict}",
            stats.kind
        )
    }
}

/// The rates that are compatible with these false positives among negative answers, each of which
/// stands for `weight` of them: the interval of Clopper and Pearson (*Biometrika* 26, 1934), by
/// Paulson's approximation of the quantiles of F (*Annals of Mathematical Statistics* 13, 1942).
fn interval(hits: u64, negative: u64, weight: u64) -> (f64, f64) {
    let (hits, negative) = (hits as f64, negative as f64);
    let rate = |odds: f64| 1.0 / (1.0 + weight as f64 / odds);
    let low = hits / (negative + 1.0) / quantile(negative + 1.0, hits);
    let high = (hits + 1.0) / negative * quantile(hits + 1.0, negative);
    (rate(low), rate(high))
}

/// The 0.9995 quantile of F with `2 above` and `2 below` degrees of freedom.
fn quantile(above: f64, below: f64) -> f64 {
    // The cube roots of the means are almost normal, with these variances.
    let (over, under) = (1.0 / (9.0 * above), 1.0 / (9.0 * below));
    let square = DEVIATE * DEVIATE;
    let (top, bottom) = ((1.0 - over).powi(2), (1.0 - under).powi(2));
    let whole = bottom - square * under;
    // Also if there are no counts.
    if !(below > 0.0 && whole > 0.0) {
        return f64::INFINITY;
    }
    let spread = DEVIATE * (top * under + bottom * over - square * over * under).sqrt();
    (((top * bottom).sqrt() + spread) / whole).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probability of `hits` or fewer in `trials`.
    fn at_most(hits: u64, trials: u64, share: f64) -> f64 {
        if hits == trials {
            return 1.0;
        } else if 2 * hits > trials {
            return 1.0 - at_most(trials - hits - 1, trials, 1.0 - share);
        }
        let mut term = (trials as f64 * (-share).ln_1p()).exp();
        let mut sum = term;
        for i in 0..hits {
            term *= (trials - i) as f64 / (i + 1) as f64 * share / (1.0 - share);
            sum += term;
        }
        sum
    }

    /// A miss of one in two thousand on either side, and less if there are few events.
    #[test]
    fn the_interval_misses_as_often_as_it_says() {
        for hits in [0u64, 1, 2, 3, 5, 10, 30, 100, 400] {
            for negative in [3u64, 10, 50, 1000, 100_000, 1 << 50] {
                let (low, high) = interval(hits, negative, 1);
                let trials = hits + negative;
                let above = if hits == 0 { 0.0 } else { 1.0 - at_most(hits - 1, trials, low) };
                let below = at_most(hits, trials, high);
                let least = if hits >= 10 && negative >= 50 { 0.0004 } else { 0.0 };
                let told = least..=0.000_501;
                assert!(told.contains(&above), "{hits}, {negative}: {above}");
                assert!(told.contains(&below), "{hits}, {negative}: {below}");
                // A negative answer that represents several divides the odds.
                let odds = |rate: f64| rate / (1.0 - rate);
                let (lower, upper) = interval(hits, negative, 64);
                assert!((64.0 * odds(lower) - odds(low)).abs() <= 1e-6 * odds(low));
                assert!((64.0 * odds(upper) - odds(high)).abs() <= 1e-6 * odds(high));
            }
        }
    }

    #[test]
    fn any_counts_give_an_interval_around_the_rate() {
        assert_eq!(interval(0, 0, 64), (0.0, 1.0));
        for hits in [0, 1, 2, 511, 2000, u64::MAX / 2, u64::MAX] {
            for negative in [0, 1, 2, 3, 100, 1 << 40, u64::MAX] {
                let (low, high) = interval(hits, negative, 64);
                let rate = hits as f64 / (hits as f64 + 64.0 * negative as f64);
                assert!(low >= 0.0 && high <= 1.0, "{hits}, {negative}: {low} {high}");
                let around = (low <= rate * (1.0 + 1e-12)) && (high >= rate * (1.0 - 1e-12));
                assert!(around || rate.is_nan(), "{hits}, {negative}: {low} {high}");
            }
        }
    }
}
