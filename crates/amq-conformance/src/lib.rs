//! The laws that every filter of the amq family keeps, as tests.
//!
//! A new variant gets them with one line in `tests/conformance.rs`:
//!
//! ```ignore
//! use amq_bloom::BloomFilter;
//!
//! amq_conformance::suite!(bloom: BloomFilter => [empty, build, merge]);
//! ```
//!
//! This makes a module `bloom` with one test for each law. The abilities say which laws there are;
//! the first one must be `empty` or `build`, and is how the laws that hold for every filter come by
//! a filled one.
//!
//! | ability | traits | module of laws |
//! | --- | --- | --- |
//! | (every filter) | `Filter`, `PlanFilter`, `Debug` | [`membership`], [`shapes`], [`plan`], [`edge`], [`rate`], [`surface`] |
//! | `empty` | `EmptyFilter`, `Clone`, `PartialEq` | [`insert`], [`model`], [`surface`], the gate at half and twice the planned load |
//! | `build` | `BuildFilter` | [`build`], [`surface`], the gate on a filter built at once |
//! | `merge` | `MergeFilter`, `Clone`, `PartialEq` | [`merge`], moves of the [`model`] |
//! | `remove` | `RemoveFilter`, `Clone`, `PartialEq` | [`remove`], moves of the [`model`] |
//! | `count` | `CountFilter` | [`remove`], a check of the [`model`] |
//!
//! A static filter is `[build]`, a cuckoo or quotient filter `[empty, build, merge, remove, count]`
//! or what it has of that. Parameters that must be refused can be added:
//! `suite!(bloom: BloomFilter => [empty, build], out_of_range [BloomParams::new(0, 7)])`. Filters
//! that refuse when they are full need say nothing: a refusal past the planned number of keys is
//! part of the laws, one before it breaks them.
//!
//! # Laws
//!
//! | law | what breaks it, for example |
//! | --- | --- |
//! | every key is found: at any size, singly, in batches, behind `dyn` | a build that fails for some n, a lookup that stops at a hole |
//! | any sequence of operations agrees with a plain map | a twin that is skipped, a count that drifts, a `New` that isn't |
//! | the rate is the predicted one, on both sides | one probe fewer, a 32-bit hash, a biased index, a folklore formula |
//! | two seeds err independently | a seed that reaches a part of the filter only |
//! | the shape of keys does not matter | sequential keys, one bit apart, zero bytes of differing lengths |
//! | what is refused changes nothing, and stays refused | a full table that loses an old key, a merge that fails half-way |
//! | a merge holds both, in any order; another seed or geometry is refused by name | a seed ignored, a count that is wrong |
//! | small filters of any two geometries merge without losing a key, or not at all | a shift that saturates where there is no bit left |
//! | a merge that was accepted keeps the rate until the filter is full | a rate that holds at the moment only |
//! | a filter takes in its own clone, and its rate stays | a rate by a length that counts keys twice |
//! | a rate is a probability, and not below that of equal hashes | a floor added on top, `1 - (1 - p)` for small p |
//! | plans and predictions take a bounded number of steps | a size that is looked for one word at a time |
//! | a plan keeps to its budget, the filter to its plan | rounding up, a size that is not the real one |
//! | what is built within a size is within it, with every seed | a size that depends on the keys, planned by its mean |
//! | bits per key that are too few name the least number of items | a number that is refused as well, or not the least |
//! | a static filter of no key is built within any budget | a plan for one key in its place |
//! | keys that change their hash are an error or a filter | a list indexed by a count of the first hashes |
//! | an allocation refused is an error that changed nothing; a plan allocates nothing, and its memory is enough to build ([`memory`](mod@memory)) | an abort, a copy nobody planned |
//! | an impossible goal is refused, with the value in the text | NaN accepted, an abort at 2^62 bytes, a plan that takes for ever |
//! | the least size or rate that an error names can be planned | the least of another layer's plan |
//! | removing one copy leaves the others; an absent one, everything | a removal of all copies |
//! | a pointer to a filter is that filter; what it prints agrees, and hides the seed | a method not forwarded, a derived `Debug` |
//! | `insert_unique` changes nothing for what is there | a set of repeated keys that fills up |
//! | a filter by its plan is the one by its goal, and takes as many keys; a changed plan is checked | a table made of numbers that nobody checked |
//! | a count is never too low, and seldom too high | a saturated counter that doesn't say so |
//!
//! The laws of memory need an allocator of their own, and so a test binary: `tests/memory.rs`, with
//! one line of [`memory!`] a type.
//!
//! Each law is a plain function that returns a [`Verdict`], so that `tests/teeth.rs` can show what
//! it rejects: two plain reference filters pass them all (`tests/faithful.rs`), and each with one
//! of some sixty faults fails the law that is about it.
//!
//! # The gate
//!
//! [`rate`] counts false positives X among Q = 1,000,000 absent keys for each of 16 seeds, and
//! compares with p, the exact formula at the realised parameters
//! ([`amq_core::PlanFilter::predicted_fpr`]). X varies for two reasons: the questions are a sample,
//! and each seed makes another filter with a rate of its own. So
//!
//! ```text
//! one filter     |X - Qp| <= 5 sigma          sigma^2 = Qp(1-p) + (Q sd)^2
//! all sixteen    |sum X - 16 Qp| <= 3 sigma   sigma^2 summed
//! ```
//!
//! and, against the filter's own `expected_fpr()`, which knows its contents, 5 sigma with `sd = 0`.
//! Counts being skewed, 4 more are allowed above at 5 sigma and 1.3 at 3 sigma. In small filters (1
//! to 1000 keys) sd is as large as p, so there the mean over 2048 to 8192 seeds is tested, at 3
//! sigma, and the spread itself: the variance of the counts is the predicted one to a third.
//! Without that a formula could hide any fault behind a large sd.
//!
//! How fine is that? At 1 %, 16 million questions make sigma 0.27 % of the rate: a filter that is
//! off by 1 % of its rate fails. One probe too few shifts the rate by 1.5 % at the planned load,
//! where the optimum is flat, but by half at half the load; hence the cell [`rate::HALF_FULL`]. A
//! 32-bit hash adds 2.3e-5, which only shows where the rate is no larger: [`rate::ONE_IN_100_000`].
//!
//! **False alarms.** A filter with all abilities meets 17 comparisons at 3 sigma (7 cells, 10 small
//! ones), each of which a right filter fails with a probability of 0.27 %: 4.5 % for all; and some
//! 250 at 5 sigma, 1.4e-4 for all. The seeds are fixed, so this happens when a filter is written or
//! changed, or never. If one pooled cell fails by little and all else passes, raise [`rate::SEEDS`]
//! to 256 for one run: chance shrinks with it, a fault grows to four times as many sigma.
//!
//! # Golden counts
//!
//! The exact counts are kept in `tests/golden/rates-<name>.txt` of the variant's crate and compared
//! exactly. They tell what the gate cannot: that nothing has changed, on any machine. To write
//! them, look at the change and then run once
//!
//! ```text
//! AMQ_BLESS=1 cargo test -p <crate> --test conformance
//! ```
//!
//! A count that changes means that files made before are read differently now: see the format's
//! rules before blessing.
#![deny(unsafe_code)]

pub mod build;
pub mod edge;
mod expected;
mod fill;
mod golden;
pub mod insert;
pub mod membership;
pub mod memory;
pub mod merge;
pub mod model;
pub mod plan;
pub mod rate;
pub mod remove;
pub mod shapes;
mod suite;
pub mod surface;
mod violation;

pub use expected::Expected;
pub use fill::{Fill, at_once, by_inserting, with_params};
pub use golden::Golden;
pub use violation::{Verdict, Violation, hold};
