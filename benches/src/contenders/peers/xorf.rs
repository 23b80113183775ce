//! Peer: the xor and binary fuse filters of xorf, the best known static filters.

use crate::contenders::Ability::Static;
use crate::contenders::probe::{Digested, OfDigests, exactly, probe};
use crate::contenders::{Entry, Family, Info, theory};
use xorf::{BinaryFuse8, BinaryFuse16, Filter, Xor8};

const FUSE_8_INFO: Info = Info {
    name: "binary-fuse-8",
    family: Family::Fuse,
    packages: &["xorf", "xxhash-rust"],
    import: "use xorf::BinaryFuse8;",
    analysis: "A static filter of 8-bit fingerprints, each the exclusive or of three slots: a \
               fixed rate of 1/256, and three reads per query, hit or miss.",
    abilities: &[Static],
    takes_rate: false,
    ..Info::PEER
};

/// `xorf::BinaryFuse8`. Equal digests make it fail; a measurement's keys almost certainly have
/// none.
pub static BINARY_FUSE_8: Entry<OfDigests<BinaryFuse8>> =
    Entry::new(FUSE_8_INFO, OfDigests(|digests| Ok(BinaryFuse8::try_from(digests)?)), |keys| {
        theory::slots([8], fuse_factor(keys))
    });

/// `xorf::BinaryFuse16`.
pub static BINARY_FUSE_16: Entry<OfDigests<BinaryFuse16>> = Entry::new(
    Info {
        name: "binary-fuse-16",
        import: "use xorf::BinaryFuse16;",
        analysis: "The same with 16-bit fingerprints: a rate of 1/65536 in twice the space.",
        ..FUSE_8_INFO
    },
    OfDigests(|digests| Ok(BinaryFuse16::try_from(digests)?)),
    |keys| theory::slots([16], fuse_factor(keys)),
);

/// `xorf::Xor8`.
pub static XOR_8: Entry<OfDigests<Xor8>> = Entry::new(
    Info {
        name: "xor-8",
        import: "use xorf::Xor8;",
        analysis: "The older layout of the same idea: one slot in each third of the table, \
                   anywhere in it. Takes 23 % more than the fingerprints, and is slower to \
                   build.",
        ..FUSE_8_INFO
    },
    OfDigests(|digests| Ok(Xor8::from(digests))),
    |keys| theory::slots([8], 1.23 + 32.0 / keys.max(1) as f64),
);

/// Slots per key of a binary fuse filter, by the formula of Graf and Lemire. The table is cut into
/// segments, so small filters are somewhat larger.
fn fuse_factor(keys: u64) -> f64 {
    (0.875 + 0.25 * 1e6f64.ln() / (keys.max(2) as f64).ln()).max(1.125)
}

macro_rules! probes {
    ($($filter:ident: $bits:expr;)*) => {$(
        probe! { Digested<$filter>, |it, key, keys|
            bytes: it.filter.len() * usize::from($bits) / 8;
            predicted: exactly((-f64::from($bits)).exp2());
            holds: it.filter.contains(&it.digest(key));
        }
    )*};
}

probes! {
    BinaryFuse8: 8u8;
    BinaryFuse16: 16u8;
    Xor8: 8u8;
}
