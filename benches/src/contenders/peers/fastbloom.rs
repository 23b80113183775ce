//! Peer: fastbloom, the fastest classic Bloom filter among the crates.

use crate::contenders::Ability::{Insert, Merge};
use crate::contenders::probe::{Fill, probe};
use crate::contenders::{Entry, Family, Info, theory};
use amq_bloom::BloomParams;
use amq_core::PlanFilter;
use fastbloom::BloomFilter;
use foldhash::fast::FixedState;

/// `fastbloom::BloomFilter` with foldhash, the hasher its own documentation recommends for speed.
pub(super) static FASTBLOOM: Entry<Fill<BloomFilter<FixedState>>> = Entry::new(
    Info {
        name: "fastbloom",
        family: Family::Classic,
        packages: &["fastbloom", "foldhash"],
        import: "use fastbloom::BloomFilter;",
        analysis: "A classic Bloom filter that hashes each key once and derives every probe from \
                   that hash. Sized by the textbook formula.",
        abilities: &[Insert, Merge],
        bits_budget: true,
        ..Info::PEER
    },
    Fill(|order, given| {
        let (room, hasher) = (order.room(given), FixedState::with_seed(order.seed));
        Ok(match order.bits(room) {
            Some(bits) => BloomFilter::with_num_bits(bits).hasher(hasher).expected_items(room),
            None => BloomFilter::with_false_pos(order.fpr()?).hasher(hasher).expected_items(room),
        })
    }),
    theory::curve::<amq_bloom::BloomFilter>,
);

probe! { BloomFilter<FixedState>, |filter, key, keys|
    bytes: size_of_val(filter.as_slice());
    /// The exact classic formula, at the size and number of probes it chose.
    predicted: {
        let params = BloomParams::new(filter.num_bits() as u64, filter.num_hashes());
        Some(amq_bloom::BloomFilter::predicted_fpr(&params, keys))
    };
    holds: filter.contains(key);
    insert: {
        filter.insert(key);
        true
    };
    merge: {
        filter.union(key);
        Ok(())
    };
}
