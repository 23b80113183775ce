//! Filters of the caller's hashes, of every kind and behind what holds filters.

use amq::sharded::Sharded;
use amq::{
    Abilities, AnyError, AnyFile, AnyFilter, BatchInsertError, BlockedBloomFilter, BloomFilter,
    Budget, BuildError, BuildFilter, CuckooFilter, DecodeError, EmptyFilter,
    ExpandableQuotientFilter, Filter, FilterFile, FilterKind, FuseFilter, Goal, InsertError,
    InsertFilter, KeyHash, KeyInfo, LoadOptions, MergeError, Prehashed, QuotientFilter, ReadError,
    SaveOptions, ScalableBloomFilter, load_or_maybe,
};
use amq_conformance::testing::Folder;

const KEYS: u64 = 500;

/// A hash that is not ours.
fn hash(key: u64) -> KeyHash {
    KeyHash::new((key + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// A filter of the keys `0..KEYS`, in no seed's way.
fn prehashed(kind: FilterKind) -> AnyFile {
    let hashes: Vec<KeyHash> = (0..KEYS).map(hash).collect();
    let filter = AnyFilter::build_hashes(kind, Goal::fpr(KEYS, 0.01), 0, &hashes);
    AnyFile::Hashes(Prehashed::of(filter.unwrap()))
}

#[test]
fn a_file_of_every_kind_is_read_as_hashes_and_never_as_keys() {
    let folder = Folder::new();
    let path = folder.join("prehashed.amq");
    for &kind in AnyFilter::KINDS {
        let file = prehashed(kind);
        file.save(&path).unwrap();
        let bytes = file.to_bytes().unwrap();
        assert_eq!(SaveOptions::new().without_secret().to_bytes(&file).unwrap(), bytes, "{kind}");
        for read in [AnyFile::load(&path).unwrap(), AnyFile::from_bytes(&bytes).unwrap()] {
            assert!(read == file, "{kind}");
            let AnyFile::Hashes(filter) = read else { panic!("{kind}") };
            assert!((0..KEYS).all(|key| filter.contains_hash(hash(key))), "{kind}");
            assert!((KEYS..KEYS + 2000).any(|key| !filter.contains_hash(hash(key))), "{kind}");
        }
        let refused = DecodeError::Prehashed;
        assert_eq!(AnyFilter::from_bytes(&bytes).unwrap_err(), refused, "{kind}");
        let loaded = AnyFilter::load(&path);
        assert!(matches!(loaded, Err(ReadError::Decode(DecodeError::Prehashed))), "{kind}");
        assert!(AnyFilter::view(&bytes).is_err(), "{kind}");
        // Whoever asks for keys gets no wrong "no".
        let missing = load_or_maybe(&path);
        assert!((0..2000u64).all(|key| missing.contains(&key)) && missing.filter().is_none());
    }
}

/// Hashes that no filter can use: the keys themselves, and 32 bits.
fn weak() -> [Vec<KeyHash>; 2] {
    let of = |hash: fn(u64) -> u64| (0..20_000).map(|key| KeyHash::new(hash(key))).collect();
    [of(|key| key), of(|key| hash(key).get() >> 32)]
}

#[test]
fn builds_refuse_weak_hashes_until_they_are_mixed() {
    for &kind in AnyFilter::KINDS {
        for hashes in weak() {
            // A binary fuse filter hashes hashes once more, so it needs different ones, no more.
            if kind == FilterKind::Fuse {
                let filter = AnyFilter::build_hashes(kind, Budget::Fpr(0.002), 0, &hashes).unwrap();
                assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
                let other = |i: u64| KeyHash::new(1 << 40 | i);
                let wrong = (0..20_000).filter(|&i| filter.contains_hash(other(i))).count();
                assert!((10..80).contains(&wrong), "{wrong}");
                continue;
            }
            let build =
                |hashes: &[KeyHash]| AnyFilter::build_hashes(kind, Budget::Fpr(0.002), 0, hashes);
            let refused = build(&hashes).unwrap_err();
            assert!(matches!(refused, BuildError::Uneven(_)), "{kind}: {refused}");
            let text = refused.to_string();
            assert!(text.contains("0x0000") && text.contains("XXH3"), "{text}");

            // What the error advises.
            let mixed = |hash: &KeyHash| KeyHash::of(&hash.get(), 0);
            let mixed_all: Vec<KeyHash> = hashes.iter().map(mixed).collect();
            let filter = build(&mixed_all).unwrap();
            assert!(mixed_all.iter().all(|&hash| filter.contains_hash(hash)), "{kind}");
            let absent =
                (0..20_000).filter(|&key| filter.contains_hash(mixed(&hash(1 << 40 | key))));
            let rate = absent.count() as f64 / 20_000.0;
            assert!(rate < 0.006, "{kind}: {rate}");
            // Of fewer nobody can tell. (A cuckoo filter may be full before.)
            assert!(!matches!(build(&hashes[..999]), Err(BuildError::Uneven(_))), "{kind}");
        }
    }
    let refused = Prehashed::<BloomFilter>::build(Budget::Fpr(0.01), &weak()[0]).unwrap_err();
    assert!(matches!(refused, BuildError::Uneven(_)));
}

#[test]
fn a_batch_of_weak_hashes_changes_nothing() {
    fn check<F: EmptyFilter + Clone + PartialEq>() {
        let goal = Goal::fpr(50_000, 0.01);
        for hashes in weak() {
            let mut filter = Prehashed::<F>::new(goal).unwrap();
            filter.insert_hash(hash(1)).unwrap();
            let before = filter.clone();
            let refused = filter.insert_batch(&hashes).unwrap_err();
            assert!(
                matches!(refused, BatchInsertError { done: 0, error: InsertError::Uneven(_) }),
                "{refused}"
            );
            let answers = &mut vec![true; hashes.len()];
            assert_eq!(filter.insert_batch_new(&hashes, answers), Err(refused));
            assert!(filter == before && answers.iter().all(|&new| new), "{}", filter.kind());
            // Neither single hashes nor few are refused for what they are.
            let uneven = |error| matches!(error, InsertError::Uneven(_));
            assert!(!hashes.iter().any(|&hash| filter.insert_hash(hash).is_err_and(uneven)));
            assert!(!filter.insert_batch(&hashes[..999]).is_err_and(|it| uneven(it.error)));
        }
        let mut sorted: Vec<KeyHash> = (0..50_000).map(hash).collect();
        sorted.sort_unstable();
        let mut filter = Prehashed::<F>::new(goal).unwrap();
        for part in sorted.chunks(1500) {
            filter.insert_batch(part).unwrap();
        }
        assert!(sorted.iter().all(|&hash| filter.contains_hash(hash)));
    }
    check::<BloomFilter>();
    check::<BlockedBloomFilter>();
    check::<ScalableBloomFilter>();
    check::<QuotientFilter>();
    check::<ExpandableQuotientFilter>();
    check::<CuckooFilter>();
}

/// Hashes of 48 bits: as dense as a part of the hashes of three billion keys.
#[test]
fn bounded_filters_refuse_hashes_without_highest_bits() {
    fn check<F: EmptyFilter + Clone + PartialEq>() {
        let hashes: Vec<KeyHash> =
            (0..50_000).map(|key| KeyHash::new(hash(key).get() >> 16)).collect();
        let mut filter = Prehashed::<F>::new(Goal::fpr(50_000, 0.01)).unwrap();
        let before = filter.clone();
        let refused = filter.insert_batch(&hashes);
        let uneven = refused.is_err_and(|it| matches!(it.error, InsertError::Uneven(_)));
        assert!(uneven && filter == before, "{}", filter.kind());
    }
    check::<BloomFilter>();
    check::<CuckooFilter>();
    check::<QuotientFilter>();
}

/// A shard's keys, a filter's own hashes and copies of a key have bits in common.
#[test]
fn what_filters_pass_on_is_never_refused() {
    let hashes: Vec<KeyHash> = (0..300_000).map(hash).collect();
    let mut shards = vec![Vec::new(); 64];
    for &hash in &hashes {
        shards[hash.shard(64)].push(hash);
    }
    let build = |hashes: &Vec<KeyHash>| FuseFilter::build_hashes(Budget::Fpr(0.01), 0, hashes);
    let built: Result<Vec<FuseFilter>, BuildError> = shards.iter().map(build).collect();
    let sharded = Sharded::from_shards_unchecked(built.unwrap(), 300_000).unwrap();
    assert!(hashes.iter().all(|&hash| sharded.contains_hash(hash)));
    let sharded = Sharded::<BloomFilter>::new(Goal::fpr(300_000, 0.01), 64).unwrap();
    assert!(sharded.insert_batch(&hashes).is_ok());

    let mut quotient = QuotientFilter::new(Goal::fpr(300_000, 0.01)).unwrap();
    InsertFilter::insert_batch(&mut quotient, &hashes).unwrap();
    let own: Vec<KeyHash> = quotient.iter().collect();
    assert!(AnyFilter::build_hashes(FilterKind::Fuse, Budget::Fpr(0.01), 0, &own).is_ok());

    let mut copies = Prehashed::<BloomFilter>::new(Goal::fpr(1000, 0.01)).unwrap();
    assert_eq!(copies.insert_batch(&[hash(1); 200_000]), Ok(1));
}

#[test]
fn what_a_file_holds_is_read_with_the_seed_that_it_withholds() {
    let folder = Folder::new();
    let path = folder.join("withheld.amq");
    let goal = Goal::fpr(100, 0.01);
    let filter = AnyFilter::build_with_seed(FilterKind::Cuckoo, goal, 7, ["a key"]).unwrap();
    let bytes = SaveOptions::new().without_secret().to_bytes(&filter).unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let info = KeyInfo { withheld: true, ..KeyInfo::default() };
    let file = AnyFile::Keys(filter, info);
    assert_eq!(AnyFile::from_bytes(&bytes).unwrap_err(), DecodeError::SeedWithheld);
    assert!(LoadOptions::new().seed(7).from_bytes::<AnyFile>(&bytes).unwrap() == file);
    assert!(LoadOptions::new().seed(7).read_from::<AnyFile, _>(&bytes[..]).unwrap() == file);
    assert!(LoadOptions::new().seed(7).load::<AnyFile>(&path).unwrap() == file);
    // Without keys there is no seed to give.
    let hashes = prehashed(FilterKind::Cuckoo).to_bytes().unwrap();
    assert_eq!(
        LoadOptions::new().seed(0).from_bytes::<AnyFile>(&hashes).unwrap_err(),
        DecodeError::Prehashed
    );
}

#[test]
fn a_filter_of_keys_and_one_of_hashes_do_not_merge() {
    for &kind in AnyFilter::KINDS {
        if !Abilities::of(kind).merge {
            continue;
        }
        let goal = Goal::fpr(2 * KEYS, 0.01);
        let hashes: Vec<KeyHash> = (0..KEYS / 2).map(hash).collect();
        let filter = AnyFilter::build_hashes(kind, goal, 0, &hashes).unwrap();
        let (keys, of_hashes) = (
            AnyFile::Keys(filter.clone(), KeyInfo::default()),
            AnyFile::Hashes(Prehashed::of(filter)),
        );
        for (ours, theirs) in [(&keys, &of_hashes), (&of_hashes, &keys)] {
            let mut sum = ours.clone();
            let refused = Err(AnyError::Merge(MergeError::Hashing));
            assert_eq!(sum.merge(theirs), refused, "{kind}");
            assert!(sum == *ours, "{kind}");
        }
        for like in [keys, of_hashes] {
            assert_eq!(like.clone().merge(&like), Ok(()), "{kind}");
        }
    }
}

#[test]
fn what_holds_filters_is_prehashed_from_outside() {
    let sharded = Sharded::<CuckooFilter>::new(Goal::fpr(1000, 0.01), 4).unwrap();
    for key in 0..KEYS {
        sharded.insert_hash(hash(key)).unwrap();
    }
    let bytes = Prehashed::of(sharded).to_bytes().unwrap();
    let back = Prehashed::<Sharded<CuckooFilter>>::from_bytes(&bytes).unwrap();
    assert!((0..KEYS).all(|key| back.contains_hash(hash(key))));
    assert_eq!(back.to_bytes().unwrap(), bytes);
    let refused = Sharded::<CuckooFilter>::from_bytes(&bytes).unwrap_err();
    assert_eq!(refused, DecodeError::Prehashed);
}
