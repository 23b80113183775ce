//! Sixteen 4-bit counters in a 64-bit word, little-endian in the table.
//!
//! A counter saturates at 15: its true count is unknown from then on, so it is neither raised nor
//! lowered. No operation changes a neighbouring counter.

use amq_core::DecodeError;

/// Number of counters in a word.
pub(crate) const PER_WORD: u64 = 16;
/// Where a counter saturates.
pub(crate) const MAX: u64 = 15;
/// The lowest bit of each counter.
const ONES: u64 = 0x1111_1111_1111_1111;
/// Every other counter, which leaves room for the sums.
const EVEN: u64 = 0x0F0F_0F0F_0F0F_0F0F;

/// The words of a table.
pub(crate) fn words(table: &[u8]) -> impl Iterator<Item = u64> {
    table.as_chunks().0.iter().copied().map(u64::from_le_bytes)
}

/// A counter's word, and its bit offset in that word.
#[inline(always)]
pub(crate) const fn place(counter: u64) -> (usize, u32) {
    ((counter / PER_WORD) as usize, (counter % PER_WORD) as u32 * 4)
}

/// The counter at `shift`.
#[inline(always)]
pub(crate) const fn get(word: u64, shift: u32) -> u64 {
    (word >> shift) & MAX
}

/// The word with the counter at `shift` raised by one, unless it is saturated.
#[inline(always)]
pub(crate) const fn raised(word: u64, shift: u32) -> u64 {
    word + (((get(word, shift) != MAX) as u64) << shift)
}

/// The word with the counter at `shift` lowered by one, unless it is zero or saturated.
#[inline(always)]
pub(crate) const fn lowered(word: u64, shift: u32) -> u64 {
    // Tests for 1 to 14 with one comparison.
    let moves = get(word, shift).wrapping_sub(1) < MAX - 1;
    word - ((moves as u64) << shift)
}

/// The lowest bit of each counter above zero.
#[inline(always)]
pub(crate) const fn above_zero(word: u64) -> u64 {
    (word | word >> 1 | word >> 2 | word >> 3) & ONES
}

/// The lowest bit of each saturated counter.
#[inline(always)]
pub(crate) const fn saturated(word: u64) -> u64 {
    word & word >> 1 & word >> 2 & word >> 3 & ONES
}

/// The sum of two words, counter by counter, each up to 15.
pub(crate) const fn sum(a: u64, b: u64) -> u64 {
    sum_of_even(a, b) | (sum_of_even(a >> 4, b >> 4) << 4)
}

const fn sum_of_even(a: u64, b: u64) -> u64 {
    let sum = (a & EVEN) + (b & EVEN);
    // A sum above 15 has bit 4 set: replace it by 15.
    let over = (sum >> 4) & ONES & EVEN;
    (sum & EVEN) | (over * MAX)
}

/// The sum of a word's counters.
const fn total(word: u64) -> u64 {
    // Sum pairs of counters, at most 30 per byte; then all eight bytes, at most 240.
    let pairs = (word & EVEN) + (word >> 4 & EVEN);
    pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56
}

/// `Ok` if this table can hold `len` keys of `probes` counters each.
///
/// Each insert raises the sum of all counters by `probes`, and each removal lowers it by as much,
/// unless a counter is saturated, which it then stays.
pub(crate) fn check_sum(table: &[u8], len: u64, probes: u32) -> Result<(), DecodeError> {
    let (mut sum, mut stuck) = (0u64, 0);
    for word in words(table) {
        sum = sum.saturating_add(total(word));
        stuck |= saturated(word);
    }
    if stuck != 0 || len.checked_mul(probes.into()) == Some(sum) {
        return Ok(());
    }
    Err(DecodeError::Structure { what: "counters that do not add up to the number of keys" })
}

/// The unused bits of the last word of a table of `counters` counters, 1 or more.
pub(crate) const fn past_the_last(counters: u64) -> u64 {
    let (_, last) = place(counters - 1);
    !(u64::MAX >> (60 - last))
}

/// One bit for each of the sixteen counters, in order: whether it is above zero.
pub(crate) const fn bits(word: u64) -> u64 {
    // Packs the flags, which are four bits apart, into groups of 2, 4, 8 and then 16.
    let mut flags = above_zero(word);
    flags = (flags | flags >> 3) & 0x0303_0303_0303_0303;
    flags = (flags | flags >> 6) & 0x000F_000F_000F_000F;
    flags = (flags | flags >> 12) & 0x0000_00FF_0000_00FF;
    (flags | flags >> 24) & 0xFFFF
}

/// Number of counters in `table` whose bit is set in `flags`, as returned by [`above_zero`] or
/// [`saturated`].
pub(crate) fn tally(table: &[u8], flags: impl Fn(u64) -> u64) -> u64 {
    words(table).map(|word| u64::from(flags(word).count_ones())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn unpack(word: u64) -> Vec<u64> {
        (0..16).map(|i| get(word, i * 4)).collect()
    }

    /// Words in which the edges 0, 1, 14 and 15 are frequent.
    fn words() -> impl Strategy<Value = u64> {
        prop::collection::vec(prop_oneof![Just(0u64), Just(1), Just(14), Just(15), 0..16u64], 16)
            .prop_map(|counters| {
                counters.iter().enumerate().fold(0, |word, (i, counter)| word | counter << (i * 4))
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn one_counter_moves_and_its_neighbours_stay(word in words(), counter in 0..16u32) {
            let before = unpack(word);
            let (mut up, mut down) = (before.clone(), before.clone());
            let this = counter as usize;
            let old = before[this];
            up[this] = (old + 1).min(15);
            down[this] = if old == 15 { 15 } else { old.saturating_sub(1) };
            prop_assert_eq!(unpack(raised(word, counter * 4)), up);
            prop_assert_eq!(unpack(lowered(word, counter * 4)), down);
        }

        #[test]
        fn sums_saturate_and_commute(a in words(), b in words()) {
            let pairs = unpack(a).into_iter().zip(unpack(b));
            let wanted: Vec<u64> = pairs.map(|(a, b)| (a + b).min(15)).collect();
            prop_assert_eq!(unpack(sum(a, b)), wanted);
            prop_assert_eq!(sum(a, b), sum(b, a));
            prop_assert_eq!(sum(a, 0), a);
            prop_assert_eq!(total(a), unpack(a).iter().sum::<u64>());
        }

        #[test]
        fn flags_are_those_of_the_counters(word in words(), other in words()) {
            let flags = |word, test: fn(u64) -> bool| {
                let counters = unpack(word).into_iter().rev();
                counters.fold(0u64, |flags, counter| flags << 1 | u64::from(test(counter)))
            };
            let number = |test| {
                let of = |word| u64::from(flags(word, test).count_ones());
                of(word) + of(other)
            };
            prop_assert_eq!(bits(word), flags(word, |counter| counter > 0));
            let table = [word, other].map(u64::to_le_bytes).concat();
            prop_assert_eq!(tally(&table, above_zero), number(|counter| counter > 0));
            prop_assert_eq!(tally(&table, saturated), number(|counter| counter == 15));
        }
    }
}
