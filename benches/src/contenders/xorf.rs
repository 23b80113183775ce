//! Peer: the binary fuse filter of xorf, the best known static filter.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::xorf::Filter as _;
use amq_core::PredictedFpr;
use std::borrow::Borrow;

/// The rate of eight-bit fingerprints.
const FPR: f64 = 1.0 / 256.0;

/// `xorf::BinaryFuse8` over XXH3 digests of the keys.
#[derive(Debug)]
pub struct BinaryFuse8;

impl Contender for BinaryFuse8 {
    fn info(&self) -> Info {
        Info {
            name: "binary-fuse-8",
            family: Family::Fuse,
            role: Role::Filter,
            ours: false,
            packages: &["xorf", "xxhash-rust"],
            analysis: "A static filter of eight-bit fingerprints, each the exclusive or of three places: the rate is \
                       1/256 and cannot be chosen, a query is three reads whatever the answer.",
            abilities: &[Ability::Static],
            takes_rate: false,
            max_keys: u64::MAX,
            seeded: true,
            slow: false,
            theory: Some(theory),
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        match keys {
            Keys::U64(keys) => make::<u64>(keys, seed),
            Keys::Bytes(keys) => make::<[u8]>(keys, seed),
        }
    }
}

/// One point, at the size its own formula gives; the table is cut into segments, so that small filters are
/// somewhat larger.
fn theory(keys: u64, bits_per_key: f64) -> Option<f64> {
    let factor = (0.875 + 0.25 * 1e6f64.ln() / (keys.max(2) as f64).ln()).max(1.125);
    ((bits_per_key - 8.0 * factor).abs() < 0.1).then_some(FPR)
}

fn make<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], seed: u64) -> Result<Box<dyn Built>, String> {
    let digests: Vec<u64> = keys
        .iter()
        .map(|key| Borrow::<K>::borrow(key).digest(seed))
        .collect();
    // Equal digests, of which the keys of a measurement have none in all likelihood, make it fail.
    let filter = ::xorf::BinaryFuse8::try_from(digests.as_slice())?;
    Ok(built::<K, _>(Filter { filter, seed }))
}

struct Filter {
    filter: ::xorf::BinaryFuse8,
    seed: u64,
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.len() as u64)
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(PredictedFpr { mean: FPR, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(&key.digest(self.seed))
    }
}
