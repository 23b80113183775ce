//! How the bits of the solution lie in its words: column by column, or slot by slot.

use crate::layer::Layer;

mod choice;
mod column;
mod slot;

pub(crate) use choice::by_order;
pub(crate) use column::ByColumn;
#[cfg(target_arch = "x86_64")]
pub(crate) use column::Window;
pub(crate) use slot::{BySlot, put};
#[cfg(target_arch = "x86_64")]
pub(crate) use slot::{Slots, fold, fold_word};

/// An order of the solution's bits. Both take the same space and give the same answers.
///
/// A block lies in the same words either way: what differs is the order within it.
pub(crate) trait Order: 'static {
    /// Where a key's row lies.
    type Window: Copy + Default;
    /// The window in a system of no layers, which has no word for it.
    const NOWHERE: Self::Window;

    /// The window of a row that starts at `start`, a number within the layer.
    fn window(layer: &Layer, columns: u32, start: u64, hash: u64) -> Self::Window;
    /// Where a window begins: a number that grows with its address.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    fn place(window: &Self::Window) -> usize;
    /// The first place at which a window must not be read by vectors, which may end past its last
    /// byte, in a table of `words` words. Before it, they end in the table.
    fn vector_end(words: usize, columns: u32) -> usize;
    /// Panics if a row reaches past the words, or vectors before `vector_end` do. Returns whether
    /// it ends in the very last block.
    #[cfg(test)]
    fn check(words: &[u64], window: &Self::Window, vector_end: usize) -> bool;
    /// Prefetches all lines that a query reads of a window. Most windows of the system have
    /// `columns` columns.
    fn prefetch(words: &[u64], columns: u32, window: &Self::Window);
    /// Whether the window's parities are the key's result.
    fn agrees(words: &[u64], window: &Self::Window) -> bool;
    /// The window's parities, one bit per column. No branch depends on them.
    fn value(words: &[u64], window: &Self::Window) -> u32;
}
