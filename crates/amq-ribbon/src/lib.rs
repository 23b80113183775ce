//! Ribbon filters: static sets in next to the least possible space (0.3 % over it, at a million keys and a rate of 2^-8); and maps from keys to values that do not store the keys.
//!
//! ```
//! use amq_ribbon::{Budget, BumpedRibbonFilter, Filter};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let blocked: Vec<String> = (0..100_000).map(|i| format!("host-{i}.example")).collect();
//! let filter = BumpedRibbonFilter::new(Budget::Fpr(1.0 / 256.0), &blocked)?; // 8.03 bits a key: 100 kB
//! assert!(filter.contains("host-77.example"));
//! let wrong = (0..10_000).filter(|i| filter.contains(&format!("other-{i}.example")));
//! assert!(wrong.count() < 100); // 39 expected
//! # Ok(())
//! # }
//! ```
//!
//! # What it is
//!
//! A filter that is made of all its keys at once and never changes. It answers *definitely not in* or *probably in*, wrong for a chosen share of the
//! absent keys, and never wrong about a key that is in. Of all known filters it comes closest to the least possible space, `log2(1 / fpr)` bits a key.
//!
//! | type | bits per key at 1 % / 0.39 % / 0.1 %, a million keys | over the least | choose it |
//! | --- | --- | --- | --- |
//! | [`BumpedRibbonFilter`] | 6.74 / 8.02 / 10.00 | 1.015 / 1.003 / 1.004 | by default |
//! | [`WideBumpedRibbonFilter`] | 6.74 / 8.02 / 10.00 | 1.014 / 1.002 / 1.003 | where a thousandth of the space is worth building more than twice as long, and half as long again in queries |
//! | [`NarrowRibbonFilter`] | 7.29 / 8.67 / 10.82 | 1.097 / 1.084 / 1.085 | where it is built often: in half the time |
//! | [`RibbonFilter`] | 6.99 / 8.32 / 10.37 | 1.052 / 1.040 / 1.041 | hardly ever: it is there to compare with. One layer, rows of 128 bits |
//!
//! (At 1 % the least is not a whole number of bits, and mixing 6 and 7 costs 1.1 %.) [`RibbonMap`] gives each key a value of up to 32 bits instead.
//!
//! # Picture
//!
//! ```text
//! a key is an equation:   hash -> start 5, coefficients 1 0 1 1, result 01101 (r bits)
//!
//!    slot      0  1  2  3  4  5  6  7  8  9  10 ...
//!    row                      1  0  1  1                  the exclusive or of the solution at slots 5, 7 and 8
//!    solution  .  .  .  .  .  a  b  c  d                  shall be 01101:  a ^ c ^ d = 01101
//!
//! the solution, r bits a slot, is stored in blocks of as many slots as a row has coefficients, column by column:
//!
//!    | block 0: column 0, column 1 ... column r-1 | block 1: column 0, column 1 ... |   one 64-bit word a column
//!              `------- a query reads the r words of two neighbouring blocks -------'
//! ```
//!
//! # Algorithm
//!
//! *Build*: keys are sorted by where their rows begin, and put in one by one. If a row's first slot is taken, the row that is there is added to it,
//! which moves its beginning to the right, until it finds a free slot. (Sorted rows are a ribbon along the diagonal, hence the name.) Then the solution follows from right to left.
//! If a row vanishes on its way there is no room for its key. The *standard* ribbon has a few percent more slots than keys, so that this is rare, and
//! takes another seed when it happens. The *bumped* ribbon has five percent *fewer* slots than keys: the places fill up almost completely, and the keys for which there is
//! no room, about one in twenty, go to a next layer, built in the same way; a last layer, of a few hundred keys, is a standard ribbon, as is a small filter as a whole (to 1200 keys, with rows of 128 bits to 8000). So that a query knows which layer to
//! ask, every 128 start positions share a threshold of two bits: keys that start below it are in a next layer.
//!
//! Layers consist of shards of some 8,000 to 65,000 slots that do not depend on each other. They are built in cache, four in lockstep, on
//! all processors with the feature `parallel`, and what is built is always the same, byte for byte. Repeated keys do no harm: their equations say nothing new.
//!
//! *Contains* adds up the solution at the row's slots and compares with the key's result, all columns at once where the processor has AVX2, without a branch.
//!
//! A plan meets any rate, and any size, to within a block: a share of the blocks has one column less ([`theory`]). How many keys are
//! passed on differs a little from filter to filter, and its size with it: a plan's bytes are what 99 in 100 filters take at most, a thousandth or two more than most take (some dozens of
//! bytes in a small one). A size that was allowed is never exceeded: where more keys than planned are passed on, the filter is built a second time, with the columns that fit.
//!
//! # Cost and false-positive rate
//!
//! With r columns the rate is exactly `2^-r`, for every filter and every number of keys; with a share s of the blocks one column shorter,
//! `(1 + s) 2^-r`, to within a thousandth from some thousand keys on ([`theory`]). A query reads two neighbouring blocks, 16 r bytes (32 r where rows have 128 bits): two or three cache lines next to each other,
//! at a rate of 2^-8. Building takes some 65 ns a key (narrow: 35; with two threads two thirds of that), whatever their number from a million on, and 9 bytes a key of memory beside the filter and what four shards take, up to nine
//! megabytes; 8 bytes more where hashes must be collected first ([`Ribbon::from_keys`]; [`RibbonMap`]: 16 bytes a pair, twice).
//!
//! # When not to use it
//!
//! - Keys come or go: `amq-cuckoo`, `amq-quotient`, `amq-bloom`.
//! - Queries must be as quick as can be, and a tenth or more of space does not matter: `amq-bloom`'s split-block filter.
//! - Fewer than some hundred keys: a row's width is then not small against their number.
//! - Strangers choose the keys and know the seed: they can choose many that start alike. Building still ends, in an error
//!   ([`BuildError::Exhausted`]) or a filter that is not much larger than planned. Use a secret seed ([`Ribbon::with_seed`]), and read SECURITY.md in the repository.
//!
//! # Papers
//!
//! - P. C. Dillinger, S. Walzer, *Ribbon filter: practically smaller than Bloom and Xor*, arXiv:2103.02515, 2021.
//! - P. C. Dillinger, L. Hübschle-Schneider, P. Sanders, S. Walzer, *Fast succinct retrieval and approximate membership using ribbon*, SEA 2022.
//! - M. Dietzfelbinger, S. Walzer, *Efficient Gauss elimination for near-quadratic matrices with one short random block per row, with applications*, ESA 2019.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod banding;
mod build;
pub mod construction;
mod entry;
mod filter;
mod group;
mod kind;
mod lanes;
mod map;
mod params;
mod shape;
mod shards;
mod simd;
mod system;
pub mod theory;
mod width;

pub use filter::{
    BumpedRibbonFilter, NarrowRibbonFilter, Ribbon, RibbonFilter, WideBumpedRibbonFilter,
};
pub use kind::{Bumped, Bumped128, Kind, Standard, Standard64};
pub use map::{MapError, RibbonMap};
pub use params::{MAX_COLUMNS, MAX_ITEMS, RibbonParams};
pub use shape::MAX_LAYERS;
pub use width::Row;

pub use amq_core::{
    Budget, BuildError, BuildFilter, DEFAULT_SEED, Filter, FilterKind, Goal, Key, KeyHash,
    LengthMismatch, Plan, PlanError, PlanFilter, PredictedFpr,
};
