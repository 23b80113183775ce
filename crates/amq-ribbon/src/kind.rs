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
    /// Keys that a shard of the last layer has, about, where there are many.
    const LAST_SHARD: f64;
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $type:literal, $row:ty, $bumps:literal, $kind:ident, $shard:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name;

        impl Kind for $name {
            type Row = $row;
            const KIND: FilterKind = FilterKind::$kind;
            const NAME: &'static str = $type;
            const BUMPS: bool = $bumps;
            const LAST_SHARD: f64 = $shard;
        }

        impl sealed::Sealed for $name {}
    )*};
}

kinds! {
    /// Standard ribbon with rows of 128 bits.
    Standard: "RibbonFilter", u128, false, Ribbon, 32_768.0;
    /// Standard ribbon with rows of 64 bits.
    Standard64: "NarrowRibbonFilter", u64, false, NarrowRibbon, 16_384.0;
    /// Bumped ribbon with rows of 64 bits.
    Bumped: "BumpedRibbonFilter", u64, true, BumpedRibbon, 16_384.0;
    /// Bumped ribbon with rows of 128 bits.
    Bumped128: "WideBumpedRibbonFilter", u128, true, WideBumpedRibbon, 32_768.0;
}

/// Slots for so many keys in a shard of the last layer, one of several or the only one: with so many, about one seed in ten leaves no
/// room for one of them.
///
/// Measured; a test that is a tool, `failure_rates` in `build.rs`, prints the table that these lines follow from above.
pub(crate) fn slots_for<W: Row>(keys: f64, several: bool) -> f64 {
    // Shards are not equally full. Those that are fuller than this find a seed, too, but not as soon.
    let keys = if several {
        keys + 2.5 * libm::sqrt(keys)
    } else {
        keys
    };
    let (least, slope, from) = if W::BITS == 64 {
        (0.044, 0.0075, 11.5)
    } else {
        (0.0205, 0.0045, 14.0)
    };
    let overhead = least + slope * (libm::log2(keys.max(1.0)) - from).max(0.0);
    keys * (1.0 + overhead) + 4.0
}

mod sealed {
    pub trait Sealed {}
}
