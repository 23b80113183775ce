//! Truncating a filter of any kind, and reading one within a budget.

use super::AnyFilter;
use super::kinds::Row;
use amq_core::internal::{Opened, SectionStream};
use amq_core::{Budget, DecodeError, Filter, FilterKind, TruncateError, TruncateFilter};

impl AnyFilter {
    /// Truncates the filter to a smaller budget, without its keys: see [`TruncateFilter`]. Kinds
    /// that cannot be truncated are refused by name.
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
        let kind = self.kind();
        let truncating = Row::of(kind).and_then(|row| row.truncate);
        let (truncate, _) = truncating.ok_or(TruncateError::Kind { kind })?;
        truncate(self, budget)
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
    let number = opened.kind();
    let kind = FilterKind::from_number(number).ok_or(DecodeError::Kind { number })?;
    let truncating = Row::of(kind).and_then(|row| row.truncate);
    let (_, read) = truncating.ok_or(TruncateError::Kind { kind })?;
    read(opened, budget, sections)
}
