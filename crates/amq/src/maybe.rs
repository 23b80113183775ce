//! A filter that may be missing, and then answers "maybe".

use crate::AnyFilter;
use amq_core::{Filter, Key, KeyHash, ReadError};
use std::path::Path;

/// A filter that was loaded, or the reason why not. Without a filter every answer is `true`,
/// "maybe": whoever stands a filter before something slow is then slow, and never wrong.
///
/// ```
/// let filter = amq::load_or_maybe("no such file");
/// assert!(filter.contains("any key"));
/// assert!(filter.error().is_some()); // log it
/// ```
#[derive(Debug)]
pub struct OrMaybe(Result<AnyFilter, ReadError>);

/// Loads the filter in a file; if that fails, for whatever reason, every answer is "maybe".
pub fn load_or_maybe(path: impl AsRef<Path>) -> OrMaybe {
    OrMaybe(AnyFilter::load(path))
}

impl OrMaybe {
    /// Whether `key` may be in: `false` is certain.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.0.as_ref().map_or(true, |filter| filter.contains(key))
    }

    /// The same for the key with this hash.
    #[inline]
    #[must_use]
    pub fn contains_hash(&self, hash: KeyHash) -> bool {
        self.0.as_ref().map_or(true, |filter| filter.contains_hash(hash))
    }

    /// The filter, if it was loaded.
    #[must_use]
    pub fn filter(&self) -> Option<&AnyFilter> {
        self.0.as_ref().ok()
    }

    /// Why it was not.
    #[must_use]
    pub fn error(&self) -> Option<&ReadError> {
        self.0.as_ref().err()
    }
}
