//! Ribbon filters: static sets in nearly the least possible space, 0.3 % over it at a million keys
//! and a rate of 2^-8; and static maps that do not store their keys.
//!
//! ```
//! use amq_ribbon::{Budget, RibbonFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let blocked: Vec<String> = (0..100_000).map(|i| format!("host-{i}.example")).collect();
//! let filter = RibbonFilter::build(Budget::Fpr(1.0 / 256.0), &blocked)?; // 100 kB
//! assert!(filter.contains("host-77.example"));
//! let wrong = (0..10_000).filter(|i| filter.contains(&format!("other-{i}.example")));
//! assert!(wrong.count() < 100); // 39 expected
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A filter that is built from all its keys at once and never changes. It answers *definitely not
//! in* or *probably in*. The second is wrong for a share of the absent keys that you choose, the
//! **false-positive rate**. A present key is always found. Of all known filters it is closest to
//! the least possible space, `log2(1 / fpr)` bits per key.
//!
//! | rate | bits per key | over the least |
//! | --- | --- | --- |
//! | 1 % | 6.75 | 1.015 |
//! | 2^-8 | 8.03 | 1.003 |
//! | 0.1 % | 10.00 | 1.004 |
//!
//! These are for a million keys. (1 % is not a whole number of bits, and mixing 6 and 7 costs 1.1
//! %.) [`RibbonMap`] gives each key a value of up to 32 bits instead.
//!
//! A struct becomes a key by [`key!`]. Threads query a filter without a lock. For a service, the
//! crate `amq` adds metrics (`Monitored`), and loading that never turns a bad file into a "no"
//! (`load_or_maybe`).
//!
//! # Picture
//!
//! ```text
//! a key is an equation:   hash -> start 5, coefficients 1 0 1 1, result 01101 (r bits)
//!
//!    slot      0  1  2  3  4  5  6  7  8  9  10 ...
//!    row                      1  0  1  1             slots 5, 7 and 8 of the solution,
//!    solution  .  .  .  .  .  a  b  c  d             exclusive-ored, must give the result:
//!                                                    a ^ c ^ d = 01101
//!
//! the solution lies slot by slot where all slots have r = 8, 16, 24 or 32 bits:
//!
//!    | a | b | c | d | ...            r / 8 bytes a slot
//!    `-- a query reads the 64 slots of its row, wherever they begin
//!
//! for any other r it lies in blocks of 64 slots, column by column:
//!
//!    | block 0: column 0, column 1 ... column r-1 | block 1: column 0, column 1 ... |
//!              `------- a query reads the r words of two neighbouring blocks -------'
//! ```
//!
//! # Algorithm
//!
//! *Build*: keys are sorted by the starts of their rows, and eliminated. If a row's first slot is
//! taken, the row there is added to it, which moves its start to the right, until it finds a free
//! slot. (Sorted rows form a ribbon along the diagonal, hence the name.) The keys of some hundred
//! neighbouring starts move together, slot by slot, several in one vector. Back-substitution from
//! right to left then yields the solution.
//!
//! A row that vanishes during elimination leaves its key without a slot. A layer has five percent
//! *fewer* slots than keys. Its slots fill up almost completely, and the keys without a slot, about
//! one in twenty, are *bumped* to the next layer, built in the same way. A query finds the layer of
//! its key by thresholds: every 128 starts share one of two bits, and keys that start below it are
//! bumped.
//!
//! The last layer, of a few hundred keys, has a few percent more slots than keys, so a row seldom
//! vanishes; if one does, the layer is built under another seed. A filter of up to 1,200 keys has
//! only such a layer. (This is the *standard* ribbon of the first paper. The others make the
//! *bumped* ribbon of the second, BuRR.)
//!
//! Layers consist of independent shards of 8,000 to 65,000 slots. They are built in cache, with
//! `par_build` of the feature `rayon` on several threads, and the result is always the same, byte
//! for byte. Repeated keys are harmless: their equations are redundant.
//!
//! *Contains* exclusive-ors the solution at the row's slots and compares with the key's result,
//! without a branch. Slots of whole bytes are masked by the coefficients and folded, 32 bytes at a
//! time with AVX2 where the processor has it. Solutions stored by column are read eight columns at
//! a time, with AVX-512 (Intel since Ice Lake, AMD since Zen 4) in one vector.
//!
//! A plan meets any rate, and any size, to within a block: a share of the blocks has one column
//! less ([`theory`]). The number of bumped keys, and so the size, varies a little between filters.
//! A plan's bytes are enough for 99 filters in 100: a thousandth or two more than most take, or a
//! few dozen bytes in a small one. A size budget is never exceeded: if more keys are bumped than
//! planned, the filter is built again with the columns that fit. With fewer keys than planned, it
//! has the plan's rate in less space.
//!
//! # Cost and false-positive rate
//!
//! With r columns the rate is exactly `2^-r`, for every filter and every number of keys. With a
//! share s of the blocks one column shorter it is `(1 + s) 2^-r`, to within a thousandth from some
//! thousand keys on ([`theory`]).
//!
//! A query of 8, 16, 24 or 32 columns (rates of 2^-8, 2^-16 ...) reads one window of 8 r bytes, 2,
//! 3, 4 or 5 adjacent cache lines; any other reads two neighbouring blocks, 16 r bytes, which are
//! two or three lines at 1 %. The window may begin at any byte; reading only one line would need
//! starts that avoid line ends, and spare slots. The thresholds add a line, out of 2 kB per million
//! keys, which stay in cache. A binary fuse filter reads three lines far apart. Whole bytes are
//! faster: a rate of 2^-8 takes a fifth fewer instructions than 1 %, one by one and in batches.
//!
//! Building takes about 40 ns per key at a million keys, as a binary fuse filter does in the same
//! run (with two threads two thirds of that). Beside the filter it needs 9 bytes per key, and up to
//! two megabytes for the shard being built. Building from an iterator needs 8 bytes per key more,
//! for the hashes; [`BuildFilter::build_keys`] avoids them by hashing each key of a slice twice.
//! ([`RibbonMap`]: 16 bytes a pair, twice.)
//!
//! # When not to use it
//!
//! - Keys are inserted or removed later: use `amq-cuckoo`, `amq-quotient`, `amq-bloom`.
//! - Queries must be as fast as possible, and half as much space again does not matter: use
//!   `amq-bloom`'s split-block filter.
//! - There are fewer than two hundred keys: a row is wide compared with their number, and a Bloom
//!   filter may be smaller. At 10 keys and 1 % it takes 45.6 bits per key, a Bloom filter 12.8.
//! - Strangers choose the keys and know the seed: they can choose many with the same start.
//!   Building still ends, in an error ([`BuildError::Exhausted`]) or a filter not much larger than
//!   planned. Hash under a secret key ([`Keyed`]), and read SECURITY.md in the repository. A secret
//!   seed protects less, since XXH3 is not a pseudorandom function, but a map has nothing else.
//!
//! # Papers
//!
//! - P. C. Dillinger, S. Walzer, *Ribbon filter: practically smaller than Bloom and Xor*,
//!   arXiv:2103.02515, 2021.
//! - P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and
//!   approximate membership using ribbon*, SEA 2022.
//! - M. Dietzfelbinger, S. Walzer, *Efficient Gauss elimination for near-quadratic matrices with
//!   one short random block per row, with applications*, ESA 2019.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod banding;
mod bucket;
mod build;
mod elimination;
mod entry;
mod file;
mod filter;
mod geometry;
mod layer;
mod layout;
mod map;
mod memory;
mod params;
mod row;
mod shards;
mod simd;
mod sizing;
mod solution;
pub mod theory;
mod threshold;
mod truncate;

pub use filter::{RibbonFilter, RibbonView};
pub use map::{MapError, RibbonMap, RibbonMapView};
pub use params::{MAX_COLUMNS, MAX_KEYS, RibbonParams};
pub use sizing::MAX_LAYERS;

#[cfg(feature = "std")]
pub use amq_core::ReadError;
pub use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, ByHash, Bytes, DEFAULT_SEED, DecodeError,
    Encoder, Filter, FilterExt, FilterFile, FilterKind, Goal, Key, KeyHash, Keyed, LengthMismatch,
    LoadOptions, Parameter, ParameterValue, Parameters, Plan, PlanError, PlanFilter, PredictedFpr,
    Prehashed, SaveOptions, SharedBytes, SipKey, Stats, Table, Target, TruncateError,
    TruncateFilter, UnevenHashes, key,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParBuildExt};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
