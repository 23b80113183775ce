//! Our ribbon filters, one of them again as a twin, and the ribbon's map from keys to values.

use super::own::{AtOnce, Own};
use super::{Entry, Family, Info, Make, Order, Probe, Role, theory};
use crate::contenders::Ability::{Batch, Static, Values};
use crate::keys::BenchKey;
use amq_core::{Key, KeyHash, PlanFilter, PredictedFpr};
use amq_ribbon::{
    BumpedRibbonFilter, NarrowRibbonFilter, RibbonFilter, RibbonMap, WideBumpedRibbonFilter,
};

/// A ribbon filter: built at once. Mixed widths make any rate, so it has a curve.
type Ribbon<F> = Entry<Own<F, AtOnce>>;

const fn entry<F: PlanFilter>(info: Info) -> Ribbon<F> {
    Entry::new(info, Own::SIZED, theory::curve::<F>)
}

const BUMPED_INFO: Info = Info {
    name: "ribbon-bumped",
    family: Family::Ribbon,
    packages: &["amq-ribbon"],
    import: "use amq_ribbon::BumpedRibbonFilter;",
    analysis: "The solution of a linear system with one 64-bit row per key, in fewer slots than \
               keys. Keys for which a bucket has no room are bumped to the next, much smaller \
               layer (BuRR), so the space stays close to the bound at any rate. Static: nothing \
               can be added to a solved system.",
    abilities: &[Static, Batch],
    ..Info::OURS
};

/// Bumped ribbon, rows of 64 bits.
pub static BUMPED: Ribbon<BumpedRibbonFilter> = entry(BUMPED_INFO);

/// Its twin.
pub static BUMPED_TWIN: Ribbon<BumpedRibbonFilter> = entry(BUMPED_INFO.twin("ribbon-bumped-twin"));

/// Standard ribbon, rows of 128 bits.
pub static STANDARD: Ribbon<RibbonFilter> = entry(Info {
    name: "ribbon",
    import: "use amq_ribbon::RibbonFilter;",
    analysis: "One layer for all keys with 128-bit rows, in shards that each have a seed of \
               their own. A few percent more slots than keys; a query reads one window.",
    ..BUMPED_INFO
});

/// Standard ribbon, rows of 64 bits.
pub static NARROW: Ribbon<NarrowRibbonFilter> = entry(Info {
    name: "ribbon-narrow",
    import: "use amq_ribbon::NarrowRibbonFilter;",
    analysis: "One layer with 64-bit rows: twice the spare slots of 128-bit rows, but faster to \
               build and to query, since half as many words are read.",
    ..BUMPED_INFO
});

/// Bumped ribbon, rows of 128 bits.
pub static WIDE_BUMPED: Ribbon<WideBumpedRibbonFilter> = entry(Info {
    name: "ribbon-bumped-wide",
    import: "use amq_ribbon::WideBumpedRibbonFilter;",
    analysis: "The same as ribbon-bumped with 128-bit rows: fewer empty slots and fewer \
               thresholds, but twice as many words are read.",
    ..BUMPED_INFO
});

/// Bits of the map's values.
const VALUE_BITS: u32 = 8;

/// The map, with a value of eight bits for each key.
pub static MAP: Entry<Map> = Entry::new(
    Info {
        name: "ribbon-map",
        role: Role::Map,
        import: "use amq_ribbon::RibbonMap;",
        analysis: "A value of eight bits for each key in little more than eight bits, without the \
                   keys: the same linear system, with the values on its right side. A key that was \
                   not among them gets some value, too.",
        abilities: &[Static, Values],
        takes_rate: false,
        bits_budget: false,
        ..BUMPED_INFO
    },
    Map,
    theory::NONE,
);

/// `RibbonMap`.
#[derive(Clone, Copy, Debug)]
pub struct Map;

/// The value of a key: whatever takes no time to find, so that asking costs what `get` does.
#[inline]
const fn value(hash: KeyHash) -> u32 {
    let mixed = hash.get().wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> (u64::BITS - VALUE_BITS)) as u32
}

impl<K: BenchKey + ?Sized> Make<K> for Map {
    type Filter = RibbonMap;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<RibbonMap, String> {
        let hashes = keys.iter().map(|key| key.key_hash(order.seed));
        let pairs = hashes.map(|hash| (hash, value(hash)));
        RibbonMap::build_hashes(VALUE_BITS, order.seed, pairs).map_err(|error| error.to_string())
    }
}

impl<K: BenchKey + ?Sized> Probe<K> for RibbonMap {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.size_in_bytes())
    }

    /// How often an absent key has the value that it would have been given.
    fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
        let mean = (-f64::from(VALUE_BITS)).exp2();
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        let hash = key.key_hash(self.seed());
        self.get_hash(hash) == value(hash)
    }
}
