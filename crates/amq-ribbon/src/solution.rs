//! The solution of the equations, which is the table of a filter or map, and the lookup of a key's
//! row.

use crate::RibbonParams;
use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::layout::{SolutionLayout, Window, bytes_read};
use crate::row::{self, BUCKET, next_layer};
use crate::simd::Backend;
use crate::threshold::{limit, threshold_of};
use crate::truncate::Target;
use amq_core::{Bytes, KeyHash, Table};

/// Keys of a batch whose windows are prefetched before the first is read.
const PREFETCH_GROUP: usize = 32;

/// The layers, concatenated. `B` holds each part as in the file, and may return different bytes on
/// each call.
///
/// Vector code relies on `bytes_read` and `backend`. So the fields are private, and none changes
/// after construction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Solution<B = Table> {
    params: RibbonParams,
    geometry: Geometry,
    /// The solution's words, block after block.
    words: B,
    /// Two bits for each bucket of all layers but the last.
    thresholds: B,
    /// The seed that solved each shard of the last layer.
    seeds: B,
    /// [`Columns::slot_bytes`](crate::layer::Columns::slot_bytes), which determines the layout.
    slot_bytes: u32,
    /// Bytes that vector code reads from a window, in this layout.
    bytes_read: usize,
    backend: Backend,
}

impl<B> Solution<B> {
    /// Words, thresholds and seeds, in this geometry.
    pub(crate) fn new(
        params: RibbonParams,
        geometry: Geometry,
        [words, thresholds, seeds]: [B; 3],
    ) -> Self {
        let columns = params.columns();
        Self {
            params,
            geometry,
            words,
            thresholds,
            seeds,
            slot_bytes: columns.slot_bytes(),
            // Without layers, windows are only read by portable code.
            bytes_read: if geometry.len == 0 { usize::MAX } else { bytes_read(columns) },
            backend: Backend::new(),
        }
    }

    #[inline(always)]
    pub(crate) const fn params(&self) -> &RibbonParams {
        &self.params
    }

    pub(crate) const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Bytes of a slot, or zero if the solution is stored by column.
    #[inline(always)]
    pub(crate) const fn slot_bytes(&self) -> u32 {
        self.slot_bytes
    }

    /// The last place of a window that vector code can read within these words.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) const fn last_place(&self, words: &[u8]) -> Option<usize> {
        words.len().checked_sub(self.bytes_read)
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) const fn backend(&self) -> Backend {
        self.backend
    }
}

impl<B: Bytes> Solution<B> {
    /// The same solution, borrowed.
    pub(crate) fn view(&self) -> Solution<&[u8]> {
        let Self { params, geometry, slot_bytes, bytes_read, backend, .. } = *self;
        let [words, thresholds, seeds] = self.parts();
        Solution { params, geometry, words, thresholds, seeds, slot_bytes, bytes_read, backend }
    }

    /// Words, thresholds and seeds.
    pub(crate) fn parts(&self) -> [&[u8]; 3] {
        [&self.words, &self.thresholds, &self.seeds].map(B::as_ref)
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &[u8] {
        self.words.as_ref()
    }

    /// Bytes of all parts.
    pub(crate) fn bytes(&self) -> u64 {
        self.parts().iter().map(|part| part.len() as u64).sum()
    }

    /// A key's window.
    #[inline(always)]
    pub(crate) fn window<L: SolutionLayout>(&self, hash: u64) -> Window<L::Part> {
        self.first_window::<L>(hash).unwrap_or_else(|| self.later_window::<L>(hash))
    }

    /// A key's window, if it is in the first layer.
    #[inline(always)]
    pub(crate) fn first_window<L: SolutionLayout>(&self, hash: u64) -> Option<Window<L::Part>> {
        self.window_in::<L>(&self.first_layer(), hash)
    }

    /// A key's window in the first layer, and whether that layer bumps the key: then the window is
    /// to be ignored. No branch depends on the key.
    #[inline(always)]
    fn window_if_first<L: SolutionLayout>(&self, hash: u64) -> (Window<L::Part>, bool) {
        let first = self.first_layer();
        let start = first.start(hash);
        let is_bumped = self.is_bumped(start / BUCKET, start % BUCKET);
        (L::window(&first, self.params.columns, start, hash), is_bumped)
    }

    #[inline(always)]
    fn first_layer(&self) -> Layer {
        // Tells the compiler that no layer precedes it.
        Layer { first_word: 0, first_bucket: 0, ..self.geometry.layers[0] }
    }

    /// The window in a layer that bumps keys, unless this key is bumped.
    #[inline(always)]
    fn window_in<L: SolutionLayout>(&self, layer: &Layer, hash: u64) -> Option<Window<L::Part>> {
        let start = layer.start(hash);
        let bucket = layer.first_bucket + start / BUCKET;
        if self.is_bumped(bucket, start % BUCKET) {
            return None;
        }
        Some(L::window(layer, self.params.columns, start, hash))
    }

    /// The window of a key that the first layer bumps.
    #[inline(never)]
    pub(crate) fn later_window<L: SolutionLayout>(&self, hash: u64) -> Window<L::Part> {
        let mut hash = hash;
        let Some((last, bumping)) = self.geometry.layers().split_last() else {
            return Window::default();
        };
        for (i, layer) in bumping.iter().enumerate() {
            // The caller knows that the first layer bumps it.
            if i > 0
                && let Some(window) = self.window_in::<L>(layer, hash)
            {
                return window;
            }
            hash = next_layer(hash, i);
        }
        self.last_window::<L>(last, hash)
    }

    #[inline(always)]
    fn last_window<L: SolutionLayout>(&self, last: &Layer, hash: u64) -> Window<L::Part> {
        let shard = last.shard(last.start(hash));
        let seed = self.seeds.as_ref().get(shard as usize).copied().unwrap_or_default();
        let hash = row::seeded(hash, seed);
        let (first, starts) = last.starts_of(shard);
        let start = first + row::start(hash, starts);
        L::window(last, self.params.columns, start, hash)
    }

    /// Whether a bucket bumps the keys that start at this offset. A bucket without a threshold, as
    /// in a single layer, bumps all.
    #[inline(always)]
    fn is_bumped(&self, bucket: u64, offset: u64) -> bool {
        let threshold = threshold_of(self.thresholds.as_ref(), bucket);
        threshold.is_none_or(|threshold| offset < limit(threshold, BUCKET))
    }
}

impl Solution {
    /// The same solution with fewer columns, in these words.
    pub(crate) fn with_words(&mut self, target: Target, words: Table) -> Self {
        let [thresholds, seeds] =
            [&mut self.thresholds, &mut self.seeds].map(core::mem::take::<Table>);
        Self::new(target.params, target.geometry, [words, thresholds, seeds])
    }
}

/// A batch, whose queries all read the same slices.
impl Solution<&[u8]> {
    /// Answers for many keys. While answering for one group, it prefetches the windows of the next.
    #[inline(always)]
    pub(crate) fn each<L: SolutionLayout, A>(
        &self,
        hashes: &[KeyHash],
        answers: &mut [A],
        answer_of: impl Fn(&Window<L::Part>) -> A,
    ) {
        let mut groups = hashes.chunks(PREFETCH_GROUP);
        let mut windows = [[Window::default(); PREFETCH_GROUP]; 2];
        let [mut ready, mut coming] = windows.each_mut();
        let first = groups.next().unwrap_or_default();
        let mut later = Later::NONE;
        for (at, &hash) in first.iter().enumerate() {
            self.prepare::<L>(hash, at, ready, &mut later);
        }
        self.prepare_later::<L>(first, ready, &later);
        for answers in answers.chunks_mut(PREFETCH_GROUP) {
            let next = groups.next().unwrap_or_default();
            let mut later = Later::NONE;
            let (now, rest) = answers.split_at_mut(next.len().min(answers.len()));
            for (at, (answer, &hash)) in now.iter_mut().zip(next).enumerate() {
                self.prepare::<L>(hash, at, coming, &mut later);
                *answer = answer_of(&ready[at]);
            }
            self.prepare_later::<L>(next, coming, &later);
            for (answer, window) in rest.iter_mut().zip(&ready[next.len()..]) {
                *answer = answer_of(window);
            }
            core::mem::swap(&mut ready, &mut coming);
        }
    }

    /// Finds and prefetches the window of a group's key `at`, as if it were in the first layer. One
    /// in twenty is not, which no branch could predict.
    #[inline(always)]
    fn prepare<L: SolutionLayout>(
        &self,
        hash: KeyHash,
        at: usize,
        windows: &mut [Window<L::Part>; PREFETCH_GROUP],
        later: &mut Later,
    ) {
        let (window, is_bumped) = self.window_if_first::<L>(hash.get());
        windows[at] = window;
        later.push_if(is_bumped, at);
        L::prefetch(self.words(), self.params.columns, &window);
    }

    /// Prepares the keys of a group that the first layer bumps.
    #[inline(always)]
    fn prepare_later<L: SolutionLayout>(
        &self,
        hashes: &[KeyHash],
        windows: &mut [Window<L::Part>; PREFETCH_GROUP],
        later: &Later,
    ) {
        for &at in &later.keys[..later.len] {
            let at = usize::from(at);
            windows[at] = self.later_window::<L>(hashes[at].get());
            L::prefetch(self.words(), self.params.columns, &windows[at]);
        }
    }
}

/// The keys of a group that the first layer bumps, by their numbers.
struct Later {
    keys: [u8; PREFETCH_GROUP],
    len: usize,
}

impl Later {
    const NONE: Self = Self { keys: [0; PREFETCH_GROUP], len: 0 };

    /// Adds a key if `is_bumped`, without a branch.
    #[inline(always)]
    fn push_if(&mut self, is_bumped: bool, key: usize) {
        self.keys[self.len % PREFETCH_GROUP] = key as u8;
        self.len += usize::from(is_bumped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<B> Solution<B> {
        /// The same solution, read by another backend.
        pub(crate) fn with_backend(self, backend: Backend) -> Self {
            Self { backend, ..self }
        }
    }
}
