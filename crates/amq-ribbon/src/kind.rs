//! The kinds of ribbon filter.

use crate::width::Row;
use amq_core::FilterKind;

/// A kind of ribbon: how wide its rows are, and whether it passes keys on to a next layer.
///
/// Sealed: [`Standard`], [`Standard64`], [`Bumped`] and [`Bumped128`] are all there are.
pub trait Kind: sealed::Sealed + Copy + Eq + core::fmt::Debug + Send + Sync + 'static {
    /// Rows of coefficients.
    type Row: Row;
    /// The number that stands for it in files.
    const KIND: FilterKind;
    /// The type's name.
    const NAME: &'static str;
    /// Whether keys for which there is no room are passed on to a next layer.
    const BUMPS: bool;
    /// Starts of a shard of the last layer, as a power of two.
    const LAST_SHARD: u32;
    /// With at most this many keys in all, none is passed on: a second layer would save less than its blocks waste.
    const ONE_LAYER: u64;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $type:literal, $row:ty, $bumps:literal, $kind:ident, $shard:literal, $one_layer:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl Kind for $name {
            type Row = $row;
            const KIND: FilterKind = FilterKind::$kind;
            const NAME: &'static str = $type;
            const BUMPS: bool = $bumps;
            const LAST_SHARD: u32 = $shard;
            const ONE_LAYER: u64 = $one_layer;
        }

        impl sealed::Sealed for $name {}
    )*};
}

kinds! {
    /// Standard ribbon with rows of 128 bits.
    Standard: "RibbonFilter", u128, false, Ribbon, 15, u64::MAX;
    /// Standard ribbon with rows of 64 bits.
    Standard64: "NarrowRibbonFilter", u64, false, NarrowRibbon, 14, u64::MAX;
    /// Bumped ribbon with rows of 64 bits.
    Bumped: "BumpedRibbonFilter", u64, true, BumpedRibbon, 14, 1200;
    /// Bumped ribbon with rows of 128 bits.
    Bumped128: "WideBumpedRibbonFilter", u128, true, WideBumpedRibbon, 15, 8000;
}

mod sealed {
    pub trait Sealed {}
}
