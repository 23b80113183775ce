//! Fallible memory reservations.

use std::collections::TryReserveError;
use std::sync::{Mutex, PoisonError};

/// Memory left for the rest of the program, whose small allocations abort it if they fail.
const LEFT: usize = 2 << 20;

/// One large reservation at a time, so that no other thread takes what it has found free.
static ASKING: Mutex<()> = Mutex::new(());

/// Reserves room for `more` items after those of `held`, if some memory stays free.
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

/// Checks that this many bytes and some more are free, before code whose own allocation aborts if
/// it fails.
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
