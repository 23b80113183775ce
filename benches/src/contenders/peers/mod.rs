//! The best published crates, each in a file of its own; and the exact set.

use super::Contender;

mod bloomfilter;
mod cuckoofilter;
mod fastbloom;
mod fastbloom_rs;
mod growable_bloom;
mod hash_set;
mod pleat;
mod probabilistic;
mod probabilistic_quotient;
mod qfilter;
mod sbbf_rs;
mod scalable_cuckoo;
mod sux;
pub mod xorf;

/// All of them, in listed order.
pub(super) static ALL: &[&dyn Contender] = &[
    &fastbloom::FASTBLOOM,
    &bloomfilter::BLOOMFILTER,
    &sbbf_rs::SBBF,
    &fastbloom_rs::COUNTING,
    &growable_bloom::SIZED,
    &growable_bloom::GROWN,
    &probabilistic::SCALABLE,
    &cuckoofilter::CUCKOOFILTER,
    &scalable_cuckoo::SCALABLE,
    &qfilter::FILLED,
    &qfilter::SORTED,
    &probabilistic_quotient::QUOTIENT,
    &xorf::BINARY_FUSE_8,
    &xorf::BINARY_FUSE_16,
    &xorf::XOR_8,
    &sux::BYTES,
    &sux::PACKED,
    &pleat::STANDARD,
    &pleat::HOMOGENEOUS,
    &hash_set::HASH_SET,
];

/// Peers that grow large or slow are measured with at most this many keys.
const FEW: u64 = 10_000_000;
