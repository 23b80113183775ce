//! How the bits of the solution lie in its words: column by column, or slot by slot.

use crate::layer::{Columns, Layer};

mod column;
mod slot;

#[cfg(target_arch = "x86_64")]
pub(crate) use column::Blocks;
pub(crate) use column::ByColumn;
pub(crate) use slot::{BySlot, put};
#[cfg(target_arch = "x86_64")]
pub(crate) use slot::{fold, fold_word};

/// Where a key's row lies. By default in no words, as in a solution of no layers.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Window<P> {
    /// By column: the first word of the row's first block; the second block follows. By slot: the
    /// row's first slot, counted over all layers.
    pub(crate) place: usize,
    /// The hash that the row and its result are made of.
    pub(crate) hash: u64,
    /// What the layout needs besides.
    pub(crate) part: P,
}

/// A layout of the solution. Both take the same space and give the same answers: a block lies in
/// the same words, and what differs is the order of bits within it.
pub(crate) trait SolutionLayout: 'static {
    /// What a window has besides its place.
    type Part: Copy + Default;
    /// The window of a row that starts at `start`, a number within the layer.
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window<Self::Part>;
    /// Prefetches all lines that a query reads of a window. Most windows of the solution have
    /// `columns` columns.
    fn prefetch(words: &[u64], columns: u32, window: &Window<Self::Part>);
    /// Whether the window's parities are the key's result. `false` if there are no words for it.
    fn agrees(words: &[u64], window: &Window<Self::Part>) -> bool;
    /// The window's parities, one bit per column; zero if there are no words for it. No branch
    /// depends on them.
    fn value(words: &[u64], window: &Window<Self::Part>) -> u32;
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

    /// The place of a key's window in a solution of any layout. Panics if the row reaches past the
    /// words, or vectors do before `vector_end`. Also returns whether it ends in the very last
    /// block.
    pub(crate) fn checked_place<S: Store>(solution: &Solution<S>, hash: u64) -> (usize, bool) {
        let (words, slot) = (solution.words().len(), solution.slot_bytes() as usize);
        if slot > 0 {
            let place = match slot {
                1 => solution.window::<BySlot<1>>(hash).place,
                2 => solution.window::<BySlot<2>>(hash).place,
                3 => solution.window::<BySlot<3>>(hash).place,
                _ => solution.window::<BySlot<4>>(hash).place,
            };
            let (first, bytes) = (place * slot, words * 8);
            let end = first + 64 * slot;
            assert!(end <= bytes);
            let by_vectors = place < solution.vector_end();
            assert!(!by_vectors || first + slot::bytes_read(slot) <= bytes);
            return (place, end == bytes);
        }
        let Window { place, part, .. } = solution.window::<ByColumn>(hash);
        let columns = part.columns as usize;
        let after = place + columns;
        assert!(after <= words);
        let by_vectors = place < solution.vector_end();
        assert!(!by_vectors || place + column::words_read(part.columns) <= words);
        // Nothing of the row may be missing.
        let is_last = after + columns > words;
        assert!(!is_last || part.offset == 0);
        (place, is_last)
    }
}
