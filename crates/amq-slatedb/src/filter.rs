//! A table's filter: in memory, and as the bytes of its block.

use crate::keys::KeyRules;
use amq_bloom::BlockedBloomFilter;
use amq_core::format::FileInfo;
use amq_core::{
    Budget, BuildFilter, DEFAULT_SEED, Filter as _, FilterFile, FilterKind, Goal, Key, KeyHash,
    TruncateError,
};
use amq_ribbon::RibbonFilter;
use bytes::{BufMut, Bytes};
use slatedb::{Filter, FilterQuery};
use std::error::Error;
use std::sync::Arc;

/// The block of a table without a filter. An empty block would be read as a filter of no keys,
/// which denies every key.
const MAYBE: &[u8] = b"amq:maybe";

/// Bytes of the smallest split-block filter. A table of few keys has one whatever the budget.
const SMALLEST: u64 = 32;

/// The budget of a ribbon of one column, which is the smallest.
const ONE_COLUMN: Budget = Budget::Fpr(0.5);

/// About how many bytes a block has beside the filter's own.
const RIBBON_HEADER: u64 = 900;
const BLOCKED_HEADER: u64 = 400;

/// A filter and the rules by which it is queried. Copies share the filter.
#[derive(Clone)]
pub(crate) struct TableFilter {
    rules: KeyRules,
    /// Bits per key that it is truncated to when it enters a cache.
    cached: Option<f64>,
    contents: Contents,
}

/// The contents of a block.
#[derive(Clone)]
pub(crate) enum Contents {
    Ribbon(Arc<RibbonFilter>),
    Blocked(Arc<BlockedBloomFilter>),
    /// No filter: every answer is *maybe*.
    Maybe,
    /// Bytes that this version cannot read. They are kept for `encode`, since a later version that
    /// shares a disk cache with this one may be able to.
    Unreadable(Bytes),
}

impl Contents {
    /// The better filter within the budget; `Maybe` if there is none.
    ///
    /// The hashes are distinct.
    pub(crate) fn build(budget: Budget, hashes: &[KeyHash]) -> Self {
        if hashes.is_empty() {
            return Self::Maybe;
        }
        let keys = hashes.len() as u64;
        let budget = match budget {
            Budget::BitsPerKey(bits) if bits * (keys as f64) < SMALLEST as f64 * 8.0 => {
                Budget::Bytes(SMALLEST)
            }
            budget => budget,
        };
        if !blocked_is_better(Goal::new(keys, budget)) {
            // Building fails where keys were chosen to collide, or without memory. A Bloom filter
            // has no such keys, and needs less memory.
            if let Ok(filter) = RibbonFilter::build_hashes(budget, DEFAULT_SEED, hashes) {
                return Self::Ribbon(Arc::new(filter));
            }
        }
        let filter = BlockedBloomFilter::build_hashes(budget, DEFAULT_SEED, hashes);
        filter.map_or(Self::Maybe, |filter| Self::Blocked(Arc::new(filter)))
    }

    /// Reads a block. Anything but a filter of at least one key is refused.
    pub(crate) fn read(block: &[u8]) -> Result<Self, Box<dyn Error>> {
        if block == MAYBE {
            return Ok(Self::Maybe);
        }
        let (contents, keys) = if FileInfo::of(block)?.kind == Some(FilterKind::BlockedBloom) {
            let filter = BlockedBloomFilter::from_bytes(block)?;
            let keys = filter.len();
            (Self::Blocked(Arc::new(filter)), keys)
        } else {
            let filter = RibbonFilter::from_bytes(block)?;
            let keys = filter.len();
            (Self::Ribbon(Arc::new(filter)), keys)
        };
        if keys == 0 { Err("it is a filter of no keys".into()) } else { Ok(contents) }
    }
}

/// Whether a split-block filter makes a smaller block at a rate, or has a lower rate in as many
/// bytes. Both are so in small tables only.
fn blocked_is_better(goal: Goal) -> bool {
    let Ok(ribbon) = RibbonFilter::plan(goal) else { return true };
    let Ok(blocked) = BlockedBloomFilter::plan(goal) else { return false };
    match goal.budget {
        Budget::Fpr(_) => blocked.bytes + BLOCKED_HEADER < ribbon.bytes + RIBBON_HEADER,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => blocked.expected_fpr < ribbon.expected_fpr,
    }
}

impl TableFilter {
    pub(crate) fn new(rules: KeyRules, cached: Option<f64>, contents: Contents) -> Self {
        Self { rules, cached, contents }
    }
}

impl Filter for TableFilter {
    fn might_match(&self, query: &FilterQuery) -> bool {
        let Some(bytes) = self.rules.looked_up(query) else { return true };
        match &self.contents {
            Contents::Ribbon(filter) => filter.contains_hash(bytes.key_hash(filter.seed())),
            Contents::Blocked(filter) => filter.contains_hash(bytes.key_hash(filter.seed())),
            Contents::Maybe | Contents::Unreadable(_) => true,
        }
    }

    fn encode(&self, writer: &mut dyn BufMut) {
        // A buffer in memory takes every byte. If one did not, what it has fails its checksum when
        // it is read, and the answer is *maybe*.
        let _ = match &self.contents {
            Contents::Ribbon(filter) => filter.write_to(writer.writer()),
            Contents::Blocked(filter) => filter.write_to(writer.writer()),
            Contents::Maybe => return writer.put_slice(MAYBE),
            Contents::Unreadable(block) => return writer.put_slice(block),
        };
    }

    fn size(&self) -> usize {
        let heap = match &self.contents {
            Contents::Ribbon(filter) => filter.size_in_bytes() as usize + size_of_val(&**filter),
            Contents::Blocked(filter) => filter.size_in_bytes() as usize + size_of_val(&**filter),
            Contents::Maybe => 0,
            Contents::Unreadable(block) => block.len(),
        };
        heap + size_of::<Self>()
    }

    /// Called when a filter enters a cache. Tables are allocated to size, so that only the policy's
    /// wish for smaller filters there is to be granted.
    fn clamp_allocated_size(&self) -> Arc<dyn Filter> {
        let mut clamped = self.clone();
        if let (Contents::Ribbon(filter), Some(bits_per_key)) = (&self.contents, self.cached) {
            // Of the keys that there are. More may have been planned for.
            let bytes = (bits_per_key * filter.len() as f64 / 8.0) as u64;
            if filter.size_in_bytes() > bytes
                && let Some(small) = truncated(filter, bytes)
            {
                clamped.contents = Contents::Ribbon(Arc::new(small));
            }
        }
        Arc::new(clamped)
    }
}

/// The filter in at most this many bytes; one column, if that takes more. `None` without memory.
fn truncated(filter: &RibbonFilter, bytes: u64) -> Option<RibbonFilter> {
    let mut small = filter.clone();
    match small.truncate(Budget::Bytes(bytes)) {
        Err(TruncateError::Plan(_)) => small.truncate(ONE_COLUMN).ok()?,
        truncated => truncated.ok()?,
    }
    Some(small)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of a key in a ribbon depends on the highest bits of its hash.
    #[test]
    fn keys_that_no_ribbon_can_hold_get_a_bloom_filter() {
        let mut hashes: Vec<_> = (0..100_000).map(KeyHash::new).collect();
        hashes.push(KeyHash::new(u64::MAX));
        assert!(RibbonFilter::build_hashes(Budget::Fpr(0.01), DEFAULT_SEED, &hashes).is_err());
        let Contents::Blocked(filter) = Contents::build(Budget::Fpr(0.01), &hashes) else {
            panic!("no Bloom filter")
        };
        assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
    }

    #[test]
    fn keys_that_no_filter_can_hold_get_none() {
        let hashes: Vec<_> = (0..5000).map(KeyHash::new).collect();
        assert!(matches!(Contents::build(Budget::Fpr(0.01), &hashes), Contents::Maybe));
    }
}
