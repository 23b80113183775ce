//! The layout by column: a block has one word for each column, and its bit i belongs to slot i.

use super::{Answer, SolutionLayout, Window};
use crate::layer::Layer;
use crate::row::{self, BITS};
use amq_core::prefetch::prefetch;

/// The layout for any number of columns, which may differ between blocks.
pub(crate) struct ByColumn;

/// The blocks of a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// The columns that are compared: words of each of the two blocks.
    pub(crate) columns: u32,
    /// The row's first slot, within the first block.
    pub(crate) offset: u32,
}

impl Default for Blocks {
    fn default() -> Self {
        Self { columns: 1, offset: 0 }
    }
}

impl SolutionLayout for ByColumn {
    type Part = Blocks;

    #[inline(always)]
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Window<Blocks> {
        let (word, columns) = layer.block(layer.block_of(start), columns);
        let part = Blocks { columns: columns as u32, offset: (start % BITS) as u32 };
        Window { place: 8 * word, hash, part }
    }

    #[inline(always)]
    fn prefetch(words: &[u8], columns: u32, window: &Window<Blocks>) {
        let Window { place, part, .. } = *window;
        let after = place + 8 * part.columns as usize;
        prefetch(words, place);
        prefetch(words, place + 64);
        // By the columns of most windows: a branch on the window's own, which may be one less,
        // would be mispredicted.
        if columns <= 8 {
            // Vectors read eight words of the second block, too.
            return prefetch(words, after + 56);
        }
        let last = after + 8 * part.columns as usize - 8;
        for at in (128..16 * columns as usize).step_by(64) {
            prefetch(words, (place + at).min(last));
        }
        prefetch(words, last);
    }

    #[inline(always)]
    fn answer<A: Answer>(words: &[u8], window: &Window<Blocks>) -> A {
        let words = words.get(window.place..).unwrap_or_default().as_chunks().0;
        let columns = window.part.columns as usize;
        let Some((block, rest)) = words.split_at_checked(columns) else {
            return A::default();
        };
        // A row in the very last block ends in it, so any words serve as the next one.
        let after = rest.get(..columns).unwrap_or(block);
        let (here, next) = row::split(row::of(window.hash), window.part.offset);
        let parities = block.iter().zip(after).map(|(&one, &other)| {
            row::parity(u64::from_le_bytes(one) & here ^ u64::from_le_bytes(other) & next)
        });
        A::of_each(parities, window.hash)
    }
}
