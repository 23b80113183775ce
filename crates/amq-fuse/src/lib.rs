//! Binary fuse filters: static sets with fast queries, three reads each, for fingerprints of any
//! number of bits from 1 to 32.
//!
//! ```
//! use amq_fuse::{Budget, FuseFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let blocked: Vec<String> = (0..100_000).map(|i| format!("host-{i}.example")).collect();
//! let filter = FuseFilter::build(Budget::Fpr(1.0 / 256.0), &blocked)?; // 119 kB
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
//! in* or *probably in*; the second is wrong for a share of the absent keys that is chosen
//! beforehand, the **false-positive rate**. It is never wrong about a key that is in.
//!
//! | keys | slots a key | bits per key at 2^-7 / 2^-8 / 2^-16 |
//! | --- | --- | --- |
//! | 1,000 | 1.41 | 9.9 / 11.3 / 22.5 |
//! | 10,000 | 1.28 | 9.0 / 10.2 / 20.5 |
//! | 100,000 | 1.19 | 8.3 / 9.5 / 19.0 |
//! | 1,000,000 | 1.13 | 7.9 / 9.0 / 18.1 |
//!
//! # Picture
//!
//! ```text
//! a key:      hash -> start 6, offsets 3 and 1, fingerprint 01101
//!
//! segments    |  0           |  1           |  2           |  3           |  ...
//! slots       .  .  .  .  .  .  a  .  .  .  .  b  .  .  c  .  .  .  .
//!                               |              |        |
//!                           the start     one slot in each of the next two segments
//!
//!             a ^ b ^ c = 01101
//! ```
//!
//! A slot is a fingerprint of r bits. A key has three: its start, anywhere but in the last two
//! segments, and one slot in each of the two segments behind that. The table of a large filter
//! consists of shards, each with segments of its own.
//!
//! # Algorithm
//!
//! *Build*: a slot that only one key has can be left to that key. The key is taken off its other
//! two slots, which may leave another slot with one key, and so on, until all keys are gone. Then
//! the slots are set in the opposite order, each to what its key still lacks. In a table without
//! segments that works up to 0.82 keys a slot. With segments it begins at both ends, where slots
//! have fewer keys, and goes on through the table as a wave, up to 0.918 keys a slot if segments
//! are many and long. (That is the load up to which such a system has a solution at all.)
//! In a real filter they are neither: a million keys take 1.13 slots each, and ten million 1.13
//! too, in shards. That is what peeling needs: of 40 filters of a million keys, at 1.114 slots a
//! key none could be peeled, at 1.122 every other one, at 1.131 all. Less takes linear algebra for
//! what cannot be peeled; a ribbon filter consists of nothing else, at 1.003.
//!
//! It may fail. Then all is done again with another internal seed, of which there are 32. A filter
//! is sized so that a seed fails once in six times at most, and all of them once in 10^24. Repeated
//! keys are found when it fails, and dropped.
//!
//! The hashes are sorted by shard, and roughly by start within it, so that the wave stays in cache.
//! A shard has some two million slots, more if there are hundreds of millions. Shards are built one
//! after another in the same memory, or by several threads with `par_build` of the feature `rayon`;
//! the result is always the same, byte for byte.
//!
//! *Contains* exclusive-ors three slots and compares with the key's fingerprint, without a branch.
//! Fingerprints of 8, 16 and 32 bits are read as they are, others as the word of 8 bytes in which
//! they lie, shifted and masked.
//!
//! A filter is stored as a file ([`FilterFile`]) and read again, or queried where its bytes lie
//! ([`view`](FilterFile::view)).
//!
//! # Cost and false-positive rate
//!
//! With fingerprints of r bits the rate is exactly `2^-r`, for every filter and every number of
//! keys ([`theory`]). An absent key whose 64-bit hash is that of a present one adds `n / 2^64` for
//! n keys: as much as `2^-32` at 2^32 keys. Plans and expected rates count it. A rate
//! between two powers of two gets the lower one: 1 % takes 7 bits.
//!
//! A query reads three cache lines, hit or miss, which lie within three segments, some 24 kB at a
//! million keys; in a batch all are prefetched. A ribbon filter of the same rate takes 1.003 times
//! the least possible space instead of 1.13, and reads two to five adjacent lines.
//!
//! Building takes 8 bytes a key for the hashes, beside the filter, and 13 bytes a slot of one
//! shard: some 23 bytes a key up to two million keys, 11 from ten million on. Built from an
//! iterator, the list of hashes takes up to three times as much while it grows.
//!
//! # When not to use it
//!
//! - Keys come or go: `amq-cuckoo`, `amq-quotient`, `amq-bloom`.
//! - Space matters more than time, or the rate is far from a power of two: `amq-ribbon`, which
//!   takes 6.7 bits per key at 1 %, not 7.9.
//! - Fewer than some hundred keys: segments are wide against their number. At 10 keys and 1 % it
//!   takes 25.6 bits per key, a Bloom filter 12.8.
//! - Strangers choose the keys and know the seed: they can choose pairs of keys that have all three
//!   slots in common under every internal seed. Building then fails with
//!   [`BuildError::Exhausted`]. Hash under a secret key ([`Keyed`]), and read SECURITY.md in the
//!   repository. A secret seed is less: XXH3 is no pseudorandom function.
//!
//! # Papers
//!
//! - T. M. Graf, D. Lemire, *Binary fuse filters: fast and smaller than xor filters*, ACM Journal
//!   of Experimental Algorithmics 27, 2022.
//! - M. Dietzfelbinger, S. Walzer, *Dense peelable random uniform hypergraphs*, ESA 2019.
//! - S. Walzer, *Peeling close to the orientability threshold: spatial coupling in hashing-based
//!   data structures*, SODA 2021.
//! - S. Vigna, *ε-cost sharding: scaling hypergraph-based static functions and filters to
//!   trillions of keys*, arXiv:2503.18397, 2025.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod build;
mod cells;
mod file;
mod filter;
mod hashes;
mod layout;
mod memory;
mod params;
mod peel;
mod query;
mod sizing;
pub mod theory;
mod truncate;

pub use filter::{FuseFilter, FuseView};
pub use params::{FuseParams, MAX_FINGERPRINT_BITS, MAX_KEYS};

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
