//! Layouts of the solution's bits in its words: column by column, or slot by slot.

use crate::layer::{Columns, Layer};
use crate::row;

mod column;
mod slot;

#[cfg(target_arch = "x86_64")]
pub(crate) use column::Blocks;
pub(crate) use column::ByColumn;
pub(crate) use slot::{BySlot, columns_of, put};
#[cfg(target_arch = "x86_64")]
pub(crate) use slot::{fold, fold_word};

/// The position of a key's row.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Window<P> {
    /// The byte where the row's first block begins or, in the layout by slot, its first slot.
    pub(crate) place: usize,
    /// The hash that determines the row and its result.
    pub(crate) hash: u64,
    /// Further data of the layout.
    pub(crate) part: P,
}

/// A layout of the solution, in little-endian words. Both layouts take the same space and give the
/// same answers: a block has the same words in both, and only the order of its bits differs.
pub(crate) trait SolutionLayout: 'static {
    /// Further data of a window.
    type Part: Copy + Default;
    /// The window of a row that starts at `start`, a number within the layer.
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window<Self::Part>;
    /// Prefetches all cache lines of a window. Most windows of the solution have `columns` columns.
    fn prefetch(words: &[u8], columns: u32, window: &Window<Self::Part>);
    /// The answer for a window, by portable code; the default if the words end before the window.
    fn answer<A: Answer>(words: &[u8], window: &Window<Self::Part>) -> A;
}

/// Bytes that vector code reads from a window's place on, in a solution of these columns.
pub(crate) const fn bytes_read(columns: Columns) -> usize {
    match columns.slot_bytes() as usize {
        // All columns of both blocks, and at least eight words of each.
        0 => 2 * 8 * if columns.most > 8 { columns.most as usize } else { 8 },
        // Eight slots of three bytes do not fill a vector.
        3 => 64 * 3 + 8,
        bytes => 64 * bytes,
    }
}

/// The answer to a query: `bool`, whether the key is in the filter; or `u32`, its value.
pub(crate) trait Answer: Copy + Default {
    /// The answer for a hash whose window has these parities, one bit per column, and any further
    /// bits. `low` keeps as many low bits as there are columns.
    fn of(parities: u32, hash: u64, low: impl FnOnce(u32) -> u32) -> Self;
    /// The same, from one parity after another.
    fn of_each(parities: impl Iterator<Item = u32>, hash: u64) -> Self;
}

impl Answer for bool {
    #[inline(always)]
    fn of(parities: u32, hash: u64, low: impl FnOnce(u32) -> u32) -> bool {
        low(parities ^ row::result(hash)) == 0
    }

    /// Stops at the first column that differs.
    #[inline(always)]
    fn of_each(mut parities: impl Iterator<Item = u32>, hash: u64) -> bool {
        let mut result = row::result(hash);
        parities.all(|parity| {
            let agrees = parity == result & 1;
            result >>= 1;
            agrees
        })
    }
}

impl Answer for u32 {
    #[inline(always)]
    fn of(parities: u32, _: u64, low: impl FnOnce(u32) -> u32) -> u32 {
        low(parities)
    }

    #[inline(always)]
    fn of_each(parities: impl Iterator<Item = u32>, _: u64) -> u32 {
        parities.zip(0..).fold(0, |value, (parity, column)| value | parity << column)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::solution::Solution;
    use amq_core::Bytes;

    /// The position of a key's window in a solution of any layout.
    pub(crate) struct Place {
        /// Whether it is far enough before the end to be read by vector code.
        pub(crate) by_vectors: bool,
        /// Whether the row ends in the very last block.
        pub(crate) is_last: bool,
    }

    /// A key's window. Panics if the row reaches past the words.
    pub(crate) fn checked_place<B: Bytes>(solution: &Solution<B>, hash: u64) -> Place {
        fn by_slot<const BYTES: usize, B: Bytes>(solution: &Solution<B>, hash: u64) -> Place {
            let words = solution.words();
            let Window { place, .. } = solution.window::<BySlot<BYTES>>(hash);
            let end = place + 64 * BYTES;
            assert!(end <= words.len());
            let by_vectors = solution.last_place(words).is_some_and(|last| place <= last);
            Place { by_vectors, is_last: end == words.len() }
        }
        match solution.slot_bytes() {
            1 => by_slot::<1, B>(solution, hash),
            2 => by_slot::<2, B>(solution, hash),
            3 => by_slot::<3, B>(solution, hash),
            4 => by_slot::<4, B>(solution, hash),
            _ => {
                let words = solution.words();
                let Window { place, part, .. } = solution.window::<ByColumn>(hash);
                let block = 8 * part.columns as usize;
                assert!(place + block <= words.len());
                // The row must be complete.
                let is_last = place + 2 * block > words.len();
                assert!(!is_last || part.offset == 0);
                let by_vectors = solution.last_place(words).is_some_and(|last| place <= last);
                Place { by_vectors, is_last }
            }
        }
    }
}
