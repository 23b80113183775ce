//! Helpers that the tests of filters share, beside the laws.

use crate::fail::OrFail;
use amq_core::KeyHash;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A new, empty folder for a test's files, removed with them when dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates it in the system's folder of temporary files.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it creates something")]
    pub fn new() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let own = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("amq-test-{}-{}", own.0, own.1));
        std::fs::create_dir(&path).or_fail(path.display());
        Self(path)
    }
}

impl core::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that failed may have left it in any state.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

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
