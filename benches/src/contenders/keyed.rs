//! Our filters under a secret key, to show its cost compared with a seed.

use super::contender::{Contender, Made};
use super::order::Order;
use super::ours::taken;
use super::probe::{Probe, in_batches, probe, took};
use super::theory::curve;
use crate::scenarios::keys::BenchKey;
use amq_bloom::BlockedBloomFilter;
use amq_core::{BuildFilter, EmptyFilter, InsertFilter, Keyed, PlanFilter, SipKey};
use amq_ribbon::RibbonFilter;

pub(super) fn all() -> Vec<Contender> {
    vec![
        filled::<BlockedBloomFilter>("keyed-blocked-bloom"),
        solved::<RibbonFilter>("keyed-ribbon"),
    ]
}

/// A different key for each seed.
fn key(order: &Order) -> SipKey {
    SipKey::new((u128::from(order.seed) << 64 | 1).to_le_bytes())
}

/// A filter that inserts.
struct Filled<F>(Keyed<F>);

/// A filter built from its keys.
struct Solved<F>(Keyed<F>);

fn filled<F: EmptyFilter + 'static>(name: &'static str) -> Contender
where
    Filled<F>: Probe<u64> + Probe<[u8]>,
{
    let empty = |order: &Order, keys| -> Made<Filled<F>> {
        Ok(Filled(Keyed::new(order.goal(keys)?, key(order))?))
    };
    Contender::filled(name, empty, empty).theory(curve::<F>)
}

fn solved<F: BuildFilter + 'static>(name: &'static str) -> Contender {
    Contender::of(name, solve::<F, u64>, solve::<F, [u8]>).theory(curve::<F>)
}

fn solve<F: BuildFilter, K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    order: &Order,
) -> Made<Solved<F>> {
    Ok(Solved(Keyed::build(order.goal(keys.len())?, key(order), keys)?))
}

probe! { Filled<F>, with [F: PlanFilter + InsertFilter], |it, key, keys|
    holds: it.0.contains(key);
    batch: in_batches(keys, |keys, answers| it.0.contains_keys(keys, answers).ok());
    bytes: it.0.get_ref().size_in_bytes();
    predicted: Some(F::predicted_fpr(&it.0.get_ref().params(), keys));
    insert: took(it.0.insert(key));
    insert_all: taken(keys, it.0.insert_keys(keys));
}

probe! { Solved<F>, with [F: PlanFilter], |it, key, keys|
    holds: it.0.contains(key);
    batch: in_batches(keys, |keys, answers| it.0.contains_keys(keys, answers).ok());
    bytes: it.0.get_ref().size_in_bytes();
    predicted: Some(F::predicted_fpr(&it.0.get_ref().params(), keys));
}
