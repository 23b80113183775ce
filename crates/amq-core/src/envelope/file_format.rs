//! What a filter says of its files.

use super::contents::{Contents, Hashing};
use super::opened::Opened;
use super::pieces::SectionStream;
use super::sections::Sections;
use crate::format::HashedBy;
use crate::{Budget, BuildError, Bytes, DecodeError, FilterKind, Table, TruncateError};

/// A filter with files: what they say, and how it is put together again.
///
/// A file is read in this order: header and directory are checked, then
/// [`geometry`](Self::geometry) checks what they say; then the payload's sections are read and
/// their checksum is checked, unless a view was asked for without; and then
/// [`from_sections`](Self::from_sections) makes the filter.
pub trait FileFormat: Sized {
    /// What the keys of its files are hashed by; `None` if that may be anything.
    const HASHED_BY: Option<HashedBy> = Some(HashedBy::Seed);

    /// The filter with its table in other bytes: owned ones, or those of a view.
    type With<B: Bytes>;

    /// What header and directory say, checked.
    type Geometry;

    /// What the filter's file says.
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError>;

    /// Checks kind, revision and parameters, and that the sections have the lengths that follow.
    fn geometry(opened: &Opened<'_>) -> Result<Self::Geometry, DecodeError>;

    /// Puts the filter together, and checks the table's contents if the payload is checked.
    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        sections: Sections<'_, B>,
    ) -> Result<Self::With<B>, DecodeError>;

    /// [`from_sections`](Self::from_sections) of copies of these sections. A filter that copies
    /// its sections in any case takes them as they are.
    fn from_copies(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        mut sections: Sections<'_, &[u8]>,
    ) -> Result<Self::With<Table>, DecodeError> {
        let is_checked = sections.is_checked();
        let mut next = || {
            let section = sections.take()?;
            let bytes = section.len() as u64;
            Table::try_from(section).map_err(|_| DecodeError::OutOfMemory { bytes })
        };
        Self::from_sections(opened, geometry, Sections::new(opened, is_checked, &mut next))
    }

    /// The filter within a budget: what truncating it would leave, from sections that are read
    /// piece by piece. The payload's checksum is checked afterwards.
    fn truncated(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<Self::With<Table>, DecodeError> {
        let _ = (geometry, budget, sections);
        Err(match FilterKind::from_number(opened.kind()) {
            Some(kind) => TruncateError::Kind { kind }.into(),
            None => DecodeError::Kind { number: opened.kind() },
        })
    }
}
