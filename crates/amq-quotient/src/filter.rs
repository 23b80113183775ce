//! The quotient filter.

use crate::edit::{Put, Taken};
use crate::simd::Processor;
use crate::stream::{Fingerprints, Packed, pack};
use crate::table::Table;
use crate::validate::{Contents, Inconsistent};
use crate::{QuotientParams, theory};
use alloc::vec::Vec;
use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter,
    Filter, FilterKind, Full, Goal, InsertFilter, Inserted, KeyHash, LengthMismatch, Plan,
    PlanError, PlanFilter, PredictedFpr, RemoveFilter,
};
use core::fmt;

/// The quotient filter: a key's hash is split into the number of a slot, which is its home, and a remainder, which is stored as near to it as there is room.
///
/// Two filters are equal if they have the same parameters, seed, planned number of keys and limit to their growth, and hold the same hashes as often, however they came
/// by them: what is in a table determines its every bit. See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct QuotientFilter {
    pub(crate) table: Table,
    pub(crate) processor: Processor,
    seed: u64,
    capacity: u64,
    pub(crate) len: u64,
    /// Different fingerprints in the table.
    pub(crate) distinct: u64,
    /// What the slots may grow to; as many as there are if it doesn't grow.
    pub(crate) max_slots: u64,
}

impl QuotientFilter {
    /// An empty filter for a goal, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal) -> Result<Self, BuildError> {
        Self::with_seed(goal, DEFAULT_SEED)
    }

    /// An empty filter for a goal, with a seed of one's own.
    pub fn with_seed(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::with_goal(goal, seed)
    }

    /// An empty filter with explicit parameters; `capacity` is what [`Filter::capacity`] will say. It takes
    /// [`QuotientParams::max_items`] keys.
    pub fn from_params(
        params: QuotientParams,
        capacity: u64,
        seed: u64,
    ) -> Result<Self, BuildError> {
        params.check()?;
        let nothing = Contents {
            items: 0,
            distinct: 0,
        };
        Ok(Self::with_table(
            Table::new(params)?,
            nothing,
            capacity,
            seed,
        ))
    }

    /// The filter with the table that [`as_bytes`](Self::as_bytes) gave, once all of it has been found to be consistent: one that is not could lose
    /// keys. It does not grow by itself; if it did before, say so again ([`allow_growth`](Self::allow_growth)).
    pub fn from_bytes(
        bytes: Vec<u8>,
        params: QuotientParams,
        capacity: u64,
        seed: u64,
    ) -> Result<Self, Inconsistent> {
        params.check().map_err(Inconsistent::Params)?;
        let needed = params.bytes();
        if bytes.len() as u64 != needed {
            return Err(Inconsistent::Length {
                bytes: bytes.len() as u64,
                needed,
            });
        }
        let table = Table::over(params, bytes);
        let contents = table.validate()?;
        Ok(Self::with_table(table, contents, capacity, seed))
    }

    pub(crate) fn with_table(table: Table, contents: Contents, capacity: u64, seed: u64) -> Self {
        Self {
            max_slots: table.params().slots,
            table,
            processor: Processor::detect(),
            seed,
            capacity,
            len: contents.items,
            distinct: contents.distinct,
        }
    }

    /// The table: blocks of 64 slots, one after another. A block is 64 packed remainders, then 64 bits of occupieds, 64 of runends, and the byte of the offset; all little-endian.
    pub fn as_bytes(&self) -> &[u8] {
        &self.table.bytes
    }

    /// Slots in the table, each of which holds one copy of one key.
    pub fn slots(&self) -> u64 {
        self.table.params().slots
    }

    /// The share of slots in use, 0 to [`MAX_LOAD`](crate::MAX_LOAD).
    pub fn load_factor(&self) -> f64 {
        self.len as f64 / self.slots() as f64
    }

    /// How many different hashes the filter can tell that it holds: [`len`](Filter::len) without the copies, and without the keys that look like another one.
    pub const fn distinct_len(&self) -> u64 {
        self.distinct
    }

    /// Puts the key with this hash in unless the filter answers `true` for it already; then it says [`Inserted::MaybePresent`], and nothing is stored.
    ///
    /// For a set that nothing is removed from. Two keys with the same fingerprint share one entry here, and removing one of them would remove both.
    pub fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        if self.contains_hash(hash) {
            return Ok(Inserted::MaybePresent);
        }
        self.insert_hash(hash)
    }

    /// Puts `key` in unless the filter answers `true` for it already; see [`insert_unique_hash`](Self::insert_unique_hash).
    pub fn insert_unique<K: amq_core::Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, Full> {
        self.insert_unique_hash(key.key_hash(self.seed))
    }

    /// The stored hashes in rising order, every copy.
    ///
    /// Of a hash its leading bits are stored, and each comes as the least hash that has these: it is answered `true` here, and in every filter with a power of two times
    /// fewer fingerprints that it is put into.
    pub fn iter(&self) -> Hashes<'_> {
        Hashes {
            fingerprints: self.fingerprints(),
            of: self.table.params().fingerprints(),
            left: self.len,
        }
    }

    /// Walks over the whole table and checks that it is one that inserts and removals could have made: runs, order, offsets, counts.
    pub fn validate(&self) -> Result<(), Inconsistent> {
        let contents = self.table.validate()?;
        for (count, expected) in [
            (self.len, contents.items),
            (self.distinct, contents.distinct),
        ] {
            if count != expected {
                return Err(Inconsistent::Count { count, expected });
            }
        }
        Ok(())
    }

    /// What the table stores, in order.
    pub(crate) fn fingerprints(&self) -> Fingerprints<'_> {
        let first = self.table.metadata(0);
        let offset = self.table.offset::<crate::bits::Broadword>(0, first.offset);
        Fingerprints::new(&self.table, offset)
    }

    /// The refusal of one more key.
    pub(crate) fn full(&self) -> Full {
        let slots = self.table.params().slots;
        if self.max_slots > slots {
            return Full::Limit {
                what: "slots",
                limit: self.max_slots,
            };
        }
        Full::Table {
            len: self.len,
            capacity: self.capacity,
            load: self.load_factor(),
        }
    }

    /// Room for one more key, by growing if that is allowed.
    #[inline]
    fn make_room(&mut self) -> Result<(), Full> {
        if self.len < self.table.params().max_items() {
            return Ok(());
        }
        self.grow_for(self.len.saturating_add(1))
    }
}

/// The stored hashes of a filter; see [`QuotientFilter::iter`].
#[derive(Clone)]
pub struct Hashes<'a> {
    fingerprints: Fingerprints<'a>,
    /// How many different fingerprints there are.
    of: u64,
    left: u64,
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
        f.debug_struct("Hashes")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl<'a> IntoIterator for &'a QuotientFilter {
    type Item = KeyHash;
    type IntoIter = Hashes<'a>;

    fn into_iter(self) -> Hashes<'a> {
        self.iter()
    }
}

impl fmt::Debug for QuotientFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "QuotientFilter", f)
    }
}

impl Filter for QuotientFilter {
    fn kind(&self) -> FilterKind {
        FilterKind::Quotient
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The keys put in less those taken out, each copy counted; after a merge the sum of both.
    #[inline]
    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.bytes.capacity() as u64
    }

    /// The share of all fingerprints that are in: the exact rate of this filter. Needs no look at the table.
    fn expected_fpr(&self) -> f64 {
        let params = self.table.params();
        theory::fpr_of_distinct(params.slots, params.remainder_bits, self.distinct)
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.processor
            .contains(&self.table, self.table.fingerprint(hash))
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        self.processor.contains_each(&self.table, hashes, answers);
        Ok(())
    }
}

impl InsertFilter for QuotientFilter {
    /// Every copy is stored. Refused when 95 % of the slots are in use, unless the filter may grow.
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        self.make_room()?;
        let fingerprint = self.table.fingerprint(hash);
        let new = self.processor.insert(&mut self.table, fingerprint) == Put::New;
        self.len += 1;
        self.distinct += u64::from(new);
        Ok(Inserted::from_change(new))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let (mut rest, mut new) = (hashes, 0);
        while !rest.is_empty() {
            self.make_room().map_err(|full| BatchFull {
                done: (hashes.len() - rest.len()) as u64,
                full,
            })?;
            let room = self.table.params().max_items() - self.len;
            let (now, later) = rest.split_at(rest.len().min(room.min(1 << 30) as usize));
            let of_these = self.processor.insert_each(&mut self.table, now);
            self.len += now.len() as u64;
            self.distinct += of_these;
            new += of_these;
            rest = later;
        }
        Ok(new)
    }

    fn clear(&mut self) {
        self.table.bytes.fill(0);
        self.len = 0;
        self.distinct = 0;
    }
}

impl RemoveFilter for QuotientFilter {
    /// Takes out one copy.
    ///
    /// **Only remove what was put in**, by [`insert`](InsertFilter::insert) and not by [`insert_unique`](QuotientFilter::insert_unique). A key that was not, but
    /// is answered `true`, has the fingerprint of another, and removing it makes the filter forget that one.
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let fingerprint = self.table.fingerprint(hash);
        let taken = self.processor.remove(&mut self.table, fingerprint);
        self.len -= u64::from(taken != Taken::Nothing);
        self.distinct -= u64::from(taken == Taken::Last);
        taken != Taken::Nothing
    }
}

impl CountFilter for QuotientFilter {
    /// The copies of its fingerprint: those of the key, and of the few that share it. Never saturated.
    fn count_hash(&self, hash: KeyHash) -> Count {
        let (quotient, remainder) = self.table.split(self.table.fingerprint(hash));
        let run = self.processor.run(&self.table, quotient);
        Count {
            estimate: self.table.count(run, remainder),
            saturated: false,
        }
    }
}

impl PlanFilter for QuotientFilter {
    type Params = QuotientParams;

    fn plan(goal: Goal) -> Result<Plan<QuotientParams>, PlanError> {
        theory::plan(goal).map_err(|error| error.in_bits_per_key(goal, theory::plan))
    }

    fn predicted_fpr(params: &QuotientParams, items: u64) -> PredictedFpr {
        theory::predicted(params.slots, params.remainder_bits, items)
    }

    #[inline]
    fn params(&self) -> QuotientParams {
        self.table.params()
    }
}

impl EmptyFilter for QuotientFilter {
    fn from_plan(plan: &Plan<QuotientParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, plan.items, seed)
    }
}

impl BuildFilter for QuotientFilter {
    /// Sorts a copy of what the table stores of the hashes, eight bytes each, and writes the table from one end to the other.
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        let items = (hashes.len() as u64).max(1);
        let plan = theory::plan(Goal { items, budget })?;
        let sorted = crate::sort::sorted(hashes, plan.params.fingerprints())?;
        let Packed { table, distinct } = pack(plan.params, sorted.iter().copied())?;
        let contents = Contents {
            items: hashes.len() as u64,
            distinct,
        };
        Ok(Self::with_table(table, contents, items, seed))
    }
}
