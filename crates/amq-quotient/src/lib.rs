//! Quotient filters.
#![no_std]
#![deny(unsafe_code)]

extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod bits;
mod edit;
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
