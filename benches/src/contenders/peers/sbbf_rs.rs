//! Peer: sbbf-rs, the split-block Bloom filter of the Parquet readers.
//!
//! The crate offers `insert` and `contains` over a caller's buffer; size and hash are the caller's.
//! It gets our own plan's block count, so that both have the same space and rate, and the same XXH3
//! digests.

#![allow(unsafe_code)]

use super::{Digested, Entry, curve, done, exact, probe};
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use amq_core::Goal;
use sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};

pub(super) fn all() -> Vec<Entry> {
    let entry = Entry::filled("sbbf-rs", |order, given| {
        let budget = order.budget.ok_or("needs a target rate or a size")?;
        let goal = Goal::new(order.room(given) as u64, budget);
        let blocks = usize::try_from(BlockedBloomFilter::plan(goal)?.params.blocks)?;
        let buffer = vec![Line([0; LINE]); (blocks * BUCKET_SIZE).div_ceil(LINE)];
        let functions = FilterFn::new();
        Ok(Digested { filter: Filter { functions, buffer, blocks }, seed: order.seed })
    });
    vec![entry.theory(curve::<BlockedBloomFilter>)]
}

/// The unit of the buffer's alignment.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; LINE]);

const LINE: usize = 64;
const _: () = assert!(align_of::<Line>() >= ALIGNMENT && LINE.is_multiple_of(BUCKET_SIZE));

/// The crate's functions and their buffer.
struct Filter {
    functions: FilterFn,
    buffer: Vec<Line>,
    blocks: usize,
}

probe! { Digested<Filter>, |it, key, keys|
    holds: {
        let buffer = it.filter.buffer.as_ptr().cast();
        // SAFETY: the buffer is aligned to 64 bytes by its type, was made with room for `blocks`
        // buckets, and is not written to; a plan has at least one block.
        unsafe { it.filter.functions.contains(buffer, it.filter.blocks, it.digest(key)) }
    };
    bytes: size_of_val(it.filter.buffer.as_slice());
    predicted: exact::<BlockedBloomFilter>(BlockedParams::new(it.filter.blocks as u64), keys);
    insert: {
        let digest = it.digest(key);
        let buffer = it.filter.buffer.as_mut_ptr().cast();
        // SAFETY: as for queries, and the buffer is borrowed exclusively.
        done(unsafe { it.filter.functions.insert(buffer, it.filter.blocks, digest) })
    };
}
