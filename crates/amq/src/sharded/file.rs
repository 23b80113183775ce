//! The filter as a file: a shard is a section.

use super::limits::MAX_SHARDS;
use super::{Shard, Sharded};
use crate::parts::{Part, check, parts, push, whole};
use alloc::vec::Vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Header, Opened, Sections};
use amq_core::{BuildError, Bytes, DecodeError, FilterKind};

/// Other threads may continue: each shard is locked only while it is written. All keys that are in
/// the filter when the call starts, and are not removed during it, are in the file.
impl<F: Part> FileFormat for Sharded<F> {
    type With<B: Bytes> = Self;
    type Geometry = ();

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

    fn geometry(opened: &Opened<'_>) -> Result<(), DecodeError> {
        check(opened, FilterKind::Sharded, "shards", MAX_SHARDS)?;
        opened.only_entry::<1>().map(drop)
    }

    /// Copies the shards from any kind of bytes.
    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        (): (),
        sections: Sections<'_, B>,
    ) -> Result<Self, DecodeError> {
        let filters: Vec<F> = parts(opened, sections)?;
        let (kind, header) = (filters[0].kind(), opened.header());
        let bytes = (filters.len() * size_of::<Shard<F>>()) as u64;
        Self::of(filters, kind, header.seed, header.capacity)
            .map_err(|_| DecodeError::OutOfMemory { bytes })
    }

    fn from_copies(
        opened: &Opened<'_>,
        (): (),
        sections: Sections<'_, &[u8]>,
    ) -> Result<Self, DecodeError> {
        Self::from_sections(opened, (), sections)
    }
}
