//! The hashes of an array, block by block.

use crate::encoding::Given;
use crate::interrupts::Patience;
use amq::KeyHash;
use arrow_buffer::NullBuffer;
use pyo3::prelude::*;

/// Keys that are hashed before the filter is asked: their hashes stay in the cache.
const BLOCK: usize = 1024;

/// The hashes of the keys from `first` on, computed into a slice.
pub(super) type Fill<'a> = Box<dyn Fn(usize, &mut [KeyHash]) + 'a>;

/// Some keys of an array.
pub(crate) struct Block<'a> {
    /// A hash for each; of a null any.
    pub(crate) hashes: &'a [KeyHash],
    pub(crate) given: Given,
    nulls: Option<&'a NullBuffer>,
    first: usize,
}

impl Block<'_> {
    fn is_key(&self, index: usize) -> bool {
        self.nulls.is_none_or(|nulls| nulls.is_valid(self.first + index))
    }

    /// The indices of those that are nulls.
    pub(crate) fn nulls(&self) -> impl Iterator<Item = usize> {
        let all = if self.has_nulls() { self.hashes.len() } else { 0 };
        (0..all).filter(|&index| !self.is_key(index))
    }

    pub(crate) const fn has_nulls(&self) -> bool {
        self.nulls.is_some()
    }

    /// The hashes of those that are none.
    pub(crate) fn keys(&self) -> Vec<KeyHash> {
        let keys = self.hashes.iter().enumerate().filter(|&(index, _)| self.is_key(index));
        keys.map(|(_, hash)| *hash).collect()
    }
}

/// Calls `each` with the blocks of one piece.
pub(super) fn blocks(
    fill: &Fill<'_>,
    len: usize,
    nulls: Option<&NullBuffer>,
    given: Given,
    patience: &mut Patience,
    each: &mut impl FnMut(&Block<'_>) -> PyResult<()>,
) -> PyResult<()> {
    let mut room = [KeyHash::new(0); BLOCK];
    for first in (0..len).step_by(BLOCK) {
        patience.hear()?;
        let hashes = &mut room[..BLOCK.min(len - first)];
        fill(first, hashes);
        each(&Block { hashes, given, nulls, first })?;
    }
    Ok(())
}
