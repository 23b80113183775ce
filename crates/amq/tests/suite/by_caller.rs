//! Filters whose keys the caller hashes, of every kind and behind everything that holds a filter:
//! no key is denied, and hashes are asked for as ever.

use amq::monitored::Monitored;
use amq::sharded::{Sharded, ShardsError};
use amq::{
    Abilities, AnyError, AnyFilter, AnyView, BloomFilter, CuckooFilter, Filter, FilterExt,
    FilterKind, Full, Goal, InsertFilter, KeyHash, MergeError, RemoveFilter, load_or_maybe,
};

const KEYS: u64 = 500;

/// A hash that is not ours.
fn hash(key: u64) -> KeyHash {
    KeyHash::new((key + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// A filter of the keys `0..KEYS`, in no seed's way.
fn of_caller(kind: FilterKind) -> AnyFilter {
    let hashes: Vec<KeyHash> = (0..KEYS).map(hash).collect();
    let goal = Goal::fpr(KEYS as usize, 0.01);
    AnyFilter::build_hashes(kind, goal, 7, &hashes).unwrap().hashed_by_caller()
}

/// `Ok` if no key is denied, and most absent hashes are.
fn denies_hashes_alone<F: Filter>(filter: &F, what: FilterKind) {
    assert_eq!((filter.key_seed(), filter.seed()), (None, 0), "{what}");
    assert!((0..2000u64).all(|key| filter.contains(&key)), "{what}");
    let mut answers = [false; 300];
    let keys: Vec<u64> = (0..300).collect();
    filter.contains_keys(&keys, &mut answers).unwrap();
    assert_eq!(answers, [true; 300], "{what}");
    assert!((0..KEYS).all(|key| filter.contains_hash(hash(key))), "{what}");
    let found = (KEYS..KEYS + 2000).filter(|&key| filter.contains_hash(hash(key)));
    assert!(found.count() < 200, "{what}");
}

/// Bytes that begin at a multiple of 64.
fn aligned(bytes: &[u8]) -> (Vec<u8>, std::ops::Range<usize>) {
    let mut held = vec![0; bytes.len() + 64];
    let start = held.as_ptr().align_offset(64);
    held[start..start + bytes.len()].copy_from_slice(bytes);
    (held, start..start + bytes.len())
}

#[test]
fn every_kind_denies_no_key_before_and_after_its_file() {
    let name = format!("amq-by-caller-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    for &kind in AnyFilter::KINDS {
        let filter = of_caller(kind);
        denies_hashes_alone(&filter, kind);
        // The inherent method, which is that of the type inside.
        assert!((0..2000u64).all(|key| AnyFilter::contains(&filter, &key)));
        denies_hashes_alone(&filter.clone(), kind);

        filter.save(&path).unwrap();
        let loaded = AnyFilter::load(&path).unwrap();
        assert!(loaded == filter, "{kind}");
        denies_hashes_alone(&loaded, kind);
        let loaded = load_or_maybe(&path);
        assert!((0..2000u64).all(|key| loaded.contains(&key)), "{kind}");
        assert!((KEYS..2000).any(|key| !loaded.contains_hash(hash(key))), "{kind}");

        let bytes = filter.to_bytes().unwrap();
        assert_eq!(filter.to_bytes_without_seed().unwrap(), bytes, "{kind}");
        if cfg!(target_endian = "little") {
            let (held, place) = aligned(&bytes);
            denies_hashes_alone(&AnyView::open(&held[place]).unwrap(), kind);
        }
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn every_kind_takes_and_removes_hashes_alone() {
    for &kind in AnyFilter::KINDS {
        let abilities = Abilities::of(kind);
        let mut filter = of_caller(kind);
        let before = filter.to_bytes().unwrap();
        let refused = AnyError::Full(Full::HashedByCaller);
        assert_eq!(filter.insert("a key").unwrap_err(), refused, "{kind}");
        if abilities.remove {
            assert_eq!(filter.remove(&0u64), Ok(false), "{kind}");
        }
        if abilities.count {
            let count = filter.count(&0u64).unwrap();
            assert!(count.saturated && count.estimate >= KEYS, "{kind}");
            assert_eq!(filter.count_hash(hash(0)).unwrap().estimate, 1, "{kind}");
        }
        assert_eq!(filter.to_bytes().unwrap(), before, "{kind}");
        if abilities.remove {
            assert_eq!(filter.remove_hash(hash(0)), Ok(true), "{kind}");
        }
        if abilities.insert {
            filter.insert_hash(hash(KEYS)).unwrap();
            assert!(filter.contains_hash(hash(KEYS)), "{kind}");
        }
    }
}

#[test]
fn a_filter_of_keys_and_one_of_the_callers_hashes_do_not_merge() {
    for &kind in AnyFilter::KINDS {
        if !Abilities::of(kind).merge {
            continue;
        }
        let hashes: Vec<KeyHash> = (0..KEYS / 2).map(hash).collect();
        let goal = Goal::fpr(KEYS as usize, 0.01);
        let of_keys = || AnyFilter::build_hashes(kind, goal, 0, &hashes).unwrap();
        let of_caller = || of_keys().hashed_by_caller();
        let refused = |ours, theirs| AnyError::Merge(MergeError::Hashes { ours, theirs });
        let mut sum = of_keys();
        assert_eq!(sum.merge(&of_caller()), Err(refused(1, 2)), "{kind}");
        assert!(sum == of_keys(), "{kind}");
        let mut sum = of_caller();
        assert_eq!(sum.merge(&of_keys()), Err(refused(2, 1)), "{kind}");
        // Whatever seed they were made with is none of theirs.
        let other = AnyFilter::build_hashes(kind, goal, 9, &hashes).unwrap();
        sum.merge(&other.hashed_by_caller()).unwrap();
        assert_eq!(sum.key_seed(), None, "{kind}");
        assert!(sum.contains("any key"), "{kind}");
    }
}

#[test]
fn a_filter_that_grows_and_is_cleared_stays_the_callers() {
    for &kind in AnyFilter::KINDS {
        if !Abilities::of(kind).insert {
            continue;
        }
        let empty = AnyFilter::new(kind, Goal::fpr(100, 0.01)).unwrap();
        let mut filter = empty.hashed_by_caller();
        let taken = (0..1000).filter(|&key| filter.insert_hash(hash(key)).is_ok());
        assert!(taken.count() >= 90, "{kind}");
        let back = AnyFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(back == filter && back.key_seed().is_none(), "{kind}");
        filter.clear().unwrap();
        assert!(filter.key_seed().is_none() && filter.contains("any key"), "{kind}");
    }
}

#[test]
fn the_methods_of_a_bloom_filter_that_refuse_nothing_change_nothing() {
    let mut filter = BloomFilter::new(Goal::fpr(100, 0.01)).unwrap();
    filter.insert("a key");
    let mut filter = filter.hashed_by_caller();
    let before = filter.clone();
    assert!(!filter.insert("another").is_new());
    assert!(!filter.insert_unique("another").is_new());
    assert_eq!(filter.insert_keys(&["another", "a third"]), 0);
    filter.extend(["another", "a third"]);
    assert!(filter == before && filter.contains("another"));
    assert!(filter.insert_hash(hash(1)).is_new());
}

#[test]
fn what_holds_a_filter_denies_no_key_either() {
    let shard = || {
        let filter = CuckooFilter::new(Goal::fpr(400, 0.01)).unwrap();
        filter.hashed_by_caller()
    };
    let mut sharded = Sharded::from_shards_unchecked(vec![shard(), shard()], KEYS).unwrap();
    for key in 0..KEYS {
        sharded.insert_hash(hash(key)).unwrap();
    }
    denies_hashes_alone(&sharded, FilterKind::Cuckoo);
    assert!(sharded.contains("any key") && !sharded.remove("any key"));
    assert_eq!(sharded.insert("any key"), Err(Full::HashedByCaller));
    assert!(sharded.count("any key").saturated);
    assert!(RemoveFilter::remove_hash(&mut sharded, hash(0)));
    InsertFilter::insert_hash(&mut sharded, hash(0)).unwrap();
    let mixed = vec![shard(), CuckooFilter::new(Goal::fpr(400, 0.01)).unwrap()];
    let refused = MergeError::Hashes { ours: 2, theirs: 1 };
    assert_eq!(
        Sharded::from_shards_unchecked(mixed, KEYS).err(),
        Some(ShardsError::Seeds(refused))
    );

    let watched = Monitored::new(of_caller(FilterKind::Bloom), 0.01).unwrap();
    let watched = watched.counting_every_query();
    assert!((0..2000u64).all(|key| watched.contains(&key)));
    watched.report_false_positive("any key");
    let report = watched.report();
    assert_eq!((report.queries, report.false_positives), (0, 0));
    denies_hashes_alone(&watched, FilterKind::Bloom);
}
