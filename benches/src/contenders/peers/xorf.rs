//! Peer: the xor and binary fuse filters of xorf, the best known static filters.

use super::digested::{OfAll, OfDigests, of_bits};
use crate::contenders::{Ability, Entry, Family, Info, theory};
use amq_core::PredictedFpr;
use xorf::{BinaryFuse8, BinaryFuse16, Xor8};

const FUSE_8_INFO: Info = Info {
    name: "binary-fuse-8",
    family: Family::Fuse,
    packages: &["xorf", "xxhash-rust"],
    import: "use xorf::BinaryFuse8;",
    analysis: "A static filter of 8-bit fingerprints, each the exclusive or of three slots: a \
               fixed rate of 1/256, and three reads per query, hit or miss.",
    abilities: &[Ability::Static],
    takes_rate: false,
    ..Info::PEER
};

/// A filter of XXH3 digests, and the bits of its fingerprints. Equal digests make it fail; a
/// measurement's keys almost certainly have none.
#[derive(Debug)]
pub struct Xorf<F>(F, u32);

/// `xorf::BinaryFuse8`.
pub static BINARY_FUSE_8: Entry<OfAll<Xorf<BinaryFuse8>>> = Entry::new(
    FUSE_8_INFO,
    OfAll(|digests| Ok(Xorf(BinaryFuse8::try_from(digests)?, 8))),
    |keys| theory::slots([8], theory::fuse_factor(keys)),
);

/// `xorf::BinaryFuse16`.
pub static BINARY_FUSE_16: Entry<OfAll<Xorf<BinaryFuse16>>> = Entry::new(
    Info {
        name: "binary-fuse-16",
        import: "use xorf::BinaryFuse16;",
        analysis: "The same with 16-bit fingerprints: a rate of 1/65536 in twice the space.",
        ..FUSE_8_INFO
    },
    OfAll(|digests| Ok(Xorf(BinaryFuse16::try_from(digests)?, 16))),
    |keys| theory::slots([16], theory::fuse_factor(keys)),
);

/// `xorf::Xor8`.
pub static XOR_8: Entry<OfAll<Xorf<Xor8>>> = Entry::new(
    Info {
        name: "xor-8",
        import: "use xorf::Xor8;",
        analysis: "The older layout of the same idea: one slot in each third of the table, \
                   anywhere in it. Takes 23 % more than the fingerprints, and is slower to \
                   build.",
        ..FUSE_8_INFO
    },
    OfAll(|digests| Ok(Xorf(Xor8::from(digests), 8))),
    |keys| theory::slots([8], 1.23 + 32.0 / keys.max(1) as f64),
);

impl<F: xorf::Filter<u64>> OfDigests for Xorf<F> {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.0.len() as u64 * u64::from(self.1 / 8))
    }

    fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
        of_bits(self.1)
    }

    #[inline]
    fn holds(&self, digest: u64) -> bool {
        self.0.contains(&digest)
    }
}
