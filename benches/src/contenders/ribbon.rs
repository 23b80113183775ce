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
    analysis: "The solution of a linear system with an equation of 64 coefficients for each key, in fewer slots than keys: those for which a bucket has \
               no room are passed on to a next, much smaller layer (BuRR). So it is hardly larger than any filter must be, at any rate; nothing can \
               be added once it is solved.",
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
    analysis: "One layer for all keys, with equations of 128 coefficients, in shards that each have a seed of their own: some percent more \
               slots than keys, and every query is answered at the first look.",
    ..BUMPED_INFO
});

/// Standard ribbon, rows of 64 bits.
pub static NARROW: Own<NarrowRibbonFilter, AtOnce> = Own::new(Info {
    name: "ribbon-narrow",
    analysis: "One layer with equations of 64 coefficients: it needs twice as many slots more than keys as with 128, and is solved and \
               asked in less time, as half of the words are read.",
    ..BUMPED_INFO
});

/// Bumped ribbon, rows of 128 bits.
pub static WIDE_BUMPED: Own<WideBumpedRibbonFilter, AtOnce> = Own::new(Info {
    name: "ribbon-bumped-wide",
    analysis: "As ribbon-bumped with equations of 128 coefficients: fewer slots stay empty and there are fewer thresholds, and twice as many \
               words are read.",
    ..BUMPED_INFO
});
