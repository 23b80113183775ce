//! Every number of keys can be built. Half a minute, so it is ignored unless asked for: `cargo test
//! -p amq-fuse --test suite -- --ignored` (`.ci/run` does). `laws.rs` has a sample.

use amq_fuse::{Budget, BuildFilter, Filter, FuseFilter, Key, KeyHash};

#[test]
#[ignore = "half a minute"]
fn filters_of_every_number_of_keys_to_twenty_thousand_are_built() {
    // The sequential keys of a counter.
    let hashes: Vec<KeyHash> = (0..20_000u64).map(|key| key.key_hash(1)).collect();
    let mut answers = vec![false; hashes.len()];
    for n in 0..=hashes.len() {
        let (hashes, answers) = (&hashes[..n], &mut answers[..n]);
        let filter = FuseFilter::build_hashes(Budget::Fpr(0.05), 1, hashes).unwrap();
        filter.contains_batch(hashes, answers).unwrap();
        assert!(answers.iter().all(|&answer| answer), "{n} keys");
        assert_eq!(filter.len(), n as u64);
    }
}
