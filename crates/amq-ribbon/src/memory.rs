//! Fallible allocation of vectors.

use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::reserve;

/// Grows a vector to `items` elements if it has fewer.
pub(crate) fn at_least<T: Clone + Default>(
    list: &mut Vec<T>,
    items: u64,
) -> Result<(), BuildError> {
    let len = list.len() as u64;
    if len < items {
        reserve(list, items - len)?;
        list.resize(items as usize, T::default());
    }
    Ok(())
}

/// An empty vector with room for `items` elements.
pub(crate) fn room<T>(items: u64) -> Result<Vec<T>, BuildError> {
    let mut list = Vec::new();
    reserve(&mut list, items)?;
    Ok(list)
}
