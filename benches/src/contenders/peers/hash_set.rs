//! The exact set, to show what filters save and what exact answers cost.

use super::common::{Made, Order, done, exactly, probe};
use foldhash::fast::FixedState;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::Hash;

/// With foldhash: the set's default hasher resists attacks and would handicap it. Strings are boxed
/// slices: no spare capacity, and no word to hold it.
pub(super) type Set<T> = HashSet<T, FixedState>;

pub(super) fn empty<T>(order: &Order, given: usize) -> Made<Set<T>> {
    let state = FixedState::with_seed(order.seed);
    Ok(Set::with_capacity_and_hasher(order.room(given), state))
}

// The standard library does not report its size.
probe! { Set<T>, with [T: Borrow<K> + Hash + Eq + Clone + From<K::Owned>], |set, key, keys|
    holds: set.contains(key);
    predicted: exactly(0.0);
    insert: done(set.insert(key.to_owned().into()));
    remove: set.remove(key);
    merge: Ok(set.extend(key.iter().cloned()));
}
