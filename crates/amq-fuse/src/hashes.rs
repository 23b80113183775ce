//! The hashes of a build, sorted by shard, and roughly by start within it: a radix sort in linear
//! time.

use crate::layout::Layout;
use alloc::vec::Vec;
#[cfg(feature = "rayon")]
use amq_core::HashSource;
use amq_core::index::index;
use amq_core::internal::{reserve, zeroed};
use amq_core::{BuildError, Key, KeyHash};

/// Log2 of the approximate slots of a bucket of the sort: several buckets fit a processor's cache.
const BUCKET_BITS: u32 = 14;

/// The most buckets of the sort, unless there are more shards.
const MAX_BUCKETS: u64 = 1024;

/// Hashes that are iterated twice: to count them, and to distribute them to their buckets.
pub(crate) trait Source {
    /// The number of hashes.
    fn len(&self) -> u64;
    /// Calls `each` with every hash, in the same order every time.
    fn for_each(&self, each: impl FnMut(KeyHash));
}

impl Source for [KeyHash] {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    fn for_each(&self, each: impl FnMut(KeyHash)) {
        self.iter().copied().for_each(each);
    }
}

/// Keys hashed afresh in each pass, instead of keeping their hashes.
#[derive(Debug)]
pub(crate) struct Hashed<'a, K> {
    pub(crate) keys: &'a [K],
    pub(crate) seed: u64,
}

impl<K: Key> Source for Hashed<'_, K> {
    fn len(&self) -> u64 {
        self.keys.len() as u64
    }

    #[inline]
    fn for_each(&self, mut each: impl FnMut(KeyHash)) {
        for key in self.keys {
            each(key.key_hash(self.seed));
        }
    }
}

/// The source may hash the keys afresh in each pass.
#[cfg(feature = "rayon")]
impl Source for dyn HashSource + '_ {
    fn len(&self) -> u64 {
        HashSource::len(self) as u64
    }

    #[inline]
    fn for_each(&self, mut each: impl FnMut(KeyHash)) {
        let mut some = [KeyHash::new(0); 512];
        for first in (0..HashSource::len(self)).step_by(some.len()) {
            let some = &mut some[..(HashSource::len(self) - first).min(512)];
            self.write(first, some);
            some.iter().copied().for_each(&mut each);
        }
    }
}

/// The hashes, bucket after bucket, and so shard after shard.
#[derive(Debug)]
pub(crate) struct Hashes {
    hashes: Vec<KeyHash>,
    shards: Vec<Run>,
}

/// The range of a shard's hashes. Dropped copies lie between its end and the next shard.
#[derive(Clone, Copy, Default, Debug)]
struct Run {
    begin: usize,
    end: usize,
}

/// The hashes of one shard.
#[derive(Debug)]
pub(crate) struct Shard<'a> {
    hashes: &'a mut [KeyHash],
    run: &'a mut Run,
}

impl Shard<'_> {
    pub(crate) fn hashes(&self) -> &[KeyHash] {
        &self.hashes[..self.run.end - self.run.begin]
    }

    /// Drops copies, and returns whether there were any.
    #[cold]
    pub(crate) fn dedup(&mut self, layout: &Layout) -> bool {
        let len = self.hashes().len();
        let hashes = &mut self.hashes[..len];
        // In the order of the scan of slots.
        hashes.sort_unstable_by_key(|hash| layout.word(hash.get()));
        let mut distinct = 0;
        for at in 0..len {
            if distinct == 0 || hashes[at] != hashes[distinct - 1] {
                hashes[distinct] = hashes[at];
                distinct += 1;
            }
        }
        self.run.end = self.run.begin + distinct;
        distinct < len
    }
}

/// The buckets of the sort: a number of them for each shard.
#[derive(Clone, Copy, Debug)]
struct Buckets {
    of_shard: u64,
    count: u64,
}

impl Buckets {
    fn of(layout: &Layout) -> Self {
        let shards = layout.shards().max(1);
        let wanted = layout.starts_of_shard() >> BUCKET_BITS;
        let of_shard = wanted.min(MAX_BUCKETS / shards).max(1);
        Self { of_shard, count: of_shard * shards }
    }

    #[inline(always)]
    fn of_hash(self, layout: &Layout, hash: KeyHash) -> usize {
        index(layout.word(hash.get()), self.count) as usize
    }

    /// Turns the number of hashes in each bucket, after a zero, into the end of each bucket.
    fn add_up(ends: &mut [usize]) {
        let mut sum = 0;
        for end in ends {
            sum += *end;
            *end = sum;
        }
    }

    /// The start of each bucket.
    fn begins(ends: &[usize]) -> Result<Vec<usize>, BuildError> {
        let begins = &ends[..ends.len() - 1];
        let mut next = Vec::new();
        reserve(&mut next, begins.len() as u64)?;
        next.extend_from_slice(begins);
        Ok(next)
    }

    fn shards(self, ends: &[usize]) -> Result<Vec<Run>, BuildError> {
        let mut shards = Vec::new();
        reserve(&mut shards, self.count / self.of_shard)?;
        let mut begin = 0;
        for &end in ends.iter().step_by(self.of_shard as usize).skip(1) {
            shards.push(Run { begin, end });
            begin = end;
        }
        Ok(shards)
    }
}

/// Bytes beside the hashes themselves.
pub(crate) fn bytes_for(layout: &Layout) -> u64 {
    let buckets = Buckets::of(layout).count;
    8 * (2 * buckets + 1) + 16 * layout.shards() + SHARD * layout.shards()
}

/// Bytes of a [`Shard`], where a pointer has 64 bits.
const SHARD: u64 = 24;

impl Hashes {
    /// The hashes of a source, which is iterated twice if there are several buckets.
    pub(crate) fn new(
        source: &(impl Source + ?Sized),
        layout: &Layout,
    ) -> Result<Self, BuildError> {
        let buckets = Buckets::of(layout);
        if buckets.count == 1 {
            let mut hashes = Vec::new();
            reserve(&mut hashes, source.len())?;
            source.for_each(|hash| hashes.push(hash));
            return Self::of(hashes, layout);
        }
        let mut ends: Vec<usize> = zeroed(buckets.count + 1)?;
        source.for_each(|hash| ends[1 + buckets.of_hash(layout, hash)] += 1);
        Buckets::add_up(&mut ends);
        let mut next = Buckets::begins(&ends)?;
        let mut hashes: Vec<KeyHash> = zeroed(source.len())?;
        source.for_each(|hash| {
            let next = &mut next[buckets.of_hash(layout, hash)];
            // The check below finds a bucket that overflowed its range.
            if let Some(free) = hashes.get_mut(*next) {
                *free = hash;
            }
            *next += 1;
        });
        if next != ends[1..] {
            return Err(BuildError::KeysChanged { keys: source.len() });
        }
        Ok(Self { hashes, shards: buckets.shards(&ends)? })
    }

    /// The hashes in a vector, which is sorted in place.
    pub(crate) fn of(hashes: Vec<KeyHash>, layout: &Layout) -> Result<Self, BuildError> {
        let mut own = Self { hashes, shards: Vec::new() };
        own.sort(layout)?;
        Ok(own)
    }

    /// Sorts the hashes by another layout.
    #[cold]
    pub(crate) fn sort_again(&mut self, layout: &Layout) -> Result<(), BuildError> {
        let mut kept = 0;
        for &Run { begin, end } in &self.shards {
            self.hashes.copy_within(begin..end, kept);
            kept += end - begin;
        }
        self.hashes.truncate(kept);
        self.shards = Vec::new();
        self.sort(layout)
    }

    /// Swaps each hash into the next place of its bucket, then continues with the hash found there.
    fn sort(&mut self, layout: &Layout) -> Result<(), BuildError> {
        let (buckets, hashes) = (Buckets::of(layout), &mut self.hashes[..]);
        let mut ends: Vec<usize> = zeroed(buckets.count + 1)?;
        for &hash in &*hashes {
            ends[1 + buckets.of_hash(layout, hash)] += 1;
        }
        Buckets::add_up(&mut ends);
        self.shards = buckets.shards(&ends)?;
        if buckets.count == 1 {
            return Ok(());
        }
        let mut next = Buckets::begins(&ends)?;
        for own in 0..next.len() {
            while next[own] < ends[own + 1] {
                let mut hash = hashes[next[own]];
                loop {
                    let bucket = buckets.of_hash(layout, hash);
                    let to = &mut next[bucket];
                    core::mem::swap(&mut hash, &mut hashes[*to]);
                    *to += 1;
                    if bucket == own {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// All shards.
    pub(crate) fn shards(&mut self) -> Result<Vec<Shard<'_>>, BuildError> {
        let mut shards = Vec::new();
        reserve(&mut shards, self.shards.len() as u64)?;
        let (mut rest, mut at) = (&mut self.hashes[..], 0);
        for run in &mut self.shards {
            let (_, from) = rest.split_at_mut(run.begin - at);
            let (hashes, later) = from.split_at_mut(run.end - run.begin);
            (rest, at) = (later, run.end);
            shards.push(Shard { hashes, run });
        }
        Ok(shards)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FuseParams;
    use crate::sizing::sized;

    #[test]
    fn sorted_in_place_or_not_the_buckets_and_shards_are_the_same() {
        for keys in [1u64, 1000, 100_000, 5_000_000] {
            if cfg!(miri) && keys > 1000 {
                continue;
            }
            let layout = Layout::new(&sized(FuseParams::new(8), keys));
            let all: Vec<KeyHash> = (0..keys).map(|key| KeyHash::of(&key, 3)).collect();
            let mut one = Hashes::new(&all[..], &layout).unwrap();
            let mut two = Hashes::of(all.clone(), &layout).unwrap();
            let other =
                Layout::new(&FuseParams { internal_seed: 1, ..sized(FuseParams::new(8), keys) });
            let mut three = Hashes::of(all.clone(), &other).unwrap();
            three.sort_again(&layout).unwrap();
            let buckets = Buckets::of(&layout);
            for hashes in [&mut one, &mut two, &mut three] {
                let order = hashes.hashes.iter().map(|&hash| buckets.of_hash(&layout, hash));
                assert!(order.is_sorted());
                let shards = hashes.shards().unwrap();
                assert_eq!(shards.len() as u64, layout.shards());
                for (at, shard) in (0..).zip(&shards) {
                    let words = shard.hashes().iter().map(|hash| layout.word(hash.get()));
                    assert!(words.map(|word| index(word, layout.shards())).all(|own| own == at));
                }
                hashes.hashes.sort_unstable();
            }
            assert_eq!(one.hashes, two.hashes);
            assert_eq!(one.hashes, three.hashes);
        }
    }
}
