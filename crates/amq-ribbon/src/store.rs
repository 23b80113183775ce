//! What holds a solved system: three slices, owned or borrowed.

use alloc::vec::Vec;

/// What holds a filter: [`Heap`] owns it, [`Borrowed`] does not. Queries are the same for both.
///
/// Sealed: both are [`Held`], which is all there is.
pub trait Store: sealed::Parts + Send + Sync {}

mod sealed {
    pub trait Parts {
        /// The solution, interleaved: for each block one word per column, then the next block.
        fn words(&self) -> &[u64];
        /// Two bits for each bucket of all layers but the last.
        fn thresholds(&self) -> &[u64];
        /// The seed that solved each shard of the last layer.
        fn seeds(&self) -> &[u8];
    }
}

/// Words, thresholds and seeds, each held in its own way.
///
/// Outside this crate only a file makes one, of what its [`Source`](amq_core::internal::Source)
/// hands out: vectors or borrowed slices, which are the same each time they are asked for. Vector
/// code relies on that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held<W, S> {
    pub(crate) words: W,
    pub(crate) thresholds: W,
    pub(crate) seeds: S,
}

/// Words, thresholds and seeds on the heap.
pub type Heap = Held<Vec<u64>, Vec<u8>>;

/// Words, thresholds and seeds that belong to another filter, or to a file.
pub type Borrowed<'a> = Held<&'a [u64], &'a [u8]>;

impl<W: AsRef<[u64]> + Send + Sync, S: AsRef<[u8]> + Send + Sync> Store for Held<W, S> {}

impl<W: AsRef<[u64]>, S: AsRef<[u8]>> sealed::Parts for Held<W, S> {
    #[inline(always)]
    fn words(&self) -> &[u64] {
        self.words.as_ref()
    }

    #[inline(always)]
    fn thresholds(&self) -> &[u64] {
        self.thresholds.as_ref()
    }

    #[inline(always)]
    fn seeds(&self) -> &[u8] {
        self.seeds.as_ref()
    }
}
