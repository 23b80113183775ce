//! The quotient filter.

use crate::edit::Removed;
use crate::entry::{Entry, FixedLength};
use crate::error::refusal;
use crate::pack::pack;
use crate::stream::Fingerprints;
use crate::table::SlotTable;
use crate::validate::Contents;
use crate::{QuotientParams, simd, sort, theory};
use amq_core::internal::Header;
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, Count, CountFilter,
    DEFAULT_SEED, DecodeError, EmptyFilter, Filter, FilterKind, Goal, InsertError, InsertFilter,
    Inserted, Key, KeyHash, LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr,
    RemoveFilter, Stats, Table, Target, UnevenHashes,
};
use core::fmt;

/// The quotient filter: a key's hash is split into a quotient, the number of its home slot, and a
/// remainder, which is stored as near to its home as possible.
///
/// Two filters are equal if they have the same parameters, seed and capacity, and hold the same
/// fingerprints equally often, whatever their history: the contents of a table determine every bit
/// of it.
///
/// `B` holds the table: a [`Table`], or for a [view](crate::QuotientView) a borrowed slice.
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
///
/// The methods used most need no import. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct QuotientFilter<B = Table> {
    /// Its entries are the keys.
    pub(crate) table: SlotTable<B, FixedLength>,
    pub(crate) header: Header,
}

/// A [`QuotientFilter`] whose table is borrowed: what [`FilterFile::view`](crate::FilterFile::view)
/// returns.
pub type QuotientView<'a> = QuotientFilter<&'a [u8]>;

impl QuotientFilter {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = QuotientFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<QuotientParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<QuotientParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        Ok(Self { header: Header::new(&plan, seed), table: SlotTable::new(plan.params)? })
    }

    /// Builds a filter of these keys, every copy, with the public [`DEFAULT_SEED`]. Much faster
    /// than inserting them. [`BuildFilter`] builds with another seed, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`] or [`Plan`], and more keys than planned are an error. The keys are not kept; their
    /// hashes are, 8 bytes each, until the filter is made.
    ///
    /// ```
    /// use amq_quotient::{Budget, QuotientFilter};
    ///
    /// let filter = QuotientFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<QuotientParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, their cost and their rate. Allocates nothing.
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
    ///
    /// let plan = QuotientFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_quotient::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<QuotientParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. If it is refused, nothing changes.
    ///
    /// Stores every copy. Refused when 95 % of the slots are in use, unless the filter may grow.
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = QuotientFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key")?.is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Inserts `key` unless the filter already answers `true` for it; then nothing changes. Keeps
    /// copies of repeated keys from filling up a set.
    ///
    /// **Remove only what was stored.** A key that was answered [`Inserted::MaybePresent`] was not
    /// stored: it was found by another key's fingerprint, and may be denied after any removal.
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = QuotientFilter::new(Goal::fpr(1000, 0.01))?;
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

    /// Removes one copy of `key`. `false`: it was certainly not in the filter, and nothing changed.
    ///
    /// **Remove only what was stored**, once for each copy: keys that [`insert`](Self::insert)
    /// accepted, or that were `New` to [`insert_unique`](Self::insert_unique). Any other key that
    /// is answered `true` shares its fingerprint with a stored key, and removing it makes the
    /// filter deny that key.
    ///
    /// ```
    /// use amq_quotient::{Goal, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = QuotientFilter::new(Goal::fpr(1000, 0.01))?;
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

    /// Makes room for one more key, by growing if that is allowed.
    #[inline(always)]
    fn make_room(&mut self) -> Result<(), InsertError> {
        if self.table.entries < self.table.max_keys {
            return Ok(());
        }
        self.grow_for_a_key()
    }
}

impl<B: Bytes> QuotientFilter<B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_quotient::{Budget, QuotientFilter};
    ///
    /// let filter = QuotientFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // One absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 200);
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of copies of `key`, and of the few keys that share its fingerprint. Never
    /// saturated.
    ///
    /// ```
    /// use amq_quotient::{Budget, QuotientFilter};
    ///
    /// let filter = QuotientFilter::build(Budget::Fpr(0.01), ["one", "two", "two"])?;
    /// assert_eq!(filter.count("two").estimate, 2);
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        self.count_hash(key.key_hash(self.header.seed))
    }

    /// The number of stored keys, counting every copy; after a merge the sum of both.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.table.entries
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of distinct fingerprints: [`len`](Self::len) without further copies, and without
    /// keys that share another key's fingerprint.
    #[must_use]
    pub fn distinct_len(&self) -> u64 {
        self.table.distinct
    }

    /// The filter's state in one value that prints itself: keys, load, bytes, rate.
    ///
    /// ```
    /// use amq_quotient::{Budget, QuotientFilter};
    ///
    /// let filter = QuotientFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.02);
    /// println!("{}", filter.stats());
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> QuotientParams {
        self.table.params
    }

    /// The stored hashes in rising order, every copy.
    ///
    /// The filter stores the leading bits of a hash, and this returns the least hash with these
    /// bits. This filter answers `true` for it. If it is inserted into a filter with fewer
    /// fingerprints by a power of two, that filter answers `true` for the original hash.
    ///
    /// ```
    /// use amq_quotient::{Budget, Filter, QuotientFilter};
    ///
    /// let filter = QuotientFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.iter().is_sorted());
    /// assert!(filter.iter().all(|hash| filter.contains_hash(hash)));
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    pub fn iter(&self) -> Hashes<'_> {
        Hashes::new(&self.table)
    }

    /// Reads the whole table, and checks that inserts and removals could have made it: runs, order,
    /// offsets, counts.
    ///
    /// Every way of reading a file does this, except with
    /// [`unchecked_payload`](crate::LoadOptions::unchecked_payload).
    pub fn validate(&self) -> Result<(), DecodeError> {
        let Contents { keys, distinct } = simd::contents(&self.table)?;
        let what = match (self.table.entries == keys, self.table.distinct == distinct) {
            (true, true) => return Ok(()),
            (false, _) => "number of keys",
            (true, false) => "number of different fingerprints",
        };
        Err(DecodeError::Structure { what })
    }
}

impl<B: Bytes> Filter for QuotientFilter<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::Quotient
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    #[inline]
    fn len(&self) -> u64 {
        self.table.entries
    }

    /// The keys it was planned for; or the most that its slots hold, if it has been shrunk below
    /// the plan and may not grow again by itself.
    fn capacity(&self) -> u64 {
        self.header.capacity.min(self.table.params.grown().max_keys())
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.bytes().len() as u64
    }

    /// The share of all fingerprints that are stored: the exact rate of this filter. Reads no
    /// table.
    fn expected_fpr(&self) -> f64 {
        theory::fpr_of_distinct(&self.table.params, self.table.distinct)
    }

    fn load_factor(&self) -> f64 {
        self.table.entries as f64 / self.table.params.slots as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        simd::contains(&self.table, self.table.fingerprint(hash))
    }

    #[inline]
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        simd::contains_each(&self.table, hashes, answers);
        Ok(())
    }
}

impl<B: Bytes> CountFilter for QuotientFilter<B> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::new(simd::count(&self.table, self.table.fingerprint(hash)))
    }
}

impl InsertFilter for QuotientFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.make_room()?;
        let fingerprint = self.table.fingerprint(hash);
        self.table.entries += 1;
        let new = simd::insert(&mut self.table, fingerprint) == Some(Inserted::New);
        self.table.distinct += u64::from(new);
        Ok(Inserted::from_change(new))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let (mut done, mut new) = (0, 0);
        while done < hashes.len() {
            let refused = |error| BatchInsertError { done: done as u64, error };
            self.make_room().map_err(refused)?;
            let (now, of_these) = simd::insert_each(&mut self.table, &hashes[done..]);
            (done, new) = (done + now, new + of_these);
        }
        Ok(new)
    }
}

impl RemoveFilter for QuotientFilter {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let fingerprint = self.table.fingerprint(hash);
        let removed = simd::remove(&mut self.table, fingerprint);
        self.table.entries -= u64::from(removed != Removed::Nothing);
        self.table.distinct -= u64::from(matches!(removed, Removed::Last { .. }));
        removed != Removed::Nothing
    }
}

impl ClearFilter for QuotientFilter {
    fn clear(&mut self) {
        self.table.clear();
    }
}

impl PlanFilter for QuotientFilter {
    type Params = QuotientParams;

    fn plan(goal: Goal) -> Result<Plan<QuotientParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
    }

    fn plan_params(params: QuotientParams, keys: u64) -> Result<Plan<QuotientParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &QuotientParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn params(&self) -> QuotientParams {
        self.table.params
    }
}

impl EmptyFilter for QuotientFilter {
    fn empty(target: impl Into<Target<QuotientParams>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl BuildFilter for QuotientFilter {
    /// Sorts the fingerprints, eight bytes each, and writes the table from end to end.
    fn build_hashes(
        target: impl Into<BuildTarget<QuotientParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        UnevenHashes::check(hashes)?;
        let len = hashes.len() as u64;
        let plan = target.into().plan::<Self>(len)?;
        plan.params.check()?;
        let Some(params) = plan.params.size_for(len) else {
            // As if they had been inserted one by one.
            let params = plan.params.grown();
            let done = params.max_keys();
            let full = refusal(params, done, plan.keys.min(done));
            return Err(BatchInsertError { done, error: full }.into());
        };
        let sorted = sort::sorted(hashes, params.fingerprints())?;
        let table = pack(params, len, sorted.iter().copied())?;
        Ok(Self { header: Header::new(&plan, seed), table })
    }
}

impl<'a, B: Bytes> IntoIterator for &'a QuotientFilter<B> {
    type Item = KeyHash;
    type IntoIter = Hashes<'a>;

    fn into_iter(self) -> Hashes<'a> {
        self.iter()
    }
}

/// Omits the table, which may be gigabytes, and the seed, which may be secret.
impl<B: Bytes> fmt::Debug for QuotientFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuotientFilter")
            .field("params", &self.params())
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}

/// The stored hashes of a filter; see [`QuotientFilter::iter`] and
/// [`ExpandableQuotientFilter::iter`](crate::ExpandableQuotientFilter::iter).
#[derive(Clone)]
pub struct Hashes<'a> {
    fingerprints: Fingerprints<'a>,
    /// The number of possible fingerprints.
    of: u64,
    left: u64,
}

impl<'a> Hashes<'a> {
    pub(crate) fn new<B: Bytes, E: Entry>(table: &'a SlotTable<B, E>) -> Self {
        // An unchecked table may list more.
        Self { fingerprints: Fingerprints::new(table), of: table.fingerprints, left: table.entries }
    }
}

impl Iterator for Hashes<'_> {
    type Item = KeyHash;

    fn next(&mut self) -> Option<KeyHash> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let fingerprint = self.fingerprints.next()?;
        // The least h with floor(h * of / 2^64) = fingerprint.
        let hash = (u128::from(fingerprint) << 64).div_ceil(u128::from(self.of));
        Some(KeyHash::new(hash as u64))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl core::iter::FusedIterator for Hashes<'_> {}

impl fmt::Debug for Hashes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hashes").field("left", &self.left).finish_non_exhaustive()
    }
}
