//! Bit operations on 64-bit words: rank, select, inserting and removing a bit.

/// Mask of the bits below bit `i`, for `i` up to 63.
#[inline(always)]
pub(crate) const fn below(i: u32) -> u64 {
    (1 << i) - 1
}

/// Mask of the bits up to and including bit `i`, for `i` up to 63.
#[inline(always)]
pub(crate) const fn through(i: u32) -> u64 {
    u64::MAX >> (63 - i)
}

/// Mask of the bits from bit `i` up, for `i` up to 63.
#[inline(always)]
pub(crate) const fn from(i: u32) -> u64 {
    u64::MAX << i
}

/// Only the lowest 1 of a word.
#[inline(always)]
pub(crate) const fn lowest(word: u64) -> u64 {
    word & word.wrapping_neg()
}

/// An implementation of select: by an instruction, or portable.
///
/// Every search of a word is generic over this, and compiled once for each.
pub(crate) trait Select {
    /// The position of the 1 with `rank` ones below it; 64 if there is none. `rank` is below 64.
    fn select(word: u64, rank: u32) -> u32;

    /// The bit that `select` finds, as a mask; zero if there is none.
    #[inline(always)]
    fn nth_one(word: u64, rank: u32) -> u64 {
        1u64.checked_shl(Self::select(word, rank)).unwrap_or(0)
    }

    /// The first bit, from `first` (below 64) up, where the ones of `opens` and `closes` balance:
    /// equally many from bit 0 up to and including it. 64 if there is none. Nowhere may `closes`
    /// be ahead.
    #[inline(always)]
    fn first_balanced(opens: u64, closes: u64, first: u32) -> u32 {
        let mut bit = first;
        loop {
            let opened = (opens & through(bit)).count_ones();
            // Balance needs at least this many closes; more may open before it.
            let closed = match opened {
                0 => 0,
                opened => Self::select(closes, opened - 1),
            };
            if closed <= bit || closed == 64 {
                return closed.max(bit);
            }
            bit = closed;
        }
    }
}

/// Select by arithmetic on all bytes of a word at once (S. Vigna, *Broadword implementation of
/// rank/select queries*, WEA 2008).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Broadword;

/// The lowest bit of each byte.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The highest bit of each byte.
const TOPS: u64 = 0x8080_8080_8080_8080;

/// Byte i of the result: the number of ones in byte i.
#[inline(always)]
pub(crate) const fn ones_in_bytes(word: u64) -> u64 {
    const PAIRS: u64 = 0x5555_5555_5555_5555;
    const NIBBLES: u64 = 0x3333_3333_3333_3333;
    const BYTES: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    let twos = word - ((word >> 1) & PAIRS);
    let fours = (twos & NIBBLES) + ((twos >> 2) & NIBBLES);
    (fours + (fours >> 4)) & BYTES
}

/// Byte i of the result: the sum of bytes 0 to i.
#[inline(always)]
pub(crate) const fn sums_of_bytes(bytes: u64) -> u64 {
    bytes.wrapping_mul(ONES)
}

/// The number of bytes of `sums` that are at most `limit`; all of them, and `limit`, are below 128.
#[inline(always)]
const fn bytes_up_to(sums: u64, limit: u32) -> u32 {
    // A byte keeps its highest bit if it did not borrow.
    let stayed = ((limit as u64 * ONES) | TOPS).wrapping_sub(sums) & TOPS;
    ((stayed >> 7).wrapping_mul(ONES) >> 56) as u32
}

impl Select for Broadword {
    #[inline(always)]
    fn select(word: u64, rank: u32) -> u32 {
        let sums = sums_of_bytes(ones_in_bytes(word));
        if rank >= (sums >> 56) as u32 {
            return 64;
        }
        let shift = bytes_up_to(sums, rank) * 8;
        let before = ((sums << 8) >> shift) as u32 & 0xFF;
        let byte = (word >> shift) & 0xFF;
        // The same within the byte, whose bits are spread over the bytes of a word.
        let spread = byte.wrapping_mul(ONES) & 0x8040_2010_0804_0201;
        let bits = ((spread + (TOPS - ONES)) >> 7) & ONES;
        shift + bytes_up_to(bits.wrapping_mul(ONES), rank - before)
    }
}

/// Inserts `bit` at `first`: the bits from there to `last` move up by one, and the old bit `last`
/// is lost.
#[inline(always)]
pub(crate) const fn put_in(word: u64, first: u32, last: u32, bit: u64) -> u64 {
    let moved = through(last) & from(first);
    (word & !moved) | ((((word & moved) << 1) | (bit << first)) & moved)
}

/// Removes bit `first`: the bits up to `last` move down by one, and `bit` becomes bit `last`.
#[inline(always)]
pub(crate) const fn take_out(word: u64, first: u32, last: u32, bit: u64) -> u64 {
    let moved = through(last) & from(first);
    let lowered = (word >> 1) & moved & !(1 << last);
    (word & !moved) | lowered | (bit << last)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// Bit by bit.
    fn naive(word: u64, rank: u32) -> u32 {
        let ones = (0..64).filter(|i| word >> i & 1 == 1);
        ones.clone().nth(rank as usize).unwrap_or(64)
    }

    /// Words of every density, and the extremes.
    pub(crate) fn words() -> impl Iterator<Item = u64> {
        let random = (0..if cfg!(miri) { 4 } else { 4000 }).flat_map(|i| {
            let (a, b, c) = (remix(i, 0), remix(i, 1), remix(i, 2));
            [a, a & b, a | b, a & b & c, a | b | c]
        });
        let single = (0..64).flat_map(|i| [1 << i, !(1 << i), below(i), from(i)]);
        random.chain(single).chain([0, u64::MAX])
    }

    #[test]
    fn broadword_select_agrees_with_counting_bit_by_bit() {
        for word in words() {
            for rank in 0..64 {
                assert_eq!(Broadword::select(word, rank), naive(word, rank), "{word:#x}, {rank}");
            }
        }
    }

    /// Pairs of words as in a table: at no bit have more runs closed than opened.
    pub(crate) fn nested() -> impl Iterator<Item = (u64, u64)> {
        (0..if cfg!(miri) { 12 } else { 20_000 }).map(|i: u64| {
            let (mut opens, mut closes, mut open) = (0u64, 0u64, 0u32);
            let likely = remix(i, 4) % 100;
            for bit in 0..64 {
                let chance = remix(i * 64 + bit, 5);
                // A run that closes at a bit was opened before it.
                let (closed, opened) =
                    (open > 0 && chance % 100 < 60, (chance >> 32) % 100 < likely);
                closes |= u64::from(closed) << bit;
                opens |= u64::from(opened) << bit;
                open = open + u32::from(opened) - u32::from(closed);
            }
            (opens, closes)
        })
    }

    #[test]
    fn the_first_balance_is_found_as_by_counting() {
        let mut found = [0; 2];
        for (opens, closes) in nested() {
            for first in 0..64 {
                let count = |word: u64, bit: u32| (word & through(bit)).count_ones();
                let naive = (first..64).find(|&bit| count(opens, bit) == count(closes, bit));
                let bit = Broadword::first_balanced(opens, closes, first);
                assert_eq!(bit, naive.unwrap_or(64), "{opens:#x} {closes:#x} {first}");
                found[usize::from(naive.is_some())] += 1;
            }
        }
        assert!(found[0] > 100_000 && found[1] > 100_000, "{found:?}");
    }

    #[test]
    fn masks_are_right_at_both_ends() {
        assert_eq!((below(0), below(63)), (0, u64::MAX >> 1));
        assert_eq!((through(0), through(63)), (1, u64::MAX));
        assert_eq!((from(0), from(63)), (u64::MAX, 1 << 63));
    }

    #[test]
    fn a_bit_goes_in_and_out_as_in_a_list() {
        for word in words().step_by(37) {
            let list: Vec<u64> = (0..64).map(|i| word >> i & 1).collect();
            let word_of = |list: &[u64]| (0..64).map(|i| list[i] << i).sum::<u64>();
            for (first, last) in
                [(0u32, 63u32), (0, 0), (63, 63), (5, 5), (7, 40), (0, 12), (30, 63)]
            {
                for bit in [0, 1] {
                    let mut more = list.clone();
                    more.remove(last as usize);
                    more.insert(first as usize, bit);
                    assert_eq!(put_in(word, first, last, bit), word_of(&more));
                    let mut less = list.clone();
                    less.remove(first as usize);
                    less.insert(last as usize, bit);
                    assert_eq!(take_out(word, first, last, bit), word_of(&less));
                }
            }
        }
    }
}
