//! Fallible allocation of vectors.

use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::reserve;

/// Sets a vector to `len` zeros.
pub(crate) fn cleared<T: Clone + Default>(list: &mut Vec<T>, len: u64) -> Result<(), BuildError> {
    list.clear();
    reserve(list, len)?;
    list.resize(len as usize, T::default());
    Ok(())
}
