//! Peer: sbbf-rs, the split-block Bloom filter of the Parquet readers.
//!
//! The crate offers `insert` and `contains` over a caller's buffer; size and hash are the caller's.
//! It gets our own plan's block count, so that both have the same space and rate, and the same XXH3
//! digests.

#![allow(unsafe_code)]

use crate::contenders::Ability::Insert;
use crate::contenders::probe::{Digested, Fill, probe};
use crate::contenders::{Entry, Family, Info, Order, theory};
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use amq_core::{Goal, PlanFilter};
use sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};

/// `sbbf_rs::FilterFn` over a buffer of our own.
pub(super) static SBBF: Entry<Fill<Digested<Filter>>> = Entry::new(
    Info {
        name: "sbbf-rs",
        family: Family::SplitBlock,
        packages: &["sbbf-rs", "xxhash-rust"],
        import: "use sbbf_rs::FilterFn;",
        analysis: "The same blocks as blocked-bloom, tested through a virtual call that is chosen \
                   once by the processor's features. Sized by our exact formula, since the crate \
                   has none.",
        abilities: &[Insert],
        bits_budget: true,
        ..Info::PEER
    },
    Fill(empty),
    theory::curve::<BlockedBloomFilter>,
);

/// The unit of the buffer's alignment.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; LINE],
}

impl Line {
    const CLEAR: Self = Self { _bytes: [0; LINE] };
}

const LINE: usize = 64;
const _: () = assert!(align_of::<Line>() >= ALIGNMENT && LINE.is_multiple_of(BUCKET_SIZE));

/// A filter: the crate's functions and their buffer.
pub(super) struct Filter {
    functions: FilterFn,
    buffer: Vec<Line>,
    blocks: usize,
}

/// The filter that our own plan makes for an order.
fn empty(order: &Order, given: usize) -> Result<Digested<Filter>, String> {
    let budget = order.budget.ok_or("needs a target rate or a size")?;
    let goal = Goal::new(order.room(given) as u64, budget);
    let plan = BlockedBloomFilter::plan(goal).map_err(|error| error.to_string())?;
    let blocks = usize::try_from(plan.params.blocks).map_err(|error| error.to_string())?;
    let filter = Filter {
        functions: FilterFn::new(),
        buffer: vec![Line::CLEAR; (blocks * BUCKET_SIZE).div_ceil(LINE)],
        blocks,
    };
    let seed = order.seed;
    Ok(Digested { filter, seed })
}

probe! { Digested<Filter>, |it, key, keys|
    bytes: size_of_val(it.filter.buffer.as_slice());
    /// The exact formula of the split-block filter at its number of blocks.
    predicted: {
        let params = BlockedParams::new(it.filter.blocks as u64);
        Some(BlockedBloomFilter::predicted_fpr(&params, keys))
    };
    holds: {
        let buffer = it.filter.buffer.as_ptr().cast::<u8>();
        // SAFETY: as for the inserts; the buffer lives as long as `self` and is not written to.
        unsafe { it.filter.functions.contains(buffer, it.filter.blocks, it.digest(key)) }
    };
    insert: {
        let digest = it.digest(key);
        let buffer = it.filter.buffer.as_mut_ptr().cast::<u8>();
        // SAFETY: the buffer is aligned to 64 bytes by its type and was made with room for
        // `blocks` buckets; a plan has at least one block.
        unsafe { it.filter.functions.insert(buffer, it.filter.blocks, digest) };
        true
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::KeyHash;

    /// Two crates with the Parquet layout must set the same bits for the same hashes.
    #[test]
    fn our_blocks_have_the_same_bits_as_those_of_sbbf_rs() {
        for blocks in [1u64, 2, 3, 1000, 4097] {
            let functions = FilterFn::new();
            let mut buffer = vec![Line::CLEAR; (blocks as usize * BUCKET_SIZE).div_ceil(LINE)];
            let params = BlockedParams::new(blocks);
            let plan = BlockedBloomFilter::plan_params(params, 5000).unwrap();
            let mut ours = BlockedBloomFilter::new(plan).unwrap();
            for key in 0..5000u64 {
                let hash = KeyHash::of(&key, 0);
                // SAFETY: the buffer is aligned to 64 bytes by its type and has room for `blocks`
                // buckets.
                unsafe {
                    let buffer = buffer.as_mut_ptr().cast::<u8>();
                    functions.insert(buffer, blocks as usize, hash.get());
                }
                ours.insert_hash(hash);
                if key % 100 == 0 {
                    assert!(ours.contains_hash(hash));
                }
            }
            let theirs: Vec<u8> = buffer.iter().flat_map(|line| line._bytes).collect();
            let ours: Vec<u8> = ours
                .blocks()
                .iter()
                .flat_map(|block| block.words())
                .flat_map(|word| word.to_le_bytes())
                .collect();
            assert_eq!(ours, theirs[..ours.len()], "{blocks} blocks");
        }
    }
}
