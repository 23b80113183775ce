//! The trait through which a filter describes its file.

use super::contents::{Contents, Hashing};
use super::opened::Opened;
use super::pieces::SectionStream;
use super::sections::Sections;
use crate::format::HashedBy;
use crate::{Budget, BuildError, Bytes, DecodeError, FilterKind, Table, TruncateError};

/// A filter's file: its contents, and how to rebuild the filter from them.
///
/// A file is read in this order: the header and the directory are checked;
/// [`geometry`](Self::geometry) validates their values; the payload's sections are read and their
/// checksum is verified, except for unchecked views; and [`from_sections`](Self::from_sections)
/// makes the filter.
pub trait FileFormat: Sized {
    /// How the keys of its files are hashed; `None` if in any way.
    const HASHED_BY: Option<HashedBy> = Some(HashedBy::Seed);

    /// The filter with its table in other storage: owned, or a view's.
    type With<B: Bytes>;

    /// The validated values of header and directory.
    type Geometry;

    /// The contents of the filter's file.
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError>;

    /// Checks the kind, the revision and the parameters, and that the sections have the lengths
    /// they imply.
    fn geometry(opened: &Opened<'_>) -> Result<Self::Geometry, DecodeError>;

    /// Makes the filter; validates the table's contents if the payload is checked.
    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        sections: Sections<'_, B>,
    ) -> Result<Self::With<B>, DecodeError>;

    /// [`from_sections`](Self::from_sections), from copies of these sections. A filter that copies
    /// its sections anyway overrides this, to avoid a second copy.
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

    /// The filter truncated to a budget, from sections that are read piece by piece. The payload's
    /// checksum is verified afterwards.
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
