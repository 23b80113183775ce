//! Peer: sbbf-rs, the split-block Bloom filter of the Parquet readers.
//!
//! The crate offers `insert` and `contains` over a caller's buffer; size and hash are the caller's.
//! It gets our own plan's block count, so that both have the same space and rate, and the same XXH3
//! digests.

#![allow(unsafe_code)]

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::sbbf_rs::{ALIGNMENT, BUCKET_SIZE, FilterFn};
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use amq_core::{Goal, PlanFilter, PredictedFpr};
use std::borrow::Borrow;

/// `sbbf_rs::FilterFn` over a buffer of our own.
#[derive(Debug)]
pub struct SbbfRs;

impl Contender for SbbfRs {
    fn info(&self) -> Info {
        Info {
            name: "sbbf-rs",
            family: Family::SplitBlock,
            role: Role::Filter,
            ours: false,
            packages: &["sbbf-rs", "xxhash-rust"],
            analysis: "The same blocks as blocked-bloom, tested through a virtual call that is \
                       chosen once by the processor's features. Sized by our exact formula, \
                       since the crate has none.",
            abilities: &[Ability::Insert],
            takes_rate: true,
            max_keys: u64::MAX,
            seeded: true,
            slow: false,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
        match keys {
            Keys::U64(keys) => make::<u64>(keys, asked_fpr, seed),
            Keys::Bytes(keys) => make::<[u8]>(keys, asked_fpr, seed),
        }
    }
}

/// The unit of the buffer's alignment.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _bytes: [u8; LINE],
}

impl Line {
    const CLEAR: Self = Self { _bytes: [0; LINE] };
}

const LINE: usize = 64;
const _: () = assert!(align_of::<Line>() >= ALIGNMENT && LINE.is_multiple_of(BUCKET_SIZE));

struct Filter {
    functions: FilterFn,
    buffer: Vec<Line>,
    blocks: usize,
    keys: u64,
    seed: u64,
}

fn make<K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    asked_fpr: f64,
    seed: u64,
) -> Result<Box<dyn Built>, String> {
    let goal = Goal::fpr(keys.len(), asked_fpr);
    let plan = BlockedBloomFilter::plan(goal).map_err(|error| error.to_string())?;
    let blocks = usize::try_from(plan.params.blocks).map_err(|error| error.to_string())?;
    let mut filter = Filter {
        functions: FilterFn::new(),
        buffer: vec![Line::CLEAR; (blocks * BUCKET_SIZE).div_ceil(LINE)],
        blocks,
        keys: 0,
        seed,
    };
    Probe::<K>::insert_all(&mut filter, keys);
    Ok(built::<K, _>(filter))
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(size_of_val(self.buffer.as_slice()) as u64)
    }

    /// The exact formula of the split-block filter at its number of blocks.
    fn predicted(&self) -> Option<PredictedFpr> {
        let params = BlockedParams::new(self.blocks as u64);
        Some(BlockedBloomFilter::predicted_fpr(&params, self.keys))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        let buffer = self.buffer.as_ptr().cast::<u8>();
        // SAFETY: as for the inserts; the buffer lives as long as `self` and is not written to.
        unsafe {
            self.functions
                .contains(buffer, self.blocks, key.digest(self.seed))
        }
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            let digest = Borrow::<K>::borrow(key).digest(self.seed);
            let buffer = self.buffer.as_mut_ptr().cast::<u8>();
            // SAFETY: the buffer is aligned to 64 bytes by its type and was made with room for
            // `blocks` buckets; a plan has at least one block.
            unsafe { self.functions.insert(buffer, self.blocks, digest) };
        }
        self.keys += keys.len() as u64;
        Some(keys.len() as u64)
    }
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
