//! Requests for memory that may be refused.

use std::collections::TryReserveError;
use std::sync::{Mutex, PoisonError};

/// What must be left for the rest of the program, whose small requests cannot be refused without
/// ending it.
const LEFT: usize = 2 << 20;

/// Only one thread at a time makes a large request: what it finds free is not taken by another.
static ASKING: Mutex<()> = Mutex::new(());

/// Reserves room for `more` items after those of `held`, and leaves some memory.
pub(crate) fn reserve<T>(held: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    if held.capacity() - held.len() >= more {
        return Ok(());
    }
    let room = (held.len() + more).max(2 * held.capacity());
    reserve_exact(held, room - held.len())
}

/// Reserves memory for exactly `more` elements.
pub(crate) fn reserve_exact<T>(held: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    spare(held.len().saturating_add(more).saturating_mul(size_of::<T>()))?;
    held.try_reserve_exact(more)
}

/// Checks that this many bytes are free, and some for the rest, for code whose own request cannot
/// be refused.
pub(crate) fn spare(bytes: usize) -> Result<(), TryReserveError> {
    Vec::<u8>::new().try_reserve_exact(bytes.saturating_add(LEFT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_an_error() {
        let mut held = vec![1u64];
        assert!(reserve(&mut held, usize::MAX / 16).is_err());
        assert!(reserve_exact(&mut held, usize::MAX / 16).is_err());
        assert_eq!(held, [1]);
        reserve(&mut held, 1000).unwrap();
        assert!(held.capacity() >= 1001);
    }
}
