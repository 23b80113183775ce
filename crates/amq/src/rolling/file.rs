//! The filter as a file: a generation is a section.

use super::Rolling;
use super::limits::{MAX_ADVANCES, MAX_GENERATIONS};
use crate::parts::{Part, check, parts, push, whole};
use alloc::vec::Vec;
use amq_core::internal::{Contents, FileFormat, Hashing, Header, Opened, Sections};
use amq_core::{BuildError, Bytes, DecodeError, FilterKind};

/// The file contains the generations and their numbers: a restart forgets nothing, and the next
/// [`advance`](Rolling::advance) forgets the same generation as without it.
impl<F: Part> FileFormat for Rolling<F> {
    type With<B: Bytes> = Self;
    type Geometry = ();

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let mut entry = [0; 8];
        let count = self.generations.len() as u64;
        entry[..3].copy_from_slice(&[count, self.newest, self.by_count.into()]);
        let header = Header { seed: self.seed, capacity: self.capacity, budget: None };
        let mut whole = whole(FilterKind::Rolling, hashing, header, entry);
        self.generations.iter().try_for_each(|part| push(&mut whole, part))?;
        Ok(whole)
    }

    fn geometry(opened: &Opened<'_>) -> Result<(), DecodeError> {
        check(opened, FilterKind::Rolling, "generations", MAX_GENERATIONS)?;
        let [_, newest, by_count] = opened.only_entry()?;
        Opened::within("number of advances", newest, 0..=MAX_ADVANCES)?;
        Opened::within("advances by count", by_count, 0..=1)
    }

    /// Copies the generations from any kind of bytes.
    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        (): (),
        sections: Sections<'_, B>,
    ) -> Result<Self, DecodeError> {
        let [count, newest, by_count] = opened.only_entry()?;
        let generations: Vec<F> = parts(opened, sections)?;
        // Generations not yet reached are empty.
        let reached = newest.saturating_add(1).min(count) as usize;
        if generations[reached..].iter().any(|generation| !generation.is_empty()) {
            return Err(DecodeError::Structure { what: "generations that were not reached" });
        }
        let header = opened.header();
        Ok(Self {
            generations,
            newest,
            at: (newest % count) as usize,
            capacity: header.capacity,
            seed: header.seed,
            by_count: by_count == 1,
        })
    }

    fn from_copies(
        opened: &Opened<'_>,
        (): (),
        sections: Sections<'_, &[u8]>,
    ) -> Result<Self, DecodeError> {
        Self::from_sections(opened, (), sections)
    }
}
