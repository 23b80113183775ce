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
/// For code that is generic over filters: concrete types have inherent methods of the same names,
/// which need no import. The methods that take a [`Key`](crate::Key) instead of its hash are in
/// [`FilterExt`] and [`InsertExt`]. References, boxes and `Arc`s of filters are filters; `dyn
/// Filter` has `contains`.
///
/// **The contract**: from insertion to removal, lookups of a key return `true`. Lookups of a key
/// that was never inserted return `true` with probability [`expected_fpr`](Filter::expected_fpr),
/// over the choice of seed. An operation that returns an error has changed nothing; only a failed
/// batch of inserts keeps the keys before the refused one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter",
    label = "it answers no queries",
    note = "a lock around a filter is not a filter: query the filter inside it, or use \
            `amq::sharded::Sharded`",
    note = "for a filter of your own implement `Filter`, with the kind `FilterKind::Other`"
)]
pub trait Filter: Send + Sync {
    /// The kind of filter; [`FilterKind::Other`], with a name, for a filter of your own.
    #[must_use]
    fn kind(&self) -> FilterKind;

    /// The seed its keys are hashed with.
    #[must_use]
    fn seed(&self) -> u64;

    /// The number of keys in the filter.
    ///
    /// Exact if the filter stores an entry for each key. A Bloom filter counts the inserts that
    /// returned [`Inserted::New`]: repeated keys count once, and the few keys that were false
    /// positives when inserted do not count. After a merge it is the sum of both counts.
    #[must_use]
    fn len(&self) -> u64;

    /// Whether [`len`](Filter::len) is zero.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys it was planned for. For a filter that grows, the number it holds before
    /// it grows again.
    #[must_use]
    fn capacity(&self) -> u64;

    /// Bytes of the table, owned or borrowed, without the fields of the struct itself.
    #[must_use]
    fn size_in_bytes(&self) -> u64;

    /// The current false-positive rate: the probability that a lookup of a key that was never
    /// inserted returns `true`. Computed from the filter's parameters and contents by the variant's
    /// exact formula.
    ///
    /// May read the whole table. [`PlanFilter::predicted_fpr`] is the rate predicted from the
    /// parameters alone.
    #[must_use]
    fn expected_fpr(&self) -> f64;

    /// The share of the table in use, 0 to 1: bits set, counters above zero, slots taken. May read
    /// the whole table.
    #[must_use]
    fn load_factor(&self) -> f64;

    /// The number of counters or blocks that no operation can change any more: saturated counters,
    /// blocks whose bits are all set. May read the whole table.
    #[must_use]
    fn saturated(&self) -> u64 {
        0
    }

    /// All of the above in one value, which implements `Display`.
    #[must_use]
    fn stats(&self) -> Stats {
        Stats::of(self)
    }

    /// Whether the key with this hash is probably in the filter; `false` is certain.
    #[must_use]
    fn contains_hash(&self, hash: KeyHash) -> bool;

    /// Looks up many hashes; `answers[i]` is the answer for `hashes[i]`, as from
    /// [`contains_hash`](Filter::contains_hash). Faster on large filters, because cache misses
    /// overlap.
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

/// Whether an inserted key was new.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Inserted {
    /// The key was definitely not in, and has been stored.
    New,
    /// A lookup of the key already returned `true`: it was in, or a false positive. `insert` has
    /// stored a copy if the filter keeps copies; `insert_unique` has not.
    MaybePresent,
}

impl Inserted {
    /// Whether the key was definitely not in before.
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

/// A filter that supports inserts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot insert keys one by one",
    label = "it does not support inserts",
    note = "a `BloomFilter` or a `CuckooFilter` can; `amq::Ability::Insert.kinds()` lists all",
    note = "a static filter is built from all its keys at once: `build`",
    note = "through `&F` only atomic and sharded filters support inserts: use `&mut F`",
    note = "for an `Arc` of such a filter, pass `&*filter`"
)]
pub trait InsertFilter: Filter {
    /// Inserts the key with this hash. On an error the filter is exactly as before.
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError>;

    /// Inserts the key with this hash, unless a lookup of it already returns `true`; then nothing
    /// changes. Prevents repeated keys from filling the filter with copies.
    ///
    /// **Remove only keys for which this returned [`Inserted::New`]**, once for each time. A key
    /// for which it returned [`Inserted::MaybePresent`] was skipped: nothing is stored for it. The
    /// filter may contain it only because of another key's entry, so any removal may make the
    /// filter deny it, and it must not be removed itself.
    fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        if self.contains_hash(hash) {
            return Ok(Inserted::MaybePresent);
        }
        self.insert_hash(hash)
    }

    /// Inserts many hashes in order and returns how many were [`Inserted::New`]. On an error the
    /// hashes before the refused one are in; the error has their number.
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

    /// Inserts many hashes as [`insert_batch`](InsertFilter::insert_batch) does, and sets `new[i]`
    /// if `hashes[i]` was [`Inserted::New`]. Of equal hashes in the batch, only the first can be
    /// new.
    ///
    /// On an error `new` is set for the hashes that are in and unchanged for the others. If the
    /// slices differ in length, nothing is inserted ([`InsertError::Length`]).
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

    /// Inserts hashes from a callback: `next` fills the front of a buffer and returns how many it
    /// wrote, 0 at the end. `about` is the approximate total.
    ///
    /// Like [`insert_batch`](InsertFilter::insert_batch), but needs no slice of all hashes, and
    /// filters that gain from large batches know the total in advance. If `next` panics, some of
    /// the hashes it returned may not have been inserted.
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

    /// Inserts all hashes of a source on the threads of a rayon pool; the methods of
    /// [`ParInsertExt`](crate::ParInsertExt) call this. The resulting filter and count equal those
    /// of [`insert_batch`](InsertFilter::insert_batch).
    ///
    /// By default the pool hashes the keys and the calling thread inserts.
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

/// The default batch size of `insert_from`.
const BLOCK: usize = 512;

/// A filter that can be emptied.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be emptied",
    label = "it does not implement `ClearFilter`",
    note = "a `BloomFilter` or a `CuckooFilter` can; `amq::Ability::Insert.kinds()` lists all"
)]
pub trait ClearFilter: Filter {
    /// Removes every key. Keeps the seed and the parameters, and also the memory unless the filter
    /// had grown.
    fn clear(&mut self);
}

/// A filter that supports removal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot remove keys",
    label = "it does not support removal",
    note = "a `CuckooFilter`, a `QuotientFilter` or a `CountingBloomFilter` can; \
            `amq::Ability::Remove.kinds()` lists all"
)]
pub trait RemoveFilter: InsertFilter {
    /// Removes one copy of the key with this hash. Returns `false` if it was definitely not in;
    /// then nothing changes.
    ///
    /// **Only remove keys that you inserted**; after
    /// [`insert_unique_hash`](InsertFilter::insert_unique_hash), only those that were
    /// [`Inserted::New`]. Removing a false positive removes another key's entry, and lookups of
    /// that key may then return `false`.
    fn remove_hash(&mut self, hash: KeyHash) -> bool;
}

/// How many copies of a key a filter holds: never an underestimate, unless `saturated`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Count {
    /// The number of copies; collisions can only raise it.
    pub estimate: u64,
    /// Whether counting stopped at the estimate; there may be more copies.
    pub saturated: bool,
}

impl Count {
    /// A count that has not saturated.
    #[must_use]
    pub const fn new(estimate: u64) -> Self {
        Self { estimate, saturated: false }
    }

    /// The count of a counter that saturates at `limit`.
    #[must_use]
    pub const fn up_to(estimate: u64, limit: u64) -> Self {
        Self { estimate, saturated: estimate >= limit }
    }
}

/// A filter that counts the copies of a key.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot count the copies of a key",
    label = "it keeps no counts",
    note = "a `QuotientFilter` or a `CountingBloomFilter` can; `amq::Ability::Count.kinds()` \
            lists all"
)]
pub trait CountFilter: Filter {
    /// The number of copies of the key with this hash. Collisions can only raise the estimate.
    #[must_use]
    fn count_hash(&self, hash: KeyHash) -> Count;
}
