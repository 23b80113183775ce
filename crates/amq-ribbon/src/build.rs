//! Building, layer by layer, and each layer shard by shard.
//!
//! ```text
//!   keys -> counted by shard -> put into their shards -> each shard: sorted by start, eliminated, solved, written
//!                                                          |
//!                                                          `-> keys for which there was no room -> next layer
//! ```
//!
//! Shards do not depend on each other: what is worked on while one is built stays in cache, however many keys there are.
//!
//! Dillinger, Hübschle-Schneider, Sanders, Walzer, *Fast succinct retrieval and approximate membership using ribbon* (2022), section 4.

use crate::entry::{Entry, Source};
use crate::group::{Bump, Group, Seed, Unsolved};
use crate::lanes::{LANES, Lane, PassedOn};
use crate::params::MAX_WIDENED;
use crate::shape::{Columns, Layer, MAX_LAYERS, Shape, limit_of_passed_on, passes_on};
use crate::shards::{Partition, Shard, chosen, dedup, reserve};
use crate::system::System;
use crate::width::Row;
use crate::{Kind, RibbonParams, simd};
use alloc::vec::Vec;
use amq_core::{BuildError, zeroed};

/// Seeds tried for a shard of the last layer.
const SEEDS: u32 = 256;

impl<K: Kind> System<K> {
    /// Solves for all entries of a source.
    pub(crate) fn build<E: Entry>(
        source: &(impl Source<E> + ?Sized),
        columns: Columns,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Self, BuildError> {
        Self::build_widened(source, columns, progress, 0)
    }

    /// The same with a last layer that is larger from the first by so many tenths.
    fn build_widened<E: Entry>(
        source: &(impl Source<E> + ?Sized),
        columns: Columns,
        progress: &mut dyn FnMut(u64),
        widened: u32,
    ) -> Result<Self, BuildError> {
        let mut keys = [0; MAX_LAYERS];
        let mut building = Building {
            columns,
            widened,
            progress: Progress {
                done: 0,
                tell: progress,
            },
            words: Vec::new(),
            thresholds: Vec::new(),
            seeds: Vec::new(),
        };
        keys[0] = source.len();
        if keys[0] > 0 {
            let mut left = building.layer::<K, E>(source, &keys, 0)?;
            let mut i = 1;
            while let Some(entries) = left {
                keys[i] = entries.len() as u64;
                left = building.layer::<K, E>(entries.as_slice(), &keys, i)?;
                i += 1;
            }
        }
        building.finish(keys)
    }
}

/// How many keys have their place, and whom to tell.
struct Progress<'a> {
    done: u64,
    tell: &'a mut dyn FnMut(u64),
}

impl Progress<'_> {
    fn add(&mut self, keys: u64) {
        self.done += keys;
        (self.tell)(self.done);
    }
}

/// What has been built so far.
struct Building<'a, W> {
    columns: Columns,
    /// By how many tenths the last layer is larger than planned.
    widened: u32,
    progress: Progress<'a>,
    words: Vec<W>,
    /// One for each bucket.
    thresholds: Vec<u8>,
    seeds: Vec<u8>,
}

impl<W: Row> Building<'_, W> {
    /// Builds a layer. The keys that it passes on, or none if it was the last.
    fn layer<K: Kind<Row = W>, E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        keys: &[u64; MAX_LAYERS],
        i: usize,
    ) -> Result<Option<Vec<E>>, BuildError> {
        loop {
            let layer = Shape::new::<K>(keys, self.widened, self.columns).layers()[i];
            if passes_on::<K>(i, keys[i]) {
                return self.bumping_layer(source, &layer, i).map(Some);
            }
            if self.last_layer(source, &layer)? {
                return Ok(None);
            }
            if self.widened == MAX_WIDENED {
                return Err(BuildError::Exhausted {
                    attempts: SEEDS * (MAX_WIDENED + 1),
                    items: keys[i],
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
        reserve(&mut self.thresholds, layer.buckets::<W>())?;
        let mut shards = partition.shards(&mut self.words, layer, self.columns)?;
        let columns = self.columns;
        let work = |lanes: &mut Vec<Lane<W, E>>, shards: &mut [Shard<'_, W, E>]| {
            let lanes = lanes_for(lanes, shards)?;
            let group = Group {
                lanes: &mut *lanes,
                layer,
                shards,
                columns,
            };
            simd::with_bit_instructions(Bump(group));
            let mut passed_on = [(); LANES].map(|()| None);
            for (passed_on, lane) in passed_on.iter_mut().zip(lanes) {
                *passed_on = Some(lane.passed_on(i)?);
            }
            Ok(passed_on)
        };
        let mut bumped = Vec::new();
        let limit = limit_of_passed_on::<W>(source.len(), i);
        reserve(&mut bumped, limit)?;
        // Of these no two are the same.
        let mut different = 0;
        each_group(&mut shards, work, |group: [Option<PassedOn<E>>; LANES]| {
            for mut shard in group.into_iter().flatten() {
                self.progress.add(shard.kept);
                self.thresholds.extend_from_slice(&shard.thresholds);
                if (bumped.len() + shard.entries.len()) as u64 > limit {
                    // Copies of a key are passed on together, and one of them is enough.
                    different += dedup(&mut bumped[different..]);
                    bumped.truncate(different);
                    let own = dedup(&mut shard.entries);
                    shard.entries.truncate(own);
                    different += own;
                    if different as u64 > limit {
                        return Err(chosen(source.len()));
                    }
                }
                bumped.append(&mut shard.entries);
            }
            Ok(true)
        })?;
        Ok(bumped)
    }

    /// Whether a seed was found for each shard; if not, nothing was added.
    fn last_layer<E: Entry>(
        &mut self,
        source: &(impl Source<E> + ?Sized),
        layer: &Layer,
    ) -> Result<bool, BuildError> {
        let partition = Partition::new(source, layer)?;
        let columns = self.columns;
        let before = self.words.len();
        let source_len = source.len();
        let mut seeds = Vec::new();
        reserve(&mut seeds, layer.shards())?;
        let mut shards = partition.shards(&mut self.words, layer, columns)?;
        let work = |lanes: &mut Vec<Lane<W, E>>, shards: &mut [Shard<'_, W, E>]| {
            let lanes = lanes_for(lanes, shards)?;
            let keys: usize = shards.iter().map(|shard| shard.entries.len()).sum();
            let seeds = simd::with_bit_instructions(Seed(Group {
                lanes,
                layer,
                shards,
                columns,
            }));
            match seeds {
                Ok(seeds) => Ok(Some((seeds, shards.len(), keys as u64))),
                Err(Unsolved::Seeds) => Ok(None),
                Err(Unsolved::Contradiction) => Err(chosen(source_len)),
            }
        };
        let mut solved = 0;
        let all = each_group(&mut shards, work, |group| {
            let Some((found, shards, keys)) = group else {
                return Ok(false);
            };
            seeds.extend_from_slice(&found[..shards]);
            solved += keys;
            Ok(true)
        })?;
        match all {
            true => {
                self.seeds = seeds;
                self.progress.add(solved);
            }
            false => self.words.truncate(before),
        }
        Ok(all)
    }

    fn finish<K: Kind<Row = W>>(self, keys: [u64; MAX_LAYERS]) -> Result<System<K>, BuildError> {
        let shape = match keys[0] {
            0 => Shape::default(),
            _ => Shape::new::<K>(&keys, self.widened, self.columns),
        };
        let mut thresholds: Vec<u64> = zeroed((self.thresholds.len() as u64).div_ceil(32))?;
        for (bucket, &threshold) in self.thresholds.iter().enumerate() {
            thresholds[bucket / 32] |= u64::from(threshold) << (bucket % 32 * 2);
        }
        Ok(System {
            params: RibbonParams {
                columns: self.columns.most,
                short: self.columns.short,
                keys,
                widened: self.widened,
            },
            shape,
            quick: simd::Quick::new(self.words.len(), self.columns.most),
            words: self.words,
            thresholds,
            seeds: self.seeds,
        })
    }
}

/// A lane for each shard of a group: those there are, and as many more as it takes.
fn lanes_for<'a, W: Row, E: Entry>(
    lanes: &'a mut Vec<Lane<W, E>>,
    shards: &[Shard<'_, W, E>],
) -> Result<&'a mut [Lane<W, E>], BuildError> {
    let missing = shards.len().saturating_sub(lanes.len());
    reserve(lanes, missing as u64)?;
    lanes.resize_with(lanes.len() + missing, Lane::new);
    let lanes = &mut lanes[..shards.len()];
    for (lane, shard) in lanes.iter_mut().zip(shards) {
        lane.make_room(&shard.part, shard.entries.len())?;
    }
    Ok(lanes)
}

/// Calls `work` for groups of as many shards as there are lanes, with tools that are kept from one to the next, and `done` with each outcome in order, until one answers
/// `false`; whether none did.
#[cfg(not(feature = "parallel"))]
fn each_group<S, T: Default, R>(
    shards: &mut [S],
    work: impl Fn(&mut T, &mut [S]) -> Result<R, BuildError>,
    mut done: impl FnMut(R) -> Result<bool, BuildError>,
) -> Result<bool, BuildError> {
    let mut tools = T::default();
    for group in shards.chunks_mut(LANES) {
        if !done(work(&mut tools, group)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The same on all processors: what comes out is the same, as groups do not depend on each other.
#[cfg(feature = "parallel")]
fn each_group<S: Send, T: Default + Send, R: Send>(
    shards: &mut [S],
    work: impl Fn(&mut T, &mut [S]) -> Result<R, BuildError> + Sync,
    mut done: impl FnMut(R) -> Result<bool, BuildError>,
) -> Result<bool, BuildError> {
    use rayon::prelude::*;
    let groups = shards.par_chunks_mut(LANES);
    let mut outcomes = Vec::new();
    reserve(&mut outcomes, groups.len() as u64)?;
    groups
        .map_init(T::default, |tools, group| work(tools, group))
        .collect_into_vec(&mut outcomes);
    for outcome in outcomes {
        if !done(outcome?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::KeyHash;

    #[test]
    fn a_last_layer_that_was_widened_holds_its_keys() {
        fn widened<K: Kind>(n: u64, widened: u32) {
            let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, n)).collect();
            let columns = Columns {
                most: 7,
                short: 1 << 31,
            };
            let system =
                System::<K>::build_widened(hashes.as_slice(), columns, &mut |_| (), widened)
                    .unwrap();
            assert_eq!(
                (system.params.widened, system.params.check()),
                (widened, Ok(()))
            );
            assert_eq!(system.bytes(), system.params.bytes::<K>());
            for hash in hashes {
                assert!(
                    system.agrees(&system.place(hash.get())),
                    "{n} keys, widened {widened}"
                );
            }
        }
        for tenths in 1..=MAX_WIDENED {
            for n in [
                1, 2, 63, 700, 1090, 1091, 1150, 1199, 1200, 1201, 20_000, 60_000,
            ] {
                widened::<crate::Bumped>(n, tenths);
                widened::<crate::Standard>(n, tenths);
            }
        }
    }

    #[test]
    fn a_contradiction_is_an_error_after_one_seed_and_told_of_as_one() {
        // As many keys of one hash, all with other results, as no seed can part.
        let entries: Vec<crate::entry::Pair> = (0..50)
            .map(|value| crate::entry::Pair { hash: 7, value })
            .collect();
        let columns = Columns { most: 8, short: 0 };
        let mut told = 0;
        let refused =
            System::<crate::Standard>::build(entries.as_slice(), columns, &mut |done| told = done);
        assert_eq!(
            refused.map(|_| ()),
            Err(BuildError::Exhausted {
                attempts: 1,
                items: 50
            })
        );
        assert_eq!(told, 0);
    }
}
