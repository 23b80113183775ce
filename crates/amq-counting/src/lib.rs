//! Counting Bloom filters with 4-bit counters: keys can be removed and counted.
//!
//! ```
//! use amq_counting::{CountingBloomFilter, Goal};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A million keys at a false-positive rate of 1 %: 4.8 MB.
//! let mut open = CountingBloomFilter::new(Goal::fpr(1_000_000, 0.01))?;
//! open.insert("session 17");
//! open.insert("session 17");
//! assert_eq!(open.count("session 17").estimate, 2);
//! assert!(open.remove("session 17"));
//! assert!(open.contains("session 17")); // One copy is left.
//! assert!(open.remove("session 17"));
//! assert!(!open.contains("session 17"));
//! assert!(!open.remove("session 17")); // Certainly not in.
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A Bloom filter with counters from 0 to 15 instead of bits, so that keys can be removed, in four
//! times the space. A lookup answers *definitely not in* or *probably in*. The second answer is
//! wrong for a fraction of the absent keys, which you choose; a key that is in is never denied. The
//! filter counts the copies of each key.
//!
//! | type | a key raises | bits per key at 1 % | when to choose it |
//! | --- | --- | --- | --- |
//! | [`CountingBloomFilter`] | k counters anywhere in the table | 38.4 | by default; converts to [`BloomFilter`] |
//! | [`BlockedCountingBloomFilter`] | 8 counters in a 64-byte block | 45.7 | for speed: one cache line |
//!
//! A struct becomes a key by [`key!`]. For a service, the crate `amq` adds locks (`Sharded`),
//! metrics (`Monitored`), windows of time (`Rolling`), and loading that never turns a bad file into
//! a "no" (`load_or_maybe`).
//!
//! # Picture
//!
//! ```text
//! CountingBloomFilter, k = 3             hash(key)
//!                             /             |            \         as in the classic filter
//!                            v              v             v
//! counters  0 0 1 0 0 2 0 0 [1] 0 1 0 0 0 [3] 0 1 0 0 0 [1] 0 15   insert: +1, remove: -1 each
//!                                                            `-- saturated: stays at 15
//!
//! BlockedCountingBloomFilter        hash(key) * blocks = block | rest
//!                                   counter i = (upper half of rest * salt_i) >> 28, i = 0..8
//! blocks |  .  |  .  | 0000010000000000|0020000000000000| ... 8 words ... |0000000000010000|  .  |
//!                     `--------------- 64 bytes, sixteen 4-bit counters a word -----------'
//! ```
//!
//! # Algorithm
//!
//! *Insert* raises the key's counters by one, *remove* lowers them, *contains* tests whether all
//! are above zero, and *count* returns the lowest. Sixteen counters share a 64-bit word. Raising
//! one is an addition that cannot carry into its neighbour, because a counter at 15 is
//! **saturated** and never changes again: fifteen keys may share it, or fifty, and lowering it
//! could make the filter deny one of them. At the planned load of a 1 % filter, one counter in 3e14
//! is saturated. Inserting a key fifteen times saturates all of its counters.
//!
//! In the blocked filter a key's eight counters are in one cache line, one in each word. They are
//! tested and changed together, with AVX2 where available.
//!
//! Bulk inserts into large tables first partition the keys by ranges of the table, on several
//! threads with the `par_` methods of the feature `rayon`, as [`amq_bloom`] describes. The
//! resulting filter is the same, byte for byte.
//!
//! # Cost and false-positive rate
//!
//! The rate of [`CountingBloomFilter`] is exactly that of a Bloom filter with as many bits as it
//! has counters ([`theory::classic`]), at four times the space. The rate of
//! [`BlockedCountingBloomFilter`] is `E[(1 - (1 - 1/16)^i)^8]` over the number i of keys in a block
//! ([`theory::blocked`]). Both depend only on the keys that are in *now*: removals lower the rate
//! again.
//!
//! Beyond the planned number of keys, inserts still succeed and the rate rises: from 1 % to 16 % at
//! twice the keys.
//!
//! # When not to use it
//!
//! - **You may have to remove keys that were never inserted.** If such a key is a false positive,
//!   its counters belong to other keys, and the filter then denies one of those. The same holds for
//!   a key that `insert_unique` skipped ([`Inserted::MaybePresent`]); one that was `New` may be
//!   removed.
//! - Memory matters: `amq-cuckoo` and `amq-quotient` support removal in a quarter of the space, but
//!   they fill up.
//! - Keys have very many copies: a counter counts up to fourteen.
//! - Nothing is removed: use `amq-bloom`.
//! - Strangers choose the keys and profit from false positives, or from the removal of other keys:
//!   hash under a secret key ([`Keyed`]), and read SECURITY.md in the repository. A secret seed is
//!   weaker: XXH3 is not a pseudorandom function.
//!
//! # Papers
//!
//! - L. Fan, P. Cao, J. Almeida, A. Broder, *Summary cache: a scalable wide-area web cache sharing
//!   protocol*, IEEE/ACM ToN 8(3), 2000.
//! - F. Bonomi et al., *An improved construction for counting Bloom filters*, ESA 2006.
//! - F. Putze, P. Sanders, J. Singler, *Cache-, hash- and space-efficient Bloom filters*, WEA 2007.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod block;
mod blocked;
mod classic;
mod counters;
mod file;
mod filter;
mod layout;
mod params;
mod simd;
pub mod theory;

pub use blocked::Blocked;
pub use classic::Classic;
pub use filter::{
    BlockedCountingBloomFilter, BlockedCountingView, Counting, CountingBloomFilter, CountingView,
};
pub use layout::Layout;
pub use params::{BlockedCountingParams, CountingParams, MAX_BLOCKS};

pub use amq_bloom::{BloomFilter, MAX_PROBES};
pub use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, ByHash, Bytes, ClearFilter,
    Count, CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Encoder, Filter, FilterExt,
    FilterFile, FilterKind, Goal, InsertError, InsertExt, InsertFilter, Inserted, Key, KeyHash,
    Keyed, LengthMismatch, LoadOptions, MergeError, MergeFilter, Parameter, ParameterValue,
    Parameters, Parts, Plan, PlanError, PlanFilter, PredictedFpr, Prehashed, RemoveFilter,
    SaveOptions, SharedBytes, SipKey, Stats, Table, Target, UnevenHashes, key,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParBuildExt, ParInsertExt};

#[cfg(feature = "std")]
pub use amq_core::ReadError;

/// Tests the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
