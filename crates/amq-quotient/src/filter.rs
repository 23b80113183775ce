//! The quotient filter.

use crate::edit::{Put, Taken};
use crate::entry::Whole;
use crate::error::refusal;
use crate::pack::{Packed, pack};
use crate::stream::Fingerprints;
use crate::table::Table;
use crate::validate::Contents;
use crate::{QuotientParams, simd, theory};
use alloc::vec::Vec;
use amq_core::internal::{Entry, Header, OneTable, Opened, zeroed};
use amq_core::{
    BatchInsertError, BuildError, BuildFilter, BuildTarget, ClearFilter, Count, CountFilter,
    DecodeError, EmptyFilter, Filter, FilterKind, InsertError, InsertFilter, Inserted, KeyHash,
    RemoveFilter, Target, UnevenHashes,
};
use core::fmt;

/// The quotient filter: a key's hash is split into a quotient, the number of its home slot, and a
/// remainder, which is stored as near to its home as possible.
///
/// Two filters are equal if they have the same parameters, seed and capacity, and hold the same
/// fingerprints equally often, whatever their history: the contents of a table determine every bit
/// of it.
///
/// `S` is what holds the table: a vector, or for a [view](crate::QuotientView) a borrowed slice.
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone, PartialEq, Eq)]
pub struct QuotientFilter<S = Vec<u8>> {
    pub(crate) header: Header,
    pub(crate) table: Table<S, Whole>,
    pub(crate) len: u64,
    /// The number of different fingerprints in the table.
    pub(crate) distinct: u64,
}

/// A [`QuotientFilter`] whose table is borrowed.
pub type QuotientView<'a> = QuotientFilter<&'a [u8]>;

impl QuotientFilter {
    amq_core::methods! {
        in "amq_quotient" "QuotientFilter";
        new: QuotientParams;
        build: QuotientParams;
        plan: QuotientParams;
        /// Stores every copy. Refused when 95 % of the slots are in use, unless the filter may
        /// grow.
        insert;
        /// **Only remove what was put in**, once for each time: what [`insert`](Self::insert) took,
        /// and what was `New` to [`insert_unique`](Self::insert_unique). Any other key that is
        /// answered `true` shares its fingerprint with one that is in, and removing it makes the
        /// filter deny that one.
        remove;
        clear;
        /// Adds every copy that `other` holds. All or nothing.
        ///
        /// Both need the same seed, and numbers of slots that are equal or a power of two apart;
        /// and `other` needs at least as many fingerprints, since missing bits of a hash cannot be
        /// made up. (If it has fewer, merge this one into it.) Reads both tables in order and
        /// writes a new one, so it needs memory for one more table; this filter grows if it must
        /// and may.
        merge;
        from_bytes;
    }

    /// Makes room for one more key, by growing if that is allowed.
    #[inline(always)]
    fn make_room(&mut self) -> Result<(), InsertError> {
        if self.len < self.table.max_keys {
            return Ok(());
        }
        self.grow_for(self.len.saturating_add(1))
    }
}

impl<S: AsRef<[u8]> + Send + Sync> QuotientFilter<S> {
    amq_core::methods! {
        in "amq_quotient" "QuotientFilter";
        contains;
        /// The number of keys inserted less those removed, counting every copy; after a merge the
        /// sum of both.
        len;
        /// Bytes of the table.
        size_in_bytes;
        /// The share of all fingerprints that are in: the exact rate of this filter. Reads no
        /// table.
        expected_fpr;
        /// The copies of `key` and of the few keys that share its fingerprint. Never saturated.
        count;
        to_bytes;
        encoded_len;
    }

    /// A view of this filter: it borrows the table.
    pub fn view(&self) -> QuotientView<'_> {
        let params = (self.params(), self.distinct);
        Self::over(self.header, params, self.len, self.elements())
    }

    /// The parameters of its table.
    #[inline]
    #[must_use]
    pub fn params(&self) -> QuotientParams {
        self.table.params
    }

    /// The number of different fingerprints: [`len`](Self::len) less further copies, and less keys
    /// that share another key's fingerprint.
    pub fn distinct_len(&self) -> u64 {
        self.distinct
    }

    /// The stored hashes in rising order, every copy.
    ///
    /// The filter stores the leading bits of a hash. Each is given as the least hash with these
    /// bits. This filter answers it `true`, and so does any filter into which it is inserted that
    /// has fewer fingerprints by a power of two.
    pub fn iter(&self) -> Hashes<'_> {
        Hashes::new(self.fingerprints(), self.table.params, self.len)
    }

    /// Reads the whole table, and checks that inserts and removals could have made it: runs, order,
    /// offsets, counts.
    ///
    /// Every way of reading a file does this, but for
    /// [`open_without_checking_payload`](QuotientView::open_without_checking_payload).
    pub fn validate(&self) -> Result<(), DecodeError> {
        let Contents { keys, distinct } = simd::walk(&self.table)?;
        let what = match (self.len == keys, self.distinct == distinct) {
            (true, true) => return Ok(()),
            (false, _) => "number of keys",
            (true, false) => "number of different fingerprints",
        };
        Err(DecodeError::Structure { what })
    }

    /// What the table stores, in order.
    pub(crate) fn fingerprints(&self) -> Fingerprints<'_> {
        Fingerprints::new(&self.table)
    }
}

impl<'a> QuotientView<'a> {
    amq_core::methods! { open: QuotientFilter; }
}

impl<S: AsRef<[u8]> + Send + Sync> Filter for QuotientFilter<S> {
    amq_core::trait_methods! {
        kind: FilterKind::Quotient; seed; len; size_in_bytes;
        contains_batch: |self, hashes, answers| simd::contains_each(&self.table, hashes, answers);
    }

    /// The keys it was planned for, or the most that its slots take if it has since been shrunk
    /// below them and may not grow again by itself.
    fn capacity(&self) -> u64 {
        self.header.capacity.min(self.table.params.grown().max_keys())
    }

    fn expected_fpr(&self) -> f64 {
        theory::fpr_of_distinct(&self.table.params, self.distinct)
    }

    fn load_factor(&self) -> f64 {
        self.len as f64 / self.table.params.slots as f64
    }

    #[inline(always)]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        simd::contains(&self.table, self.table.fingerprint(hash))
    }
}

impl EmptyFilter for QuotientFilter {
    fn empty(target: impl Into<Target<QuotientParams>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let bytes = zeroed(plan.params.bytes())?;
        Ok(Self::over(Header::new(&plan, seed), (plan.params, 0), 0, bytes))
    }
}

impl InsertFilter for QuotientFilter {
    #[inline(always)]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        self.make_room()?;
        let fingerprint = self.table.fingerprint(hash);
        let new = simd::insert(&mut self.table, fingerprint) == Put::New;
        self.len += 1;
        self.distinct += u64::from(new);
        Ok(Inserted::from_change(new))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
        let (mut rest, mut new) = (hashes, 0);
        while !rest.is_empty() {
            let done = (hashes.len() - rest.len()) as u64;
            self.make_room().map_err(|error| BatchInsertError { done, error })?;
            let room = self.table.max_keys - self.len;
            let (now, later) = rest.split_at(rest.len().min(room.min(1 << 30) as usize));
            let (_, of_these) = simd::insert_each(&mut self.table, now);
            self.len += now.len() as u64;
            self.distinct += of_these;
            new += of_these;
            rest = later;
        }
        Ok(new)
    }
}

impl ClearFilter for QuotientFilter {
    fn clear(&mut self) {
        self.table.bytes.fill(0);
        self.len = 0;
        self.distinct = 0;
    }
}

impl RemoveFilter for QuotientFilter {
    #[inline]
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let fingerprint = self.table.fingerprint(hash);
        let taken = simd::remove(&mut self.table, fingerprint);
        self.len -= u64::from(taken != Taken::Nothing);
        self.distinct -= u64::from(matches!(taken, Taken::Last { .. }));
        taken != Taken::Nothing
    }
}

impl<S: AsRef<[u8]> + Send + Sync> CountFilter for QuotientFilter<S> {
    #[inline]
    fn count_hash(&self, hash: KeyHash) -> Count {
        Count::new(simd::count(&self.table, self.table.fingerprint(hash)))
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
        let sorted = crate::sort::sorted(hashes, params.fingerprints())?;
        let Packed { table, distinct } = pack(params, sorted.iter().copied())?;
        Ok(Self { header: Header::new(&plan, seed), table, len, distinct })
    }
}

amq_core::traits! {
    [S: AsRef<[u8]> + Send + Sync] QuotientFilter<S>, owned [] QuotientFilter: QuotientParams;
    debug "QuotientFilter";
    serde;
    plan theory;
}

impl<S: AsRef<[u8]> + Send + Sync> OneTable for QuotientFilter<S> {
    /// With the number of different fingerprints.
    type Params = (QuotientParams, u64);
    const KIND: FilterKind = FilterKind::Quotient;
    const REVISION: u8 = 1;
    type Element = u8;
    type Over<T: AsRef<[u8]> + Send + Sync> = QuotientFilter<T>;

    fn header(&self) -> &Header {
        &self.header
    }

    fn geometry(&self) -> Entry {
        let QuotientParams { slots, remainder_bits, max_slots } = self.table.params;
        // The next two numbers belong to filters that lengthen their fingerprints.
        [slots, remainder_bits.into(), self.distinct, max_slots, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<(QuotientParams, u64), DecodeError> {
        let [slots, remainder_bits, distinct, max_slots] = opened.only_entry()?;
        let remainder_bits = Opened::narrow("remainder bits", remainder_bits)?;
        let params = QuotientParams { slots, remainder_bits, max_slots };
        params.check()?;
        Opened::within("number of keys", opened.keys(), 0..=params.max_keys())?;
        Opened::within("number of different fingerprints", distinct, 0..=opened.keys())?;
        Ok((params, distinct))
    }

    fn elements_for((params, _): &(QuotientParams, u64)) -> u64 {
        params.bytes()
    }

    fn elements(&self) -> &[u8] {
        self.table.bytes()
    }

    fn over<T: AsRef<[u8]>>(
        header: Header,
        (params, distinct): (QuotientParams, u64),
        len: u64,
        bytes: T,
    ) -> QuotientFilter<T> {
        QuotientFilter { header, table: Table::over(params, bytes), len, distinct }
    }

    fn walk(&self) -> Result<(), DecodeError> {
        self.validate()
    }
}

/// The stored hashes of a filter; see [`QuotientFilter::iter`] and
/// [`ExpandableQuotientFilter::iter`](crate::ExpandableQuotientFilter::iter).
#[derive(Clone)]
pub struct Hashes<'a> {
    fingerprints: Fingerprints<'a>,
    /// The number of different fingerprints.
    of: u64,
    left: u64,
}

impl<'a> Hashes<'a> {
    /// The first `left` of these fingerprints, of a table with these parameters.
    pub(crate) fn new(fingerprints: Fingerprints<'a>, params: QuotientParams, left: u64) -> Self {
        Self { fingerprints, of: params.fingerprints(), left }
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

impl<'a, S: AsRef<[u8]> + Send + Sync> IntoIterator for &'a QuotientFilter<S> {
    type Item = KeyHash;
    type IntoIter = Hashes<'a>;

    fn into_iter(self) -> Hashes<'a> {
        self.iter()
    }
}
