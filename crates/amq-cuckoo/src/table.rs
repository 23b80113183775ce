//! The packed table: slots of any width, buckets read as one word, and the two buckets of a key.

use crate::lanes::{Lanes, Word, low_bits};
use crate::{CuckooParams, Layout};
use amq_core::index::{index, index_and_rest};
use amq_core::prefetch;
use amq_core::{BuildError, Bytes, DecodeError, KeyHash, Table};
use core::marker::PhantomData;

/// 2^64 divided by the golden ratio: its multiples are spread evenly.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// A key's fingerprint and its two buckets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct BucketPair {
    /// One of the buckets.
    pub(crate) first: u64,
    /// The other.
    pub(crate) second: u64,
    /// The fingerprint, 1 or more: zero is an empty slot.
    pub(crate) fingerprint: u64,
}

impl BucketPair {
    /// The same, with the other bucket first.
    pub(crate) const fn swapped(self) -> Self {
        Self { first: self.second, second: self.first, fingerprint: self.fingerprint }
    }
}

/// The table of slots, stored in `B`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BucketTable<L, B = Table> {
    /// Slot `s` is the `bits` bits from bit `s * bits` on.
    bytes: B,
    buckets: u64,
    bits: u32,
    /// A one in every slot of a bucket.
    ones: u128,
    /// The marks of a bucket's slots.
    marks: u128,
    layout: PhantomData<L>,
}

impl<L: Layout> BucketTable<L> {
    /// An empty table. The parameters must be valid.
    pub(crate) fn new(params: CuckooParams) -> Result<Self, BuildError> {
        Ok(Self::over(params, Table::zeroed(params.bytes::<L>())?))
    }

    /// A copy; an error if out of memory.
    pub(crate) fn try_clone(&self) -> Result<Self, BuildError> {
        Ok(Self::over(self.params(), self.bytes.try_clone()?))
    }

    /// Empties every slot.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// Fills a slot.
    #[inline(always)]
    pub(crate) fn set_slot(&mut self, slot: u64, value: u64) {
        let (byte, shift) = self.address(slot);
        let bytes = &mut self.bytes[byte..byte + 8];
        let kept = u64::read(bytes) & !(low_bits(self.bits) << shift);
        bytes.copy_from_slice(&(kept | value << shift).to_le_bytes());
    }
}

impl<L: Layout, B: Bytes> BucketTable<L, B> {
    /// A table over these bytes, whose number must match the parameters.
    pub(crate) fn over(params: CuckooParams, bytes: B) -> Self {
        let bits = params.fingerprint_bits;
        let lanes = |value: fn(u32) -> u128| {
            (0..L::SLOTS).fold(0, |word, slot| word | value(slot) << (bits * slot))
        };
        Self {
            bytes,
            buckets: params.buckets,
            bits,
            ones: lanes(|_| 1),
            marks: match L::MARK_BITS {
                0 => 0,
                marks => lanes(u128::from) << (bits - marks),
            },
            layout: PhantomData,
        }
    }

    /// A view of this table: it borrows the bytes.
    pub(crate) fn view(&self) -> BucketTable<L, &[u8]> {
        BucketTable::over(self.params(), self.bytes())
    }

    /// `Ok` if the table is one that inserting `keys` keys can produce, and all other bits are
    /// zero. Reads every slot, in a function of its own so that the loop has the registers.
    #[inline(never)]
    pub(crate) fn validate(&self, keys: u64) -> Result<(), DecodeError> {
        let slots = self.params().slots::<L>();
        let structure = |what| Err(DecodeError::Structure { what });
        let mut found = slots;
        for slot in 0..slots {
            if self.slot(slot) == 0 {
                found -= 1;
            } else if self.stored(slot).is_none() {
                return structure("a slot whose value no insert leads to");
            }
        }
        if found != keys {
            return structure("a number of keys other than that of the slots taken");
        }
        // The last slot may end within a byte; the rest must be zero.
        let (end, used) = self.address(slots);
        let past = &self.bytes()[end..];
        if past[0] >> used != 0 || past[1..].iter().any(|&byte| byte != 0) {
            return structure("bits set past the last slot");
        }
        Ok(())
    }

    /// The bytes.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }

    /// The parameters.
    #[inline(always)]
    pub(crate) const fn params(&self) -> CuckooParams {
        CuckooParams::new(self.buckets, self.bits)
    }

    /// Whether every bucket fits a 64-bit word.
    #[inline(always)]
    pub(crate) const fn is_narrow(&self) -> bool {
        self.params().is_narrow::<L>()
    }

    /// The buckets and the fingerprint of the key with this hash. The upper part of the hash
    /// chooses a bucket, the rest the fingerprint, and both together the other bucket.
    #[inline(always)]
    pub(crate) fn pair(&self, hash: KeyHash) -> BucketPair {
        let (first, rest) = index_and_rest(hash.get(), self.buckets);
        let fingerprint = index(rest, low_bits(self.bits - L::MARK_BITS)) + 1;
        self.pair_of(first, fingerprint)
    }

    /// The buckets of a fingerprint, given one of them.
    #[inline(always)]
    pub(crate) fn pair_of(&self, bucket: u64, fingerprint: u64) -> BucketPair {
        BucketPair { first: bucket, second: self.other(bucket, fingerprint), fingerprint }
    }

    /// The alternate bucket, an involution: the two sum to an odd number that the fingerprint
    /// determines, modulo the number of buckets. That number is even, so they always differ.
    #[inline(always)]
    pub(crate) fn other(&self, bucket: u64, fingerprint: u64) -> u64 {
        let sum = 2 * index(fingerprint.wrapping_mul(GOLDEN), self.buckets / 2) + 1;
        let (other, below) = sum.overflowing_sub(bucket);
        if below { other.wrapping_add(self.buckets) } else { other }
    }

    /// The lanes of a bucket in a word.
    #[inline(always)]
    pub(crate) fn lanes<W: Word>(&self) -> Lanes<W> {
        Lanes::new(self.ones, self.bits)
    }

    /// A bucket with this fingerprint in all slots.
    #[inline(always)]
    pub(crate) fn pattern<W: Word>(&self, fingerprint: u64) -> W {
        let fingerprints = self.lanes::<W>().splat(fingerprint);
        match L::MARK_BITS {
            0 => fingerprints,
            _ => fingerprints | W::narrow(self.marks),
        }
    }

    /// The slots of a bucket, and in the bits above them, those that follow in the table.
    #[inline(always)]
    pub(crate) fn bucket<W: Word>(&self, bucket: u64) -> W {
        let (byte, shift) = self.address(bucket * u64::from(L::STRIDE));
        W::read(&self.bytes()[byte..byte + W::BYTES]) >> shift
    }

    /// The value of a slot.
    #[inline(always)]
    pub(crate) fn slot(&self, slot: u64) -> u64 {
        let (byte, shift) = self.address(slot);
        u64::read(&self.bytes()[byte..byte + 8]) >> shift & low_bits(self.bits)
    }

    /// The slot in a lane of a bucket.
    #[inline(always)]
    pub(crate) const fn slot_of(bucket: u64, lane: u32) -> u64 {
        bucket * L::STRIDE as u64 + lane as u64
    }

    /// The value of a slot that holds a fingerprint in this lane of its bucket.
    #[inline(always)]
    pub(crate) const fn value(&self, fingerprint: u64, lane: u32) -> u64 {
        if L::MARK_BITS == 0 {
            fingerprint
        } else {
            fingerprint | (lane as u64) << (self.bits - L::MARK_BITS)
        }
    }

    /// The mark and the fingerprint in a slot's value.
    #[inline(always)]
    const fn split(&self, value: u64) -> (u64, u64) {
        if L::MARK_BITS == 0 {
            return (0, value);
        }
        let value_bits = self.bits - L::MARK_BITS;
        (value >> value_bits, value & low_bits(value_bits))
    }

    /// The bucket and the fingerprint of a slot; `None` if it is empty, or invalid, as in a damaged
    /// file that was opened without checking its payload.
    pub(crate) fn stored(&self, slot: u64) -> Option<(u64, u64)> {
        let (mark, fingerprint) = self.split(self.slot(slot));
        let bucket = slot.checked_sub(mark)? / u64::from(L::STRIDE);
        (fingerprint != 0 && bucket < self.buckets).then_some((bucket, fingerprint))
    }

    /// The bucket and the fingerprint of a nonempty slot, in a valid table.
    #[inline(always)]
    pub(crate) fn owner(&self, slot: u64) -> (u64, u64) {
        let (mark, fingerprint) = self.split(self.slot(slot));
        ((slot - mark) / u64::from(L::STRIDE), fingerprint)
    }

    /// The number of occupied cells (a fingerprint with its pair of buckets): copies, and keys with
    /// the same cell, count once.
    pub(crate) fn distinct(&self) -> u64 {
        let slots = 0..self.params().slots::<L>();
        let firsts = slots.filter(|&slot| {
            self.stored(slot).is_some_and(|(bucket, fingerprint)| {
                self.first_slot(self.pair_of(bucket, fingerprint)) == slot
            })
        });
        firsts.count() as u64
    }

    /// Prefetches a bucket.
    #[inline(always)]
    pub(crate) fn prefetch(&self, bucket: u64) {
        let (byte, _) = self.address(bucket * u64::from(L::STRIDE));
        prefetch::prefetch(self.bytes(), byte);
    }

    /// The bucket pairs of some hashes, prefetched.
    #[inline(always)]
    pub(crate) fn prefetch_pairs(&self, hashes: &[KeyHash], pairs: &mut [BucketPair]) {
        for (pair, &hash) in pairs.iter_mut().zip(hashes) {
            *pair = self.pair(hash);
            self.prefetch(pair.first);
            self.prefetch(pair.second);
        }
    }

    /// The byte in which a slot starts, and the bit in that byte.
    #[inline(always)]
    const fn address(&self, slot: u64) -> (usize, u32) {
        let bit = slot * self.bits as u64;
        ((bit >> 3) as usize, bit as u32 & 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buckets, OverlappingBuckets};
    use std::vec;

    fn table<L: Layout>(buckets: u64, bits: u32) -> BucketTable<L> {
        let params = CuckooParams::new(buckets, bits);
        params.check::<L>().unwrap();
        BucketTable::new(params).unwrap()
    }

    #[test]
    fn the_other_bucket_is_another_one_and_its_other_is_the_first() {
        for buckets in (2..200).step_by(2).chain([1000, 4094, (1 << 20) + 2]) {
            let table = table::<Buckets>(buckets, 12);
            for fingerprint in [1, 2, 3, 100, 2047, 2048, 4095] {
                for bucket in (0..buckets.min(300)).chain([buckets / 2, buckets - 1]) {
                    let other = table.other(bucket, fingerprint);
                    assert!(other < buckets && other != bucket);
                    assert_eq!(
                        table.other(other, fingerprint),
                        bucket,
                        "{buckets} buckets, fingerprint {fingerprint}"
                    );
                }
            }
        }
    }

    #[test]
    fn bucket_and_fingerprint_are_jointly_uniform() {
        // 16 parts of the table and 15 fingerprints: chi-square with 239 degrees of freedom, mean
        // 239, sd 21.9; five sd both ways.
        let table = table::<Buckets>(1 << 20, 4);
        let (mut firsts, mut seconds) = (vec![0u32; 256], vec![0u32; 256]);
        let samples = 1 << 17;
        for key in 0..samples as u64 {
            let pair = table.pair(KeyHash::of(&key, 1));
            firsts[(pair.first >> 16) as usize * 16 + pair.fingerprint as usize] += 1;
            seconds[(pair.second >> 16) as usize * 16 + pair.fingerprint as usize] += 1;
        }
        for counts in [firsts, seconds] {
            let expected = f64::from(samples) / 240.0;
            let filled = counts.iter().enumerate().filter(|(i, _)| i % 16 != 0);
            let chi2: f64 =
                filled.map(|(_, &c)| (f64::from(c) - expected).powi(2) / expected).sum();
            assert!((129.0..349.0).contains(&chi2), "{chi2}");
            assert!(counts.iter().step_by(16).all(|&c| c == 0), "zero is no fingerprint");
        }
    }

    #[test]
    fn slots_of_any_width_do_not_touch_each_other() {
        fn fill<L: Layout>() {
            for bits in 4..=32 {
                let mut table = table::<L>(6, bits);
                let slots = table.params().slots::<L>();
                let value = |slot: u64| amq_core::index::remix(slot, bits.into()) & low_bits(bits);
                for slot in 0..slots {
                    table.set_slot(slot, value(slot));
                }
                for slot in (0..slots).step_by(3) {
                    table.set_slot(slot, 0);
                }
                for slot in 0..slots {
                    let want = if slot % 3 == 0 { 0 } else { value(slot) };
                    assert_eq!(table.slot(slot), want, "slot {slot}, {bits} bits");
                }
                for bucket in 0..6 {
                    let word = match table.is_narrow() {
                        true => table.bucket::<u64>(bucket).into(),
                        false => table.bucket::<u128>(bucket),
                    };
                    for lane in 0..L::SLOTS {
                        let slot = BucketTable::<L>::slot_of(bucket, lane);
                        assert_eq!(
                            (word >> (lane * bits)).low() & low_bits(bits),
                            table.slot(slot)
                        );
                    }
                }
            }
        }
        fill::<Buckets>();
        fill::<OverlappingBuckets>();
    }

    #[test]
    fn what_is_stored_tells_its_bucket_and_fingerprint() {
        fn owners<L: Layout>() {
            for bits in [4, 9, 17, 32] {
                let mut table = table::<L>(8, bits);
                for bucket in 0..8 {
                    for lane in 0..L::SLOTS {
                        let slot = BucketTable::<L>::slot_of(bucket, lane);
                        table.set_slot(slot, table.value(5, lane));
                        assert_eq!(table.owner(slot), (bucket, 5));
                    }
                }
            }
        }
        owners::<Buckets>();
        owners::<OverlappingBuckets>();
    }
}
