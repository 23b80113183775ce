//! Doubling: the entries of a table in order, each a bit shorter, as entries of the next one.
//!
//! The number made of an entry's home slot and its value is shifted by one bit. So the first bit of
//! the fingerprint becomes the last bit of the home slot, the tail gets another zero, and the order
//! stays. An entry that has no bit left answers for all keys of its slot, which are now those of
//! two slots: it goes to both.

use crate::stream::Merged;

/// The entries of the table of twice the slots, in order, from those of a table with `bits` bits a
/// slot, of which `void` have no bit of a fingerprint left.
pub(crate) fn doubled(
    entries: impl Iterator<Item = u64> + Clone,
    bits: u32,
    void: u64,
) -> impl Iterator<Item = u64> + Clone {
    let is_void = move |entry: &u64| is_void(*entry, bits);
    let shorter = entries.clone().filter(move |entry| !is_void(entry));
    // If there are none, do not look for them.
    let void = usize::try_from(void).unwrap_or(usize::MAX);
    let slots = entries.filter(is_void).map(move |entry| entry >> bits);
    let copies = Copies::new(slots.take(void));
    let copies = copies.map(move |slot| slot << bits | void_value(bits));
    Merged::new(shorter.map(|entry| entry << 1), copies)
}

/// The value of an entry without a bit of a fingerprint.
const fn void_value(bits: u32) -> u64 {
    1 << (bits - 1)
}

/// Whether an entry has no bit of its fingerprint left.
pub(crate) const fn is_void(entry: u64, bits: u32) -> bool {
    entry & ((1 << bits) - 1) == void_value(bits)
}

/// For slots in rising order: for each slot s, 2 s and 2 s + 1, in rising order.
#[derive(Clone)]
struct Copies<I: Iterator> {
    slots: I,
    /// The slot after the present ones.
    next: Option<u64>,
    slot: u64,
    /// How often the slot occurs, and how many of its copies are still to come.
    times: u64,
    left: u64,
}

impl<I: Iterator<Item = u64>> Copies<I> {
    fn new(mut slots: I) -> Self {
        Self { next: slots.next(), slots, slot: 0, times: 0, left: 0 }
    }
}

impl<I: Iterator<Item = u64>> Iterator for Copies<I> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            self.slot = self.next?;
            self.times = 0;
            while self.next == Some(self.slot) {
                self.times += 1;
                self.next = self.slots.next();
            }
            self.left = 2 * self.times;
        }
        let upper = self.left <= self.times;
        self.left -= 1;
        Some(2 * self.slot + u64::from(upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn entries_without_bits_go_to_both_halves_and_the_order_stays() {
        // Three bits a slot. Values: 011 is 0 and 110 is 1, of two bits each; 010 and 110 have one
        // bit; 100 has none.
        let entries: Vec<u64> = [
            (0, 0b010),
            (0, 0b011),
            (0, 0b100),
            (0, 0b100),
            (0, 0b110),
            (1, 0b001),
            (3, 0b100),
            (3, 0b101),
            (7, 0b100),
        ]
        .map(|(slot, value)| slot << 3 | value)
        .to_vec();
        let void = entries.iter().filter(|&&entry| is_void(entry, 3)).count();
        assert_eq!(void, 4);
        let next: Vec<(u64, u64)> = doubled(entries.iter().copied(), 3, void as u64)
            .map(|entry| (entry >> 3, entry & 7))
            .collect();
        assert!(next.is_sorted());
        let expected = [
            (0, 0b100),
            (0, 0b100),
            (0, 0b100),
            (0, 0b110),
            (1, 0b100),
            (1, 0b100),
            (1, 0b100),
            (2, 0b010),
            (6, 0b100),
            (7, 0b010),
            (7, 0b100),
            (14, 0b100),
            (15, 0b100),
        ];
        assert_eq!(next, expected);
    }
}
