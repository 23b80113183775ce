//! Binary fuse filters: static sets with fast queries of three reads, with fingerprints of 1 to 32
//! bits.
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
//! in* or *probably in*. The second is wrong for a share of the absent keys that you choose, the
//! **false-positive rate**. A present key is always found.
//!
//! | keys | slots a key | bits per key at 2^-7 / 2^-8 / 2^-16 |
//! | --- | --- | --- |
//! | 1,000 | 1.41 | 9.9 / 11.3 / 22.5 |
//! | 10,000 | 1.28 | 9.0 / 10.2 / 20.5 |
//! | 100,000 | 1.19 | 8.3 / 9.5 / 19.0 |
//! | 1,000,000 | 1.13 | 7.9 / 9.0 / 18.1 |
//!
//! A struct becomes a key by [`key!`]. Threads query a filter without a lock. For a service, the
//! crate `amq` adds metrics (`Monitored`), and loading that never turns a bad file into a "no"
//! (`load_or_maybe`).
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
//! A slot holds a fingerprint of r bits. A key has three slots: its start, anywhere but in the last
//! two segments, and one in each of the next two segments. The table of a large filter consists of
//! shards, each with its own segments.
//!
//! # Algorithm
//!
//! *Build*: a slot of only one key can be reserved for that key. The key is removed from its other
//! two slots, which may leave another slot with one key, and so on, until all keys are gone. Then
//! the slots are set in the opposite order, each to complete its key's fingerprint. In a table
//! without segments, this peeling works up to 0.82 keys per slot. With segments it begins at both
//! ends, where slots have fewer keys, and moves through the table as a wave, up to 0.918 keys per
//! slot if segments are many and long. (That is the highest load at which such a system has a
//! solution at all.) In a real filter they are neither: a million keys take 1.13 slots each, and so
//! do ten million, in shards. Peeling needs them: of 40 filters of a million keys, at 1.114 slots
//! per key none could be peeled, at 1.122 every other one, at 1.131 all. Fewer slots require linear
//! algebra for the keys that cannot be peeled; a ribbon filter does nothing else, and takes 1.003.
//!
//! Peeling may fail, and is then repeated with another internal seed, of which there are 32. A
//! filter is sized so that at most one seed in six fails, and all of them once in 10^24. Repeated
//! keys make it fail, and are then dropped.
//!
//! The hashes are sorted by shard, and roughly by start within it, so that the wave stays in cache.
//! A shard has about two million slots, more if there are hundreds of millions. Shards are built
//! one after another in the same memory, or by several threads with `par_build` of the feature
//! `rayon`; the result is always the same, byte for byte.
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
//! keys ([`theory`]). Equal 64-bit hashes add `n / 2^64` for n keys: as much as `2^-32` at 2^32
//! keys. Plans and expected rates include them. A rate between two powers of two gets the lower
//! one: 1 % takes 7 bits.
//!
//! A query reads three cache lines, hit or miss, within three segments, about 24 kB at a million
//! keys; a batch prefetches them all. A ribbon filter of the same rate takes 1.003 times the least
//! possible space instead of 1.13, and reads two to five adjacent lines.
//!
//! Beside the filter, building takes 8 bytes per key for the hashes, and 13 bytes per slot of one
//! shard: about 23 bytes per key up to two million keys, 11 from ten million on. When built from an
//! iterator, the list of hashes takes up to three times as much while it grows.
//!
//! # When not to use it
//!
//! - Keys are inserted or removed later: use `amq-cuckoo`, `amq-quotient`, `amq-bloom`.
//! - Space matters more than time, or the rate is far from a power of two: use `amq-ribbon`, which
//!   takes 6.7 bits per key at 1 %, not 7.9.
//! - There are fewer than about a hundred keys: segments are wide compared with their number. At 10
//!   keys and 1 % it takes 25.6 bits per key, a Bloom filter 12.8.
//! - Strangers choose the keys and know the seed: they can choose pairs of keys that have all three
//!   slots in common under every internal seed. Building then fails with [`BuildError::Exhausted`].
//!   Hash under a secret key ([`Keyed`]), and read SECURITY.md in the repository. A secret seed
//!   protects less: XXH3 is not a pseudorandom function.
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
