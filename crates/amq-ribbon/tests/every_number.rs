//! No number of keys is one that cannot be built: each of them, of every kind. Half a minute each, so it is asked for:
//! `cargo test -p amq-ribbon --test every_number -- --ignored` (`.ci/run` does). A sample of it is in `laws.rs`.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions themselves.
#![allow(clippy::unwrap_used)]

use amq_ribbon::{
    Budget, BuildFilter, Bumped, Bumped128, Filter, Key, KeyHash, Kind, Ribbon, Standard,
    Standard64,
};

/// Past the numbers where shards become two, in every kind but the bumped ones, whose second shard comes at some 34,000.
const MOST: usize = 20_000;

fn builds_every_number<K: Kind>() {
    // The sequential keys of a counter.
    let hashes: Vec<KeyHash> = (0..MOST as u64).map(|key| key.key_hash(1)).collect();
    let mut answers = vec![false; MOST];
    for n in 0..=MOST {
        let filter = Ribbon::<K>::build(Budget::Fpr(0.05), 1, &hashes[..n]).unwrap();
        filter
            .contains_batch(&hashes[..n], &mut answers[..n])
            .unwrap();
        assert!(answers[..n].iter().all(|&answer| answer), "{n} keys");
        assert_eq!(filter.len(), n as u64);
    }
}

#[test]
#[ignore = "half a minute"]
fn standard_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds_every_number::<Standard>();
}

#[test]
#[ignore = "half a minute"]
fn narrow_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds_every_number::<Standard64>();
}

#[test]
#[ignore = "half a minute"]
fn bumped_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds_every_number::<Bumped>();
}

#[test]
#[ignore = "half a minute"]
fn wide_bumped_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds_every_number::<Bumped128>();
}
