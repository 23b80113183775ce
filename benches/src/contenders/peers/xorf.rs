//! Peer: the xor and binary fuse filters of xorf, the best known static filters.

use super::common::{Built, Digested, Keys, Made, Order, exactly, of_digests, probe};
use std::error::Error;
use xorf::Filter;
pub(super) use xorf::{BinaryFuse8, BinaryFuse16, Xor8};

/// A filter, with slots of this many bits.
struct Slots<F, const BITS: u32>(F);

/// Equal digests make a fuse filter fail; a measurement's keys almost certainly have none.
pub(super) fn solve<F, const BITS: u32>(keys: Keys<'_>, order: &Order) -> Made<Box<dyn Built>>
where
    F: Filter<u64> + TryFrom<Vec<u64>, Error: Into<Box<dyn Error>>> + 'static,
{
    let make = |digests| F::try_from(digests).map(Slots::<F, BITS>).map_err(Into::into);
    of_digests(keys, order, make)
}

/// Slots per key of a binary fuse filter, by the formula of Graf and Lemire. The table is cut into
/// segments, so small filters are somewhat larger.
pub(super) fn fuse(keys: u64) -> f64 {
    (0.875 + 0.25 * 1e6f64.ln() / (keys.max(2) as f64).ln()).max(1.125)
}

/// Slots per key of an xor filter.
pub(super) fn xor(keys: u64) -> f64 {
    1.23 + 32.0 / keys.max(1) as f64
}

probe! { Digested<Slots<F, BITS>>, with [F: Filter<u64>, const BITS: u32], |it, key, keys|
    holds: it.filter.0.contains(&key.digest(it.seed));
    bytes: it.filter.0.len() * BITS as usize / 8;
    predicted: exactly((-f64::from(BITS)).exp2());
}
