//! The contenders, one file each (our own variants of one crate share a file: they are one line each).

pub mod bloom;
pub mod hash_only;
pub mod own;

#[cfg(feature = "peers")]
pub mod bloomfilter;
#[cfg(feature = "peers")]
pub mod fastbloom;
#[cfg(feature = "peers")]
pub mod hash_set;
#[cfg(feature = "peers")]
pub mod sbbf_rs;
#[cfg(feature = "peers")]
pub mod xorf;
