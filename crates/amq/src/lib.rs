//! The amq family of approximate-membership filters behind one dependency.
//!
//! Each variant is a crate of its own, and a feature of this one, all on by default. What stands
//! here is what no single variant can have:
//!
//! | part | what it is |
//! | --- | --- |
//! | [`AnyFilter`], [`AnyView`] | a filter of a kind that is chosen at run time, or found in a file |
//! | [`AnyFile`] | what a file holds: a filter of keys, or of the caller's hashes |
//! | [`AnyOwnedView`] | a view that owns its bytes, such as a memory map |
//! | [`Abilities`] | what each kind can do |
//! | [`load_or_maybe`], [`open_or_maybe`] | never turn an unreadable file into a "no" |
//! | [`monitored`] | a filter that is watched while it works |
//! | [`sharded`] | a filter for threads that insert and remove |
//! | [`rolling`] | the last generations of a stream |
//!
//! ```
//! use amq::{AnyFilter, BloomFilter, Goal};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut seen = BloomFilter::new(Goal::fpr(1000, 0.01))?;
//! seen.insert("https://example.org/");
//!
//! let file = seen.to_bytes()?;
//! let loaded = AnyFilter::from_bytes(&file)?; // whatever kind it is
//! assert!(loaded.contains("https://example.org/"));
//! println!("{}", loaded.stats());
//! # Ok(())
//! # }
//! ```
//!
//! The crate `amq-advisor` says which filter to take, and what to set in the engines of other
//! people.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(not(any(
    feature = "bloom",
    feature = "counting",
    feature = "scalable",
    feature = "cuckoo",
    feature = "quotient",
    feature = "ribbon"
)))]
compile_error!("choose at least one variant: bloom, counting, scalable, cuckoo, quotient, ribbon");

mod abilities;
#[cfg_attr(
    not(all(
        feature = "bloom",
        feature = "counting",
        feature = "cuckoo",
        feature = "quotient",
        feature = "ribbon"
    )),
    allow(
        unused_imports,
        unused_variables,
        dead_code,
        reason = "with some variants left out, no kind or every kind may have an ability"
    )
)]
mod any;
#[cfg(feature = "std")]
mod maybe;
#[cfg(all(feature = "std", target_has_atomic = "64"))]
pub mod monitored;
mod parts;
pub mod rolling;
#[cfg(feature = "std")]
pub mod sharded;

pub use abilities::{Abilities, Ability};
pub use any::{
    AnyError, AnyFile, AnyFilter, AnyOwnedView, AnyPlan, AnyTarget, AnyView, Unsupported,
};
#[cfg(feature = "std")]
pub use maybe::{OrMaybe, load_or_maybe, open_or_maybe};
pub use parts::Part;

#[cfg(feature = "std")]
pub use amq_core::ReadError;
pub use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, ByHash, ClearFilter, Count,
    CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Encoder, Filter, FilterExt, FilterKind,
    Goal, InsertError, InsertExt, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError,
    MergeFilter, Parts, Plan, PlanError, PlanFilter, PredictedFpr, Prehashed, RemoveFilter, Stats,
    Target, UnknownKind, key, numeric,
};

// The variant crates, whole: parameters, views, theory.
#[cfg(feature = "bloom")]
pub use amq_bloom as bloom;
#[cfg(feature = "counting")]
pub use amq_counting as counting;
#[cfg(feature = "cuckoo")]
pub use amq_cuckoo as cuckoo;
#[cfg(feature = "quotient")]
pub use amq_quotient as quotient;
#[cfg(feature = "ribbon")]
pub use amq_ribbon as ribbon;
#[cfg(feature = "scalable")]
pub use amq_scalable as scalable;

// Their filters.
#[cfg(all(feature = "bloom", target_has_atomic = "64"))]
pub use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
#[cfg(feature = "bloom")]
pub use amq_bloom::{BlockedBloomFilter, BloomFilter};
#[cfg(feature = "counting")]
pub use amq_counting::{BlockedCountingBloomFilter, CountingBloomFilter};
#[cfg(feature = "cuckoo")]
pub use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};
#[cfg(feature = "quotient")]
pub use amq_quotient::{ExpandableQuotientFilter, QuotientFilter};
#[cfg(feature = "ribbon")]
pub use amq_ribbon::{
    BumpedRibbonFilter, NarrowRibbonFilter, RibbonMap, StandardRibbonFilter, WideBumpedRibbonFilter,
};
#[cfg(feature = "scalable")]
pub use amq_scalable::{ScalableBlockedBloomFilter, ScalableBloomFilter};

/// What most programs need: `use amq::prelude::*;`.
pub mod prelude {
    pub use crate::AnyFilter;
    pub use amq_core::{
        Budget, BuildFilter, EmptyFilter, Filter, FilterExt, Goal, InsertExt, InsertFilter, Key,
        PlanFilter, RemoveFilter,
    };
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
