//! For few keys a Bloom filter is smaller than a ribbon filter, whose tables grow in steps: from
//! which number of keys on it never is, and that CHOOSING.md says so.

use amq::{AnyFilter, FilterKind, Goal};

/// The numbers of keys, up to 2,000, for which a ribbon filter is not smaller.
fn not_smaller(fpr: f64) -> Vec<u64> {
    let bytes = |kind, keys| AnyFilter::plan(kind, Goal::fpr(keys, fpr)).unwrap().bytes;
    let is_smaller = |keys| bytes(FilterKind::Ribbon, keys) < bytes(FilterKind::Bloom, keys);
    (1..=2000).filter(|&keys| !is_smaller(keys)).collect()
}

#[test]
fn a_ribbon_filter_is_smaller_than_bloom_from_few_keys_on() {
    let [percent, permille] = [0.01, 0.001].map(not_smaller);
    let from = [&percent, &permille].map(|keys| keys.last().unwrap() + 1);
    assert_eq!(from, [187, 134]);
    let said = format!("Built once, a ribbon filter is smaller from {} keys on.", from[0]);
    let page = include_str!("../../../amq/CHOOSING.md");
    assert!(page.contains(&said), "{said}");
    // Below, it depends on the number: a table of 100 keys is smaller, one of 120 is not.
    for keys in [percent, permille] {
        assert!(!keys.contains(&100) && keys.contains(&120), "{keys:?}");
    }
}
