//! Bloom filters: classic, split-block, wide-block and atomic, sized by exact formulas.
//!
//! ```
//! use amq_bloom::{BloomFilter, Goal};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A million keys at a false-positive rate of 1 %: 1.2 MB.
//! let mut seen = BloomFilter::new(Goal::fpr(1_000_000, 0.01))?;
//! seen.insert("https://example.org/");
//! assert!(seen.contains("https://example.org/"));
//! assert!(!seen.contains("https://example.org/new"));
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A set of keys in about ten bits per key, however long the keys are. A lookup answers *definitely
//! not in* or *probably in*. *Probably in* is wrong for a fraction of the absent keys, the
//! **false-positive rate**, which you choose when you create the filter. A key that is in is never
//! denied. Keys cannot be removed or listed.
//!
//! | type | a key sets | bits per key at 1 % | when to choose it |
//! | --- | --- | --- | --- |
//! | [`BloomFilter`] | k bits anywhere in the table | 9.6 | by default: the smallest |
//! | [`BlockedBloomFilter`] | 8 bits in one 32-byte block | 10.5 | for speed: one cache line per operation; Parquet |
//! | [`WideBlockedBloomFilter`] | k bits in one 64-byte block | 9.9 | for speed without Parquet: less space, especially at low rates |
//! | [`AtomicBloomFilter`] | as `BloomFilter` | 9.6 | when several threads insert at once |
//! | [`AtomicBlockedBloomFilter`] | as `BlockedBloomFilter` | 10.5 | when several threads insert at once, one cache line per key |
//!
//! A struct becomes a key by [`key!`]. For a service, the crate `amq` adds locks (`Sharded`),
//! metrics (`Monitored`), windows of time (`Rolling`), and loading that never turns a bad file into
//! a "no" (`load_or_maybe`).
//!
//! # Picture
//!
//! ```text
//! BloomFilter, k = 3                     hash(key)
//!                             /             |            \
//!                    * M^0   /       * M^1  |      * M^2  \        one 64-bit word per probe,
//!                           v               v              v      scaled to 0..m by its upper bits
//! bits   . . 1 . . 1 . . . .1. . 1 . . . . .1. . . . 1 . . 1 . .   all three set: probably in
//!
//! BlockedBloomFilter              hash(key) = upper half | lower half
//!                                     |                     |
//!                              block = upper * blocks     bit i = (lower * salt_i) >> 27, i = 0..8
//!                                     v                     v
//! blocks |  .  |  .  | .......1..|..1.....|1.......|....1...| ...  |  .  |     eight 32-bit words,
//!                     `--------------- 32 bytes ---------------'               one bit in each
//!
//! WideBlockedBloomFilter           hash(key), and its lower half
//! k = 9                               |                     |
//!                              block = hash * blocks      bit i = ((lower * salt_i) >> 26) mod 64
//!                                     v                     v
//! blocks |  .  |  .  | .......1..|..1.....|1.......|..1..1..| ...  |  .  |     eight 64-bit words,
//!                     `--------------- 64 bytes ---------------'               one bit in each, a
//!                                                                          second in k - 8 that
//!                                                                              the key chooses
//! ```
//!
//! # Algorithm
//!
//! A key is hashed once, with XXH3-64 under the filter's seed. *Classic*: the hash is multiplied by
//! an odd constant once per probe, and the upper bits of each product, scaled to the size of the
//! table, give a bit position. An insert sets these k bits; a query tests them. If the table fits
//! the cache, it tests up to sixteen at once, without a branch. In a larger table, where each probe
//! is a cache miss, it tests two, and the others only if both are set. *Split block*: one bit in
//! each of the eight words of one block, all eight computed, set and tested at once with AVX2 where
//! available. The layout is that of Apache Parquet and Impala, bit for bit. *Wide block*: the same
//! in eight words of 64 bits, with AVX-512 or AVX2. If k is less than eight, the key has a bit in k
//! neighbouring words, which the hash chooses; if it is more, k - 8 words have a second bit. The
//! literature calls such blocks sectorized; here k follows from the rate.
//!
//! Batch queries ([`Filter::contains_batch`]) prefetch cache lines well before they read them. The
//! classic filter does this in two waves, so seven of eight absent keys never touch the lines of
//! their later probes.
//!
//! If the table is much larger than the cache, bulk inserts (`build`, `insert_keys`, `insert_batch`
//! with a long slice) first partition the keys by ranges of the table, in at most 64 MiB of memory,
//! so that each range stays in the cache while its keys are inserted. `par_insert_keys` and
//! `par_build`, of the feature `rayon`, partition and insert on several threads, each in its own
//! ranges. The filter is always byte for byte the one that single inserts make.
//!
//! # Cost and false-positive rate
//!
//! Classic, with m bits, k probes, n keys, and X the number of bits set: the rate is the moment
//! `E[(X/m)^k]`, computed exactly in [`theory::classic`]; for large m it is `(1 - e^(-kn/m))^k`.
//! The best k is `m/n ln 2`. Each factor of ten in the rate costs 4.8 bits per key, 1.44 times the
//! lower bound. In a table larger than the cache, a lookup touches k cache lines if the key is in,
//! and about `2 + (k - 2) / 4` if it is not.
//!
//! Split block, with b blocks: `E[(1 - (1 - 1/32)^i)^8]` over i, binomial with n trials of
//! probability 1/b ([`theory::blocked`]). 10.5 bits per key at 1 %, 16.9 at 0.1 %; one cache line
//! per operation. Below about 0.01 % the bits per key rise steeply.
//!
//! Wide block, with b blocks: the mean over i of an inclusion-exclusion sum, since the words that
//! keys choose do not fill independently ([`theory::wide`]). 9.9 bits per key at 1 % (k = 6), 15.6
//! at 0.1 % (k = 9), 22.1 at 0.01 % (k = 12); one cache line per operation.
//!
//! Tables are never rounded up to a power of two: their size follows the number of keys.
//!
//! Beyond the planned number of keys, inserts still succeed and the rate rises: from 1 % to 16 % at
//! twice the keys and 83 % at five times. [`Filter::expected_fpr`] returns the current rate.
//!
//! # When not to use it
//!
//! - You need to remove keys: use `amq-cuckoo` or `amq-quotient`, or `amq-counting`, which never
//!   fills up.
//! - You need a rate of 0.1 % or less in little space: `amq-quotient` and the overlapping buckets
//!   of `amq-cuckoo` need a ninth less, but can fill up.
//! - You know all keys beforehand: `amq-ribbon` needs 30 % less space.
//! - You do not know the number of keys: use `amq-scalable`.
//! - Strangers choose the keys and profit from false positives: hash under a secret key
//!   ([`Keyed`]). An attacker who knows the seed can raise the rate from 1 % to 10 %, and that of a
//!   split-block filter to 60 %. A secret seed ([`BloomFilter::with_seed`]) stops keys that were
//!   prepared beforehand, but XXH3 is not a pseudorandom function. SECURITY.md in the repository
//!   has the numbers, and the risks that a secret key does not remove.
//!
//! # Papers
//!
//! - B. Bloom, *Space/time trade-offs in hash coding with allowable errors*, CACM 13(7), 1970.
//! - P. Bose et al., *On the false-positive rate of Bloom filters*, IPL 108(4), 2008.
//! - K. Christensen, A. Roginsky, M. Jimeno, *A new analysis of the false positive rate of a Bloom
//!   filter*, IPL 110(21), 2010.
//! - P. Dillinger, P. Manolios, *Bloom filters in probabilistic verification*, FMCAD 2004.
//! - F. Putze, P. Sanders, J. Singler, *Cache-, hash- and space-efficient Bloom filters*, WEA 2007.
//! - H. Lang, T. Neumann, A. Kemper, P. Boncz, *Performance-optimal filtering: Bloom overtakes
//!   cuckoo at high throughput*, PVLDB 12(5), 2019 (blocks divided into sectors).
//! - S. Swamidass, P. Baldi, *Mathematical correction for fingerprint similarity measures*, JCIM
//!   47(3), 2007 (cardinality).
//! - Apache Parquet format, *Bloom filter* (the split-block layout and its salts).
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod atomic;
mod atomic_blocked;
mod block;
mod blocked;
mod filter;
mod layout;
mod params;
mod probes;
#[doc(hidden)]
pub mod probing;
mod resize;
mod shared;
mod simd;
mod table;
mod tally;
pub mod theory;
mod wide_block;

#[cfg(target_has_atomic = "64")]
pub use atomic::AtomicBloomFilter;
#[cfg(target_has_atomic = "64")]
pub use atomic_blocked::AtomicBlockedBloomFilter;
pub use block::{Block, SALTS};
pub use blocked::{
    Blocked, BlockedBloomFilter, BlockedBloomView, WideBlockedBloomFilter, WideBlockedBloomView,
};
pub use filter::{BloomFilter, BloomView};
pub use params::{
    BlockedParams, BloomParams, FoldError, MAX_BLOCKS, MAX_PROBES, MAX_WIDE_PROBES,
    WideBlockedParams,
};
#[cfg(target_has_atomic = "64")]
pub use shared::Atomic;
pub use wide_block::WideBlock;

pub use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, ByHash, Bytes, ClearFilter,
    DEFAULT_SEED, DecodeError, EmptyFilter, Encoder, Filter, FilterExt, FilterFile, FilterKind,
    Goal, InsertError, InsertExt, InsertFilter, Inserted, Key, KeyHash, Keyed, LengthMismatch,
    LoadOptions, MergeError, MergeFilter, Parameter, ParameterValue, Parameters, Parts, Plan,
    PlanError, PlanFilter, PredictedFpr, Prehashed, SaveOptions, SharedBytes, SipKey, Stats, Table,
    Target, UnevenHashes, key,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParBuildExt, ParInsertExt};

#[cfg(feature = "std")]
pub use amq_core::ReadError;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
