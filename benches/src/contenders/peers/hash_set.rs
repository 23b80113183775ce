//! The exact set: what a filter saves, and what exact answers cost.

use super::{BenchKey, Entry, Made, Order, done, exactly, filled, probe};
use foldhash::fast::FixedState;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;

/// With foldhash: the set's default hasher resists attacks and would handicap it. Strings are boxed
/// slices: no spare capacity, and no word to hold it.
pub(super) fn all() -> Vec<Entry> {
    vec![Entry::of("std-hashset", make::<u64, u64>, make::<[u8], Box<[u8]>>)]
}

type Set<T> = HashSet<T, FixedState>;

/// A key as the set keeps it.
trait Kept<K: BenchKey + ?Sized>: Borrow<K> + Hash + Eq + Clone + From<K::Owned> + 'static {}
impl Kept<u64> for u64 {}
impl Kept<[u8]> for Box<[u8]> {}

fn make<K: BenchKey + ?Sized, T: Kept<K>>(keys: &[K::Item<'_>], order: &Order) -> Made<Set<T>> {
    let state = FixedState::with_seed(order.seed);
    filled::<K, _>(Set::with_capacity_and_hasher(order.room(keys.len()), state), keys)
}

// The standard library does not report its size.
probe! { Set<T>, with [T: Kept<K>], |set, key, keys|
    holds: set.contains(key);
    predicted: exactly(0.0);
    insert: done(set.insert(key.to_owned().into()));
    insert_all: {
        set.extend(keys.iter().map(|key| T::from(Borrow::<K>::borrow(key).to_owned())));
        keys.len() as u64
    };
    remove: set.remove(key);
    merge: {
        set.extend(key.iter().cloned());
        Ok(())
    };
}
