//! A filter that is watched while it works: how often it errs, what it saves, and whether that is
//! what was planned.
//!
//! # What is counted
//!
//! A filter cannot know that a "probably" was wrong; whoever looks the key up afterwards does, and
//! [reports it back](Monitored::report_false_positive). So of each query it is known whether it was
//! *negative* (a read saved), and of each report that the key was *absent*. The observed rate is
//!
//! ```text
//!             false positives reported
//!   ------------------------------------------
//!   negative answers + false positives reported
//! ```
//!
//! which estimates the rate of absent keys whatever their share of the queries. A false positive
//! that is not reported passes for a key that is there: report all of them, or expect a rate too
//! low.
//!
//! A popular key is many queries and one key. So the *different* keys are counted, too, by eight
//! sketches of 2 KB: how many of the different absent keys are false positives, of all
//! that were asked for, and of those in a sample of the queries, where popular ones are. Chance
//! decides that for each key once, however often it comes.
//!
//! The rates are those of recent queries: of the present epoch and the one before it. An epoch goes
//! on for as many queries for absent keys as give 1,024 false positives at the rate planned. So a
//! filter that goes wrong after a good year is noticed within an epoch, and one that is right again
//! after two.
//!
//! # What watching costs
//!
//! Negative and positive answers are counted for one query in [`SAMPLED`], picked at random: each
//! thread counts down a number of its own, geometrically distributed, and touches the shared
//! counters only when it comes to zero. The countdown takes a few instructions and no cache line
//! that another thread writes. All queries have the same chance, so a key that makes up half of
//! them does so in the sample. Reports of false positives are all counted; each follows a read that
//! was in vain, which cost more.
//!
//! Of the different keys that were denied, those are counted whose hash says so, one in
//! [`SAMPLED`]: a key is among them whenever it comes, or never. A key that came before writes
//! nothing.
//!
//! # The verdict
//!
//! [`Verdict`] compares the intervals of both rates with two numbers: the rate *planned*, and the
//! rate *explained*, which is the larger of the planned one and [`Filter::expected_fpr`] at the
//! filter's present load. That a filter is overfull its table says, even if nobody reports a false
//! positive: [`Report::overfull`].

mod counts;
mod forward;
mod interval;
mod metrics;
mod report;
mod sample;
mod sketch;
mod verdict;

pub use metrics::{Metrics, MetricsError};
pub use report::Report;
pub use sample::{SAMPLED, restart_sampling};
pub use verdict::Verdict;

use amq_core::{Filter, FilterExt, Key, KeyHash, PlanError};
use counts::Counts;

/// A filter with counters for what it answers.
///
/// ```
/// use amq::monitored::{Monitored, Verdict};
/// use amq::{CuckooFilter, Goal, InsertExt};
/// use std::collections::HashSet;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let slow_store: HashSet<u64> = (0..10_000).collect();
/// let plan = CuckooFilter::plan(Goal::fpr(10_000, 0.01))?;
/// let mut filter = CuckooFilter::new(plan)?;
/// filter.try_extend(&slow_store)?;
///
/// let filter = Monitored::new(filter, plan.expected_fpr)?;
/// for key in 0..1_000_000u64 {
///     if filter.contains(&key) && !slow_store.contains(&key) {
///         filter.report_false_positive(&key);
///     }
/// }
/// let report = filter.report();
/// assert_eq!(report.verdict, Verdict::AsPlanned);
/// assert!(report.reads_saved > 900_000);
/// println!("{report}");
/// # Ok(())
/// # }
/// ```
///
/// With `EVERY` it counts every query; see [`counting_every_query`](Self::counting_every_query).
///
/// Under a secret key it is wrapped in [`Keyed`](amq_core::Keyed), and false positives are reported
/// by the hash that this makes of a key:
///
/// ```
/// use amq::monitored::Monitored;
/// use amq::{CuckooFilter, Goal, Keyed, SipKey};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let random = || [7; 16];
/// let key = SipKey::new(random()); // 16 bytes from the operating system
/// let filter = CuckooFilter::new(Goal::fpr(10_000, 0.01))?;
/// let mut seen = Keyed::of(Monitored::new(filter, 0.01)?, key);
/// seen.insert("a key")?;
/// if seen.contains("another") {
///     seen.get_ref().report_false_positive_hash(seen.key_hash("another"));
/// }
/// println!("{}", seen.get_ref().report());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Monitored<F, const EVERY: bool = false> {
    filter: F,
    planned_fpr: f64,
    counts: Counts,
}

impl<F: Filter> Monitored<F> {
    /// Watches a filter that was planned for this false-positive rate: the plan's `expected_fpr`,
    /// or the rate asked for.
    pub fn new(filter: F, planned_fpr: f64) -> Result<Self, PlanError> {
        if !(planned_fpr > 0.0 && planned_fpr < 1.0) {
            return Err(PlanError::Fpr { fpr: planned_fpr });
        }
        Ok(Self { filter, planned_fpr, counts: Counts::new(planned_fpr, SAMPLED) })
    }

    /// Counts every query instead of one in [`SAMPLED`]: for tests, and where queries are few. A
    /// query then costs two more additions to memory that all threads share. Begins anew.
    #[must_use]
    pub fn counting_every_query(self) -> Monitored<F, true> {
        let Self { filter, planned_fpr, .. } = self;
        Monitored { filter, planned_fpr, counts: Counts::new(planned_fpr, 1) }
    }
}

impl<F: Filter, const EVERY: bool> Monitored<F, EVERY> {
    /// Whether `key` is probably in the filter; `false` is certain.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// Notes a key that was denied, if it is one of those that are watched.
    #[inline]
    fn note(&self, hash: KeyHash, found: bool) {
        if !found && (EVERY || sample::is_watched(hash)) {
            self.counts.denied(hash);
        }
    }

    /// Reports that the filter answered `true` to a query for this key, which then was not there.
    ///
    /// The key is hashed under the filter's seed. Where the filter is
    /// [`Keyed`](amq_core::Keyed), that is not the hash that was asked for: use
    /// [`report_false_positive_hash`](Self::report_false_positive_hash) with
    /// [`Keyed::key_hash`](amq_core::Keyed::key_hash), as [above](Self).
    pub fn report_false_positive<K: Key + ?Sized>(&self, key: &K) {
        self.report_false_positive_hash(key.key_hash(self.filter.seed()));
    }

    /// Reports that `true` was wrong for the key with this hash; see
    /// [`report_false_positive`](Self::report_false_positive).
    pub fn report_false_positive_hash(&self, hash: KeyHash) {
        let sampled = EVERY || sample::due();
        self.counts.was_false(hash, sampled);
    }

    /// What was seen so far, and what to think of it. Asks the filter for its present rate, which
    /// may read the whole table.
    #[must_use]
    pub fn report(&self) -> Report {
        let weight = if EVERY { 1 } else { SAMPLED };
        Report::new(&self.filter, self.planned_fpr, &self.counts, weight)
    }

    /// Begins anew, totals included.
    pub fn reset(&self) {
        self.counts.reset();
    }

    /// Watches another filter instead, planned for the same rate: one that was rebuilt. Returns the
    /// one before.
    ///
    /// The totals go on, as counters of a page of metrics must. What was seen recently, which rates
    /// and verdict are made of, was about the other filter and is forgotten.
    ///
    /// ```
    /// use amq::monitored::Monitored;
    /// use amq::{BloomFilter, Filter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut users = BloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// users.extend(0..30_000u64);
    /// let mut users = Monitored::new(users, 0.01)?;
    /// assert!(users.report().overfull());
    ///
    /// let mut larger = BloomFilter::new(Goal::fpr(100_000, 0.01))?;
    /// larger.extend(0..30_000u64);
    /// let old = users.replace(larger);
    /// assert!(users.filter().size_in_bytes() > old.size_in_bytes());
    /// assert!(!users.report().overfull());
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(&mut self, filter: F) -> F {
        self.counts.reset_recent();
        core::mem::replace(&mut self.filter, filter)
    }

    /// The filter.
    #[must_use]
    pub const fn filter(&self) -> &F {
        &self.filter
    }

    /// The filter, to be changed.
    #[must_use]
    pub const fn filter_mut(&mut self) -> &mut F {
        &mut self.filter
    }

    /// The filter, no longer watched.
    #[must_use]
    pub fn into_inner(self) -> F {
        self.filter
    }
}
