//! The solution of the equations: what a filter or a map consists of, and where a key's row lies in
//! it.

use crate::RibbonParams;
use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::layout::{SolutionLayout, Window, vector_end};
use crate::row::{self, BUCKET, next_layer};
use crate::simd::Backend;
use crate::store::{Borrowed, Heap, Store};
use crate::threshold::{limit, threshold_in};
use amq_core::KeyHash;

/// Keys of a batch whose windows are prefetched before the first of them is read.
const PREFETCH_GROUP: usize = 32;

/// The layers, one after another.
///
/// Vector code reads the words without asking for their bounds, up to `vector_end`. So the fields
/// are private, and none changes once the solution is put together; nor do the words, which a
/// [store] holds in a vector or borrows.
///
/// [store]: crate::store::Held
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Solution<S = Heap> {
    params: RibbonParams,
    geometry: Geometry,
    store: S,
    /// See [`vector_end`].
    vector_end: usize,
    /// [`Columns::slot_bytes`](crate::layer::Columns::slot_bytes), which determines the layout.
    slot_bytes: u32,
    backend: Backend,
}

impl<S> Solution<S> {
    #[inline(always)]
    pub(crate) const fn params(&self) -> &RibbonParams {
        &self.params
    }
}

impl<S: Store> Solution<S> {
    /// What the store holds, in this geometry.
    pub(crate) fn new(params: RibbonParams, geometry: Geometry, store: S) -> Self {
        let columns = params.columns();
        let vector_end = vector_end(store.words().len(), columns);
        let slot_bytes = columns.slot_bytes();
        Self { params, geometry, store, vector_end, slot_bytes, backend: Backend::new() }
    }

    /// The same solution, borrowed.
    pub(crate) fn view(&self) -> Solution<Borrowed<'_>> {
        let store = Borrowed {
            words: self.words(),
            thresholds: self.store.thresholds(),
            seeds: self.store.seeds(),
        };
        let Self { params, geometry, vector_end, slot_bytes, backend, .. } = *self;
        Solution { params, geometry, store, vector_end, slot_bytes, backend }
    }

    pub(crate) fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    pub(crate) fn store(&self) -> &S {
        &self.store
    }

    /// Bytes of a slot, or zero if the solution lies by column.
    #[inline(always)]
    pub(crate) fn slot_bytes(&self) -> u32 {
        self.slot_bytes
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &[u64] {
        self.store.words()
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn vector_end(&self) -> usize {
        self.vector_end
    }

    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// Bytes of the store.
    pub(crate) fn bytes(&self) -> u64 {
        let words = size_of_val(self.words());
        let thresholds = size_of_val(self.store.thresholds());
        (words + thresholds + self.store.seeds().len()) as u64
    }

    /// A key's window.
    #[inline(always)]
    pub(crate) fn window<L: SolutionLayout>(&self, hash: u64) -> Window<L::Part> {
        self.first_window::<L>(hash).unwrap_or_else(|| self.later_window::<L>(hash))
    }

    /// A key's window, if the first layer has it.
    #[inline(always)]
    pub(crate) fn first_window<L: SolutionLayout>(&self, hash: u64) -> Option<Window<L::Part>> {
        self.window_in::<L>(&self.first_layer(), hash)
    }

    /// The window that a key has in the first layer, and whether that bumps it: then this window is
    /// not the key's. No branch depends on the key.
    #[inline(always)]
    fn window_if_first<L: SolutionLayout>(&self, hash: u64) -> (Window<L::Part>, bool) {
        let first = self.first_layer();
        let start = first.start(hash);
        let is_bumped = self.is_bumped(start / BUCKET, start % BUCKET);
        (L::window(&first, self.params.columns, start, hash), is_bumped)
    }

    #[inline(always)]
    fn first_layer(&self) -> Layer {
        // Tells the compiler that nothing lies before it.
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
            // The first bumps it, as the caller knows.
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
        let seeds = self.store.seeds();
        let seed = seeds.get(shard as usize).copied().unwrap_or_default();
        let hash = row::seeded(hash, seed);
        let (first, starts) = last.starts_of(shard);
        let start = first + row::start(hash, starts);
        L::window(last, self.params.columns, start, hash)
    }

    /// Whether a bucket bumps the keys that start at this offset. A bucket without a threshold, as
    /// in a last layer that is the only one, bumps all.
    #[inline(always)]
    fn is_bumped(&self, bucket: u64, offset: u64) -> bool {
        let Some(&thresholds) = self.store.thresholds().get((bucket / 32) as usize) else {
            return true;
        };
        offset < limit(threshold_in(thresholds, bucket), BUCKET)
    }

    /// Answers for many keys. While it answers for one group of them, it prefetches the windows of
    /// the next, so that memory is never idle.
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

    /// Finds and prefetches the window of a group's key number `at`, as if the first layer had all
    /// keys. It does not for one in twenty, which no branch could foresee.
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

    /// Adds a key or not, without a branch.
    #[inline(always)]
    fn push_if(&mut self, is_bumped: bool, key: usize) {
        self.keys[self.len % PREFETCH_GROUP] = key as u8;
        self.len += usize::from(is_bumped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<S> Solution<S> {
        /// The same solution, read by another backend.
        pub(crate) fn with_backend(self, backend: Backend) -> Self {
            Self { backend, ..self }
        }
    }
}
