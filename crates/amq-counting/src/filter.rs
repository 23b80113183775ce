//! The filter type.

use crate::counters::{MAX, above_zero, saturated, sum, tally, words};
use crate::{Blocked, Classic, Layout};
use amq_bloom::probing::partition::Hashes;
#[cfg(feature = "rayon")]
use amq_core::HashSource;
use amq_core::internal::{Header, extend, fill_from_hashes, fill_from_keys};
#[cfg(feature = "rayon")]
use amq_core::internal::{par_extend, par_fill_from, rayon::prelude::*};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, Count, CountFilter,
    DEFAULT_SEED, EmptyFilter, Filter, FilterKind, Goal, InsertError, InsertFilter, Inserted, Key,
    KeyHash, LengthMismatch, MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr,
    RemoveFilter, Stats, Table, Target,
};
use core::fmt;

/// The counting Bloom filter: a key raises k counters anywhere in a table of m by one.
pub type CountingBloomFilter<B = Table> = Counting<Classic, B>;

/// The blocked counting filter: a key raises eight counters in one 64-byte block, one in each of
/// its eight words.
///
/// Every operation touches one cache line. This costs a fifth more space than
/// [`CountingBloomFilter`] at 1 %, and a third more at 0.1 %.
pub type BlockedCountingBloomFilter<B = Table> = Counting<Blocked, B>;

/// A [`CountingBloomFilter`] whose table is borrowed.
pub type CountingView<'a> = Counting<Classic, &'a [u8]>;

/// A [`BlockedCountingBloomFilter`] whose table is borrowed.
pub type BlockedCountingView<'a> = Counting<Blocked, &'a [u8]>;

/// A counting filter of either layout: [`CountingBloomFilter`] or [`BlockedCountingBloomFilter`].
///
/// `B` stores the table: a [`Table`], or for a view ([`CountingView`], [`BlockedCountingView`]) a
/// borrowed slice. See the [crate's documentation](crate) for the picture, the algorithm and the
/// formulas.
///
/// The most common methods are inherent. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct Counting<L: Layout, B = Table> {
    pub(crate) header: Header,
    pub(crate) params: L::Params,
    pub(crate) len: u64,
    pub(crate) table: B,
}

impl<L: Layout> Counting<L> {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<L::Params>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(target: impl Into<Target<L::Params>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        L::check(plan.params)?;
        let table = Table::zeroed(L::bytes(plan.params))?;
        Ok(Self { header: Header::new(&plan, seed), params: plan.params, len: 0, table })
    }

    /// Builds a filter of these keys, with the public [`DEFAULT_SEED`]. [`BuildFilter`] builds with
    /// another seed, from a slice of keys, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys, or a
    /// [`Goal`] or [`Plan`], with which more keys than planned are an error. The hashes are kept
    /// until the filter is built, 8 bytes each; the keys are not.
    ///
    /// ```
    /// use amq_counting::{Budget, CountingBloomFilter};
    ///
    /// let filter = CountingBloomFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<L::Params>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, with their size and rate. Allocates nothing.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let plan = CountingBloomFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_counting::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<L::Params>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. Never fails: beyond the planned number of keys the false-positive rate rises
    /// instead. Every copy is counted; from the fifteenth copy on, a key's counters are saturated.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key").is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Inserted {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline(always)]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Inserted {
        let new = L::insert(&mut self.table, self.params, hash);
        self.len = self.len.saturating_add(1);
        Inserted::from_change(new)
    }

    /// Removes one copy of `key`: lowers each of its counters by one, except those that are
    /// saturated. Returns `false` if it was definitely not in; then nothing changes.
    ///
    /// **Only remove what you inserted.** A false positive shares all of its counters with other
    /// keys, and lowering them makes the filter deny one of those.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.extend(["one", "two"]);
    /// assert!(filter.remove("one"));
    /// assert!(!filter.contains("one") && filter.contains("two"));
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool {
        self.remove_hash(key.key_hash(self.header.seed))
    }

    /// Adds the counters of the other filter, up to 15: every copy from either can be removed
    /// again. On an error nothing changes.
    ///
    /// Both must have the same parameters and seed. [`len`](Self::len) becomes the sum of both.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut theirs = ours.clone();
    /// ours.insert("one");
    /// theirs.insert("two");
    /// ours.merge(&theirs)?;
    /// assert!(ours.contains("one") && ours.contains("two"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }
}

impl<L: Layout, B: Bytes> Counting<L, B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_counting::{Budget, CountingBloomFilter};
    ///
    /// let filter = CountingBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of copies of `key`: the lowest of its counters. Too high if other keys share that
    /// counter too.
    ///
    /// ```
    /// use amq_counting::{CountingBloomFilter, Goal};
    ///
    /// let mut filter = CountingBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.extend(["one", "two", "two"]);
    /// assert_eq!(filter.count("two").estimate, 2);
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        self.count_hash(key.key_hash(self.header.seed))
    }

    /// The number of keys inserted minus the number removed, counting every copy. After a merge,
    /// the sum of both.
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
    /// use amq_counting::{Budget, CountingBloomFilter};
    ///
    /// let filter = CountingBloomFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_counting::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> L::Params {
        self.params
    }

    /// The number of counters at 15, which never change again: a key with such a counter can no
    /// longer be removed completely, and the filter may contain it for ever. Reads the whole table.
    ///
    /// At the design load there are none, unless a key was inserted fifteen times;
    /// `saturation_probability` in [`theory`](crate::theory) predicts them for either layout.
    #[must_use]
    pub fn saturated_counters(&self) -> u64 {
        tally(self.as_bytes(), saturated)
    }

    /// An estimate of the number of distinct keys, from the fraction of counters above zero;
    /// infinite if all are. Reads the whole table.
    #[must_use]
    pub fn estimated_cardinality(&self) -> f64 {
        L::keys_of_fill(self.params, self.load_factor())
    }

    /// The table, as in a file: counter `i` is the four bits from bit `i % 2 * 4` of byte `i / 2`.
    /// A block is 64 bytes; counters past the last are zero.
    #[inline(always)]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.table.as_ref()
    }
}

impl<L: Layout, B: Bytes> Filter for Counting<L, B> {
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
        self.as_bytes().len() as u64
    }

    /// The exact rate of this filter, from its counters above zero: `fill^k`, or the mean over the
    /// blocks of the product of the fills of their words. Includes collisions of hashes.
    fn expected_fpr(&self) -> f64 {
        L::fpr_of_table(self.as_bytes(), self.params, self.load_factor())
    }

    fn load_factor(&self) -> f64 {
        let (above, counters) = (tally(self.as_bytes(), above_zero), L::counters(self.params));
        // A view whose payload was not checked may have counters above zero past the last.
        above.min(counters) as f64 / counters as f64
    }

    fn saturated(&self) -> u64 {
        self.saturated_counters()
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        L::contains(self.as_bytes(), self.params, hash)
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        L::contains_each(self.as_bytes(), self.params, hashes, answers);
        Ok(())
    }
}

impl<L: Layout> RemoveFilter for Counting<L> {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let removed = L::remove(&mut self.table, self.params, hash);
        self.len = self.len.saturating_sub(u64::from(removed));
        removed
    }
}

impl<L: Layout, B: Bytes> CountFilter for Counting<L, B> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::up_to(L::count(self.as_bytes(), self.params, hash), MAX)
    }
}

impl<L: Layout> Counting<L> {
    #[inline(always)]
    fn insert_many(&mut self, hashes: Hashes<'_>) -> u64 {
        L::insert_many(&mut self.table, self.params, &mut self.len, hashes)
    }
}

impl<L: Layout> InsertFilter for Counting<L> {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Self::insert_hash(self, hash))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::Slice(hashes)))
    }

    fn insert_from(
        &mut self,
        about: u64,
        next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
    ) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::From(about, next)))
    }

    #[cfg(feature = "rayon")]
    fn par_insert_from(&mut self, hashes: &dyn HashSource) -> Result<u64, BatchInsertError> {
        Ok(self.insert_many(Hashes::Shared(hashes)))
    }
}

impl<L: Layout> ClearFilter for Counting<L> {
    fn clear(&mut self) {
        self.table.fill(0);
        self.len = 0;
    }
}

impl<L: Layout> MergeFilter for Counting<L> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        L::check_same(self.params, other.params)?;
        self.header.check_seeds(&other.header)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        let ours = self.table.as_chunks_mut().0.iter_mut();
        for (word, theirs) in ours.zip(words(&other.table)) {
            *word = sum(u64::from_le_bytes(*word), theirs).to_le_bytes();
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}

impl<L: Layout> PlanFilter for Counting<L> {
    type Params = L::Params;

    fn plan(goal: Goal) -> Result<Plan<L::Params>, PlanError> {
        Ok(goal.plan_by(L::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: L::Params, keys: u64) -> Result<Plan<L::Params>, PlanError> {
        L::plan_params(params, keys)
    }

    fn predicted_fpr(params: &L::Params, keys: u64) -> PredictedFpr {
        L::predicted_fpr(params, keys)
    }

    fn params(&self) -> L::Params {
        self.params
    }
}

impl<L: Layout> EmptyFilter for Counting<L> {
    fn empty(target: impl Into<Target<L::Params>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl<L: Layout> BuildFilter for Counting<L> {
    fn build_hashes(
        target: impl Into<BuildTarget<L::Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        fill_from_hashes(target, seed, hashes)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<L::Params>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        fill_from_keys(target, seed, keys)
    }

    #[cfg(feature = "rayon")]
    fn par_build_from(
        target: impl Into<BuildTarget<L::Params>>,
        seed: u64,
        hashes: &dyn HashSource,
    ) -> Result<Self, BuildError> {
        par_fill_from(target, seed, hashes)
    }
}

/// Keeps the hashes of all keys until they are inserted, 8 bytes each.
#[cfg(feature = "rayon")]
impl<L: Layout, K: Key + Send> ParallelExtend<K> for Counting<L> {
    fn par_extend<I: IntoParallelIterator<Item = K>>(&mut self, keys: I) {
        par_extend(self, keys);
    }
}

impl<L: Layout, K: Key> Extend<K> for Counting<L> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        extend(self, keys);
    }
}

/// Prints neither the table, which may be gigabytes, nor the seed, which may be secret.
impl<L: Layout, B: Bytes> fmt::Debug for Counting<L, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(L::NAME)
            .field("params", &self.params)
            .field("len", &self.len)
            .field("capacity", &self.header.capacity)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{vec, vec::Vec};
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Bytes whose `as_ref` differs each time, in length and in address.
    struct Restless {
        tables: Vec<Vec<u8>>,
        asked: AtomicUsize,
    }

    impl AsRef<[u8]> for Restless {
        fn as_ref(&self) -> &[u8] {
            let asked = self.asked.fetch_add(1, Relaxed);
            let table = &self.tables[asked % self.tables.len()];
            &table[table.len().min(asked % 11)..]
        }
    }

    fn keeps_to_the_bytes_it_gets<L: Layout>() {
        let filter = Counting::<L>::build(Goal::fpr(300, 0.01), 0..300u64).unwrap();
        let table = filter.as_bytes();
        let mut tables: Vec<_> = [0, 1, 63, 64, 75, table.len() / 2, table.len() - 1]
            .map(|bytes| table[..bytes].to_vec())
            .into();
        tables.extend([table.to_vec(), table.repeat(2), vec![0xFF; 3 * table.len() + 5]]);
        let (header, params, len) = (filter.header, filter.params, filter.len);
        let asked = AtomicUsize::new(0);
        let restless = Counting::<L, _> { header, params, len, table: Restless { tables, asked } };

        let steps = if cfg!(miri) { 60 } else { 5000 };
        let (mut answered, mut panicked) = (0, 0);
        let mut try_to = |ask: &mut dyn FnMut()| {
            let outcome = catch_unwind(AssertUnwindSafe(ask));
            *if outcome.is_ok() { &mut answered } else { &mut panicked } += 1;
        };
        for step in 0..steps {
            let hashes: Vec<_> = (step..step + 40).map(|key| KeyHash::of(&key, 0)).collect();
            let mut answers = vec![false; hashes.len()];
            try_to(&mut || _ = restless.contains_hash(hashes[0]));
            try_to(&mut || _ = restless.count_hash(hashes[0]));
            try_to(&mut || restless.contains_batch(&hashes, &mut answers).unwrap());
            assert!((0.0..=1.0).contains(&restless.load_factor()));
            assert!(restless.expected_fpr() >= 0.0);
            assert!(restless.saturated_counters() <= 6 * table.len() as u64);
        }
        assert_eq!(answered + panicked, 3 * steps);
        assert!(answered > steps && panicked > steps / 10, "{answered} {panicked}");
    }

    #[test]
    fn bytes_that_change_give_wrong_answers_and_nothing_worse() {
        keeps_to_the_bytes_it_gets::<Classic>();
        keeps_to_the_bytes_it_gets::<Blocked>();
    }
}
