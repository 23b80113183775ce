//! Helpers that the tests of filters share, beside the laws.

use amq_core::KeyHash;

/// The hash of this key under a seed.
#[must_use]
pub fn hash(key: u64, seed: u64) -> KeyHash {
    KeyHash::of(&key, seed)
}

/// The hashes of these keys under a seed.
#[must_use]
pub fn hashes(keys: impl IntoIterator<Item = u64>, seed: u64) -> Vec<KeyHash> {
    keys.into_iter().map(|key| hash(key, seed)).collect()
}

/// The `i`-th of a sequence of random numbers, the same in every run.
#[must_use]
pub fn noise(i: u64) -> u64 {
    hash(i, 77).get()
}

/// The 64-bit number in a file at `at`.
#[must_use]
pub fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i]))
}

/// Writes a 64-bit number into a file at `at`. [`mend`](crate::files::mend) then corrects the
/// checksums.
pub fn set(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
}
