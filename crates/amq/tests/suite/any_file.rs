//! Files of keys whose hash and encoding are told by the file.

use crate::keyed::{KEY, KEYS, SEED, keyed};
use amq::format::{FileInfo, HashedBy};
use amq::{
    Abilities, AnyError, AnyFile, AnyFilter, BloomFilter, Budget, BuildError, CuckooFilter,
    DecodeError, FilterFile, FilterKind, Goal, Inserted, Key, KeyEncoding, KeyHash, KeyInfo, Keyed,
    LoadOptions, MergeError, Prehashed, RibbonMap, SaveOptions, Secret, SipKey,
};
use amq_conformance::testing::Folder;

/// Without its secret a filter can be looked at. A file of it could never be asked for keys.
#[test]
fn without_its_secret_a_filter_is_only_looked_at() {
    let folder = Folder::new();
    let path = folder.join("looked-at.amq");
    for &kind in AnyFilter::KINDS {
        let keyed = keyed(kind, KEY);
        let hashes: Vec<KeyHash> = (0..KEYS).map(|number| number.key_hash(SEED)).collect();
        let goal = Goal::fpr(3 * KEYS, 0.01);
        let seeded = AnyFilter::build_hashes(kind, goal, SEED, &hashes).unwrap();
        let info = KeyEncoding::Integers.into();
        for (file, by, why) in [
            (AnyFile::Keyed(keyed, info), HashedBy::Key, DecodeError::KeyWithheld),
            (AnyFile::Keys(seeded, info), HashedBy::Seed, DecodeError::SeedWithheld),
        ] {
            let told = file.to_bytes().unwrap();
            let withheld = SaveOptions::new().without_secret().to_bytes(&file).unwrap();
            assert!(
                LoadOptions::new().secret(Secret::Unknown).from_bytes::<AnyFile>(&told).unwrap()
                    == file,
                "{kind}"
            );
            assert_eq!(AnyFile::from_bytes(&withheld).unwrap_err(), why, "{kind}");

            let mut looked = LoadOptions::new()
                .secret(Secret::Unknown)
                .from_bytes::<AnyFile>(&withheld)
                .unwrap();
            let AnyFile::Withheld(_, hashed_by, _) = &looked else { panic!("{kind}: {looked:?}") };
            assert_eq!((*hashed_by, looked.encoding()), (by, KeyEncoding::Integers));
            assert_eq!(looked.filter().stats(), file.filter().stats(), "{kind}");
            assert_eq!(looked.secret(), Secret::Unknown);
            assert_eq!(looked.contains(&1u64), Err(AnyError::Decode(why)), "{kind}");
            let many = looked.contains_keys(&[1u64], &mut [false]);
            assert_eq!(many, Err(AnyError::Decode(why)), "{kind}");
            assert_eq!(looked.insert(&1u64), Err(AnyError::Decode(why)), "{kind}");
            assert_eq!(looked.key_hash(&1u64), Err(why), "{kind}");
            assert_eq!(looked.clone().of_keys().unwrap_err(), why, "{kind}");
            assert_eq!(looked.clone().keyed().unwrap_err(), why, "{kind}");
            assert_eq!(looked.to_bytes().unwrap_err(), BuildError::Withheld, "{kind}");
            assert_eq!(
                SaveOptions::new().without_secret().to_bytes(&looked).unwrap_err(),
                BuildError::Withheld
            );
            let saved = looked.save(&path).unwrap_err();
            assert!(saved.to_string().contains("read it with that seed or secret key"), "{saved}");
            assert!(!path.exists());
            let merge = AnyError::Merge(MergeError::Withheld);
            assert_eq!(looked.merge(&file), Err(merge), "{kind}");
            assert_eq!(file.clone().merge(&looked), Err(merge), "{kind}");
        }
    }
}

#[test]
fn a_file_takes_and_finds_keys_however_they_are_hashed() {
    for &kind in AnyFilter::KINDS {
        let can = Abilities::of(kind);
        let hashes: Vec<KeyHash> = (0..KEYS).map(|number| number.key_hash(SEED)).collect();
        let goal = Goal::fpr(3 * KEYS, 0.01);
        let seeded = AnyFilter::build_hashes(kind, goal, SEED, &hashes).unwrap();
        let info = KeyEncoding::Integers.into();
        for mut file in [AnyFile::Keyed(keyed(kind, KEY), info), AnyFile::Keys(seeded, info)] {
            let keys: Vec<u64> = (0..2 * KEYS).collect();
            let mut answers = vec![false; keys.len()];
            file.contains_keys(&keys, &mut answers).unwrap();
            for (key, &answer) in keys.iter().zip(&answers) {
                assert_eq!(file.contains(key), Ok(answer), "{kind}");
                let hash = file.key_hash(key).unwrap();
                assert_eq!(file.filter().contains_hash(hash), answer, "{kind}");
            }
            assert!(answers[..KEYS as usize].iter().all(|&found| found), "{kind}");
            assert!(answers.iter().filter(|&&found| found).count() < KEYS as usize + 60, "{kind}");
            assert!(matches!(file.contains_keys(&keys, &mut []), Err(AnyError::Length(_))));
            if can.insert {
                let fresh = answers.iter().position(|&found| !found).unwrap() as u64;
                assert_eq!(file.insert(&fresh), Ok(Inserted::New), "{kind}");
                assert_eq!(file.contains(&fresh), Ok(true), "{kind}");
                assert!(file.insert_keys(&[KEYS + 1, KEYS + 2]).is_ok(), "{kind}");
                assert_eq!(file.contains(&(KEYS + 2)), Ok(true), "{kind}");
            } else {
                assert!(matches!(file.insert(&0u64), Err(AnyError::Unsupported(_))), "{kind}");
            }
            if can.count {
                assert!(file.count(&3u64).unwrap().estimate >= 1, "{kind}");
            }
            if can.remove {
                assert_eq!(file.remove(&3u64), Ok(true), "{kind}");
            }
        }
        let mut of_caller = AnyFile::Hashes(Prehashed::of(keyed(kind, KEY).into_inner()));
        let refused = AnyError::Decode(DecodeError::Prehashed);
        assert_eq!(of_caller.contains(&0u64), Err(refused), "{kind}");
        assert_eq!(of_caller.contains_keys(&[0u64], &mut [false]), Err(refused), "{kind}");
        assert_eq!(of_caller.insert(&0u64), Err(refused), "{kind}");
        assert_eq!(of_caller.insert_keys(&[0u64]), Err(refused), "{kind}");
        assert_eq!(of_caller.remove(&0u64), Err(refused), "{kind}");
        assert_eq!(of_caller.count(&0u64), Err(refused), "{kind}");
    }
}

#[test]
fn a_refused_batch_says_how_many_keys_went_in() {
    let filter = Keyed::of(AnyFilter::new(FilterKind::Cuckoo, Goal::fpr(1000, 0.01)).unwrap(), KEY);
    let mut file = AnyFile::Keyed(filter, KeyInfo::default());
    let keys: Vec<u64> = (0..5000).collect();
    let Err(AnyError::Batch(refused)) = file.insert_keys(&keys) else { panic!("not refused") };
    assert_eq!(refused.done, file.filter().len());
    assert!((1000..1300).contains(&refused.done), "{refused}");
    assert!(keys[..refused.done as usize].iter().all(|key| file.contains(key) == Ok(true)));
}

#[test]
fn what_a_file_says_of_its_keys_stays_true_whatever_is_inserted() {
    use KeyEncoding::{Bytes, Dates, Hex, Instants, Integers, Mixed, Unknown};

    let mut filter = CuckooFilter::new(Goal::fpr(100, 0.01)).unwrap();
    filter.insert("a key").unwrap();
    let of = |encoding: KeyEncoding| AnyFile::Keys(filter.clone().into(), encoding.into());
    for (before, integer, text, pair) in [
        (Bytes, Mixed, Bytes, Unknown),
        (Integers, Integers, Mixed, Unknown),
        (Hex, Mixed, Mixed, Unknown),
        (Dates, Mixed, Mixed, Unknown),
        (Instants, Mixed, Mixed, Unknown),
        (Mixed, Mixed, Mixed, Unknown),
        (Unknown, Unknown, Unknown, Unknown),
    ] {
        let (mut one, mut other, mut third) = (of(before), of(before), of(before));
        one.insert(&42u64).unwrap();
        other.insert("42").unwrap();
        third.insert(&(42u64,)).unwrap();
        let said = [&one, &other, &third].map(AnyFile::encoding);
        assert_eq!(said, [integer, text, pair], "{before:?}");
        let (mut one, mut other) = (of(before), of(before));
        one.insert_keys(&[1u64, 2]).unwrap();
        other.insert_keys(&["1", "2"]).unwrap();
        assert_eq!([one.encoding(), other.encoding()], [integer, text], "{before:?}");
        one.insert_keys::<&str>(&[]).unwrap();
        assert_eq!(one.encoding(), integer, "{before:?}");
    }
    // What is refused changes nothing, and what was inserted before it counts.
    let mut full = of(Bytes);
    while full.insert("a key").is_ok() {}
    full.insert(&42u64).unwrap();
    full.set_encoding(Bytes);
    let refused = full.insert_keys(&[&b"a key"[..]]).unwrap_err();
    assert!(matches!(&refused, AnyError::Batch(batch) if batch.done == 0), "{refused}");
    assert_eq!(full.encoding(), Bytes);
    let mut many = of(Bytes);
    many.insert_keys(&[7u64; 20]).unwrap_err();
    assert_eq!(many.encoding(), Mixed);
}

#[test]
fn a_file_says_how_its_keys_were_encoded() {
    use KeyEncoding::{Bytes, Dates, Hex, Instants, Integers, Mixed, Unknown};
    const ALL: [KeyEncoding; 7] = [Unknown, Bytes, Hex, Integers, Dates, Instants, Mixed];

    let mut filter = BloomFilter::with_seed(Goal::fpr(100, 0.01), SEED).unwrap();
    filter.insert("a key");
    let unknown = filter.to_bytes().unwrap();
    for encoding in ALL {
        let file = AnyFile::Keys(filter.clone().into(), encoding.into());
        let bytes = file.to_bytes().unwrap();
        assert_eq!(bytes == unknown, encoding == Unknown);
        assert_eq!(FileInfo::of(&bytes).unwrap().encoding, encoding);
        let flags = match encoding {
            Unknown => 0,
            Bytes => 1,
            Integers => 2,
            Mixed => 3,
            Instants => 4,
            Hex => 5,
            Dates => 6,
        };
        assert_eq!(bytes[20..24], [flags, 0, 0, 0], "as FORMAT.md says");
        let read = AnyFile::from_bytes(&bytes).unwrap();
        assert_eq!(read.encoding(), encoding);
        assert_eq!(read.to_bytes().unwrap(), bytes);
        // A reader that does not ask need not know.
        assert!(BloomFilter::from_bytes(&bytes).unwrap() == filter);
        for other in ALL {
            let mut sum = file.clone();
            sum.merge(&AnyFile::Keys(filter.clone().into(), other.into())).unwrap();
            assert_eq!(sum.encoding(), encoding.and(other));
            assert_eq!(encoding.and(other), other.and(encoding));
        }
    }
    let hashes = AnyFile::Hashes(Prehashed::of(AnyFilter::from(filter)));
    assert_eq!(hashes.encoding(), Unknown);
}

/// A filter of keys without its seed or secret key would deny the keys that it holds.
#[test]
fn without_its_secret_a_file_is_only_looked_at() {
    let unknown = LoadOptions::new().secret(Secret::Unknown);
    for &kind in AnyFilter::KINDS {
        for seed in [0, 12345] {
            let filter = AnyFilter::build_with_seed(kind, Budget::Fpr(0.01), seed, 0..100u64);
            let bytes = SaveOptions::new().without_secret().to_bytes(&filter.unwrap()).unwrap();
            let why = DecodeError::SeedWithheld;
            assert_eq!(unknown.from_bytes::<AnyFilter>(&bytes).unwrap_err(), why, "{kind}");
            assert_eq!(unknown.view::<AnyFilter>(&bytes).unwrap_err(), why, "{kind}");
            assert!(unknown.read_from::<AnyFilter, _>(&bytes[..]).is_err(), "{kind}");
            assert!(matches!(unknown.from_bytes::<AnyFile>(&bytes), Ok(AnyFile::Withheld(..))));
        }
    }
    let map = RibbonMap::build(4, (0..100u64).map(|key| (key, 1u32))).unwrap();
    let bytes = SaveOptions::new().without_secret().to_bytes(&map).unwrap();
    let refused = unknown.from_bytes::<RibbonMap>(&bytes).unwrap_err();
    assert_eq!(refused, DecodeError::SeedWithheld);
    let filter = Keyed::<CuckooFilter>::build(Budget::Fpr(0.01), SipKey::new([7; 16]), [1, 2]);
    let bytes = SaveOptions::new().without_secret().to_bytes(&filter.unwrap()).unwrap();
    let refused = unknown.from_bytes::<Keyed<CuckooFilter>>(&bytes).unwrap_err();
    assert_eq!(refused, DecodeError::KeyWithheld);
}
