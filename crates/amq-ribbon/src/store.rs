//! What holds a solved system: three slices, owned or borrowed.

use alloc::vec::Vec;

/// What holds a filter: [`Heap`] owns it, [`Borrowed`] does not. Queries are the same for both.
///
/// Sealed: these are all there are.
pub trait Store<W>: sealed::Sealed + Send + Sync {
    /// The solution, interleaved: for each block one word per column, then the next block.
    #[doc(hidden)]
    fn words(&self) -> &[W];
    /// Two bits for each bucket of all layers but the last.
    #[doc(hidden)]
    fn thresholds(&self) -> &[u64];
    /// The seed that solved each shard of the last layer.
    #[doc(hidden)]
    fn seeds(&self) -> &[u8];
}

/// Words, thresholds and seeds on the heap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heap<W> {
    pub(crate) words: Vec<W>,
    pub(crate) thresholds: Vec<u64>,
    pub(crate) seeds: Vec<u8>,
}

/// Words, thresholds and seeds that belong to another filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Borrowed<'a, W> {
    pub(crate) words: &'a [W],
    pub(crate) thresholds: &'a [u64],
    pub(crate) seeds: &'a [u8],
}

macro_rules! store {
    ($($store:ty)*) => {$(
        impl<W: Send + Sync> Store<W> for $store {
            #[inline(always)]
            fn words(&self) -> &[W] {
                &self.words
            }

            #[inline(always)]
            fn thresholds(&self) -> &[u64] {
                &self.thresholds
            }

            #[inline(always)]
            fn seeds(&self) -> &[u8] {
                &self.seeds
            }
        }

        impl<W> sealed::Sealed for $store {}
    )*};
}

store!(Heap<W> Borrowed<'_, W>);

mod sealed {
    pub trait Sealed {}
}
