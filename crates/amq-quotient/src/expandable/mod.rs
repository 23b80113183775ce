//! The expandable quotient filter.

mod grow;
pub(crate) mod params;

use crate::edit::Removed;
use crate::entry::{VariableLength, width};
use crate::filter::Hashes;
use crate::pack::pack;
use crate::stream::Fingerprints;
use crate::table::SlotTable;
use crate::theory::expandable as theory;
use crate::validate::Contents;
use crate::{ExpandableParams, MAX_COPIES, simd, sort};
use amq_core::internal::{Header, fill_from_hashes};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, Bytes, ClearFilter, Count, CountFilter,
    DEFAULT_SEED, DecodeError, EmptyFilter, Filter, FilterKind, Goal, InsertError, InsertFilter,
    Inserted, Key, KeyHash, LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr,
    RemoveFilter, Stats, Table, Target, UnevenHashes,
};
use core::fmt;

/// A quotient filter that doubles whenever it is full: for sets of unknown size.
///
/// A key keeps as many bits of its hash as the table distinguished when the key was inserted. So
/// later keys have longer fingerprints than earlier ones, and the rate stays below the one asked
/// for while the filter doubles [`max_doublings`](ExpandableParams::max_doublings) times. See the
/// [crate's documentation](crate#growing-without-a-bound) for the picture and the formula.
///
/// ```
/// use amq_quotient::{ExpandableQuotientFilter, Filter, Goal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Starts with room for a thousand keys. At most 1 % wrong, however many come.
/// let mut seen = ExpandableQuotientFilter::new(Goal::fpr(1_000, 0.01))?;
/// for user in 0..100_000u64 {
///     seen.insert(&user)?;
/// }
/// assert!(seen.contains(&4711u64));
/// assert_eq!(seen.params().doublings, 7);
/// assert!(seen.expected_fpr() < 0.01);
/// assert!(seen.remove(&4711u64));
/// # Ok(())
/// # }
/// ```
///
/// Filters of this kind do not merge: each grown filter has used up its rate, and their union would
/// have the sum.
///
/// Two filters are equal if they have the same parameters, seed, capacity and number of keys, and
/// the same entries equally often. `B` holds the table: a [`Table`], or for a
/// [view](crate::ExpandableQuotientView) a borrowed slice.
///
/// The methods used most need no import. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone, PartialEq, Eq)]
pub struct ExpandableQuotientFilter<B = Table> {
    /// Has more entries than keys if entries without bits occupy several slots.
    pub(crate) table: SlotTable<B, VariableLength>,
    pub(crate) header: Header,
    pub(crate) params: ExpandableParams,
    pub(crate) len: u64,
}

/// An [`ExpandableQuotientFilter`] whose table is borrowed: what
/// [`FilterFile::view`](crate::FilterFile::view) returns.
pub type ExpandableQuotientView<'a> = ExpandableQuotientFilter<&'a [u8]>;

/// The error of one copy too many.
const COPIES: InsertError = InsertError::Copies { copies: MAX_COPIES };

impl ExpandableQuotientFilter {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    ///
    /// // Room for a thousand keys, and then for more, at a false-positive rate of 1 %.
    /// let filter = ExpandableQuotientFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<ExpandableParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<ExpandableParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let params = plan.params.first();
        let table = SlotTable::new(params.table())?;
        Ok(Self { header: Header::new(&plan, seed), params, table, len: 0 })
    }

    /// Builds a filter of these keys, every copy, with the public [`DEFAULT_SEED`]. Much faster
    /// than inserting them. [`BuildFilter`] builds with another seed, and from hashes.
    ///
    /// `target` is a [`Budget`](crate::Budget), which sizes the filter to the number of keys; or a
    /// [`Goal`] or [`Plan`], and more keys than planned are an error. The keys are not kept; their
    /// hashes are, 8 bytes each, until the filter is made.
    ///
    /// ```
    /// use amq_quotient::{Budget, ExpandableQuotientFilter};
    ///
    /// let filter = ExpandableQuotientFilter::build(Budget::Fpr(0.01), ["one", "two", "three"])?;
    /// assert!(filter.contains("two"));
    /// assert_eq!(filter.len(), 3);
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    pub fn build<K: Key>(
        target: impl Into<BuildTarget<ExpandableParams>>,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, BuildError> {
        Self::build_iter(target, DEFAULT_SEED, keys)
    }

    /// The best parameters for a goal, their cost and their rate. Allocates nothing.
    ///
    /// ```
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    ///
    /// let plan = ExpandableQuotientFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.01);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_quotient::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<ExpandableParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. If it is refused, nothing changes.
    ///
    /// Stores every copy. When 95 % of the slots are in use, the filter doubles first. Refused only
    /// after the last allowed doubling, if [`MAX_COPIES`] entries already match the key, or if the
    /// larger table cannot be allocated.
    ///
    /// ```
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = ExpandableQuotientFilter::new(Goal::fpr(1000, 0.01))?;
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
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = ExpandableQuotientFilter::new(Goal::fpr(1000, 0.01))?;
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
    /// Removes the longest entry that matches the key, so every other key keeps one.
    ///
    /// **Remove only what was stored**, once for each copy: keys that [`insert`](Self::insert)
    /// accepted, or that were `New` to [`insert_unique`](Self::insert_unique). Any other key that
    /// is answered `true` shares its fingerprint with a stored key, and removing it makes the
    /// filter deny that key.
    ///
    /// An entry whose bits are used up, because the table has doubled more often since its
    /// insertion than its fingerprint had bits, occupies several slots. Only the key's own slot is
    /// freed. The others still match until the last key is removed, which clears them; the planned
    /// rate allows for them, and [`expected_fpr`](Filter::expected_fpr) includes them.
    ///
    /// ```
    /// use amq_quotient::{ExpandableQuotientFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = ExpandableQuotientFilter::new(Goal::fpr(1000, 0.01))?;
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

    /// Clears the table, at its present size, once the last key has been removed, if entries are
    /// left in other slots. There are none unless the table has doubled since it was last empty,
    /// which took longer than this.
    ///
    /// Leftovers of removed keys have no bits. If an entry with bits is found, it belongs to a key,
    /// and the number of keys was too low: absent keys were removed, or the file was wrong. The
    /// number is corrected, and no key is lost.
    #[cold]
    #[inline(never)]
    fn forget_leftovers(&mut self) {
        let bits = self.table.fields.bits;
        let entries = Fingerprints::new(&self.table);
        self.len = entries.filter(|&entry| !grow::is_void(entry, bits)).count() as u64;
        if self.len == 0 {
            self.table.clear();
        }
    }
}

impl<B: Bytes> ExpandableQuotientFilter<B> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_quotient::{Budget, ExpandableQuotientFilter};
    ///
    /// let filter = ExpandableQuotientFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!((0..1000u64).all(|key| filter.contains(&key)));
    /// // Fewer than one absent key in a hundred is answered `true`.
    /// let wrong = (1000..11_000u64).filter(|key| filter.contains(key)).count();
    /// assert!(wrong < 100);
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
    /// use amq_quotient::{Budget, ExpandableQuotientFilter};
    ///
    /// let filter = ExpandableQuotientFilter::build(Budget::Fpr(0.01), ["one", "two", "two"])?;
    /// assert_eq!(filter.count("two").estimate, 2);
    /// # Ok::<(), amq_quotient::BuildError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Count {
        self.count_hash(key.key_hash(self.header.seed))
    }

    /// The number of stored keys, counting every copy.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Slots in use. At least [`len`](Self::len): entries whose bits are used up occupy several.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.table.entries
    }

    /// The filter's state in one value that prints itself: keys, load, bytes, rate.
    ///
    /// ```
    /// use amq_quotient::{Budget, ExpandableQuotientFilter};
    ///
    /// let filter = ExpandableQuotientFilter::build(Budget::Fpr(0.01), 0..1000u64)?;
    /// assert!(filter.stats().expected_fpr < 0.01);
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
    pub fn params(&self) -> ExpandableParams {
        self.params
    }

    /// A hash for each entry, in rising order: the middle one of those that the entry matches.
    ///
    /// This filter answers `true` for each. Do not insert them into another filter: an older entry
    /// matches many hashes, of which this is only one. Entries whose bits are used up are listed
    /// once for every slot they occupy.
    pub fn iter(&self) -> Hashes<'_> {
        Hashes::new(&self.table)
    }

    /// Reads the whole table, and checks that inserts and removals could have made it: runs, order,
    /// offsets, ages, counts.
    ///
    /// Every way of reading a file does this, except with
    /// [`unchecked_payload`](crate::LoadOptions::unchecked_payload).
    pub fn validate(&self) -> Result<(), DecodeError> {
        let Contents { keys, distinct } = simd::contents(&self.table)?;
        // An entry has one bit of tail for each doubling since its insertion, at most for all of
        // them.
        let oldest = 1 << self.params.doublings.min(self.params.fingerprint_bits);
        let what = if self.table.entries != keys {
            "number of entries"
        } else if self.table.distinct != distinct {
            "number of fingerprints"
        } else if Fingerprints::new(&self.table).any(|entry| width(entry) > oldest) {
            "age of an entry"
        } else {
            return Ok(());
        };
        Err(DecodeError::Structure { what })
    }
}

impl<B: Bytes> Filter for ExpandableQuotientFilter<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::ExpandableQuotient
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    #[inline]
    fn len(&self) -> u64 {
        self.len
    }

    /// The keys it was planned for while they suffice; then the most that the present table holds
    /// before it doubles. No healthy filter holds more.
    fn capacity(&self) -> u64 {
        let first = self.header.capacity;
        if self.params.doublings == 0 && self.entries() <= first {
            return first;
        }
        self.params.max_entries().max(first)
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.bytes().len() as u64
    }

    /// The share of all fingerprints that are answered `true`: the exact rate of this filter. Does
    /// not read the table.
    fn expected_fpr(&self) -> f64 {
        let of = self.params.fingerprints();
        (self.table.distinct as f64 / of as f64).min(1.0)
    }

    fn load_factor(&self) -> f64 {
        self.entries() as f64 / self.params.slots as f64
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

impl<B: Bytes> CountFilter for ExpandableQuotientFilter<B> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::new(simd::count(&self.table, self.table.fingerprint(hash)))
    }
}

impl InsertFilter for ExpandableQuotientFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.make_room(hash)?;
        let fingerprint = self.table.fingerprint(hash);
        let inserted = simd::insert(&mut self.table, fingerprint).ok_or(COPIES)?;
        self.len += 1;
        self.table.entries += 1;
        self.table.distinct += u64::from(inserted.is_new());
        Ok(inserted)
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let (mut done, mut new) = (0, 0);
        while done < hashes.len() {
            let refused = |error| BatchInsertError { done: done as u64, error };
            self.make_room(hashes[done]).map_err(refused)?;
            let (now, of_these) = simd::insert_each(&mut self.table, &hashes[done..]);
            if now == 0 {
                return Err(refused(COPIES));
            }
            self.len += now as u64;
            (done, new) = (done + now, new + of_these);
        }
        Ok(new)
    }
}

impl RemoveFilter for ExpandableQuotientFilter {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let fingerprint = self.table.fingerprint(hash);
        let removed = simd::remove(&mut self.table, fingerprint);
        if removed == Removed::Nothing {
            return false;
        }
        self.table.entries -= 1;
        // The entry may be a leftover of a key removed earlier.
        self.len = self.len.saturating_sub(1);
        if let Removed::Last { alone } = removed {
            self.table.distinct -= alone;
        }
        if self.len == 0 && self.table.entries > 0 {
            self.forget_leftovers();
        }
        true
    }
}

impl ClearFilter for ExpandableQuotientFilter {
    /// Removes every key, and shrinks to the first table's size.
    fn clear(&mut self) {
        let first = self.params.first();
        let small = match self.params.doublings {
            0 => None,
            _ => SlotTable::new(first.table()).ok(),
        };
        self.table = small.unwrap_or_else(|| {
            // Without memory for a smaller table, reuses the present one.
            let mut bytes = core::mem::take(&mut self.table.bytes);
            bytes.truncate(first.bytes());
            bytes.fill(0);
            SlotTable::over(first.table(), bytes)
        });
        self.params = first;
        self.len = 0;
    }
}

impl PlanFilter for ExpandableQuotientFilter {
    type Params = ExpandableParams;

    fn plan(goal: Goal) -> Result<Plan<ExpandableParams>, PlanError> {
        Ok(goal.plan_by(theory::plan)?.with_budget(goal.budget))
    }

    fn plan_params(
        params: ExpandableParams,
        keys: u64,
    ) -> Result<Plan<ExpandableParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted_fpr(params: &ExpandableParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    fn params(&self) -> ExpandableParams {
        self.params
    }
}

impl EmptyFilter for ExpandableQuotientFilter {
    fn empty(target: impl Into<Target<ExpandableParams>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl BuildFilter for ExpandableQuotientFilter {
    /// Sorts the fingerprints, eight bytes each, and writes the first table from end to end. Keeps
    /// every copy of a key, even more than [`MAX_COPIES`].
    fn build_hashes(
        target: impl Into<BuildTarget<ExpandableParams>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        UnevenHashes::check(hashes)?;
        let len = hashes.len() as u64;
        let plan = target.into().plan::<Self>(len)?;
        plan.params.check()?;
        let params = plan.params.first();
        if len > params.max_entries() {
            return fill_from_hashes(plan, seed, hashes);
        }
        let sorted = sort::sorted(hashes, params.table().fingerprints())?;
        // The lowest bit of a slot is the 1 that ends a fingerprint.
        let table = pack(params.table(), len, sorted.iter().map(|bits| bits | 1))?;
        Ok(Self { header: Header::new(&plan, seed), params, table, len })
    }
}

/// Omits the table, which may be gigabytes, and the seed, which may be secret.
impl<B: Bytes> fmt::Debug for ExpandableQuotientFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpandableQuotientFilter")
            .field("params", &self.params)
            .field("len", &self.len)
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}
