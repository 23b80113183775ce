//! Operations on one key, which read both buckets and compare all of their slots at once.
//!
//! Buckets that fit 64 bits are compared inline. Wider ones need twice the code, out of line.

use crate::Layout;
use crate::lanes::Word;
use crate::table::{BucketPair, BucketTable};
use amq_core::{Bytes, Inserted};

/// Why an insert was refused. The table is unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// This many copies fill both buckets.
    Copies(u64),
    /// No room was found.
    Full,
    /// The allocator refused this many bytes for the search.
    OutOfMemory(u64),
}

/// Keeps the code for wide buckets out of the callers of narrow ones.
#[inline(never)]
fn out_of_line<T>(operation: impl FnOnce() -> T) -> T {
    operation()
}

impl<L: Layout, B: Bytes> BucketTable<L, B> {
    /// Whether either bucket holds the fingerprint. No branch depends on their contents.
    #[inline(always)]
    pub(crate) fn contains(&self, pair: BucketPair) -> bool {
        match self.is_narrow() {
            true => self.contains_in::<u64>(pair),
            false => out_of_line(|| self.contains_in::<u128>(pair)),
        }
    }

    /// The number of slots in both buckets that hold the fingerprint.
    #[inline(always)]
    pub(crate) fn copies(&self, pair: BucketPair) -> u64 {
        match self.is_narrow() {
            true => self.copies_in::<u64>(pair),
            false => out_of_line(|| self.copies_in::<u128>(pair)),
        }
    }

    /// The first slot with the fingerprint: in the lower bucket if it is there, else in the upper
    /// one. It must be in one of them.
    #[inline(always)]
    pub(crate) fn first_slot(&self, pair: BucketPair) -> u64 {
        match self.is_narrow() {
            true => self.first_slot_in::<u64>(pair),
            false => out_of_line(|| self.first_slot_in::<u128>(pair)),
        }
    }

    #[inline(always)]
    fn contains_in<W: Word>(&self, pair: BucketPair) -> bool {
        let pattern = self.pattern::<W>(pair.fingerprint);
        let one = self.bucket::<W>(pair.first) ^ pattern;
        let other = self.bucket::<W>(pair.second) ^ pattern;
        self.lanes().any_zero(one, other)
    }

    /// The slots of a bucket that hold the fingerprint.
    #[inline(always)]
    fn equal<W: Word>(&self, bucket: u64, fingerprint: u64) -> W {
        self.lanes().zeros(self.bucket::<W>(bucket) ^ self.pattern(fingerprint))
    }

    #[inline(always)]
    fn copies_in<W: Word>(&self, pair: BucketPair) -> u64 {
        let [one, other] = [pair.first, pair.second].map(|bucket| {
            let equal = self.equal::<W>(bucket, pair.fingerprint);
            u64::from(self.lanes().count(equal, L::SLOTS))
        });
        one + other
    }

    #[inline(always)]
    fn first_slot_in<W: Word>(&self, pair: BucketPair) -> u64 {
        let (low, high) = (pair.first.min(pair.second), pair.first.max(pair.second));
        let equal = self.equal::<W>(low, pair.fingerprint);
        let (bucket, equal) = match equal == W::ZERO {
            true => (high, self.equal::<W>(high, pair.fingerprint)),
            false => (low, equal),
        };
        Self::slot_of(bucket, self.lanes::<W>().lowest(equal, L::SLOTS))
    }
}

impl<L: Layout> BucketTable<L> {
    /// Puts the fingerprint into the emptier bucket, moving others if both are full. Returns
    /// whether it was there already.
    #[inline(always)]
    pub(crate) fn insert(&mut self, pair: BucketPair) -> Result<Inserted, Refused> {
        match self.is_narrow() {
            true => self.insert_in::<u64>(pair),
            false => out_of_line(|| self.insert_in::<u128>(pair)),
        }
    }

    /// Empties a slot that holds the fingerprint, if there is one.
    #[inline(always)]
    pub(crate) fn remove(&mut self, pair: BucketPair) -> bool {
        match self.is_narrow() {
            true => self.remove_in::<u64>(pair),
            false => out_of_line(|| self.remove_in::<u128>(pair)),
        }
    }

    #[inline(always)]
    fn insert_in<W: Word>(&mut self, pair: BucketPair) -> Result<Inserted, Refused> {
        let lanes = self.lanes::<W>();
        let pattern = self.pattern::<W>(pair.fingerprint);
        let (one, other) = (self.bucket::<W>(pair.first), self.bucket::<W>(pair.second));
        let new = !lanes.any_zero(one ^ pattern, other ^ pattern);
        let (empty, empty_too) = (lanes.zeros(one), lanes.zeros(other));
        let first_is_emptier = lanes.count(empty, L::SLOTS) >= lanes.count(empty_too, L::SLOTS);
        let (bucket, empty) =
            if first_is_emptier { (pair.first, empty) } else { (pair.second, empty_too) };
        if empty != W::ZERO {
            let lane = lanes.lowest(empty, L::SLOTS);
            self.set_slot(Self::slot_of(bucket, lane), self.value(pair.fingerprint, lane));
        } else {
            self.insert_full::<W>(pair, new)?;
        }
        Ok(Inserted::from_change(new))
    }

    /// Inserts when both buckets are full.
    #[inline(always)]
    fn insert_full<W: Word>(&mut self, pair: BucketPair, new: bool) -> Result<(), Refused> {
        if !new {
            // If buckets overlap, a key's two buckets may share slots.
            let apart = pair.first.abs_diff(pair.second).saturating_mul(L::STRIDE.into());
            let copies = self.copies_in::<W>(pair);
            if copies == u64::from(L::SLOTS) + apart.min(L::SLOTS.into()) {
                return Err(Refused::Copies(copies));
            }
        }
        self.insert_moving::<W>(pair)
    }

    #[inline(always)]
    fn remove_in<W: Word>(&mut self, pair: BucketPair) -> bool {
        let one = self.equal::<W>(pair.first, pair.fingerprint);
        let other = self.equal::<W>(pair.second, pair.fingerprint);
        let (bucket, equal) = if one == W::ZERO { (pair.second, other) } else { (pair.first, one) };
        if equal == W::ZERO {
            return false;
        }
        let lane = self.lanes::<W>().lowest(equal, L::SLOTS);
        self.set_slot(Self::slot_of(bucket, lane), 0);
        true
    }
}
