//! One of our filters in shards with a lock each, to show the cost of removal by several threads.

use super::contender::{Contender, Made};
use super::order::Order;
use super::probe::{exactly, probe, took, used};
use crate::workers::cores;
use amq::CuckooFilter;
use amq::sharded::Sharded;
use amq_core::Filter;
use amq_core::Goal;

/// Shards per thread, so that two threads seldom use the same.
const SHARDS: usize = 8;

pub(super) fn cuckoo() -> Contender {
    Contender::filled("sharded-cuckoo", empty, empty)
}

fn empty(order: &Order, keys: usize) -> Made<Sharded<CuckooFilter>> {
    let shards = SHARDS * cores();
    let goal = Goal::fpr(order.room(keys) as u64, order.fpr()?);
    Ok(Sharded::with_seed(goal, shards, order.seed)?)
}

probe! { Sharded<CuckooFilter>, |it, key, keys|
    holds: it.contains(key);
    predicted: exactly(Filter::expected_fpr(it));
    insert: took(Self::insert(it, key));
    shared: match used(it.insert_keys(keys)) {
        Ok(_) => keys.len() as u64,
        Err(refused) => (keys.len() - refused.hashes.len()) as u64,
    };
    remove: Self::remove(it, key);
}
