//! Functions of the caller whose hashes are not evenly distributed.

use amq::{KeyHash, UnevenHashes};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Different hashes that are enough to tell.
const ENOUGH: usize = 1000;

/// The hashes that were inserted, while all of them agree in their highest 16 bits and there are
/// few.
#[derive(Debug, Default)]
pub(crate) struct Watch(Vec<u64>);

impl Watch {
    /// Refuses hashes that bring those that agree to a thousand different ones. Whether to go on
    /// watching: no longer, once one differs.
    pub(crate) fn take(&mut self, hashes: &[KeyHash]) -> PyResult<bool> {
        let before = self.0.len();
        for hash in hashes.iter().map(|hash| hash.get()) {
            let first = *self.0.first().unwrap_or(&hash);
            if (first ^ hash) >> 48 != 0 {
                return Ok(false);
            }
            if self.0.contains(&hash) {
                continue;
            }
            if self.0.len() + 1 == ENOUGH {
                self.0.truncate(before);
                return Err(refused(UnevenHashes::new(ENOUGH as u64, (first >> 48) as u16)));
            }
            self.0.push(hash);
        }
        Ok(true)
    }
}

/// What it is called in Python, and the way out there.
pub(crate) fn refused(error: UnevenHashes) -> PyErr {
    PyValueError::new_err(format!(
        "{} different hashes of hash_func agree in their highest 16 bits, {:#06x}, and a filter \
         needs integers that are evenly distributed over all 64 bits: use a 64-bit hash, such as \
         XXH3, or leave hash_func out and insert the weak hash as a key, which the filter hashes \
         once more: add(crc32(key))",
        error.hashes, error.highest
    ))
}
