//! Goals and plans: a filter's size and false-positive rate, without allocating it.

use crate::PlanError;
use core::fmt;

/// What limits a filter: a false-positive rate to meet, or a size to keep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Budget {
    /// The smallest filter whose false-positive rate is at most this when it holds the planned
    /// number of keys.
    ///
    /// Ribbon filters may exceed it by one part in a million. A power of two such as 1/256 is a
    /// whole number of their columns, and the few colliding hashes would otherwise cost a further
    /// column.
    Fpr(f64),
    /// The best filter with at most this many bits per planned key; see [`Bytes`](Self::Bytes).
    BitsPerKey(f64),
    /// The best filter with at most this many bytes.
    ///
    /// Not all bytes are used where more of them would lower the rate in proportion at best: with
    /// the longest fingerprints or the most columns, at 128 bits (or counters) per key of a Bloom
    /// filter, or at eight blocks per key. For a still lower rate, use `Fpr`.
    Bytes(u64),
}

/// A number of keys, and the budget for them.
///
/// 0 keys are planned as 1, so that an empty input gives the smallest filter, not an error.
///
/// ```
/// use amq_core::Goal;
///
/// assert_eq!(Goal::fpr(0, 0.01).checked(), Ok(Goal::fpr(1, 0.01)));
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Goal {
    /// The number of distinct keys the filter is to hold; 0 counts as 1.
    pub keys: u64,
    /// The rate or size limit.
    pub budget: Budget,
}

impl Goal {
    /// A goal of this many keys within a budget.
    #[must_use]
    pub const fn new(keys: u64, budget: Budget) -> Self {
        Self { keys, budget }
    }

    /// This many keys at a false-positive rate of at most `fpr`.
    #[must_use]
    pub const fn fpr(keys: u64, fpr: f64) -> Self {
        Self::new(keys, Budget::Fpr(fpr))
    }

    /// This many keys in at most `bits_per_key` bits each.
    #[must_use]
    pub const fn bits_per_key(keys: u64, bits_per_key: f64) -> Self {
        Self::new(keys, Budget::BitsPerKey(bits_per_key))
    }

    /// This many keys in at most `bytes` bytes.
    #[must_use]
    pub const fn bytes(keys: u64, bytes: u64) -> Self {
        Self::new(keys, Budget::Bytes(bytes))
    }

    /// Validates the goal and replaces 0 keys by 1. Every planner calls this first.
    ///
    /// Checks that do not depend on the variant: rates lie in (0, 1) and above the hash floor
    /// `keys / 2^64`, and bits per key are positive and finite.
    pub fn checked(self) -> Result<Self, PlanError> {
        let goal = Self { keys: self.keys.max(1), ..self };
        match goal.budget {
            Budget::Fpr(fpr) => {
                if !(fpr > 0.0 && fpr < 1.0) {
                    return Err(PlanError::Fpr { fpr });
                }
                let floor = crate::numeric::hash_floor(goal.keys);
                if fpr <= floor {
                    return Err(PlanError::FprBelowHashFloor { fpr, floor, keys: goal.keys });
                }
            }
            Budget::BitsPerKey(bits_per_key) => {
                if !(bits_per_key > 0.0 && bits_per_key < f64::INFINITY) {
                    return Err(PlanError::BitsPerKey { bits_per_key });
                }
            }
            Budget::Bytes(_) => {}
        }
        Ok(goal)
    }

    /// Calls `plan` with this goal; for implementations of
    /// [`PlanFilter::plan`](crate::PlanFilter::plan).
    ///
    /// Planners compute in bytes, so they report too few bits per key as too few bytes. This
    /// rewrites that error: it names the smallest number of keys for which these bits suffice, if
    /// there is one.
    pub fn plan_by<P>(self, plan: impl Fn(Self) -> Result<P, PlanError>) -> Result<P, PlanError> {
        plan(self).map_err(|refusal| match self.budget {
            Budget::BitsPerKey(bits) => self.least_items(refusal, bits, plan),
            _ => refusal,
        })
    }

    /// Rewrites an error about bytes as one about bits per key; returns any other error unchanged.
    fn least_items<P>(
        self,
        first: PlanError,
        bits_per_key: f64,
        plan: impl Fn(Self) -> Result<P, PlanError>,
    ) -> PlanError {
        let keys = self.keys.max(1);
        let (mut refusal, mut least) = (first, keys);
        // At least as many keys as fill the smallest filter's bytes.
        for _ in 0..STEPS {
            let PlanError::Bytes { min, .. } = refusal else {
                return first;
            };
            let enough = libm::ceil(min as f64 * 8.0 / bits_per_key) as u64;
            least = enough.max(least.saturating_add(1));
            match plan(Self { keys: least, ..self }) {
                Ok(_) => return PlanError::FewKeys { bits_per_key, keys, least },
                Err(error) => refusal = error,
            }
        }
        first
    }

    /// The most bits the budget allows, rounded down; `u64::MAX` for a rate, which sets no limit.
    ///
    /// Saturates; allocation checks its own limits.
    #[must_use]
    pub fn max_bits(&self) -> u64 {
        match self.budget {
            Budget::Fpr(_) => u64::MAX,
            // The cast saturates, as intended.
            Budget::BitsPerKey(bits_per_key) => (self.keys as f64 * bits_per_key) as u64,
            Budget::Bytes(bytes) => bytes.saturating_mul(8),
        }
    }
}

/// The most numbers of keys to try; each is the one that the previous error calls for.
const STEPS: u32 = 64;

/// The size and expected rate of a filter that is not allocated yet.
///
/// `P` is the variant's own parameter type; the parameters determine everything else.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Plan<P> {
    /// The number of keys planned for.
    pub keys: u64,
    /// Bytes of the table on the heap. Where that depends on the keys, 99 filters in 100 take
    /// at most this.
    pub bytes: u64,
    /// Expected false-positive rate with the planned number of distinct keys.
    pub expected_fpr: f64,
    /// Peak bytes on the heap while one thread builds the filter, the filter itself included. For
    /// the `par_` methods of the feature `rayon` see [`build_bytes_for`](Self::build_bytes_for).
    pub build_bytes: u64,
    /// Peak bytes that each further thread adds, and the most threads that can be used.
    thread_bytes: u64,
    most_threads: u64,
    /// The variant's parameters.
    pub params: P,
    /// The budget it was made for; `None` if made from explicit parameters.
    pub budget: Option<Budget>,
}

impl<P> Plan<P> {
    /// A plan for this many keys with these parameters; bytes and rate are 0 until set.
    #[must_use]
    pub const fn new(params: P, keys: u64) -> Self {
        Self {
            keys,
            bytes: 0,
            expected_fpr: 0.0,
            build_bytes: 0,
            thread_bytes: 0,
            most_threads: u64::MAX,
            params,
            budget: None,
        }
    }

    /// Sets the budget that the plan was made for.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// Sets the table's size, which is also the peak while building.
    #[must_use]
    pub fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, build_bytes: bytes, thread_bytes: 0, ..self }
    }

    /// Sets a higher peak while building; `build_bytes` includes the table. Unless
    /// [`with_threads`](Self::with_threads) sets less, each further thread is assumed to need as
    /// much beside the filter as the first.
    #[must_use]
    pub fn with_build_bytes(self, build_bytes: u64) -> Self {
        Self { build_bytes, thread_bytes: build_bytes.saturating_sub(self.bytes), ..self }
    }

    /// Sets the peak bytes that each further thread adds, with at most `most` threads in total.
    #[must_use]
    pub fn with_threads(self, thread_bytes: u64, most: u64) -> Self {
        Self { thread_bytes, most_threads: most, ..self }
    }

    /// An upper bound on the peak bytes on the heap while a rayon pool of this many threads builds
    /// the filter. With one thread, [`build_bytes`](Self::build_bytes).
    ///
    /// ```
    /// # use amq_core::Plan;
    /// // Two more threads, with 50 bytes each, and no fourth one.
    /// let plan = Plan::new((), 10).with_bytes(100).with_build_bytes(180).with_threads(50, 3);
    /// assert_eq!([0, 1, 2, 3, 16].map(|n| plan.build_bytes_for(n)), [180, 180, 230, 280, 280]);
    /// ```
    #[must_use]
    pub fn build_bytes_for(&self, threads: usize) -> u64 {
        let further = (threads as u64).min(self.most_threads).saturating_sub(1);
        self.build_bytes.saturating_add(self.thread_bytes.saturating_mul(further))
    }

    /// The same plan with other parameters.
    #[must_use]
    pub fn with_params<Q>(&self, params: Q) -> Plan<Q> {
        Plan {
            keys: self.keys,
            bytes: self.bytes,
            expected_fpr: self.expected_fpr,
            build_bytes: self.build_bytes,
            thread_bytes: self.thread_bytes,
            most_threads: self.most_threads,
            params,
            budget: self.budget,
        }
    }

    /// Sets the expected false-positive rate.
    #[must_use]
    pub fn with_expected_fpr(self, expected_fpr: f64) -> Self {
        Self { expected_fpr, ..self }
    }

    /// Bits of table per planned key.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bytes as f64 * 8.0 / self.keys as f64
    }

    /// Bits per key divided by the least possible at this rate, `log2(1 / expected_fpr)`.
    #[must_use]
    pub fn overhead(&self) -> f64 {
        crate::numeric::overhead(self.bits_per_key(), self.expected_fpr)
    }
}

impl<P> fmt::Display for Plan<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} keys in {} bytes: {:.3} bits per key, expected false-positive rate {:.3e}, {:.3} \
             times the least possible space",
            self.keys,
            self.bytes,
            self.bits_per_key(),
            self.expected_fpr,
            self.overhead()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_goals_are_refused_with_the_value_in_the_error() {
        for fpr in [0.0, 1.0, -0.01, f64::INFINITY, 2.0] {
            assert_eq!(Goal::fpr(10, fpr).checked(), Err(PlanError::Fpr { fpr }));
        }
        assert!(matches!(
            Goal::fpr(10, f64::NAN).checked(),
            Err(PlanError::Fpr { fpr }) if fpr.is_nan()
        ));
        assert!(matches!(
            Goal::fpr(10, 1e-300).checked(),
            Err(PlanError::FprBelowHashFloor { fpr: 1e-300, keys: 10, .. })
        ));
        for bits_per_key in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(
                Goal::bits_per_key(10, bits_per_key).checked(),
                Err(PlanError::BitsPerKey { bits_per_key })
            );
        }
        assert!(Goal::bits_per_key(10, f64::NAN).checked().is_err());
        assert_eq!(Goal::fpr(3, 0.99).checked(), Ok(Goal::fpr(3, 0.99)));
    }

    #[test]
    fn no_keys_are_one() {
        assert_eq!(Goal::bytes(0, 10).checked(), Ok(Goal::bytes(1, 10)));
        assert_eq!(Goal::fpr(0, 2.0).checked(), Err(PlanError::Fpr { fpr: 2.0 }));
        // Below the floor of one key.
        assert!(Goal::fpr(0, 1e-20).checked().is_err());
    }

    #[test]
    fn size_budgets_never_round_up_and_never_overflow() {
        assert_eq!(Goal::bits_per_key(3, 9.5).max_bits(), 28);
        assert_eq!(Goal::bytes(3, 9).max_bits(), 72);
        assert_eq!(Goal::bytes(3, u64::MAX).max_bits(), u64::MAX);
        assert_eq!(Goal::new(u64::MAX, Budget::BitsPerKey(1e300)).max_bits(), u64::MAX);
        assert_eq!(Goal::fpr(3, 0.1).max_bits(), u64::MAX);
    }
}
