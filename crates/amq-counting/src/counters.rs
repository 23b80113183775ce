//! Sixteen 4-bit counters in a 64-bit word.
//!
//! A counter goes from 0 to 15 and sticks there: at 15 it no longer knows its own count, so it is neither raised nor
//! lowered any more. No operation touches a neighbour.

/// Counters in a word.
pub(crate) const PER_WORD: u64 = 16;
/// Where a counter stops.
pub(crate) const MAX: u64 = 15;
/// The lowest bit of each counter.
const ONES: u64 = 0x1111_1111_1111_1111;
/// Every other counter, so that sums of two have room.
const EVEN: u64 = 0x0F0F_0F0F_0F0F_0F0F;

/// Where a counter is: its word, and how far its bits are from the lowest.
#[inline(always)]
pub(crate) const fn place(counter: u64) -> (usize, u32) {
    (
        (counter / PER_WORD) as usize,
        (counter % PER_WORD) as u32 * 4,
    )
}

/// The counter at `shift`.
#[inline(always)]
pub(crate) const fn get(word: u64, shift: u32) -> u64 {
    (word >> shift) & MAX
}

/// The word with the counter at `shift` one higher, unless it sticks at 15.
#[inline(always)]
pub(crate) const fn raised(word: u64, shift: u32) -> u64 {
    word + (((get(word, shift) != MAX) as u64) << shift)
}

/// The word with the counter at `shift` one lower, unless it is zero or sticks at 15.
#[inline(always)]
pub(crate) const fn lowered(word: u64, shift: u32) -> u64 {
    // 1 to 14, by one comparison.
    let moves = get(word, shift).wrapping_sub(1) < MAX - 1;
    word - ((moves as u64) << shift)
}

/// The lowest bit of each counter that is above zero.
#[inline(always)]
pub(crate) const fn above_zero(word: u64) -> u64 {
    (word | word >> 1 | word >> 2 | word >> 3) & ONES
}

/// The lowest bit of each counter that sticks at 15.
#[inline(always)]
pub(crate) const fn saturated(word: u64) -> u64 {
    word & word >> 1 & word >> 2 & word >> 3 & ONES
}

/// Counter by counter the sum of two words, at most 15.
pub(crate) const fn sum(a: u64, b: u64) -> u64 {
    sum_of_even(a, b) | (sum_of_even(a >> 4, b >> 4) << 4)
}

const fn sum_of_even(a: u64, b: u64) -> u64 {
    let sum = (a & EVEN) + (b & EVEN);
    // Sums above 15 have bit 4 set; it becomes four ones.
    let over = (sum >> 4) & ONES & EVEN;
    (sum & EVEN) | (over * MAX)
}

/// Which of the sixteen counters are above zero, as sixteen bits in their order.
pub(crate) const fn bits(word: u64) -> u64 {
    // Halve the distance between the flags four times: 4, 2 (pairs), then 4 and 8 apart.
    let mut flags = above_zero(word);
    flags = (flags | flags >> 3) & 0x0303_0303_0303_0303;
    flags = (flags | flags >> 6) & 0x000F_000F_000F_000F;
    flags = (flags | flags >> 12) & 0x0000_00FF_0000_00FF;
    (flags | flags >> 24) & 0xFFFF
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn unpack(word: u64) -> Vec<u64> {
        (0..16).map(|i| get(word, i * 4)).collect()
    }

    /// Words in which the edges, 0, 14 and 15, are as frequent as everything between.
    fn words() -> impl Strategy<Value = u64> {
        prop::collection::vec(
            prop_oneof![Just(0u64), Just(1), Just(14), Just(15), 0..16u64],
            16,
        )
        .prop_map(|counters| {
            counters
                .iter()
                .enumerate()
                .fold(0, |word, (i, counter)| word | counter << (i * 4))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn one_counter_moves_and_its_neighbours_stay(word in words(), counter in 0..16u32) {
            let before = unpack(word);
            let (mut up, mut down) = (before.clone(), before.clone());
            let this = counter as usize;
            up[this] = (before[this] + 1).min(15);
            down[this] = if before[this] == 15 { 15 } else { before[this].saturating_sub(1) };
            prop_assert_eq!(unpack(raised(word, counter * 4)), up);
            prop_assert_eq!(unpack(lowered(word, counter * 4)), down);
        }

        #[test]
        fn sums_saturate_and_commute(a in words(), b in words()) {
            let wanted: Vec<u64> = unpack(a).iter().zip(unpack(b)).map(|(a, b)| (a + b).min(15)).collect();
            prop_assert_eq!(unpack(sum(a, b)), wanted);
            prop_assert_eq!(sum(a, b), sum(b, a));
            prop_assert_eq!(sum(a, 0), a);
        }

        #[test]
        fn flags_are_those_of_the_counters(word in words()) {
            let counters = unpack(word);
            let flags = |test: fn(u64) -> bool| counters.iter().rev().fold(0u64, |flags, &counter| flags << 1 | u64::from(test(counter)));
            prop_assert_eq!(bits(word), flags(|counter| counter > 0));
            prop_assert_eq!(u64::from(above_zero(word).count_ones()), flags(|counter| counter > 0).count_ones().into());
            prop_assert_eq!(u64::from(saturated(word).count_ones()), flags(|counter| counter == 15).count_ones().into());
        }
    }
}
