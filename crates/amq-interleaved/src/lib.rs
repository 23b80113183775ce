//! Interleaved Bloom filters: one lookup says which of many sets may hold a key.
//!
//! ```
//! use amq_interleaved::{Budget, InterleavedBloomFilter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A thousand files of a hundred keys each, in 157 kB.
//! let files: Vec<Vec<String>> = (0..1000)
//!     .map(|file| (0..100).map(|line| format!("host-{}.example", file * 10 + line)).collect())
//!     .collect();
//! let filter = InterleavedBloomFilter::build(Budget::Fpr(0.01), &files)?;
//! // Ten files have this line; some ten more are answered.
//! let bins = filter.bins("host-5003.example");
//! assert!((491..=500).all(|file| bins.contains(file)));
//! assert!(bins.count() < 40);
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! M sets of keys, the *bins*: files, blocks of a chain, tenants, days. A lookup answers with the
//! set of bins that *may hold* a key. A bin that holds the key is always among them. Each other bin
//! is returned with the **false-positive rate** p that you choose, so expect `p M` wrong bins.
//!
//! Each bin is a split-block Bloom filter ([`BlockedBloomFilter`], the layout of Apache Parquet),
//! and all have one size. The answers are those of a loop over M single filters, bit for bit. But
//! the loop reads M cache lines in M places, while a lookup here reads eight rows of M bits.
//!
//! | bins | bytes of a row | cache lines a lookup reads | and a loop |
//! | --- | --- | --- | --- |
//! | 64 | 8 | 8 | 64 |
//! | 512 | 64 | 8 | 512 |
//! | 1,000 | 128 | 16 | 1,000 |
//! | 8,192 | 1,024 | 128 | 8,192 |
//!
//! A struct becomes a key by [`key!`]. `Sharded`, `Monitored` and `load_or_maybe` of the crate
//! `amq` are for single filters: share an interleaved filter in an `RwLock`, and search every bin
//! if its file cannot be read.
//!
//! # Picture
//!
//! ```text
//! a bin, n blocks of 256 bits:        | ......1...1.1.. | ..1.....1..1... |  ...
//!
//! all bins, transposed:        bins   0 1 2 3 4 5 6 ...                M-1
//!                      block 0 row 0  . 1 . . 1 . . . . . . . . . . . . .   a bit for each bin
//!                              row 1  . . . . 1 . . 1 . . . . . . . 1 . .
//!                              ...
//!                            row 255  . . 1 . . . . . . . 1 . . . . . . .
//!                      block 1 row 0  ...
//!
//! a key:    hash(key) = upper half | lower half
//!                           |             |
//!                  block = upper * n    eight rows of the block, one of each 32
//!
//!                                 row   3   . 1 . . 1 . 1 . . 1
//!                                 row  41   . 1 1 . 1 . . . . 1
//!                                 ...       AND
//!                                 row 230   . 1 . . 1 1 . . . .
//!                                           -------------------
//!                                 bins      . 1 . . 1 . . . . .    bins 1 and 4 may hold it
//! ```
//!
//! # Algorithm
//!
//! *Lookup*: a split-block filter chooses a block by one half of the hash, and by the other one bit
//! in each of its eight words. All bins have these eight bits in the same rows. The AND of the rows
//! has a one for each bin with all eight. Batches ([`bins_keys`], [`bins_batch`]) prefetch the rows
//! of later keys. [`bins_of_all`] is the AND over several keys; [`at_least`] counts for each bin
//! how many of the keys it may hold, in counters that are sliced by bits as the rows are.
//!
//! *Filling*: a key of one bin sets one bit in eight rows, which are eight cache lines. So
//! [`insert_keys`] fills a single filter first, and writes it into the bin row by row. If the bin
//! has keys already, the new ones are sorted by block, so that the lines they share are in the
//! cache. To fill all bins, [`build`] makes 64 single filters and transposes them, 64 by 64 bits at
//! a time. With the feature `rayon`, `par_build` does so on several threads, with the same result.
//!
//! *Rows* have a multiple of 64 bins, and above 512 bins a multiple of 512, so that a row begins at
//! a cache line. [`add_bin`] uses the spare bins first, and then copies the table into longer rows.
//!
//! *Files* ([`FilterFile`]) have the table, the numbers of keys and a name for each bin. A query of
//! a mapped file touches the pages of eight rows. A query of a file in an object store takes one
//! range read ([`InterleavedParams::row_range`]).
//!
//! [`bins_keys`]: InterleavedBloomFilter::bins_keys
//! [`bins_batch`]: InterleavedBloomFilter::bins_batch
//! [`bins_of_all`]: InterleavedBloomFilter::bins_of_all
//! [`at_least`]: InterleavedBloomFilter::at_least
//! [`insert_keys`]: InterleavedBloomFilter::insert_keys
//! [`build`]: InterleavedBloomFilter::build
//! [`add_bin`]: InterleavedBloomFilter::add_bin
//!
//! # Cost and false-positive rate
//!
//! The rate of a bin is that of a split-block filter with its keys
//! ([`amq_bloom::theory::blocked`]): 10.5 bits per key at 1 %, 16.9 at 0.1 %, for the keys of the
//! *largest* bin in every bin. A bin with fewer keys has the same bits and a lower rate.
//! [`InterleavedBloomFilter::plan`] counts the padding, too: 2.4 % at 1,000 bins, nothing at a
//! multiple of 512; below 64 bins a row has 64. Beside the table there are 16 bytes for each bin,
//! and the names.
//!
//! Building all bins at once takes 1.4 to 1.9 times as long as filling single filters. Many keys of
//! one bin take 3 to 5 times as long while the table is in the cache, and 10 to 21 times beyond it:
//! a key writes one bit in each of some six cache lines that no other key of the bin needs.
//!
//! [`bins`] answers in place up to 1,024 bins, and allocates above; [`bins_into`] never does.
//!
//! [`bins`]: InterleavedBloomFilter::bins
//! [`bins_into`]: InterleavedBloomFilter::bins_into
//!
//! # When not to use it
//!
//! - Each key is in **one bin only**, and the keys are known beforehand: a `RibbonMap`
//!   (`amq-ribbon`) from the key to its bin. For a thousand bins a value has 10 bits. With 7 check
//!   bits the map takes 17.0 bits per key, and returns one candidate: the right one, or a wrong one
//!   for one absent key in 128. At 10.8 bits per key an interleaved filter returns ten wrong bins
//!   of a thousand. To return 1/128 wrong bins per lookup, it takes 43 bits per key.
//! - Bins differ much in size: a filter for each class of sizes takes less, as
//!   [`InterleavedBloomFilter::classes`] computes.
//! - Fewer than ten bins: query single filters.
//! - Keys must be removed from a bin: [`clear_bin`](InterleavedBloomFilter::clear_bin) and insert
//!   the others again, or keep `amq-counting` filters and set bins from them.
//! - Strangers choose the keys, know the seed, and profit from false positives: there is no keyed
//!   interleaved filter. Take a secret seed ([`InterleavedBloomFilter::with_seed`]), or hash under
//!   [`SipKey`](amq_core::SipKey) and insert hashes.
//!
//! # Papers
//!
//! - T. H. Dadi et al., *DREAM-Yara: an exact read mapper for very large databases with short
//!   update time*, Bioinformatics 34(17), 2018 (the interleaved Bloom filter).
//! - E. Seiler et al., *Raptor: a fast and space-efficient pre-filter for querying very large
//!   collections of nucleotide sequences*, iScience 24(7), 2021.
//! - T. Bingmann et al., *COBS: a compact bit-sliced signature index*, SPIRE 2019.
//! - F. Putze, P. Sanders, J. Singler, *Cache-, hash- and space-efficient Bloom filters*, WEA 2007
//!   (blocks).
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod bins;
mod classes;
mod count;
mod error;
mod file;
mod fill;
mod filter;
mod labels;
mod params;
mod query;
mod simd;

pub use bins::{BinWords, Bins};
pub use classes::{Classes, MAX_CLASSES, SizeClass};
pub use error::BinError;
pub use filter::{InterleavedBloomFilter, InterleavedBloomView};
pub use params::{InterleavedParams, MAX_BINS};

pub use amq_bloom::{BlockedBloomFilter, BlockedParams};
#[cfg(feature = "std")]
pub use amq_core::ReadError;
pub use amq_core::{
    Budget, BuildError, BuildTarget, Bytes, DEFAULT_SEED, DecodeError, Encoder, FilterFile,
    FilterKind, Goal, Inserted, Key, KeyHash, LengthMismatch, LoadOptions, Parameter,
    ParameterValue, Parameters, Plan, PlanError, SaveOptions, SharedBytes, Table, Target, key,
};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
