//! The expandable quotient filter.

pub(crate) mod aging;
pub(crate) mod params;
mod stored;

use crate::edit::{Put, Taken};
use crate::entry::{Aged, width};
use crate::filter::Hashes;
use crate::pack::{Packed, pack};
use crate::stream::Fingerprints;
use crate::table::Table;
use crate::theory::expandable as theory;
use crate::validate::Contents;
use crate::{ExpandableParams, MAX_COPIES, simd};
use alloc::vec::Vec;
use amq_core::internal::{Header, OneTable, fill_from_hashes, zeroed};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, ClearFilter, Count, CountFilter,
    DecodeError, EmptyFilter, Filter, FilterKind, InsertError, InsertFilter, Inserted, KeyHash,
    RemoveFilter, Target, UnevenHashes,
};
use params::Shape;

/// A quotient filter that doubles whenever it is full: for sets whose size is not known.
///
/// A key keeps, for life, as many bits of its hash as the table distinguished when the key came. So
/// later keys have longer fingerprints than earlier ones, and the rate stays below the one asked
/// for while the filter doubles [`max_doublings`](ExpandableParams::max_doublings) times. See the
/// [crate's documentation](crate#growing-without-a-bound) for the picture and the formula.
///
/// ```
/// use amq_quotient::{ExpandableQuotientFilter, Goal};
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
/// Filters of this kind do not merge. Two that have grown have each spent its share of the rate;
/// their union would have the sum.
///
/// Two filters are equal if they have the same parameters, seed, capacity and number of keys, and
/// the same entries equally often. `S` is what holds the table: a vector, or for a
/// [view](crate::ExpandableQuotientView) a borrowed slice.
#[derive(Clone, PartialEq, Eq)]
pub struct ExpandableQuotientFilter<S = Vec<u8>> {
    header: Header,
    params: ExpandableParams,
    table: Table<S, Aged>,
    len: u64,
    /// Slots in use. More than keys if entries without bits occupy several slots.
    entries: u64,
    /// How many of the fingerprints that the table distinguishes it answers `true` for.
    answered: u64,
}

/// An [`ExpandableQuotientFilter`] whose table is borrowed.
pub type ExpandableQuotientView<'a> = ExpandableQuotientFilter<&'a [u8]>;

/// The refusal of another copy.
const COPIES: InsertError = InsertError::Copies { copies: MAX_COPIES };

impl ExpandableQuotientFilter {
    amq_core::methods! {
        in "amq_quotient" "ExpandableQuotientFilter";
        new: ExpandableParams;
        build: ExpandableParams;
        plan: ExpandableParams;
        /// Stores every copy. When 95 % of the slots are in use, the filter doubles first. Refused
        /// only after as many doublings as it is allowed, if [`MAX_COPIES`] entries already answer
        /// for the key, or if the allocator refuses the larger table.
        insert;
        /// Takes out the longest entry that answers for the key, so every other key keeps one.
        ///
        /// **Only remove what was put in**, once for each time: what [`insert`](Self::insert) took,
        /// and what was `New` to [`insert_unique`](Self::insert_unique). Any other key that is
        /// answered `true` shares its fingerprint with one that is in, and removing it makes the
        /// filter deny that one.
        ///
        /// An entry whose bits are used up, because the table has doubled more often since it came
        /// than its fingerprint had bits, occupies several slots. Only the key's own slot is freed.
        /// The others go on answering until the last key is removed, which clears them; the rate
        /// that was asked for allows for them, and [`expected_fpr`](Self::expected_fpr) counts
        /// them.
        remove;
        clear;
        from_bytes;
    }

    /// Counts keys that were inserted, and those of them that no entry answered for.
    #[inline(always)]
    fn took(&mut self, keys: u64, new: u64) {
        self.len += keys;
        self.entries += keys;
        self.answered += new;
    }

    /// Empties the table, at its present size, when the last key has been removed and left entries
    /// in slots other than its own. There are none unless the table has doubled since it was last
    /// empty, and doubling it took longer.
    ///
    /// What is left of removed keys has no bits. An entry with bits belongs to a key: then the
    /// number of keys was too low, because keys were removed that were never in, or in the file
    /// that was read. It is corrected, and no key is lost.
    #[cold]
    #[inline(never)]
    fn forget_leftovers(&mut self) {
        let bits = self.table.fields.bits;
        let entries = Fingerprints::new(&self.table);
        let keys = entries.filter(|&entry| !aging::is_void(entry, bits)).count() as u64;
        if keys > 0 {
            self.len = keys;
            return;
        }
        self.table.bytes.fill(0);
        (self.entries, self.answered) = (0, 0);
    }
}

impl<S: AsRef<[u8]> + Send + Sync> ExpandableQuotientFilter<S> {
    amq_core::methods! {
        in "amq_quotient" "ExpandableQuotientFilter";
        contains;
        /// The number of keys inserted less those removed, counting every copy.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The share of all fingerprints that it answers `true` for: the exact rate of this filter.
        /// Reads no table.
        expected_fpr;
        /// The copies of `key` and of the few keys that share its fingerprint. Never saturated.
        count;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    pub fn view(&self) -> ExpandableQuotientView<'_> {
        let Self { header, params, len, entries, answered, .. } = *self;
        Self::over(header, Shape { params, entries, answered }, len, self.elements())
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> ExpandableParams {
        self.params
    }

    /// Slots in use. At least [`len`](Self::len): entries whose bits are used up occupy several.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// A hash for each entry, in rising order: the one in the middle of those the entry answers
    /// for.
    ///
    /// This filter answers each of them `true`. Do not insert them into another one: an entry that
    /// is not new answers for many hashes, and this is only one of them. Entries whose bits are
    /// used up come once for every slot they occupy.
    pub fn iter(&self) -> Hashes<'_> {
        Hashes::new(Fingerprints::new(&self.table), self.params.table(), self.entries)
    }

    /// Reads the whole table, and checks that inserts and removals can lead to it: runs, order,
    /// offsets, ages, counts.
    ///
    /// Every way of reading a file does this, but for
    /// [`open_without_checking_payload`](ExpandableQuotientView::open_without_checking_payload).
    pub fn validate(&self) -> Result<(), DecodeError> {
        let Contents { keys, distinct } = simd::walk(&self.table)?;
        // An entry has one bit of tail for each doubling since it came, at most for all of them.
        let oldest = 1 << self.params.doublings.min(self.params.fingerprint_bits);
        let ages = Fingerprints::new(&self.table).all(|entry| width(entry) <= oldest);
        for (right, what) in [
            (self.entries == keys, "number of entries"),
            (self.answered == distinct, "number of fingerprints"),
            (ages, "age of an entry"),
        ] {
            if !right {
                return Err(DecodeError::Structure { what });
            }
        }
        Ok(())
    }
}

impl<'a> ExpandableQuotientView<'a> {
    amq_core::methods! { open: ExpandableQuotientFilter; }
}

impl<S: AsRef<[u8]> + Send + Sync> Filter for ExpandableQuotientFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::ExpandableQuotient; seed; len; size_in_bytes;
        contains_batch: |self, hashes, answers| simd::contains_each(&self.table, hashes, answers);
    }

    /// The keys it was planned for while they suffice; then what the present table takes before it
    /// doubles. No healthy filter holds more.
    fn capacity(&self) -> u64 {
        let first = self.header.capacity;
        if self.params.doublings == 0 && self.entries <= first {
            return first;
        }
        self.params.max_entries().max(first)
    }

    fn expected_fpr(&self) -> f64 {
        let of = self.params.fingerprints();
        (self.answered as f64 / of as f64).min(1.0)
    }

    fn load_factor(&self) -> f64 {
        self.entries as f64 / self.params.slots as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        simd::contains(&self.table, self.table.fingerprint(hash))
    }
}

impl EmptyFilter for ExpandableQuotientFilter {
    fn empty(target: impl Into<Target<ExpandableParams>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let params = plan.params.first();
        let bytes = zeroed(params.bytes())?;
        let shape = Shape { params, entries: 0, answered: 0 };
        Ok(Self::over(Header::new(&plan, seed), shape, 0, bytes))
    }
}

impl InsertFilter for ExpandableQuotientFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.make_room(hash)?;
        let fingerprint = self.table.fingerprint(hash);
        let put = simd::insert(&mut self.table, fingerprint);
        if put == Put::Refused {
            return Err(COPIES);
        }
        self.took(1, u64::from(put == Put::New));
        Ok(Inserted::from_change(put == Put::New))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let (mut rest, mut new) = (hashes, 0);
        while let Some(&next) = rest.first() {
            let before = (hashes.len() - rest.len()) as u64;
            self.make_room(next).map_err(|full| BatchInsertError { done: before, error: full })?;
            let room = self.table.max_keys - self.entries;
            let (now, later) = rest.split_at(rest.len().min(room.min(1 << 30) as usize));
            let (done, of_these) = simd::insert_each(&mut self.table, now);
            self.took(done, of_these);
            if done < now.len() as u64 {
                return Err(BatchInsertError { done: before + done, error: COPIES });
            }
            new += of_these;
            rest = later;
        }
        Ok(new)
    }
}

impl ClearFilter for ExpandableQuotientFilter {
    fn clear(&mut self) {
        let first = self.params.first();
        let small = match self.params.doublings {
            0 => None,
            _ => Table::new(first.table()).ok(),
        };
        self.table = small.unwrap_or_else(|| {
            // Without memory for a smaller table, reuses the present one.
            let mut bytes = core::mem::take(&mut self.table.bytes);
            bytes.truncate(first.bytes() as usize);
            bytes.fill(0);
            Table::over(first.table(), bytes)
        });
        self.params = first;
        (self.len, self.entries, self.answered) = (0, 0, 0);
    }
}

impl RemoveFilter for ExpandableQuotientFilter {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let fingerprint = self.table.fingerprint(hash);
        let taken = simd::remove(&mut self.table, fingerprint);
        if taken == Taken::Nothing {
            return false;
        }
        self.entries -= 1;
        // An entry of a removed key may have been left in another slot, and be removed now.
        self.len = self.len.saturating_sub(1);
        if let Taken::Last { alone } = taken {
            self.answered -= alone;
        }
        if self.len == 0 && self.entries > 0 {
            self.forget_leftovers();
        }
        true
    }
}

impl<S: AsRef<[u8]> + Send + Sync> CountFilter for ExpandableQuotientFilter<S> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::new(simd::count(&self.table, self.table.fingerprint(hash)))
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
        let sorted = crate::sort::sorted(hashes, params.table().fingerprints())?;
        // The lowest bit of a slot is the 1 that ends a fingerprint.
        let Packed { table, distinct } = pack(params.table(), sorted.iter().map(|bits| bits | 1))?;
        Ok(Self {
            header: Header::new(&plan, seed),
            params,
            table,
            len,
            entries: len,
            answered: distinct,
        })
    }
}

// Here, since rustdoc lists its methods where it stands: after those of every filter.
mod grow;

amq_core::traits! {
    [S: AsRef<[u8]> + Send + Sync] ExpandableQuotientFilter<S>,
    owned [] ExpandableQuotientFilter: ExpandableParams;
    debug "ExpandableQuotientFilter";
    serde;
    plan theory;
}
