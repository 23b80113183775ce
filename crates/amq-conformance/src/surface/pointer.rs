//! Laws of pointers to filters.

use crate::fill::{Fill, absent, all_found, filled, present, present_hashes};
use crate::violation::{Verdict, Violation, same, unchanged};
use amq_core::{
    ClearFilter, EmptyFilter, Filter, FilterExt, Goal, InsertExt, InsertFilter, Key, KeyHash,
    PlanFilter, RemoveFilter,
};
use std::sync::Arc;

/// `&F`, `&mut F`, `Box<F>`, `Arc<F>` and `Box<dyn Filter>` answer as the filter they point to.
pub fn a_pointer_to_a_filter_answers_as_it_does<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + 'static,
{
    let make = || filled(fill, 1000, 0.05, 9);
    let (filter, mut twin) = (make()?, make()?);
    answers_as(&filter, &&twin, "a reference")?;
    answers_as(&filter, &&mut twin, "an exclusive reference")?;
    answers_as(&filter, &Box::new(make()?), "a box")?;
    answers_as(&filter, &Arc::new(make()?), "an Arc")?;
    let boxed: Box<dyn Filter> = Box::new(twin);
    answers_as(&filter, &boxed, "a box of dyn Filter")?;
    for i in 0..2000 {
        let what = format_args!("contains of dyn Filter at {i}");
        let behind: &dyn Filter = &*boxed;
        same(what, behind.contains(&present(i)), filter.contains(&present(i)))?;
        same(what, behind.contains(&absent(i)), filter.contains(&absent(i)))?;
    }
    Ok(())
}

/// `Ok` if `pointer` reports and answers the same as `filter`. (Not generic: it would be compiled
/// for each filter behind each pointer.)
pub fn answers_as(filter: &dyn Filter, pointer: &dyn Filter, what: &str) -> Verdict {
    let of = |method: &str| format!("{method} of {what}");
    same(of("kind"), pointer.kind(), filter.kind())?;
    same(of("seed"), pointer.seed(), filter.seed())?;
    same(of("len"), pointer.len(), filter.len())?;
    same(of("is_empty"), pointer.is_empty(), filter.is_empty())?;
    same(of("capacity"), pointer.capacity(), filter.capacity())?;
    same(of("size_in_bytes"), pointer.size_in_bytes(), filter.size_in_bytes())?;
    same(of("expected_fpr"), pointer.expected_fpr(), filter.expected_fpr())?;
    same(of("load_factor"), pointer.load_factor(), filter.load_factor())?;
    same(of("saturated"), pointer.saturated(), filter.saturated())?;
    same(of("stats"), pointer.stats(), filter.stats())?;
    let keys: Vec<u64> = (0..1500).map(present).chain((0..1500).map(absent)).collect();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| key.key_hash(filter.seed())).collect();
    let mut answers = [vec![false; keys.len()], vec![false; keys.len()]];
    pointer
        .contains_batch(&hashes, &mut answers[0])
        .and_then(|()| pointer.contains_keys(&keys, &mut answers[1]))
        .map_err(Violation::refused(of("a batch")))?;
    for (i, (key, &hash)) in keys.iter().zip(&hashes).enumerate() {
        let wanted = filter.contains_hash(hash);
        same(of("contains_hash"), pointer.contains_hash(hash), wanted)?;
        same(of("contains"), pointer.contains(key), wanted)?;
        same(of("contains_batch"), answers[0][i], wanted)?;
        same(of("contains_keys"), answers[1][i], wanted)?;
    }
    Ok(())
}

/// `&mut F` and `Box<F>` take keys, and clear, as the filter they point to does.
pub fn a_pointer_to_a_filter_takes_keys_as_it_does<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    let empty = F::empty(Goal::fpr(1000, 0.05), 4);
    let empty = empty.map_err(Violation::refused("an empty filter"))?;
    let (mut filter, mut behind) = (empty.clone(), empty.clone());
    takes_keys_as(&mut filter, &mut &mut behind, "&mut F")?;
    unchanged(&behind, &filter, "inserting through &mut F instead")?;
    let (mut filter, mut boxed) = (empty.clone(), Box::new(empty));
    takes_keys_as(&mut filter, &mut boxed, "Box<F>")?;
    unchanged(&*boxed, &filter, "inserting through Box<F> instead")
}

/// What takes keys and can be cleared.
pub trait Takes: InsertFilter + ClearFilter {}

impl<F: InsertFilter + ClearFilter> Takes for F {}

/// `Ok` if `pointer` takes keys in every way, and clears, as `filter` does. Both are empty, made
/// alike, and have room for 1000 keys.
pub fn takes_keys_as(filter: &mut dyn Takes, pointer: &mut dyn Takes, what: &str) -> Verdict {
    for round in 0..2 {
        let news = takes_keys(filter)?;
        same(format_args!("New behind {what}"), takes_keys(pointer)?, news)?;
        answers_as(&filter, &pointer, what)?;
        if round == 0 {
            filter.clear();
            pointer.clear();
            answers_as(&filter, &pointer, what)?;
        }
    }
    Ok(())
}

/// Inserts 400 keys, some of them twice. Returns the number of new keys for each way of inserting.
fn takes_keys(filter: &mut dyn Takes) -> Result<[u64; 5], Violation> {
    let refused = "some of 700 keys of 1000 planned";
    let keys = (0..400).map(present).collect::<Vec<u64>>();
    let hashes = present_hashes(400, filter.seed());
    let (mut singly, mut unique) = (0, 0);
    for key in &keys[..100] {
        let inserted = filter.insert(key).map_err(Violation::refused(refused))?;
        singly += u64::from(inserted.is_new());
    }
    let batch = filter.insert_batch(&hashes[50..200]);
    for key in &keys[..250] {
        let inserted = filter.insert_unique(key);
        let inserted = inserted.map_err(Violation::refused(refused))?;
        unique += u64::from(inserted.is_new());
    }
    let batch = batch.map_err(Violation::refused(refused))?;
    let mut new = [false; 50];
    let answered = filter.insert_batch_new(&hashes[225..275], &mut new);
    let answered = answered.map_err(Violation::refused(refused))?;
    same("answers that say New", new.iter().filter(|&&new| new).count() as u64, answered)?;
    let extended = filter.try_extend(&keys[250..]);
    let extended = extended.map_err(Violation::refused(refused))?;
    all_found(&filter, &hashes, "inserted in every way")?;
    Ok([singly, batch, unique, answered, extended])
}

/// `&mut F` and `Box<F>` remove keys as the filter they point to does.
pub fn a_pointer_to_a_filter_removes_keys_as_it_does<F>() -> Verdict
where
    F: EmptyFilter + RemoveFilter + Clone + PartialEq,
{
    let mut filter =
        F::empty(Goal::fpr(1000, 0.01), 4).map_err(Violation::refused("an empty filter"))?;
    filter
        .insert_batch(&present_hashes(500, 4))
        .map_err(Violation::refused("half of the keys planned"))?;
    let (mut behind, mut boxed) = (filter.clone(), Box::new(filter.clone()));
    removes_keys_as(&mut filter.clone(), &mut &mut behind, "&mut F")?;
    removes_keys_as(&mut filter, &mut boxed, "Box<F>")?;
    unchanged(&behind, &filter, "removing through &mut F instead")?;
    unchanged(&*boxed, &filter, "removing through Box<F> instead")
}

/// `Ok` if `pointer` removes keys as `filter` does. Both hold the first 500 keys.
pub fn removes_keys_as(
    filter: &mut dyn RemoveFilter,
    pointer: &mut dyn RemoveFilter,
    what: &str,
) -> Verdict {
    for i in 0..500 {
        let key = present(2 * i);
        // Keys past the 500th are absent; those that are false positives must not be removed.
        if i >= 250 && filter.contains(&key) {
            continue;
        }
        same("remove", filter.remove(&key), i < 250)?;
        let removed = pointer.remove(&key);
        same(format_args!("remove behind {what}"), removed, i < 250)?;
    }
    answers_as(&filter, &pointer, what)
}
