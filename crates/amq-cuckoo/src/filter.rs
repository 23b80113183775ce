//! The filter.

use crate::fingerprints::{Fingerprint, Fingerprints};
use crate::ops::Refused;
use crate::table::{Place, Table};
use crate::{Buckets, CuckooParams, Layout, Windows, theory};
use alloc::vec::Vec;
use amq_core::internal::{Entry, Header, OneTable, Opened, fill_from_hashes, zeroed};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, ClearFilter, Count, CountFilter,
    DecodeError, EmptyFilter, Filter, FilterKind, InsertError, InsertFilter, Inserted, Key,
    KeyHash, LengthMismatch, MergeError, MergeFilter, RemoveFilter, Target, UnevenHashes,
};

/// The cuckoo filter: a key is a fingerprint in one of two buckets of four slots.
pub type CuckooFilter = Cuckoo<Buckets>;

/// The cuckoo filter with overlapping buckets of two slots: a tenth smaller at the same rate, and
/// 2.1 to 2.4 times as long to fill.
pub type WindowedCuckooFilter = Cuckoo<Windows>;

/// A [`CuckooFilter`] over a borrowed table.
pub type CuckooView<'a> = Cuckoo<Buckets, &'a [u8]>;

/// A [`WindowedCuckooFilter`] over a borrowed table.
pub type WindowedCuckooView<'a> = Cuckoo<Windows, &'a [u8]>;

/// The keys of a batch that are looked up together: all their buckets are prefetched before the
/// first is read.
const TOGETHER: usize = 32;

/// A cuckoo filter of either layout: [`CuckooFilter`] or [`WindowedCuckooFilter`].
///
/// `S` is what holds the table: a vector, or for a view ([`CuckooView`], [`WindowedCuckooView`]) a
/// borrowed slice. See the [crate's documentation](crate) for the picture, the algorithm and the
/// formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct Cuckoo<L: Layout, S = Vec<u8>> {
    header: Header,
    table: Table<L, S>,
    len: u64,
}

impl<L: Layout, S: AsRef<[u8]> + Send + Sync> Cuckoo<L, S> {
    amq_core::methods! {
        in "amq_cuckoo" "CuckooFilter";
        contains;
        /// The number of copies of `key`, and of the few keys that share its fingerprint and
        /// buckets. Never saturated: what cannot be counted is refused when it is inserted.
        count;
        /// The keys put in less those taken out, counting every copy; after a merge the sum of
        /// both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The share of cells (pairs of a fingerprint and its buckets) that are stored: the exact
        /// rate of this filter. Reads the whole table at random, about 20 ns a key.
        expected_fpr;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    #[must_use]
    pub fn view(&self) -> Cuckoo<L, &[u8]> {
        Self::over(self.header, self.params(), self.len, self.table.bytes())
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
    /// A fingerprint can be put into another filter of the same parameters and seed with
    /// [`insert_fingerprint`](Cuckoo::insert_fingerprint), and into no other: which of its two
    /// buckets its key's hash began with is not stored, so its place in a larger table is unknown.
    ///
    /// ```
    /// use amq_cuckoo::{CuckooFilter, Goal};
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

    /// The places of some hashes, with their buckets prefetched.
    #[inline(always)]
    fn places(&self, hashes: &[KeyHash], places: &mut [Place; TOGETHER]) {
        for (place, &hash) in places.iter_mut().zip(hashes) {
            *place = self.table.place(hash);
            self.table.prefetch(place.first);
            self.table.prefetch(place.second);
        }
    }
}

impl<L: Layout> Cuckoo<L> {
    amq_core::methods! {
        in "amq_cuckoo" "CuckooFilter";
        new: CuckooParams;
        build: CuckooParams;
        plan: CuckooParams;
        /// Stores every copy of a key, as long as one of the slots it can reach is free: eight
        /// slots ([`CuckooFilter`]) or four ([`WindowedCuckooFilter`]; three for a key whose
        /// buckets overlap each other).
        insert;
        /// **Only remove what was put in**, once for each time: what [`insert`](Self::insert) took,
        /// and what was `New` to [`insert_unique`](Self::insert_unique). Any other key that is
        /// answered `true` shares its fingerprint and buckets with one that is in, and removing it
        /// makes the filter forget that one.
        remove;
        clear;
        /// Adds every copy that `other` holds. All or nothing.
        ///
        /// Both need the same parameters and seed. Needs memory for another table while it lasts.
        /// Whether everything fits shows only in trying, so [`can_merge`](Self::can_merge) takes as
        /// long and as much memory.
        merge;
        from_bytes;
    }

    /// Puts in a fingerprint that another filter of the same parameters and seed stored.
    pub fn insert_fingerprint(
        &mut self,
        fingerprint: Fingerprint<L>,
    ) -> Result<Inserted, MergeError> {
        MergeError::check_seeds(self.header.seed, fingerprint.seed)?;
        self.table.params().check_same(&fingerprint.params)?;
        let place = self.table.place_of(fingerprint.bucket, fingerprint.tag);
        self.insert_place(place).map_err(MergeError::Insert)
    }

    #[inline(always)]
    fn insert_place(&mut self, place: Place) -> Result<Inserted, InsertError> {
        match self.table.insert(place) {
            Ok(inserted) => {
                self.len += 1;
                Ok(inserted)
            }
            Err(refused) => Err(self.refusal(refused, place)),
        }
    }

    #[cold]
    fn refusal(&self, refused: Refused, place: Place) -> InsertError {
        let copies = match refused {
            Refused::Copies(copies) => copies,
            // Of a filter within its plan there is room, but for the copies of keys: they fill the
            // slots that this one can reach.
            Refused::Full if self.len < self.header.capacity => self.table.copies(place),
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

    /// A filter of the distinct hashes. A goal or plan counts every hash given, as in all filters.
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
                inserted => inserted?,
            };
        }
        Ok(sum)
    }
}

impl<'a, L: Layout> Cuckoo<L, &'a [u8]> {
    amq_core::methods! { open: Cuckoo<L>; }
}

impl<L: Layout, S: AsRef<[u8]> + Send + Sync> Filter for Cuckoo<L, S> {
    amq_core::trait_methods! { kind: L::KIND; seed; len; capacity; size_in_bytes; }

    fn expected_fpr(&self) -> f64 {
        self.table.distinct() as f64 / theory::cells::<L>(&self.table.params())
    }

    fn load_factor(&self) -> f64 {
        self.len as f64 / self.slots() as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.table.contains(self.table.place(hash))
    }

    #[inline]
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

amq_core::traits! {
    [L: Layout, S: AsRef<[u8]> + Send + Sync] Cuckoo<L, S>, owned [L: Layout] Cuckoo<L>: CuckooParams;
    debug L::NAME;
    serde;
    plan theory::<L>;
}

impl<L: Layout, S: AsRef<[u8]> + Send + Sync> OneTable for Cuckoo<L, S> {
    type Params = CuckooParams;
    const KIND: FilterKind = L::KIND;
    const REVISION: u8 = 1;
    type Element = u8;
    type Over<T: AsRef<[u8]> + Send + Sync> = Cuckoo<L, T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let params = self.table.params();
        let bits = params.fingerprint_bits.into();
        [params.buckets, bits, 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<CuckooParams, DecodeError> {
        let [buckets, bits] = opened.only_entry()?;
        let params = CuckooParams::new(buckets, Opened::narrow("fingerprint_bits", bits)?);
        params.check::<L>()?;
        Opened::within("number of keys", opened.keys(), 0..=params.slots::<L>())?;
        Ok(params)
    }

    fn elements_for(params: &CuckooParams) -> u64 {
        params.bytes::<L>()
    }

    fn elements(&self) -> &[u8] {
        self.table.bytes()
    }

    fn over<T: AsRef<[u8]>>(
        header: Header,
        params: CuckooParams,
        len: u64,
        bytes: T,
    ) -> Cuckoo<L, T> {
        Cuckoo { header, table: Table::over(params, bytes), len }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        self.table.check(self.len)
    }
}

impl<L: Layout> EmptyFilter for Cuckoo<L> {
    fn empty(target: impl Into<Target<CuckooParams>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check::<L>()?;
        Ok(Self { header: Header::new(&plan, seed), table: Table::new(plan.params)?, len: 0 })
    }
}

impl<L: Layout> InsertFilter for Cuckoo<L> {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.insert_place(self.table.place(hash))
    }

    #[inline]
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let mut places = [Place::default(); TOGETHER];
        let (mut done, mut new) = (0, 0);
        for hashes in hashes.chunks(TOGETHER) {
            self.places(hashes, &mut places);
            for &place in &places[..hashes.len()] {
                match self.insert_place(place) {
                    Ok(inserted) => new += u64::from(inserted.is_new()),
                    Err(error) => return Err(BatchInsertError { done, error }),
                }
                done += 1;
            }
        }
        Ok(new)
    }
}

impl<L: Layout> ClearFilter for Cuckoo<L> {
    fn clear(&mut self) {
        self.table.clear();
        self.len = 0;
    }
}

impl<L: Layout> RemoveFilter for Cuckoo<L> {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let removed = self.table.remove(self.table.place(hash));
        self.len -= u64::from(removed);
        removed
    }
}

impl<L: Layout, S: AsRef<[u8]> + Send + Sync> CountFilter for Cuckoo<L, S> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::new(self.table.copies(self.table.place(hash)))
    }
}

impl<L: Layout> MergeFilter for Cuckoo<L> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged(other).map(drop)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.merged(other)?;
        Ok(())
    }
}

impl<L: Layout> BuildFilter for Cuckoo<L> {
    /// Puts in each distinct hash once: the filter holds a set. Sorts a copy of the hashes.
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
