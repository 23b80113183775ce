//! Peer: the xor and binary fuse filters of xorf, the best known static filters.

use super::{Digested, Entry, Made, exactly, of_digests, probe, slots};
use xorf::{BinaryFuse8, BinaryFuse16, Filter, Xor8};

/// Equal digests make a fuse filter fail; a measurement's keys almost certainly have none.
pub(super) fn all() -> Vec<Entry> {
    vec![
        entry("binary-fuse-8", 8, |digests| Ok(BinaryFuse8::try_from(digests)?))
            .theory(|keys| slots([8], fuse_factor(keys))),
        entry("binary-fuse-16", 16, |digests| Ok(BinaryFuse16::try_from(digests)?))
            .theory(|keys| slots([16], fuse_factor(keys))),
        entry("xor-8", 8, |digests| Ok(Xor8::from(digests)))
            .theory(|keys| slots([8], 1.23 + 32.0 / keys.max(1) as f64)),
    ]
}

/// A filter, and the bits of its slots.
struct Slots<F>(F, u32);

fn entry<F: Filter<u64> + 'static>(
    name: &'static str,
    bits: u32,
    make: fn(&[u64]) -> Made<F>,
) -> Entry {
    Entry::new(name, move |keys, order| {
        of_digests(keys, order, |digests| Ok(Slots(make(&digests)?, bits)))
    })
}

/// Slots per key of a binary fuse filter, by the formula of Graf and Lemire. The table is cut into
/// segments, so small filters are somewhat larger.
fn fuse_factor(keys: u64) -> f64 {
    (0.875 + 0.25 * 1e6f64.ln() / (keys.max(2) as f64).ln()).max(1.125)
}

probe! { Digested<Slots<F>>, with [F: Filter<u64>], |it, key, keys|
    holds: it.filter.0.contains(&it.digest(key));
    bytes: it.filter.0.len() * it.filter.1 as usize / 8;
    predicted: exactly((-f64::from(it.filter.1)).exp2());
}
