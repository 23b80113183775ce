//! Query streams: the keys to query, in order.
//!
//! The suite sets the length, and keys are distinct if the set is large enough. A smaller set is
//! repeated, in a new order each time: the branch predictor would learn a stream that repeats after
//! a few thousand queries, and the filter would look faster than it is.

use crate::scenarios::keys::{Made, Store};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::{SliceRandom, index};

#[derive(Debug)]
pub struct Stream {
    pub keys: Store,
    /// The index of each, with the absent keys behind the present ones.
    picks: Vec<usize>,
    present: usize,
}

impl Stream {
    /// `length` queries, `share` percent of them for present keys, in random order.
    pub fn new(made: &Made, length: usize, share: usize, rng: &mut Xoshiro256PlusPlus) -> Self {
        let Made { present, absent, .. } = made;
        let picks = picks([present.len(), absent.len()], length * share / 100, length, rng);
        Self { keys: present.pick(absent, &picks), picks, present: present.len() }
    }

    /// The correct answer to each query, if all present keys are found and `absent[i]` is the
    /// answer for absent key `i`.
    pub fn answers(&self, absent: &[bool]) -> Vec<bool> {
        let of = |pick: &usize| {
            let behind = pick.checked_sub(self.present);
            behind.is_none_or(|pick| absent.get(pick) == Some(&true))
        };
        self.picks.iter().map(of).collect()
    }
}

/// Half of the keys, and the other half, both in random order.
pub fn halves(keys: &Store, rng: &mut Xoshiro256PlusPlus) -> (Store, Store) {
    let mut places: Vec<usize> = (0..keys.len()).collect();
    places.shuffle(rng);
    let (one, other) = places.split_at(places.len() / 2);
    (keys.pick(keys, one), keys.pick(keys, other))
}

/// `length` indices, `of_first` of them into the first of two pools, in random order. The second
/// pool's follow the first's. Indices into a pool are distinct if it is large enough; otherwise it
/// is repeated. An empty pool has none.
fn picks(
    pools: [usize; 2],
    of_first: usize,
    length: usize,
    rng: &mut Xoshiro256PlusPlus,
) -> Vec<usize> {
    let mut picks = Vec::with_capacity(length);
    for (pool, mut count, start) in
        [(pools[0], of_first, 0), (pools[1], length - of_first, pools[0])]
    {
        while count > 0 && pool > 0 {
            let some = count.min(pool);
            picks.extend(index::sample(rng, pool, some).into_iter().map(|pick| start + pick));
            count -= some;
        }
    }
    picks.shuffle(rng);
    picks
}
