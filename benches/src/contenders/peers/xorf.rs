//! Peer: the xor and binary fuse filters of xorf, the best known static filters.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::xorf::{BinaryFuse8, BinaryFuse16, Xor8};
use amq_core::PredictedFpr;
use std::borrow::Borrow;
use std::fmt;

const FUSE_8_INFO: Info = Info {
    name: "binary-fuse-8",
    family: Family::Fuse,
    role: Role::Filter,
    ours: false,
    packages: &["xorf", "xxhash-rust"],
    analysis: "A static filter of 8-bit fingerprints, each the exclusive or of three slots: a \
               fixed rate of 1/256, and three reads per query, hit or miss.",
    abilities: &[Ability::Static],
    takes_rate: false,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: Some(fuse_8),
};

/// A filter of xorf over XXH3 digests of the keys.
pub struct Xorf<F> {
    info: Info,
    /// Bits of a fingerprint.
    bits: u32,
    /// Equal digests make it fail; a measurement's keys almost certainly have none.
    make: fn(&[u64]) -> Result<F, &'static str>,
}

impl<F> fmt::Debug for Xorf<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// `xorf::BinaryFuse8`.
pub static BINARY_FUSE_8: Xorf<BinaryFuse8> = Xorf {
    info: FUSE_8_INFO,
    bits: 8,
    make: |digests| BinaryFuse8::try_from(digests),
};

/// `xorf::BinaryFuse16`.
pub static BINARY_FUSE_16: Xorf<BinaryFuse16> = Xorf {
    info: Info {
        name: "binary-fuse-16",
        analysis: "The same with 16-bit fingerprints: a rate of 1/65536 in twice the space.",
        theory: Some(fuse_16),
        ..FUSE_8_INFO
    },
    bits: 16,
    make: |digests| BinaryFuse16::try_from(digests),
};

/// `xorf::Xor8`.
pub static XOR_8: Xorf<Xor8> = Xorf {
    info: Info {
        name: "xor-8",
        analysis: "The older layout of the same idea: one slot in each third of the table, \
                   anywhere in it. Takes 23 % more than the fingerprints, and is slower to \
                   build.",
        theory: Some(xor_8),
        ..FUSE_8_INFO
    },
    bits: 8,
    make: |digests| Ok(Xor8::from(digests)),
};

impl<F: ::xorf::Filter<u64> + 'static> Contender for Xorf<F> {
    fn info(&self) -> Info {
        self.info
    }

    fn build(
        &self,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        match keys {
            Keys::U64(keys) => self.of::<u64>(keys, seed),
            Keys::Bytes(keys) => self.of::<[u8]>(keys, seed),
        }
    }
}

impl<F: ::xorf::Filter<u64> + 'static> Xorf<F> {
    fn of<K: BenchKey + ?Sized>(
        &self,
        keys: &[K::Item<'_>],
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let digest = |key: &K::Item<'_>| Borrow::<K>::borrow(key).digest(seed);
        let digests: Vec<u64> = keys.iter().map(digest).collect();
        Ok(built::<K, _>(Filter {
            filter: (self.make)(&digests)?,
            bits: self.bits,
            seed,
        }))
    }
}

fn fuse_8(keys: u64, bits_per_key: f64) -> Option<f64> {
    fuse(keys, bits_per_key, 8.0)
}

fn fuse_16(keys: u64, bits_per_key: f64) -> Option<f64> {
    fuse(keys, bits_per_key, 16.0)
}

/// One point, at the size by the formula of Graf and Lemire. The table is cut into segments, so
/// small filters are somewhat larger.
fn fuse(keys: u64, bits_per_key: f64, bits: f64) -> Option<f64> {
    let factor = (0.875 + 0.25 * 1e6f64.ln() / (keys.max(2) as f64).ln()).max(1.125);
    ((bits_per_key - bits * factor).abs() < 0.1).then(|| (-bits).exp2())
}

/// One point as well.
fn xor_8(keys: u64, bits_per_key: f64) -> Option<f64> {
    let of_formula = 8.0 * (1.23 + 32.0 / keys.max(1) as f64);
    ((bits_per_key - of_formula).abs() < 0.1).then_some(1.0 / 256.0)
}

struct Filter<F> {
    filter: F,
    bits: u32,
    seed: u64,
}

impl<F: ::xorf::Filter<u64>, K: BenchKey + ?Sized> Probe<K> for Filter<F> {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.len() as u64 * u64::from(self.bits / 8))
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        let mean = (-f64::from(self.bits)).exp2();
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(&key.digest(self.seed))
    }
}
