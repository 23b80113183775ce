//! A secret seed, computed back from what a filter holds.

use super::victim::Under;
use super::xxh3::seed_of;
use super::{geometry, stream};
use amq::{AnyFilter, Filter, FilterKind, Goal, Key};
use amq_core::index::index;

/// A filter that keeps a hash but for its last few bits, as one of a very low rate does, gives its
/// seed to whoever reads it (or a file from which only the seed is withheld) and knows three keys
/// of its thousand. He tries each fingerprint for the first key, with all that the filter dropped,
/// and has a seed each time; the other two keys tell the right one.
///
/// That takes `2^64 * fpr` tries, whatever the number of keys: a million here, 2^57 at 1 %.
#[test]
fn a_filter_of_long_fingerprints_gives_away_its_seed() {
    let Under::Seed(secret) = Under::SECRET else { unreachable!() };
    let goal = Goal::fpr(1000, 5e-14);
    let mut filter = AnyFilter::with_seed(FilterKind::Quotient, goal, secret).unwrap();
    for key in stream(12).take(1000) {
        filter.insert(&key).unwrap();
    }
    let known: Vec<u64> = stream(12).take(3).collect();
    let fingerprints = geometry(&filter, 0, 0) << geometry(&filter, 0, 1);

    let mut tries = 0;
    let completed = filter.hashes().unwrap().flat_map(|least| {
        let of = index(least.get(), fingerprints);
        (least.get()..).take_while(move |&hash| index(hash, fingerprints) == of)
    });
    let mut seeds = completed.map(|hash| seed_of(known[0], hash)).filter(|&seed| {
        tries += 1;
        known[1..].iter().all(|key| filter.contains_hash(key.key_hash(seed)))
    });
    assert_eq!(seeds.next(), Some(secret));
    assert_eq!(seeds.next(), None);
    assert!((100_000..2_000_000).contains(&tries), "{tries}");
}
