//! A filter that may be missing, and then answers "maybe".

use crate::AnyFilter;
use alloc::sync::Arc;
use amq_core::{Bytes, Filter, FilterExt, FilterFile, Key, KeyHash, ReadError, SharedBytes};
use std::io;
use std::path::Path;

/// A filter that was loaded or opened, or the reason why not. Without a filter every answer is
/// `true`, "maybe". A program that filters slow lookups is then slow, but never wrong.
///
/// It answers single keys. For batches and statistics, use its [`filter`](Self::filter).
///
/// **Do not remove duplicates with it**: a program that drops the events it has seen would drop
/// every event. Use [`AnyFilter::load`](FilterFile::load) there. After an error start with an empty
/// filter, which lets duplicates through, or stop.
///
/// ```
/// let filter = amq::load_or_maybe("no such file");
/// assert!(filter.contains("any key"));
/// assert!(filter.error().is_some()); // log it
/// ```
#[derive(Debug)]
pub struct OrMaybe<F = AnyFilter>(Result<F, ReadError>);

/// Loads the filter in a file; if that fails, for whatever reason, every answer is "maybe".
///
/// Only for filters in front of a lookup. A program that drops what it has seen would drop
/// everything: see [`OrMaybe`].
pub fn load_or_maybe(path: impl AsRef<Path>) -> OrMaybe {
    OrMaybe(AnyFilter::load(path))
}

/// A view of the filter in these bytes, such as a memory map, which it owns. If that fails, or the
/// file could not be mapped, every answer is "maybe".
///
/// Everything is checked, as by [`FilterFile::view_shared`]. Only for filters in front of a lookup,
/// as [`load_or_maybe`].
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
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.filter().is_none_or(|filter| filter.contains(key))
    }

    /// Whether the key with this hash may be in; see [`contains`](Self::contains).
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        self.filter().is_none_or(|filter| filter.contains_hash(hash))
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
