//! This workspace's filters, through the traits they all implement.

use super::contender::{Contender, Made};
use super::order::{GROWN, Order};
use super::probe::{Probe, exactly, in_batches, probe, took, used};
use super::theory::{by_rate, curve, steps};
use crate::record::Point;
use crate::scenarios::keys::BenchKey;
use amq::{FuseFilter, RibbonFilter};
use amq_bloom::theory::{blocked, classic};
use amq_bloom::{
    AtomicBlockedBloomFilter, AtomicBloomFilter, BlockedBloomFilter, BloomFilter,
    WideBlockedBloomFilter,
};
use amq_core::{
    BatchInsertError, BuildFilter, EmptyFilter, FilterExt, FilterKind, Goal, InsertExt,
    InsertFilter, Key, MergeFilter, PlanFilter, PredictedFpr, RemoveFilter, Target, TruncateFilter,
};
use amq_counting::{BlockedCountingBloomFilter, CountingBloomFilter};
use amq_cuckoo::{CuckooFilter, WindowedCuckooFilter};
use amq_quotient::{ExpandableQuotientFilter, QuotientFilter};
use amq_scalable::{OwnedStage, ScalableFilter, ScalableParams};
use std::marker::PhantomData;

pub(super) fn all() -> Vec<Contender> {
    vec![
        filled::<BloomFilter, Merging>("bloom", goal),
        filled::<BlockedBloomFilter, Merging>("blocked-bloom", goal),
        filled::<WideBlockedBloomFilter, Merging>("wide-blocked-bloom", goal),
        filled::<AtomicBloomFilter, Shared>("atomic-bloom", goal),
        filled::<AtomicBlockedBloomFilter, Shared>("atomic-blocked-bloom", goal),
        filled::<CountingBloomFilter, Removing>("counting", goal),
        filled::<BlockedCountingBloomFilter, Removing>("blocked-counting", goal),
        scalable::<BloomFilter>("scalable", open, classic::bits_per_key),
        scalable::<BlockedBloomFilter>("scalable-blocked", open, blocked::bits_per_key),
        scalable::<BloomFilter>("scalable-bounded", bounded, classic::bits_per_key),
        table::<_, Removing>("cuckoo", CuckooFilter::slots, |params| params.fingerprint_bits),
        table::<_, Removing>("windowed-cuckoo", WindowedCuckooFilter::slots, |params| {
            params.fingerprint_bits
        }),
        table::<QuotientFilter, Truncating>(
            "quotient",
            |it| it.params().slots,
            |params| params.remainder_bits,
        ),
        filled::<ExpandableQuotientFilter, Growing>("expandable-quotient", |order, keys| {
            Ok(Goal::fpr(order.start(keys) as u64, order.fpr()?).into())
        })
        .theory(|keys| steps::<ExpandableQuotientFilter>(keys, |params| params.fingerprint_bits)),
        solved::<RibbonFilter>("ribbon"),
        solved::<FuseFilter>("fuse"),
    ]
}

/// Sized for the number of keys and the budget.
fn goal<P>(order: &Order, keys: usize) -> Made<Target<P>> {
    Ok(order.goal(keys)?.into())
}

/// A filter that is made empty, of a size for a number of keys, then filled with one batch of
/// inserts.
fn filled<F: EmptyFilter + 'static, W: 'static>(
    name: &'static str,
    target: impl Fn(&Order, usize) -> Made<Target<F::Params>> + Copy + Send + Sync + 'static,
) -> Contender
where
    Ours<F, W>: Probe<u64> + Probe<[u8]>,
{
    let empty = move |order: &Order, keys| -> Made<Ours<F, W>> {
        Ok(Ours::new(F::empty(target(order, keys)?, order.seed)?, keys))
    };
    Contender::filled(name, empty, empty).theory(curve::<F>)
}

/// A table in which each key takes one slot, compared with others at equal load. Its fingerprints
/// have whole bits.
fn table<F: EmptyFilter + 'static, W: 'static>(
    name: &'static str,
    slots: fn(&F) -> u64,
    bits: fn(&F::Params) -> u32,
) -> Contender
where
    Ours<F, W>: Probe<u64> + Probe<[u8]>,
{
    let empty = move |order: &Order, keys| -> Made<Ours<F, W>> {
        let filter = F::empty(order.goal(keys)?, order.seed)?;
        let slots = Some(slots(&filter));
        Ok(Ours { slots, ..Ours::new(filter, keys) })
    };
    Contender::filled(name, empty, empty).theory(move |keys| steps::<F>(keys, bits))
}

/// A filter that grows in stages, from a thousandth of the keys.
fn scalable<F: OwnedStage + 'static>(
    name: &'static str,
    params: Params,
    bits_per_key: fn(f64) -> f64,
) -> Contender {
    let entry = filled::<ScalableFilter<F>, Merging>(name, move |order, keys| {
        let room = order.room(keys) as u64;
        let params = params(order.start(keys) as u64, room, order.fpr()?);
        Ok(ScalableFilter::<F>::plan_params(params, room)?.into())
    });
    entry.theory(move |keys| full_stages(keys, params, bits_per_key))
}

/// The parameters of stages, from the keys of the first stage, all keys, and a rate.
type Params = fn(start: u64, keys: u64, fpr: f64) -> ScalableParams;

fn open(start: u64, _keys: u64, fpr: f64) -> ScalableParams {
    ScalableParams::new(start, fpr)
}

/// With the number of keys as a bound. Always starts with a thousandth: a first stage for all keys
/// would be the whole filter.
fn bounded(_start: u64, keys: u64, fpr: f64) -> ScalableParams {
    open((keys / GROWN as u64).max(1), keys, fpr).with_growth(4).with_max_keys(keys)
}

/// The curve of a filter whose stages are all full and as dense as large filters.
fn full_stages(keys: u64, params: Params, bits_per_key: fn(f64) -> f64) -> Vec<Point> {
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

fn solved<F: BuildFilter + TruncateFilter + 'static>(name: &'static str) -> Contender {
    Contender::of(name, solve::<F, u64>, solve::<F, [u8]>).theory(curve::<F>)
}

fn solve<F: BuildFilter + TruncateFilter, K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    order: &Order,
) -> Made<Ours<F, Static>> {
    Ok(Ours::new(F::build_keys(order.goal(keys.len())?, order.seed, keys)?, keys.len()))
}

/// One of our filters, and how it inserts and removes keys.
struct Ours<F, W> {
    filter: F,
    slots: Option<u64>,
    /// The number of keys it was built from.
    made_of: u64,
    way: PhantomData<fn() -> W>,
}

impl<F: PlanFilter, W> Ours<F, W> {
    fn new(filter: F, keys: usize) -> Self {
        Self { filter, slots: None, made_of: keys as u64, way: PhantomData }
    }

    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        if keys < self.made_of && self.filter.kind() == FilterKind::ExpandableQuotient {
            // The formula assumes the first keys, with the shortest fingerprints, not those left
            // after removals. So after removals, uses the filter's own exact rate.
            return exactly(self.filter.expected_fpr());
        }
        Some(F::predicted_fpr(&self.filter.params(), keys))
    }

    #[inline]
    fn hits<K: Key>(&self, keys: &[K]) -> Option<u64> {
        // The slices are equally long, so this cannot fail; if it did, the hits would be wrong.
        in_batches(keys, |keys, answers| self.filter.contains_keys(keys, answers).ok())
    }
}

pub(super) fn taken<K>(keys: &[K], inserted: Result<u64, BatchInsertError>) -> u64 {
    used(inserted).map_or_else(|refused| refused.done, |_| keys.len() as u64)
}

/// A way in which our filters insert and remove keys. Queries are the same for all.
macro_rules! way {
    ($way:ident [$($bounds:tt)*] $(where [$($more:tt)*])?, |$it:ident, $key:ident, $keys:ident|
        $($changes:tt)*
    ) => {
        enum $way {}

        probe! { Ours<F, $way>, with [F: PlanFilter $($bounds)*] $(, where [$($more)*])?,
            |$it, $key, $keys|
            holds: $it.filter.contains($key);
            batch: $it.hits($keys);
            bytes: $it.filter.size_in_bytes();
            predicted: $it.predicted($keys);
            $($changes)*
        }
    };
}

way! { Merging [+ InsertFilter + MergeFilter], |it, key, keys|
    insert: took(it.filter.insert(key));
    insert_all: taken(keys, it.filter.insert_keys(keys));
    merge: it.filter.merge(&key.filter).map_err(|error| error.to_string());
}

// Through a shared reference, as threads do, with atomic operations.
way! { Shared [+ MergeFilter] where [for<'a> &'a F: InsertFilter], |it, key, keys|
    insert: took(InsertExt::insert(&mut &it.filter, key));
    insert_all: taken(keys, InsertExt::insert_keys(&mut &it.filter, keys));
    shared: taken(keys, InsertExt::insert_keys(&mut &it.filter, keys));
    merge: it.filter.merge(&key.filter).map_err(|error| error.to_string());
}

way! { Removing [+ MergeFilter + RemoveFilter], |it, key, keys|
    insert: took(it.filter.insert(key));
    insert_all: taken(keys, it.filter.insert_keys(keys));
    remove: it.filter.remove(key);
    merge: it.filter.merge(&key.filter).map_err(|error| error.to_string());
    slots: it.slots;
}

way! { Truncating [+ MergeFilter + RemoveFilter + TruncateFilter], |it, key, keys|
    insert: took(it.filter.insert(key));
    insert_all: taken(keys, it.filter.insert_keys(keys));
    remove: it.filter.remove(key);
    merge: it.filter.merge(&key.filter).map_err(|error| error.to_string());
    truncate: it.filter.truncate(key).map_err(|error| error.to_string());
    slots: it.slots;
}

// It grows, but does not merge.
way! { Growing [+ RemoveFilter], |it, key, keys|
    insert: took(it.filter.insert(key));
    insert_all: taken(keys, it.filter.insert_keys(keys));
    remove: it.filter.remove(key);
}

way! { Static [+ TruncateFilter], |it, key, keys|
    truncate: it.filter.truncate(key).map_err(|error| error.to_string());
}
