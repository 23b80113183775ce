//! One shard: eliminated, solved, and written down.

use crate::banding::Banding;
use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Layer};
use crate::memory::room;
use crate::row::Row;
use crate::shards::{Shard, chosen, dedup};
use crate::{order, simd};
use amq_core::BuildError;

/// Finds a seed for a shard of the last layer, of `items` keys, with which all its keys have room.
/// `None`: no seed does, but with more slots one may.
pub(crate) fn seed<W: Row, E: Entry>(
    elimination: &mut Elimination<W, E>,
    shard: &Shard<'_, W, E>,
    items: u64,
) -> Result<Option<u8>, BuildError> {
    for seed in 0..=u8::MAX {
        if simd::seed(elimination, &shard.extent, shard.entries, seed)? {
            return Ok(Some(seed));
        }
        if seed == 0 && is_hopeless(shard.entries, shard.extent.blocks * W::BITS, items)? {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Whether no other seed needs to be tried: there are more distinct keys than slots, which someone
/// must have chosen. Two results of one hash are an error, since nothing helps. (A map's values
/// could agree by chance; then its layer is widened without need.)
#[cold]
fn is_hopeless<E: Entry>(entries: &[E], slots: u64, items: u64) -> Result<bool, BuildError> {
    // Without memory to look, the seeds are tried.
    let Ok(mut own) = room(entries.len() as u64) else {
        return Ok(false);
    };
    own.extend_from_slice(entries);
    let distinct = dedup(&mut own);
    let own = &own[..distinct];
    if own.windows(2).any(|pair| pair[0].hash() == pair[1].hash()) {
        return Err(chosen(items));
    }
    Ok(distinct as u64 > slots)
}

/// Solves what has been eliminated of a shard, and writes the solution down.
#[inline(always)]
pub(crate) fn solve<W: Row, E>(
    banding: &Banding<W>,
    layer: &Layer,
    shard: &mut Shard<'_, W, E>,
    columns: Columns,
) {
    let first_block = shard.extent.first_block;
    let start = layer.block(first_block, columns.most).0;
    banding.solve(shard.extent.blocks, columns.most as usize, |block, first, solved| {
        let bytes = columns.slot_bytes() as usize;
        if bytes > 0 {
            return order::put(shard.words, block, first / 8, bytes, solved);
        }
        let (word, columns) = layer.block(first_block + block as u64, columns.most);
        // A short block leaves out the last column.
        let solved = &solved[..solved.len().min(columns - first)];
        shard.words[word - start + first..][..solved.len()].copy_from_slice(solved);
    });
}
