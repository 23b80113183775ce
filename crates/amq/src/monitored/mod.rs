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
//! The rate is that of recent queries: of the present epoch and the one before it. An epoch lasts
//! for as many queries for absent keys as give 1,024 false positives at the planned rate. So a
//! filter that goes wrong after a good year is noticed within two epochs, and so is one that is
//! right again.
//!
//! Queries are what cost, so the rate is that of queries, not of different keys: a popular absent
//! key that is a false positive raises it. The interval takes queries to be independent. Where a
//! few absent keys make most of the queries, the rate of a filter that is as planned depends on
//! whether these are false positives, and is further from the planned one than the interval says.
//!
//! # What watching costs
//!
//! Answers are counted for one query in [`SAMPLED`], picked at random by a generator of each
//! thread's own, so that queries rarely write memory that threads share. All queries have the same
//! chance, so a key that makes up half of them does so in the sample. Reports of false positives
//! are all counted; each follows a read that was in vain, which cost more. The benchmark
//! `watching_cost` prints the cost of a query.

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

    /// Reports that the filter answered `true` to a query for a key that then was not there.
    pub fn report_false_positive(&self) {
        self.counts.was_false();
    }

    /// What was seen so far, and what to think of it. Asks the filter for its present rate, which
    /// may read the whole table.
    #[must_use]
    pub fn report(&self) -> Report {
        Report::new(&self.filter, self.planned_fpr, &self.counts)
    }

    /// Watches another filter instead, planned for the same rate: one that was rebuilt. Returns the
    /// one before.
    ///
    /// The totals go on, as counters of a page of metrics must. What was seen recently, which rates
    /// and verdict are made of, was about the other filter and is forgotten.
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

    /// The filter. One that takes keys through a shared reference, such as
    /// [`Sharded`](crate::sharded::Sharded), takes them through this.
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
