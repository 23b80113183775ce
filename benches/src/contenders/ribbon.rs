//! Our ribbon filters.

use super::own::{AtOnce, Own};
use crate::contender::{Ability, Family, Info, Role};
use amq_ribbon::{BumpedRibbonFilter, NarrowRibbonFilter, RibbonFilter, WideBumpedRibbonFilter};

const BUMPED_INFO: Info = Info {
    name: "ribbon-bumped",
    family: Family::Ribbon,
    role: Role::Filter,
    ours: true,
    packages: &["amq-ribbon"],
    analysis: "The solution of a linear system with one 64-bit row per key, in fewer slots than \
               keys. Keys for which a bucket has no room are bumped to the next, much smaller \
               layer (BuRR), so the space stays close to the bound at any rate. Static: nothing \
               can be added to a solved system.",
    abilities: &[Ability::Static, Ability::Batch],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
};

/// Bumped ribbon, rows of 64 bits.
pub static BUMPED: Own<BumpedRibbonFilter, AtOnce> = Own::new(BUMPED_INFO);

/// Standard ribbon, rows of 128 bits.
pub static STANDARD: Own<RibbonFilter, AtOnce> = Own::new(Info {
    name: "ribbon",
    analysis: "One layer for all keys with 128-bit rows, in shards that each have a seed of \
               their own. A few percent more slots than keys; a query reads one window.",
    ..BUMPED_INFO
});

/// Standard ribbon, rows of 64 bits.
pub static NARROW: Own<NarrowRibbonFilter, AtOnce> = Own::new(Info {
    name: "ribbon-narrow",
    analysis: "One layer with 64-bit rows: twice the spare slots of 128-bit rows, but faster to \
               build and to query, since half as many words are read.",
    ..BUMPED_INFO
});

/// Bumped ribbon, rows of 128 bits.
pub static WIDE_BUMPED: Own<WideBumpedRibbonFilter, AtOnce> = Own::new(Info {
    name: "ribbon-bumped-wide",
    analysis: "The same as ribbon-bumped with 128-bit rows: fewer empty slots and fewer \
               thresholds, but twice as many words are read.",
    ..BUMPED_INFO
});
