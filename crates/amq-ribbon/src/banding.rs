//! Banding: eliminates equations, one per key, into a form that back-substitution solves.
//!
//! An equation says what the solution at some slots of a window must add up to over GF(2). It goes
//! into the slot where its row starts. If that slot is taken, the two equations are added: the
//! first coefficients cancel, and the sum starts further right. So a slot holds at most one
//! equation:
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
//! A row that vanishes was a sum of others. If its result vanishes too, it is redundant (the same
//! key twice, say); if not, it contradicts them.
//!
//! Dillinger, Walzer, *Ribbon filter: practically smaller than Bloom and Xor* (2021), section 2.

use crate::memory::at_least;
use crate::row::Row;
use alloc::vec::Vec;
use amq_core::BuildError;

/// The outcome of adding an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// It has a slot.
    Placed,
    /// It follows from the others.
    Redundant,
    /// It contradicts them.
    Contradiction,
}

/// A row that starts at a slot, and the parity that the solution must have there, column by column.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Equation<W> {
    pub(crate) slot: usize,
    pub(crate) row: W,
    pub(crate) result: u32,
}

/// The equations of one shard, by the slot at which they start. A row of zero is an empty slot.
#[derive(Default, Debug)]
pub(crate) struct Banding<W> {
    rows: Vec<W>,
    results: Vec<u32>,
}

impl<W: Row> Banding<W> {
    /// A banding of empty slots.
    pub(crate) fn new(slots: u64) -> Result<Self, BuildError> {
        let mut banding = Self::default();
        banding.make_room(slots)?;
        Ok(banding)
    }

    /// Grows it to at least this many slots.
    pub(crate) fn make_room(&mut self, slots: u64) -> Result<(), BuildError> {
        at_least(&mut self.rows, slots)?;
        at_least(&mut self.results, slots)
    }

    /// Empties all slots.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(W::ZERO);
        self.results.fill(0);
    }

    /// Adds an equation whose window lies within the slots.
    #[inline(always)]
    pub(crate) fn add(&mut self, mut equation: Equation<W>) -> Added {
        while self.reduce(&mut equation) {}
        if equation.row != W::ZERO {
            self.put(equation);
            return Added::Placed;
        }
        match equation.result {
            0 => Added::Redundant,
            _ => Added::Contradiction,
        }
    }

    /// One step of elimination: adds the equation in this one's slot, and moves on to where the sum
    /// starts. `false` ends it: the slot is empty, or the row has vanished.
    #[inline(always)]
    pub(crate) fn reduce(&self, equation: &mut Equation<W>) -> bool {
        let there = self.rows[equation.slot];
        if there == W::ZERO {
            return false;
        }
        equation.row ^= there;
        equation.result ^= self.results[equation.slot];
        if equation.row == W::ZERO {
            return false;
        }
        let first = equation.row.first();
        equation.row = equation.row.down(first);
        equation.slot += first as usize;
        true
    }

    /// Puts an equation into its slot, which is empty.
    #[inline(always)]
    pub(crate) fn put(&mut self, equation: Equation<W>) {
        self.rows[equation.slot] = equation.row;
        self.results[equation.slot] = equation.result;
    }

    /// The rows and results of `len` slots.
    pub(crate) fn slots(&mut self, first: usize, len: usize) -> (&mut [W], &mut [u32]) {
        let slots = first..first + len;
        (&mut self.rows[slots.clone()], &mut self.results[slots])
    }

    /// Empties a slot. Only equations put in after this one may contain it.
    pub(crate) fn take(&mut self, slot: usize) {
        self.rows[slot] = W::ZERO;
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
        mut block: impl FnMut(usize, usize, &[W]),
    ) {
        let slots = (blocks * W::BITS) as usize;
        let equations = (&self.rows[..slots], &self.results[..slots]);
        // Eight words stay in registers.
        for first in (0..columns).step_by(8) {
            let block = |at, words: &[W]| block(at, first, words);
            match columns - first {
                1 => solve_columns::<W, 1>(equations, first, block),
                2 => solve_columns::<W, 2>(equations, first, block),
                3 => solve_columns::<W, 3>(equations, first, block),
                4 => solve_columns::<W, 4>(equations, first, block),
                5 => solve_columns::<W, 5>(equations, first, block),
                6 => solve_columns::<W, 6>(equations, first, block),
                7 => solve_columns::<W, 7>(equations, first, block),
                _ => solve_columns::<W, 8>(equations, first, block),
            }
        }
    }
}

#[inline(always)]
fn solve_columns<W: Row, const COLUMNS: usize>(
    (rows, results): (&[W], &[u32]),
    first: usize,
    mut block: impl FnMut(usize, &[W]),
) {
    let mut words = [W::ZERO; COLUMNS];
    let bits = W::BITS as usize;
    let blocks = rows.chunks(bits).zip(results.chunks(bits));
    for (at, (rows, results)) in blocks.enumerate().rev() {
        for (&row, &result) in rows.iter().zip(results).rev() {
            let result = u64::from(result >> first);
            // An empty slot has parity zero and result zero. All columns at once: compilers use
            // vectors.
            for (column, word) in words.iter_mut().enumerate() {
                *word = word.solved(row, result >> column);
            }
        }
        block(at, &words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row;
    use amq_core::KeyHash;
    use std::vec;

    /// The parity of the solution at a row's slots, slot by slot: the plain twin of a query.
    fn answer<W: Row>(solution: &[u32], start: usize, row: W) -> u32 {
        let slots = (0..W::BITS as u32).filter(|&i| row.down(i).and(W::ZERO.or(1)) != W::ZERO);
        slots.fold(0, |sum, i| sum ^ solution[start + i as usize])
    }

    fn solves_what_was_added<W: Row>(keys: u64, slots: u64, columns: usize) {
        let mut banding = Banding::<W>::new(slots).unwrap();
        let equation = |key: u64| {
            let hash = KeyHash::of(&key, keys).get();
            Equation {
                slot: row::start(hash, slots - W::BITS + 1) as usize,
                row: W::of(hash),
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
        // What was refused or redundant is so again, and changes nothing.
        for key in 0..keys {
            let again = banding.add(equation(key));
            assert_eq!(again == Added::Redundant, room.contains(&key), "key {key}");
        }
        let mut solution = vec![0u32; slots as usize];
        banding.solve(slots / W::BITS, columns, |block, first, words| {
            for (column, &word) in words.iter().enumerate() {
                for i in 0..W::BITS {
                    let bit = word.down(i as u32).and(W::ZERO.or(1)) != W::ZERO;
                    solution[block * W::BITS as usize + i as usize] |=
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
            solves_what_was_added::<u64>(500, 512, columns);
            solves_what_was_added::<u128>(500, 512, columns);
            // More than there is room for.
            solves_what_was_added::<u64>(560, 512, columns);
        }
        solves_what_was_added::<u64>(50, 64, 5);
    }
}
