//! Quotient filters: keys can be removed, counted and listed in order, and filters merged, grown and shrunk.
//!
//! ```
//! use amq_quotient::{CountFilter, Filter, Goal, InsertFilter, MergeFilter, QuotientFilter, RemoveFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let goal = Goal::fpr(1_000_000, 0.01); // a million keys, at most 1 % wrong: 1.2 MB
//! let mut monday = QuotientFilter::new(goal)?;
//! monday.insert("203.0.113.7")?;
//! monday.insert("203.0.113.7")?;
//! assert_eq!(monday.count("203.0.113.7").estimate, 2);
//! assert!(monday.remove("203.0.113.7"));
//! assert!(monday.contains("203.0.113.7")); // one copy is left
//!
//! let mut tuesday = QuotientFilter::new(goal)?;
//! tuesday.insert("198.51.100.23")?;
//! monday.merge_from(&tuesday)?; // no key is hashed again
//! assert!(monday.contains("198.51.100.23"));
//! assert!(monday.iter().is_sorted()); // what is stored of the hashes, in their order
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A compact hash table of shortened hashes. It answers *definitely not in* or *probably in*, wrong for a chosen share of the absent keys, and never wrong about a
//! key that is in. Since it stores something for each key, it can forget one, count copies, and list what it has; and since it stores it sorted, two filters
//! merge, and one becomes larger or smaller, without the keys.
//!
//! At 1 % it takes 9.61 bits per key, as much as a Bloom filter, and less than one below that (10.66 against 11.54 at 2^-8, 12.76 against 14.38 at 0.1 %), for any
//! number of keys: sizes are not rounded up to powers of two.
//!
//! # Picture
//!
//! ```text
//!   hash * slots = | quotient: the slot that is its home | first r bits of the rest: the remainder | (dropped) |
//!
//!   home                 0    1    2    3    4    5    6    7        keys at home in 1: a, b, c; in 2: d; in 5: e
//!   occupieds            0    1    1    0    0    1    0    0        1: some key is at home here
//!   runends              0    0    0    1    1    1    0    0        1: the last remainder of a run is here
//!   remainders           .    a    b    c    d    e    .    .        runs in the order of their homes, each sorted
//!                             `--- run ---'  `'  `'
//!                             `------ cluster ------'
//!   The first runend belongs to the first occupied home, the second to the second: d, at home in 2, is in slot 4.
//!
//!   block of 64 slots  | 64 remainders of r bits | occupieds, 8 bytes | runends, 8 bytes | offset, 1 byte |  (r + 2.125 bits a slot)
//!                                                                                           `- slots taken by earlier blocks' runs
//! ```
//!
//! # Algorithm
//!
//! *Contains*: if the home's occupied bit is clear, no. If it is set, and is the k-th of its block, the run ends at the k-th runend from the block's offset
//! on: a rank and a select, `popcnt` and `pdep`. The run's remainders are compared all at once, as fields of one 64-bit word. Where processors have these
//! instructions, and AVX2, they are used; elsewhere the same is done by arithmetic on words.
//!
//! *Insert* puts the remainder where it belongs in its run and moves everything from there to the next empty slot by one; *remove* moves
//! it back, as far as something is not at home. Both move whole words. The empty slots of a block are found all 64 at once: where as many runs have ended as
//! began. The offsets of the blocks that are moved over rise or fall by one. They are bytes; one that stands at 255 means *255 or more*, and what it is is worked out from the
//! blocks before when it is needed. The table is a ring: what does not fit before the last slot goes on at the first.
//!
//! *Any number of slots.* The home is the upper half of the 128-bit product of hash and slots, and the remainder the first bits of the lower half. That is monotone in the
//! hash, so order is kept, as it is with the powers of two of the textbook.
//!
//! *Merge, grow, shrink*: doubling the slots turns the first bit of each remainder into the last of its quotient, and halving them turns it back, so between tables
//! whose sizes are a power of two apart nothing is lost. They are read in order and written in order. Between other sizes it cannot be done: what is dropped of a
//! hash would be needed to tell the new home, so those are refused. [`QuotientFilter::growing`] begins small and doubles by itself up to a stated
//! limit; it holds as many bits of each hash from the start as the grown filter needs.
//!
//! # Cost and false-positive rate
//!
//! The rate with n distinct keys is `1 - (1 - 1/F)^n` for F = slots * 2^r fingerprints, close to `1 - e^(-load / 2^r)` ([`theory::fpr`]); the space is
//! `(r + 2.125) / load` bits per key. Growing does not change F: twice the keys, twice the rate. [`Filter::expected_fpr`] is the exact rate of the filter at hand.
//!
//! At most 95 % of the slots are used, because the clusters that an insert moves get long. Mean and 99th percentile of their lengths, in slots
//! ([`theory::mean_cluster`], [`theory::cluster_quantile`]; computed here, the mean confirmed by a test on real tables):
//!
//! | load | mean | 99 % are no longer than |
//! | --- | --- | --- |
//! | 0.5 | 2.5 | 13 |
//! | 0.75 | 5.7 | 43 |
//! | 0.9 | 15 | 183 |
//! | 0.95 | 31 | 492 |
//!
//! So inserts slow down as the filter fills: on the machine this was written on, in a table that fits the cache, from 12 ns when empty over 30 ns at half load to 75 ns at 0.9 and 130 ns just
//! below 0.95. Whoever inserts and removes all the time at the limit plans for a tenth more keys than there are. Queries hardly depend on the load: in nineteen of twenty
//! there is no branch that depends on the key. Built at once ([`BuildFilter`]), a filter is written from sorted hashes and has no clusters to move.
//!
//! # When not to use it
//!
//! - **A key that was never put in must not be removed.** If it is a false positive, what is removed is another key's, and the filter then denies that one. The
//!   same holds for keys put in by [`QuotientFilter::insert_unique`], which stores one entry for all that look alike.
//! - Inserts at high load must be as fast as at low: a cuckoo filter, or a Bloom filter if nothing is removed.
//! - A key comes in very many copies: each takes a slot, and each further one is moved past all before it, so that a hundred thousand of them, one by one, take
//!   seconds ([`BuildFilter`] takes them in linear time). A counting Bloom filter knows up to fourteen in the same space.
//! - The filter never changes once it is built: a ribbon filter takes a quarter less.
//! - Strangers choose the keys and know the seed: they can give many keys one home. Nothing is lost by it, but then its run is as long as they like, and operations near it take
//!   time proportional to it. Every loop ends within one round of the table. Use a secret seed ([`QuotientFilter::with_seed`]), and read SECURITY.md in the
//!   repository.
//! - On processors where `pdep` is microcode (AMD before Zen 3) select by it is slow.
//!
//! # Papers
//!
//! - D. Knuth, *The Art of Computer Programming*, volume 3, section 6.4, the exercise on quotienting.
//! - J. Cleary, *Compact hash tables using bidirectional linear probing*, IEEE Transactions on Computers C-33(9), 1984.
//! - M. Bender et al., *Don't thrash: how to cache your hash on flash*, PVLDB 5(11), 2012: the quotient filter.
//! - P. Pandey, M. Bender, R. Johnson, R. Patro, *A general-purpose counting filter: making every bit count*, SIGMOD 2017: rank and select instead of three bits a slot.
//! - S. Vigna, *Broadword implementation of rank/select queries*, WEA 2008.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod bits;
mod edit;
mod error;
mod fields;
mod filter;
mod params;
mod resize;
mod simd;
mod sort;
mod stream;
mod table;
pub mod theory;
mod validate;

pub use error::ResizeError;
pub use filter::{Hashes, QuotientFilter};
pub use params::{
    BLOCK_SLOTS, MAX_FINGERPRINT_BITS, MAX_LOAD, MAX_REMAINDER_BITS, MAX_SLOTS, METADATA_BYTES,
    QuotientParams,
};
pub use validate::Inconsistent;

pub use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter,
    Filter, FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch,
    MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, RemoveFilter,
};
