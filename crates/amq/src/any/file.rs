//! Filters of any kind as files.

use super::kinds::Row;
use super::{AnyFile, AnyFilter};
use amq_core::format::HashedBy;
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, SectionStream, Sections};
use amq_core::{
    Budget, BuildError, Bytes, DecodeError, FilterKind, KeyInfo, Keyed, Prehashed, Secret, Table,
    TruncateError,
};

/// Why a file of a kind without a row is not read.
fn unread(opened: &Opened<'_>) -> DecodeError {
    match FilterKind::from_number(opened.kind()) {
        Some(found) => DecodeError::UnsupportedKind { found },
        None => DecodeError::Kind { number: opened.kind() },
    }
}

impl<B: Bytes> FileFormat for AnyFilter<B> {
    type With<C: Bytes> = AnyFilter<C>;
    type Geometry = ();

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        self.inside().contents(hashing)
    }

    fn geometry(opened: &Opened<'_>) -> Result<(), DecodeError> {
        let row = FilterKind::from_number(opened.kind()).and_then(Row::of);
        (row.ok_or(unread(opened))?.check)(opened)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        (): (),
        sections: Sections<'_, C>,
    ) -> Result<AnyFilter<C>, DecodeError> {
        let kind = FilterKind::from_number(opened.kind());
        let read = kind.and_then(|kind| AnyFilter::read(kind, opened, sections));
        read.unwrap_or(Err(unread(opened)))
    }

    fn truncated(
        opened: &Opened<'_>,
        (): (),
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<AnyFilter, DecodeError> {
        let number = opened.kind();
        let kind = FilterKind::from_number(number).ok_or(DecodeError::Kind { number })?;
        let truncating = Row::of(kind).and_then(|row| row.truncate);
        let (_, read) = truncating.ok_or(TruncateError::Kind { kind })?;
        read(opened, budget, sections)
    }
}

impl<B: Bytes> FileFormat for AnyFile<B> {
    const HASHED_BY: Option<HashedBy> = None;
    type With<C: Bytes> = AnyFile<C>;
    type Geometry = ();

    /// Written as it was read: without its seed or secret key if the original file omitted it. A
    /// filter whose secret is unknown is refused ([`BuildError::Withheld`]).
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let KeyInfo { encoding, withheld } = self.key_info();
        let hashing = if withheld { Hashing::SeedWithheld } else { hashing };
        let contents = match self {
            Self::Keys(filter, _) => filter.contents(hashing),
            Self::Keyed(filter, _) => filter.contents(hashing),
            Self::Hashes(filter) => filter.contents(hashing),
            Self::Withheld(..) => Err(BuildError::Withheld),
        };
        Ok(Contents { encoding, ..contents? })
    }

    fn geometry(opened: &Opened<'_>) -> Result<(), DecodeError> {
        AnyFilter::<B>::geometry(opened)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        (): (),
        sections: Sections<'_, C>,
    ) -> Result<AnyFile<C>, DecodeError> {
        Ok(hashed(opened, AnyFilter::<B>::from_sections(opened, (), sections)?))
    }

    fn truncated(
        opened: &Opened<'_>,
        (): (),
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<AnyFile<Table>, DecodeError> {
        Ok(hashed(opened, AnyFilter::<Table>::truncated(opened, (), budget, sections)?))
    }
}

/// The filter in a file, with the hash of its keys.
fn hashed<B: Bytes>(opened: &Opened<'_>, filter: AnyFilter<B>) -> AnyFile<B> {
    let info = KeyInfo { encoding: opened.encoding(), withheld: opened.withholds_secret() };
    match opened.secret() {
        Some(Secret::Key(key)) => AnyFile::Keyed(Keyed::of(filter, key), info),
        Some(Secret::Seed(_)) => AnyFile::Keys(filter, info),
        _ => match opened.hashed_by() {
            HashedBy::Caller => AnyFile::Hashes(Prehashed::of(filter)),
            by => AnyFile::Withheld(Prehashed::of(filter), by, info),
        },
    }
}
