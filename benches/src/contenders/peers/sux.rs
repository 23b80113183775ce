//! Peer: the static filters of sux, over the same kind of graph as binary fuse filters.

use super::common::{BenchKey, Made, Order, exactly, probe};
use dsi_progress_logger::no_logging;
use std::fmt::Debug;
use sux::bits::BitFieldVec;
use sux::dict::VFilter;
use sux::func::VBuilder;
use sux::func::shard_edge::Fuse3NoShards;
use sux::utils::{FromSlice, ToSig};

/// 64-bit hashes, as for the others; no shards, which are for billions of keys.
type Sig = [u64; 1];
type OfBytes<K> = VFilter<K, Box<[u8]>, Sig, Fuse3NoShards>;
type OfBits<K> = VFilter<K, BitFieldVec<Box<[usize]>>, Sig, Fuse3NoShards>;

/// Slots per key.
pub(super) fn factor(keys: usize) -> f64 {
    Fuse3NoShards::c(keys)
}

/// A key that it hashes.
pub(super) trait Hashed: BenchKey + ToSig<Sig> + Debug {}
impl Hashed for u64 {}
impl Hashed for [u8] {}

/// With fingerprints of one byte.
pub(super) fn bytes<K: Hashed + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<OfBytes<K>> {
    let builder = VBuilder::default().seed(order.seed).max_num_threads(1);
    let (source, builder) = (FromSlice::new(keys), builder.expected_num_keys(keys.len()));
    Ok(OfBytes::<K>::try_new_with_builder(source, builder, no_logging![])?)
}

/// With the bits that the rate needs, or that fit the size.
pub(super) fn packed<K: Hashed + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<OfBits<K>> {
    let room = order.room(keys.len());
    let bits = match order.bits(room) {
        Some(bits) => (bits as f64 / room as f64 / factor(room)).floor(),
        None => (1.0 / order.fpr()?).log2().ceil().max(1.0),
    };
    if bits < 1.0 {
        return Err("no room for a bit of fingerprint per key".into());
    }
    let builder = VBuilder::default().seed(order.seed).max_num_threads(1);
    let (source, builder) = (FromSlice::new(keys), builder.expected_num_keys(keys.len()));
    Ok(OfBits::<K>::try_new_with_builder(source, bits as usize, builder, no_logging![])?)
}

// The crate reports no size.
probe! { OfBytes<K>, where [K: Hashed], |filter, key, keys|
    holds: filter.contains(key);
    predicted: exactly((-f64::from(filter.hash_bits())).exp2());
}

probe! { OfBits<K>, where [K: Hashed], |filter, key, keys|
    holds: filter.contains(key);
    predicted: exactly((-f64::from(filter.hash_bits())).exp2());
}
