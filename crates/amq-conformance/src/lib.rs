//! The laws of the amq filter family, as tests.
//!
//! A filter gets them with one line in a test:
//!
//! ```ignore
//! use amq_bloom::BloomFilter;
//!
//! amq_conformance::suite!(bloom: BloomFilter => [empty, build, merge]);
//! ```
//!
//! This makes a module `bloom` with one test per law, so its name must not be that of your crate.
//! The abilities select the laws. The first must be `empty` or `build`: laws of every filter use it
//! to make a filled one.
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
//! count]`, or the abilities it has of these. Parameters that must be refused can be added:
//! `suite!(bloom: BloomFilter => [empty, build], out_of_range [BloomParams::new(0, 7)])`. A filter
//! that refuses keys when full declares nothing: the laws allow a refusal past the planned number
//! of keys, and none before it.
//!
//! The [README](https://crates.io/crates/amq-conformance) walks through a filter of a third party:
//! what must fit (100,000 keys at 1e-5, 10,007 at 1e-6), what a plan's `build_bytes` includes (the
//! hashes), what the suite may be called, and that `AMQ_BLESS=1` makes the golden counts first.
//!
//! # Laws
//!
//! | law | what breaks it, for example |
//! | --- | --- |
//! | every key is found: at any size, one by one, in batches | a build that fails for some n, a lookup that stops at a hole |
//! | many keys at once make the filter that they make one by one, on any number of threads ([`insert`]; a test of your own) | a batch that skips its last key |
//! | any sequence of operations agrees with a plain map | a twin that is skipped, a count that drifts, a `New` that isn't |
//! | the rate is the predicted one, on both sides | one probe fewer, a 32-bit hash, a biased index, a folklore formula |
//! | a key is its hash under the filter's seed | a seed that reaches a part of the filter only |
//! | what is refused changes nothing, and stays refused | a full table that loses an old key, a merge that fails half-way |
//! | a merge holds both, in any order; another seed or geometry is refused by name | a seed ignored, a count that is wrong |
//! | small filters of any two geometries merge without losing a key, or not at all | a shift that saturates where there is no bit left |
//! | an accepted merge keeps the rate until the filter is full | a rate that holds only just after the merge |
//! | a filter merges its own clone, and its rate stays | a rate from a length that counts keys twice |
//! | a rate is a probability, and not below that of equal hashes | a floor added on top, `1 - (1 - p)` for small p |
//! | plans and predictions take a bounded number of steps | a search for a size one word at a time |
//! | a goal for no keys is planned as one for one, and built | a program that fails where its input is empty |
//! | a plan keeps to its budget, the filter to its plan | rounding up, a size that is not the real one |
//! | a filter built within a size stays within it, with every seed | a size that depends on the keys, planned by its mean |
//! | too few bits per key are refused by the least number of keys | a number that is refused as well, or not the least |
//! | a static filter of no keys is built within any budget | a plan for one key instead |
//! | keys whose hash changes give an error or a filter | a list indexed by counts of the first hashes |
//! | a refused allocation is an error and changes nothing; a plan allocates nothing, and its memory is enough to build ([`memory`](mod@memory)) | an abort, an unplanned copy |
//! | an impossible goal is refused, with the value in the text | NaN accepted, an abort at 2^62 bytes, a plan that never ends |
//! | the least size or rate in an error can be planned | the least of another layer's plan |
//! | removing one copy leaves the others; removing an absent key changes nothing | a removal of all copies |
//! | `Debug` hides the seed; `stats` agree with the methods | a derived `Debug`, a load in percent |
//! | `insert_unique` of a present key changes nothing; what was `New` to it can be removed | a set of repeated keys that fills up |
//! | a filter from a plan equals the one from its goal and takes as many keys; an altered plan is checked | a table made from unchecked numbers |
//! | a file is read as it was written, and goes on as it would have | bytes that depend on history, a limit left out |
//! | views answer as the filter | a view of one key fewer |
//! | damaged bytes are refused in every way in; what is no file, by its own name | a checksum that streams skip, trailing bytes taken |
//! | a forged file is refused, or answers, takes, forgets and merges as any other | zero keys as a shortcut to "no", a rate of NaN, a table nobody walked |
//! | a prehashed filter answers, takes and merges hashes as the filter; its file is read as nothing else | places that depend on the seed, a file that does not say so |
//! | reading takes the file's length and 64 KiB ([`memory`](mod@memory)) | a claim that is allocated, a second copy |
//! | a filter that grows loses no key and keeps the rate asked for, through twelve doublings | a first stage with the whole rate, an entry that is lost in a larger table |
//! | a truncated filter holds its keys, errs as its parameters say and is the one read within the budget ([`truncate`]) | the wrong bits kept, a rate that was not raised |
//! | a count is never too low, and rarely too high | a saturated counter that doesn't say so |
//!
//! The laws of memory need their own global allocator: it and one [`memory!`] line per type are in
//! `tests/suite/memory.rs`.
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
//! and each seed makes a filter with a rate of its own. The limits are
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
//! How sensitive is that? At 1 %, 16 million queries make sigma 0.27 % of the rate: a filter off by
//! 1 % of its rate fails. One probe too few shifts the rate by 1.5 % at the planned load, where the
//! optimum is flat, but by half at half the load; hence the cell [`rate::HALF_FULL`]. A 32-bit hash
//! adds 2.3e-5, which shows only where the rate is no larger: [`rate::ONE_IN_100_000`].
//!
//! **False alarms.** A filter with all abilities meets 17 comparisons at 3 sigma (7 cells, 10 small
//! ones). A correct filter fails each with probability 0.27 %, any of them with 4.5 %. Some 250
//! comparisons at 5 sigma add 1.4e-4. The seeds are fixed, so a false alarm comes when a filter is
//! written or changed, or never. If one pooled cell fails narrowly and all else passes, count that
//! cell over 256 seeds in a test of your own ([`rate::Cell::with_seeds`]): chance averages out,
//! and a fault shows at four times as many sigma.
//!
//! # Golden counts
//!
//! The variant's crate keeps its counts in `tests/golden/rates-<name>.txt`, and the tests compare
//! them exactly. They show what the gate cannot: that nothing has changed, on any machine. To
//! update them, review the change, then run once
//!
//! ```text
//! AMQ_BLESS=1 cargo test -p <crate> --test suite conformance
//! ```
//!
//! Where machines are emulated, `AMQ_FEWER_CASES=1` makes the laws of plans try one case in five.
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
pub mod truncate;

pub use abilities::Abilities;
pub use fail::apart;
pub use fill::{Fill, at_once, by_inserting, with_params};
pub use golden::Golden;
pub use planner::{Planned, Planner};
