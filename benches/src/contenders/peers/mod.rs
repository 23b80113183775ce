//! The best published crates, each in a file of its own; and the exact set.

use super::built::{Built, of_type};
use super::contender::{Contender, Made};
use super::order::{Order, Planned};
use super::probe::{BATCH, Probe, exactly, in_batches, probe};
use super::theory::{curve, point, slots};
use crate::keys::{BenchKey, Keys};
use crate::record::Point;
use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_core::{PlanFilter, PredictedFpr};
use amq_counting::CountingBloomFilter;
use probabilistic::{quotient, scalable};

mod bloomfilter;
mod cuckoofilter;
mod fastbloom;
mod fastbloom_rs;
mod growable_bloom;
mod hash_set;
mod pleat;
mod probabilistic;
mod qfilter;
mod sbbf_rs;
mod scalable_cuckoo;
mod sux;
mod xorf;

pub(super) fn all() -> Vec<Contender> {
    vec![
        Contender::filled("fastbloom", fastbloom::empty, fastbloom::empty)
            .theory(curve::<BloomFilter>),
        Contender::filled("bloomfilter", bloomfilter::empty, bloomfilter::empty)
            .theory(curve::<BloomFilter>),
        Contender::filled("sbbf-rs", sbbf_rs::empty, sbbf_rs::empty)
            .theory(curve::<BlockedBloomFilter>),
        Contender::filled("fastbloom-rs-counting", fastbloom_rs::empty, fastbloom_rs::empty)
            .theory(curve::<CountingBloomFilter>),
        Contender::filled("growable-bloom", growable_bloom::sized, growable_bloom::sized),
        Contender::filled("growable-bloom-grown", growable_bloom::grown, growable_bloom::grown),
        Contender::filled("cuckoofilter", cuckoofilter::empty, cuckoofilter::empty)
            .theory(cuckoofilter::full),
        Contender::filled("scalable-cuckoo", scalable_cuckoo::empty, scalable_cuckoo::empty),
        Contender::filled("qfilter", qfilter::empty, qfilter::empty),
        Contender::new("qfilter-sorted", qfilter::sorted),
        Contender::filled("probabilistic-scalable", scalable::<u64>, scalable::<[u8]>),
        Contender::filled("probabilistic-quotient", quotient::<u64>, quotient::<[u8]>),
        Contender::new("binary-fuse-8", xorf::solve::<xorf::BinaryFuse8, 8>)
            .theory(|keys| slots([8], xorf::fuse(keys))),
        Contender::new("binary-fuse-16", xorf::solve::<xorf::BinaryFuse16, 16>)
            .theory(|keys| slots([16], xorf::fuse(keys))),
        Contender::new("xor-8", xorf::solve::<xorf::Xor8, 8>)
            .theory(|keys| slots([8], xorf::xor(keys))),
        Contender::of("vfilter-8", sux::bytes::<u64>, sux::bytes::<[u8]>)
            .theory(|keys| slots([8], sux::factor(keys as usize))),
        Contender::of("vfilter", sux::packed::<u64>, sux::packed::<[u8]>)
            .theory(|keys| slots(1..=17, sux::factor(keys as usize))),
        Contender::new("pleat-standard", |keys, order| pleat::solve(keys, order, false)),
        Contender::new("pleat-homogeneous", |keys, order| pleat::solve(keys, order, true)),
        Contender::filled("std-hashset", hash_set::empty::<u64>, hash_set::empty::<Box<[u8]>>),
    ]
}

/// A change that a filter cannot refuse, or does not report.
fn done<T>(_change: T) -> bool {
    true
}

/// The rate by an exact formula of ours, at the size that a peer chose.
fn exact<F: PlanFilter>(params: F::Params, keys: u64) -> Option<PredictedFpr> {
    Some(F::predicted_fpr(&params, keys))
}

/// The rate of a set of fingerprints of this many bits: one is present if any key has it.
fn fpr_of(keys: u64, bits: u8) -> f64 {
    -(keys as f64 * (-(-f64::from(bits)).exp2()).ln_1p()).exp_m1()
}

/// The rate of a table of four-slot buckets at a load, for a fingerprint that this share of keys
/// has: a query reads eight slots (Fan, Andersen, Kaminsky and Mitzenmacher).
fn fpr_of_buckets(share: f64, load: f64) -> f64 {
    1.0 - (1.0 - share).powf(8.0 * load)
}

struct Digested<F> {
    filter: F,
    seed: u64,
}

/// Makes a filter of the XXH3 digests of all keys, for peers that take digests.
fn of_digests<F: 'static>(
    keys: Keys<'_>,
    order: &Order,
    make: impl Fn(Vec<u64>) -> Made<F>,
) -> Made<Box<dyn Built>>
where
    Digested<F>: Probe<u64> + Probe<[u8]>,
{
    let seed = order.seed;
    let digests = match keys {
        Keys::U64(keys) => keys.iter().map(|key| key.digest(seed)).collect(),
        Keys::Bytes(keys) => keys.iter().map(|key| key.digest(seed)).collect(),
    };
    let digested = Digested { filter: make(digests)?, seed };
    Ok(match keys {
        Keys::U64(keys) => of_type::<u64, _>(digested, keys.len()),
        Keys::Bytes(keys) => of_type::<[u8], _>(digested, keys.len()),
    })
}
