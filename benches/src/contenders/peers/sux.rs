//! Peer: the static filters of sux, over the same kind of graph as binary fuse filters.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::sux::bits::BitFieldVec;
use ::sux::dict::VFilter;
use ::sux::func::VBuilder;
use ::sux::func::shard_edge::Fuse3NoShards;
use ::sux::utils::{FromSlice, ToSig};
use amq_core::PredictedFpr;
use dsi_progress_logger::no_logging;
use std::fmt::Debug;

/// 64-bit hashes, as for the others; no shards, which are for billions of keys.
type Sig = [u64; 1];
type Bytes<K> = VFilter<K, Box<[u8]>, Sig, Fuse3NoShards>;
type Packed<K> = VFilter<K, BitFieldVec<Box<[usize]>>, Sig, Fuse3NoShards>;

const BYTES_INFO: Info = Info {
    name: "vfilter-8",
    family: Family::Fuse,
    role: Role::Filter,
    ours: false,
    packages: &["sux"],
    analysis: "A binary fuse filter of 8-bit fingerprints, built in shards if large, here on \
               one thread. Hashes the keys itself, with XXH3.",
    abilities: &[Ability::Static],
    takes_rate: false,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
};

/// `sux::dict::VFilter`.
#[derive(Debug)]
pub struct Sux {
    info: Info,
}

/// With fingerprints of one byte.
pub static BYTES: Sux = Sux { info: BYTES_INFO };

/// With fingerprints of as many bits as the rate needs.
pub static PACKED: Sux = Sux {
    info: Info {
        name: "vfilter",
        analysis: "The same with packed fingerprints of any width, so the rate is the power of \
                   two at or below the one asked for. A query extracts three bit fields.",
        takes_rate: true,
        ..BYTES_INFO
    },
};

impl Contender for Sux {
    fn info(&self) -> Info {
        self.info
    }

    fn has_threads(&self) -> bool {
        true
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        match keys {
            Keys::U64(keys) => make::<u64>(keys, asked_fpr, seed),
            Keys::Bytes(keys) => make::<[u8]>(keys, asked_fpr, seed),
        }
    }
}

/// A key that it hashes.
trait Hashed: BenchKey + ToSig<Sig> + Debug {}
impl Hashed for u64 {}
impl Hashed for [u8] {}

fn make<K: Hashed + ?Sized>(
    keys: &[K::Item<'_>],
    asked_fpr: Option<f64>,
    seed: u64,
) -> Result<Box<dyn Built>, String> {
    let failed = |error: anyhow::Error| error.to_string();
    Ok(if let Some(asked_fpr) = asked_fpr {
        let bits = (1.0 / asked_fpr).log2().ceil().max(1.0) as usize;
        let builder = VBuilder::default()
            .seed(seed)
            .max_num_threads(1)
            .expected_num_keys(keys.len());
        let keys = FromSlice::new(keys);
        let filter = Packed::<K>::try_new_with_builder(keys, bits, builder, no_logging![]);
        built::<K, _>(Filter(filter.map_err(failed)?))
    } else {
        let builder = VBuilder::default()
            .seed(seed)
            .max_num_threads(1)
            .expected_num_keys(keys.len());
        let keys = FromSlice::new(keys);
        let filter = Bytes::<K>::try_new_with_builder(keys, builder, no_logging![]);
        built::<K, _>(Filter(filter.map_err(failed)?))
    })
}

struct Filter<F>(F);

impl<K: Hashed + ?Sized> Probe<K> for Filter<Bytes<K>> {
    /// The crate does not report it.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(of_bits(self.0.hash_bits()))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }
}

impl<K: Hashed + ?Sized> Probe<K> for Filter<Packed<K>> {
    /// The crate does not report it.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(of_bits(self.0.hash_bits()))
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }
}

fn of_bits(bits: u32) -> PredictedFpr {
    PredictedFpr {
        mean: (-f64::from(bits)).exp2(),
        sd: 0.0,
    }
}
