//! Memory while a filter is built.

use crate::support::{WholeKey, key, row};
use amq_conformance::memory::peak_of;
use amq_slatedb::AmqFilterPolicy;
use slatedb::FilterPolicy;
use std::sync::Arc;

#[test]
fn building_takes_at_most_220_bits_a_key() {
    let policies = [AmqFilterPolicy::fpr(0.01), AmqFilterPolicy::bits_per_key(10.0)];
    // The third has each key as a prefix, too.
    let prefixes =
        AmqFilterPolicy::fpr(0.01).map(|policy| policy.with_prefix_extractor(Arc::new(WholeKey)));
    for policy in policies.into_iter().chain([prefixes]) {
        let policy = policy.unwrap();
        for keys in [300_000, 1_000_000] {
            let (_, peak) = peak_of(|| {
                let mut builder = policy.builder();
                (0..keys).for_each(|number| builder.add_entry(&row(key(number))));
                builder.build()
            });
            let bits = peak * 8 / keys;
            assert!(bits <= 220, "{bits} bits a key of {keys}");
        }
    }
}
