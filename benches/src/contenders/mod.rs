//! The contenders, one file each (our own variants of one crate share a file: they are one line each).

pub mod bloom;
pub mod counting;
pub mod hash_only;
pub mod own;
pub mod scalable;

#[cfg(feature = "peers")]
pub mod bloomfilter;
#[cfg(feature = "peers")]
pub mod cuckoofilter;
#[cfg(feature = "peers")]
pub mod fastbloom;
#[cfg(feature = "peers")]
pub mod fastbloom_rs;
#[cfg(feature = "peers")]
pub mod growable_bloom;
#[cfg(feature = "peers")]
pub mod hash_set;
#[cfg(feature = "peers")]
pub mod pleat;
#[cfg(feature = "peers")]
pub mod probabilistic;
#[cfg(feature = "peers")]
pub mod probabilistic_quotient;
#[cfg(feature = "peers")]
pub mod qfilter;
#[cfg(feature = "peers")]
pub mod sbbf_rs;
#[cfg(feature = "peers")]
pub mod scalable_cuckoo;
#[cfg(feature = "peers")]
pub mod sux;
#[cfg(feature = "peers")]
pub mod xorf;
