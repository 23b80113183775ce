//! Allocation of tables whose size a caller or a file chose.

use crate::BuildError;
use alloc::vec::Vec;

/// A table of `len` copies of `value`, or [`BuildError::OutOfMemory`] if the allocator refuses.
///
/// Never aborts: a size beyond the address space is also an error.
fn filled<T: Clone>(len: u64, value: T) -> Result<Vec<T>, BuildError> {
    let mut table = Vec::new();
    reserve(&mut table, len)?;
    // This fits: the room is reserved.
    table.resize(len as usize, value);
    Ok(table)
}

/// Room for `more` elements beyond those in the vector, or [`BuildError::OutOfMemory`].
pub fn reserve<T>(vector: &mut Vec<T>, more: u64) -> Result<(), BuildError> {
    let refused = BuildError::OutOfMemory { bytes: more.saturating_mul(size_of::<T>() as u64) };
    let more = usize::try_from(more).map_err(|_| refused)?;
    vector.try_reserve_exact(more).map_err(|_| refused)
}

/// A table of `len` default values.
pub fn zeroed<T: Clone + Default>(len: u64) -> Result<Vec<T>, BuildError> {
    filled(len, T::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_cannot_be_had_is_an_error_with_the_size_in_it() {
        for len in [u64::MAX, 1 << 60, (1 << 63) / 8] {
            assert_eq!(
                zeroed::<u64>(len),
                Err(BuildError::OutOfMemory { bytes: len.saturating_mul(8) })
            );
        }
        assert_eq!(filled(3, 7u8), Ok(alloc::vec![7, 7, 7]));
        assert_eq!(zeroed::<u64>(0), Ok(Vec::new()));
    }
}
