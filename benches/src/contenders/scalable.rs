//! The sizes of our scalable filters, each grown from a thousandth of the keys.

use super::contender::Made;
use super::order::{GROWN, Order};
use super::theory::{Point, by_rate};
use amq_core::Target;
use amq_scalable::{OwnedStage, ScalableFilter, ScalableParams};

/// The parameters that a first stage for this many keys, all keys and a rate give.
pub(super) type Params = fn(start: u64, keys: u64, fpr: f64) -> ScalableParams;

/// Without a bound.
pub(super) fn open(start: u64, _keys: u64, fpr: f64) -> ScalableParams {
    ScalableParams::new(start, fpr)
}

/// With the number of keys as a bound. Always from a thousandth: a first stage for all keys would be
/// the whole filter.
pub(super) fn bounded(_start: u64, keys: u64, fpr: f64) -> ScalableParams {
    open((keys / GROWN as u64).max(1), keys, fpr).growth(4).bounded(keys)
}

/// What a filter of such stages is made for.
pub(super) fn target<F: OwnedStage>(
    order: &Order,
    keys: usize,
    params: Params,
) -> Made<Target<ScalableParams>> {
    let room = order.room(keys) as u64;
    let params = params(order.start(keys) as u64, room, order.fpr()?);
    Ok(ScalableFilter::<F>::plan_params(params, room)?.into())
}

/// The curve of a filter whose stages are all full, and as dense as large filters.
pub(super) fn full_stages(keys: u64, params: Params, bits_per_key: fn(f64) -> f64) -> Vec<Point> {
    by_rate(|rate| {
        let params = params((keys / GROWN as u64).max(1), keys.max(1), rate);
        // Ten stages grow a thousandfold; a bounded filter has fewer.
        let stages = (0..10).map_while(|stage| params.stage(stage).ok());
        let (mut bits, mut room) = (0.0, 0.0);
        for stage in stages {
            bits += stage.distinct() * bits_per_key(stage.fpr);
            room += stage.capacity as f64;
        }
        bits / room
    })
}
