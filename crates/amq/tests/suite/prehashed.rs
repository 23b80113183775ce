//! Filters of the caller's hashes, of every kind and behind what holds filters.

use amq::sharded::Sharded;
use amq::{
    Abilities, AnyError, AnyFile, AnyFilter, AnyView, CuckooFilter, DecodeError, FilterKind, Goal,
    KeyHash, KeyInfo, MergeError, Prehashed, ReadError, load_or_maybe,
};

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
    let name = format!("amq-prehashed-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    for &kind in AnyFilter::KINDS {
        let file = prehashed(kind);
        file.save(&path).unwrap();
        let bytes = file.to_bytes().unwrap();
        assert_eq!(file.to_bytes_without_seed().unwrap(), bytes, "{kind}");
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
        assert!(AnyView::open(&bytes).is_err(), "{kind}");
        // Whoever asks for keys gets no wrong "no".
        let missing = load_or_maybe(&path);
        assert!((0..2000u64).all(|key| missing.contains(&key)) && missing.filter().is_none());
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn what_a_file_holds_is_read_with_the_seed_that_it_withholds() {
    let name = format!("amq-withheld-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let goal = Goal::fpr(100, 0.01);
    let filter = AnyFilter::build_with_seed(FilterKind::Cuckoo, goal, 7, ["a key"]).unwrap();
    let bytes = filter.to_bytes_without_seed().unwrap();
    std::fs::write(&path, &bytes).unwrap();
    let info = KeyInfo { withheld: true, ..KeyInfo::default() };
    let file = AnyFile::Keys(filter, info);
    assert_eq!(AnyFile::from_bytes(&bytes).unwrap_err(), DecodeError::SeedWithheld);
    assert!(AnyFile::from_bytes_with_seed(&bytes, 7).unwrap() == file);
    assert!(AnyFile::read_from_with_seed(&bytes[..], 7).unwrap() == file);
    assert!(AnyFile::load_with_seed(&path, 7).unwrap() == file);
    std::fs::remove_file(path).unwrap();
    // Without keys there is no seed to give.
    let hashes = prehashed(FilterKind::Cuckoo).to_bytes().unwrap();
    assert_eq!(AnyFile::from_bytes_with_seed(&hashes, 0).unwrap_err(), DecodeError::OtherSeed);
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
