//! The packed table: slots of any width, buckets read as one word, and where in it a key may be.

use crate::lanes::{Lanes, Word, low_bits};
use crate::{CuckooParams, Layout};
use alloc::vec::Vec;
use amq_core::index::{index, index_and_rest};
use amq_core::{BuildError, KeyHash, prefetch, zeroed};
use core::marker::PhantomData;

/// Two to the 64 over the golden ratio: multiples of it are spread evenly.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Where a key may be, and as what.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Place {
    /// One of its two buckets.
    pub(crate) first: u64,
    /// The other one.
    pub(crate) second: u64,
    /// Its fingerprint, from 1 on: a slot with zero in it is empty.
    pub(crate) tag: u64,
}

/// The slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Table<L> {
    /// Slot `s` is the `bits` bits from bit `s * bits` on.
    bytes: Vec<u8>,
    buckets: u64,
    bits: u32,
    /// A one in every slot of a bucket.
    ones: u128,
    /// The marks that the slots of a bucket have.
    marks: u128,
    layout: PhantomData<L>,
}

impl<L: Layout> Table<L> {
    /// A table of empty slots. The parameters have been checked.
    pub(crate) fn new(params: &CuckooParams) -> Result<Self, BuildError> {
        let bits = params.fingerprint_bits;
        let lanes = |value: fn(u32) -> u128| {
            (0..L::SLOTS).fold(0, |word, slot| word | value(slot) << (bits * slot))
        };
        Ok(Self {
            bytes: zeroed(params.bytes::<L>())?,
            buckets: params.buckets,
            bits,
            ones: lanes(|_| 1),
            marks: match L::MARK_BITS {
                0 => 0,
                marks => lanes(u128::from) << (bits - marks),
            },
            layout: PhantomData,
        })
    }

    /// Its geometry.
    #[inline(always)]
    pub(crate) const fn params(&self) -> CuckooParams {
        CuckooParams {
            buckets: self.buckets,
            fingerprint_bits: self.bits,
        }
    }

    /// Bytes held.
    pub(crate) fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    /// Empties every slot.
    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// A copy, if there is memory for it.
    pub(crate) fn try_clone(&self) -> Result<Self, BuildError> {
        let mut copy = Self::new(&self.params())?;
        copy.bytes.copy_from_slice(&self.bytes);
        Ok(copy)
    }

    /// Whether every bucket fits a 64-bit word.
    #[inline(always)]
    pub(crate) const fn is_narrow(&self) -> bool {
        self.params().is_narrow::<L>()
    }

    /// Where the key with this hash may be: the upper part of the hash chooses a bucket, what is left of it the fingerprint, and the
    /// fingerprint and the bucket choose the other bucket.
    #[inline(always)]
    pub(crate) fn place(&self, hash: KeyHash) -> Place {
        let (first, rest) = index_and_rest(hash.get(), self.buckets);
        let tag = index(rest, low_bits(self.bits - L::MARK_BITS)) + 1;
        Place {
            first,
            second: self.other(first, tag),
            tag,
        }
    }

    /// The other bucket of a fingerprint that may be in this one, and the other way round: their sum, modulo the number of buckets, is an odd number that the fingerprint
    /// determines. As the number of buckets is even, no bucket is its own other.
    #[inline(always)]
    pub(crate) fn other(&self, bucket: u64, tag: u64) -> u64 {
        let sum = 2 * index(tag.wrapping_mul(GOLDEN), self.buckets / 2) + 1;
        let (other, below) = sum.overflowing_sub(bucket);
        if below {
            other.wrapping_add(self.buckets)
        } else {
            other
        }
    }

    /// The lanes of a bucket in a word.
    #[inline(always)]
    pub(crate) fn lanes<W: Word>(&self) -> Lanes<W> {
        Lanes::new(self.ones, self.bits)
    }

    /// What the slots of a bucket hold if each holds this fingerprint.
    #[inline(always)]
    pub(crate) fn pattern<W: Word>(&self, tag: u64) -> W {
        let tags = self.lanes::<W>().splat(tag);
        match L::MARK_BITS {
            0 => tags,
            _ => tags | W::narrow(self.marks),
        }
    }

    /// The slots of a bucket, and above them what follows it.
    #[inline(always)]
    pub(crate) fn bucket<W: Word>(&self, bucket: u64) -> W {
        let (byte, shift) = self.address(bucket * u64::from(L::STRIDE));
        W::read(&self.bytes[byte..byte + W::BYTES]) >> shift
    }

    /// What a slot holds.
    #[inline(always)]
    pub(crate) fn slot(&self, slot: u64) -> u64 {
        let (byte, shift) = self.address(slot);
        u64::read(&self.bytes[byte..byte + 8]) >> shift & low_bits(self.bits)
    }

    /// Fills a slot.
    #[inline(always)]
    pub(crate) fn set_slot(&mut self, slot: u64, value: u64) {
        let (byte, shift) = self.address(slot);
        let bytes = &mut self.bytes[byte..byte + 8];
        let kept = u64::read(bytes) & !(low_bits(self.bits) << shift);
        bytes.copy_from_slice(&(kept | value << shift).to_le_bytes());
    }

    /// The slot in a lane of a bucket.
    #[inline(always)]
    pub(crate) const fn slot_of(bucket: u64, lane: u32) -> u64 {
        bucket * L::STRIDE as u64 + lane as u64
    }

    /// What is stored for a fingerprint in a lane of its bucket.
    #[inline(always)]
    pub(crate) const fn value(&self, tag: u64, lane: u32) -> u64 {
        if L::MARK_BITS == 0 {
            tag
        } else {
            tag | (lane as u64) << (self.bits - L::MARK_BITS)
        }
    }

    /// The bucket and the fingerprint of what a slot, which is not empty, holds.
    #[inline(always)]
    pub(crate) fn owner(&self, slot: u64) -> (u64, u64) {
        let value = self.slot(slot);
        if L::MARK_BITS == 0 {
            return (slot / u64::from(L::STRIDE), value);
        }
        let tag_bits = self.bits - L::MARK_BITS;
        // Stride one: the mark says how many slots its bucket began before.
        (slot - (value >> tag_bits), value & low_bits(tag_bits))
    }

    /// Asks for the memory of a bucket.
    #[inline(always)]
    pub(crate) fn prefetch(&self, bucket: u64) {
        let (byte, _) = self.address(bucket * u64::from(L::STRIDE));
        prefetch::prefetch(&self.bytes, byte);
    }

    /// The byte in which a slot begins, and the bit in that byte.
    #[inline(always)]
    fn address(&self, slot: u64) -> (usize, u32) {
        let bit = slot * u64::from(self.bits);
        ((bit >> 3) as usize, bit as u32 & 7)
    }
}
