//! Our scalable filters, each grown from a thousandth of the keys.

use super::contender::GROWN;
use super::own::{Filled, Own};
use super::{Course, Entry, Family, Info, Order, Point, theory};
use crate::contenders::Ability::{Batch, Grow, Insert, Merge};
use amq_bloom::theory::{blocked, classic};
use amq_bloom::{BlockedBloomFilter, BloomFilter};
use amq_core::Target;
use amq_scalable::{OwnedStage, ScalableFilter, ScalableParams};

/// How far a filter grows within its theory: a thousandfold.
const STAGES: u32 = 10;

/// The parameters that a first stage for this many keys and a rate give.
type Params = fn(start: u64, keys: u64, fpr: f64) -> ScalableParams;

fn open(start: u64, _keys: u64, fpr: f64) -> ScalableParams {
    ScalableParams::new(start, fpr)
}

/// Always from a thousandth: a first stage for all keys would be the whole filter.
fn bounded(_start: u64, keys: u64, fpr: f64) -> ScalableParams {
    open((keys / GROWN as u64).max(1), keys, fpr).growth(4).bounded(keys)
}

fn target<F: OwnedStage>(
    order: &Order,
    keys: usize,
    params: Params,
) -> Result<Target<ScalableParams>, String> {
    let room = order.room(keys) as u64;
    let params = params(order.start(keys) as u64, room, order.fpr()?);
    let plan = ScalableFilter::<F>::plan_params(params, room).map_err(|error| error.to_string())?;
    Ok(plan.into())
}

/// The curve of a filter whose stages are all full, and as dense as large filters.
fn grown(keys: u64, params: Params, bits_per_key: fn(f64) -> f64) -> Vec<Point> {
    theory::by_rate(|rate| {
        let params = params((keys / GROWN as u64).max(1), keys.max(1), rate);
        // A bounded filter has a last stage.
        let stages = (0..STAGES).map_while(|stage| params.stage(stage).ok());
        let (mut bits, mut room) = (0.0, 0.0);
        for stage in stages {
            bits += stage.distinct() * bits_per_key(stage.fpr);
            room += stage.capacity as f64;
        }
        bits / room
    })
}

const GROWN_INFO: Info = Info {
    name: "scalable-bloom",
    family: Family::Scalable,
    packages: &["amq-scalable"],
    import: "use amq_scalable::ScalableBloomFilter;",
    analysis: "Classic stages of doubling size, grown from a thousandth of the keys. The rate \
               asked for holds however far it grows, at 1.7 times the space of a filter of the \
               right size; a query for an absent key tries all ten stages.",
    abilities: &[Insert, Grow, Merge, Batch],
    bits_budget: false,
    jumps: true,
    ..Info::OURS
};

/// Without a bound, of classic stages.
pub static CLASSIC: Entry<Own<ScalableFilter<BloomFilter>, Filled>> = Entry::new(
    GROWN_INFO,
    Own::by(|order, keys| target::<BloomFilter>(order, keys, open)),
    |keys| grown(keys, open, classic::bits_per_key),
);

/// Without a bound, of split-block stages.
pub static BLOCKED: Entry<Own<ScalableFilter<BlockedBloomFilter>, Filled>> = Entry::new(
    Info {
        name: "scalable-blocked",
        import: "use amq_scalable::ScalableBlockedBloomFilter;",
        analysis: "Split-block stages of doubling size, grown from a thousandth of the keys: one \
                   cache line per stage.",
        ..GROWN_INFO
    },
    Own::by(|order, keys| target::<BlockedBloomFilter>(order, keys, open)),
    |keys| grown(keys, open, blocked::bits_per_key),
);

/// With the number of keys as a bound.
pub static BOUNDED: Entry<Own<ScalableFilter<BloomFilter>, Filled>> = Entry::new(
    Info {
        name: "scalable-bounded",
        analysis: "Classic stages, each four times the size of the last, grown from a thousandth \
                   of the keys to a known bound. The stages share the rate in proportion to their \
                   capacities, at a sixth more space than a filter of the right size.",
        abilities: &[Insert, Merge, Batch],
        // Its stages have room for the keys of one filter.
        skips: &[Course::Merge],
        jumps: false,
        ..GROWN_INFO
    },
    Own::by(|order, keys| target::<BloomFilter>(order, keys, bounded)),
    |keys| grown(keys, bounded, classic::bits_per_key),
);
