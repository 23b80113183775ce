//! Cuckoo filters: fingerprints in buckets. Supports removing and counting keys, and tables of any
//! size.
//!
//! ```
//! use amq_cuckoo::{CuckooFilter, Goal};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A million keys at a false-positive rate of 1 %: 1.3 MB.
//! let mut online = CuckooFilter::new(Goal::fpr(1_000_000, 0.01))?;
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
//! A hash table that stores only a **fingerprint** of each key, a few bits of its hash, in one of
//! two buckets. A lookup answers *definitely not in* or *probably in*. *Probably in* is wrong for a
//! fraction of the absent keys that you choose when you create the filter. A key that is in is
//! never denied. Keys can be removed. A full filter refuses further keys and loses none.
//!
//! | type | a key is in one of | bits per key at 1 % / 0.39 % / 0.1 % | when to choose it |
//! | --- | --- | --- | --- |
//! | [`CuckooFilter`] | two buckets of four slots | 10.53 / 11.58 / 13.69 | by default |
//! | [`WindowedCuckooFilter`] | two windows of two slots | 9.58 / 10.64 / 12.77 | for space |
//!
//! Windows are buckets that overlap. At 1 %, from 100,000 keys on, they take 2.0 to 2.7 times as
//! long to fill.
//!
//! A struct becomes a key by [`key!`]. For a service, the crate `amq` adds locks (`Sharded`),
//! metrics (`Monitored`), windows of time (`Rolling`), and loading that never turns a bad file into
//! a "no" (`load_or_maybe`).
//!
//! # Picture
//!
//! ```text
//! CuckooFilter            hash(key) * M  =  first bucket | rest
//!                                                |           \
//!                   .----------------------------'            fingerprint = 1 + rest * T / 2^64
//!                   |                                           |
//!                   |             second bucket = c(fingerprint) - first bucket   (mod M, even)
//!                   v                                         v
//!  | .  .  .  . | 17 .  42 .  | .  .  .  . | 8  3  99 17 | 5  17 .  . | .  .  .  . |   . is empty
//!        0             1            2             3            4            5
//!
//! WindowedCuckooFilter
//!
//!   .  .  17'.  42 .  8' 3  99 .  5      slot i is the first slot of bucket i, and the second
//!   |--|  |--|                           of bucket i - 1 (fingerprints there are marked ')
//!      |--|  |--|
//! ```
//!
//! # Algorithm
//!
//! *Contains* reads both buckets, each as one machine word, and compares all their slots at once.
//! No branch depends on their contents. *Insert* puts the fingerprint into the emptier bucket. If
//! both are full, a fingerprint in them must move to its alternate bucket, `c - bucket`, where the
//! fingerprint determines the number c: moving it does not need the key, and the same formula leads
//! back. As c is odd and M even, the two buckets differ. M is any even number, so the table is as
//! large as the keys need, not the next power of two.
//!
//! A breadth-first search over at most 16,384 buckets (slots, where buckets overlap) decides which
//! fingerprints move before any of them does. If it finds no room, the filter refuses the key
//! ([`InsertError::Table`]) and is unchanged, byte for byte. The search fills buckets of four to a
//! load factor of 0.97 and more, overlapping ones to 0.95 and more, before the first key is
//! refused. Plans stop at 0.95 and 0.94, minus 32 slots, which matter only in small tables:
//!
//! - a [`CuckooFilter`] accepts all n keys it is planned for, except in at most one of 10^6
//!   filters. This is an extrapolation: none of some hundred thousand filters of each small size
//!   refused a key, and neither did large ones, with 100 million keys in total;
//! - the same holds for a [`WindowedCuckooFilter`], except one in 10^4. Five keys with the same
//!   fingerprint and buckets have only four slots, so plans lengthen the fingerprint where that
//!   would happen more often (above a few million keys at 1 %).
//!
//! Every copy of a key is stored, up to the eight slots it can reach (four with overlapping
//! buckets, three if its own two overlap). The next one is refused ([`InsertError::Copies`]). Plans
//! are for distinct keys: many copies fill a filter earlier. If keys repeat and none is ever
//! removed, use [`insert_unique`](Cuckoo::insert_unique), which stores one copy. *Remove* empties
//! one slot with the key's fingerprint; *count* counts these slots.
//!
//! A filter can be saved to a file and loaded ([`FilterFile`]), or queried in place
//! ([`view`](FilterFile::view)).
//!
//! A cuckoo filter cannot grow: it does not store which of the two buckets came from the key's
//! hash, so the position in a larger table is unknown. Use `amq-quotient`, which grows by powers of
//! two, or `amq-scalable`; or keep the keys and fill a larger filter with them.
//!
//! # Cost and false-positive rate
//!
//! With T fingerprints and M buckets, a filter of n distinct keys is wrong for
//!
//! ```text
//! fpr = 1 - (1 - 2 / (T M))^n      T = 2^f - 1, f bits a slot (overlapping buckets: 2^(f - 1) - 1)
//! ```
//!
//! of the absent keys, exactly, averaged over seeds, wherever the fingerprints have been moved
//! ([`theory`]). At the planned load that is about `8 * 0.95 / 2^f`, or `4 * 0.94 / 2^f` where
//! buckets overlap. Each further bit halves it. Slots of 4 to 32 bits are packed without waste.
//!
//! Inserts slow down as the table fills. With buckets of four they take about 20 ns up to a load of
//! 0.7, 60 ns just below 0.9 and 170 ns just below 0.95; with overlapping buckets 30 ns, 250 ns
//! and, over the last few percent, microseconds. If you constantly insert and remove at full load,
//! plan for a tenth more keys.
//!
//! A lookup reads two cache lines, whether the key is in or not (three or four if a bucket spans
//! two lines, as one in ten does). An insert reads two, and more as the table fills.
//!
//! # When not to use it
//!
//! - You cannot guarantee that **only inserted keys are removed**. Removing a false positive
//!   removes another key's fingerprint, and the filter then denies that key: the only way to get a
//!   false negative. (A key that `insert_unique` skipped was not inserted.)
//! - You insert many copies of a key: use `amq-quotient`, or `amq-counting` for up to fourteen.
//! - You remove nothing, and a rate of 1 % or more is acceptable: `amq-bloom` fills faster, in no
//!   more space than buckets of four.
//! - You know all keys beforehand: `amq-ribbon` needs a third less space.
//! - Strangers choose the keys. If they know the seed, they can find nine keys that share a
//!   fingerprint and its buckets, the ninth of which is refused for ever; or a key whose removal
//!   makes the filter deny another. Hash under a secret key ([`Keyed`]), and read SECURITY.md in
//!   the repository. A secret seed is weaker: XXH3 is not a pseudorandom function, and one false
//!   positive leads to others.
//!
//! # Papers
//!
//! - B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, *Cuckoo filter: practically better
//!   than Bloom*, CoNEXT 2014.
//! - D. Eppstein, *Cuckoo filter: simplification and analysis*, SWAT 2016.
//! - E. Lehman, R. Panigrahy, *3.5-way cuckoo hashing for the price of 2-and-a-bit*, ESA 2009:
//!   overlapping buckets.
//! - J. E. Schmitz, J. Zentgraf, S. Rahmann, *Smaller and more flexible cuckoo filters*,
//!   arXiv:2505.05847, 2025: overlapping buckets in filters.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod file;
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
pub use layout::{Buckets, Layout, OverlappingBuckets};
pub use params::{CuckooParams, MAX_FINGERPRINT_BITS, MIN_FINGERPRINT_BITS};

pub use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, ByHash, Bytes, ClearFilter,
    Count, CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Encoder, Filter, FilterExt,
    FilterFile, FilterKind, Goal, InsertError, InsertExt, InsertFilter, Inserted, Key, KeyHash,
    Keyed, LengthMismatch, LoadOptions, MergeError, MergeFilter, Parameter, ParameterValue,
    Parameters, Plan, PlanError, PlanFilter, PredictedFpr, Prehashed, RemoveFilter, SaveOptions,
    SharedBytes, SipKey, Stats, Table, Target, UnevenHashes, key,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParBuildExt, ParInsertExt};

#[cfg(feature = "std")]
pub use amq_core::ReadError;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
