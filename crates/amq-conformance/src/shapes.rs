//! Laws of key shapes: a hash that is weak on some keys shows as a rate that depends on the keys.

use crate::expected::Expected;
use crate::fill::{Fill, all_found, count_found};
use crate::violation::{Verdict, Violation};
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
pub fn the_shape_of_keys_does_not_matter<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    SHAPES.iter().try_for_each(|shape| of_one_shape(fill, shape))
}

fn of_one_shape<F: PlanFilter>(fill: Fill<F>, shape: &Shape) -> Verdict {
    let (mut found, mut expected) = (0, Expected::default());
    for seed in 0..shape.seeds {
        let hash = |i| (shape.key)(i).key_hash(seed);
        let hashes: Vec<KeyHash> = (0..shape.held).map(hash).collect();
        let filter = fill(Goal::fpr(shape.held, 1.0 / 64.0), seed, &hashes)
            .map_err(Violation::refused(shape.name))?;
        all_found(&filter, &hashes, shape.name)?;
        found += count_found(&filter, (shape.held..shape.held + shape.asked).map(hash))?;
        let predicted = F::predicted_fpr(&filter.params(), shape.held);
        expected = expected.plus(Expected::of_any(shape.asked, predicted));
    }
    expected.check(shape.name.to_owned(), None, found, 5.0)
}

/// The empty key and a key of a megabyte are keys like any other.
pub fn the_empty_key_and_a_megabyte_are_keys<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    let mut long = vec![0xA5u8; 1 << 20];
    let empty: &[u8] = &[];
    let hashes = [empty.key_hash(4), long.key_hash(4)];
    let filter = fill(Goal::fpr(2, 1e-6), 4, &hashes).map_err(Violation::refused("two keys"))?;
    if !filter.contains(empty) || !filter.contains("") {
        return Err(Violation::Lost { what: "the empty key".into() });
    }
    if !filter.contains(&long) {
        return Err(Violation::Lost { what: "a key of 1 MiB".into() });
    }
    // Its last bit counts.
    long[(1 << 20) - 1] ^= 1;
    if filter.contains(&long) {
        return Err(Violation::Accepted {
            what: "a key of 1 MiB that differs from the inserted one in its last bit".into(),
        });
    }
    Ok(())
}
