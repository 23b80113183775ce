//! Every number of keys can be built. Half a minute, so it is ignored unless asked for: `cargo test
//! -p amq-ribbon --test suite -- --ignored` (`.ci/run` does). `laws.rs` has a sample.

use amq_ribbon::{Budget, BuildFilter, Filter, Key, KeyHash, RibbonFilter};

#[test]
#[ignore = "half a minute"]
fn filters_of_every_number_of_keys_to_twenty_thousand_are_built() {
    // And of some numbers around those at which there is another shard.
    let more = [34_450..=34_650, 69_000..=69_200, 275_930..=275_950];
    // The sequential keys of a counter.
    let hashes: Vec<KeyHash> = (0..=more[2].end() + 1).map(|key| key.key_hash(1)).collect();
    let mut answers = vec![false; hashes.len()];
    for n in (0..=20_000).chain(more.into_iter().flatten()) {
        let (hashes, answers) = (&hashes[..n as usize], &mut answers[..n as usize]);
        let filter = RibbonFilter::build_hashes(Budget::Fpr(0.05), 1, hashes).unwrap();
        filter.contains_batch(hashes, answers).unwrap();
        assert!(answers.iter().all(|&answer| answer), "{n} keys");
        assert_eq!(filter.len(), n);
    }
}
