//! One of the generations.

use super::within;
use amq_core::{Filter, Key, KeyHash, Stats};
use core::fmt;

/// A generation of a [`Rolling`](super::Rolling) filter: the keys of one period.
///
/// Its filter holds remixed hashes, so keys are queried through this type.
#[derive(Clone, Copy)]
pub struct Generation<'a, F> {
    number: u64,
    seed: u64,
    filter: &'a F,
}

/// Without the seed, which may be secret.
impl<F: fmt::Debug> fmt::Debug for Generation<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Generation")
            .field("number", &self.number)
            .field("filter", self.filter)
            .finish_non_exhaustive()
    }
}

impl<'a, F> Generation<'a, F> {
    pub(super) const fn new(number: u64, seed: u64, filter: &'a F) -> Self {
        Self { number, seed, filter }
    }

    /// Its number: how often the filter had advanced when it began.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }
}

impl<F: Filter> Generation<'_, F> {
    /// Whether `key` was probably inserted in this period: `false` is certain.
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.seed))
    }

    /// Whether the key with this hash is probably in; see [`contains`](Self::contains).
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        self.filter.contains_hash(within(self.number, hash))
    }

    /// The number of keys in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.filter.len()
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// Its state, in a value that can be printed. Reads the whole table.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.filter.stats()
    }
}
