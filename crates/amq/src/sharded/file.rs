//! The filter as a file: a shard is a section.

use super::limits::MAX_SHARDS;
use super::{Shard, Sharded};
use crate::parts::{Part, parts, push, whole};
use alloc::vec::Vec;
use amq_core::internal::{Contents, Hashing, Header, Opened, Restore, Source, Written};
use amq_core::{BuildError, DecodeError, FilterKind};

/// Other threads may go on: each shard is written as it is when its turn comes, with its lock held
/// only so long. All keys that are in when the call begins, and are not removed meanwhile, are in
/// the file.
impl<F: Part> Written for Sharded<F> {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let mut entry = [0; 8];
        entry[0] = self.shards.len() as u64;
        let header = Header { seed: self.seed, capacity: self.capacity, budget: None };
        let mut whole = whole(FilterKind::Sharded, hashing, header, entry);
        for shard in &self.shards {
            let shard = shard.read().ok_or(BuildError::Visited)?;
            push(&mut whole, &*shard)?;
        }
        Ok(whole)
    }
}

impl<F: Part> Restore for Sharded<F> {
    type Over<R: Source> = Self;

    fn restore<R: Source>(opened: &Opened<'_>, source: R) -> Result<Self, DecodeError> {
        opened.expect_kind(FilterKind::Sharded, 1)?;
        let [_count] = opened.only_entry()?;
        let filters: Vec<F> = parts(opened, source, FilterKind::Sharded, "shards", MAX_SHARDS)?;
        let (kind, header) = (filters[0].kind(), opened.header());
        let bytes = (filters.len() * size_of::<Shard<F>>()) as u64;
        Self::of(filters, kind, header.seed, header.capacity)
            .map_err(|_| DecodeError::OutOfMemory { bytes })
    }
}
