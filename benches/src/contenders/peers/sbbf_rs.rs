//! Peer: sbbf-rs, the split-block Bloom filter of the Parquet readers.
//!
//! The crate offers `insert` and `contains` over a caller's buffer; size and hash are the caller's.
//! It gets our own plan's block count, so that both have the same space and rate, and the same XXH3
//! digests.

#![allow(unsafe_code)]

use super::{Digested, Entry, curve, probe};
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use amq_core::{Goal, PlanFilter};
use sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};

pub(super) fn all() -> Vec<Entry> {
    let entry = Entry::filled("sbbf-rs", |order, given| {
        let budget = order.budget.ok_or("needs a target rate or a size")?;
        let goal = Goal::new(order.room(given) as u64, budget);
        let blocks = BlockedBloomFilter::plan(goal)?.params.blocks;
        Ok(Digested { filter: Filter::new(blocks.try_into()?), seed: order.seed })
    });
    vec![entry.theory(curve::<BlockedBloomFilter>)]
}

/// The unit of the buffer's alignment.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    bytes: [u8; LINE],
}

const LINE: usize = 64;
const _: () = assert!(align_of::<Line>() >= ALIGNMENT && LINE.is_multiple_of(BUCKET_SIZE));

/// The crate's functions and their buffer.
struct Filter {
    functions: FilterFn,
    buffer: Vec<Line>,
    blocks: usize,
}

impl Filter {
    /// An empty filter of at least one block.
    fn new(blocks: usize) -> Self {
        let lines = (blocks * BUCKET_SIZE).div_ceil(LINE);
        let buffer = vec![Line { bytes: [0; LINE] }; lines];
        Self { functions: FilterFn::new(), buffer, blocks }
    }

    #[inline]
    fn contains(&self, digest: u64) -> bool {
        let buffer = self.buffer.as_ptr().cast();
        // SAFETY: the buffer is aligned to 64 bytes by its type, was made with room for `blocks`
        // buckets, and is not written to.
        unsafe { self.functions.contains(buffer, self.blocks, digest) }
    }

    #[inline]
    fn insert(&mut self, digest: u64) {
        let buffer = self.buffer.as_mut_ptr().cast();
        // SAFETY: the buffer is aligned and large enough, as for queries, and borrowed exclusively.
        unsafe { self.functions.insert(buffer, self.blocks, digest) };
    }
}

probe! { Digested<Filter>, |it, key, keys|
    holds: it.filter.contains(it.digest(key));
    bytes: size_of_val(it.filter.buffer.as_slice());
    // The exact formula of the split-block filter at its number of blocks.
    predicted: {
        let params = BlockedParams::new(it.filter.blocks as u64);
        Some(BlockedBloomFilter::predicted_fpr(&params, keys))
    };
    insert: {
        let digest = it.digest(key);
        it.filter.insert(digest);
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
        for blocks in [1, 2, 3, 1000, 4097] {
            let plan = BlockedBloomFilter::plan_params(BlockedParams::new(blocks), 5000).unwrap();
            let mut ours = BlockedBloomFilter::new(plan).unwrap();
            let mut theirs = Filter::new(blocks as usize);
            for key in 0..5000u64 {
                let hash = KeyHash::of(&key, 0);
                theirs.insert(hash.get());
                ours.insert_hash(hash);
                assert!(ours.contains_hash(hash) && theirs.contains(hash.get()));
            }
            let words = ours.blocks().iter().flat_map(|block| block.words());
            let ours: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
            let theirs: Vec<u8> = theirs.buffer.iter().flat_map(|line| line.bytes).collect();
            assert_eq!(ours, theirs[..ours.len()], "{blocks} blocks");
        }
    }
}
