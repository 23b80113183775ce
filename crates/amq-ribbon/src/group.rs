//! A group of shards, eliminated in lockstep and solved.
//!
//! All of this is inlined into functions compiled for the processor's bit instructions.

use crate::banding::Banding;
use crate::elimination::{Elimination, eliminate};
use crate::entry::Entry;
use crate::layer::{Columns, Layer};
use crate::memory::room;
use crate::order;
use crate::row::Row;
use crate::shards::{Shard, dedup};
use crate::sizing::LOCKSTEP;

/// Up to [`LOCKSTEP`] shards of a layer, and an elimination for each.
pub(crate) struct Group<'a, 'b, W, E> {
    pub(crate) eliminations: &'a mut [Elimination<W, E>],
    pub(crate) layer: &'a Layer,
    pub(crate) shards: &'a mut [Shard<'b, W, E>],
    pub(crate) columns: Columns,
}

/// Why a shard of the last layer has no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsolved {
    /// No seed solves it. With more slots one may.
    Seeds,
    /// Two entries have one hash and different results. Nothing helps.
    Contradiction,
}

impl<W: Row, E: Entry> Group<'_, '_, W, E> {
    /// Eliminates and solves shards that bump keys.
    #[inline(always)]
    pub(crate) fn bump(self) {
        for (elimination, shard) in self.eliminations.iter_mut().zip(&*self.shards) {
            elimination.begin_bumping(self.layer, &shard.extent, shard.entries);
        }
        eliminate(self.eliminations, |_, _| false);
        self.solve();
    }

    /// Eliminates and solves shards of the last layer, each with one seed after another until all
    /// its keys have room. Returns the seeds.
    #[inline(always)]
    pub(crate) fn seed(self) -> Result<[u8; LOCKSTEP], Unsolved> {
        let mut seeds = [0u8; LOCKSTEP];
        for (elimination, shard) in self.eliminations.iter_mut().zip(&*self.shards) {
            elimination.begin_last(&shard.extent, shard.entries, 0);
        }
        let mut unsolved = Unsolved::Seeds;
        let done = eliminate(self.eliminations, |i, elimination| {
            let Shard {
                entries, extent, ..
            } = &self.shards[i];
            if seeds[i] == u8::MAX {
                return false;
            }
            let slots = extent.blocks * W::BITS;
            let first = seeds[i] == 0;
            if let Some(reason) = first.then(|| hopeless(entries, slots)).flatten() {
                unsolved = reason;
                return false;
            }
            seeds[i] += 1;
            elimination.begin_last(extent, entries, seeds[i]);
            true
        });
        if !done {
            return Err(unsolved);
        }
        self.solve();
        Ok(seeds)
    }

    /// Solves what has been eliminated, and writes the solution down.
    #[inline(always)]
    fn solve(self) {
        for (elimination, shard) in self.eliminations.iter().zip(self.shards) {
            solve(&elimination.banding, self.layer, shard, self.columns);
        }
    }
}

#[inline(always)]
fn solve<W: Row, E>(
    banding: &Banding<W>,
    layer: &Layer,
    shard: &mut Shard<'_, W, E>,
    columns: Columns,
) {
    let first_block = shard.extent.first_block;
    let start = layer.block(first_block, columns.most).0;
    banding.solve(
        shard.extent.blocks,
        columns.most as usize,
        |block, first, solved| {
            let bytes = columns.slot_bytes() as usize;
            if bytes > 0 {
                return order::put(shard.words, block, first / 8, bytes, solved);
            }
            let (word, columns) = layer.block(first_block + block as u64, columns.most);
            // A short block leaves out the last column.
            let solved = &solved[..solved.len().min(columns - first)];
            shard.words[word - start + first..][..solved.len()].copy_from_slice(solved);
        },
    );
}

/// Why no other seed needs to be tried, if there is a reason.
///
/// Two results of one hash, or more distinct keys than slots, which someone must have chosen. (A
/// map's values could agree by chance; then its layer is widened without need.)
#[cold]
fn hopeless<E: Entry>(entries: &[E], slots: u64) -> Option<Unsolved> {
    // Without memory to look, the seeds are tried.
    let mut own = room(entries.len() as u64).ok()?;
    own.extend_from_slice(entries);
    let distinct = dedup(&mut own);
    let own = &own[..distinct];
    if own.windows(2).any(|pair| pair[0].hash() == pair[1].hash()) {
        Some(Unsolved::Contradiction)
    } else {
        (distinct as u64 > slots).then_some(Unsolved::Seeds)
    }
}
