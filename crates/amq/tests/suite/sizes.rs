//! What the pages say of sizes, by the plans.

use amq::{AnyFilter, FilterKind, Goal};

/// Bits per key of the smallest of these kinds at a rate.
fn bits(kinds: &[FilterKind], keys: u64, fpr: f64) -> f64 {
    let goal = Goal::new(keys, amq::Budget::Fpr(fpr));
    let bytes = kinds.iter().map(|&kind| AnyFilter::plan(kind, goal).unwrap().bytes);
    bytes.min().unwrap() as f64 * 8.0 / keys as f64
}

fn ribbons() -> Vec<FilterKind> {
    let kinds = AnyFilter::KINDS.iter().copied();
    kinds.filter(|kind| ["ribbon", "bumped-ribbon"].contains(&kind.id())).collect()
}

/// `amq-ribbon`: for fewer than two hundred keys a Bloom filter may be smaller.
#[test]
fn ribbon_is_smaller_than_bloom_from_two_hundred_keys_on() {
    let ribbons = ribbons();
    let is_smaller = |keys| bits(&ribbons, keys, 0.01) < bits(&[FilterKind::Bloom], keys, 0.01);
    let larger: Vec<u64> = (1..2000).filter(|&keys| !is_smaller(keys)).collect();
    let last = larger.last().copied().unwrap();
    assert!((150..200).contains(&last), "{larger:?}");
    assert_eq!(format!("{:.1}", bits(&ribbons, 10, 0.01)), "45.6");
    assert_eq!(format!("{:.1}", bits(&[FilterKind::Bloom], 10, 0.01)), "12.8");
}

/// `amq-fuse`: a Bloom filter is smaller up to 280 keys, and may be up to four thousand.
#[test]
fn fuse_is_smaller_than_bloom_from_four_thousand_keys_on() {
    let difference =
        |keys| bits(&[FilterKind::Fuse], keys, 0.01) - bits(&[FilterKind::Bloom], keys, 0.01);
    let changes: Vec<u64> = (2..20_000)
        .filter(|&keys| (difference(keys) < 0.0) != (difference(keys - 1) < 0.0))
        .collect();
    assert!(difference(1) > 0.0 && difference(20_000) < 0.0);
    let [first, .., last] = changes[..] else { panic!("{changes:?}") };
    assert!(first > 280 && (3000..4000).contains(&last), "{changes:?}");
}

/// `CHOOSING.md`: a tenth at equal rates, which are those of whole bits; a seventh at 1 %.
#[test]
fn ribbon_is_a_tenth_smaller_than_fuse_at_equal_rates() {
    let share =
        |fpr| 1.0 - bits(&ribbons(), 1_000_000, fpr) / bits(&[FilterKind::Fuse], 1_000_000, fpr);
    for bits in 4..=16 {
        let share = share((-f64::from(bits)).exp2());
        assert!((0.095..0.125).contains(&share), "{bits}: {share}");
    }
    assert!((share(0.01) - 1.0 / 7.0).abs() < 0.01, "{}", share(0.01));
}

/// `CHOOSING.md`: for few keys only a Bloom filter is smaller than a scalable one's 24 bytes.
#[test]
fn the_kinds_other_than_bloom_begin_at_24_bytes() {
    let goal = Goal::fpr(12, 0.01);
    let bytes = |&kind: &FilterKind| AnyFilter::plan(kind, goal).unwrap().bytes;
    let mut sizes: Vec<_> = AnyFilter::KINDS.iter().map(|kind| (bytes(kind), *kind)).collect();
    sizes.sort_by_key(|of| of.0);
    assert_eq!(sizes[..2], [(16, FilterKind::Bloom), (24, FilterKind::Scalable)]);
    assert!(sizes[2].0 >= 32);
}
