//! How the bits of the solution lie in its words: column by column, or slot by slot.

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

/// Where a key's row lies.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Window<P> {
    /// The byte where the row's first block begins, or by slot its first slot.
    pub(crate) place: usize,
    /// The hash that the row and its result are made of.
    pub(crate) hash: u64,
    /// What the layout needs besides.
    pub(crate) part: P,
}

/// A layout of the solution, in words that are little-endian bytes. Both take the same space and
/// give the same answers: a block lies in the same words, and what differs is the order of bits
/// within it.
pub(crate) trait SolutionLayout: 'static {
    /// What a window has besides its place.
    type Part: Copy + Default;
    /// The window of a row that starts at `start`, a number within the layer.
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window<Self::Part>;
    /// Prefetches all lines that a query reads of a window. Most windows of the solution have
    /// `columns` columns.
    fn prefetch(words: &[u8], columns: u32, window: &Window<Self::Part>);
    /// The answer in a window, by portable code; the default if the words end before the window.
    fn answer<A: Answer>(words: &[u8], window: &Window<Self::Part>) -> A;
}

/// Bytes that vectors read of a window, from its place on, in a solution of these columns.
pub(crate) const fn bytes_read(columns: Columns) -> usize {
    match columns.slot_bytes() as usize {
        // Of both blocks all columns, and eight words at least.
        0 => 2 * 8 * if columns.most > 8 { columns.most as usize } else { 8 },
        // Eight slots of three bytes do not fill a vector.
        3 => 64 * 3 + 8,
        bytes => 64 * bytes,
    }
}

/// What a query answers: `bool`, whether the key is in; or `u32`, its value.
pub(crate) trait Answer: Copy + Default {
    /// The answer for a hash whose window has these parities, one bit per column, and any further
    /// bits. `low` keeps as many low bits as there are columns.
    fn of(parities: u32, hash: u64, low: impl FnOnce(u32) -> u32) -> Self;
    /// The same, of one parity after another.
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

    /// Where a key's window lies in a solution of any layout.
    pub(crate) struct Place {
        /// Whether it is so far before the end that vectors read it.
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
                // Nothing of the row may be missing.
                let is_last = place + 2 * block > words.len();
                assert!(!is_last || part.offset == 0);
                let by_vectors = solution.last_place(words).is_some_and(|last| place <= last);
                Place { by_vectors, is_last }
            }
        }
    }
}
