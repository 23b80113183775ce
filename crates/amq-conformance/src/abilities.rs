//! The abilities of a filter, for the laws that use all of them.

use crate::fill::Fill;
use amq_core::{
    Budget, ClearFilter, Count, CountFilter, InsertFilter, KeyHash, MergeError, MergeFilter,
    RemoveFilter, TruncateError, TruncateFilter,
};

type Insert<F> = fn(&mut F) -> &mut dyn InsertFilter;
type Remove<F> = fn(&mut F, KeyHash) -> bool;
type Merge<F> = fn(&mut F, &F) -> Result<(), MergeError>;
type CountOf<F> = fn(&F, KeyHash) -> Count;
type Truncate<F> = fn(&mut F, Budget) -> Result<(), TruncateError>;

/// How a filter is filled and what else it can do, named as in [`suite!`](crate::suite):
/// `Abilities::new(by_inserting).empty().merge().remove()`.
#[derive(Clone, Copy, Debug)]
pub struct Abilities<F> {
    pub(crate) fill: Fill<F>,
    pub(crate) insert: Option<Insert<F>>,
    pub(crate) clear: Option<fn(&mut F)>,
    pub(crate) remove: Option<Remove<F>>,
    pub(crate) merge: Option<Merge<F>>,
    pub(crate) count: Option<CountOf<F>>,
    pub(crate) truncate: Option<Truncate<F>>,
}

impl<F> Abilities<F> {
    /// None yet.
    pub const fn new(fill: Fill<F>) -> Self {
        let (insert, clear, remove, merge, count, truncate) = (None, None, None, None, None, None);
        Self { fill, insert, clear, remove, merge, count, truncate }
    }
}

impl<F> Abilities<F> {
    /// Can also be built at once, which does not affect an existing filter.
    #[must_use]
    pub const fn build(self) -> Self {
        self
    }

    /// Also grows by itself.
    #[must_use]
    pub const fn grow(self) -> Self {
        self
    }

    /// Can also be saved.
    #[must_use]
    pub const fn file(self) -> Self {
        self
    }
}

impl<F: InsertFilter + ClearFilter> Abilities<F> {
    /// Starts empty, inserts keys, and is cleared.
    #[must_use]
    pub fn empty(self) -> Self {
        Self { insert: Some(|filter| filter), clear: Some(F::clear), ..self }
    }
}

impl<F: RemoveFilter> Abilities<F> {
    /// Removes keys; it then holds every copy of a key, and `len` counts them.
    #[must_use]
    pub fn remove(self) -> Self {
        Self { remove: Some(F::remove_hash), ..self }
    }
}

impl<F: MergeFilter> Abilities<F> {
    /// Merges with another filter.
    #[must_use]
    pub fn merge(self) -> Self {
        Self { merge: Some(F::merge), ..self }
    }
}

impl<F: CountFilter> Abilities<F> {
    /// Counts copies.
    #[must_use]
    pub fn count(self) -> Self {
        Self { count: Some(F::count_hash), ..self }
    }
}

impl<F: TruncateFilter> Abilities<F> {
    /// Is truncated.
    #[must_use]
    pub fn truncate(self) -> Self {
        Self { truncate: Some(F::truncate), ..self }
    }
}
