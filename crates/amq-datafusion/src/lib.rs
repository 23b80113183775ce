//! Approximate-membership filters in SQL: aggregates and functions for [DataFusion] and [Ballista],
//! and Spark's Bloom filter, byte for byte.
//!
//! | function | value |
//! | --- | --- |
//! | `amq_agg(x, expected, fpr [, kind])` | aggregate: a filter of the keys in `x`, as a file's bytes |
//! | `amq_merge_agg(f)` | aggregate: the filters in `f` as one |
//! | `amq_truncate(f, fpr)` | `f` at a higher rate, made without its keys: [`AmqTruncate`] |
//! | `amq_contains(f, x)` | whether `x` is probably in `f`; `false` is certain |
//! | `amq_contains_file(path, x)` | the same of a filter in a file; see [`ContainsFile`] |
//! | `amq_estimate(f)` | about how many different keys are in `f` |
//! | `amq_info(f)` | kind, keys, capacity, bytes, load and rate of `f` |
//! | `bloom_filter_agg(x [, items [, bits]])` | Spark's aggregate, Spark's bytes; see [`spark`] |
//! | `might_contain(f, x)` | Spark's question |
//!
//! [`register_all`] registers them with a session. [`semi_join_filter`] drops rows of a join's
//! larger side that have no partner before they are shuffled. [`FilterJoins`] refuses queries that
//! would copy a filter to every row.
//!
//! SQL's filters are the library's: [`amq::AnyFilter::from_bytes`] and the command read what
//! `amq_agg` returns, and `amq_contains` reads theirs.
//!
//! | column | key |
//! | --- | --- |
//! | integers, booleans | as in Rust: `42` is one key at every width |
//! | strings, binaries | their bytes |
//! | dates | days since 1970, as `i64`; the filter says that they are dates |
//! | timestamps | `(seconds, nanoseconds)` since 1970, as `(i64, u32)`, whatever the unit |
//! | dictionaries, runs | their values |
//! | floats, decimals, intervals, times, nested types | refused: cast to one of the above |
//!
//! # Features
//!
//! `object-store`: `ObjectStoreFiles`, for filters in the object stores of a session.
//!
//! # Memory
//!
//! A state of `amq_agg` is a list of up to 512 hashes, then a filter. The memory of states is
//! reported to the engine's memory pool after every batch, and a query that exceeds the pool fails
//! with the pool's error.
//!
//! [DataFusion]: https://datafusion.apache.org/
//! [Ballista]: https://datafusion.apache.org/ballista/
#![forbid(unsafe_code)]

mod accumulator;
mod agg;
mod answers;
mod cache;
mod constant;
mod contains;
mod error;
mod file;
mod filters;
mod groups;
mod info;
mod joins;
mod keys;
mod literal;
mod local;
mod merge_agg;
mod params;
mod register;
mod semi_join;
pub mod spark;
mod state;
#[cfg(feature = "object-store")]
mod stores;
mod truncate;

pub use agg::AmqAgg;
pub use constant::{AmqConstant, FilterSubqueries};
pub use contains::AmqContains;
pub use file::ContainsFile;
pub use info::{AmqEstimate, AmqInfo};
pub use joins::FilterJoins;
pub use local::{FilterFiles, LocalFiles};
pub use merge_agg::AmqMergeAgg;
pub use register::{aggregate_functions, extend, register_all, scalar_functions};
pub use semi_join::{SemiJoinOptions, semi_join_filter};
#[cfg(feature = "object-store")]
pub use stores::ObjectStoreFiles;
pub use truncate::AmqTruncate;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
