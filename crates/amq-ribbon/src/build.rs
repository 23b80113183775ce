//! Builds layer by layer, and each layer shard by shard.
//!
//! ```text
//!   keys -> counted by shard -> put into their shards -> each shard: sorted by start,
//!                                                          |  eliminated, solved, written
//!                                                          |
//!                                                          `-> bumped keys -> next layer
//! ```
//!
//! Shards are independent, so the working set stays in cache for any number of keys.
//!
//! Dillinger, Hübschle-Schneider, Sanders, Walzer, *Fast succinct retrieval and approximate
//! membership using ribbon* (2022), section 4.

use crate::elimination::{Bumps, Elimination};
use crate::entry::{Entry, Source};
use crate::geometry::Geometry;
use crate::layer::{Columns, Layer};
use crate::memory::room;
use crate::params::MAX_WIDENED;
use crate::shards::{Partition, Shard, chosen, dedup};
use crate::sizing::{MAX_LAYERS, bumps, limit_of_bumped};
use crate::solution::Solution;
use crate::threshold::IN_BYTE;
use crate::{RibbonParams, simd};
use alloc::vec::Vec;
#[cfg(feature = "rayon")]
use amq_core::internal::rayon::{self, prelude::*};
use amq_core::internal::{Threads, reserve};
use amq_core::{BuildError, Table};

/// The most seeds tried for a shard of the last layer.
const SEEDS: u32 = 256;

impl Solution {
    /// Solves for all entries of a source. Calls `progress` with the number of keys placed.
    pub(crate) fn build<E: Entry>(
        source: &(impl Source<E> + ?Sized),
        columns: Columns,
        threads: Threads,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, BuildError> {
        Building::new(columns, threads, progress).solved(source)
    }
}

/// A build in progress.
struct Building<'a> {
    columns: Columns,
    threads: Threads,
    /// Tenths by which the last layer is enlarged beyond its plan.
    widened: u32,
    /// Called with the number of keys placed.
    progress: &'a mut dyn FnMut(u64),
    placed: u64,
    words: Vec<u64>,
    /// One for each bucket.
    thresholds: Vec<u8>,
    seeds: Vec<u8>,
}

impl<'a> Building<'a> {
    fn new(columns: Columns, threads: Threads, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self {
            columns,
            threads,
            widened: 0,
            progress,
            placed: 0,
            words: Vec::new(),
            thresholds: Vec::new(),
            seeds: Vec::new(),
        }
    }

    fn solved<E: Entry>(
        mut self,
        source: &(impl Source<E> + ?Sized),
    ) -> Result<Solution, BuildError> {
        let mut keys = [0; MAX_LAYERS];
        keys[0] = source.len();
        if keys[0] > 0 {
            let mut left = self.layer::<E>(source, &keys, 0)?;
            let mut i = 1;
            while let Some(entries) = left {
                keys[i] = entries.len() as u64;
                left = self.layer::<E>(entries.as_slice(), &keys, i)?;
                i += 1;
            }
        }
        self.finish(keys)
    }

    /// Builds a layer. Returns the keys that it bumps, none if it is the last.
    fn layer<E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        keys: &[u64; MAX_LAYERS],
        i: usize,
    ) -> Result<Option<Vec<E>>, BuildError> {
        loop {
            let layer = Geometry::new(keys, self.widened, self.columns).layers()[i];
            if bumps(i, keys[i]) {
                return self.bumping_layer(source, &layer, i).map(Some);
            }
            if self.last_layer(source, &layer)? {
                return Ok(None);
            }
            if self.widened == MAX_WIDENED {
                return Err(BuildError::Exhausted {
                    attempts: SEEDS * (MAX_WIDENED + 1),
                    keys: keys[i],
                });
            }
            self.widened += 1;
        }
    }

    fn bumping_layer<E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
        i: usize,
    ) -> Result<Vec<E>, BuildError> {
        let partition = Partition::new(source, layer)?;
        reserve(&mut self.thresholds, layer.buckets())?;
        let mut shards = partition.shards(&mut self.words, layer, self.columns)?;
        let columns = self.columns;
        let work = |elimination: &mut Elimination<E>, shard: &mut Shard<'_, E>| {
            simd::bump(elimination, layer, shard, columns)?;
            Ok((elimination.bumps(i)?, shard.entries.len() as u64))
        };
        let limit = limit_of_bumped(source.len(), i);
        let mut bumped: Vec<E> = room(limit)?;
        // The length of the deduplicated front.
        let mut distinct = 0;
        each_shard(self.threads, &mut shards, work, |(mut shard, keys): (Bumps<E>, u64)| {
            self.placed += keys - shard.entries.len() as u64;
            (self.progress)(self.placed);
            self.thresholds.extend_from_slice(&shard.thresholds);
            if (bumped.len() + shard.entries.len()) as u64 > limit {
                // Copies of a key are bumped together, and one is enough.
                distinct += dedup(&mut bumped[distinct..]);
                bumped.truncate(distinct);
                let own = dedup(&mut shard.entries);
                shard.entries.truncate(own);
                distinct += own;
                if distinct as u64 > limit {
                    return Err(chosen(source.len()));
                }
            }
            bumped.append(&mut shard.entries);
            Ok(true)
        })?;
        Ok(bumped)
    }

    /// Returns whether a seed was found for every shard. If not, nothing was added.
    fn last_layer<E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
    ) -> Result<bool, BuildError> {
        let partition = Partition::new(source, layer)?;
        let columns = self.columns;
        let before = self.words.len();
        let source_len = source.len();
        let mut seeds = room(layer.shards())?;
        let mut shards = partition.shards(&mut self.words, layer, columns)?;
        let work = |elimination: &mut Elimination<E>, shard: &mut Shard<'_, E>| {
            let seed = simd::seed(elimination, layer, shard, columns, source_len)?;
            Ok(seed.map(|seed| (seed, shard.entries.len() as u64)))
        };
        let mut solved = 0;
        let all = each_shard(self.threads, &mut shards, work, |shard| {
            let Some((seed, keys)) = shard else {
                return Ok(false);
            };
            seeds.push(seed);
            solved += keys;
            Ok(true)
        })?;
        match all {
            true => {
                self.seeds = seeds;
                self.placed += solved;
                (self.progress)(self.placed);
            }
            false => self.words.truncate(before),
        }
        Ok(all)
    }

    fn finish(self, keys: [u64; MAX_LAYERS]) -> Result<Solution, BuildError> {
        let params = RibbonParams {
            columns: self.columns.most,
            short: self.columns.short,
            keys,
            widened: self.widened,
        };
        let geometry = params.geometry();
        let [words, thresholds, seeds] = geometry.parts().map(Table::zeroed);
        let (mut words, mut thresholds, mut seeds) = (words?, thresholds?, seeds?);
        for (bytes, word) in words.as_chunks_mut().0.iter_mut().zip(self.words) {
            *bytes = word.to_le_bytes();
        }
        for (bucket, &threshold) in self.thresholds.iter().enumerate() {
            thresholds[bucket / IN_BYTE] |= threshold << (bucket % IN_BYTE * 2);
        }
        seeds.copy_from_slice(&self.seeds);
        Ok(Solution::new(params, geometry, [words, thresholds, seeds]))
    }
}

/// Calls `work` for each shard, with buffers reused between shards, and `done` with each outcome in
/// order, until it returns `false`. Returns whether it never did.
fn each_shard<S: Send, T: Default, R: Send>(
    threads: Threads,
    shards: &mut [S],
    work: impl Fn(&mut T, &mut S) -> Result<R, BuildError> + Sync,
    mut done: impl FnMut(R) -> Result<bool, BuildError>,
) -> Result<bool, BuildError> {
    match threads {
        #[cfg(feature = "rayon")]
        Threads::Pool if rayon::current_num_threads() > 1 && shards.len() > 1 => {
            let mut outcomes: Vec<Option<_>> = room(shards.len() as u64)?;
            outcomes.resize_with(shards.len(), || None);
            let pairs = shards.par_iter_mut().zip(&mut outcomes);
            pairs.for_each_init(T::default, |tools, (shard, outcome)| {
                *outcome = Some(work(tools, shard));
            });
            for outcome in outcomes.into_iter().flatten() {
                if !done(outcome?)? {
                    return Ok(false);
                }
            }
        }
        _ => {
            let mut tools = T::default();
            for shard in shards {
                if !done(work(&mut tools, shard)?)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing;
    use amq_core::KeyHash;

    #[test]
    fn a_last_layer_that_was_widened_holds_its_keys() {
        fn widened(n: u64, widened: u32) {
            let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, n)).collect();
            let columns = Columns { most: 7, short: 1 << 31 };
            let mut progress = |_| ();
            let mut building = Building::new(columns, Threads::One, &mut progress);
            building.widened = widened;
            let solution = building.solved(hashes.as_slice()).unwrap();
            assert_eq!((solution.params().widened, solution.params().check()), (widened, Ok(())));
            assert_eq!(solution.bytes(), solution.params().bytes());
            for hash in hashes {
                assert!(
                    simd::answer::<bool, _>(&solution, hash.get()),
                    "{n} keys, widened {widened}"
                );
            }
        }
        for tenths in 1..=MAX_WIDENED {
            for n in [1, 2, 63, 700, 1090, 1091, 1150, 1199, 1200, 1201, 20_000, 60_000] {
                widened(n, tenths);
            }
        }
    }

    /// The keys 0 to n, hashed afresh in each pass.
    struct Count(u64);

    impl Source<KeyHash> for Count {
        fn len(&self) -> u64 {
            self.0
        }

        fn for_each(&self, each: impl FnMut(KeyHash)) {
            (0..self.0).map(|key| KeyHash::of(&key, 1)).for_each(each);
        }
    }

    #[test]
    fn a_layer_of_fifty_million_keys_bumps_as_many_as_modelled() {
        // With the shards of a first layer, and those of a later one, which are smaller.
        for i in [0, 1] {
            let keys = 50_000_000;
            let (starts, shard_bits) = sizing::bumping(keys, i);
            let layer = Layer { starts, shard_bits, ..Layer::default() };
            let mut progress = |_| ();
            let mut building =
                Building::new(Columns { most: 1, short: 0 }, Threads::One, &mut progress);
            let bumped = building.bumping_layer(&Count(keys), &layer, i).unwrap().len() as f64;
            let (mean, sd) = (sizing::bumped(keys, i), sizing::spread(keys));
            let off = (bumped - mean) / sd;
            std::println!(
                "layer {i}: {bumped} bumped, {mean:.0} +- {sd:.0} modelled, z = {off:.2}"
            );
            assert!(off.abs() < 4.0, "layer {i}: {bumped} bumped, {mean} +- {sd} modelled");
        }
    }

    #[test]
    fn a_contradiction_is_an_error_after_one_seed_and_says_so() {
        // Many keys with one hash and different results, which no seed can separate.
        let entries: Vec<crate::entry::Pair> =
            (0..50).map(|value| crate::entry::Pair { hash: 7, value }).collect();
        let columns = Columns { most: 8, short: 0 };
        let mut told = 0;
        let refused =
            Solution::build(entries.as_slice(), columns, Threads::One, &mut |done| told = done);
        assert_eq!(refused.map(|_| ()), Err(BuildError::Exhausted { attempts: 1, keys: 50 }));
        assert_eq!(told, 0);
    }
}
