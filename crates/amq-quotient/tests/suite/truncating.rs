//! Truncated filters equal those built with the same slots.

use amq_quotient::{
    Budget, CountFilter, EmptyFilter, Filter, FilterFile, Goal, InsertFilter, Key, KeyHash,
    LoadOptions, PlanFilter, QuotientFilter, QuotientParams, RemoveFilter, TruncateError,
};

fn filled(params: QuotientParams, keys: u64, hashes: &[KeyHash]) -> QuotientFilter {
    let plan = QuotientFilter::plan_params(params, keys).unwrap();
    let mut filter = QuotientFilter::empty(plan, 9).unwrap();
    filter.insert_batch(hashes).unwrap();
    filter
}

/// Keys in one to three copies.
fn hashes(n: u64) -> Vec<KeyHash> {
    (0..n).map(|key| (key - key % 5 / 3).key_hash(9)).collect()
}

#[test]
fn a_truncated_filter_is_the_one_made_with_its_slots() {
    let mut made = 0;
    for (slots, widest) in [(1, 56), (64, 54), (65, 53), (1000, 50), (20_000, 45)] {
        let params = |bits| QuotientParams::new(slots, bits);
        let keys = params(1).max_keys();
        let hashes = hashes(keys);
        for held in [widest, 33, 32, 17, 9, 8, 1, 0] {
            let whole = filled(params(held), keys, &hashes);
            for keep in 0..=held {
                let mut filter = whole.clone();
                let wanted = filled(params(keep), keys, &hashes);
                filter.truncate(Budget::Bytes(wanted.size_in_bytes())).unwrap();
                assert!(filter == wanted, "{slots} slots, {held} bits to {keep}");
                assert_eq!(filter.distinct_len(), wanted.distinct_len());
                filter.validate().unwrap();
                made += 1;
            }
        }
    }
    assert!(made > 500, "{made}");
}

/// It inserts keys until it is full, counts and removes them, like any other.
#[test]
fn a_truncated_filter_takes_counts_and_removes_keys() {
    let hashes = hashes(10_000);
    let mut filter = QuotientFilter::new(Goal::fpr(10_000, 1e-6)).unwrap();
    filter.insert_batch(&hashes[..6000]).unwrap();
    filter.truncate(Budget::Fpr(0.05)).unwrap();
    filter.insert_batch(&hashes[6000..]).unwrap();
    let mut alike = 0;
    for (i, &hash) in hashes.iter().enumerate() {
        let copies = hashes.iter().skip(i.saturating_sub(5)).take(11).filter(|&&h| h == hash);
        let (copies, count) = (copies.count() as u64, filter.count_hash(hash).estimate);
        assert!(count >= copies);
        alike += u64::from(count > copies);
    }
    assert!((100..1000).contains(&alike), "{alike}");
    for &hash in &hashes {
        assert!(filter.remove_hash(hash));
    }
    assert!(filter.is_empty() && filter.distinct_len() == 0);
    filter.validate().unwrap();
}

#[test]
fn a_truncated_growing_filter_grows_less_and_says_so() {
    let plan = QuotientFilter::plan_growing(Goal::fpr(1_000_000, 0.001), 1000).unwrap();
    let mut filter = QuotientFilter::new(plan).unwrap();
    let keys: Vec<KeyHash> = (0..900u64).map(|key| key.key_hash(filter.seed())).collect();
    filter.insert_batch(&keys).unwrap();
    let mut last = (u64::MAX, u64::MAX);
    for bytes in [1_500_000u64, 800_000, 300_000, 10_000, 3000] {
        filter.truncate(Budget::Bytes(bytes)).unwrap();
        let params = filter.params();
        params.check().unwrap();
        let grown = (params.grown().bytes(), filter.capacity());
        assert!(grown.0 <= bytes && grown.0 < last.0 && grown.1 <= last.1, "{bytes}: {grown:?}");
        last = grown;
        let back = LoadOptions::new().from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(filter == back);
    }
    assert!(last.1 < 1_000_000);
    // It holds as many keys as it reports, and can be truncated again.
    let seed = filter.seed();
    let mut more = (1000..).map(|key: u64| key.key_hash(seed));
    while filter.len() < filter.capacity() {
        filter.insert_hash(more.next().unwrap()).unwrap();
    }
    assert!(filter.insert_hash(more.next().unwrap()).is_err());
    assert!(keys.iter().all(|&hash| filter.contains_hash(hash)));
    let refused = filter.truncate(Budget::Bytes(800_000));
    assert!(matches!(refused, Err(TruncateError::Larger { .. })), "{refused:?}");
}
