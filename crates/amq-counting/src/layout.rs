//! The layout of a key's counters.

use amq_core::FilterKind;
use core::fmt::Debug;

/// Where a key's counters are: anywhere in the table ([`Classic`](crate::Classic)) or in one block
/// ([`Blocked`](crate::Blocked)).
///
/// This trait is sealed.
pub trait Layout: sealed::Operations + Copy + Eq + Debug + Send + Sync + 'static {
    /// The kind of filter.
    const KIND: FilterKind;
    /// The filter type's name.
    const NAME: &'static str;
}

pub(crate) mod sealed {
    use crate::counters::PER_WORD;
    use amq_bloom::probing::partition::Hashes;
    use amq_core::internal::{Entry, Opened};
    use amq_core::{DecodeError, Goal, KeyHash, MergeError, Plan, PlanError, PredictedFpr};
    use core::fmt::Debug;

    /// The operations on a table of counters, and its formulas.
    pub trait Operations {
        /// The parameters of the table.
        type Params: Copy + Eq + Debug + Send + Sync;

        /// Checks the ranges.
        fn check(params: Self::Params) -> Result<(), PlanError>;

        /// `Ok` if both make the same table; the error names the difference.
        fn check_same(ours: Self::Params, theirs: Self::Params) -> Result<(), MergeError>;

        /// Number of counters in the table. The parameters must be valid.
        fn counters(params: Self::Params) -> u64;

        /// Number of counters per key.
        fn probes(params: Self::Params) -> u32;

        /// Bytes of the table.
        fn bytes(params: Self::Params) -> u64 {
            Self::counters(params).div_ceil(PER_WORD) * 8
        }

        /// Encodes the parameters as an entry of a file's directory.
        fn entry(params: Self::Params) -> Entry;

        /// Decodes the parameters from a file's directory, without checking them.
        fn params_in(opened: &Opened<'_>) -> Result<Self::Params, DecodeError>;

        /// The smallest filter for a rate, or the best for a size.
        fn plan(goal: Goal) -> Result<Plan<Self::Params>, PlanError>;

        /// The plan for this many keys with these parameters.
        fn plan_params(params: Self::Params, keys: u64) -> Result<Plan<Self::Params>, PlanError>;

        /// The exact rate of filters with this many distinct keys.
        fn predicted_fpr(params: &Self::Params, keys: u64) -> PredictedFpr;

        /// The exact rate of this table, with a fraction `fill` of its counters above zero.
        fn fpr_of_table(table: &[u8], params: Self::Params, fill: f64) -> f64;

        /// The most likely number of distinct keys if a fraction `fill` of the counters is above
        /// zero.
        fn keys_of_fill(params: Self::Params, fill: f64) -> f64;

        /// Whether all of a key's counters are above zero.
        fn contains(table: &[u8], params: Self::Params, hash: KeyHash) -> bool;

        /// Looks up many hashes. The slices must have the same length.
        fn contains_each(
            table: &[u8],
            params: Self::Params,
            hashes: &[KeyHash],
            answers: &mut [bool],
        );

        /// The lowest of a key's counters.
        fn count(table: &[u8], params: Self::Params, hash: KeyHash) -> u64;

        /// Raises a key's counters; returns whether any was zero.
        fn insert(table: &mut [u8], params: Self::Params, hash: KeyHash) -> bool;

        /// Inserts many hashes and adds them to `len`; returns how many were new.
        fn insert_many(
            table: &mut [u8],
            params: Self::Params,
            len: &mut u64,
            hashes: Hashes<'_>,
        ) -> u64;

        /// Lowers a key's counters if all are above zero; returns whether they were.
        fn remove(table: &mut [u8], params: Self::Params, hash: KeyHash) -> bool;
    }
}
