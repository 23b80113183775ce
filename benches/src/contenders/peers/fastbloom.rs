//! Peer: fastbloom, the fastest classic Bloom filter among the crates.

use crate::contenders::{Ability, Entry, Family, Info, Make, Order, Probe, filled, theory};
use crate::keys::BenchKey;
use amq_bloom::BloomParams;
use amq_core::{PlanFilter, PredictedFpr};
use fastbloom::BloomFilter;
use foldhash::fast::FixedState;

/// `fastbloom::BloomFilter` with foldhash, the hasher its own documentation recommends for speed.
pub static FASTBLOOM: Entry<Fastbloom> = Entry::new(
    Info {
        name: "fastbloom",
        family: Family::Classic,
        packages: &["fastbloom", "foldhash"],
        import: "use fastbloom::BloomFilter;",
        analysis: "A classic Bloom filter that hashes each key once and derives every probe from \
                   that hash. Sized by the textbook formula.",
        abilities: &[Ability::Insert, Ability::Merge],
        bits_budget: true,
        ..Info::PEER
    },
    Fastbloom,
    theory::curve::<amq_bloom::BloomFilter>,
);

/// How it is made.
#[derive(Clone, Copy, Debug)]
pub struct Fastbloom;

impl<K: BenchKey + ?Sized> Make<K> for Fastbloom {
    type Filter = BloomFilter<FixedState>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
        let (room, hasher) = (order.room(keys.len()), FixedState::with_seed(order.seed));
        let filter = match order.bits(room) {
            Some(bits) => BloomFilter::with_num_bits(bits)
                .hasher(hasher)
                .expected_items(room),
            None => BloomFilter::with_false_pos(order.fpr()?)
                .hasher(hasher)
                .expected_items(room),
        };
        filled::<K, _>(filter, keys)
    }
}

impl<K: BenchKey + ?Sized> Probe<K> for BloomFilter<FixedState> {
    fn said_bytes(&self) -> Option<u64> {
        Some(size_of_val(self.as_slice()) as u64)
    }

    /// The exact classic formula, at the size and number of probes it chose.
    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        let params = BloomParams::new(self.num_bits() as u64, self.num_hashes());
        Some(amq_bloom::BloomFilter::predicted_fpr(&params, keys))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.contains(key)
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        Self::insert(self, key);
        Some(true)
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        self.union(other);
        Some(Ok(()))
    }
}
