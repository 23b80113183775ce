//! Batches, grouped by shard: a lock is taken once for all of its keys.

use super::Sharded;
use super::shard::Shard;
use alloc::vec::Vec;
use amq_core::internal::zeroed;
#[cfg(feature = "rayon")]
use amq_core::internal::{Hashed, rayon::prelude::*};
use amq_core::{
    BatchInsertError, BuildError, Filter, InsertError, InsertFilter, KeyHash, LengthMismatch,
};
#[cfg(feature = "rayon")]
use amq_core::{HashSource, Key};
use core::fmt;

/// The number of hashes grouped at a time: enough to amortise a lock, few enough for their order to
/// fit the first-level cache.
const TOGETHER: usize = 4096;

/// The number of hashes that are sorted by shard before the threads of a pool insert them.
#[cfg(feature = "rayon")]
const ROUND: usize = 1 << 20;

/// Some keys of a batch were refused.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Refused {
    /// The error of the first refused key.
    pub error: InsertError,
    /// The hashes that were not inserted: in each shard, the first refused one and those after it.
    /// All others were inserted.
    pub hashes: Vec<KeyHash>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} keys of the batch were refused, the others are in: {}",
            self.hashes.len(),
            self.error
        )
    }
}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Refused {}

/// Up to [`TOGETHER`] hashes in the order of their shards.
struct Groups {
    /// The end of each shard's group, which is the start of the next.
    ends: Vec<u32>,
    /// The hashes.
    hashes: Vec<KeyHash>,
    /// The original index of each.
    from: Vec<u32>,
}

impl Groups {
    fn new(shards: usize, hashes: usize) -> Result<Self, BuildError> {
        let most = hashes.min(TOGETHER) as u64;
        Ok(Self { ends: zeroed(shards as u64)?, hashes: zeroed(most)?, from: zeroed(most)? })
    }

    /// Sorts at most [`TOGETHER`] hashes, by counting.
    fn sort(&mut self, hashes: &[KeyHash]) {
        let shards = self.ends.len();
        self.ends.fill(0);
        for hash in hashes {
            self.ends[hash.shard(shards)] += 1;
        }
        let mut start = 0;
        for end in &mut self.ends {
            start += core::mem::replace(end, start);
        }
        // Each end is now the start of its group, and advances as the group is filled.
        for (from, &hash) in (0..).zip(hashes) {
            let place = &mut self.ends[hash.shard(shards)];
            self.hashes[*place as usize] = hash;
            self.from[*place as usize] = from;
            *place += 1;
        }
    }

    /// The hashes of a shard.
    #[cfg(feature = "rayon")]
    fn of(&self, shard: usize) -> &[KeyHash] {
        let start = shard.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.hashes[start as usize..self.ends[shard] as usize]
    }

    /// Calls `each` with every shard that has hashes, its hashes, and their original indices.
    fn each(&self, mut each: impl FnMut(usize, &[KeyHash], &[u32])) {
        let mut start = 0;
        for (shard, &end) in self.ends.iter().enumerate() {
            let group = start..end as usize;
            start = group.end;
            if !group.is_empty() {
                each(shard, &self.hashes[group.clone()], &self.from[group]);
            }
        }
    }
}

impl<F: Filter> Sharded<F> {
    /// Answers many hashes at once, `answers[i]` for `hashes[i]`, taking each lock once per
    /// thousand hashes or so. (One by one, if there is no memory to sort them.)
    pub(super) fn contains_by_shard(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        let (Ok(mut groups), Ok(mut found)) = (
            Groups::new(self.shards.len(), hashes.len()),
            zeroed::<bool>(hashes.len().min(TOGETHER) as u64),
        ) else {
            for (answer, &hash) in answers.iter_mut().zip(hashes) {
                *answer = self.contains_hash(hash);
            }
            return Ok(());
        };
        for (hashes, answers) in hashes.chunks(TOGETHER).zip(answers.chunks_mut(TOGETHER)) {
            groups.sort(hashes);
            let mut checked = Ok(());
            groups.each(|shard, hashes, from| {
                let found = &mut found[..hashes.len()];
                match self.shards[shard].read() {
                    Some(shard) => checked = checked.and(shard.contains_batch(hashes, found)),
                    None => found.fill(true),
                }
                for (&from, &found) in from.iter().zip(&*found) {
                    answers[from as usize] = found;
                }
            });
            checked?;
        }
        Ok(())
    }
}

impl<F: InsertFilter> Sharded<F> {
    /// Inserts many hashes, from any thread, taking each lock once per thousand hashes or so, and
    /// returns how many were new. If some are refused, the others are inserted, and the error lists
    /// those that are not.
    pub fn insert_batch(&self, hashes: &[KeyHash]) -> Result<u64, Refused> {
        let mut done = Done::default();
        match Groups::new(self.shards.len(), hashes.len()) {
            Ok(mut groups) => {
                for hashes in hashes.chunks(TOGETHER) {
                    groups.sort(hashes);
                    groups.each(|shard, hashes, _| done.insert_all(&self.shards[shard], hashes));
                }
            }
            Err(_) => {
                for &hash in hashes {
                    done.insert_all(self.shard(hash), &[hash]);
                }
            }
        }
        done.result()
    }

    /// [`insert_batch`](Self::insert_batch) on the threads of a rayon pool. They first sort the
    /// hashes by shard; then one thread fills each shard, so its filter receives its keys in order.
    /// [`ParInsertExt`](amq_core::ParInsertExt) describes threads, locks and panics.
    #[cfg(feature = "rayon")]
    pub fn par_insert_batch(&self, hashes: &[KeyHash]) -> Result<u64, Refused> {
        self.par_insert_from(&hashes)
    }

    /// [`insert_keys`](Self::insert_keys) on the threads of a rayon pool; see
    /// [`par_insert_batch`](Self::par_insert_batch).
    #[cfg(feature = "rayon")]
    pub fn par_insert_keys<K: Key + Sync>(&self, keys: &[K]) -> Result<u64, Refused> {
        self.par_insert_from(&Hashed { keys, under: self.seed })
    }

    #[cfg(feature = "rayon")]
    fn par_insert_from(&self, hashes: &dyn HashSource) -> Result<u64, Refused> {
        let (mut done, total) = (Done::default(), hashes.len());
        let pieces = total.min(ROUND).div_ceil(TOGETHER);
        let groups = |_| Groups::new(self.shards.len(), TOGETHER).ok();
        let groups: Option<Vec<Groups>> = (0..pieces).map(groups).collect();
        // A thread of the pool would wait for a shard that this thread visits.
        let visited = self.shards.iter().any(Shard::is_visited);
        let Some(mut groups) = groups.filter(|_| !visited) else {
            return self.insert_in_blocks(total, |first, to| hashes.write(first, to));
        };
        for round in (0..total).step_by(ROUND) {
            let pieces = (total - round).min(ROUND).div_ceil(TOGETHER);
            let groups = &mut groups[..pieces];
            groups.par_iter_mut().enumerate().for_each(|(piece, groups)| {
                let first = round + piece * TOGETHER;
                let mut some = [KeyHash::default(); TOGETHER];
                let some = &mut some[..(total - first).min(TOGETHER)];
                hashes.write(first, some);
                groups.sort(some);
            });
            let groups = &*groups;
            let shards = self.shards.par_iter().enumerate();
            let all: Vec<Done> = shards
                .map(|(number, shard)| {
                    let mut done = Done::default();
                    let hashes = groups.iter().map(|groups| groups.of(number));
                    hashes.filter(|hashes| !hashes.is_empty()).for_each(|hashes| {
                        done.insert_all(shard, hashes);
                    });
                    done
                })
                .collect();
            all.into_iter().for_each(|more| done.add(more));
        }
        done.result()
    }

    /// Inserts as many keys, hashed block by block.
    pub(super) fn insert_in_blocks(
        &self,
        keys: usize,
        hash: impl Fn(usize, &mut [KeyHash]),
    ) -> Result<u64, Refused> {
        let (mut done, mut hashes) = (Done::default(), [KeyHash::default(); TOGETHER]);
        for first in (0..keys).step_by(TOGETHER) {
            let hashes = &mut hashes[..(keys - first).min(TOGETHER)];
            hash(first, hashes);
            match self.insert_batch(hashes) {
                Ok(new) => done.new += new,
                Err(Refused { error, hashes }) => {
                    done.add(Done { new: 0, error: Some(error), refused: hashes });
                }
            }
        }
        done.result()
    }
}

/// The result of a batch so far.
#[derive(Default)]
struct Done {
    new: u64,
    error: Option<InsertError>,
    refused: Vec<KeyHash>,
}

impl Done {
    /// A third party's filter may return any numbers: more new keys than keys count as all, and an
    /// error after the last key counts as a refusal of all.
    fn insert_all<F: InsertFilter>(&mut self, shard: &Shard<F>, hashes: &[KeyHash]) {
        let inserted = match shard.write() {
            Some(mut filter) => filter.insert_batch(hashes),
            None => Err(BatchInsertError { done: 0, error: InsertError::Visited }),
        };
        match inserted {
            Ok(new) => self.new += new.min(hashes.len() as u64),
            Err(error) => {
                self.error.get_or_insert(error.error);
                let done = error.done.min(hashes.len() as u64) as usize;
                let refused = if done < hashes.len() { &hashes[done..] } else { hashes };
                self.refused.extend(refused);
            }
        }
    }

    fn add(&mut self, more: Self) {
        self.new += more.new;
        self.error = self.error.or(more.error);
        self.refused.extend(more.refused);
    }

    fn result(self) -> Result<u64, Refused> {
        match self.error {
            None => Ok(self.new),
            Some(full) => Err(Refused { error: full, hashes: self.refused }),
        }
    }
}
