//! The filter type.

use crate::fingerprints::{Fingerprint, Fingerprints};
use crate::ops::Refused;
use crate::table::{BucketPair, BucketTable};
use crate::{Buckets, CuckooParams, Layout, OverlappingBuckets, theory};
use alloc::vec::Vec;
use amq_core::internal::{Header, fill_from_hashes, zeroed};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, Count, CountFilter,
    DEFAULT_SEED, EmptyFilter, Filter, FilterKind, Goal, InsertError, InsertFilter, Inserted, Key,
    KeyHash, LengthMismatch, MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr,
    RemoveFilter, Stats, Table, Target, UnevenHashes,
};
use core::fmt;

/// The cuckoo filter: a key is stored as a fingerprint in one of two buckets of four slots.
pub type CuckooFilter<B = Table> = Cuckoo<Buckets, B>;

/// The cuckoo filter with overlapping buckets of two slots: a tenth smaller at the same rate, but
/// it takes 2.0 to 2.7 times as long to fill.
pub type WindowedCuckooFilter<B = Table> = Cuckoo<OverlappingBuckets, B>;

/// A [`CuckooFilter`] over a borrowed table.
pub type CuckooView<'a> = Cuckoo<Buckets, &'a [u8]>;

/// A [`WindowedCuckooFilter`] over a borrowed table.
pub type WindowedCuckooView<'a> = Cuckoo<OverlappingBuckets, &'a [u8]>;

/// The keys of a batch that are looked up together: all their buckets are prefetched before the
/// first is read.
const PREFETCH_GROUP: usize = 32;

/// A cuckoo filter of either layout: [`CuckooFilter`] or [`WindowedCuckooFilter`].
///
/// `B` stores the table: a [`Table`], or for a view ([`CuckooView`], [`WindowedCuckooView`]) a
/// borrowed slice. See the [crate's documentation](crate) for the picture, the algorithm and the
/// formulas.
///
/// The most common methods are inherent. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct Cuckoo<L: Layout, B = Table> {
    pub(crate) header: Header,
    pub(crate) table: BucketTable<L, B>,
    pub(crate) len: u64,
}

impl<L: Layout> Cuckoo<L> {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_cuckoo::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<CuckooParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<CuckooParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check::<L>()?;
        Ok(Self { header: Header::new(&plan, seed), table: BucketTable::new(plan.params)?, len: 0 })
    }

    /// Builds a filter of these keys, each distinct one once, with the public [`DEFAULT_SEED`].
    /// [`BuildFilter`] builds with another seed, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys, or a
    /// [`Goal`] or [`Plan`], with which more keys than planned are an error. The hashes and a
    /// sorted copy of them are kept until the filter is built, 16 bytes per key; the keys are not.
    ///
    /// ```
    /// use amq_cuckoo::{Budget, CuckooFilter};
    ///
    /// let filter = CuckooFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_cuckoo::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<CuckooParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, with their size and rate. Allocates nothing.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// let plan = CuckooFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_cuckoo::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<CuckooParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. On an error nothing changes.
    ///
    /// Stores every copy of a key, up to the slots of its two buckets: eight ([`CuckooFilter`]) or
    /// four ([`WindowedCuckooFilter`]; three for a key whose buckets overlap each other). If they
    /// are full, the filter moves fingerprints of other keys to make room.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key")?.is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Inserts `key`, unless a lookup of it already returns `true`; then nothing changes. Prevents
    /// repeated keys from filling the filter with copies.
    ///
    /// **Remove only what was stored.** A key for which this returned [`Inserted::MaybePresent`]
    /// was not stored. The filter may contain it only because of another key's fingerprint, so any
    /// removal may make the filter deny it.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert_unique("a key")?.is_new());
    /// assert!(!filter.insert_unique("a key")?.is_new());
    /// assert_eq!(filter.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn insert_unique<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_unique_hash(key.key_hash(self.header.seed))
    }

    /// Removes one copy of `key`. Returns `false` if it was definitely not in; then nothing
    /// changes.
    ///
    /// **Remove only what was stored**, once for each time: keys that [`insert`](Self::insert)
    /// accepted, or for which [`insert_unique`](Self::insert_unique) returned `New`. Any other key
    /// that the filter contains shares its fingerprint and buckets with a stored key, and removing
    /// it makes the filter deny that key.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.insert("one")?;
    /// filter.insert("two")?;
    /// assert!(filter.remove("one"));
    /// assert!(!filter.contains("one") && filter.contains("two"));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool {
        self.remove_hash(key.key_hash(self.header.seed))
    }

    /// Adds every copy in `other`. On an error nothing changes.
    ///
    /// Both must have the same parameters and seed. Needs memory for a second table meanwhile. Only
    /// trying shows whether everything fits, so [`MergeFilter::can_merge`] takes as much time and
    /// memory.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut theirs = ours.clone();
    /// ours.insert("one")?;
    /// theirs.insert("two")?;
    /// ours.merge(&theirs)?;
    /// assert!(ours.contains("one") && ours.contains("two"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.merged(other)?;
        Ok(())
    }

    /// Inserts a fingerprint from another filter with the same parameters and seed.
    pub fn insert_fingerprint(
        &mut self,
        fingerprint: Fingerprint<L>,
    ) -> Result<Inserted, MergeError> {
        MergeError::check_seeds(self.header.seed, fingerprint.seed)?;
        self.table.params().check_same(&fingerprint.params)?;
        let pair = self.table.pair_of(fingerprint.bucket, fingerprint.value);
        self.insert_pair(pair).map_err(MergeError::Insert)
    }

    #[inline(always)]
    fn insert_pair(&mut self, pair: BucketPair) -> Result<Inserted, InsertError> {
        match self.table.insert(pair) {
            Ok(inserted) => {
                self.len += 1;
                Ok(inserted)
            }
            Err(refused) => Err(self.refusal(refused, pair)),
        }
    }

    #[cold]
    fn refusal(&self, refused: Refused, pair: BucketPair) -> InsertError {
        let copies = match refused {
            Refused::OutOfMemory(bytes) => return InsertError::OutOfMemory { bytes },
            Refused::Copies(copies) => copies,
            // Within its plan a filter has room for distinct keys, so copies have probably filled
            // the key's slots.
            Refused::Full if self.len < self.header.capacity => self.table.copies(pair),
            Refused::Full => 0,
        };
        match copies {
            0 | 1 => InsertError::Table {
                len: self.len,
                capacity: self.header.capacity,
                load: self.load_factor(),
            },
            copies => InsertError::Copies { copies },
        }
    }

    /// A filter of the distinct hashes. A goal or plan must have room for every given hash,
    /// repeated ones included, as in all filters.
    fn of_hashes(
        target: BuildTarget<CuckooParams>,
        seed: u64,
        hashes: impl ExactSizeIterator<Item = KeyHash>,
    ) -> Result<Self, BuildError> {
        let given = hashes.len() as u64;
        let target = match target {
            BuildTarget::Budget(_) => target,
            BuildTarget::Target(_) => target.plan::<Self>(given)?.into(),
        };
        let mut sorted: Vec<KeyHash> = zeroed(given)?;
        for (own, hash) in sorted.iter_mut().zip(hashes) {
            *own = hash;
        }
        sorted.sort_unstable();
        sorted.dedup();
        fill_from_hashes(target, seed, &sorted)
    }

    /// The union of both filters.
    fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        self.table.params().check_same(&other.table.params())?;
        self.header.check_seeds(&other.header)?;
        let both = self.len.saturating_add(other.len);
        let too_many = MergeError::Keys { ours: self.len, theirs: other.len, slots: self.slots() };
        if both > self.slots() {
            return Err(too_many);
        }
        let bytes = self.size_in_bytes();
        let refused = |_| MergeError::Insert(InsertError::OutOfMemory { bytes });
        let mut sum = Self {
            header: self.header,
            table: self.table.try_clone().map_err(refused)?,
            len: self.len,
        };
        for fingerprint in other.fingerprints() {
            match sum.insert_fingerprint(fingerprint) {
                Err(MergeError::Insert(InsertError::Table { .. }))
                    if both > self.header.capacity =>
                {
                    return Err(too_many);
                }
                Err(error) => return Err(error),
                Ok(_) => {}
            }
        }
        Ok(sum)
    }
}

impl<L: Layout, B: Bytes> Cuckoo<L, B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_cuckoo::{Budget, CuckooFilter};
    ///
    /// let filter = CuckooFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_cuckoo::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of copies of `key`, including those of the few keys that share its fingerprint
    /// and buckets. Never saturated: inserting more copies than can be counted fails.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.insert("two")?;
    /// filter.insert("two")?;
    /// assert_eq!(filter.count("two").estimate, 2);
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        self.count_hash(key.key_hash(self.header.seed))
    }

    /// The number of stored keys, counting every copy; after a merge the sum of both.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filter's state as one value, which implements `Display`: keys, load, bytes, rate. Reads
    /// the whole table.
    ///
    /// ```
    /// use amq_cuckoo::{Budget, CuckooFilter};
    ///
    /// let filter = CuckooFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_cuckoo::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline(always)]
    #[must_use]
    pub fn params(&self) -> CuckooParams {
        self.table.params()
    }

    /// Slots in the table. Each holds one copy of one key.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.table.params().slots::<L>()
    }

    /// The stored fingerprints, every copy, in the order of the table.
    ///
    /// [`insert_fingerprint`](Cuckoo::insert_fingerprint) inserts a fingerprint into another
    /// filter, which must have the same parameters and seed. The filter does not store which of the
    /// two buckets came from the key's hash, so the position in a larger table is unknown.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut old = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// old.insert("a key")?;
    /// let mut rebuilt = CuckooFilter::new(Goal::fpr(1000, 0.01))?;
    /// for fingerprint in old.fingerprints() {
    ///     rebuilt.insert_fingerprint(fingerprint)?;
    /// }
    /// assert!(rebuilt.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn fingerprints(&self) -> Fingerprints<'_, L> {
        Fingerprints { table: self.table.view(), seed: self.header.seed, slot: 0 }
    }
}

impl<L: Layout, B: Bytes> Filter for Cuckoo<L, B> {
    fn kind(&self) -> FilterKind {
        L::KIND
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    #[inline]
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.header.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.bytes().len() as u64
    }

    /// The exact rate of this filter: the fraction of cells (a fingerprint with its pair of
    /// buckets) that are occupied. Reads the whole table in random order, about 20 ns per key.
    fn expected_fpr(&self) -> f64 {
        self.table.distinct() as f64 / theory::cells::<L>(&self.table.params())
    }

    fn load_factor(&self) -> f64 {
        self.len as f64 / self.slots() as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table.contains(self.table.pair(hash))
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        let table = self.table.view();
        let mut pairs = [BucketPair::default(); PREFETCH_GROUP];
        for (hashes, answers) in
            hashes.chunks(PREFETCH_GROUP).zip(answers.chunks_mut(PREFETCH_GROUP))
        {
            table.prefetch_pairs(hashes, &mut pairs);
            for (answer, &pair) in answers.iter_mut().zip(&pairs) {
                *answer = table.contains(pair);
            }
        }
        Ok(())
    }
}

impl<L: Layout, B: Bytes> CountFilter for Cuckoo<L, B> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::new(self.table.copies(self.table.pair(hash)))
    }
}

impl<L: Layout> Cuckoo<L> {
    /// Inserts hashes in order, and calls `note` with the index of each and whether it is new.
    #[inline(always)]
    fn insert_noting(
        &mut self,
        hashes: &[KeyHash],
        mut note: impl FnMut(usize, bool),
    ) -> Result<u64, BatchInsertError> {
        let mut pairs = [BucketPair::default(); PREFETCH_GROUP];
        let (mut done, mut new) = (0, 0);
        for hashes in hashes.chunks(PREFETCH_GROUP) {
            self.table.prefetch_pairs(hashes, &mut pairs);
            for &pair in &pairs[..hashes.len()] {
                match self.insert_pair(pair) {
                    Ok(inserted) => {
                        note(done, inserted.is_new());
                        new += u64::from(inserted.is_new());
                    }
                    Err(error) => return Err(BatchInsertError { done: done as u64, error }),
                }
                done += 1;
            }
        }
        Ok(new)
    }
}

impl<L: Layout> InsertFilter for Cuckoo<L> {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.insert_pair(self.table.pair(hash))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        self.insert_noting(hashes, |_, _| ())
    }

    fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, BatchInsertError> {
        BatchInsertError::check_length(hashes.len(), new.len())?;
        self.insert_noting(hashes, |i, is_new| new[i] = is_new)
    }
}

impl<L: Layout> RemoveFilter for Cuckoo<L> {
    #[inline(always)]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let removed = self.table.remove(self.table.pair(hash));
        self.len -= u64::from(removed);
        removed
    }
}

impl<L: Layout> ClearFilter for Cuckoo<L> {
    fn clear(&mut self) {
        self.table.clear();
        self.len = 0;
    }
}

impl<L: Layout> MergeFilter for Cuckoo<L> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged(other).map(drop)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        Self::merge(self, other)
    }
}

impl<L: Layout> PlanFilter for Cuckoo<L> {
    type Params = CuckooParams;

    fn plan(goal: Goal) -> Result<Plan<CuckooParams>, PlanError> {
        Ok(goal.plan_by(theory::plan::<L>)?.with_budget(goal.budget))
    }

    fn plan_params(params: CuckooParams, keys: u64) -> Result<Plan<CuckooParams>, PlanError> {
        theory::plan_params::<L>(params, keys)
    }

    fn predicted_fpr(params: &CuckooParams, keys: u64) -> PredictedFpr {
        theory::fpr::<L>(params, keys)
    }

    fn params(&self) -> CuckooParams {
        self.params()
    }
}

impl<L: Layout> EmptyFilter for Cuckoo<L> {
    fn empty(target: impl Into<Target<CuckooParams>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl<L: Layout> BuildFilter for Cuckoo<L> {
    /// Inserts each distinct hash once: the filter holds a set. Sorts a copy of the hashes.
    fn build_hashes(
        target: impl Into<BuildTarget<CuckooParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        UnevenHashes::check(hashes)?;
        Self::of_hashes(target.into(), seed, hashes.iter().copied())
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<CuckooParams>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        Self::of_hashes(target.into(), seed, keys.iter().map(|key| key.key_hash(seed)))
    }
}

/// Prints neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<L: Layout, B: Bytes> fmt::Debug for Cuckoo<L, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(L::NAME)
            .field("params", &self.params())
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}
