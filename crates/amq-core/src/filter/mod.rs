//! What a filter can do: one trait per ability.

mod construct;
mod ext;
mod forward;
mod kind;
mod stats;

pub use construct::{
    BuildFilter, BuildTarget, EmptyFilter, MergeFilter, Parts, PlanFilter, PredictedFpr, Target,
};
pub use ext::FilterExt;
pub use kind::FilterKind;
pub use stats::Stats;

use crate::{BatchFull, Full, KeyHash, LengthMismatch};

/// A set of keys that may be asked whether a key is in it.
///
/// For code that is generic over filters; on a filter of a known type the methods of the same names need
/// no import. The methods that take a [`Key`](crate::Key) instead of its hash are those of
/// [`FilterExt`]. References, boxes and `Arc`s of filters are filters; `dyn Filter` has `contains`.
///
/// **The contract**: once a key has been put in (and not been removed), the answer for it is `true`,
/// always. For a key that was never put in it is `true` with probability
/// [`expected_fpr`](Filter::expected_fpr), over the choice of seed. An operation that returns an error
/// has changed nothing.
pub trait Filter: Send + Sync {
    /// Which variant this is.
    fn kind(&self) -> FilterKind;

    /// The seed its keys are hashed with.
    fn seed(&self) -> u64;

    /// The keys the filter has taken account of.
    ///
    /// Exact where the filter stores something for each key. A Bloom filter counts the inserts that
    /// answered [`Inserted::New`]: repeated keys are not counted again, and the few distinct keys that
    /// were false positives when they came are not counted at all. After a union it is the sum of both.
    fn len(&self) -> u64;

    /// Whether [`len`](Filter::len) is zero.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys it was planned for.
    fn capacity(&self) -> u64;

    /// Bytes of the table, on the heap or borrowed. The few fields of the struct itself are not counted.
    fn size_in_bytes(&self) -> u64;

    /// The probability that a key that was never put in is answered `true`, for the filter as it stands:
    /// from its realised parameters and its contents, by the variant's exact formula.
    ///
    /// May read the whole table. What theory expects *before* any key is in is
    /// [`PlanFilter::predicted_fpr`].
    fn expected_fpr(&self) -> f64;

    /// The share of the table in use, 0 to 1: bits set, counters above zero, slots taken. May read the
    /// whole table.
    fn load_factor(&self) -> f64;

    /// Places that will never change again, whatever is put in or taken out: counters that stick, blocks
    /// whose bits are all set. May read the whole table.
    fn saturated(&self) -> u64 {
        0
    }

    /// All of the above in one value that prints itself.
    fn stats(&self) -> Stats {
        Stats::of(self)
    }

    /// Whether the key with this hash is probably in: `false` is certain.
    fn contains_hash(&self, hash: KeyHash) -> bool;

    /// Answers for many hashes, `answers[i]` for `hashes[i]`: the same as
    /// [`contains_hash`](Filter::contains_hash) for each, but faster on large filters, because the waits
    /// for memory overlap.
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        for (answer, &hash) in answers.iter_mut().zip(hashes) {
            *answer = self.contains_hash(hash);
        }
        Ok(())
    }
}

/// What an insert found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Inserted {
    /// The key was certainly not there before.
    New,
    /// The filter answered `true` for the key already: it was there, or it was a false positive.
    MaybePresent,
}

impl Inserted {
    /// Whether the key was certainly not there before.
    #[inline]
    #[must_use]
    pub const fn is_new(self) -> bool {
        matches!(self, Self::New)
    }

    /// `New` if the insert changed the filter.
    #[inline]
    #[must_use]
    pub const fn from_change(changed: bool) -> Self {
        if changed {
            Self::New
        } else {
            Self::MaybePresent
        }
    }
}

/// A filter that takes keys one by one.
pub trait InsertFilter: Filter {
    /// Puts in the key with this hash. On an error the filter is exactly as it was.
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full>;

    /// Inserts the key with this hash unless the filter answers `true` for it already; then nothing
    /// changes. Keeps a set from filling up with copies of keys that come again and again.
    ///
    /// **Remove nothing from a filter that is filled like this**: a key that was answered
    /// [`Inserted::MaybePresent`] may be represented by another key, and is denied once that is
    /// removed.
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        if self.contains_hash(hash) {
            return Ok(Inserted::MaybePresent);
        }
        self.insert_hash(hash)
    }

    /// Puts in many hashes and says how many were [`Inserted::New`]. The result is the same as that of
    /// inserting one after another. On an error the hashes before the refused one are in, and the error
    /// says how many.
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let mut new = 0;
        for (done, &hash) in (0..).zip(hashes) {
            match self.insert_hash(hash) {
                Ok(inserted) => new += u64::from(inserted.is_new()),
                Err(full) => return Err(BatchFull { done, full }),
            }
        }
        Ok(new)
    }
}

/// A filter that can be emptied.
pub trait ClearFilter: Filter {
    /// Takes every key out. Seed and parameters stay, and so does the memory, unless the filter had
    /// grown.
    fn clear(&mut self);
}

/// A filter that can forget a key.
pub trait RemoveFilter: InsertFilter {
    /// Takes out one copy of the key with this hash. `false`: it was certainly not there, and nothing
    /// changed.
    ///
    /// **Only remove what was put in.** Removing a key that is a false positive takes away what belongs
    /// to another key, which may then be answered `false`.
    fn remove_hash(&mut self, hash: KeyHash) -> bool;
}

/// How many copies of a key a filter knows of: never fewer than there are, unless `saturated`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Count {
    /// The copies, or a few more because of other keys.
    pub estimate: u64,
    /// The filter stopped counting at the estimate: there may be more copies.
    pub saturated: bool,
}

impl Count {
    /// A count that has not saturated.
    #[must_use]
    pub const fn new(estimate: u64) -> Self {
        Self {
            estimate,
            saturated: false,
        }
    }

    /// The count of a counter that cannot go beyond `limit`.
    #[must_use]
    pub const fn up_to(estimate: u64, limit: u64) -> Self {
        Self {
            estimate,
            saturated: estimate >= limit,
        }
    }
}

/// A filter that can say how often a key was put in.
pub trait CountFilter: Filter {
    /// The number of copies of the key with this hash. Collisions can only raise the estimate.
    fn count_hash(&self, hash: KeyHash) -> Count;
}
