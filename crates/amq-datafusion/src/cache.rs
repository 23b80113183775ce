//! Caches of decoded filters.

use amq::KeyHash;
use datafusion_common::ScalarValue;
use datafusion_common::arrow::array::ListArray;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// The limits of a cache: entries and bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) filters: usize,
    pub(crate) bytes: usize,
}

/// A bounded map of shared values that evicts the least recently used.
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

    /// The value of `key`, made and kept if missing. A value larger than the limit is kept alone.
    /// Values are made outside the lock: two threads may make the same one.
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

    /// Keeps the value, replacing one with the same key.
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

/// Identifies a filter's bytes: their length, and a hash of all of them. Damaged bytes have another
/// identity.
pub(crate) type Identity = (usize, KeyHash);

pub(crate) fn identity(bytes: &[u8]) -> Identity {
    /// A random seed, so that nobody can prepare bytes with the identity of others.
    static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    (bytes.len(), KeyHash::of(bytes, *SEED))
}

/// Decoded constants: looked up once per batch, where hashing all bytes would cost too much.
///
/// A boxed constant is identified by the address of its box. A weak reference keeps the address
/// from being reused, but not the contents alive.
#[derive(Debug)]
pub(crate) struct Constants<V>(Cache<usize, (Weak<ListArray>, Arc<V>)>);

impl<V> Constants<V> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self(Cache::new(bounds))
    }

    /// The value of a constant, made if missing. Always made for a constant without a box.
    pub(crate) fn get_or<E>(
        &self,
        constant: Option<&ScalarValue>,
        bytes: usize,
        make: impl FnOnce() -> Result<Arc<V>, E>,
    ) -> Result<Arc<V>, E> {
        let Some(ScalarValue::List(list)) = constant else {
            return make();
        };
        let place = Arc::as_ptr(list) as usize;
        let kept = self.0.get_or(&place, bytes, || Ok((Arc::downgrade(list), make()?)));
        kept.map(|kept| Arc::clone(&kept.1))
    }
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

    #[test]
    fn a_constant_is_made_once_and_another_in_its_place_anew() {
        let constants = Constants::new(Bounds { filters: 2, bytes: 100 });
        let mut places = Vec::new();
        for round in 0..100u8 {
            let boxed = crate::filters::boxed(&[round]);
            let ScalarValue::List(list) = &boxed else { panic!("{boxed}") };
            places.push(Arc::as_ptr(list) as usize);
            for again in [&boxed, &boxed.clone()] {
                let made = constants.get_or(Some(again), 1, || Ok::<_, ()>(Arc::new(round)));
                assert_eq!(made.map(|made| *made), Ok(round));
            }
            let kept = constants.get_or(Some(&boxed), 1, || Err("made twice"));
            assert_eq!(kept.map(|kept| *kept), Ok(round));
        }
        places.sort_unstable();
        places.dedup();
        assert!(places.len() < 100, "no place was used again: nothing was shown");
    }
}
