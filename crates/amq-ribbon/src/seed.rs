//! Seeds for the shards of the last layer.

use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::memory::room;
use crate::row::Row;
use crate::shards::{Shard, chosen, dedup};
use crate::simd;
use amq_core::BuildError;

/// Finds a seed for a shard of the last layer, of this many keys, with which all its keys have
/// room. `None`: no seed does, but with more slots one may.
pub(crate) fn seed<W: Row, E: Entry>(
    elimination: &mut Elimination<W, E>,
    shard: &Shard<'_, W, E>,
    keys: u64,
) -> Result<Option<u8>, BuildError> {
    for seed in 0..=u8::MAX {
        if simd::seed(elimination, &shard.extent, shard.entries, seed)? {
            return Ok(Some(seed));
        }
        if seed == 0 && is_hopeless(shard.entries, shard.extent.blocks * W::BITS, keys)? {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Whether other seeds are pointless: there are more distinct keys than slots, so someone must have
/// chosen them. Two results of one hash are an error, since nothing helps. (A map's values could
/// agree by chance; then its layer is widened without need.)
#[cold]
fn is_hopeless<E: Entry>(entries: &[E], slots: u64, keys: u64) -> Result<bool, BuildError> {
    // Without memory to look, the seeds are tried.
    let Ok(mut own) = room(entries.len() as u64) else {
        return Ok(false);
    };
    own.extend_from_slice(entries);
    let distinct = dedup(&mut own);
    let own = &own[..distinct];
    if own.windows(2).any(|pair| pair[0].hash() == pair[1].hash()) {
        return Err(chosen(keys));
    }
    Ok(distinct as u64 > slots)
}
