//! Query streams: the keys to query, in order.
//!
//! The suite sets the length, and keys are distinct as far as the set suffices. The branch
//! predictor learns a stream that repeats after a few thousand queries, and the filter then looks
//! faster than it is. A smaller set is repeated, in a new order each time.

use crate::keys::{Arena, Made, Store};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::{SliceRandom, index};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A key of at most this many bytes is copied for every query, so that a stream is read
/// sequentially. A longer key is stored once, or a stream would take many times the memory of its
/// keys.
const SHORT_KEY: usize = 64;

/// One query: which key of which set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pick {
    present: bool,
    index: usize,
}

/// A stream of queries.
#[derive(Debug)]
pub struct Stream {
    /// The keys in query order.
    pub keys: Store,
    picks: Vec<Pick>,
}

impl Stream {
    /// `length` queries, `share` percent of them for present keys, in random order.
    pub fn new(made: &Made, length: usize, share: usize, rng: &mut Xoshiro256PlusPlus) -> Self {
        let present = length * share / 100;
        let mut picks = Vec::with_capacity(length);
        for (of_present, pool, count) in
            [(true, made.present.len(), present), (false, made.absent.len(), length - present)]
        {
            picks.extend(
                draws(pool, count, rng)
                    .into_iter()
                    .map(|index| Pick { present: of_present, index }),
            );
        }
        picks.shuffle(rng);
        Self { keys: gather(made, &picks), picks }
    }

    /// What each query must be answered, given that all present keys are found and that `absent[i]`
    /// is the answer for absent key `i`.
    pub fn answers(&self, absent: &[bool]) -> Vec<bool> {
        let of = |pick: &Pick| pick.present || absent.get(pick.index).copied().unwrap_or(false);
        self.picks.iter().map(of).collect()
    }
}

/// `length` queries, half of them for present keys, in random order.
pub fn half_present(present: &[u64], absent: &[u64], length: usize, seed: u64) -> Vec<u64> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut keys = Vec::with_capacity(length);
    for (pool, count) in [(present, length / 2), (absent, length - length / 2)] {
        let places = draws(pool.len(), count, &mut rng);
        keys.extend(places.into_iter().map(|place| pool[place]));
    }
    keys.shuffle(&mut rng);
    keys
}

/// Half of the keys, and the other half, both in random order.
pub fn halves(keys: &Store, rng: &mut Xoshiro256PlusPlus) -> (Store, Store) {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.shuffle(rng);
    let (one, other) = places.split_at(places.len() / 2);
    (keys.pick(one), keys.pick(other))
}

/// `count` indices into a pool: distinct if it has that many, else the whole pool repeatedly.
fn draws(pool: usize, count: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut draws = Vec::with_capacity(count);
    while draws.len() < count && pool > 0 {
        let wanted = (count - draws.len()).min(pool);
        draws.extend(index::sample(rng, pool, wanted));
    }
    draws
}

fn gather(made: &Made, picks: &[Pick]) -> Store {
    match (&made.present, &made.absent) {
        (Store::U64(present), Store::U64(absent)) => {
            let of = |pick: &Pick| if pick.present { present } else { absent }[pick.index];
            Store::U64(picks.iter().map(of).collect())
        }
        (Store::Bytes(present), Store::Bytes(absent)) => {
            let mut keys = Arena::default();
            let mut first = HashMap::new();
            for (place, pick) in picks.iter().enumerate() {
                let key = if pick.present { present } else { absent }.get(pick.index);
                match first.entry(pick) {
                    Entry::Occupied(first) if key.len() > SHORT_KEY => keys.repeat(*first.get()),
                    entry => {
                        entry.or_insert(place);
                        keys.push(key);
                    }
                }
            }
            Store::Bytes(keys)
        }
        // Unreachable: both halves of a set have one type.
        _ => Store::Bytes(Arena::default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KeySet;
    use std::collections::HashSet;

    #[test]
    fn a_stream_has_its_share_of_present_keys_and_repeats_none_while_there_are_others() {
        for set in [KeySet::Sequential, KeySet::Strings] {
            let made = set.make(2000, 2000, 3).unwrap();
            for share in [0, 50, 100] {
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
                let stream = Stream::new(&made, 2000, share, &mut rng);
                assert_eq!(stream.keys.len(), 2000);
                let hits = |absent: &[bool]| {
                    let answers = stream.answers(absent);
                    answers.into_iter().filter(|&hit| hit).count()
                };
                assert_eq!((hits(&[]), hits(&[true; 2000])), (20 * share, 2000));
                assert!(stream.keys.distinct_from(&match stream.keys {
                    Store::U64(_) => Store::U64(vec![]),
                    Store::Bytes(_) => Store::Bytes(Arena::default()),
                }));
            }
        }
    }

    #[test]
    fn every_other_query_of_a_load_is_for_a_present_key() {
        let (present, absent): (Vec<u64>, Vec<u64>) = ((0..100).collect(), (1000..3000).collect());
        let stream = half_present(&present, &absent, 1000, 1);
        let of_present = stream.iter().filter(|&&key| key < 100).count();
        assert_eq!((stream.len(), of_present), (1000, 500));
        assert!(!stream.is_sorted() && stream == half_present(&present, &absent, 1000, 1));
        // An empty filter gets absent keys only.
        assert_eq!(half_present(&[], &absent, 10, 1).len(), 5);
    }

    #[test]
    fn halves_are_distinct_shuffled_and_together_everything() {
        let made = KeySet::Sequential.make(101, 10, 3).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let (one, other) = halves(&made.present, &mut rng);
        assert_eq!((one.len(), other.len()), (50, 51));
        assert!(one.distinct_from(&other));
        let Store::U64(one) = one else {
            panic!("integers stay integers");
        };
        assert!(!one.is_sorted() && one.iter().all(|&key| key < 101));
    }

    #[test]
    fn a_small_set_is_gone_through_again_in_another_order() {
        let made = KeySet::Sequential.make(100, 10, 3).unwrap();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let Store::U64(keys) = Stream::new(&made, 300, 100, &mut rng).keys else {
            panic!("integers stay integers");
        };
        assert_eq!(keys.iter().collect::<HashSet<_>>().len(), 100);
        for key in 0..100 {
            assert_eq!(keys.iter().filter(|&&k| k == key).count(), 3);
        }
    }
}
