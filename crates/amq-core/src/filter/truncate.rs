//! Filters that are made smaller without their keys.

use super::Filter;
use crate::{Budget, TruncateError};

/// A filter that can be made smaller without its keys, at a higher false-positive rate.
///
/// A ribbon, fuse or quotient filter compares some bits of each key, and each bit stands for
/// itself: with fewer of them the filter is the one that its keys would have been built into. So
/// one filter serves several sizes, and programs with less memory take less of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be truncated",
    label = "it has one size",
    note = "a `RibbonFilter` or a `QuotientFilter` can; `amq::Ability::Truncate.kinds()` are all",
    note = "a view keeps the bytes it borrows: load the file"
)]
pub trait TruncateFilter: Filter {
    /// Makes this the filter of the same keys within a smaller budget.
    ///
    /// The budget is that of the number of keys the filter was planned for. The filter keeps as
    /// much as a build within that budget would have: at a rate the least that meets it, at a size
    /// the most that fits. One that it has already leaves it as it is; a larger one is refused, and
    /// so is any that [`PlanFilter::plan`](super::PlanFilter::plan) refuses. While it runs, the
    /// memory of both is in use.
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError>;
}
