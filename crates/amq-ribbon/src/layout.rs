//! How the bits of the solution lie in its words: column by column, or slot by slot.

use crate::layer::{Columns, Layer};
use crate::row;

mod column;
mod slot;

pub(crate) use column::ByColumn;
pub(crate) use slot::{BySlot, put};
#[cfg(target_arch = "x86_64")]
pub(crate) use slot::{fold, fold_word};

/// Where a key's row lies.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Window {
    /// By column: the first word of the row's first block; the second block follows. By slot: the
    /// row's first slot, counted over all layers.
    pub(crate) place: usize,
    /// The hash that the row and its result are made of.
    pub(crate) hash: u64,
    /// Bits of the result that count: columns of both blocks, or bits of a slot.
    pub(crate) columns: u32,
    /// By column: the row's first slot within its first block.
    pub(crate) offset: u32,
}

impl Window {
    /// The window in a solution of no layers, which has no word for it.
    pub(crate) const NOWHERE: Self = Self { place: 0, hash: 0, columns: 1, offset: 0 };

    /// The result that the key's row must have.
    #[inline(always)]
    pub(crate) const fn result(&self) -> u32 {
        row::result(self.hash) & (u32::MAX >> (32 - self.columns))
    }
}

/// A layout of the solution. Both take the same space and give the same answers: a block lies in
/// the same words, and what differs is the order of bits within it.
pub(crate) trait SolutionLayout: 'static {
    /// The window of a row that starts at `start`, a number within the layer.
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window;
    /// Prefetches all lines that a query reads of a window. Most windows of the solution have
    /// `columns` columns.
    fn prefetch(words: &[u64], columns: u32, window: &Window);
    /// Whether the window's parities are the key's result. `false` if there are no words for it.
    fn agrees(words: &[u64], window: &Window) -> bool;
    /// The window's parities, one bit per column; zero if there are no words for it. No branch
    /// depends on them.
    fn value(words: &[u64], window: &Window) -> u32;
}

/// The first place at which vectors must not read a window: before it, all that they read lies in
/// the table, of `words` words.
pub(crate) fn vector_end(words: usize, columns: Columns) -> usize {
    let slot = columns.slot_bytes() as usize;
    let (unit, read) = match slot {
        0 => (size_of::<u64>(), size_of::<u64>() * column::words_read(columns.most)),
        _ => (slot, slot::bytes_read(slot)),
    };
    let last = (words * size_of::<u64>()).checked_sub(read);
    last.map_or(0, |last| last / unit + 1)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::solution::Solution;
    use crate::store::Store;

    /// A key's window in a solution of any layout. Panics if the row reaches past the words, or
    /// vectors do before `vector_end`. Also returns whether it ends in the very last block.
    pub(crate) fn checked_window<S: Store>(solution: &Solution<S>, hash: u64) -> (Window, bool) {
        let (words, slot) = (solution.words().len(), solution.slot_bytes() as usize);
        let window = match slot {
            1 => solution.window::<BySlot<1>>(hash),
            2 => solution.window::<BySlot<2>>(hash),
            3 => solution.window::<BySlot<3>>(hash),
            4 => solution.window::<BySlot<4>>(hash),
            _ => solution.window::<ByColumn>(hash),
        };
        let by_vectors = window.place < solution.vector_end();
        if slot > 0 {
            let (first, bytes) = (window.place * slot, words * 8);
            let end = first + 64 * slot;
            assert!(end <= bytes);
            assert!(!by_vectors || first + slot::bytes_read(slot) <= bytes);
            return (window, end == bytes);
        }
        let columns = window.columns as usize;
        let after = window.place + columns;
        assert!(after <= words);
        assert!(!by_vectors || window.place + column::words_read(window.columns) <= words);
        // Nothing of the row may be missing.
        let is_last = after + columns > words;
        assert!(!is_last || window.offset == 0);
        (window, is_last)
    }
}
