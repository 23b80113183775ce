//! Counting Bloom filters with 4-bit counters: keys can be removed, and counted.
//!
//! ```
//! use amq_counting::{CountFilter, CountingBloomFilter, Filter, Goal, InsertFilter, RemoveFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut open = CountingBloomFilter::new(Goal::fpr(1_000_000, 0.01))?; // a million keys, 1 % wrong: 4.8 MB
//! open.insert("session 17")?;
//! open.insert("session 17")?;
//! assert_eq!(open.count("session 17").estimate, 2);
//! assert!(open.remove("session 17"));
//! assert!(open.contains("session 17")); // one copy is left
//! assert!(open.remove("session 17"));
//! assert!(!open.contains("session 17"));
//! assert!(!open.remove("session 17")); // certainly not there
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A Bloom filter whose bits are counters from 0 to 15, so that a key can be taken out again, at four times the space. It
//! answers *definitely not in* or *probably in*, wrong for a chosen share of the absent keys, and never wrong about a
//! key that is in. It stores every copy of a key and says how many there are.
//!
//! | type | a key is | bits per key at 1 % | choose it |
//! | --- | --- | --- | --- |
//! | [`CountingBloomFilter`] | k counters anywhere in the table | 38.4 | by default; it turns into a [`BloomFilter`] |
//! | [`BlockedCountingBloomFilter`] | 8 counters in one 64-byte block | 45.7 | for speed: one cache line an operation |
//!
//! # Picture
//!
//! ```text
//! CountingBloomFilter, k = 3             hash(key)
//!                             /             |            \         as in the classic filter
//!                            v              v             v
//! counters  0 0 1 0 0 2 0 0 [1] 0 1 0 0 0 [3] 0 1 0 0 0 [1] 0 15    insert: each +1   remove: each -1
//!                                                            `-- sticks: it no longer knows its count
//!
//! BlockedCountingBloomFilter        hash(key) * blocks = block | rest
//!                                                    counter i = (upper half of rest * salt_i) >> 28, i = 0..8
//! blocks |  .  |  .  | 0000010000000000|0020000000000000| ... 8 words ... |0000000000010000|  .  |
//!                     `--------------- 64 bytes, sixteen 4-bit counters a word -----------'
//! ```
//!
//! # Algorithm
//!
//! *Insert* raises the key's counters by one, *remove* lowers them, *contains* asks whether all are above zero, *count* takes
//! the lowest. Sixteen counters share a 64-bit word; raising one is an addition that cannot carry into its neighbour, because
//! a counter at 15 is left alone. It is left alone for ever: it may stand for fifteen keys or for fifty, and
//! lowering it could make the filter forget one of them. (At the planned load of a 1 % filter this befalls one counter in 3e14;
//! it befalls whoever inserts one key fifteen times.)
//!
//! In the blocked filter a key's eight counters lie in one cache line, one in each word, and are found, compared and changed
//! together with AVX2 where the processor has it.
//!
//! # Cost and false-positive rate
//!
//! The rate of [`CountingBloomFilter`] is exactly that of a Bloom filter with as many bits as it has counters ([`theory::classic`]), at
//! four times its space. That of [`BlockedCountingBloomFilter`] is `E[(1 - (1 - 1/16)^i)^8]` over the number i of keys in a block
//! ([`theory::blocked`]). Both hold only for the keys that are in *now*: removals bring the rate down again.
//!
//! # When not to use it
//!
//! - **A key that was never put in must not be removed.** If it is a false positive, its counters belong to other keys,
//!   and the filter forgets one of them: the only way to make it lie. Remove only what you know you put in.
//! - Memory matters: `amq-cuckoo` and `amq-quotient` remove too, in a quarter of the space; but they get full.
//! - Keys come in very many copies: a counter knows no more than fourteen.
//! - Nothing is removed: `amq-bloom`.
//! - Strangers choose the keys and gain by false positives, or by having others' keys removed: use a secret seed
//!   ([`CountingBloomFilter::with_seed`]), and read SECURITY.md in the repository.
//!
//! # Papers
//!
//! - L. Fan, P. Cao, J. Almeida, A. Broder, *Summary cache: a scalable wide-area web cache sharing protocol*, IEEE/ACM ToN 8(3), 2000.
//! - F. Bonomi et al., *An improved construction for counting Bloom filters*, ESA 2006.
//! - F. Putze, P. Sanders, J. Singler, *Cache-, hash- and space-efficient Bloom filters*, WEA 2007.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod block;
mod blocked;
mod counters;
mod filter;
mod params;
mod simd;
pub mod theory;

pub use blocked::BlockedCountingBloomFilter;
pub use filter::CountingBloomFilter;
pub use params::{BlockedCountingParams, CountingParams, MAX_BLOCKS};

pub use amq_bloom::{BloomFilter, MAX_PROBES};
pub use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter,
    Filter, FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch,
    MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, RemoveFilter,
};
