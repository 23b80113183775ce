//! The solved system: what a filter or a map consists of, and how a key is looked up in it.

use crate::geometry::Geometry;
use crate::layer::Layer;
use crate::row::{self, Row, next_layer};
use crate::store::{Borrowed, Heap, Store};
use crate::threshold::{limit, threshold_in};
use crate::{Kind, RibbonParams};
use amq_core::{KeyHash, prefetch};
use core::marker::PhantomData;

/// Keys of a batch that are looked up together.
const TOGETHER: usize = 32;

/// The layers, one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct System<K: Kind, S = Heap<<K as Kind>::Row>> {
    pub(crate) params: RibbonParams,
    pub(crate) geometry: Geometry,
    pub(crate) store: S,
    /// The first word index from which reading columns by eights leaves the table.
    vector_end: usize,
    kind: PhantomData<K>,
}

/// Where a row lies in the solution.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Window {
    /// The first word of its first block; the second block follows.
    pub(crate) word: usize,
    /// Words in each of the two blocks that count.
    pub(crate) columns: usize,
    /// The row's first slot, within the first block.
    pub(crate) offset: u32,
    /// The hash that the row and its result are made of.
    pub(crate) hash: u64,
}

/// The window in a system of no layers, which has no word for it.
const NOWHERE: Window = Window {
    word: 0,
    columns: 1,
    offset: 0,
    hash: 0,
};

impl<K: Kind, S: Store<K::Row>> System<K, S> {
    /// What the store holds, in this geometry.
    pub(crate) fn new(params: RibbonParams, geometry: Geometry, store: S) -> Self {
        let columns = params.columns as usize;
        // A window's words, the second block's rounded up to eight columns.
        let read = columns + columns.next_multiple_of(8);
        let last = store.words().len().checked_sub(read);
        Self {
            params,
            geometry,
            store,
            vector_end: last.map_or(0, |last| last + 1),
            kind: PhantomData,
        }
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

    /// The first word index at which a window must not be read by eights of columns. Below it, the
    /// words of both blocks can be read, the second block's columns rounded up to a multiple of 8.
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
    pub(crate) fn window(&self, hash: u64) -> Window {
        self.first_window(hash)
            .unwrap_or_else(|| self.later_window(hash))
    }

    /// A key's window, if the first layer has it.
    #[inline(always)]
    pub(crate) fn first_window(&self, hash: u64) -> Option<Window> {
        // Tells the compiler that nothing lies before it.
        let first = Layer {
            first_word: 0,
            first_bucket: 0,
            ..self.geometry.layers[0]
        };
        if K::BUMPS {
            return self.window_in(&first, hash);
        }
        Some(self.last_window(&first, hash))
    }

    /// The window in a layer that bumps keys, unless this key is bumped.
    #[inline(always)]
    fn window_in(&self, layer: &Layer, hash: u64) -> Option<Window> {
        let start = layer.start(hash);
        let bucket = layer.first_bucket + start / K::Row::BUCKET;
        if self.is_bumped(bucket, start % K::Row::BUCKET) {
            return None;
        }
        Some(self.window_at(layer, start, hash))
    }

    /// The window of a key that the first layer bumps.
    #[inline(never)]
    pub(crate) fn later_window(&self, hash: u64) -> Window {
        let mut hash = hash;
        let Some((last, bumping)) = self.geometry.layers().split_last() else {
            return NOWHERE;
        };
        for (i, layer) in bumping.iter().enumerate() {
            if let Some(window) = self.window_in(layer, hash) {
                return window;
            }
            hash = next_layer(hash, i);
        }
        self.last_window(last, hash)
    }

    #[inline(always)]
    fn last_window(&self, last: &Layer, hash: u64) -> Window {
        let shard = last.shard(last.start(hash));
        let seeds = self.store.seeds();
        let seed = seeds.get(shard as usize).copied().unwrap_or_default();
        let hash = row::seeded(hash, seed);
        let (first, starts) = last.starts_of(shard);
        let start = first + row::start(hash, starts);
        self.window_at(last, start, hash)
    }

    #[inline(always)]
    fn window_at(&self, layer: &Layer, start: u64, hash: u64) -> Window {
        let block = layer.block_of::<K::Row>(start);
        let (word, columns) = layer.block(block, self.params.columns);
        Window {
            word,
            columns,
            offset: (start % K::Row::BITS) as u32,
            hash,
        }
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

    #[inline(always)]
    fn prefetch(&self, window: &Window) {
        let words = self.words();
        let line = 64 / size_of::<K::Row>();
        let last = window.word + 2 * window.columns - 1;
        prefetch::prefetch(words, window.word);
        prefetch::prefetch(words, window.word + line);
        prefetch::prefetch(words, last);
    }

    /// Answers for many keys. Prefetches the windows of a block of keys before it reads the first.
    #[inline(always)]
    pub(crate) fn each<A>(
        &self,
        hashes: &[KeyHash],
        answers: &mut [A],
        answer_of: impl Fn(&Window) -> A,
    ) {
        let mut windows = [Window::default(); TOGETHER];
        for (hashes, answers) in hashes.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
            for (window, &hash) in windows.iter_mut().zip(hashes) {
                *window = self.window(hash.get());
                self.prefetch(window);
            }
            for (answer, window) in answers.iter_mut().zip(&windows) {
                *answer = answer_of(window);
            }
        }
    }

    /// The words of a window's two blocks; none if there are none, as in a system of no keys.
    #[inline(always)]
    fn blocks(&self, window: &Window) -> Option<[&[K::Row]; 2]> {
        let words = self.words().get(window.word..)?;
        let (block, rest) = words.split_at_checked(window.columns)?;
        // A row in the very last block ends in it, so there any words will do for the next one.
        Some([block, rest.get(..window.columns).unwrap_or(block)])
    }

    /// Whether the window's parities are the key's result. Stops at the first column that differs.
    #[inline(always)]
    pub(crate) fn agrees(&self, window: &Window) -> bool {
        let (row, mut result) = (K::Row::of(window.hash), row::result(window.hash));
        let (here, next) = (row.up(window.offset), row.rest(window.offset));
        let Some([block, after]) = self.blocks(window) else {
            return false;
        };
        for (&one, &other) in block.iter().zip(after) {
            let mut sum = one.and(here);
            sum ^= other.and(next);
            if sum.parity() != result & 1 {
                return false;
            }
            result >>= 1;
        }
        true
    }

    /// The window's parities, one bit per column. No branch depends on them.
    #[inline(always)]
    pub(crate) fn value(&self, window: &Window) -> u32 {
        let row = K::Row::of(window.hash);
        let (here, next) = (row.up(window.offset), row.rest(window.offset));
        let mut value = 0;
        let Some([block, after]) = self.blocks(window) else {
            return value;
        };
        for (&one, &other) in block.iter().zip(after).rev() {
            let mut sum = one.and(here);
            sum ^= other.and(next);
            value = value << 1 | sum.parity();
        }
        value
    }
}
