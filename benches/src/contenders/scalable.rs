//! Our scalable filters, each grown from a thousandth of the keys.

use super::own::{Filled, Own, Way};
use crate::contender::{Ability, Family, Info, Role};
use amq_bloom::theory::classic::bits_per_key;
use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_core::{BuildError, Key, MergeError};
use amq_scalable::{OwnedStage, ScalableFilter, ScalableParams};

/// How far the first stage is exceeded: the case of an unknown number of keys.
const GROWN: u64 = 1000;

/// Planned for a thousandth of the keys, then filled.
#[derive(Debug)]
pub struct Grown;

/// The same, with the number of keys as a bound.
#[derive(Debug)]
pub struct Bounded;

fn open(keys: u64, fpr: f64) -> ScalableParams {
    ScalableParams::new((keys / GROWN).max(1), fpr)
}

fn bounded(keys: u64, fpr: f64) -> ScalableParams {
    open(keys, fpr).growth(4).bounded(keys.max(1))
}

fn filled<F: OwnedStage, K: Key>(
    params: ScalableParams,
    seed: u64,
    keys: &[K],
) -> Result<ScalableFilter<F>, BuildError> {
    let plan = ScalableFilter::<F>::plan_params(params, keys.len() as u64)?;
    let mut filter = ScalableFilter::with_seed(plan, seed)?;
    filter.insert_keys(keys)?;
    Ok(filter)
}

impl<F: OwnedStage> Way<ScalableFilter<F>> for Grown {
    fn make<K: Key>(fpr: f64, seed: u64, keys: &[K]) -> Result<ScalableFilter<F>, BuildError> {
        filled(open(keys.len() as u64, fpr), seed, keys)
    }

    /// Planned for all keys: merges filters of one stage.
    fn with_room<K: Key>(
        room: u64,
        fpr: f64,
        seed: u64,
        keys: &[K],
    ) -> Option<Result<ScalableFilter<F>, BuildError>> {
        Some(filled(ScalableParams::new(room.max(1), fpr), seed, keys))
    }

    fn merge(
        filter: &mut ScalableFilter<F>,
        other: &ScalableFilter<F>,
    ) -> Option<Result<(), MergeError>> {
        Some(filter.merge(other))
    }

    /// Planned for its initial keys, for the courses that measure growth itself.
    fn begin<K: Key>(fpr: f64, seed: u64, keys: &[K]) -> Result<ScalableFilter<F>, BuildError> {
        filled(
            ScalableParams::new(keys.len().max(1) as u64, fpr),
            seed,
            keys,
        )
    }

    fn insert<K: Key>(filter: &mut ScalableFilter<F>, keys: &[K]) -> Option<u64> {
        Filled::insert(filter, keys)
    }
}

impl<F: OwnedStage> Way<ScalableFilter<F>> for Bounded {
    fn make<K: Key>(fpr: f64, seed: u64, keys: &[K]) -> Result<ScalableFilter<F>, BuildError> {
        filled(bounded(keys.len() as u64, fpr), seed, keys)
    }

    fn insert<K: Key>(filter: &mut ScalableFilter<F>, keys: &[K]) -> Option<u64> {
        Filled::insert(filter, keys)
    }
}

/// The rate at which a filter of classic stages, grown this far, takes this many bits per key.
///
/// For a curve of many points: assumes stages as dense as large filters, without planning each.
fn rate_of(params: impl Fn(f64) -> ScalableParams, bits: f64) -> Option<f64> {
    let bits_at = |exponent: f64| {
        let params = params(exponent.exp2());
        // A bounded filter has a last stage; an open one is full after ten.
        let stages = (0..10).map_while(|stage| params.stage(stage).ok());
        let (mut all, mut keys) = (0.0, 0.0);
        for stage in stages {
            all += stage.distinct() * bits_per_key(stage.fpr);
            keys += stage.capacity as f64;
        }
        all / keys
    };
    let (mut low, mut high) = (-40.0, -1.0);
    if bits_at(high) > bits || bits_at(low) < bits {
        return None;
    }
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if bits_at(middle) > bits {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(f64::exp2((low + high) / 2.0))
}

const GROWN_INFO: Info = Info {
    name: "scalable-bloom",
    family: Family::Scalable,
    role: Role::Filter,
    ours: true,
    packages: &["amq-scalable"],
    analysis: "Classic stages of doubling size, grown from a thousandth of the keys. The rate \
               asked for holds however far it grows, at 1.7 times the space of a filter of the \
               right size; a query for an absent key tries all ten stages.",
    abilities: &[
        Ability::Insert,
        Ability::Grow,
        Ability::Merge,
        Ability::Batch,
    ],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: Some(|keys, bits| rate_of(|fpr| open(keys, fpr), bits)),
};

/// Without a bound, of classic stages.
pub static CLASSIC: Own<ScalableFilter<BloomFilter>, Grown> = Own::new(GROWN_INFO);

/// Without a bound, of split-block stages.
pub static BLOCKED: Own<ScalableFilter<BlockedBloomFilter>, Grown> = Own::new(Info {
    name: "scalable-blocked",
    analysis: "Split-block stages of doubling size, grown from a thousandth of the keys: one \
               cache line per stage.",
    // The curve of the classic stages is the family's.
    theory: Some(|_, _| None),
    ..GROWN_INFO
});

/// With the number of keys as a bound.
pub static BOUNDED: Own<ScalableFilter<BloomFilter>, Bounded> = Own::new(Info {
    name: "scalable-bounded",
    analysis: "Classic stages, each four times the size of the last, grown from a thousandth of \
               the keys to a known bound. The stages share the rate in proportion to their \
               capacities, at a sixth more space than a filter of the right size.",
    abilities: &[Ability::Insert, Ability::Merge, Ability::Batch],
    theory: Some(|keys, bits| rate_of(|fpr| bounded(keys, fpr), bits)),
    ..GROWN_INFO
});
