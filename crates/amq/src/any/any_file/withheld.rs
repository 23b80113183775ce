//! A filter whose file withholds its seed or secret key, read without it.

use super::AnyFilter;
use amq_core::format::HashedBy;
use amq_core::{Bytes, DecodeError, KeyEncoding, Table};

/// A filter that was read with [`Secret::Unknown`](amq_core::Secret::Unknown) from a file that
/// withholds its seed or secret key. It can be inspected through
/// [`AnyFile::filter`](crate::AnyFile::filter). It cannot be queried for keys, and cannot be saved,
/// since no seed or secret key would open the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Withheld<B: Bytes = Table> {
    filter: AnyFilter<B>,
    by: HashedBy,
    encoding: KeyEncoding,
}

impl<B: Bytes> Withheld<B> {
    pub(in crate::any) const fn new(
        filter: AnyFilter<B>,
        by: HashedBy,
        encoding: KeyEncoding,
    ) -> Self {
        Self { filter, by, encoding }
    }

    pub(super) const fn filter(&self) -> &AnyFilter<B> {
        &self.filter
    }

    pub(super) const fn filter_mut(&mut self) -> &mut AnyFilter<B> {
        &mut self.filter
    }

    /// Whether its keys are hashed under a seed or a secret key.
    #[must_use]
    pub const fn hashed_by(&self) -> HashedBy {
        self.by
    }

    /// The encoding of its keys.
    #[must_use]
    pub const fn encoding(&self) -> KeyEncoding {
        self.encoding
    }

    pub(super) const fn set_encoding(&mut self, to: KeyEncoding) {
        self.encoding = to;
    }

    /// The error of methods that take keys.
    pub(super) const fn refusal(&self) -> DecodeError {
        match self.by {
            HashedBy::Key => DecodeError::KeyWithheld,
            _ => DecodeError::SeedWithheld,
        }
    }
}
