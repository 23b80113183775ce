//! The solved system: what a filter or a map consists of, and how a key is looked up in it.

use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::order::{Order, by_order};
use crate::row::{self, Row, next_layer};
use crate::store::{Borrowed, Heap, Store};
use crate::threshold::{limit, threshold_in};
use crate::{Kind, RibbonParams};
use amq_core::KeyHash;
use core::marker::PhantomData;

/// Keys of a batch that are looked up together.
const TOGETHER: usize = 32;

/// The layers, one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct System<K: Kind, S = Heap<<K as Kind>::Row>> {
    pub(crate) params: RibbonParams,
    pub(crate) geometry: Geometry,
    pub(crate) store: S,
    /// [`Order::vector_end`].
    vector_end: usize,
    /// [`Columns::slot_bytes`](crate::layer::Columns::slot_bytes): what says in which order the
    /// solution lies.
    pub(crate) slot_bytes: u32,
    kind: PhantomData<K>,
}

impl<K: Kind, S: Store<K::Row>> System<K, S> {
    /// What the store holds, in this geometry.
    pub(crate) fn new(params: RibbonParams, geometry: Geometry, store: S) -> Self {
        let (words, slot_bytes) = (store.words().len(), params.columns().slot_bytes());
        let vector_end = by_order!(slot_bytes, O => {
            O::vector_end::<K::Row>(words, params.columns)
        });
        Self { params, geometry, store, vector_end, slot_bytes, kind: PhantomData }
    }

    /// The same system over the borrowed store.
    pub(crate) fn view(&self) -> System<K, Borrowed<'_, K::Row>> {
        let store = Borrowed {
            words: self.words(),
            thresholds: self.store.thresholds(),
            seeds: self.store.seeds(),
        };
        System::new(self.params, self.geometry, store)
    }

    #[inline(always)]
    pub(crate) fn words(&self) -> &[K::Row] {
        self.store.words()
    }

    /// [`Order::vector_end`] of the system's order.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    pub(crate) fn vector_end(&self) -> usize {
        self.vector_end
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
        // Tells the compiler that nothing lies before it.
        let first = Layer { first_word: 0, first_bucket: 0, ..self.geometry.layers[0] };
        if K::BUMPS {
            return self.window_in::<O>(&first, hash);
        }
        Some(self.last_window::<O>(&first, hash))
    }

    /// The window in a layer that bumps keys, unless this key is bumped.
    #[inline(always)]
    fn window_in<O: Order>(&self, layer: &Layer, hash: u64) -> Option<O::Window> {
        let start = layer.start(hash);
        let bucket = layer.first_bucket + start / K::Row::BUCKET;
        if self.is_bumped(bucket, start % K::Row::BUCKET) {
            return None;
        }
        Some(O::window::<K::Row>(layer, self.params.columns, start, hash))
    }

    /// The window of a key that the first layer bumps.
    #[inline(never)]
    pub(crate) fn later_window<O: Order>(&self, hash: u64) -> O::Window {
        let mut hash = hash;
        let Some((last, bumping)) = self.geometry.layers().split_last() else {
            return O::NOWHERE;
        };
        for (i, layer) in bumping.iter().enumerate() {
            if let Some(window) = self.window_in::<O>(layer, hash) {
                return window;
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
        O::window::<K::Row>(last, self.params.columns, start, hash)
    }

    /// Whether a bucket bumps the keys that start at this offset. A bucket without a threshold, as
    /// in a last layer that is the only one, bumps all.
    #[inline(always)]
    pub(crate) fn is_bumped(&self, bucket: u64, offset: u64) -> bool {
        let Some(&thresholds) = self.store.thresholds().get((bucket / 32) as usize) else {
            return true;
        };
        offset < limit(threshold_in(thresholds, bucket), K::Row::BUCKET)
    }

    /// Answers for many keys. Prefetches the windows of a block of keys before it reads the first.
    #[inline(always)]
    pub(crate) fn each<O: Order, A>(
        &self,
        hashes: &[KeyHash],
        answers: &mut [A],
        answer_of: impl Fn(&O::Window) -> A,
    ) {
        let mut windows = [O::Window::default(); TOGETHER];
        for (hashes, answers) in hashes.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
            for (window, &hash) in windows.iter_mut().zip(hashes) {
                *window = self.window::<O>(hash.get());
                O::prefetch(self.words(), window);
            }
            for (answer, window) in answers.iter_mut().zip(&windows) {
                *answer = answer_of(window);
            }
        }
    }
}
