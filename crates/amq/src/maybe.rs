//! A filter that may be missing, and then answers "maybe".

use crate::AnyFilter;
use alloc::sync::Arc;
use amq_core::{
    Bytes, Filter, FilterExt, FilterFile, FilterKind, Key, KeyHash, LengthMismatch, ReadError,
    SharedBytes,
};
use std::io;
use std::path::Path;

/// A filter that was loaded or opened, or the reason why not. Without a filter every answer is
/// `true`, "maybe". A program that filters slow lookups is then slow, but never wrong.
///
/// ```
/// let filter = amq::load_or_maybe("no such file");
/// assert!(filter.contains("any key"));
/// assert!(filter.error().is_some()); // log it
/// ```
#[derive(Debug)]
pub struct OrMaybe<F = AnyFilter>(Result<F, ReadError>);

/// Loads the filter in a file; if that fails, for whatever reason, every answer is "maybe".
pub fn load_or_maybe(path: impl AsRef<Path>) -> OrMaybe {
    OrMaybe(AnyFilter::load(path))
}

/// A view of the filter in these bytes, such as a memory map, which it owns. If that fails, or the
/// file could not be mapped, every answer is "maybe".
///
/// Everything is checked, as by [`FilterFile::view_shared`].
///
/// ```
/// use std::fs::File;
///
/// // let map = File::open("seen.amq").and_then(|file| unsafe { memmap2::Mmap::map(&file) });
/// let map = File::open("no such file").map(|_| Vec::new());
/// let filter = amq::open_or_maybe(map);
/// assert!(filter.contains("any key"));
/// assert!(filter.error().is_some()); // log it
/// ```
pub fn open_or_maybe<T: Bytes>(bytes: io::Result<T>) -> OrMaybe<AnyFilter<SharedBytes<T>>> {
    let opened = bytes.map_err(ReadError::Io);
    OrMaybe(opened.and_then(|bytes| Ok(AnyFilter::view_shared(Arc::new(bytes))?)))
}

impl<F: Filter> OrMaybe<F> {
    /// Whether `key` may be in: `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }

    /// Whether the key with this hash is probably in; see [`contains`](Self::contains).
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        Filter::contains_hash(self, hash)
    }

    /// The filter, if it was read.
    #[must_use]
    pub fn filter(&self) -> Option<&F> {
        self.0.as_ref().ok()
    }

    /// Why it was not read.
    #[must_use]
    pub fn error(&self) -> Option<&ReadError> {
        self.0.as_ref().err()
    }
}

/// The state of a missing filter: a rate of 1, and no memory.
impl<F: Filter> Filter for OrMaybe<F> {
    /// [`FilterKind::Other`]`("missing")` if there is none.
    fn kind(&self) -> FilterKind {
        self.filter().map_or(FilterKind::Other("missing"), F::kind)
    }

    fn seed(&self) -> u64 {
        self.filter().map_or(0, F::seed)
    }

    fn len(&self) -> u64 {
        self.filter().map_or(0, F::len)
    }

    fn capacity(&self) -> u64 {
        self.filter().map_or(0, F::capacity)
    }

    fn size_in_bytes(&self) -> u64 {
        self.filter().map_or(0, F::size_in_bytes)
    }

    fn expected_fpr(&self) -> f64 {
        self.filter().map_or(1.0, F::expected_fpr)
    }

    fn load_factor(&self) -> f64 {
        self.filter().map_or(0.0, F::load_factor)
    }

    fn saturated(&self) -> u64 {
        self.filter().map_or(0, F::saturated)
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.filter().is_none_or(|filter| filter.contains_hash(hash))
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        if let Some(filter) = self.filter() {
            return filter.contains_batch(hashes, answers);
        }
        LengthMismatch::check(hashes.len(), answers.len())?;
        answers.fill(true);
        Ok(())
    }
}
