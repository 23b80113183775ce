//! Packed remainders: many fields of r bits, side by side in little-endian words.
//!
//! A block has 64 of them, in exactly r words. Single ones are read by a load of eight bytes from wherever they begin; several at once
//! are compared within such a load, each in its own bits; and they are shifted by whole words.

use crate::bits::{below, from, through};

/// Eight bytes from `at` on, as a little-endian word. Zero out of range, which does not happen.
#[inline(always)]
pub(crate) fn load(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(word) => u64::from_le_bytes(*word),
        None => 0,
    }
}

/// Writes eight bytes.
#[inline(always)]
pub(crate) fn store(bytes: &mut [u8], at: usize, word: u64) {
    if let Some(place) = bytes.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = word.to_le_bytes();
    }
}

/// How wide a field is, and the masks for comparing many of them in one word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fields {
    /// Bits of a field, 0 to 56.
    pub(crate) bits: u32,
    /// How many whole fields a load has, whatever bit they begin at: 57 / bits. None if a field has no bits.
    pub(crate) per_load: u32,
    /// The lowest bit of each of them.
    ones: u64,
    /// The highest bit of each.
    tops: u64,
}

impl Fields {
    pub(crate) fn new(bits: u32) -> Self {
        let per_load = 57u32.checked_div(bits).unwrap_or(0);
        let ones = (0..per_load).fold(0, |ones, i| ones | 1 << (i * bits));
        Self {
            bits,
            per_load,
            ones,
            tops: ones << bits.saturating_sub(1),
        }
    }

    /// The bits of one field.
    #[inline(always)]
    pub(crate) const fn mask(&self) -> u64 {
        below(self.bits)
    }

    /// A load from field `i` of a block on: that field is in the lowest bits.
    #[inline(always)]
    pub(crate) fn window(&self, block: &[u8], start: usize, i: u32) -> u64 {
        let bit = i * self.bits;
        load(block, start + (bit / 8) as usize) >> (bit % 8)
    }

    /// The highest bit of each field of `window` that is equal to `value`.
    #[inline(always)]
    pub(crate) const fn equal(&self, window: u64, value: u64) -> u64 {
        let differing = window ^ value.wrapping_mul(self.ones);
        // A field that is not zero carries into its highest bit, or has it set.
        let low = !self.tops;
        let nonzero = ((differing & low & self.all()) + (self.all() & low)) | differing;
        !nonzero & self.tops
    }

    /// The highest bit of each field of `window` that is less than `value`.
    #[inline(always)]
    pub(crate) const fn less(&self, window: u64, value: u64) -> u64 {
        let (window, value) = (window & self.all(), value.wrapping_mul(self.ones));
        // Without the highest bits: kept where nothing was borrowed, that is where the field is no less.
        let kept = (window | self.tops) - (value & !self.tops);
        ((!window & value) | (!(window ^ value) & !kept)) & self.tops
    }

    /// The bits of all whole fields of a load.
    #[inline(always)]
    const fn all(&self) -> u64 {
        (self.tops - self.ones) | self.tops
    }

    /// The bits of the first `count` fields, at most as many as there are in a load. Anything for more.
    #[inline(always)]
    pub(crate) const fn first(&self, count: u32) -> u64 {
        1u64.wrapping_shl(count.wrapping_mul(self.bits))
            .wrapping_sub(1)
    }

    /// Puts `value` in as field `first` of a block, the fields from there to `last` one further on, and field `last` gone.
    #[inline(always)]
    pub(crate) fn put_in(&self, block: &mut [u8], first: u32, last: u32, value: u64) {
        let r = self.bits;
        let (begin, end) = (first * r, (last + 1) * r);
        if begin == end {
            return;
        }
        let (mut at, shift) = (begin / 64, begin % 64);
        let last_at = (end - 1) / 64;
        let mut old = load(block, at as usize * 8);
        let moved = old & from(shift);
        let mut new = (old & below(shift)) | (moved << r) | (value << shift);
        let mut carry = (moved >> (64 - r)) | (value >> 1 >> (63 - shift));
        while at < last_at {
            store(block, at as usize * 8, new);
            at += 1;
            old = load(block, at as usize * 8);
            new = (old << r) | carry;
            carry = old >> (64 - r);
        }
        let kept = !through((end - 1) % 64);
        store(block, at as usize * 8, (new & !kept) | (old & kept));
    }

    /// Takes field `first` of a block out, those up to `last` one back, and `value` in the place of the last.
    #[inline(always)]
    pub(crate) fn take_out(&self, block: &mut [u8], first: u32, last: u32, value: u64) {
        let r = self.bits;
        let (begin, end) = (first * r, (last + 1) * r);
        if begin == end {
            return;
        }
        let (mut at, shift) = (begin / 64, begin % 64);
        let last_at = (end - 1) / 64;
        let mut old = load(block, at as usize * 8);
        let mut kept = below(shift);
        while at < last_at {
            let next = load(block, at as usize * 8 + 8);
            let new = (old >> r) | (next << (64 - r));
            store(block, at as usize * 8, (new & !kept) | (old & kept));
            (old, kept) = (next, 0);
            at += 1;
        }
        kept |= !through((end - 1) % 64);
        store(block, at as usize * 8, ((old >> r) & !kept) | (old & kept));
        self.set(block, last, value);
    }

    /// Writes field `i` of a block.
    #[inline(always)]
    pub(crate) fn set(&self, block: &mut [u8], i: u32, value: u64) {
        let bit = i * self.bits;
        let (at, shift) = ((bit / 8) as usize, bit % 8);
        let cleared = load(block, at) & !(self.mask() << shift);
        store(block, at, cleared | (value << shift));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// A block's words, and eight bytes after them that must not change.
    fn packed(list: &[u64], r: u32) -> Vec<u8> {
        let mut block = std::vec![0u8; r as usize * 8];
        block.extend([0xA5; 8]);
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
            let list: Vec<u64> = (0..64)
                .map(|i| remix(i, r.into()) & fields.mask())
                .collect();
            let block = packed(&list, r);
            assert_eq!(block[r as usize * 8..], [0xA5; 8]);
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
        for r in 1..=56 {
            let fields = Fields::new(r);
            assert_eq!(fields.per_load, 57 / r);
            for i in 0..4000u64 {
                // Few values, so that equal ones and those next to each other come; the ends; and bits above the last field.
                let pick = |i: u64| match remix(i, 7) % 4 {
                    0 => 0,
                    1 => fields.mask(),
                    2 => (remix(i, 8) % 3) & fields.mask(),
                    _ => remix(i, 9) & fields.mask(),
                };
                let list: Vec<u64> = (0..fields.per_load)
                    .map(|k| pick(i * 64 + u64::from(k)))
                    .collect();
                let value = if i % 2 == 0 { pick(!i) } else { list[0] };
                let mut window = list.iter().rev().fold(0, |w, &v| w << r | v);
                let used = fields.per_load * r;
                window |= remix(i, 10) << used;
                let tops = |test: &dyn Fn(u64) -> bool| {
                    let bits = list.iter().enumerate();
                    bits.map(|(k, &v)| u64::from(test(v)) << (k as u32 * r + r - 1))
                        .sum::<u64>()
                };
                assert_eq!(
                    fields.equal(window, value),
                    tops(&|v| v == value),
                    "r {r}, {list:?}, {value}"
                );
                assert_eq!(
                    fields.less(window, value),
                    tops(&|v| v < value),
                    "r {r}, {list:?}, {value}"
                );
            }
        }
    }

    #[test]
    fn a_field_goes_in_and_out_as_in_a_list() {
        for r in 0..=56 {
            let fields = Fields::new(r);
            let list: Vec<u64> = (0..64)
                .map(|i| remix(i, r.into()) & fields.mask())
                .collect();
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
                    less.insert(last as usize, value);
                    fields.take_out(&mut shifted, first, last, value);
                    assert_eq!(shifted, packed(&less, r), "r {r}, {first} to {last}");
                }
            }
        }
    }
}
