//! The laws of the amq filter family, as tests.
//!
//! One line in a test applies them to a filter:
//!
//! ```ignore
//! use amq_bloom::BloomFilter;
//!
//! amq_conformance::suite!(bloom: BloomFilter => [empty, build, merge]);
//! ```
//!
//! This makes a module `bloom` with one test per law, so its name must not be that of your crate.
//! The abilities select the laws. The first must be `empty` or `build`: the laws use it to make a
//! filled filter.
//!
//! | ability | traits | module of laws |
//! | --- | --- | --- |
//! | (every filter) | `Filter`, `PlanFilter`, `Debug` | [`membership`], [`plan`], [`edge`], [`rate`], [`surface`] |
//! | `empty` | `EmptyFilter`, `Clone`, `PartialEq` | [`insert`], [`model`], [`surface`], the gate at half and twice the planned load |
//! | `build` | `BuildFilter` | [`build`], [`surface`], the gate on a filter built at once |
//! | `merge` | `MergeFilter`, `Clone`, `PartialEq` | [`merge`], moves of the [`model`] |
//! | `remove` | `RemoveFilter`, `Clone`, `PartialEq` | [`remove`], moves of the [`model`] |
//! | `file` | `Clone`, `PartialEq` and the envelope's `FileFormat` | [`files`] |
//! | `truncate` | `TruncateFilter`, `file` | [`truncate`] |
//! | `count` | `CountFilter` | [`remove`], a check of the [`model`] |
//! | `grow` | `EmptyFilter`, `PartialEq`; grows by itself | [`growth`] |
//!
//! A static filter is `[build]`; a cuckoo or quotient filter is `[empty, build, merge, remove,
//! count]`, or those of these abilities that it has. Parameters that must be refused can be added:
//! `suite!(bloom: BloomFilter => [empty, build], out_of_range [BloomParams::new(0, 7)])`. A filter
//! that refuses keys when full declares nothing: the laws allow a refusal past the planned number
//! of keys, and none before it.
//!
//! The [README](https://crates.io/crates/amq-conformance) walks through two filters of a third
//! party, one filled key by key and one static: the goals that must fit (100,000 keys at 1e-5,
//! 10,007 at 1e-6), the contents of a plan's `build_bytes`, the name of the suite, and the first
//! golden counts (`AMQ_BLESS=1`).
//!
//! # Laws
//!
//! | law | example of a fault |
//! | --- | --- |
//! | every key is found: at any size, one by one, in batches | a build that fails for some n, a lookup that stops at a hole |
//! | inserting many keys at once gives the same filter as one by one, on any number of threads ([`insert`]; a test of your own) | a batch that skips its last key |
//! | any sequence of operations agrees with a plain map | a twin that is skipped, a count that drifts, a `New` that isn't |
//! | the rate is the predicted one, on both sides | one probe fewer, a 32-bit hash, a biased index, a folklore formula |
//! | a key is its hash under the filter's seed | a seed that reaches only a part of the filter |
//! | a refused operation changes nothing, and is refused again | a full table that loses an old key, a merge that fails half-way |
//! | a merge holds the keys of both, in any order; another seed or geometry is refused by name | an ignored seed, a wrong count |
//! | small filters of any two geometries merge without losing a key, or not at all | a shift that saturates where there is no bit left |
//! | an accepted merge keeps the rate until the filter is full | a rate that holds only just after the merge |
//! | a filter merges its own clone, and its rate stays | a rate from a length that counts keys twice |
//! | a rate is a probability, and not below that of equal hashes | a floor added on top, `1 - (1 - p)` for small p |
//! | plans and predictions take a bounded number of steps | a search for a size one word at a time |
//! | a goal for no keys is planned as one for one key, and built | a program that fails on empty input |
//! | a plan keeps to its budget, the filter to its plan | rounding up, a size that is not the actual one |
//! | a filter built within a size stays within it, with every seed | a size that depends on the keys, planned by its mean |
//! | an error about too few bits per key names the least number of keys that works | a number that is refused as well, or not the least |
//! | a static filter of no keys is built within any budget | a plan for one key instead |
//! | keys whose hash changes give an error or a filter | a list indexed by counts of the first hashes |
//! | a refused allocation is an error and changes nothing; a plan allocates nothing, and its memory suffices to build ([`memory`](mod@memory)) | an abort, an unplanned copy |
//! | an impossible goal is refused, with the value in the text | accepting NaN, an abort at 2^62 bytes, a plan that never ends |
//! | the least size or rate in an error can be planned | the least of another layer's plan |
//! | removing one copy leaves the others; removing an absent key changes nothing | a removal of all copies |
//! | `Debug` hides the seed; `stats` agree with the methods | a derived `Debug`, a load in percent |
//! | `insert_unique` of a present key changes nothing; keys for which it returned `New` can be removed | a set of repeated keys that fills up |
//! | a filter from a plan equals the one from its goal and accepts as many keys; an altered plan is checked | a table built from unchecked numbers |
//! | a filter read from a file equals the one written, and continues like it | bytes that depend on history, an omitted limit |
//! | views answer like the filter | a view of one key fewer |
//! | all methods refuse damaged bytes, and bytes that are not a file by a separate error | a checksum that streams skip, accepted trailing bytes |
//! | a forged file is refused, or queries, inserts, removes and merges like any other | zero keys as a shortcut to "no", a rate of NaN, an unchecked table |
//! | a prehashed filter queries, inserts and merges hashes like the filter; its file is read as nothing else | positions that depend on the seed, a file that does not record this |
//! | reading takes the file's length and 64 KiB ([`memory`](mod@memory)) | allocating the claimed size, a second copy |
//! | a filter that grows loses no key and keeps the target rate through twelve doublings | a first stage with the whole rate, an entry that is lost in a larger table |
//! | a truncated filter holds its keys, has the rate of its parameters, and equals the one read within the budget ([`truncate`]) | keeping the wrong bits, a rate that was not raised |
//! | a count is never too low, and rarely too high | a saturated counter that doesn't say so |
//!
//! The laws of memory need their own global allocator. It is in `tests/suite/memory.rs`, with one
//! [`memory!`] line per type.
//!
//! Each law is a plain function that panics, as a test does, if it is broken. Plain reference
//! filters pass them all (`tests/suite/faithful.rs`); with any one of some hundred faults, a filter
//! fails the law about that fault (`teeth.rs` beside it).
//!
//! # The gate
//!
//! [`rate`] counts the false positives X among Q = 1,000,000 absent keys for each of 16 seeds, and
//! compares them with p, the exact formula at the realised parameters
//! ([`amq_core::PlanFilter::predicted_fpr`]). X varies for two reasons: the queries are a sample,
//! and each seed makes a filter with a different rate. The limits are
//!
//! ```text
//! one filter     |X - Qp| <= 5 sigma          sigma^2 = Qp(1-p) + (Q sd)^2
//! all sixteen    |sum X - 16 Qp| <= 3 sigma   sigma^2 summed
//! ```
//!
//! and 5 sigma with `sd = 0` against the filter's own `expected_fpr()`, which knows its contents.
//! Counts are skewed, so the upper limit is 4 counts higher at 5 sigma and 1.3 at 3 sigma. In small
//! filters (1 to 1000 keys) sd is as large as p. There the gate tests the mean over 2048 to 8192
//! seeds, at 3 sigma, and the spread itself: the variance of the counts must be within a third of
//! the predicted one. Otherwise a formula could hide any fault behind a large sd.
//!
//! Sensitivity: at 1 %, 16 million queries make sigma 0.27 % of the rate, so a filter that is off
//! by 1 % of its rate fails. One probe too few shifts the rate by only 1.5 % at the planned load,
//! where the optimum is flat, but by half at half the load. The cell [`rate::HALF_FULL`] detects
//! that. A 32-bit hash adds 2.3e-5, which the cell [`rate::ONE_IN_100_000`] detects.
//!
//! **False alarms.** A filter with all abilities meets 17 comparisons at 3 sigma (7 cells, 10 small
//! ones). A correct filter fails each with probability 0.27 %, any of them with 4.5 %. Some 250
//! comparisons at 5 sigma add 1.4e-4. The seeds are fixed, so a false alarm can only appear when a
//! filter is written or changed. If one pooled cell fails narrowly and all else passes, count that
//! cell over 256 seeds in a test of your own ([`rate::Cell::with_seeds`]): chance averages out, and
//! a fault shows at four times as many sigma.
//!
//! # Golden counts
//!
//! The variant's crate keeps its counts in `tests/golden/rates-<name>.txt`, and the tests compare
//! them exactly. They detect what the gate cannot: any change, on any machine. To update them,
//! review the change, then run once
//!
//! ```text
//! AMQ_BLESS=1 cargo test -p <crate> --test suite conformance
//! ```
//!
//! On emulated machines, `AMQ_FEWER_CASES=1` makes the laws of plans try one case in five.
//!
//! A changed count means that older files are now read differently: see the format's rules before
//! blessing.
#![deny(unsafe_code)]
#![allow(clippy::panic, reason = "a law fails as a test does")]

mod abilities;
pub mod build;
pub mod edge;
mod expected;
mod fail;
pub mod files;
mod fill;
mod golden;
pub mod growth;
pub mod insert;
pub mod membership;
pub mod memory;
pub mod merge;
pub mod model;
pub mod plan;
mod planner;
pub mod rate;
pub mod remove;
mod suite;
pub mod surface;
pub mod testing;
pub mod truncate;

pub use abilities::Abilities;
pub use fail::apart;
pub use fill::{Fill, at_once, by_inserting, with_params};
pub use golden::Golden;
pub use planner::{Planned, Planner};
