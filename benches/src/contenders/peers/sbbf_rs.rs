//! Peer: sbbf-rs, the split-block Bloom filter of the Parquet readers.
//!
//! The crate offers `insert` and `contains` over a caller's buffer; size and hash are the caller's.
//! It gets our own plan's block count, so that both have the same space and rate, and the same XXH3
//! digests.

#![allow(unsafe_code)]

use super::common::{Digested, Made, Order, done, exact, probe};
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};

pub(super) fn empty(order: &Order, given: usize) -> Made<Digested<Filter>> {
    let plan = BlockedBloomFilter::plan(order.goal(given)?)?;
    let blocks = usize::try_from(plan.params.blocks)?;
    let buffer = vec![Line([0; LINE]); (blocks * BUCKET_SIZE).div_ceil(LINE)];
    Ok(Digested { filter: Filter { functions: FilterFn::new(), buffer, blocks }, seed: order.seed })
}

/// The unit of the buffer's alignment.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[allow(dead_code)] [u8; LINE]);

const LINE: usize = 64;
const _: () = assert!(align_of::<Line>() >= ALIGNMENT && LINE.is_multiple_of(BUCKET_SIZE));

pub(super) struct Filter {
    functions: FilterFn,
    buffer: Vec<Line>,
    blocks: usize,
}

probe! { Digested<Filter>, |it, key, keys|
    holds: {
        let buffer = it.filter.buffer.as_ptr().cast();
        // SAFETY: the buffer is aligned to 64 bytes by its type, was made with room for `blocks`
        // buckets, and is not written to; a plan has at least one block.
        unsafe { it.filter.functions.contains(buffer, it.filter.blocks, key.digest(it.seed)) }
    };
    bytes: size_of_val(it.filter.buffer.as_slice());
    predicted: exact::<BlockedBloomFilter>(BlockedParams::new(it.filter.blocks as u64), keys);
    insert: {
        let digest = key.digest(it.seed);
        let buffer = it.filter.buffer.as_mut_ptr().cast();
        // SAFETY: as for queries, and the buffer is borrowed exclusively.
        done(unsafe { it.filter.functions.insert(buffer, it.filter.blocks, digest) })
    };
}
