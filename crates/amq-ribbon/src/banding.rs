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

use crate::width::Row;
use alloc::vec::Vec;
use amq_core::{BuildError, zeroed};

/// What became of an equation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// It is in this slot.
    At(usize),
    /// It follows from the others.
    Redundant,
    /// It contradicts them.
    Contradiction,
}

/// The equations of one shard.
#[derive(Debug)]
pub(crate) struct Banding<W> {
    rows: Vec<W>,
    results: Vec<u32>,
}

impl<W: Row> Banding<W> {
    /// No equation, for so many slots.
    pub(crate) fn new(slots: u64) -> Result<Self, BuildError> {
        Ok(Self {
            rows: zeroed(slots)?,
            results: zeroed(slots)?,
        })
    }

    /// Takes all equations out.
    pub(crate) fn clear(&mut self) {
        self.rows.fill(W::ZERO);
        self.results.fill(0);
    }

    /// Puts in an equation, whose row fits into the slots.
    #[inline(always)]
    pub(crate) fn add(&mut self, start: usize, mut row: W, mut result: u32) -> Added {
        let mut slot = start;
        loop {
            let there = self.rows[slot];
            if there == W::ZERO {
                self.rows[slot] = row;
                self.results[slot] = result;
                return Added::At(slot);
            }
            row ^= there;
            result ^= self.results[slot];
            if row == W::ZERO {
                return if result == 0 {
                    Added::Redundant
                } else {
                    Added::Contradiction
                };
            }
            let first = row.first();
            slot += first as usize;
            row = row.down(first);
        }
    }

    /// Takes out the equation in a slot. Those that were put in after it, and only those, may have it in them.
    #[inline(always)]
    pub(crate) fn take_out(&mut self, slot: usize) {
        self.rows[slot] = W::ZERO;
        self.results[slot] = 0;
    }

    /// Solves: hands on the words of each block, the last block first. The lowest bit of word `j` is bit `j` of the solution at the block's first slot. Slots
    /// without an equation are zero.
    #[inline(always)]
    pub(crate) fn solve(&self, columns: usize, mut block: impl FnMut(usize, &[W])) {
        let mut words = [W::ZERO; 32];
        let words = &mut words[..columns];
        let bits = W::BITS as usize;
        for (slot, (&row, &result)) in self.rows.iter().zip(&self.results).enumerate().rev() {
            // An empty row has parity zero and result zero.
            for (column, word) in words.iter_mut().enumerate() {
                // Bit zero is the slot itself, of which nothing is known yet.
                let known = word.push(0);
                let bit = known.and(row).parity() ^ (result >> column & 1);
                *word = word.push(bit);
            }
            if slot % bits == 0 {
                block(slot / bits, words);
            }
        }
    }
}
