//! Cuckoo filters: fingerprints in buckets. Keys can be removed and counted, and the table has any size.
//!
//! ```
//! use amq_cuckoo::{CuckooFilter, Filter, Goal, InsertFilter, RemoveFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut online = CuckooFilter::new(Goal::fpr(1_000_000, 0.01))?; // a million keys, 1 % wrong: 1.3 MB
//! online.insert("alice")?;
//! assert!(online.contains("alice"));
//! assert!(!online.contains("bob")); // certain
//! assert!(online.remove("alice"));
//! assert!(!online.contains("alice"));
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A hash table that stores of each key only a **fingerprint** of some bits, in one of two buckets. It answers *definitely not in* or
//! *probably in*, wrong for a chosen share of the absent keys, and never wrong about a key that is in. Keys can be taken out again. When it is full it
//! says so, and nothing in it is lost.
//!
//! | type | a key is in one of | bits per key at 1 % / 0.39 % / 0.1 % | choose it |
//! | --- | --- | --- | --- |
//! | [`CuckooFilter`] | two buckets of four slots | 10.53 / 11.58 / 13.69 | by default |
//! | [`WindowedCuckooFilter`] | two overlapping buckets of two slots | 9.58 / 10.64 / 12.77 | for space; filling it takes three times as long |
//!
//! # Picture
//!
//! ```text
//!                    hash(key) * M  =  first bucket | rest          fingerprint = 1 + rest * T / 2^64
//!                                             |          \
//!                                             |           `-->  second bucket = c(fingerprint) - first bucket   (mod M)
//!                                             v                                          |
//! CuckooFilter          .  .  .  . | 17 .  42 .  | .  .  .  . | 8  3  99 17 | .  .  .  . | 5  17 .  . |      "." is empty
//!                          0             1             2            3             4            5   bucket of four slots, M is even
//!
//! WindowedCuckooFilter  .  .  17'.  42 .  8' 3  99 .  5           slot i is in bucket i (as its first slot) and in
//!                       |--|  |--|                                bucket i - 1 (as its second, marked ')
//!                          |--|  |--|
//! ```
//!
//! # Algorithm
//!
//! *Contains* reads both buckets, each as one machine word, and compares all of their slots at once, without a branch that depends on what they
//! hold. *Insert* puts the fingerprint into the emptier bucket. If both are full, some fingerprint there must move to its own other bucket: as that is
//! `c - bucket` for a number c that the fingerprint determines, no key is needed to find it, and the same rule leads back. c is odd and M even, so the two
//! buckets differ; M is any even number, so the table is as large as the keys need, not as the next power of two.
//!
//! Which fingerprints move is searched first, breadth first through the buckets that can be reached, at most 8,192 of them, each
//! once; then they move. A filter without room therefore refuses the key ([`Full::Table`]) and is, byte for byte, what it was. That search fills
//! buckets of four to a load of 0.97 and more, overlapping ones to 0.95 and more, before the first key is refused. Plans stop at 0.95 and 0.94, less 32 slots, which matter to small
//! tables only:
//!
//! - all n keys that a [`CuckooFilter`] is planned for go in, but for fewer than one filter in 10^6, by extrapolation: none of some hundred thousand of each small size
//!   refused one, nor did any of 100 million keys;
//! - the same holds for a [`WindowedCuckooFilter`], but for one in 10^4: five keys that agree in fingerprint and buckets find only four slots, and
//!   its plan makes the fingerprint longer where this would be more frequent (above a few million keys at 1 %).
//!
//! Every copy of a key is stored, up to the eight slots (or four, or three where its two buckets overlap) that it can reach; the next one is refused
//! ([`Full::Copies`]). Plans are for distinct keys: many copies of many keys fill a filter sooner. *Remove* empties a slot with the key's fingerprint in its buckets. *Count* counts them.
//!
//! There is no growing: which of its two buckets a key's hash began with is not stored, so its place in a larger table is not known. Use `amq-quotient`, which
//! grows by powers of two, or `amq-scalable`; or keep the keys and fill a larger filter with them.
//!
//! # Cost and false-positive rate
//!
//! With T fingerprints and M buckets a filter of n distinct keys is wrong for
//!
//! ```text
//! fpr = 1 - (1 - 2 / (T M))^n        T = 2^f - 1 (overlapping buckets: 2^(f-1) - 1), f bits a slot
//! ```
//!
//! of the absent keys, exactly, in the mean over seeds, however the fingerprints have been moved ([`theory`]). At the planned load that is about `8 * 0.95 / 2^f`,
//! or `4 * 0.94 / 2^f`. Each bit more halves it; widths from 4 to 32 are packed without waste.
//!
//! Inserts slow down as the table fills: into buckets of four, some 20 ns to a load of 0.7, 60 just below 0.9 and 170 just below 0.95; into overlapping ones 30, 250 and, over
//! the last few percent, microseconds. Whoever inserts and removes all the time at the limit plans for a tenth more keys than there are.
//!
//! A query reads two cache lines (seldom three or four: one bucket in ten lies across two), wherever the key is and whether it is in; an insert reads two,
//! and more as the table fills.
//!
//! # When not to use it
//!
//! - **A key that was never put in must not be removed.** If it is a false positive, the fingerprint that goes is another key's, and the filter forgets that
//!   one: the only way to make it lie.
//! - More than a few copies of a key: use `amq-quotient` (or `amq-counting`, up to fourteen).
//! - Nothing is removed, and a rate of 1 % or more will do: `amq-bloom` is faster to fill and no larger than buckets of four.
//! - All keys are known at once: `amq-ribbon` takes a third less.
//! - Strangers choose the keys. Who knows the seed finds nine keys with one fingerprint and one pair of buckets, of which the ninth is refused
//!   for ever, or a key whose removal makes the filter forget another. Use a secret seed ([`Cuckoo::with_seed`]), and read SECURITY.md in the repository.
//!
//! # Papers
//!
//! - B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, *Cuckoo filter: practically better than Bloom*, CoNEXT 2014.
//! - D. Eppstein, *Cuckoo filter: simplification and analysis*, SWAT 2016.
//! - E. Lehman, R. Panigrahy, *3.5-way cuckoo hashing for the price of 2-and-a-bit*, ESA 2009: overlapping buckets.
//! - J. E. Schmitz, J. Zentgraf, S. Rahmann, *Smaller and more flexible cuckoo filters*, arXiv:2505.05847, 2025: overlapping buckets in filters.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod filter;
mod fingerprints;
mod lanes;
mod layout;
mod ops;
mod params;
mod search;
mod table;
pub mod theory;

pub use filter::{Cuckoo, CuckooFilter, CuckooView, WindowedCuckooFilter, WindowedCuckooView};
pub use fingerprints::{Fingerprint, Fingerprints};
pub use layout::{Buckets, Layout, Windows};
pub use params::{CuckooParams, MAX_FINGERPRINT_BITS, MIN_FINGERPRINT_BITS};

pub use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, BuildTarget, ByHash, ClearFilter, Count,
    CountFilter, DEFAULT_SEED, EmptyFilter, Encoder, Filter, FilterExt, FilterKind, Full, Goal,
    InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Parts, Plan,
    PlanError, PlanFilter, PredictedFpr, RemoveFilter, Stats, Target,
};
