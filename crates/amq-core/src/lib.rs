//! The shared ground of the amq family of approximate-membership filters.
//!
//! A filter answers "was this key put in?" with *definitely not* or *probably*. It never says *definitely
//! not* about a key that is there; how often it says *probably* about a key that is not there is its
//! **false-positive rate** (`fpr`), and the whole art is to make that rate small in few bits and few
//! nanoseconds. This crate holds what all variants share, and nothing that belongs to one of them:
//!
//! | part | what it is |
//! | --- | --- |
//! | [`Key`], [`KeyHash`] | a key is hashed once, to 64 bits of XXH3, and everything else works on that hash |
//! | [`Filter`] and its extensions | what a filter can do, one trait per ability |
//! | [`Goal`], [`Budget`], [`Plan`] | how big it will be and how often it will be wrong, before it is made |
//! | [`PlanError`], [`BuildError`], [`Full`], [`MergeError`] | what went wrong, with the numbers in it and the way out |
//! | [`index`](mod@index) | from a hash to a place, without bias, at any size |
//! | [`numeric`] | the sums that the variants' exact rate formulas share |
//! | [`prefetch`], [`cpu`] | asking for a cache line before it is needed; what the processor can do |
//!
//! Filters are used through their own crates, which re-export the traits they implement; depend on this
//! one to write code that is generic over filters, or a filter of your own.
//!
//! What only the sibling crates need ([`prefetch`], [`cpu`], [`hash_blocks`], [`zeroed`], [`debug`] and their like) is public because
//! crates have no other way to share it. It is not covered by the promise of semantic versioning: the crates of the
//! family are released together.
//!
//! # The abilities
//!
//! ```text
//!                Filter            contains, len, expected_fpr ...      every variant
//!               /   |   \
//!   InsertFilter    |    CountFilter      insert / count copies
//!        |          |
//!   RemoveFilter    PlanFilter            remove / size before allocating
//!                   /        \
//!           EmptyFilter     BuildFilter   made empty, then filled / made from all keys at once
//!
//!   MergeFilter                           two into one
//! ```
//!
//! A Bloom filter has no `remove`, a ribbon filter no `insert`, and the compiler says so.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[doc(hidden)]
pub mod cpu;
mod error;
mod filter;
mod goal;
#[doc(hidden)]
pub mod index;
mod key;
mod memory;
#[doc(hidden)]
pub mod numeric;
#[doc(hidden)]
pub mod prefetch;
#[doc(hidden)]
pub mod shell;
mod steps;

pub use error::{BatchFull, BuildError, Full, LengthMismatch, MergeError, PlanError};
pub use filter::{
    BuildFilter, BuildTarget, ClearFilter, Count, CountFilter, EmptyFilter, Filter, FilterExt,
    FilterKind, InsertFilter, Inserted, MergeFilter, Parts, PlanFilter, PredictedFpr, RemoveFilter,
    Stats, Target,
};
pub use goal::{Budget, Goal, Plan};
pub use key::{ByHash, DEFAULT_SEED, Encoder, HASH_BLOCK, Key, KeyHash, hash_blocks};
#[doc(hidden)]
pub use memory::{filled, reserve, zeroed};
#[doc(hidden)]
pub use steps::step;
#[cfg(feature = "steps")]
#[doc(hidden)]
pub use steps::steps_of;
