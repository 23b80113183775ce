//! Shrinking filters without their keys.

use super::Filter;
use crate::{Budget, TruncateError};

/// A filter that can be made smaller without its keys, at a higher false-positive rate.
///
/// A ribbon, fuse or quotient filter compares some bits of each key, independently of each other.
/// Without some of those bits, it is the filter that the same keys would have built at the higher
/// rate. So one filter serves several sizes: programs with less memory load less of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be truncated",
    label = "it does not support truncation",
    note = "a `RibbonFilter` or a `QuotientFilter` can; `amq::Ability::Truncate.kinds()` lists all",
    note = "views cannot be truncated: load the file"
)]
pub trait TruncateFilter: Filter {
    /// Shrinks the filter to a smaller budget for the same keys.
    ///
    /// The budget applies to the number of keys that the filter was planned for. The result is as
    /// large as a filter built for that budget: for a rate, the smallest that meets it; for a size,
    /// the largest that fits. The current budget changes nothing. A larger one is refused, and so
    /// is any that [`PlanFilter::plan`](super::PlanFilter::plan) refuses. Both the old and the new
    /// table are in memory while this runs.
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError>;
}
