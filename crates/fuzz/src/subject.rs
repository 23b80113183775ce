//! Helpers of the targets for a filter of any kind.

use amq::{Abilities, AnyError, AnyFilter, Filter, FilterFile};

/// The file.
pub fn encode(filter: &AnyFilter) -> Vec<u8> {
    filter.to_bytes().expect("memory for the file")
}

/// The abilities of its kind.
pub fn can(filter: &AnyFilter) -> Abilities {
    Abilities::of(filter.kind())
}

/// Merges `other` into `filter`, all or nothing; returns whether it did.
pub fn try_merge(filter: &mut AnyFilter, other: &AnyFilter) -> bool {
    let before = filter.clone();
    let allowed = filter.can_merge(other);
    let merged = filter.merge(other);
    assert_eq!(merged, allowed);
    let unsupported = matches!(merged, Err(AnyError::Unsupported(_)));
    assert_eq!(unsupported, !can(filter).merge);
    assert!(merged.is_ok() || *filter == before, "a refused merge changed the filter");
    merged.is_ok()
}
