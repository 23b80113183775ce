//! Code shared by several peers.

use crate::contenders::built::of_type;
use crate::contenders::probe::Probe;

pub(super) use crate::contenders::built::Built;
pub(super) use crate::contenders::contender::Made;
pub(super) use crate::contenders::order::{Order, Planned};
pub(super) use crate::contenders::probe::{BATCH, exactly, in_batches, probe, took, used};
pub(super) use crate::contenders::theory::point;
pub(super) use crate::record::Point;
pub(super) use crate::scenarios::keys::{BenchKey, Keys};
use amq_core::{PlanFilter, PredictedFpr};

/// A change that a filter cannot refuse, or does not report. Its answer is kept, as by [`used`].
pub(super) fn done<T>(answer: T) -> bool {
    used(answer);
    true
}

/// The rate by an exact formula of ours, at the size that a peer chose.
pub(super) fn exact<F: PlanFilter>(params: F::Params, keys: u64) -> Option<PredictedFpr> {
    Some(F::predicted_fpr(&params, keys))
}

/// The false-positive rate of a set of fingerprints of `bits` bits, one of each key. An absent key
/// is a false positive if any of the `keys` keys has its fingerprint.
pub(super) fn fpr_of(keys: u64, bits: u8) -> f64 {
    -(keys as f64 * (-(-f64::from(bits)).exp2()).ln_1p()).exp_m1()
}

/// The rate of a table of four-slot buckets at a load, for a fingerprint that this share of keys
/// has: a query reads eight slots (Fan, Andersen, Kaminsky and Mitzenmacher).
pub(super) fn fpr_of_buckets(share: f64, load: f64) -> f64 {
    1.0 - (1.0 - share).powf(8.0 * load)
}

pub(super) struct Digested<F> {
    pub(super) filter: F,
    pub(super) seed: u64,
}

/// Makes a filter of the XXH3 digests of all keys, for peers that take digests.
pub(super) fn of_digests<F: 'static>(
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
