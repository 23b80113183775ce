//! Truncating a filter of any kind, and reading one within a budget.

use super::AnyFilter;
use amq_core::internal::{FileFormat, Opened, SectionStream};
use amq_core::{Budget, DecodeError, Filter, FilterKind, TruncateError, TruncateFilter};

impl AnyFilter {
    /// Makes this the filter of the same keys within a smaller budget: see [`TruncateFilter`].
    /// Kinds that cannot be truncated are refused by name.
    ///
    /// ```
    /// use amq::{AnyFilter, Budget, FilterKind};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = AnyFilter::build(FilterKind::Ribbon, Budget::Fpr(0.0001), 0..1000u64)?;
    /// filter.truncate(Budget::Fpr(0.01))?;
    /// assert!(filter.contains(&7u64));
    /// let mut filter = AnyFilter::build(FilterKind::Cuckoo, Budget::Fpr(0.0001), 0..1000u64)?;
    /// assert!(filter.truncate(Budget::Fpr(0.01)).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        match self {
            #[cfg(feature = "quotient")]
            Self::Quotient(filter) => filter.truncate(budget),
            #[cfg(feature = "ribbon")]
            Self::Ribbon(filter) => filter.truncate(budget),
            #[cfg(feature = "fuse")]
            Self::Fuse(filter) => filter.truncate(budget),
            #[allow(unreachable_patterns, reason = "there may be no other kinds")]
            filter => Err(TruncateError::Kind { kind: filter.kind() }),
        }
    }
}

impl TruncateFilter for AnyFilter {
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        Self::truncate(self, budget)
    }
}

/// The filter of a file within a budget. The kind is one that the program was built with.
pub(super) fn read(
    opened: &Opened<'_>,
    budget: Budget,
    sections: &mut SectionStream<'_>,
) -> Result<AnyFilter, DecodeError> {
    fn of<F>(
        opened: &Opened<'_>,
        budget: Budget,
        sections: &mut SectionStream<'_>,
    ) -> Result<AnyFilter, DecodeError>
    where
        F: FileFormat<With<amq_core::Table> = F> + Into<AnyFilter>,
    {
        let geometry = F::geometry(opened)?;
        Ok(F::truncated(opened, geometry, budget, sections)?.into())
    }
    match FilterKind::from_number(opened.kind()) {
        #[cfg(feature = "quotient")]
        Some(FilterKind::Quotient) => of::<amq_quotient::QuotientFilter>(opened, budget, sections),
        #[cfg(feature = "ribbon")]
        Some(FilterKind::Ribbon) => of::<amq_ribbon::RibbonFilter>(opened, budget, sections),
        #[cfg(feature = "fuse")]
        Some(FilterKind::Fuse) => of::<amq_fuse::FuseFilter>(opened, budget, sections),
        Some(kind) => Err(TruncateError::Kind { kind }.into()),
        None => Err(DecodeError::Kind { number: opened.kind() }),
    }
}
