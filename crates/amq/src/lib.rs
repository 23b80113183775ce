//! The amq family of approximate-membership filters behind one dependency.
//!
//! Each variant is a crate of its own, and a feature of this one, all on by default. This
//! crate adds what no single variant can offer:
//!
//! | part | what it is |
//! | --- | --- |
//! | [`AnyFilter`] | a filter of a kind that is chosen at run time, or found in a file |
//! | [`AnyFile`] | the contents of a file: a filter with the hash of its keys |
//! | [`Keyed`], [`Prehashed`] | a filter that hashes under a secret key; a filter of your own hashes |
//! | [`Abilities`] | what each kind can do |
//! | [`load_or_maybe`], [`open_or_maybe`] | load a file; if it cannot be read, every answer is "maybe", never "no" |
//! | [`monitored`] | metrics: a filter that measures its false-positive rate in use |
//! | [`sharded`] | locks: a filter for threads that insert and remove |
//! | [`rolling`] | windows of time: a filter of the latest keys of a stream |
//! | [`InterleavedBloomFilter`] | many filters in one: which of a thousand sets may hold a key? |
//!
//! ```
//! use amq::{AnyFilter, BloomFilter, FilterFile, Goal};
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
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `std` | yes | paths and streams, [`sharded`], [`load_or_maybe`]; without it the crate needs only `alloc` |
//! | `all` | yes | every variant: `bloom`, `counting`, `scalable`, `cuckoo`, `quotient`, `ribbon`, `fuse`, `interleaved` |
//! | `rayon` | no | `par_build`, `par_insert_keys` and the like, on several threads |
//! | `serde` | no | filters as values of serde, in their file format |
//!
//! For a single variant, turn the defaults off: `default-features = false, features = ["std",
//! "bloom"]`.
//!
//! The crate `amq-advisor` recommends a filter for a workload, and settings for databases and other
//! engines.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod abilities;
#[cfg_attr(
    not(feature = "all"),
    allow(
        unused_imports,
        unused_variables,
        dead_code,
        unreachable_code,
        unreachable_patterns,
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
pub use any::{AnyError, AnyFile, AnyFilter, AnyPlan, AnyTarget, AnyView, Unsupported};
#[cfg(feature = "std")]
pub use maybe::{OrMaybe, load_or_maybe, open_or_maybe};
pub use parts::{Part, PartsPlan};

#[cfg(feature = "std")]
pub use amq_core::ReadError;
pub use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, ByHash, Bytes, ClearFilter,
    Count, CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Encoder, Filter, FilterExt,
    FilterFile, FilterKind, Goal, InsertError, InsertExt, InsertFilter, Inserted, Key, KeyEncoding,
    KeyHash, KeyInfo, Keyed, LengthMismatch, LoadOptions, MergeError, MergeFilter, Parameter,
    ParameterValue, Parameters, Parts, Plan, PlanError, PlanFilter, PredictedFpr, Prehashed,
    RemoveFilter, SaveOptions, Secret, SharedBytes, SipKey, SipKeyError, Stats, Table, Target,
    TruncateError, TruncateFilter, UnevenHashes, UnknownKind, format, key, numeric,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParBuildExt, ParInsertExt};

#[cfg(feature = "bloom")]
pub use amq_bloom::{self as bloom, BlockedBloomFilter, BloomFilter, WideBlockedBloomFilter};
#[cfg(feature = "counting")]
pub use amq_counting::{self as counting, BlockedCountingBloomFilter, CountingBloomFilter};
#[cfg(feature = "cuckoo")]
pub use amq_cuckoo::{self as cuckoo, CuckooFilter, WindowedCuckooFilter};
#[cfg(feature = "fuse")]
pub use amq_fuse::{self as fuse, FuseFilter};
#[cfg(feature = "quotient")]
pub use amq_quotient::{self as quotient, ExpandableQuotientFilter, QuotientFilter};
#[cfg(feature = "ribbon")]
pub use amq_ribbon::{self as ribbon, RibbonFilter, RibbonMap};
#[cfg(feature = "scalable")]
pub use amq_scalable::{self as scalable, ScalableBlockedBloomFilter, ScalableBloomFilter};

// Types that are not kinds.
#[cfg(all(feature = "bloom", target_has_atomic = "64"))]
pub use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
#[cfg(feature = "interleaved")]
pub use amq_interleaved::{self as interleaved, BinError, InterleavedBloomFilter};

const _: () = assert!(
    !AnyFilter::KINDS.is_empty(),
    "choose at least one variant: a feature of those that `all` is made of"
);

/// The items that most programs need: `use amq::prelude::*;`.
pub mod prelude {
    pub use crate::AnyFilter;
    pub use amq_core::{
        Budget, BuildFilter, EmptyFilter, Filter, FilterExt, FilterFile, Goal, InsertExt,
        InsertFilter, Key, PlanFilter, RemoveFilter,
    };
    #[cfg(feature = "rayon")]
    pub use amq_core::{ParBuildExt, ParInsertExt};
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
