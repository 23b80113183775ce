//! The filter.

use crate::fingerprints::{Fingerprint, Fingerprints};
use crate::ops::Refused;
use crate::table::{Place, Table};
use crate::{Buckets, CuckooParams, Layout, Windows, theory};
use alloc::vec::Vec;
use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter,
    Filter, FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch,
    MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, RemoveFilter,
};
use core::fmt;

/// The cuckoo filter: a key is a fingerprint in one of two buckets of four slots.
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
pub type CuckooFilter = Cuckoo<Buckets>;

/// The cuckoo filter whose buckets overlap, two slots each: a tenth smaller at the same rate, and three times slower to fill.
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
pub type WindowedCuckooFilter = Cuckoo<Windows>;

/// How many keys of a batch are looked up in the table together: their buckets are asked for, all of them, before the first is
/// looked at.
const TOGETHER: usize = 32;

/// A cuckoo filter of either layout: [`CuckooFilter`] or [`WindowedCuckooFilter`].
#[derive(Clone, PartialEq, Eq)]
pub struct Cuckoo<L: Layout> {
    table: Table<L>,
    seed: u64,
    capacity: u64,
    len: u64,
}

impl<L: Layout> Cuckoo<L> {
    /// An empty filter for a goal, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal) -> Result<Self, BuildError> {
        Self::with_seed(goal, DEFAULT_SEED)
    }

    /// An empty filter for a goal, with a seed of one's own.
    pub fn with_seed(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::with_goal(goal, seed)
    }

    /// An empty filter with explicit parameters; `capacity` is what [`Filter::capacity`] will say.
    ///
    /// Nothing says that so many keys will go in: that is what [`PlanFilter::plan`] sees to.
    pub fn from_params(params: CuckooParams, capacity: u64, seed: u64) -> Result<Self, BuildError> {
        params.check::<L>()?;
        Ok(Self {
            table: Table::new(&params)?,
            seed,
            capacity,
            len: 0,
        })
    }

    /// Slots in the table, each of which holds one copy of one key.
    pub fn slots(&self) -> u64 {
        self.params().slots::<L>()
    }

    /// The share of slots in use, 0 to 1.
    pub fn load_factor(&self) -> f64 {
        self.len as f64 / self.slots() as f64
    }

    /// Puts in `key` unless it is, or seems to be, there already: then nothing is stored for it.
    ///
    /// For sets whose keys may come again and are not taken out. **A key that was not stored must not be removed**: what is stored in
    /// its place may be another key's, which the filter would then forget. Where keys are taken out use [`insert`](InsertFilter::insert),
    /// once for each [`remove`](RemoveFilter::remove).
    #[inline]
    pub fn insert_unique<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, Full> {
        self.insert_unique_hash(key.key_hash(self.seed))
    }

    /// The same for the key with this hash; see [`insert_unique`](Cuckoo::insert_unique).
    #[inline]
    pub fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        let place = self.table.place(hash);
        if self.table.contains(place) {
            return Ok(Inserted::MaybePresent);
        }
        self.insert_place(place)
    }

    /// All that is stored, copy by copy, in the order of the table.
    ///
    /// A fingerprint goes into another filter of the same parameters and seed by
    /// [`insert_fingerprint`](Cuckoo::insert_fingerprint), and into no other: which of its two buckets its key's hash began with is not stored, so
    /// there is no telling where it would be in a larger table.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Filter, Goal, InsertFilter};
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
    pub const fn fingerprints(&self) -> Fingerprints<'_, L> {
        Fingerprints::new(&self.table, self.seed, self.len)
    }

    /// Puts in what another filter of the same parameters and seed stored.
    pub fn insert_fingerprint(
        &mut self,
        fingerprint: Fingerprint<L>,
    ) -> Result<Inserted, MergeError> {
        let Fingerprint {
            params,
            seed,
            bucket,
            tag,
            ..
        } = fingerprint;
        MergeError::check_seeds(self.seed, seed)?;
        self.check_params(params)?;
        self.insert_place(self.table.place_of(bucket, tag))
            .map_err(MergeError::Full)
    }

    fn check_params(&self, theirs: CuckooParams) -> Result<(), MergeError> {
        let ours = self.params();
        MergeError::check("buckets", ours.buckets, theirs.buckets)?;
        MergeError::check(
            "fingerprint_bits",
            ours.fingerprint_bits.into(),
            theirs.fingerprint_bits.into(),
        )
    }

    #[inline(always)]
    fn insert_place(&mut self, place: Place) -> Result<Inserted, Full> {
        match self.table.insert(place) {
            Ok(inserted) => {
                self.len += 1;
                Ok(inserted)
            }
            Err(refused) => Err(self.refusal(refused)),
        }
    }

    #[cold]
    fn refusal(&self, refused: Refused) -> Full {
        match refused {
            Refused::Copies(copies) => Full::Copies { copies },
            Refused::Full => Full::Table {
                len: self.len,
                capacity: self.capacity,
                load: self.load_factor(),
            },
        }
    }

    /// The places of some hashes, whose buckets are asked for.
    #[inline(always)]
    fn places(&self, hashes: &[KeyHash], places: &mut [Place; TOGETHER]) {
        for (place, &hash) in places.iter_mut().zip(hashes) {
            *place = self.table.place(hash);
            self.table.prefetch(place.first);
            self.table.prefetch(place.second);
        }
    }

    /// A filter of all different hashes.
    fn of_hashes(
        budget: Budget,
        seed: u64,
        hashes: impl ExactSizeIterator<Item = KeyHash>,
    ) -> Result<Self, BuildError> {
        let mut sorted: Vec<KeyHash> = amq_core::zeroed(hashes.len() as u64)?;
        for (own, hash) in sorted.iter_mut().zip(hashes) {
            *own = hash;
        }
        sorted.sort_unstable();
        sorted.dedup();
        Self::filled(budget, seed, &sorted)
    }

    /// What both filters together would be.
    fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        self.check_params(other.params())?;
        MergeError::check_seeds(self.seed, other.seed)?;
        let len = self.len.saturating_add(other.len);
        if len > self.slots() {
            return Err(self.too_many(other));
        }
        let table = self.table.try_clone().map_err(|_| {
            MergeError::Full(Full::OutOfMemory {
                bytes: self.size_in_bytes(),
            })
        })?;
        let mut sum = Self { table, ..*self };
        for fingerprint in other.fingerprints() {
            sum.insert_fingerprint(fingerprint)
                .map_err(|error| match error {
                    MergeError::Full(Full::Table { .. }) => self.too_many(other),
                    other => other,
                })?;
        }
        Ok(sum)
    }

    /// The refusal to hold what both filters hold.
    fn too_many(&self, other: &Self) -> MergeError {
        MergeError::Items {
            ours: self.len,
            theirs: other.len,
            slots: self.slots(),
        }
    }
}

impl<L: Layout> fmt::Debug for Cuckoo<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, L::NAME, f)
    }
}

impl<L: Layout> Filter for Cuckoo<L> {
    fn kind(&self) -> FilterKind {
        L::KIND
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The keys put in less those taken out, each copy counted; after a merge the sum of both.
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.capacity() as u64
    }

    /// The share of all fingerprints in all pairs of buckets that are stored: the exact rate of this filter. Reads the whole table, at
    /// random: some 20 ns a key.
    fn expected_fpr(&self) -> f64 {
        self.table.distinct() as f64 / theory::cells::<L>(&self.params())
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table.contains(self.table.place(hash))
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        let mut places = [Place::default(); TOGETHER];
        for (hashes, answers) in hashes.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
            self.places(hashes, &mut places);
            for (answer, &place) in answers.iter_mut().zip(&places) {
                *answer = self.table.contains(place);
            }
        }
        Ok(())
    }
}

impl<L: Layout> InsertFilter for Cuckoo<L> {
    /// Every copy is stored, up to all the slots that a key can reach: eight ([`CuckooFilter`]), or four
    /// ([`WindowedCuckooFilter`]; three for a key whose buckets overlap each other).
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        self.insert_place(self.table.place(hash))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let mut places = [Place::default(); TOGETHER];
        let (mut done, mut new) = (0, 0);
        for hashes in hashes.chunks(TOGETHER) {
            self.places(hashes, &mut places);
            for &place in &places[..hashes.len()] {
                match self.insert_place(place) {
                    Ok(inserted) => new += u64::from(inserted.is_new()),
                    Err(full) => return Err(BatchFull { done, full }),
                }
                done += 1;
            }
        }
        Ok(new)
    }

    fn clear(&mut self) {
        self.table.clear();
        self.len = 0;
    }
}

impl<L: Layout> RemoveFilter for Cuckoo<L> {
    /// Takes out one copy: one slot that holds the key's fingerprint becomes empty.
    ///
    /// **Only remove what was put in.** A key that was not, but is answered `true`, has its fingerprint and its buckets in common with
    /// another one, and the filter forgets that one instead.
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let removed = self.table.remove(self.table.place(hash));
        self.len -= u64::from(removed);
        removed
    }
}

impl<L: Layout> CountFilter for Cuckoo<L> {
    /// The slots that hold the key's fingerprint: its copies, and those of the keys it cannot be told from. Never saturated, as what
    /// could not be counted is refused when it is put in.
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count {
            estimate: self.table.copies(self.table.place(hash)),
            saturated: false,
        }
    }
}

impl<L: Layout> PlanFilter for Cuckoo<L> {
    type Params = CuckooParams;

    /// The memory to build it is that of [`BuildFilter::build`]: the filter's own, and 8 bytes a key. A filter that is filled takes its own alone.
    fn plan(goal: Goal) -> Result<Plan<CuckooParams>, PlanError> {
        theory::plan::<L>(goal).map_err(|error| error.in_bits_per_key(goal, theory::plan::<L>))
    }

    fn predicted_fpr(params: &CuckooParams, items: u64) -> PredictedFpr {
        theory::fpr::<L>(params, items)
    }

    #[inline]
    fn params(&self) -> CuckooParams {
        self.table.params()
    }
}

impl<L: Layout> EmptyFilter for Cuckoo<L> {
    fn from_plan(plan: &Plan<CuckooParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl<L: Layout> BuildFilter for Cuckoo<L> {
    /// Every different hash is put in once, however often it comes: the filter holds a set. Sorts a copy of the hashes.
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        Self::of_hashes(budget, seed, hashes.iter().copied())
    }

    /// The same; takes eight bytes a key, as that does.
    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        Self::of_hashes(budget, seed, keys.iter().map(|key| key.key_hash(seed)))
    }
}

impl<L: Layout> MergeFilter for Cuckoo<L> {
    /// Whether there is room cannot be known but by trying: this takes as long as the merge, and as much memory.
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged(other).map(drop)
    }

    /// Puts in all that `other` has stored, every copy. Needs memory for another table while it lasts.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.merged(other)?;
        Ok(())
    }
}
