//! Banding: eliminates equations, one per key, into a form that back-substitution solves.
//!
//! An equation states the sum over GF(2) of the solution at some slots of a window. It is stored in
//! the slot where its row starts. If that slot is taken, the two equations are added: the first
//! coefficients cancel, and the sum starts further right. So a slot holds at most one equation:
//!
//! ```text
//!   slot     0 1 2 3 4 5 6 7 8 9
//!   row 0    1 0 1 1 . . . . . .   = r0
//!   row 2    . . 1 1 0 1 . . . .   = r2
//!   row 3    . . . 1 0 0 1 . . .   = r3
//!
//!   add      . . 1 0 1 1 . . . .   = r              slot 2 is taken: add row 2
//!            . . . 1 1 . . . . .   = r ^ r2         slot 3 is taken: add row 3
//!            . . . . 1 0 1 . . .   = r ^ r2 ^ r3    slot 4 is free
//! ```
//!
//! A row that vanishes was a sum of others. If its result vanishes too, it is redundant (as with a
//! repeated key); if not, it contradicts them.
//!
//! Dillinger, Walzer, *Ribbon filter: practically smaller than Bloom and Xor* (2021), section 2.

use crate::memory::at_least;
use crate::row::{self, BITS};
use alloc::vec::Vec;
use amq_core::BuildError;

/// A row that starts at a slot, and the parity that the solution must have there, column by column.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Equation {
    pub(crate) slot: usize,
    pub(crate) row: u64,
    pub(crate) result: u32,
}

/// The equations of one shard, by the slot at which they start. A row of zero is an empty slot.
#[derive(Default, Debug)]
pub(crate) struct Banding {
    rows: Vec<u64>,
    results: Vec<u32>,
}

impl Banding {
    /// Grows the banding to at least this many slots.
    pub(crate) fn make_room(&mut self, slots: u64) -> Result<(), BuildError> {
        at_least(&mut self.rows, slots)?;
        at_least(&mut self.results, slots)
    }

    /// Empties all slots.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(0);
        self.results.fill(0);
    }

    /// The rows and results of `len` slots.
    pub(crate) fn slots(&mut self, first: usize, len: usize) -> (&mut [u64], &mut [u32]) {
        let slots = first..first + len;
        (&mut self.rows[slots.clone()], &mut self.results[slots])
    }

    /// Empties a slot. Only equations added later may contain this one.
    pub(crate) fn take(&mut self, slot: usize) {
        self.rows[slot] = 0;
        self.results[slot] = 0;
    }

    /// Back-substitutes `blocks` blocks, last first. Calls `block(index, first_column, words)` for
    /// up to eight columns at a time; bit 0 of a word is the block's first slot. Empty slots are
    /// zero.
    #[inline(always)]
    pub(crate) fn solve(
        &self,
        blocks: u64,
        columns: usize,
        mut block: impl FnMut(usize, usize, &[u64]),
    ) {
        let slots = (blocks * BITS) as usize;
        let equations = (&self.rows[..slots], &self.results[..slots]);
        // Eight words stay in registers.
        for first in (0..columns).step_by(8) {
            let block = |at, words: &[u64]| block(at, first, words);
            match columns - first {
                1 => solve_columns::<1>(equations, first, block),
                2 => solve_columns::<2>(equations, first, block),
                3 => solve_columns::<3>(equations, first, block),
                4 => solve_columns::<4>(equations, first, block),
                5 => solve_columns::<5>(equations, first, block),
                6 => solve_columns::<6>(equations, first, block),
                7 => solve_columns::<7>(equations, first, block),
                _ => solve_columns::<8>(equations, first, block),
            }
        }
    }
}

#[inline(always)]
fn solve_columns<const COLUMNS: usize>(
    (rows, results): (&[u64], &[u32]),
    first: usize,
    mut block: impl FnMut(usize, &[u64]),
) {
    let mut words = [0; COLUMNS];
    let bits = BITS as usize;
    let blocks = rows.chunks(bits).zip(results.chunks(bits));
    for (at, (rows, results)) in blocks.enumerate().rev() {
        for (&row, &result) in rows.iter().zip(results).rev() {
            let result = u64::from(result >> first);
            // An empty slot has parity zero and result zero. All columns at once, so that compilers
            // use vectors.
            for (column, word) in words.iter_mut().enumerate() {
                *word = row::solved(*word, row, result >> column);
            }
        }
        block(at, &words);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use amq_core::KeyHash;
    use std::vec;

    /// The outcome of adding an equation.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Added {
        /// It took a slot.
        Placed,
        /// It is a sum of the others.
        Redundant,
        /// It contradicts them.
        Contradiction,
    }

    /// Adds one equation after another, as in the picture: the plain twin of
    /// [`bucket`](crate::bucket).
    impl Banding {
        /// A banding of empty slots.
        pub(crate) fn new(slots: u64) -> Self {
            Self { rows: alloc::vec![0; slots as usize], results: alloc::vec![0; slots as usize] }
        }

        /// Adds an equation whose window lies within the slots.
        pub(crate) fn add(
            &mut self,
            Equation { mut slot, mut row, mut result }: Equation,
        ) -> Added {
            while row != 0 {
                let first = row.trailing_zeros();
                (slot, row) = (slot + first as usize, row >> first);
                if self.rows[slot] == 0 {
                    (self.rows[slot], self.results[slot]) = (row, result);
                    return Added::Placed;
                }
                row ^= self.rows[slot];
                result ^= self.results[slot];
            }
            match result {
                0 => Added::Redundant,
                _ => Added::Contradiction,
            }
        }
    }

    /// The parity of the solution at a row's slots, slot by slot: the plain twin of a query.
    fn answer(solution: &[u32], start: usize, row: u64) -> u32 {
        let slots = (0..BITS).filter(|i| row >> i & 1 != 0);
        slots.fold(0, |sum, i| sum ^ solution[start + i as usize])
    }

    fn solves_what_was_added(keys: u64, slots: u64, columns: usize) {
        let mut banding = Banding::new(slots);
        let equation = |key: u64| {
            let hash = KeyHash::of(&key, keys).get();
            Equation {
                slot: row::start(hash, slots - BITS + 1) as usize,
                row: row::of(hash),
                result: row::result(hash),
            }
        };
        let mut room = vec![];
        for key in 0..keys {
            if banding.add(equation(key)) == Added::Placed {
                room.push(key);
            }
        }
        assert!(room.len() as u64 > keys * 3 / 4 && room.len() as u64 <= slots);
        // Adding keys again gives the same outcomes, and changes nothing.
        for key in 0..keys {
            let again = banding.add(equation(key));
            assert_eq!(again == Added::Redundant, room.contains(&key), "key {key}");
        }
        let mut solution = vec![0u32; slots as usize];
        banding.solve(slots / BITS, columns, |block, first, words| {
            for (column, &word) in words.iter().enumerate() {
                for i in 0..BITS {
                    let bit = word >> i & 1 != 0;
                    solution[block * BITS as usize + i as usize] |=
                        u32::from(bit) << (first + column);
                }
            }
        });
        let mask = u32::MAX >> (32 - columns);
        for key in room {
            let Equation { slot, row, result } = equation(key);
            assert_eq!(answer(&solution, slot, row) & mask, result & mask, "key {key}");
        }
    }

    #[test]
    fn every_equation_that_found_a_slot_is_solved() {
        for columns in [1, 2, 7, 8, 9, 16, 17, 31, 32] {
            solves_what_was_added(500, 512, columns);
            // More keys than slots.
            solves_what_was_added(560, 512, columns);
        }
        solves_what_was_added(50, 64, 5);
    }
}
