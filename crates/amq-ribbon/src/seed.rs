//! Seeds for the shards of the last layer.

use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::memory::room;
use crate::row::BITS;
use crate::shards::{Shard, chosen, dedup};
use crate::simd;
use amq_core::BuildError;

/// Finds a seed for a shard of the last layer, of this many keys, with which all its keys have
/// room. `None`: no seed does, but with more slots one may.
pub(crate) fn seed<E: Entry>(
    elimination: &mut Elimination<E>,
    shard: &Shard<'_, E>,
    keys: u64,
) -> Result<Option<u8>, BuildError> {
    for seed in 0..=u8::MAX {
        if simd::seed(elimination, &shard.extent, shard.entries, seed)? {
            return Ok(Some(seed));
        }
        if seed == 0 && is_hopeless(shard.entries, shard.extent.blocks * BITS, keys)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::Extent;
    use crate::sizing::slots_for;
    use amq_core::KeyHash;
    use std::vec::Vec;

    /// How many of the sets of keys have no room with a shard's first seed.
    fn failures(keys: u64, slots: u64, sets: u64) -> u64 {
        let extent =
            Extent { starts: slots - BITS + 1, blocks: slots.div_ceil(BITS), ..Extent::default() };
        let mut elimination = Elimination::default();
        let fails = |set: &u64| {
            let hashes: Vec<_> = (0..keys).map(|key| KeyHash::of(&key, *set)).collect();
            elimination.make_room(&extent, hashes.len()).unwrap();
            !elimination.seed(&extent, &hashes, 0).unwrap()
        };
        (0..sets).filter(fails).count() as u64
    }

    #[test]
    fn about_one_seed_in_ten_fails_where_filters_are_built_and_many_do_with_three_percent_less() {
        for keys in [500, 1200, 4000, 15_000] {
            let slots = libm::ceil(slots_for(keys as f64)) as u64;
            let failed = failures(keys, slots, 200);
            assert!((1..=40).contains(&failed), "{keys} keys: {failed} of 200");
            let failed = failures(keys, slots - keys * 3 / 100, 200);
            assert!(failed >= 60, "{keys} keys and less room: {failed}");
        }
    }
}
