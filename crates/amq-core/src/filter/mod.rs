//! What a filter can do: one trait per ability.

mod construct;
pub(crate) mod ext;
mod forward;
mod kind;
mod lookahead;
mod parameters;
mod stats;
mod truncate;

#[cfg(feature = "rayon")]
pub use construct::par_fill_from;
pub use construct::{
    BuildFilter, BuildTarget, EmptyFilter, MergeFilter, Parts, PlanFilter, Target,
};
pub use construct::{fill_from_hashes, fill_from_keys, hashes_of};
pub use ext::{FilterExt, InsertExt, extend};
pub use kind::{FilterKind, UnknownKind};
pub use parameters::{Parameter, ParameterValue, Parameters};
pub use stats::Stats;
pub use truncate::TruncateFilter;

use crate::{BatchInsertError, InsertError, KeyHash, LengthMismatch};

/// A set of keys that can be queried for membership.
///
/// For code that is generic over filters; on a filter of a known type the methods of the same names
/// need no import. The methods that take a [`Key`](crate::Key) instead of its hash are in
/// [`FilterExt`] and [`InsertExt`]. References, boxes and `Arc`s of filters are filters; `dyn
/// Filter` has `contains`.
///
/// **The contract**: once a key is inserted, and until it is removed, the answer for it is `true`,
/// always. For a key that was never inserted it is `true` with probability
/// [`expected_fpr`](Filter::expected_fpr), over the choice of seed. An operation that returns an
/// error has changed nothing, but for a batch of inserts: the keys before the refused one are in.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter",
    label = "it answers no queries",
    note = "a lock around a filter is none: ask the filter inside, or take \
            `amq::sharded::Sharded`",
    note = "for a filter of your own implement `Filter`, with the kind `FilterKind::Other`"
)]
pub trait Filter: Send + Sync {
    /// Which variant this is; [`FilterKind::Other`], with a name, for a filter of your own.
    #[must_use]
    fn kind(&self) -> FilterKind;

    /// The seed its keys are hashed with.
    #[must_use]
    fn seed(&self) -> u64;

    /// The number of keys the filter accounts for.
    ///
    /// Exact if the filter stores something for each key. A Bloom filter counts the inserts that
    /// answered [`Inserted::New`]: repeated keys are not counted again, and the few distinct keys
    /// that were false positives on arrival are not counted at all. After a union it is the sum of
    /// both.
    #[must_use]
    fn len(&self) -> u64;

    /// Whether [`len`](Filter::len) is zero.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys it was planned for; of a filter that grows, the number it takes before it
    /// grows further.
    #[must_use]
    fn capacity(&self) -> u64;

    /// Bytes of the table, on the heap or borrowed, without the few fields of the struct itself.
    #[must_use]
    fn size_in_bytes(&self) -> u64;

    /// The probability that a key that was never inserted is answered `true`, for the filter in its
    /// present state: from its realised parameters and its contents, by the variant's exact
    /// formula.
    ///
    /// May read the whole table. The rate expected *before* any key is in is
    /// [`PlanFilter::predicted_fpr`].
    #[must_use]
    fn expected_fpr(&self) -> f64;

    /// The share of the table in use, 0 to 1: bits set, counters above zero, slots taken. May read
    /// the whole table.
    #[must_use]
    fn load_factor(&self) -> f64;

    /// Places that will never change again, whatever is inserted or removed: saturated counters,
    /// blocks whose bits are all set. May read the whole table.
    #[must_use]
    fn saturated(&self) -> u64 {
        0
    }

    /// All of the above in one value that prints itself.
    #[must_use]
    fn stats(&self) -> Stats {
        Stats::of(self)
    }

    /// Whether the key with this hash is probably in the filter; `false` is certain.
    #[must_use]
    fn contains_hash(&self, hash: KeyHash) -> bool;

    /// Answers many hashes at once, `answers[i]` for `hashes[i]`. The answers are those of
    /// [`contains_hash`](Filter::contains_hash), but faster on large filters, because the waits for
    /// memory overlap.
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
    /// The key was certainly not in. It is stored.
    New,
    /// The filter answered `true` for the key already: it was in, or a false positive. `insert` has
    /// stored a copy, where the filter keeps copies; `insert_unique` has not.
    MaybePresent,
}

impl Inserted {
    /// Whether the key was certainly not in before.
    #[inline]
    #[must_use]
    pub const fn is_new(self) -> bool {
        matches!(self, Self::New)
    }

    /// `New` if the insert changed the filter.
    #[inline]
    #[must_use]
    pub const fn from_change(changed: bool) -> Self {
        if changed { Self::New } else { Self::MaybePresent }
    }
}

/// A filter that takes keys one by one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot insert keys one by one",
    label = "it takes no keys",
    note = "a `BloomFilter` or a `CuckooFilter` can; `amq::Ability::Insert.kinds()` are all",
    note = "a static filter is built from all its keys at once: `build`",
    note = "through `&F` only atomic and sharded filters take keys: use `&mut F`",
    note = "of an `Arc` of such a filter pass `&*filter`"
)]
pub trait InsertFilter: Filter {
    /// Inserts the key with this hash. On an error the filter is exactly as before.
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError>;

    /// Inserts the key with this hash unless the filter answers `true` for it already; then nothing
    /// changes. Keeps a set from filling up with copies of keys that come again and again.
    ///
    /// **Remove only keys that were answered [`Inserted::New`]**, each once for each time. A key
    /// that was answered [`Inserted::MaybePresent`] was skipped: nothing is stored for it. Another
    /// key may stand for it, so it may be denied after any removal, and must not be removed itself.
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        if self.contains_hash(hash) {
            return Ok(Inserted::MaybePresent);
        }
        self.insert_hash(hash)
    }

    /// Inserts many hashes and returns how many were [`Inserted::New`], as if one after another. On
    /// an error the hashes before the refused one are in, and the error says how many.
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let mut new = 0;
        for (done, &hash) in (0..).zip(hashes) {
            match self.insert_hash(hash) {
                Ok(inserted) => new += u64::from(inserted.is_new()),
                Err(error) => return Err(BatchInsertError { done, error }),
            }
        }
        Ok(new)
    }

    /// Inserts many hashes as [`insert_batch`](InsertFilter::insert_batch) does, and says of each
    /// whether it was [`Inserted::New`]: `new[i]` of `hashes[i]`. Where the batch repeats a hash,
    /// only the first can be.
    ///
    /// On an error `new` is right for the hashes that are in, and unchanged for the others. If the
    /// slices differ in length, none is in ([`InsertError::Length`]).
    ///
    /// ```
    /// use amq_core::{BatchInsertError, InsertFilter, KeyHash};
    ///
    /// fn first_seen<F: InsertFilter>(
    ///     filter: &mut F,
    ///     keys: &[&str],
    /// ) -> Result<Vec<bool>, BatchInsertError> {
    ///     let seed = filter.seed();
    ///     let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, seed)).collect();
    ///     let mut new = vec![false; keys.len()];
    ///     filter.insert_batch_new(&hashes, &mut new)?; // of "a", "b", "a": true, true, false
    ///     Ok(new)
    /// }
    /// ```
    fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        BatchInsertError::check_length(hashes.len(), new.len())?;
        let mut count = 0;
        for (done, (&hash, new)) in (0..).zip(hashes.iter().zip(new)) {
            match self.insert_hash(hash) {
                Ok(inserted) => *new = inserted.is_new(),
                Err(error) => return Err(BatchInsertError { done, error }),
            }
            count += u64::from(*new);
        }
        Ok(count)
    }

    /// Inserts hashes until `next` has no more: it writes some into a buffer and returns how many,
    /// and 0 at the end. `about` is how many there are in all, if only roughly.
    ///
    /// What [`insert_batch`](InsertFilter::insert_batch) does, without a slice of all hashes: for
    /// filters that do better if they know of many keys beforehand. If `next` panics, of the hashes
    /// that it gave some may not be in.
    ///
    /// ```
    /// use amq_core::{InsertFilter, KeyHash};
    ///
    /// fn fill(filter: &mut impl InsertFilter) {
    ///     let mut keys = 0..1_000_000u64;
    ///     let mut next = |hashes: &mut [KeyHash]| {
    ///         let pairs = hashes.iter_mut().zip(&mut keys);
    ///         pairs.map(|(hash, key)| *hash = KeyHash::of(&key, 7)).count()
    ///     };
    ///     assert!(filter.insert_from(1_000_000, &mut next).is_ok());
    /// }
    /// ```
    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        let _ = about;
        let mut hashes = [KeyHash::new(0); BLOCK];
        let (mut done, mut new) = (0u64, 0u64);
        loop {
            let count = next(&mut hashes).min(BLOCK);
            if count == 0 {
                return Ok(new);
            }
            let inserted = self.insert_batch(&hashes[..count]);
            new = new.saturating_add(inserted.map_err(|refused| refused.after(done))?);
            done = done.saturating_add(count as u64);
        }
    }

    /// Inserts all hashes of a source on the threads of a rayon pool; what the methods of
    /// [`ParInsertExt`](crate::ParInsertExt) call. The filter and the count are those of
    /// [`insert_batch`](InsertFilter::insert_batch).
    ///
    /// By default the threads hash, and the calling one inserts.
    #[cfg(feature = "rayon")]
    fn par_insert_from(&mut self, hashes: &dyn crate::HashSource) -> Result<u64, BatchInsertError> {
        let mut done = 0u64;
        let mut new = 0u64;
        crate::parallel::in_rounds(hashes, |hashes| {
            let inserted = self.insert_batch(hashes);
            new = new.saturating_add(inserted.map_err(|refused| refused.after(done))?);
            done = done.saturating_add(hashes.len() as u64);
            Ok(())
        })?;
        Ok(new)
    }
}

/// Hashes at a time, of filters that do not want more.
const BLOCK: usize = 512;

/// A filter that can be emptied.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be emptied",
    label = "it takes no keys, and forgets none",
    note = "a `BloomFilter` or a `CuckooFilter` can; `amq::Ability::Insert.kinds()` are all"
)]
pub trait ClearFilter: Filter {
    /// Removes every key. Seed and parameters stay, and so does the memory, unless the filter had
    /// grown.
    fn clear(&mut self);
}

/// A filter that supports removal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot remove keys",
    label = "it forgets no key",
    note = "a `CuckooFilter`, a `QuotientFilter` or a `CountingBloomFilter` can; \
            `amq::Ability::Remove.kinds()` are all"
)]
pub trait RemoveFilter: InsertFilter {
    /// Removes one copy of the key with this hash. `false`: it was certainly not in, and nothing
    /// changed.
    ///
    /// **Only remove what you inserted**, and of what
    /// [`insert_unique_hash`](InsertFilter::insert_unique_hash) took only what was
    /// [`Inserted::New`]. Removing a key that is a false positive takes away another key's entry,
    /// and that key may then be answered `false`.
    fn remove_hash(&mut self, hash: KeyHash) -> bool;
}

/// How many copies of a key a filter holds: never an underestimate, unless `saturated`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Count {
    /// The number of copies, or more because of collisions.
    pub estimate: u64,
    /// The filter stopped counting at the estimate; there may be more copies.
    pub saturated: bool,
}

impl Count {
    /// A count that has not saturated.
    #[must_use]
    pub const fn new(estimate: u64) -> Self {
        Self { estimate, saturated: false }
    }

    /// The count of a counter that cannot go beyond `limit`.
    #[must_use]
    pub const fn up_to(estimate: u64, limit: u64) -> Self {
        Self { estimate, saturated: estimate >= limit }
    }
}

/// A filter that counts the copies of a key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot count the copies of a key",
    label = "it keeps no counts",
    note = "a `QuotientFilter` or a `CountingBloomFilter` can; `amq::Ability::Count.kinds()` are \
            all"
)]
pub trait CountFilter: Filter {
    /// The number of copies of the key with this hash. Collisions can only raise the estimate.
    #[must_use]
    fn count_hash(&self, hash: KeyHash) -> Count;
}
