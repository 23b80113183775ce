//! Packed remainders: fields of r bits, side by side in little-endian words.
//!
//! A block has 64 fields, in exactly r words. A load of eight bytes, from the byte where a field
//! starts, reads it and some after it, which are compared in place, all at once. Fields are moved a
//! word at a time.

use crate::bits::{below, from};

/// Reads eight bytes from `at` as a little-endian word.
#[inline(always)]
pub(crate) fn load(bytes: &[u8], at: usize) -> u64 {
    // Not `at..at + 8`, which would add an overflow check.
    bytes[at..][..8].first_chunk().map_or(0, |&word| u64::from_le_bytes(word))
}

/// Writes eight bytes at `at`.
#[inline(always)]
pub(crate) fn store(bytes: &mut [u8], at: usize, word: u64) {
    // Not `copy_from_slice`, which is not inlined in every profile.
    if let Some(bytes) = bytes[at..][..8].first_chunk_mut() {
        *bytes = word.to_le_bytes();
    }
}

/// The lowest `count` bits of `new` (all of them from 64 on), and the other bits of `old`.
#[inline(always)]
const fn blend(old: u64, new: u64, count: u32) -> u64 {
    let mask = if count < 64 { below(count) } else { u64::MAX };
    (new & mask) | (old & !mask)
}

/// The width of fields, and the masks to compare many of them in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fields {
    /// Bits of a field (r), 0 to 56.
    pub(crate) bits: u32,
    /// Whole fields in a load, at any starting bit: 57 / r; 0 if r is 0.
    pub(crate) per_load: u32,
    /// The lowest bit of each field of a load.
    ones: u64,
    /// The highest bit of each.
    tops: u64,
}

impl Fields {
    pub(crate) fn new(bits: u32) -> Self {
        let per_load = 57u32.checked_div(bits).unwrap_or(0);
        let ones = (0..per_load).fold(0, |ones, i| ones | 1 << (i * bits));
        Self { bits, per_load, ones, tops: ones << bits.saturating_sub(1) }
    }

    /// Mask of one field.
    #[inline(always)]
    pub(crate) const fn mask(&self) -> u64 {
        below(self.bits)
    }

    /// A load from field `i` on of the block at `start`: that field is in the lowest bits.
    #[inline(always)]
    pub(crate) fn window(&self, block: &[u8], start: usize, i: u32) -> u64 {
        let (at, shift) = self.byte_of(i);
        load(block, start + at) >> shift
    }

    /// The number of the first `count` fields that are less than `value`.
    #[inline(always)]
    pub(crate) const fn count_less(&self, window: u64, value: u64, count: u32) -> u32 {
        let (window, value) = (window & self.all(), self.in_each(value));
        // Compares all but the highest bits: a field that is not less does not borrow, and keeps
        // its top.
        let kept = (window | self.tops) - (value & !self.tops);
        let less = ((!window & value) | (!(window ^ value) & !kept)) & self.tops;
        (less & self.first(count)).count_ones()
    }

    /// The field of a load that this highest bit marks.
    #[inline(always)]
    pub(crate) const fn marked(&self, window: u64, top: u64) -> u64 {
        window >> (top.trailing_zeros() + 1 - self.bits) & self.mask()
    }

    /// The number of fields of a load before the one that this highest bit marks.
    #[inline(always)]
    pub(crate) const fn count_before(&self, top: u64) -> u32 {
        (self.tops & (top - 1)).count_ones()
    }

    /// The value in each field of a load.
    #[inline(always)]
    pub(crate) const fn in_each(&self, value: u64) -> u64 {
        value.wrapping_mul(self.ones)
    }

    /// For each field: zero if it equals that of `values` in all bits above its lowest 1. From a
    /// field without a 1 on, the result is meaningless.
    #[inline(always)]
    pub(crate) const fn differing_before_tail(&self, window: u64, values: u64) -> u64 {
        // Up to and including the lowest 1.
        let tails = window ^ window.wrapping_sub(self.ones);
        (window ^ values) & !tails
    }

    /// The highest bit of each of the first `count` fields that is zero.
    #[inline(always)]
    pub(crate) const fn zeros(&self, differing: u64, count: u32) -> u64 {
        // A field that is not zero has its highest bit set, or carries into it.
        let low = !self.tops;
        let nonzero = ((differing & low & self.all()) + (self.all() & low)) | differing;
        !nonzero & self.tops & self.first(count)
    }

    /// Whether any of the first `count` fields is zero: 1 or 0. Meaningless if a load has fewer
    /// fields.
    #[inline(always)]
    pub(crate) const fn any_zero(&self, differing: u64, count: u32) -> u32 {
        // A zero field borrows, and may make those above it borrow; then a zero is found anyway.
        let zero = differing.wrapping_sub(self.ones) & !differing & self.tops;
        (zero & self.first(count) != 0) as u32
    }

    /// Mask of all whole fields of a load.
    #[inline(always)]
    const fn all(&self) -> u64 {
        (self.tops - self.ones) | self.tops
    }

    /// Mask of the first `count` fields. Meaningless if a load has fewer.
    #[inline(always)]
    const fn first(&self, count: u32) -> u64 {
        1u64.wrapping_shl(count.wrapping_mul(self.bits)).wrapping_sub(1)
    }

    /// Inserts `value` as field `first` of a block: the fields from there to `last` move up by one,
    /// and the old field `last` is lost.
    ///
    /// Always reads and writes two words, since a branch on whether one is enough would be
    /// mispredicted. So the block's metadata must follow its remainders.
    #[inline(always)]
    pub(crate) fn put_in(&self, block: &mut [u8], first: u32, last: u32, value: u64) {
        let r = self.bits;
        if r == 0 {
            return;
        }
        let (at, shift) = self.byte_of(first);
        let left = shift + (last + 1 - first) * r;
        let two = &mut block[at..][..16];
        let (one, other) = (load(two, 0), load(two, 8));
        let moved = one & from(shift);
        // It starts in the first byte, so the field does not cross the end of the word.
        let new = (one & below(shift)) | (moved << r) | (value << shift);
        store(two, 0, blend(one, new, left));
        let new = (other << r) | (moved >> (64 - r));
        store(two, 8, blend(other, new, left.saturating_sub(64)));
        if left > 128 {
            self.put_in_on(&mut block[at + 16..], left - 128, other >> (64 - r));
        }
    }

    /// The words after the first two: `carry` comes in from below, and `left` bits move.
    #[inline(always)]
    fn put_in_on(&self, words: &mut [u8], left: u32, carry: u64) {
        let mut carry = carry;
        let mut words = words.chunks_exact_mut(8);
        for word in words.by_ref().take((left / 64) as usize) {
            let old = load(word, 0);
            store(word, 0, (old << self.bits) | carry);
            carry = old >> (64 - self.bits);
        }
        if let Some(word) = words.next() {
            let old = load(word, 0);
            let new = (old << self.bits) | carry;
            store(word, 0, blend(old, new, left % 64));
        }
    }

    /// Removes field `first` of a block: the fields up to `last` move down by one, and field `last`
    /// becomes zero. Like [`put_in`](Self::put_in), always reads and writes two words.
    #[inline(always)]
    pub(crate) fn take_out(&self, block: &mut [u8], first: u32, last: u32) {
        let r = self.bits;
        if r == 0 {
            return;
        }
        let (at, shift) = self.byte_of(first);
        let left = shift + (last + 1 - first) * r;
        let two = &mut block[at..][..16];
        let (one, other) = (load(two, 0), load(two, 8));
        if left <= 128 {
            let beyond = left.saturating_sub(64);
            // With what follows the last field masked out, zeros take its place.
            let (moved, more) = (blend(0, one, left), blend(0, other, beyond));
            let new = (moved >> r) | (more << (64 - r));
            let new = (one & below(shift)) | (new & from(shift));
            store(two, 0, blend(one, new, left));
            store(two, 8, blend(other, more >> r, beyond));
        } else {
            let new = (one >> r) | (other << (64 - r));
            store(two, 0, (one & below(shift)) | (new & from(shift)));
            self.take_out_on(&mut block[at + 8..], left - 64);
        }
    }

    /// The words after the first, last word first.
    #[inline(always)]
    fn take_out_on(&self, words: &mut [u8], left: u32) {
        let r = self.bits;
        let whole = (left / 64) as usize * 8;
        // Zeros come in behind the last bit.
        let old = load(words, whole);
        let moved = blend(0, old, left % 64);
        store(words, whole, blend(old, moved >> r, left % 64));
        let mut carry = moved << (64 - r);
        for word in words[..whole].chunks_exact_mut(8).rev() {
            let old = load(word, 0);
            store(word, 0, (old >> r) | carry);
            carry = old << (64 - r);
        }
    }

    /// Inserts `value` as field `first` of a block: those from there on move up by one. Returns the
    /// old last field.
    #[inline(always)]
    pub(crate) fn push_in(&self, block: &mut [u8], first: u32, value: u64) -> u64 {
        let last = self.window(block, 0, 63) & self.mask();
        self.put_in(block, first, 63, value);
        last
    }

    /// Removes field `first` of a block: those after it move down by one, and the lowest bits of
    /// `value` become the last.
    #[inline(always)]
    pub(crate) fn pull_in(&self, block: &mut [u8], first: u32, value: u64) {
        let r = self.bits;
        if r == 0 {
            return;
        }
        let (word, shift) = (first * r / 64, first * r % 64);
        let (head, tail) = block[8 * word as usize..8 * r as usize].split_at_mut(8);
        let mut above = value;
        for word in tail.chunks_exact_mut(8).rev() {
            let old = load(word, 0);
            store(word, 0, (old >> r) | (above << (64 - r)));
            above = old;
        }
        let old = load(head, 0);
        let moved = (old >> r) | (above << (64 - r));
        store(head, 0, (old & below(shift)) | (moved & from(shift)));
    }

    /// The byte that field `i` starts in, and the bit within it.
    #[inline(always)]
    const fn byte_of(&self, i: u32) -> (usize, u32) {
        let bit = i * self.bits;
        ((bit / 8) as usize, bit % 8)
    }

    /// Writes field `i` of a block.
    #[inline(always)]
    pub(crate) fn set(&self, block: &mut [u8], i: u32, value: u64) {
        let (at, shift) = self.byte_of(i);
        let cleared = load(block, at) & !(self.mask() << shift);
        store(block, at, cleared | (value << shift));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// The words of a block, then 17 bytes in place of its metadata that must not change.
    fn packed(list: &[u64], r: u32) -> Vec<u8> {
        let mut block = std::vec![0u8; r as usize * 8];
        block.extend([0xA5; 17]);
        let fields = Fields::new(r);
        for (i, &value) in list.iter().enumerate() {
            fields.set(&mut block, i as u32, value);
        }
        block
    }

    #[test]
    fn fields_are_bits_side_by_side() {
        for r in 1..=56 {
            let fields = Fields::new(r);
            let list: Vec<u64> = (0..64).map(|i| remix(i, r.into()) & fields.mask()).collect();
            let block = packed(&list, r);
            assert_eq!(block[r as usize * 8..], [0xA5; 17]);
            for (i, &value) in list.iter().enumerate() {
                assert_eq!(fields.window(&block, 0, i as u32) & fields.mask(), value);
                let bits = (0..r).map(|bit| {
                    let at = i as u32 * r + bit;
                    u64::from(block[at as usize / 8] >> (at % 8) & 1) << bit
                });
                assert_eq!(bits.sum::<u64>(), value);
            }
        }
    }

    #[test]
    fn comparing_all_fields_of_a_load_is_comparing_each() {
        let mut prefixed = 0;
        for r in 1..=56 {
            let fields = Fields::new(r);
            assert_eq!(fields.per_load, 57 / r);
            for i in 0..4000u64 {
                // Few values, so that equal and neighbouring ones occur; both extremes; noise above
                // the last field.
                let pick = |i: u64| match remix(i, 7) % 4 {
                    0 => 0,
                    1 => fields.mask(),
                    2 => (remix(i, 8) % 3) & fields.mask(),
                    _ => remix(i, 9) & fields.mask(),
                };
                let list: Vec<u64> =
                    (0..fields.per_load).map(|k| pick(i * 64 + u64::from(k))).collect();
                let value = if i % 2 == 0 { pick(!i) } else { list[0] };
                let mut window = list.iter().rev().fold(0, |w, &v| w << r | v);
                let used = fields.per_load * r;
                window |= remix(i, 10) << used;
                let tops = |test: &dyn Fn(u64) -> bool| {
                    let bits = list.iter().enumerate();
                    bits.map(|(k, &v)| u64::from(test(v)) << (k as u32 * r + r - 1)).sum::<u64>()
                };
                assert_eq!(
                    fields.zeros(window ^ fields.in_each(value), fields.per_load),
                    tops(&|v| v == value),
                    "r {r}, {list:?}, {value}"
                );
                // Up to the first field without a 1.
                let tailed = list.iter().position(|&v| v == 0).unwrap_or(list.len());
                let prefixes = |v: u64| v != 0 && (v ^ value) & !(v ^ (v - 1)) == 0;
                let first = fields.first(tailed as u32);
                let differing = fields.differing_before_tail(window, fields.in_each(value));
                let found = fields.zeros(differing, tailed as u32);
                assert_eq!(found, tops(&prefixes) & first, "r {r}, {list:?}, {value}");
                let any = fields.any_zero(differing, tailed as u32);
                assert_eq!(any == 1, found != 0);
                prefixed += u64::from(any);
                for count in 0..=fields.per_load {
                    let less = list[..count as usize].iter().filter(|&&v| v < value).count();
                    let found = fields.count_less(window, value, count);
                    assert_eq!(found, less as u32, "r {r}, {list:?}, {value}");
                }
            }
        }
        assert!(prefixed > 50_000, "{prefixed}");
    }

    #[test]
    fn a_field_goes_in_and_out_as_in_a_list() {
        for r in 0..=56 {
            let fields = Fields::new(r);
            let list: Vec<u64> = (0..64).map(|i| remix(i, r.into()) & fields.mask()).collect();
            let block = packed(&list, r);
            for first in 0..64 {
                for last in first..64 {
                    let value = remix(u64::from(first * 64 + last), 3) & fields.mask();
                    let (mut more, mut shifted) = (list.clone(), block.clone());
                    more.remove(last as usize);
                    more.insert(first as usize, value);
                    fields.put_in(&mut shifted, first, last, value);
                    assert_eq!(shifted, packed(&more, r), "r {r}, {first} to {last}");
                    let (mut less, mut shifted) = (list.clone(), block.clone());
                    less.remove(first as usize);
                    less.insert(last as usize, 0);
                    fields.take_out(&mut shifted, first, last);
                    assert_eq!(shifted, packed(&less, r), "r {r}, {first} to {last}");
                }
                // Out at the block's end, and in there.
                let above = remix(u64::from(first), 4);
                let value = above & fields.mask();
                let (mut more, mut shifted) = (list.clone(), block.clone());
                let leaves = more.pop().unwrap();
                more.insert(first as usize, value);
                assert_eq!(fields.push_in(&mut shifted, first, value), leaves);
                assert_eq!(shifted, packed(&more, r), "r {r}, from {first} on");
                let (mut less, mut shifted) = (list.clone(), block.clone());
                less.remove(first as usize);
                less.push(value);
                fields.pull_in(&mut shifted, first, above);
                assert_eq!(shifted, packed(&less, r), "r {r}, from {first} on");
            }
        }
    }
}
