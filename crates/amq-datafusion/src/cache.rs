//! Filters that were decoded, kept for the next batch.

use amq::format::HEADER;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// What is kept at most, in filters and in bytes of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) filters: usize,
    pub(crate) bytes: usize,
}

/// A bounded map to values that are shared; the one used longest ago goes first.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    bounds: Bounds,
    kept: Mutex<Kept<K, V>>,
}

#[derive(Debug)]
struct Kept<K, V> {
    values: HashMap<K, Entry<V>>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<V>,
    bytes: usize,
    used: u64,
}

impl<K: Hash + Eq + Clone, V> Cache<K, V> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let kept = Kept { values: HashMap::new(), bytes: 0, clock: 0 };
        Self { bounds, kept: Mutex::new(kept) }
    }

    /// The value of `key`, made and kept if it is not there. What is larger than all that may be
    /// kept is kept alone. Making happens outside the lock: two threads may do it at once.
    pub(crate) fn get_or<E>(
        &self,
        key: &K,
        bytes: usize,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        if let Some(value) = self.get(key) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        self.keep(key.clone(), bytes, &value);
        Ok(value)
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.values.get_mut(key)?;
        entry.used = now;
        Some(Arc::clone(&entry.value))
    }

    /// Keeps the value, in place of one of the same key.
    pub(crate) fn keep(&self, key: K, bytes: usize, value: &Arc<V>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let entry = Entry { value: Arc::clone(value), bytes, used: kept.clock };
        let before = kept.values.insert(key, entry);
        kept.bytes = kept.bytes + bytes - before.map_or(0, |entry| entry.bytes);
        let Bounds { filters, bytes: most } = self.bounds;
        while kept.values.len() > 1 && (kept.values.len() > filters || kept.bytes > most) {
            let oldest = kept.values.iter().min_by_key(|(_, entry)| entry.used);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { break };
            let gone = kept.values.remove(&key);
            kept.bytes -= gone.map_or(0, |entry| entry.bytes);
        }
    }

    #[cfg(test)]
    fn held(&self) -> (usize, usize) {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        (kept.values.len(), kept.bytes)
    }
}

/// What tells one filter's bytes from another's without reading them all: length and header, which
/// holds the checksums of everything else and of itself.
pub(crate) type Identity = (usize, [u8; HEADER]);

/// `None` if there is no whole header.
pub(crate) fn identity(bytes: &[u8]) -> Option<Identity> {
    Some((bytes.len(), *bytes.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_used_longest_ago_goes_first_and_both_bounds_hold() {
        let cache = Cache::new(Bounds { filters: 3, bytes: 100 });
        let put = |key: u32, bytes| cache.get_or(&key, bytes, || Ok::<_, ()>(key)).unwrap();
        for key in 1..=3 {
            put(key, 10);
        }
        assert!(cache.get(&1).is_some());
        put(4, 10);
        assert_eq!((cache.get(&2), cache.held()), (None, (3, 30)));
        put(5, 90);
        assert!(cache.held().1 <= 100 && cache.get(&5).is_some());
        put(6, 101);
        assert_eq!((cache.get(&5), cache.held()), (None, (1, 101)), "larger than all: alone");
        let failed = cache.get_or(&7, 1, || Err::<u32, _>("no")).unwrap_err();
        assert_eq!((failed, cache.get(&7)), ("no", None));
    }
}
