//! The kinds of ribbon filter.

use crate::row::Row;
use amq_core::FilterKind;

/// A kind of ribbon: how wide its rows are, and whether it bumps keys to a next layer.
///
/// Sealed: [`Standard`], [`Standard64`], [`Bumped`] and [`Bumped128`] are all there are.
pub trait Kind: sealed::Sealed + Copy + Eq + core::fmt::Debug + Send + Sync + 'static {
    /// A coefficient row: `u64` or `u128`.
    type Row: Row;
    /// The number that stands for it in files.
    const KIND: FilterKind;
    /// The type's name.
    const NAME: &'static str;
    /// Whether keys without room are bumped to a next layer.
    const BUMPS: bool;
    /// Log2 of the starts in a shard of the last layer.
    const LAST_SHARD: u32;
    /// A filter of at most this many keys has one layer: a second would save less than its blocks
    /// waste.
    const ONE_LAYER: u64;
}

macro_rules! kinds {
    ($(
        $(#[$doc:meta])*
        $name:ident: $type:literal, $row:ty, $bumps:literal, $kind:ident, $shard:literal, $one:expr;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl Kind for $name {
            type Row = $row;
            const KIND: FilterKind = FilterKind::$kind;
            const NAME: &'static str = $type;
            const BUMPS: bool = $bumps;
            const LAST_SHARD: u32 = $shard;
            const ONE_LAYER: u64 = $one;
        }

        impl sealed::Sealed for $name {}
    )*};
}

kinds! {
    /// Standard ribbon, rows of 128 bits.
    Standard: "StandardRibbonFilter", u128, false, StandardRibbon, 15, u64::MAX;
    /// Standard ribbon, rows of 64 bits.
    Standard64: "NarrowRibbonFilter", u64, false, NarrowRibbon, 14, u64::MAX;
    /// Bumped ribbon, rows of 64 bits.
    Bumped: "BumpedRibbonFilter", u64, true, BumpedRibbon, 14, 1200;
    /// Bumped ribbon, rows of 128 bits.
    Bumped128: "WideBumpedRibbonFilter", u128, true, WideBumpedRibbon, 15, 8000;
}

mod sealed {
    pub trait Sealed {}
}
