//! Ribbon filters.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod banding;
mod build;
mod bumping;
mod entry;
mod filter;
mod kind;
mod map;
mod params;
mod shape;
mod shards;
mod simd;
mod system;
pub mod theory;
mod width;

pub use filter::{
    BumpedRibbonFilter, NarrowRibbonFilter, Ribbon, RibbonFilter, WideBumpedRibbonFilter,
};
pub use kind::{Bumped, Bumped128, Kind, Standard, Standard64};
pub use map::{MapError, RibbonMap};
pub use params::{MAX_COLUMNS, MAX_ITEMS, RibbonParams};
pub use width::Row;

pub use amq_core::{
    Budget, BuildError, BuildFilter, DEFAULT_SEED, Filter, FilterKind, Goal, Key, KeyHash,
    LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr,
};
