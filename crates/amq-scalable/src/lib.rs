//! Scalable Bloom filters: sets that grow, with a false-positive rate that holds however large they
//! become.
//!
//! ```
//! use amq_scalable::{Filter, Goal, ScalableBloomFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Room for a thousand at first; 1 % for ever.
//! let mut seen = ScalableBloomFilter::new(Goal::fpr(1_000, 0.01))?;
//! for user in 0..50_000u64 {
//!     seen.insert(&user)?;
//! }
//! assert!((0..50_000u64).all(|user| seen.contains(&user)));
//! assert!(seen.expected_fpr() < 0.01);
//! assert_eq!(seen.stage_count(), 6); // 1, 2, 4, 8, 16 and 32 thousand
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A Bloom filter for an unknown number of keys. When it is full it adds a stage: another Bloom
//! filter, larger and with a lower rate than the last. A lookup answers *definitely not in* or
//! *probably in*. The false-positive rate that you choose is the **compound** rate of all stages
//! together. Averaged over seeds, it is never exceeded while the filter grows. (Each seed makes a
//! different filter. A single small one may exceed the mean; `expected_fpr` returns its rate.)
//!
//! | type | stages are | when to choose it |
//! | --- | --- | --- |
//! | [`ScalableBloomFilter`] | classic filters | by default: the smaller one |
//! | [`ScalableBlockedBloomFilter`] | split-block filters | for speed: one cache line per stage |
//!
//! A struct becomes a key by [`key!`]. For a service, the crate `amq` adds locks (`Sharded`),
//! metrics (`Monitored`), windows of time (`Rolling`), and loading that never turns a bad file into
//! a "no" (`load_or_maybe`).
//!
//! # Picture
//!
//! ```text
//! insert -> newest stage                   query: newest first, until one says "probably in"
//!
//!  stage 0   stage 1      stage 2            stage 3 (newest)
//! |#######|##############|############################|##################......................|
//!  n0        n0 s         n0 s^2             n0 s^3                      capacity
//!  P(1-r)    P(1-r) r     P(1-r) r^2         P(1-r) r^3                  rate: sums to P at most
//!
//! hash(key) --remix(0)--> stage 0    --remix(1)--> stage 1    ...    one hash, independent stages
//! ```
//!
//! # Algorithm
//!
//! *Insert*: a key that any stage contains changes nothing. Any other key is inserted into the
//! newest stage and counts against its capacity; if that is used up, the next stage is added first.
//! *Lookup*: tests each stage, starting with the newest, which has most of the keys. The key is
//! hashed once. Each stage remixes that hash with its own number, because false positives of stages
//! that share hash bits would coincide.
//!
//! With a **bound** on the number of keys ([`ScalableParams::with_max_keys`]), the stages share the
//! rate in proportion to their capacities. That makes growth affordable: 1.16 to 1.3 times the
//! space of a filter of the right size from the start, instead of 1.7 and more.
//!
//! With a **limit on bytes** ([`ScalableParams::with_max_bytes`]) the stage that would exceed it is
//! cut to the remaining bytes. As the last stage, it gets the whole remaining rate.
//!
//! # Cost and false-positive rate
//!
//! The compound rate is `1 - prod (1 - p_i)` over the exact rates of the stages ([`theory`]). If
//! each stage is twice the size of the last, a filter of 1 % needs 16.3 bits per key when all its
//! stages are full, and twice that when the newest is empty; with a bound and a growth of 4, 11.1
//! when full; with a limit on bytes, 12.5 to 16.5 at the limit. [`ScalableFilter::plan_params`]
//! returns the size for any number of keys. A lookup of an absent key tests every stage,
//! `log_s(n / n0)` of them.
//!
//! # When not to use it
//!
//! - You know the number of keys, even roughly: an `amq-bloom` filter for twice the number is
//!   smaller than an unbounded growing one.
//! - You need to remove keys: `amq-quotient`, which can grow; or `amq-cuckoo`
//!   and `amq-counting`, at a fixed size.
//! - Strangers choose the keys: they can make it grow. Set a limit
//!   ([`ScalableParams::with_max_bytes`]), and hash under a secret key ([`Keyed`]): an attacker who
//!   knows the seed can raise the rate tenfold and more. A secret seed is weaker: XXH3 is not a
//!   pseudorandom function. SECURITY.md in the repository has the numbers.
//!
//! # Papers
//!
//! - P. Almeida, C. Baquero, N. Preguica, D. Hutchison, *Scalable Bloom filters*, IPL 101(6), 2007.
//! - B. Bloom, *Space/time trade-offs in hash coding with allowable errors*, CACM 13(7), 1970.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod file;
mod filter;
mod growth;
mod params;
mod rates;
mod sizing;
mod stage;
pub mod theory;

pub use filter::ScalableFilter;
pub use params::{MAX_GROWTH, ScalableParams, StageGoal};
pub use stage::{OwnedStage, StageFilter, StageReport};

use amq_bloom::{BlockedBloomFilter, BlockedBloomView, BloomFilter, BloomView};

/// A growing filter of classic Bloom filters.
pub type ScalableBloomFilter<B = Table> = ScalableFilter<BloomFilter<B>>;

/// A growing filter of split-block Bloom filters.
pub type ScalableBlockedBloomFilter<B = Table> = ScalableFilter<BlockedBloomFilter<B>>;

/// A [`ScalableBloomFilter`] whose tables are borrowed.
pub type ScalableBloomView<'a> = ScalableFilter<BloomView<'a>>;

/// A [`ScalableBlockedBloomFilter`] whose tables are borrowed.
pub type ScalableBlockedBloomView<'a> = ScalableFilter<BlockedBloomView<'a>>;

pub use amq_core::{
    BatchInsertError, Budget, BuildError, ByHash, ClearFilter, DEFAULT_SEED, DecodeError,
    EmptyFilter, Encoder, Filter, FilterExt, FilterFile, FilterKind, Goal, InsertError, InsertExt,
    InsertFilter, Inserted, Key, KeyHash, Keyed, LengthMismatch, LoadOptions, MergeError,
    MergeFilter, Parameter, ParameterValue, Parameters, Parts, Plan, PlanError, PlanFilter,
    PredictedFpr, Prehashed, SaveOptions, SharedBytes, SipKey, Stats, Table, Target, UnevenHashes,
    key,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParInsertExt};

#[cfg(feature = "std")]
pub use amq_core::ReadError;

/// Tests the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
