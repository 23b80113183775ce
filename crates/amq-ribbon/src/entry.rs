//! The entries of filters and maps: hashes of keys, with or without a value.

use crate::row;
#[cfg(feature = "rayon")]
use amq_core::HashSource;
use amq_core::{Key, KeyHash};

/// An entry becomes an equation: a hash, and the result that its row must have.
pub(crate) trait Entry: Copy + Default + Send + Sync {
    /// The hash in this layer.
    fn hash(self) -> u64;
    /// This entry with its hash in another layer.
    fn with_hash(self, hash: u64) -> Self;
    /// The result that its row must have.
    fn result(self) -> u32;
}

/// A filter's entry: the result is part of the hash.
impl Entry for KeyHash {
    #[inline(always)]
    fn hash(self) -> u64 {
        self.get()
    }

    #[inline(always)]
    fn with_hash(self, hash: u64) -> Self {
        Self::new(hash)
    }

    #[inline(always)]
    fn result(self) -> u32 {
        row::result(self.get())
    }
}

/// A map's entry: the result is the value.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Pair {
    pub(crate) hash: u64,
    pub(crate) value: u32,
}

impl Entry for Pair {
    #[inline(always)]
    fn hash(self) -> u64 {
        self.hash
    }

    #[inline(always)]
    fn with_hash(self, hash: u64) -> Self {
        Self { hash, ..self }
    }

    #[inline(always)]
    fn result(self) -> u32 {
        self.value
    }
}

/// Entries that are iterated twice: to count them, and to distribute them to their shards.
pub(crate) trait Source<E> {
    /// The number of entries.
    fn len(&self) -> u64;
    /// Calls `each` with every entry, in the same order every time.
    fn for_each(&self, each: impl FnMut(E));
}

impl<E: Entry> Source<E> for [E] {
    fn len(&self) -> u64 {
        self.len() as u64
    }

    #[inline]
    fn for_each(&self, each: impl FnMut(E)) {
        self.iter().copied().for_each(each);
    }
}

/// Keys that are hashed again in each pass, which is faster than keeping their hashes.
#[derive(Debug)]
pub(crate) struct Hashed<'a, K> {
    pub(crate) keys: &'a [K],
    pub(crate) seed: u64,
}

impl<K: Key> Source<KeyHash> for Hashed<'_, K> {
    fn len(&self) -> u64 {
        self.keys.len() as u64
    }

    #[inline]
    fn for_each(&self, mut each: impl FnMut(KeyHash)) {
        for key in self.keys {
            each(key.key_hash(self.seed));
        }
    }
}

/// The source may hash the keys afresh in each pass.
#[cfg(feature = "rayon")]
impl Source<KeyHash> for dyn HashSource + '_ {
    fn len(&self) -> u64 {
        HashSource::len(self) as u64
    }

    #[inline]
    fn for_each(&self, mut each: impl FnMut(KeyHash)) {
        let mut some = [KeyHash::new(0); 512];
        for first in (0..HashSource::len(self)).step_by(some.len()) {
            let some = &mut some[..(HashSource::len(self) - first).min(512)];
            self.write(first, some);
            some.iter().copied().for_each(&mut each);
        }
    }
}
