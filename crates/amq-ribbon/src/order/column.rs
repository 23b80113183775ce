//! Column by column: a block has one word for each column, and bit i of it belongs to slot i.

use super::Order;
use crate::layer::Layer;
use crate::row::{self, BITS};
use amq_core::prefetch::prefetch;

/// The order for any number of columns, also where blocks differ in it.
pub(crate) struct ByColumn;

/// Where a row lies in words ordered [`ByColumn`].
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Window {
    /// The first word of its first block; the second block follows.
    pub(crate) word: usize,
    /// Words in each of the two blocks that count.
    pub(crate) columns: u32,
    /// The row's first slot, within the first block.
    pub(crate) offset: u32,
    /// The hash that the row and its result are made of.
    pub(crate) hash: u64,
}

impl Window {
    /// The words of the two blocks; none if there are none, as in a system of no keys.
    #[inline(always)]
    fn blocks<'a>(&self, words: &'a [u64]) -> Option<[&'a [u64]; 2]> {
        let columns = self.columns as usize;
        let words = words.get(self.word..)?;
        let (block, rest) = words.split_at_checked(columns)?;
        // A row in the very last block ends in it, so there any words will do for the next one.
        Some([block, rest.get(..columns).unwrap_or(block)])
    }

    /// The words that vectors read from the first block's first on: those of both blocks, and eight
    /// of the second if it has fewer.
    #[inline(always)]
    const fn read(columns: u32) -> usize {
        let columns = columns as usize;
        columns + if columns < 8 { 8 } else { columns }
    }
}

impl Order for ByColumn {
    type Window = Window;

    const NOWHERE: Window = Window { word: 0, columns: 1, offset: 0, hash: 0 };

    #[inline(always)]
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window {
        let (word, columns) = layer.block(layer.block_of(start), columns);
        Window { word, columns: columns as u32, offset: (start % BITS) as u32, hash }
    }

    #[inline(always)]
    fn place(window: &Window) -> usize {
        window.word
    }

    /// Columns are read by eights, and the last eight may overlap with those before.
    fn vector_end(words: usize, columns: u32) -> usize {
        words.checked_sub(Window::read(columns)).map_or(0, |last| last + 1)
    }

    #[cfg(test)]
    fn check(words: &[u64], window: &Window, vector_end: usize) -> bool {
        let columns = window.columns as usize;
        let after = window.word + columns;
        assert!(after <= words.len());
        if window.word < vector_end {
            assert!(window.word + Window::read(window.columns) <= words.len());
        }
        // Nothing of the row may be missing.
        let is_last = after + columns > words.len();
        assert!(!is_last || window.offset == 0);
        is_last
    }

    #[inline(always)]
    fn prefetch(words: &[u64], columns: u32, window: &Window) {
        let line = 64 / size_of::<u64>();
        let last = window.word + Window::read(window.columns) - 1;
        prefetch(words, window.word);
        prefetch(words, window.word + line);
        // How often is the same for all windows: their own columns, which may be one less, would
        // make a branch that cannot be foreseen.
        for at in (2 * line..Window::read(columns)).step_by(line) {
            prefetch(words, (window.word + at).min(last));
        }
        prefetch(words, last);
    }

    /// Stops at the first column that differs.
    #[inline(always)]
    fn agrees(words: &[u64], window: &Window) -> bool {
        let (row, mut result) = (row::of(window.hash), row::result(window.hash));
        let (here, next) = row::split(row, window.offset);
        let Some([block, after]) = window.blocks(words) else {
            return false;
        };
        for (&one, &other) in block.iter().zip(after) {
            if row::parity(one & here ^ other & next) != result & 1 {
                return false;
            }
            result >>= 1;
        }
        true
    }

    #[inline(always)]
    fn value(words: &[u64], window: &Window) -> u32 {
        let row = row::of(window.hash);
        let (here, next) = row::split(row, window.offset);
        let mut value = 0;
        let Some([block, after]) = window.blocks(words) else {
            return value;
        };
        for (&one, &other) in block.iter().zip(after).rev() {
            value = value << 1 | row::parity(one & here ^ other & next);
        }
        value
    }
}
