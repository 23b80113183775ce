//! Elimination: a system of equations, one a key, brought into a form that is solved from right to left.
//!
//! Each equation says what the exclusive or of the solution at some of the slots from its start on must be. It is put into the slot where it
//! begins; if another one is there, both are added up, which cancels the first coefficient, and what is left begins further right. So each
//! slot holds at most one equation that begins there:
//!
//! ```text
//!   slot     0 1 2 3 4 5 6 7 8 9
//!   row 0    1 0 1 1 . . . . . .   = r0
//!   row 2    . . 1 1 0 1 . . . .   = r2
//!   row 3    . . . 1 0 0 1 . . .   = r3      a new row 1 0 1 1 at 2: meets row 2, becomes . . . . 1 0 at 4, which is free
//! ```
//!
//! A row that vanishes was the sum of others. If its result vanishes too it says nothing new (the same key twice); if not, the equations contradict each other.
//!
//! Dillinger, Walzer, *Ribbon filter: practically smaller than Bloom and Xor* (2021), section 2.

use crate::shards::at_least;
use crate::width::Row;
use alloc::vec::Vec;
use amq_core::BuildError;

/// What became of an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// It is in a slot.
    Placed,
    /// It follows from the others.
    Redundant,
    /// It contradicts them.
    Contradiction,
}

/// An equation on its way: the slot at which it begins, its coefficients from there on, and what the sum must be.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Equation<W> {
    pub(crate) slot: usize,
    pub(crate) row: W,
    pub(crate) result: u32,
}

/// The equations of one shard, by the slot at which they begin. A row of zero stands for none.
#[derive(Default, Debug)]
pub(crate) struct Banding<W> {
    rows: Vec<W>,
    results: Vec<u32>,
}

impl<W: Row> Banding<W> {
    /// No equation, for so many slots.
    pub(crate) fn new(slots: u64) -> Result<Self, BuildError> {
        let mut banding = Self::default();
        banding.make_room(slots)?;
        Ok(banding)
    }

    /// Sees to it that there are so many slots at least.
    pub(crate) fn make_room(&mut self, slots: u64) -> Result<(), BuildError> {
        at_least(&mut self.rows, slots)?;
        at_least(&mut self.results, slots)
    }

    /// Takes all equations out.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(W::ZERO);
        self.results.fill(0);
    }

    /// Puts in an equation, whose row fits into the slots.
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

    /// One step of an equation's way: adds up what is in its slot, and moves it on to where it begins then. If there is nothing in its slot, or nothing left of its
    /// row, that was the last one, and the answer is `false`.
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

    /// Puts an equation into a slot where there is none.
    #[inline(always)]
    pub(crate) fn put(&mut self, equation: Equation<W>) {
        self.rows[equation.slot] = equation.row;
        self.results[equation.slot] = equation.result;
    }

    /// Takes out the equation of a slot: only those that were put in after it may have it in them.
    pub(crate) fn take(&mut self, slot: usize) {
        self.rows[slot] = W::ZERO;
        self.results[slot] = 0;
    }

    /// Solves for the slots of the first so many blocks: hands on the words of each block, the last block first, by eights of columns: the number of the block, that of the first column, and a word for
    /// each column from there on. The lowest bit of a word is the solution at the block's first slot. Slots without an equation are zero.
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
            let result = result >> first;
            // A slot without an equation has parity zero and result zero.
            for (column, word) in words.iter_mut().enumerate() {
                // Bit zero is the slot itself, of which nothing is known yet.
                let known = word.push(0);
                *word = known.or((known.and(row).parity() ^ result >> column) & 1);
            }
        }
        block(at, &words);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::width;
    use amq_core::KeyHash;
    use std::vec;

    /// Adds up the solution at a row's slots, slot by slot: the plain twin of a query.
    fn answer<W: Row>(solution: &[u32], start: usize, row: W) -> u32 {
        let slots = (0..W::BITS as u32).filter(|&i| row.down(i).and(W::ZERO.or(1)) != W::ZERO);
        slots.fold(0, |sum, i| sum ^ solution[start + i as usize])
    }

    fn solves_what_was_added<W: Row>(keys: u64, slots: u64, columns: usize) {
        let mut banding = Banding::<W>::new(slots).unwrap();
        let equation = |key: u64| {
            let hash = KeyHash::of(&key, keys).get();
            Equation {
                slot: width::start(hash, slots - W::BITS + 1) as usize,
                row: W::of(hash),
                result: width::result(hash),
            }
        };
        let mut room = vec![];
        for key in 0..keys {
            if banding.add(equation(key)) == Added::Placed {
                room.push(key);
            }
        }
        assert!(room.len() as u64 > keys * 3 / 4 && room.len() as u64 <= slots);
        // What was refused or redundant before is so again, and changes nothing.
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
            assert_eq!(
                answer(&solution, slot, row) & mask,
                result & mask,
                "key {key}"
            );
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
