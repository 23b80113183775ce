//! Column by column: a block has one word for each column, and bit i of it belongs to slot i.

use super::{SolutionLayout, Window};
use crate::layer::Layer;
use crate::row::{self, BITS};
use amq_core::prefetch::prefetch;

/// The layout for any number of columns, also where blocks differ in it.
pub(crate) struct ByColumn;

/// The blocks of a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// Words in each of the two blocks that count.
    pub(crate) columns: u32,
    /// The row's first slot, within the first block.
    pub(crate) offset: u32,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { columns: 1, offset: 0 }
    }
}

/// The words that vectors read from a window's first block on, eight at a time: those of both
/// blocks, and eight of the second if it has fewer.
pub(super) const fn words_read(columns: u32) -> usize {
    let columns = columns as usize;
    columns + if columns < 8 { 8 } else { columns }
}

/// The words of a window's two blocks; none if there are none, as in a solution of no keys.
#[inline(always)]
fn blocks<'a>(words: &'a [u64], window: &Window<Blocks>) -> Option<[&'a [u64]; 2]> {
    let columns = window.part.columns as usize;
    let words = words.get(window.place..)?;
    let (block, rest) = words.split_at_checked(columns)?;
    // A row in the very last block ends in it, so there any words will do for the next one.
    Some([block, rest.get(..columns).unwrap_or(block)])
}

impl SolutionLayout for ByColumn {
    type Part = Blocks;

    #[inline(always)]
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window<Blocks> {
        let (place, columns) = layer.block(layer.block_of(start), columns);
        let part = Blocks { columns: columns as u32, offset: (start % BITS) as u32 };
        Window { place, hash, part }
    }

    #[inline(always)]
    fn prefetch(words: &[u64], columns: u32, window: &Window<Blocks>) {
        let line = 64 / size_of::<u64>();
        let last = window.place + words_read(window.part.columns) - 1;
        prefetch(words, window.place);
        prefetch(words, window.place + line);
        // How often is the same for all windows: their own columns, which may be one less, would
        // make a branch that cannot be foreseen.
        for at in (2 * line..words_read(columns)).step_by(line) {
            prefetch(words, (window.place + at).min(last));
        }
        prefetch(words, last);
    }

    /// Stops at the first column that differs.
    #[inline(always)]
    fn agrees(words: &[u64], window: &Window<Blocks>) -> bool {
        let (row, mut result) = (row::of(window.hash), row::result(window.hash));
        let (here, next) = row::split(row, window.part.offset);
        let Some([block, after]) = blocks(words, window) else {
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
    fn value(words: &[u64], window: &Window<Blocks>) -> u32 {
        let row = row::of(window.hash);
        let (here, next) = row::split(row, window.part.offset);
        let mut value = 0;
        let Some([block, after]) = blocks(words, window) else {
            return value;
        };
        for (&one, &other) in block.iter().zip(after).rev() {
            value = value << 1 | row::parity(one & here ^ other & next);
        }
        value
    }
}
