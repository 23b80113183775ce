//! A filter with metrics: its false-positive rate in use, the reads it saves, and whether the rate
//! is the planned one.
//!
//! # What is counted
//!
//! A filter cannot know that a "probably" was wrong. The program finds out when it looks the key
//! up, and [reports it](Monitored::report_false_positive). The observed rate is
//!
//! ```text
//!             false positives reported
//!   ------------------------------------------
//!   negative answers + false positives reported
//! ```
//!
//! It estimates the rate for absent keys, whatever their share of the queries. A false positive
//! that is not reported counts as a present key: report all of them, or the rate is too low.
//!
//! The rate is that of recent queries: of the current epoch and the previous one. An epoch is as
//! many queries for absent keys as cause 1,024 false positives at the planned rate. A change of the
//! rate is therefore noticed within two epochs, even after a year.
//!
//! The rate is that of queries, not of distinct keys: a popular absent key that is a false positive
//! raises it. The interval assumes independent queries. If a few absent keys are most of the
//! queries, the rate depends on whether these are false positives, and may lie outside the interval
//! although the filter is as planned.
//!
//! # Cost
//!
//! One query in [`SAMPLED`] is counted, chosen at random by a generator in each thread, so that
//! queries rarely write to shared memory. All queries are equally likely to be counted, so a key
//! that makes up half of the queries makes up half of the sample. Reports of false positives are
//! all counted; each follows a useless read, which costs more. The benchmark `watching_cost` prints
//! the cost of a query.

mod counts;
mod forward;
mod metrics;
mod report;
mod sample;
#[cfg(test)]
mod tests;

pub use metrics::Metrics;
pub use report::{Report, Verdict};
pub use sample::SAMPLED;

use amq_core::{Filter, FilterExt, Key, PlanError};
use counts::Counts;

/// A filter that counts its answers.
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
///         filter.report_false_positive();
///     }
/// }
/// let report = filter.report();
/// assert_eq!(report.verdict, Some(Verdict::AsPlanned));
/// assert!(report.reads_saved > 900_000);
/// println!("{report}");
/// # Ok(())
/// # }
/// ```
///
/// Under a secret key it is wrapped in [`Keyed`](amq_core::Keyed):
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
///     seen.get_ref().report_false_positive();
/// }
/// println!("{}", seen.get_ref().report());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Monitored<F> {
    filter: F,
    planned_fpr: f64,
    counts: Counts,
}

impl<F: Filter> Monitored<F> {
    /// Monitors a filter that was planned for this false-positive rate: the plan's `expected_fpr`,
    /// or the rate of the goal.
    pub fn new(filter: F, planned_fpr: f64) -> Result<Self, PlanError> {
        if !(planned_fpr > 0.0 && planned_fpr < 1.0) {
            return Err(PlanError::Fpr { fpr: planned_fpr });
        }
        Ok(Self { filter, planned_fpr, counts: Counts::new(planned_fpr, SAMPLED) })
    }

    /// Counts every query instead of one in [`SAMPLED`], for tests and for few queries. A query
    /// then costs two more additions to memory shared by all threads. Resets the counts.
    #[must_use]
    pub fn counting_every_query(self) -> Self {
        Self { counts: Counts::new(self.planned_fpr, 1), ..self }
    }

    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    fn note(&self, found: bool) {
        if sample::due(self.counts.weight) {
            self.counts.answered(found);
        }
    }

    /// Reports that the filter answered `true` for a key that was then not found.
    pub fn report_false_positive(&self) {
        self.counts.was_false();
    }

    /// The counts so far, and the verdict. Computes the filter's current rate, which may read the
    /// whole table.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::new(&self.filter, self.planned_fpr, &self.counts)
    }

    /// Replaces the filter by another one planned for the same rate, such as a rebuilt one. Returns
    /// the previous filter.
    ///
    /// The totals continue, as counters of a page of metrics must. The recent counts, on which rate
    /// and verdict are based, are reset.
    ///
    /// ```
    /// use amq::monitored::{Monitored, Verdict};
    /// use amq::{BloomFilter, Filter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut users = BloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// users.extend(0..30_000u64);
    /// let mut users = Monitored::new(users, 0.01)?;
    /// assert_eq!(users.report().verdict, Some(Verdict::Overfull));
    ///
    /// let mut larger = BloomFilter::new(Goal::fpr(100_000, 0.01))?;
    /// larger.extend(0..30_000u64);
    /// let old = users.replace(larger);
    /// assert!(users.filter().size_in_bytes() > old.size_in_bytes());
    /// assert_eq!(users.report().verdict, None); // too early
    /// # Ok(())
    /// # }
    /// ```
    pub fn replace(&mut self, filter: F) -> F {
        self.counts.reset_recent();
        core::mem::replace(&mut self.filter, filter)
    }

    /// The filter. Insert through this into a filter that inserts through a shared reference, such
    /// as [`Sharded`](crate::sharded::Sharded).
    #[must_use]
    pub const fn filter(&self) -> &F {
        &self.filter
    }

    /// The filter, mutably.
    #[must_use]
    pub const fn filter_mut(&mut self) -> &mut F {
        &mut self.filter
    }

    /// The filter, no longer monitored.
    #[must_use]
    pub fn into_inner(self) -> F {
        self.filter
    }
}
