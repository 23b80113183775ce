//! Errors of filters of any kind.

use crate::{Abilities, Ability};
use amq_core::{
    BatchInsertError, BuildError, DecodeError, FilterKind, InsertError, LengthMismatch, MergeError,
    PlanError,
};
use core::fmt;

/// The kind of filter lacks this operation. The text names the kinds that have it.
///
/// ```
/// use amq::{Ability, AnyFilter, FilterKind, Goal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut filter = AnyFilter::new(FilterKind::Bloom, Goal::fpr(1000, 0.01))?;
/// let error = filter.remove("a key").unwrap_err();
/// assert_eq!(error.operation, Ability::Remove);
/// assert!(error.kinds_that_can().any(|kind| kind == FilterKind::Cuckoo));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsupported {
    /// The operation.
    pub operation: Ability,
    /// The kind that lacks it.
    pub kind: FilterKind,
}

impl Unsupported {
    pub(super) const fn new(operation: Ability, kind: FilterKind) -> Self {
        Self { operation, kind }
    }

    /// The kinds that have it.
    pub fn kinds_that_can(&self) -> impl Iterator<Item = FilterKind> {
        self.operation.kinds()
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operation, kind } = self;
        let article = match kind {
            FilterKind::ExpandableQuotient => "an",
            _ => "a",
        };
        write!(f, "{article} {kind} filter cannot {operation}")?;
        if Abilities::of(*kind).build_only {
            f.write_str(": it is built from all its keys at once")?;
        }
        f.write_str(". Kinds that can: ")?;
        for (index, kind) in self.kinds_that_can().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", kind.id())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Unsupported {}

/// An [`AnyFilter`](crate::AnyFilter) could not be built or changed, or an
/// [`AnyFile`](crate::AnyFile) not queried. Nothing has changed, except by a batch, whose error has
/// the number of keys that were inserted.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum AnyError {
    /// The kind lacks this operation.
    Unsupported(Unsupported),

    /// The filter could not be built.
    Build(BuildError),

    /// The key was refused.
    Insert(InsertError),

    /// A key of the batch was refused.
    Batch(BatchInsertError),

    /// Keys cannot be hashed for the file.
    Decode(DecodeError),

    /// The numbers of keys and answers differ.
    Length(LengthMismatch),

    /// The filters cannot be merged.
    Merge(MergeError),
}

impl fmt::Display for AnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(error) => write!(f, "{error}"),
            Self::Build(error) => write!(f, "{error}"),
            Self::Insert(error) => write!(f, "{error}"),
            Self::Batch(error) => write!(f, "{error}"),
            Self::Decode(error) => write!(f, "{error}"),
            Self::Length(error) => write!(f, "{error}"),
            Self::Merge(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Debug for AnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for AnyError {}

impl From<Unsupported> for AnyError {
    fn from(error: Unsupported) -> Self {
        Self::Unsupported(error)
    }
}

impl From<BuildError> for AnyError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}

impl From<InsertError> for AnyError {
    fn from(error: InsertError) -> Self {
        Self::Insert(error)
    }
}

impl From<BatchInsertError> for AnyError {
    fn from(error: BatchInsertError) -> Self {
        Self::Batch(error)
    }
}

impl From<DecodeError> for AnyError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<LengthMismatch> for AnyError {
    fn from(error: LengthMismatch) -> Self {
        Self::Length(error)
    }
}

impl From<MergeError> for AnyError {
    fn from(error: MergeError) -> Self {
        Self::Merge(error)
    }
}

impl From<PlanError> for AnyError {
    fn from(error: PlanError) -> Self {
        Self::Build(error.into())
    }
}
