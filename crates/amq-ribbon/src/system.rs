//! The solved system: what a filter or a map consists of, and how a key is looked up in it.

use crate::shape::{Layer, Shape};
use crate::{Kind, RibbonParams, simd, width, width::Row};
use alloc::vec::Vec;
use amq_core::index::remix;
use amq_core::{KeyHash, prefetch};

/// A threshold: the keys of a bucket that start below are passed on to the next layer. In 32nds of the bucket. Measured: these
/// limits leave the fewest slots empty.
const LIMITS: [u8; 4] = [0, 4, 9, 32];

/// How many keys of a batch are looked up together.
const TOGETHER: usize = 32;

/// The layers, one after another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct System<K: Kind> {
    pub(crate) params: RibbonParams,
    pub(crate) shape: Shape,
    /// The solution, interleaved: of each block one word for each of its columns, and the next block.
    pub(crate) words: Vec<K::Row>,
    /// Two bits for each bucket of all layers but the last.
    pub(crate) thresholds: Vec<u64>,
    /// Which of the seeds it was, for each shard of the last layer.
    pub(crate) seeds: Vec<u8>,
    /// Where the quicker queries can be taken.
    pub(crate) quick: simd::Quick,
}

/// The start, within a bucket of so many, below which keys are passed on.
#[inline(always)]
pub(crate) const fn limit(threshold: u8, bucket: u64) -> u64 {
    // One word instead of a table.
    let limits = u32::from_le_bytes(LIMITS) >> (8 * (threshold & 3) as u32);
    (limits & 0xFF) as u64 * (bucket / 32)
}

/// The lowest threshold that passes on a key that starts so far into a bucket.
pub(crate) fn class_above(offset: u64, bucket: u64) -> u8 {
    (1..3)
        .find(|&class| limit(class, bucket) > offset)
        .unwrap_or(3)
}

/// Where the answer to a key is.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Place {
    /// Its first word, and how many words there are of each of its two blocks.
    pub(crate) word: usize,
    pub(crate) columns: usize,
    /// Where in the first block its row begins.
    pub(crate) offset: u32,
    /// The hash its row is made of.
    pub(crate) row: u64,
}

/// A key's hash in the next layer, which is independent of the one in this layer.
#[inline(always)]
pub(crate) const fn next_layer(hash: u64, layer: usize) -> u64 {
    remix(hash, layer as u64 + 1)
}

impl<K: Kind> System<K> {
    /// Whether it was built of no key at all: then it has no layer, and no place for any.
    pub(crate) fn is_empty(&self) -> bool {
        self.shape.len == 0
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> u64 {
        (self.words.capacity() * size_of::<K::Row>()
            + self.thresholds.capacity() * 8
            + self.seeds.capacity()) as u64
    }

    /// Where a key's answer is. There is at least one layer.
    #[inline(always)]
    pub(crate) fn place(&self, hash: u64) -> Place {
        self.first_place(hash)
            .unwrap_or_else(|| self.later_place(hash))
    }

    /// Where it is if it is in the first layer.
    #[inline(always)]
    pub(crate) fn first_place(&self, hash: u64) -> Option<Place> {
        // Nothing lies before it, as the compiler shall know.
        let first = Layer {
            first_word: 0,
            first_bucket: 0,
            ..self.shape.layers[0]
        };
        if K::BUMPS {
            return self.place_in(&first, hash);
        }
        Some(self.last_place(&first, hash))
    }

    /// Where it is in a layer that passes keys on, unless this one is.
    #[inline(always)]
    fn place_in(&self, layer: &Layer, hash: u64) -> Option<Place> {
        let start = layer.start(hash);
        let bucket = layer.first_bucket + start / K::Row::BUCKET;
        if self.is_bumped(bucket, start % K::Row::BUCKET) {
            return None;
        }
        Some(self.place_at(layer, start, hash))
    }

    /// Where it is if it is not in the first of several layers.
    #[inline(never)]
    pub(crate) fn later_place(&self, hash: u64) -> Place {
        let mut hash = hash;
        let Some((last, bumping)) = self.shape.layers().split_last() else {
            return Place::default();
        };
        for (i, layer) in bumping.iter().enumerate() {
            if let Some(place) = self.place_in(layer, hash) {
                return place;
            }
            hash = next_layer(hash, i);
        }
        self.last_place(last, hash)
    }

    #[inline(always)]
    fn last_place(&self, last: &Layer, hash: u64) -> Place {
        let shard = last.shard(last.start(hash));
        let seed = self.seeds.get(shard as usize).copied().unwrap_or_default();
        let row = width::seeded(hash, seed);
        let (first, starts) = last.starts_of(shard);
        let start = first + width::start(row, starts);
        self.place_at(last, start, row)
    }

    #[inline(always)]
    fn place_at(&self, layer: &Layer, start: u64, row: u64) -> Place {
        let block = layer.block_of::<K::Row>(start);
        let (word, columns) = layer.block(block, self.params.columns);
        Place {
            word,
            columns,
            offset: (start % K::Row::BITS) as u32,
            row,
        }
    }

    /// Whether the keys that start so far into a bucket are passed on: all of them, if the only layer is the last one, which has no thresholds.
    #[inline(always)]
    pub(crate) fn is_bumped(&self, bucket: u64, offset: u64) -> bool {
        let Some(thresholds) = self.thresholds.get((bucket / 32) as usize) else {
            return true;
        };
        let threshold = thresholds >> (bucket % 32 * 2);
        offset < limit(threshold as u8 & 3, K::Row::BUCKET)
    }

    /// Asks for the memory of an answer.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: &Place) {
        let line = 64 / size_of::<K::Row>();
        let last = place.word + 2 * place.columns - 1;
        prefetch::prefetch(&self.words, place.word);
        prefetch::prefetch(&self.words, place.word + line);
        prefetch::prefetch(&self.words, last);
    }

    /// Answers for many keys: their memory is asked for, all of it, before the first is looked at.
    #[inline(always)]
    pub(crate) fn each<A>(
        &self,
        hashes: &[KeyHash],
        answers: &mut [A],
        answer_of: impl Fn(&Place) -> A,
    ) {
        let mut places = [Place::default(); TOGETHER];
        for (hashes, answers) in hashes.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
            for (place, &hash) in places.iter_mut().zip(hashes) {
                *place = self.place(hash.get());
                self.prefetch(place);
            }
            for (answer, place) in answers.iter_mut().zip(&places) {
                *answer = answer_of(place);
            }
        }
    }

    /// The words of both blocks that a row reaches into.
    #[inline(always)]
    fn blocks(&self, place: &Place) -> (&[K::Row], &[K::Row]) {
        let columns = place.columns;
        // A row in the very last block begins with it and ends with it: nothing follows, and any words will do.
        let next = (place.word + columns).min(self.words.len() - columns);
        (
            &self.words[place.word..place.word + columns],
            &self.words[next..next + columns],
        )
    }

    /// Whether the answer is the key's own result: column after column, up to the first one that differs.
    #[inline(always)]
    pub(crate) fn agrees(&self, place: &Place) -> bool {
        let (row, mut result) = (K::Row::of(place.row), width::result(place.row));
        let (here, next) = (row.up(place.offset), row.rest(place.offset));
        let (block, after) = self.blocks(place);
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

    /// The answer itself, as many bits as there are columns. No branch depends on it.
    #[inline(always)]
    pub(crate) fn value(&self, place: &Place) -> u32 {
        let row = K::Row::of(place.row);
        let (here, next) = (row.up(place.offset), row.rest(place.offset));
        let (block, after) = self.blocks(place);
        let mut value = 0;
        for (column, (&one, &other)) in block.iter().zip(after).enumerate() {
            let mut sum = one.and(here);
            sum ^= other.and(next);
            value |= sum.parity() << column;
        }
        value
    }
}
