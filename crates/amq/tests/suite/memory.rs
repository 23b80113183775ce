//! What loading and building by kind take of memory.

use amq::*;
use amq_conformance::memory::{every_refused_allocation_is_an_error, peak_of};
use amq_conformance::testing::Folder;

const KEYS: u64 = 1_000_000;

#[test]
fn loading_never_holds_the_file_beside_the_filter() {
    let folder = Folder::new();
    let path = folder.join("filter.amq");
    for kind in FilterKind::ALL {
        let filter = AnyFilter::build(kind, Budget::Fpr(0.01), 0..KEYS).unwrap();
        filter.save(&path).unwrap();
        let (loaded, peak) = peak_of(|| AnyFilter::load(&path));
        assert_eq!(loaded.unwrap(), filter);
        // A buffer of 64 KiB to read through.
        let most = filter.to_bytes().unwrap().len() as u64 + (80 << 10);
        assert!(
            peak <= most,
            "{kind}: {peak} bytes at once, for a file of {}",
            filter.to_bytes().unwrap().len() as u64
        );
    }
}

#[test]
fn a_file_that_claims_more_than_it_holds_takes_a_step_of_memory() {
    let folder = Folder::new();
    let path = folder.join("claim.amq");
    for kind in [FilterKind::Bloom, FilterKind::BlockedCounting] {
        let filter = AnyFilter::new(kind, Goal::bits_per_key(2_500_000, 110.0)).unwrap();
        let bytes = filter.to_bytes().unwrap();
        assert!(bytes.len() > 30 << 20);
        std::fs::write(&path, &bytes[..10_000]).unwrap();
        let (loaded, peak) = peak_of(|| AnyFilter::load(&path));
        assert!(loaded.is_err());
        // Memory grows in steps of a mebibyte, beside the buffer to read through.
        assert!(peak <= (1 << 20) + (90 << 10), "{kind}: {peak} bytes for 10,000");
    }
}

#[test]
fn every_kind_plans_without_memory_and_is_not_made_without() {
    for kind in FilterKind::ALL {
        let goal = Goal::fpr(KEYS, 0.01);
        let (plan, peak) = peak_of(|| AnyFilter::plan(kind, goal));
        assert!(plan.is_ok() && peak == 0, "{kind}: {peak} bytes to plan");
        if !Abilities::of(kind).insert {
            // A pool of threads may build it, whose own allocations cannot be refused. The crate's
            // own tests hold this law without the pool.
            continue;
        }
        let hashes: Vec<_> = (0..1000u64).map(|key| key.key_hash(3)).collect();
        every_refused_allocation_is_an_error(
            "building by kind",
            || AnyFilter::build_hashes(kind, Budget::Fpr(0.01), 3, &hashes),
            |_| {},
        );
    }
}

#[test]
fn a_rolling_filter_uses_its_memory_again() {
    let mut filter = rolling::Rolling::<CuckooFilter>::new(Goal::fpr(4000, 0.01), 4).unwrap();
    let bytes = filter.size_in_bytes();
    let (refused, peak) = peak_of(|| {
        (0..40_000u64).any(|key| {
            if key % 1000 == 999 {
                filter.advance();
            }
            filter.insert(&key).is_err()
        })
    });
    assert!(!refused && peak == 0, "{peak} bytes to advance");
    assert_eq!(filter.size_in_bytes(), bytes);
}

#[test]
fn a_batch_of_a_sharded_filter_does_without_memory() {
    let goal = Goal::fpr(10_000, 0.01);
    let filter = sharded::Sharded::<BlockedBloomFilter>::new(goal, 7).unwrap();
    let hashes: Vec<_> = (0..10_000u64).map(|key| key.key_hash(0)).collect();
    every_refused_allocation_is_an_error(
        "a batch",
        || filter.insert_batch(&hashes),
        |done| {
            assert!(done.is_some(), "it needs no memory");
        },
    );
    let mut answers = vec![false; hashes.len()];
    every_refused_allocation_is_an_error(
        "a batch of queries",
        || {
            answers.fill(false);
            filter.contains_batch(&hashes, &mut answers)?;
            Ok::<_, LengthMismatch>(answers.iter().all(|&found| found))
        },
        |found| {
            assert_eq!(found, Some(true));
        },
    );
}
