//! Pointers to filters, which forward in `amq-core`, behave as the filter behind them.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

use crate::reference::{Bloom, Fault, Multiset, plant};
use amq_core::index::remix;
use amq_core::{
    ClearFilter, EmptyFilter, Filter, FilterExt, Goal, InsertExt, InsertFilter, Key, RemoveFilter,
};
use std::sync::Arc;

fn keys(range: std::ops::Range<u64>) -> Vec<u64> {
    range.map(|i| remix(i, 0)).collect()
}

fn holding_500<F: EmptyFilter>() -> F {
    let mut filter = F::empty(Goal::fpr(1000, 0.05), 4).unwrap();
    filter.insert_keys(&keys(0..500)).unwrap();
    filter
}

fn answers_as(filter: &dyn Filter, pointer: &dyn Filter) {
    assert_eq!(pointer.kind(), filter.kind());
    assert_eq!(pointer.seed(), filter.seed());
    assert_eq!(pointer.len(), filter.len());
    assert_eq!(pointer.is_empty(), filter.is_empty());
    assert_eq!(pointer.capacity(), filter.capacity());
    assert_eq!(pointer.size_in_bytes(), filter.size_in_bytes());
    assert_eq!(pointer.expected_fpr(), filter.expected_fpr());
    assert_eq!(pointer.load_factor(), filter.load_factor());
    assert_eq!(pointer.saturated(), filter.saturated());
    assert_eq!(pointer.stats(), filter.stats());
    let keys = keys(0..2500);
    let hashes: Vec<_> = keys.iter().map(|key| key.key_hash(filter.seed())).collect();
    let mut answers = [vec![false; keys.len()], vec![false; keys.len()]];
    pointer.contains_batch(&hashes, &mut answers[0]).unwrap();
    pointer.contains_keys(&keys, &mut answers[1]).unwrap();
    for (i, (key, &hash)) in keys.iter().zip(&hashes).enumerate() {
        let found = [pointer.contains_hash(hash), pointer.contains(key), answers[0][i]];
        assert_eq!((found, answers[1][i]), ([filter.contains_hash(hash); 3], found[0]));
    }
}

#[test]
fn a_pointer_answers_as_the_filter() {
    let (filter, mut twin) = (holding_500::<Multiset>(), holding_500::<Multiset>());
    answers_as(&filter, &&twin);
    answers_as(&filter, &&mut twin);
    answers_as(&filter, &Box::new(twin.clone()));
    answers_as(&filter, &Arc::new(twin.clone()));
    answers_as(&filter, &(Box::new(twin) as Box<dyn Filter>));
    // It counts one key fewer in its stats, and keeps no plan.
    plant(Fault::StatsOfOneKeyFewer);
    answers_as(&holding_500::<Bloom>(), &Box::new(holding_500::<Bloom>()));
}

/// Inserts 400 keys in every way, some of them twice. Returns the number of new keys of each way.
fn takes_keys(mut filter: impl InsertFilter + ClearFilter) -> [u64; 5] {
    filter.clear();
    let (keys, hashes) = (keys(0..400), 0..400u64);
    let hashes: Vec<_> = hashes.map(|i| remix(i, 0).key_hash(filter.seed())).collect();
    let new = |filter: &mut dyn FnMut(&u64) -> bool, keys: &[u64]| {
        keys.iter().filter(|key| filter(key)).count() as u64
    };
    let singly = new(&mut |key| filter.insert(key).unwrap().is_new(), &keys[..100]);
    let batch = filter.insert_batch(&hashes[50..200]).unwrap();
    let unique = new(&mut |key| filter.insert_unique(key).unwrap().is_new(), &keys[..250]);
    let mut answers = [false; 50];
    let answered = filter.insert_batch_new(&hashes[225..275], &mut answers).unwrap();
    assert_eq!(answers.iter().filter(|&&new| new).count() as u64, answered);
    let extended = filter.try_extend(&keys[250..]).unwrap();
    [singly, batch, unique, answered, extended]
}

#[test]
fn a_pointer_takes_keys_as_the_filter() {
    let (mut filter, mut behind, mut boxed) =
        (holding_500::<Multiset>(), holding_500::<Multiset>(), Box::new(holding_500::<Multiset>()));
    let news = takes_keys(&mut filter);
    assert_eq!(takes_keys(&mut &mut behind), news);
    assert_eq!(takes_keys(&mut boxed), news);
    assert!(behind == filter && *boxed == filter);
}

#[test]
fn a_pointer_removes_keys_as_the_filter() {
    let (mut filter, mut behind, mut boxed) =
        (holding_500::<Multiset>(), holding_500::<Multiset>(), Box::new(holding_500::<Multiset>()));
    for hash in keys(250..750).into_iter().map(|key| key.key_hash(4)) {
        let removed = filter.remove_hash(hash);
        assert_eq!(RemoveFilter::remove_hash(&mut &mut behind, hash), removed);
        assert_eq!(RemoveFilter::remove_hash(&mut boxed, hash), removed);
    }
    assert!(behind == filter && *boxed == filter && filter.len() < 500);
}
