//! Filters that take keys through a shared reference, behind every pointer, with the prelude.

use amq::monitored::Monitored;
use amq::prelude::*;
use amq::sharded::Sharded;
use amq::{AtomicBlockedBloomFilter, AtomicBloomFilter, CuckooFilter};
use std::sync::Arc;
use std::thread;

/// Generic code that fills and asks a filter, by whatever pointer it is given.
fn remember(mut filter: impl InsertFilter, keys: std::ops::Range<u64>) {
    let keys: Vec<u64> = keys.collect();
    let (one, rest) = keys.split_first().unwrap();
    filter.insert(one).unwrap();
    filter.insert_keys(rest).unwrap();
    filter.insert_unique(one).unwrap();
    assert!(keys.iter().all(|key| filter.contains(key)));
}

fn forget(mut filter: impl RemoveFilter, keys: std::ops::Range<u64>) {
    assert!(keys.into_iter().all(|key| filter.remove(&key)));
}

fn sharded() -> Sharded<CuckooFilter> {
    Sharded::new(Goal::fpr(4000, 0.001), 4).unwrap()
}

#[test]
fn the_prelude_leaves_an_arcs_filter_its_own_methods() {
    let filter = Arc::new(sharded());
    let atomic = Arc::new(AtomicBloomFilter::new(Goal::fpr(4000, 0.001)).unwrap());
    let blocked = Arc::new(AtomicBlockedBloomFilter::new(Goal::fpr(4000, 0.001)).unwrap());
    let threads: Vec<_> = (0..4u64)
        .map(|thread| {
            let (filter, atomic, blocked) = (filter.clone(), atomic.clone(), blocked.clone());
            thread::spawn(move || {
                for key in 1000 * thread..1000 * thread + 900 {
                    filter.insert(&key).unwrap();
                    filter.insert_unique(&key).unwrap();
                    assert!(atomic.insert(&key).is_new() | atomic.contains(&key));
                    assert!(blocked.insert(&key).is_new() | blocked.contains(&key));
                    assert!(key % 2 > 0 || filter.remove(&key));
                }
                filter.insert_keys(&[1000 * thread]).unwrap();
                filter.try_extend([1000 * thread + 2]).unwrap();
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    // References to references, as iterators hand them out.
    for filter in &[&*filter, &filter] {
        filter.insert(&1u64).unwrap();
        assert!(filter.remove(&1u64));
    }
    let odd = (0..4000u64).filter(|key| key % 1000 < 900 && key % 2 > 0);
    assert!(odd.into_iter().all(|key| filter.contains(&key)));
    assert_eq!(filter.len(), 4 * 452);
    assert!((0..900u64).all(|key| atomic.contains(&key) && blocked.contains(&key)));
}

#[test]
fn generic_code_takes_a_reference_to_a_shared_filter() {
    let filter = Arc::new(sharded());
    let watched = Monitored::new(sharded(), 0.001).unwrap();
    let atomic = Arc::new(AtomicBloomFilter::new(Goal::fpr(4000, 0.001)).unwrap());
    let blocked = AtomicBlockedBloomFilter::new(Goal::fpr(4000, 0.001)).unwrap();
    thread::scope(|threads| {
        for thread in 0..4u64 {
            let (filter, watched, atomic, blocked) = (&*filter, &watched, &*atomic, &blocked);
            let keys = move || 1000 * thread..1000 * thread + 900;
            threads.spawn(move || {
                remember(filter, keys());
                remember(watched.filter(), keys());
                remember(atomic, keys());
                remember(blocked, keys());
            });
        }
    });
    thread::scope(|threads| {
        threads.spawn(|| forget(&*filter, 0..900));
        threads.spawn(|| forget(watched.filter(), 1000..1900));
        // By name, without generic code.
        threads.spawn(|| filter.insert(&4000u64).unwrap());
        threads.spawn(|| watched.filter().insert(&4000u64).unwrap());
    });
    assert!((1000..1900u64).all(|key| filter.contains(&key)));
    assert!((0..900u64).all(|key| watched.contains(&key)));
    assert_eq!((filter.len(), watched.len()), (2701, 2701));
}
