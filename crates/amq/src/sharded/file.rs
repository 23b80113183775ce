//! The filter as a file: a shard is a section.

use super::limits::MAX_SHARDS;
use super::{Shard, Sharded};
use crate::parts::{Part, Whole, file, parts};
use alloc::vec::Vec;
use amq_core::envelope::{Opened, Source};
use amq_core::{BuildError, DecodeError, FilterKind};

file!(
    Sharded,
    "Other threads may go on: each shard is written as it is when its turn comes, with its lock held \
     only so long. All keys that are in when the call begins, and are not removed meanwhile, are in \
     the file."
);

impl<F: Part> Sharded<F> {
    fn whole(&self, withhold_seed: bool) -> Result<Whole, BuildError> {
        let mut entry = [0; 8];
        entry[0] = self.shards.len() as u64;
        let mut whole = Whole::new(FilterKind::Sharded, self.key_seed, self.capacity, entry);
        for shard in &self.shards {
            let shard = shard.read().ok_or(BuildError::Visited)?;
            whole.push(&*shard, withhold_seed)?;
        }
        Ok(whole)
    }

    fn restored<S: Source>(opened: &Opened<'_>, source: S) -> Result<Self, DecodeError> {
        opened.expect_kind(FilterKind::Sharded, 1)?;
        let [_count] = opened.only_entry()?;
        let filters: Vec<F> = parts(opened, source, FilterKind::Sharded, "shards", MAX_SHARDS)?;
        let (kind, header) = (filters[0].kind(), opened.header());
        let bytes = (filters.len() * size_of::<Shard<F>>()) as u64;
        Self::of(filters, kind, header.key_seed(), header.capacity)
            .map_err(|_| DecodeError::OutOfMemory { bytes })
    }
}
