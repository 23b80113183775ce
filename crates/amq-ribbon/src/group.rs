//! The shards that are worked on together, one in each lane.
//!
//! All of this is inlined into functions that are compiled for the processor's bit instructions, where it has them.

use crate::banding::Banding;
use crate::entry::Entry;
use crate::lanes::{LANES, Lane, eliminate};
use crate::shape::{Columns, Layer, Part};
use crate::shards::{Shard, dedup, reserve};
use crate::simd::Work;
use crate::width::Row;
use alloc::vec::Vec;

/// Some shards of a layer, and as many lanes.
pub(crate) struct Group<'a, 'b, W, E> {
    pub(crate) lanes: &'a mut [Lane<W, E>],
    pub(crate) layer: &'a Layer,
    pub(crate) shards: &'a mut [Shard<'b, W, E>],
    pub(crate) columns: Columns,
}

/// Eliminates and solves shards that pass keys on.
pub(crate) struct Bump<'a, 'b, W, E>(pub(crate) Group<'a, 'b, W, E>);

/// Eliminates shards of the last layer, each with one seed after another until all its keys have room, and solves them: which seeds it were, or why none was good for one of them.
pub(crate) struct Seed<'a, 'b, W, E>(pub(crate) Group<'a, 'b, W, E>);

/// Why a shard of the last layer has no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsolved {
    /// No seed was good: with more slots one may be.
    Seeds,
    /// Two entries have one hash and different results: nothing helps.
    Contradiction,
}

impl<W: Row, E: Entry> Work for Bump<'_, '_, W, E> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        let Self(group) = self;
        for (lane, shard) in group.lanes.iter_mut().zip(&*group.shards) {
            lane.begin_bumping(group.layer, &shard.part, shard.entries);
        }
        eliminate(group.lanes, |_, _| false);
        group.solve();
    }
}

impl<W: Row, E: Entry> Work for Seed<'_, '_, W, E> {
    type Outcome = Result<[u8; LANES], Unsolved>;

    #[inline(always)]
    fn run(self) -> Self::Outcome {
        let Self(group) = self;
        let mut seeds = [0u8; LANES];
        for (lane, shard) in group.lanes.iter_mut().zip(&*group.shards) {
            lane.begin_last(&shard.part, shard.entries, 0);
        }
        let mut unsolved = Unsolved::Seeds;
        let done = eliminate(group.lanes, |i, lane| {
            let Shard { entries, part, .. } = &group.shards[i];
            if seeds[i] == u8::MAX {
                return false;
            }
            let slots = part.blocks * W::BITS;
            let first = seeds[i] == 0;
            if let Some(reason) = first.then(|| hopeless(entries, slots)).flatten() {
                unsolved = reason;
                return false;
            }
            seeds[i] += 1;
            lane.begin_last(part, entries, seeds[i]);
            true
        });
        if !done {
            return Err(unsolved);
        }
        group.solve();
        Ok(seeds)
    }
}

impl<W: Row, E: Entry> Group<'_, '_, W, E> {
    /// Solves what has been eliminated and writes it down.
    #[inline(always)]
    fn solve(self) {
        for (lane, shard) in self.lanes.iter().zip(self.shards) {
            solve(&lane.banding, self.layer, shard, self.columns);
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
    let Part {
        first_block,
        blocks,
        ..
    } = shard.part;
    let start = layer.block(first_block, columns.most).0;
    banding.solve(blocks, columns.most as usize, |block, first, solved| {
        let (word, columns) = layer.block(first_block + block as u64, columns.most);
        // A short block has no use for the last column.
        let solved = &solved[..solved.len().min(columns - first)];
        shard.words[word - start + first..][..solved.len()].copy_from_slice(solved);
    });
}

/// Why no other seed needs to be tried, if that is so: two results of one hash, or more different keys than slots, so that somebody must have chosen
/// them. (A map's values might agree by chance; then its layer is wider than it need be.)
#[cold]
fn hopeless<E: Entry>(entries: &[E], slots: u64) -> Option<Unsolved> {
    let mut own = Vec::new();
    // If there is no memory to look, the seeds are tried.
    reserve(&mut own, entries.len() as u64).ok()?;
    own.extend_from_slice(entries);
    let different = dedup(&mut own);
    let own = &own[..different];
    if own.windows(2).any(|pair| pair[0].hash() == pair[1].hash()) {
        Some(Unsolved::Contradiction)
    } else {
        (different as u64 > slots).then_some(Unsolved::Seeds)
    }
}
