//! Cuckoo filters.
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

pub use filter::{Cuckoo, CuckooFilter, WindowedCuckooFilter};
pub use fingerprints::{Fingerprint, Fingerprints};
pub use layout::{Buckets, Layout, Windows};
pub use params::{CuckooParams, MAX_FINGERPRINT_BITS, MIN_FINGERPRINT_BITS};

pub use amq_core::{
    BatchFull, Budget, BuildError, BuildFilter, Count, CountFilter, DEFAULT_SEED, EmptyFilter,
    Filter, FilterKind, Full, Goal, InsertFilter, Inserted, Key, KeyHash, LengthMismatch,
    MergeError, MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, RemoveFilter,
};
