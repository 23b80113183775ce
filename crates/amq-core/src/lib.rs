//! Shared parts of the amq filters: traits, keys and hashing, sizing, errors, files.
//!
//! A filter answers "was this key inserted?" with *definitely not* or *probably*. It never says
//! *definitely not* for a key it holds. How often it says *probably* for a key it does not hold is
//! its **false-positive rate** (`fpr`). A good filter keeps that rate low in few bits per key and
//! few nanoseconds per lookup. This crate has the parts that all variants share, and nothing
//! specific to one:
//!
//! | part | what it is |
//! | --- | --- |
//! | [`Key`], [`KeyHash`] | a key is hashed once, to 64 bits of XXH3; everything else works on the hash |
//! | [`Filter`] and its extensions | what a filter can do, one trait per ability |
//! | [`FilterExt`], [`InsertExt`] | methods on keys instead of hashes, for generic code |
//! | [`Goal`], [`Budget`], [`Plan`] | a filter's size and rate, before it is made |
//! | [`PlanError`], [`BuildError`], [`InsertError`], [`MergeError`] | errors, with the numbers that caused them |
//! | [`Stats`], [`Parameters`] | a filter's state and shape, for a log or a metric |
//! | [`Prehashed`] | a filter whose caller hashes the keys |
//! | [`Keyed`] | a filter that hashes under a secret key of 128 bits, for keys that strangers choose |
//! | `ParInsertExt`, `ParBuildExt` | inserting and building on several threads, with the feature `rayon` |
//! | [`index`], [`prefetch`], [`numeric`] | tools for a filter of your own: hash to table index, batches, formulas |
//! | [`mod@format`] | constants of the file format: magic, header size, alignment |
//!
//! Use filters through their own crates, which re-export the traits they implement. Depend on this
//! crate to write code that is generic over filters, or a filter of your own.
//!
//! Hidden items (the module `internal` and some macros) are for the sibling crates only and are not
//! part of the API. The crate's `STABILITY.md` says what may change and when.
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
//!   TruncateFilter                        smaller, without the keys
//! ```
//!
//! A Bloom filter has no `remove` and a ribbon filter no `insert`: calling either does not compile.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod cpu;
mod envelope;
mod error;
mod file_info;
mod filter;
mod filter_file;
pub mod format;
mod goal;
mod header;
pub mod index;
#[doc(hidden)]
pub mod internal;
mod key;
mod keyed;
mod memory;
pub mod numeric;
#[cfg(feature = "rayon")]
mod parallel;
pub mod prefetch;
mod prehashed;
mod steps;
mod table;

#[cfg(feature = "std")]
pub use error::ReadError;
pub use error::{
    BatchInsertError, BuildError, DecodeError, InsertError, LengthMismatch, MergeError, PlanError,
    SipKeyError, TruncateError, UnevenHashes,
};
pub use file_info::{KeyEncoding, KeyInfo, Secret};
pub use filter::{
    BuildFilter, BuildTarget, ClearFilter, Count, CountFilter, EmptyFilter, Filter, FilterExt,
    FilterKind, InsertExt, InsertFilter, Inserted, MergeFilter, Parameter, ParameterValue,
    Parameters, Parts, PlanFilter, RemoveFilter, Stats, Target, TruncateFilter, UnknownKind,
};
pub use filter_file::{FilterFile, LoadOptions, SaveOptions};
pub use goal::{Budget, Goal, Plan};
pub use key::{ByHash, DEFAULT_SEED, Encoder, Key, KeyHash, SipKey, hash_blocks, hashes_from};
pub use keyed::Keyed;
pub use numeric::PredictedFpr;
#[cfg(feature = "rayon")]
pub use parallel::{HashSource, ParBuildExt, ParInsertExt};
pub use prehashed::Prehashed;
pub use table::{Bytes, SharedBytes, Table};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
