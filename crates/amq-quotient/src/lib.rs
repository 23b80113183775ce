//! Quotient filters: keys can be removed, counted and listed in order, and filters merged, grown
//! and shrunk. One kind grows without a bound: [`ExpandableQuotientFilter`].
//!
//! ```
//! use amq_quotient::{Goal, QuotientFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A million keys, at most 1 % wrong: 1.2 MB.
//! let plan = QuotientFilter::plan(Goal::fpr(1_000_000, 0.01))?;
//! let mut monday = QuotientFilter::new(plan)?;
//! monday.insert("203.0.113.7")?;
//! monday.insert("203.0.113.7")?;
//! assert_eq!(monday.count("203.0.113.7").estimate, 2);
//! assert!(monday.remove("203.0.113.7"));
//! assert!(monday.contains("203.0.113.7")); // one copy is left
//!
//! let mut tuesday = QuotientFilter::new(plan)?; tuesday.insert("198.51.100.23")?;
//! monday.merge(&tuesday)?; // hashes no key again assert!(monday.contains("198.51.100.23"));
//! assert!(monday.iter().is_sorted()); // the stored fingerprints, in order
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A compact hash table of shortened hashes, called fingerprints. It answers *definitely not in*,
//! which is never wrong, or *probably in*, which is wrong for a share of the absent keys that you
//! choose. It stores a fingerprint for each key, so it can remove keys, count copies, and list its
//! contents. Fingerprints are sorted, so filters merge, grow and shrink without their keys.
//!
//! At 1 % it takes 9.61 bits per key, as much as a Bloom filter; at lower rates it takes less
//! (10.66 against 11.54 at 2^-8, 12.76 against 14.38 at 0.1 %). Sizes follow the number of keys,
//! and are not rounded up to powers of two.
//!
//! A struct becomes a key by [`key!`]. For a service, the crate `amq` adds locks (`Sharded`),
//! metrics (`Monitored`), windows of time (`Rolling`), and loading that never turns a bad file into
//! a "no" (`load_or_maybe`).
//!
//! # Picture
//!
//! ```text
//!   hash * slots = | quotient: the home slot | next r bits: the remainder | (dropped) |
//!
//!   home         0    1    2    3    4    5    6    7    at home in 1: a, b, c; in 2: d; in 5: e
//!   occupieds    0    1    1    0    0    1    0    0    1: some key is at home here
//!   runends      0    0    0    1    1    1    0    0    1: a run ends here
//!   remainders   .    a    b    c    d    e    .    .    runs in order of their homes, each sorted
//!                     `--- run ---'  `'  `'
//!                     `------ cluster ------'
//!   The first runend belongs to the first occupied home, the second to the second:
//!   d, at home in 2, is in slot 4.
//!
//!   block of     | 64 remainders | occupieds | runends | offset |    r + 2.125 bits per slot
//!   64 slots     |  8 r bytes    |  8 bytes  | 8 bytes | 1 byte |
//!                                                        `- slots taken by runs of earlier blocks
//! ```
//!
//! # Algorithm
//!
//! *Contains*: if the home's occupied bit is clear, the answer is no. If it is the k-th set bit of
//! its block, the run ends at the k-th runend counted from the block's offset: a rank and a select,
//! `popcnt` and `pdep`. The run's remainders are compared all at once, as fields of one 64-bit
//! word. Processors without these instructions, or without AVX2, do the same by arithmetic on
//! words.
//!
//! *Insert* puts the remainder in its place in the run, and moves everything from there to the next
//! empty slot by one. *Remove* moves it back, up to the first entry that is in its home slot. Both
//! move whole words. The next empty slot is where as many runs have ended as started; all 64 slots
//! of a block are tested for that at once. The offsets of the blocks passed change by one. An
//! offset is a byte: 255 means *255 or more*, and is then computed from earlier blocks when needed.
//! The table is a ring: entries that find no slot before the end continue at the start.
//!
//! *Any number of slots.* The quotient is the upper half of the 128-bit product of hash and slots,
//! the remainder the first bits of the lower half. That is monotone in the hash, so order is kept,
//! as with the powers of two of the textbook.
//!
//! *Merge, grow, shrink*: doubling the slots turns the first bit of each remainder into the last
//! bit of its quotient, and halving turns it back. So converting between sizes a power of two apart
//! loses nothing; tables are read in order and written in order. Other pairs of sizes are refused:
//! finding the new home would need bits of the hash that were dropped. A filter planned by
//! [`QuotientFilter::plan_growing`] starts small and doubles by itself up to a limit; it keeps from
//! the start as many bits of each hash as the grown filter needs.
//!
//! *Files* hold the table as it is in memory, byte by byte, so a view ([`FilterFile::view`]) works
//! on every machine and at every alignment. The stored fingerprints determine every bit of a table;
//! so reading a file checks the table in one pass, and refuses any other bits.
//!
//! ## Growing without a bound
//!
//! Doubling takes a bit from every fingerprint. A filter with a known limit can keep these bits in
//! reserve. One without, an [`ExpandableQuotientFilter`], gives each key as many bits as a slot has
//! when the key is inserted. A slot has one bit more than a fingerprint, and an entry ends with its
//! age in unary: a 1, then a 0 for each doubling since it was inserted.
//!
//! ```text
//!   a slot of 6 bits       home    value
//!   a new entry            10      1 0 1 1 0|1       5 bits of fingerprint
//!   the table doubles      101     0 1 1 0|1 0       the first is now the last of the home
//!   and again              1010    1 1 0|1 0 0       3 are left; a new entry has 5 again
//!   after five doublings   1010110 |1 0 0 0 0 0      none: answers for every key at home here
//!   after six              both    |1 0 0 0 0 0      ... in each half of its former home
//!                          halves
//! ```
//!
//! *Contains* compares all entries of a run at once, as before, without the tail of each, the bits
//! set in `v ^ (v - 1)`. As a number, an entry lies in the middle of the fingerprints it matches,
//! so a sorted run stays sorted when all of its entries are shifted. *Growing* is therefore one
//! pass from end to end: home and value, as one number, are multiplied by two. *Remove* takes the
//! longest entry that matches the key. Whichever key inserted that entry, every other key keeps an
//! entry that matches it.
//!
//! Each entry always matches the same share of hashes, so the few old keys, which match more, add
//! as much to the rate as the many young ones: after X doublings it is at most
//! `0.95 (X + 2) / 2^(F + 1)` for F bits ([`theory::expandable`]). At 1 % F is 11, which lasts for
//! 41 doublings, and a key takes 14.9 bits when the table is full, 29.7 when it has just doubled.
//!
//! # Cost and false-positive rate
//!
//! With n distinct keys the rate is `1 - (1 - 1/F)^n` for F = slots * 2^r fingerprints, close to
//! `1 - e^(-load / 2^r)` ([`theory::fpr`]). The space is `(r + 2.125) / load` bits per key. Growing
//! does not change F: twice the keys, twice the rate. [`Filter::expected_fpr`] is the exact rate of
//! the filter at hand.
//!
//! At most 95 % of the slots are used, because the clusters that an insert moves become long. Mean
//! and 99th percentile of their lengths, in slots ([`theory::mean_cluster`],
//! [`theory::cluster_quantile`]; a test confirms the mean on real tables):
//!
//! | load | mean | 99th percentile |
//! | --- | --- | --- |
//! | 0.5 | 2.5 | 13 |
//! | 0.75 | 5.7 | 43 |
//! | 0.9 | 15 | 183 |
//! | 0.95 | 31 | 492 |
//!
//! So inserts slow down as the filter fills. In a table that fits the cache we measured 12 ns when
//! empty, 30 ns at half load, 75 ns at 0.9 and 130 ns just below 0.95. If you constantly insert and
//! remove at the limit, plan for a tenth more keys. Queries hardly depend on the load: nineteen in
//! twenty run without a branch that depends on the key. [`QuotientFilter::build`] writes a filter
//! from sorted hashes and moves no clusters.
//!
//! # When not to use it
//!
//! - You may have to remove keys that were never inserted. Removing a false positive removes
//!   another key's entry, and the filter then denies that key. The same holds for keys that
//!   [`QuotientFilter::insert_unique`] skipped; those that were `New` to it may be removed.
//! - Inserts at high load must be as fast as at low load: take a cuckoo filter, or a Bloom filter
//!   if nothing is removed.
//! - A key has very many copies. Each takes a slot and moves the run behind it, so inserting a
//!   hundred thousand of them takes seconds ([`QuotientFilter::build`] takes linear time). A
//!   counting Bloom filter counts up to fourteen in the same space.
//! - Keys are inserted in the order of their hashes into a filter that grows. They crowd into one
//!   part of each small table, and the time is quadratic: 40 s for a million. Shuffle them, or plan
//!   for all of them.
//! - The filter never changes once it is built: a ribbon filter is a quarter smaller.
//! - Strangers choose the keys and know the seed: they can give many keys one home. No key is lost,
//!   but they can make its run as long as they like, and operations near it take time proportional
//!   to its length. Every loop ends within one round of the table. (An expandable filter refuses
//!   the 256th key of one fingerprint.) Hash under a secret key ([`Keyed`]), and read SECURITY.md
//!   in the repository. A secret seed protects less: XXH3 is not a pseudorandom function, and one
//!   known false positive leads to others.
//! - Your processor has `pdep` in microcode (AMD before Zen 3): select is slow there.
//!
//! # Papers
//!
//! - D. Knuth, *The Art of Computer Programming*, volume 3, section 6.4, the exercise on
//!   quotienting.
//! - J. Cleary, *Compact hash tables using bidirectional linear probing*, IEEE Transactions on
//!   Computers C-33(9), 1984.
//! - M. Bender et al., *Don't thrash: how to cache your hash on flash*, PVLDB 5(11), 2012: the
//!   quotient filter.
//! - P. Pandey, M. Bender, R. Johnson, R. Patro, *A general-purpose counting filter: making every
//!   bit count*, SIGMOD 2017: rank and select instead of three bits per slot.
//! - S. Vigna, *Broadword implementation of rank/select queries*, WEA 2008.
//! - N. Dayan, I. Bercea, P. Reviriego, R. Pagh, *InfiniFilter: expanding filters to infinity and
//!   beyond*, SIGMOD 2023: fingerprints with their age in unary.
//! - N. Dayan, I. Bercea, R. Pagh, *Aleph Filter: to infinity in constant time*, PVLDB 17(11),
//!   2024: entries without bits are stored in both halves.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod bits;
mod edit;
mod entry;
mod error;
mod expandable;
mod fields;
mod file;
mod filter;
mod pack;
mod params;
mod resize;
mod search;
mod shift;
mod simd;
mod sort;
mod stream;
mod table;
pub mod theory;
mod truncate;
mod validate;

pub use error::ResizeError;
pub use expandable::params::{DOUBLINGS, ExpandableParams};
pub use expandable::{ExpandableQuotientFilter, ExpandableQuotientView};
pub use filter::{Hashes, QuotientFilter, QuotientView};
pub use params::{
    BLOCK_SLOTS, MAX_COPIES, MAX_FINGERPRINT_BITS, MAX_LOAD, MAX_REMAINDER_BITS, MAX_SLOTS,
    METADATA_BYTES, QuotientParams,
};

pub use amq_core::{
    BatchInsertError, Budget, BuildError, BuildFilter, BuildTarget, ByHash, Bytes, ClearFilter,
    Count, CountFilter, DEFAULT_SEED, DecodeError, EmptyFilter, Encoder, Filter, FilterExt,
    FilterFile, FilterKind, Goal, InsertError, InsertExt, InsertFilter, Inserted, Key, KeyHash,
    Keyed, LengthMismatch, LoadOptions, MergeError, MergeFilter, Parameter, ParameterValue,
    Parameters, Plan, PlanError, PlanFilter, PredictedFpr, Prehashed, RemoveFilter, SaveOptions,
    SharedBytes, SipKey, Stats, Table, Target, TruncateError, TruncateFilter, UnevenHashes, key,
};
#[cfg(feature = "rayon")]
pub use amq_core::{HashSource, ParBuildExt, ParInsertExt};

#[cfg(feature = "std")]
pub use amq_core::ReadError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
