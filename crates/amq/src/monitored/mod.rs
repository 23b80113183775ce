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
//! # What watching costs
//!
//! Negative and positive answers are counted for one query in [`SAMPLED`], picked at random: each
//! thread counts down a number of its own, geometrically distributed, and touches the shared
//! counters only when it comes to zero. The countdown takes a few instructions and no cache line
//! that another thread writes. All queries have the same chance, so a key that makes up half of
//! them does so in the sample. Reports of false positives are all counted; each follows a read that
//! was in vain, which cost more.
//!
//! # The verdict
//!
//! [`Verdict`] compares the observed rate's 99.9 % interval with two numbers: the rate *planned*,
//! and the rate *explained*, which is the larger of the planned one and
//! [`Filter::expected_fpr`] at the filter's present load.

mod counts;
mod interval;
mod metrics;
mod report;
mod sample;
mod sketch;

pub use metrics::{Metrics, MetricsError};
pub use report::{Report, Verdict};
#[doc(hidden)]
pub use sample::restart_sampling;

use amq_core::{
    Filter, FilterExt, FilterKind, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, PlanError,
    Stats,
};
use counts::Counts;

/// One query in so many is counted, on average.
pub const SAMPLED: u64 = 64;

/// A filter with counters for what it answers.
///
/// ```
/// use amq::monitored::{Monitored, Verdict};
/// use amq::{CuckooFilter, Goal};
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
        Ok(Self { filter, planned_fpr, counts: Counts::default() })
    }

    /// Counts every query instead of one in [`SAMPLED`]: for tests, and where queries are few. A
    /// query then costs two more additions to memory that all threads share. Begins anew.
    #[must_use]
    pub fn counting_every_query(self) -> Monitored<F, true> {
        Monitored { filter: self.filter, planned_fpr: self.planned_fpr, counts: Counts::default() }
    }
}

impl<F: Filter, const EVERY: bool> Monitored<F, EVERY> {
    /// Whether `key` is probably in: `false` is certain. Not counted, and always `true`, if the
    /// filter's keys are hashed by the caller ([`Filter::key_seed`]).
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// The same for the key with this hash.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        let found = self.filter.contains_hash(hash);
        if EVERY || sample::due() {
            self.counts.answered(hash, found);
        }
        found
    }

    /// Reports that the filter answered `true` to a query for this key, which then was not there.
    pub fn report_false_positive<K: Key + ?Sized>(&self, key: &K) {
        // Of a key that the filter was not asked for there is nothing to report.
        if let Some(seed) = self.filter.key_seed() {
            self.report_false_positive_hash(key.key_hash(seed));
        }
    }

    /// The same for the key with this hash.
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

    /// Begins anew: after a filter was rebuilt, or once an hour.
    pub fn reset(&self) {
        self.counts.reset();
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

/// Queries are counted, everything else is the filter's own.
impl<F: Filter, const EVERY: bool> Filter for Monitored<F, EVERY> {
    fn kind(&self) -> FilterKind {
        self.filter.kind()
    }
    #[inline]
    fn seed(&self) -> u64 {
        self.filter.seed()
    }
    #[inline]
    fn key_seed(&self) -> Option<u64> {
        self.filter.key_seed()
    }
    fn len(&self) -> u64 {
        self.filter.len()
    }
    fn capacity(&self) -> u64 {
        self.filter.capacity()
    }
    fn size_in_bytes(&self) -> u64 {
        self.filter.size_in_bytes()
    }
    fn expected_fpr(&self) -> f64 {
        self.filter.expected_fpr()
    }
    fn load_factor(&self) -> f64 {
        self.filter.load_factor()
    }
    fn saturated(&self) -> u64 {
        self.filter.saturated()
    }
    fn stats(&self) -> Stats {
        self.filter.stats()
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        Self::contains_hash(self, hash)
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.filter.contains_batch(hashes, answers)?;
        let mut count = |index: usize| self.counts.answered(hashes[index], answers[index]);
        if EVERY {
            (0..hashes.len()).for_each(count);
        } else {
            sample::due_among(hashes.len(), &mut count);
        }
        Ok(())
    }
}

/// Inserts are not counted.
impl<F: InsertFilter, const EVERY: bool> InsertFilter for Monitored<F, EVERY> {
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, amq_core::Full> {
        self.filter.insert_hash(hash)
    }
    #[inline]
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, amq_core::Full> {
        self.filter.insert_unique_hash(hash)
    }
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, amq_core::BatchFull> {
        self.filter.insert_batch(hashes)
    }
}
