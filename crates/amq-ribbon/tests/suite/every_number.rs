//! Every number of keys can be built, of every kind. Half a minute each, so they are ignored unless
//! asked for: `cargo test -p amq-ribbon --test suite -- --ignored` (`.ci/run` does).
//! `laws.rs` has a sample.

use amq_ribbon::{
    Budget, BuildFilter, Bumped, Bumped128, Key, KeyHash, Kind, Ribbon, Standard, Standard64,
};
use std::ops::RangeInclusive;

/// Every number up to this one, and some around those at which a kind gets another shard.
const ALL: u64 = 20_000;

fn builds<K: Kind>(more: &[RangeInclusive<u64>]) {
    let most = more.iter().map(|range| *range.end()).max().unwrap_or(ALL);
    // The sequential keys of a counter.
    let hashes: Vec<KeyHash> = (0..=most).map(|key| key.key_hash(1)).collect();
    let mut answers = vec![false; hashes.len()];
    for n in (0..=ALL).chain(more.iter().cloned().flatten()) {
        let (hashes, answers) = (&hashes[..n as usize], &mut answers[..n as usize]);
        let filter = Ribbon::<K>::build_hashes(Budget::Fpr(0.05), 1, hashes).unwrap();
        filter.contains_batch(hashes, answers).unwrap();
        assert!(answers.iter().all(|&answer| answer), "{n} keys");
        assert_eq!(filter.len(), n);
    }
}

#[test]
#[ignore = "half a minute"]
fn standard_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds::<Standard>(&[31_900..=32_100, 32_700..=32_900, 62_900..=63_000]);
}

#[test]
#[ignore = "half a minute"]
fn narrow_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds::<Standard64>(&[30_000..=30_200]);
}

#[test]
#[ignore = "half a minute"]
fn bumped_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds::<Bumped>(&[34_450..=34_650, 69_000..=69_200, 275_930..=275_950]);
}

#[test]
#[ignore = "half a minute"]
fn wide_bumped_ribbons_of_every_number_of_keys_to_twenty_thousand_are_built() {
    builds::<Bumped128>(&[34_450..=34_650, 69_000..=69_200, 275_930..=275_950]);
}
