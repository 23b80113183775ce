//! The solved system: what a filter or a map consists of, and how a key is looked up in it.

use crate::RibbonParams;
use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::order::{Order, by_order};
use crate::row::{self, BUCKET, next_layer};
use crate::simd::Path;
use crate::store::{Borrowed, Heap, Store};
use crate::threshold::{limit, threshold_in};
use amq_core::KeyHash;

/// Keys of a batch whose windows are prefetched before the first of them is read.
const TOGETHER: usize = 32;

/// The layers, one after another.
///
/// Vector code reads the words without asking for their bounds, up to `vector_end`. So the fields
/// are private, and none changes once the system is put together; nor do the words, which a [store]
/// holds in a vector or borrows.
///
/// [store]: crate::store::Held
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct System<S = Heap> {
    params: RibbonParams,
    geometry: Geometry,
    store: S,
    /// [`Order::vector_end`].
    vector_end: usize,
    /// [`Columns::slot_bytes`](crate::layer::Columns::slot_bytes): what says in which order the
    /// solution lies.
    slot_bytes: u32,
    /// How keys are looked up one by one.
    path: Path,
}

impl<S> System<S> {
    #[inline(always)]
    pub(crate) const fn params(&self) -> &RibbonParams {
        &self.params
    }
}

impl<S: Store> System<S> {
    /// What the store holds, in this geometry.
    pub(crate) fn new(params: RibbonParams, geometry: Geometry, store: S) -> Self {
        let (words, slot_bytes) = (store.words().len(), params.columns().slot_bytes());
        let vector_end = by_order!(slot_bytes, O => {
            O::vector_end(words, params.columns)
        });
        let path = Path::new(slot_bytes);
        Self { params, geometry, store, vector_end, slot_bytes, path }
    }

    /// A view of this system: it borrows the store.
    pub(crate) fn view(&self) -> System<Borrowed<'_>> {
        let store = Borrowed {
            words: self.words(),
            thresholds: self.store.thresholds(),
            seeds: self.store.seeds(),
        };
        System {
            params: self.params,
            geometry: self.geometry,
            store,
            vector_end: self.vector_end,
            slot_bytes: self.slot_bytes,
            path: self.path,
        }
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

    /// [`Order::vector_end`] of the system's order.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn vector_end(&self) -> usize {
        self.vector_end
    }

    /// How keys are looked up one by one.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn path(&self) -> Path {
        self.path
    }

    /// Bytes of the store.
    pub(crate) fn bytes(&self) -> u64 {
        let words = size_of_val(self.words());
        let thresholds = size_of_val(self.store.thresholds());
        (words + thresholds + self.store.seeds().len()) as u64
    }

    /// A key's window.
    #[inline(always)]
    pub(crate) fn window<O: Order>(&self, hash: u64) -> O::Window {
        self.first_window::<O>(hash).unwrap_or_else(|| self.later_window::<O>(hash))
    }

    /// A key's window, if the first layer has it.
    #[inline(always)]
    pub(crate) fn first_window<O: Order>(&self, hash: u64) -> Option<O::Window> {
        self.window_in::<O>(&self.first_layer(), hash)
    }

    /// The window that a key has in the first layer, and whether that bumps it: then this window is
    /// not the key's. No branch depends on the key.
    #[inline(always)]
    fn window_if_first<O: Order>(&self, hash: u64) -> (O::Window, bool) {
        let first = self.first_layer();
        let start = first.start(hash);
        let is_bumped = self.is_bumped(start / BUCKET, start % BUCKET);
        (O::window(&first, self.params.columns, start, hash), is_bumped)
    }

    #[inline(always)]
    fn first_layer(&self) -> Layer {
        // Tells the compiler that nothing lies before it.
        Layer { first_word: 0, first_bucket: 0, ..self.geometry.layers[0] }
    }

    /// The window in a layer that bumps keys, unless this key is bumped.
    #[inline(always)]
    fn window_in<O: Order>(&self, layer: &Layer, hash: u64) -> Option<O::Window> {
        let start = layer.start(hash);
        let bucket = layer.first_bucket + start / BUCKET;
        if self.is_bumped(bucket, start % BUCKET) {
            return None;
        }
        Some(O::window(layer, self.params.columns, start, hash))
    }

    /// The window of a key that the first layer bumps.
    #[inline(never)]
    pub(crate) fn later_window<O: Order>(&self, hash: u64) -> O::Window {
        let mut hash = hash;
        let Some((last, bumping)) = self.geometry.layers().split_last() else {
            return O::NOWHERE;
        };
        for (i, layer) in bumping.iter().enumerate() {
            // The first bumps it, as the caller knows.
            if i > 0 {
                if let Some(window) = self.window_in::<O>(layer, hash) {
                    return window;
                }
            }
            hash = next_layer(hash, i);
        }
        self.last_window::<O>(last, hash)
    }

    #[inline(always)]
    fn last_window<O: Order>(&self, last: &Layer, hash: u64) -> O::Window {
        let shard = last.shard(last.start(hash));
        let seeds = self.store.seeds();
        let seed = seeds.get(shard as usize).copied().unwrap_or_default();
        let hash = row::seeded(hash, seed);
        let (first, starts) = last.starts_of(shard);
        let start = first + row::start(hash, starts);
        O::window(last, self.params.columns, start, hash)
    }

    /// Whether a bucket bumps the keys that start at this offset. A bucket without a threshold, as
    /// in a last layer that is the only one, bumps all.
    #[inline(always)]
    pub(crate) fn is_bumped(&self, bucket: u64, offset: u64) -> bool {
        let Some(&thresholds) = self.store.thresholds().get((bucket / 32) as usize) else {
            return true;
        };
        offset < limit(threshold_in(thresholds, bucket), BUCKET)
    }

    /// Answers for many keys. While it answers for one group of them, it prefetches the windows of
    /// the next, so that memory is never idle.
    #[inline(always)]
    pub(crate) fn each<O: Order, A>(
        &self,
        hashes: &[KeyHash],
        answers: &mut [A],
        answer_of: impl Fn(&O::Window) -> A,
    ) {
        let mut groups = hashes.chunks(TOGETHER);
        let mut windows = [[O::Window::default(); TOGETHER]; 2];
        let [mut ready, mut coming] = windows.each_mut();
        let first = groups.next().unwrap_or_default();
        let mut later = Later::NONE;
        for (at, &hash) in first.iter().enumerate() {
            self.prepare::<O>(hash, at, ready, &mut later);
        }
        self.prepare_later::<O>(first, ready, &later);
        for answers in answers.chunks_mut(TOGETHER) {
            let next = groups.next().unwrap_or_default();
            let mut later = Later::NONE;
            let (now, rest) = answers.split_at_mut(next.len().min(answers.len()));
            for (at, (answer, &hash)) in now.iter_mut().zip(next).enumerate() {
                self.prepare::<O>(hash, at, coming, &mut later);
                *answer = answer_of(&ready[at]);
            }
            self.prepare_later::<O>(next, coming, &later);
            for (answer, window) in rest.iter_mut().zip(&ready[next.len()..]) {
                *answer = answer_of(window);
            }
            core::mem::swap(&mut ready, &mut coming);
        }
    }

    /// Finds and prefetches the window of a group's key number `at`, as if the first layer had all
    /// keys. It does not for one in twenty, which no branch could foresee.
    #[inline(always)]
    fn prepare<O: Order>(
        &self,
        hash: KeyHash,
        at: usize,
        windows: &mut [O::Window; TOGETHER],
        later: &mut Later,
    ) {
        let (window, is_bumped) = self.window_if_first::<O>(hash.get());
        windows[at] = window;
        later.push_if(is_bumped, at);
        O::prefetch(self.words(), self.params.columns, &window);
    }

    /// Prepares the keys of a group that the first layer bumps.
    #[inline(always)]
    fn prepare_later<O: Order>(
        &self,
        hashes: &[KeyHash],
        windows: &mut [O::Window; TOGETHER],
        later: &Later,
    ) {
        for &at in &later.keys[..later.len] {
            let at = usize::from(at);
            windows[at] = self.later_window::<O>(hashes[at].get());
            O::prefetch(self.words(), self.params.columns, &windows[at]);
        }
    }
}

/// The keys of a group that the first layer bumps, by their numbers.
struct Later {
    keys: [u8; TOGETHER],
    len: usize,
}

impl Later {
    const NONE: Self = Self { keys: [0; TOGETHER], len: 0 };

    /// Adds a key or not, without a branch.
    #[inline(always)]
    fn push_if(&mut self, is_bumped: bool, key: usize) {
        self.keys[self.len % TOGETHER] = key as u8;
        self.len += usize::from(is_bumped);
    }
}
