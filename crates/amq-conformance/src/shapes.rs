//! Laws of key shapes: a hash that is weak on some keys shows as a rate that depends on the keys.

use crate::expected::Expected;
use crate::fail::OrFail;
use crate::fill::{Fill, all_found, count_found};
use amq_core::{FilterExt, Goal, Key, KeyHash, PlanFilter};

/// A shape: its name, the i-th key, the keys inserted, the absent keys queried, the filters.
struct Shape {
    name: &'static str,
    key: fn(u64) -> Vec<u8>,
    held: u64,
    asked: u64,
    seeds: u64,
}

const fn many(name: &'static str, key: fn(u64) -> Vec<u8>) -> Shape {
    Shape { name, key, held: 20_000, asked: 100_000, seeds: 4 }
}

const SHAPES: [Shape; 7] = [
    many("sequential numbers", |i| i.to_le_bytes().into()),
    many("multiples of 2^32", |i| (i << 32).to_le_bytes().into()),
    // Gray code: each key differs from the one before in one bit.
    many("one bit apart", |i| (i ^ (i >> 1)).to_le_bytes().into()),
    many("decimal text", |i| i.to_string().into()),
    many("a long shared prefix", |i| {
        format!("{}{i}", "https://example.org/a/long/way/".repeat(8)).into()
    }),
    many("a long shared suffix", |i| format!("{i}{}", "/a/long/way.example.org".repeat(8)).into()),
    Shape {
        name: "zero bytes of differing lengths",
        key: |i| vec![0; i as usize],
        held: 101,
        asked: 1000,
        seeds: 200,
    },
];

/// Keys of every shape are found, and absent keys of that shape err at the predicted rate.
pub fn the_shape_of_keys_does_not_matter<F: PlanFilter>(fill: Fill<F>) {
    for Shape { name, key, held, asked, seeds } in SHAPES {
        let (mut found, mut expected) = (0, Expected::default());
        for seed in 0..seeds {
            let hash = |i| key(i).key_hash(seed);
            let hashes: Vec<KeyHash> = (0..held).map(hash).collect();
            let filter = fill(Goal::fpr(held, 1.0 / 64.0), seed, &hashes).or_fail(name);
            all_found(&filter, &hashes, name);
            found += count_found(&filter, &(held..held + asked).map(hash).collect::<Vec<_>>());
            let predicted = F::predicted_fpr(&filter.params(), held);
            expected = expected.plus(Expected::of_any(asked, predicted));
        }
        expected.check(name, found, 5.0);
    }
}

/// The empty key and a key of a megabyte are keys like any other.
pub fn the_empty_key_and_a_megabyte_are_keys<F: PlanFilter>(fill: Fill<F>) {
    let mut long = vec![0xA5u8; 1 << 20];
    let none: &[u8] = &[];
    let filter = fill(Goal::fpr(2, 1e-6), 4, &[none.key_hash(4), long.key_hash(4)]);
    let filter = filter.or_fail("two keys");
    assert!(filter.contains(none) && filter.contains(""), "false negative: the empty key");
    assert!(filter.contains(&long), "false negative: a key of 1 MiB");
    long[(1 << 20) - 1] ^= 1;
    assert!(!filter.contains(&long), "the last bit of a key of 1 MiB does not count");
}
