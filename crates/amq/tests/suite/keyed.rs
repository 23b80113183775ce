//! Filters that hash their keys under a secret key, of every kind and in what holds filters.

use crate::owned::Aligned;
use amq::format::{FileInfo, HashedBy};
use amq::rolling::Rolling;
use amq::sharded::Sharded;
use amq::{
    Abilities, AnyError, AnyFile, AnyFilter, BlockedBloomFilter, BloomFilter, Budget, BuildError,
    CuckooFilter, DecodeError, Filter, FilterFile, FilterKind, Goal, Key, KeyEncoding, KeyHash,
    KeyInfo, Keyed, LoadOptions, MergeError, MergeFilter, Prehashed, QuotientFilter, ReadError,
    SaveOptions, Secret, SipKey, load_or_maybe,
};
use amq_conformance::files::{committed, mend};
use amq_conformance::testing::Folder;
use core::ops::Range;
use std::sync::Arc;

pub(crate) const KEYS: u64 = 500;
pub(crate) const KEY: SipKey = SipKey::new(*b"a key of 16 byte");
const OTHER: SipKey = SipKey::new(*b"a key of 16 bytE");
pub(crate) const SEED: u64 = 0x5EED_0FA1_1F11_7E55;
/// Where a header has its seed or secret key, or a check of it.
const SECRET: Range<usize> = 40..56;

/// A filter of the keys `0..KEYS` under this key.
pub(crate) fn keyed(kind: FilterKind, key: SipKey) -> Keyed<AnyFilter> {
    let hashes: Vec<KeyHash> = (0..KEYS).map(|number| number.key_hash_under(&key)).collect();
    let goal = Goal::fpr(3 * KEYS, 0.01);
    Keyed::of(AnyFilter::build_hashes(kind, goal, 0, &hashes).unwrap(), key)
}

/// The filter has the keys, and denies most others.
fn has_its_keys(filter: &Keyed<AnyFilter>) {
    assert!((0..KEYS).all(|key| filter.contains(&key)), "{}", filter.kind());
    let found = (KEYS..KEYS + 1000).filter(|key| filter.contains(key)).count();
    assert!(found < 60, "{}: {found}", filter.kind());
}

#[test]
fn a_keyed_file_of_every_kind_is_read_under_its_key_alone() {
    for &kind in AnyFilter::KINDS {
        let file = AnyFile::Keyed(keyed(kind, KEY), KeyEncoding::Integers.into());
        let (told, withheld) = (
            file.to_bytes().unwrap(),
            SaveOptions::new().without_secret().to_bytes(&file).unwrap(),
        );
        assert_eq!(withheld.len(), told.len());
        let bytes_of_key = KEY.to_bytes();
        let tells = |file: &[u8]| {
            file.windows(8).any(|part| bytes_of_key.windows(8).any(|key| key == part))
        };
        assert!(tells(&told) && !tells(&withheld), "{kind}");
        for (bytes, is_withheld) in [(&told, false), (&withheld, true)] {
            let info = FileInfo::of(bytes).unwrap();
            assert_eq!((info.kind, info.hashed_by), (Some(kind), HashedBy::Key));
            assert_eq!((info.withheld, info.checked), (is_withheld, is_withheld));
            assert_eq!(info.encoding, KeyEncoding::Integers);
            let read =
                LoadOptions::new().secret(Secret::Key(KEY)).from_bytes::<AnyFile>(bytes).unwrap();
            assert!(
                LoadOptions::new().key(KEY).from_bytes::<AnyFile>(bytes).unwrap() == read,
                "{kind}"
            );
            assert_eq!(read.key_info().withheld, is_withheld, "{kind}");
            // A secret that the file did not have is not put in.
            assert_eq!(&read.to_bytes().unwrap(), bytes, "{kind}");
            assert_eq!(
                SaveOptions::new().without_secret().to_bytes(&read).unwrap(),
                withheld,
                "{kind}"
            );
            let filter = read.keyed().unwrap();
            has_its_keys(&filter);
            assert!(filter == keyed(kind, KEY), "{kind}");
            for wrong in [Secret::Key(OTHER), Secret::Key(SipKey::new([0; 16]))] {
                let refused =
                    LoadOptions::new().secret(wrong).from_bytes::<AnyFile>(bytes).unwrap_err();
                assert_eq!(refused, DecodeError::OtherKey, "{kind}");
            }
            let refused = LoadOptions::new()
                .secret(Secret::Seed(0))
                .from_bytes::<AnyFile>(bytes)
                .unwrap_err();
            assert_eq!(refused, DecodeError::Keyed, "{kind}");
            assert_eq!(AnyFilter::from_bytes(bytes).unwrap_err(), DecodeError::Keyed, "{kind}");
            let refused = LoadOptions::new().seed(0).from_bytes::<AnyFilter>(bytes).unwrap_err();
            assert_eq!(refused, DecodeError::Keyed, "{kind}");
            assert_eq!(AnyFilter::view(bytes).unwrap_err(), DecodeError::Keyed, "{kind}");
        }
        assert!(AnyFile::from_bytes(&told).unwrap() == file, "{kind}");
        assert_eq!(file.secret(), Secret::Key(KEY));
        assert!(
            LoadOptions::new().secret(Secret::Unknown).from_bytes::<AnyFile>(&told).unwrap()
                == file,
            "{kind}"
        );
        assert_eq!(AnyFile::from_bytes(&withheld).unwrap_err(), DecodeError::KeyWithheld, "{kind}");
    }
}

#[test]
fn a_keyed_file_on_disk_is_loaded_with_its_key() {
    let folder = Folder::new();
    let path = folder.join("keyed.amq");
    let mut filter = Keyed::<CuckooFilter>::new(Goal::fpr(1000, 0.01), KEY).unwrap();
    filter.insert_keys(&["one", "two"]).unwrap();
    filter.save(&path).unwrap();
    assert!(Keyed::<CuckooFilter>::load(&path).unwrap() == filter);
    assert!(LoadOptions::new().key(KEY).load::<Keyed<CuckooFilter>>(&path).unwrap() == filter);
    SaveOptions::new().without_secret().save(&filter, &path).unwrap();
    assert!(LoadOptions::new().key(KEY).load::<Keyed<CuckooFilter>>(&path).unwrap() == filter);
    assert!(LoadOptions::new().secret(Secret::Key(KEY)).load::<AnyFile>(&path).is_ok());
    for (read, why) in [
        (Keyed::<CuckooFilter>::load(&path).err(), DecodeError::KeyWithheld),
        (
            LoadOptions::new().key(OTHER).load::<Keyed<CuckooFilter>>(&path).err(),
            DecodeError::OtherKey,
        ),
        (CuckooFilter::load(&path).err(), DecodeError::Keyed),
        (LoadOptions::new().seed(0).load::<CuckooFilter>(&path).err(), DecodeError::Keyed),
        (AnyFilter::load(&path).err(), DecodeError::Keyed),
        (Prehashed::<CuckooFilter>::load(&path).err(), DecodeError::NotPrehashed),
    ] {
        assert!(matches!(read, Some(ReadError::Decode(found)) if found == why), "{why}");
    }
    // Whoever asks for keys gets no wrong "no".
    let missing = load_or_maybe(&path);
    assert!((0..2000u64).all(|key| missing.contains(&key)) && missing.filter().is_none());
}

#[test]
fn a_keyed_filter_reads_no_other_file_and_says_which_it_is() {
    let mut plain = BloomFilter::with_seed(Goal::fpr(100, 0.01), SEED).unwrap();
    plain.insert("a key");
    let prehashed = Prehashed::<BloomFilter>::new(Goal::fpr(100, 0.01)).unwrap();
    for (bytes, why) in [
        (plain.to_bytes().unwrap(), DecodeError::NotKeyed),
        (SaveOptions::new().without_secret().to_bytes(&plain).unwrap(), DecodeError::NotKeyed),
        (prehashed.to_bytes().unwrap(), DecodeError::Prehashed),
    ] {
        assert_eq!(Keyed::<BloomFilter>::from_bytes(&bytes).unwrap_err(), why);
        assert_eq!(
            LoadOptions::new().key(KEY).from_bytes::<Keyed<BloomFilter>>(&bytes).unwrap_err(),
            why
        );
        assert_eq!(Keyed::<BloomFilter>::view(&bytes).unwrap_err(), why);
        assert_eq!(
            LoadOptions::new().secret(Secret::Key(KEY)).from_bytes::<AnyFile>(&bytes).unwrap_err(),
            why
        );
    }
}

#[test]
fn a_view_of_a_keyed_file_answers_under_its_key() {
    let keys: Vec<u64> = (0..KEYS).collect();
    let filter = Keyed::<BlockedBloomFilter>::build(Budget::Fpr(0.01), KEY, &keys).unwrap();
    let bytes = SaveOptions::new().without_secret().to_bytes(&filter).unwrap();
    let page = Aligned::new(&bytes);
    let page = page.as_ref();
    let view = LoadOptions::new().key(KEY).view::<Keyed<BlockedBloomFilter>>(page).unwrap();
    let mut answers = vec![false; keys.len()];
    view.contains_keys(&keys, &mut answers).unwrap();
    assert!(answers.iter().all(|&answer| answer) && keys.iter().all(|key| view.contains(key)));
    let refused = Keyed::<BlockedBloomFilter>::view(page).unwrap_err();
    assert_eq!(refused, DecodeError::KeyWithheld);
}

#[test]
fn a_view_of_any_kind_is_opened_with_the_key_borrowed_and_owned() {
    let options = |given: Option<SipKey>| match given {
        Some(key) => LoadOptions::new().key(key),
        None => LoadOptions::new(),
    };
    for &kind in AnyFilter::KINDS {
        let filter = keyed(kind, KEY);
        let file = AnyFile::Keyed(filter.clone(), KeyInfo::default());
        let (told, withheld) = (
            file.to_bytes().unwrap(),
            SaveOptions::new().without_secret().to_bytes(&file).unwrap(),
        );
        for (bytes, given) in [(&told, None), (&told, Some(KEY)), (&withheld, Some(KEY))] {
            let page = Aligned::new(bytes);
            let view = options(given).view::<Keyed<AnyFilter>>(page.as_ref()).unwrap();
            let owned = Arc::new(Aligned::new(bytes));
            let owned = options(given).view_shared::<Keyed<AnyFilter>, _>(owned).unwrap();
            assert!(view.key() == KEY && owned.key() == KEY, "{kind}");
            for key in 0..2 * KEYS {
                assert_eq!(view.contains(&key), filter.contains(&key), "{kind}");
                assert_eq!(owned.contains(&key), filter.contains(&key), "{kind}");
            }
        }
        let seeded = AnyFilter::build(kind, Budget::Fpr(0.01), [1, 2]).unwrap().to_bytes().unwrap();
        for (bytes, given, why) in [
            (&told, Some(OTHER), DecodeError::OtherKey),
            (&withheld, Some(OTHER), DecodeError::OtherKey),
            (&withheld, None, DecodeError::KeyWithheld),
            (&seeded, None, DecodeError::NotKeyed),
            (&seeded, Some(KEY), DecodeError::NotKeyed),
        ] {
            let page = Aligned::new(bytes);
            let refused = options(given).view::<Keyed<AnyFilter>>(page.as_ref()).unwrap_err();
            assert_eq!(refused, why, "{kind}");
            let owned = Arc::new(Aligned::new(bytes));
            let refused = options(given).view_shared::<Keyed<AnyFilter>, _>(owned).unwrap_err();
            assert_eq!(refused, why, "{kind}");
        }
    }
}

#[test]
fn a_keyed_filter_does_all_that_its_kind_does() {
    let mut filter = Keyed::<QuotientFilter>::new(Goal::fpr(1000, 0.001), KEY).unwrap();
    assert!(filter.insert("one").unwrap().is_new());
    assert!(!filter.insert_unique("one").unwrap().is_new());
    assert_eq!(filter.insert_keys(&["two", "three"]), Ok(2));
    let (keys, mut new) = (["four", "two", "five", "four"], [false; 4]);
    assert_eq!(filter.clone().insert_keys_new(&keys, &mut new), Ok(2));
    assert_eq!(new, [true, false, true, false]);
    assert_eq!(filter.try_extend(["two".to_string()]), Ok(0));
    assert_eq!(filter.count("two").estimate, 2);
    assert!(filter.remove("two") && filter.remove("two") && !filter.remove("two"));
    let mut answers = [false; 3];
    filter.contains_keys(&["one", "two", "three"], &mut answers).unwrap();
    assert_eq!(answers, [true, false, true]);
    assert_eq!((filter.len(), filter.is_empty(), filter.stats().len), (2, false, 2));
    assert_eq!(filter.key_hash("one"), "one".key_hash_under(&KEY));
    assert_ne!(filter.key_hash("one"), "one".key_hash_under(&OTHER));
    assert!(filter.get_ref().contains_hash(filter.key_hash("one")));
    filter.clear();
    assert!(filter.is_empty() && !filter.contains("one"));
    let shown = format!("{filter:?}");
    assert!(shown.starts_with("Keyed(") && !shown.contains("61"), "{shown}");
}

#[test]
fn only_filters_under_one_key_merge() {
    for &kind in AnyFilter::KINDS {
        if !Abilities::of(kind).merge {
            continue;
        }
        let info = KeyEncoding::Integers.into();
        let ours = AnyFile::Keyed(keyed(kind, KEY), info);
        let theirs = AnyFile::Keyed(keyed(kind, OTHER), info);
        let filter = ours.filter().into_inner();
        let plain = AnyFile::Keys(filter.clone(), info);
        let hashes = AnyFile::Hashes(Prehashed::of(filter.clone()));
        for (other, why) in [
            (&theirs, MergeError::SipKeys),
            (&plain, MergeError::Hashing),
            (&hashes, MergeError::Hashing),
        ] {
            let mut sum = ours.clone();
            assert_eq!(sum.merge(other), Err(AnyError::Merge(why)), "{kind}");
            assert!(sum == ours, "{kind}");
        }
        let mut sum = ours.clone();
        assert_eq!(sum.merge(&ours), Ok(()), "{kind}");
    }
    let mut one = Keyed::<BloomFilter>::new(Goal::fpr(100, 0.01), KEY).unwrap();
    let mut two = one.clone();
    two.insert("two").unwrap();
    one.merge(&two).unwrap();
    assert!(one.contains("two"));
    let alien = Keyed::of(two.into_inner(), OTHER);
    assert_eq!(one.can_merge(&alien), Err(MergeError::SipKeys));
    assert_eq!(one.merge(&alien), Err(MergeError::SipKeys));
}

#[test]
fn what_holds_filters_is_keyed_from_outside() {
    let sharded =
        Keyed::<Sharded<CuckooFilter>>::of(Sharded::new(Goal::fpr(1000, 0.01), 4).unwrap(), KEY);
    // Through a shared reference, as sharded filters are used.
    std::thread::scope(|scope| {
        for thread in 0..2u64 {
            let sharded = &sharded;
            scope.spawn(move || {
                let keys = (0..KEYS).filter(|key| key % 2 == thread);
                sharded.by_ref().try_extend(keys).unwrap();
            });
        }
    });
    let mut rolling =
        Keyed::<Rolling<BloomFilter>>::of(Rolling::new(Goal::fpr(2000, 0.01), 4).unwrap(), KEY);
    for key in 0..KEYS {
        assert!(sharded.contains(&key));
        rolling.insert(&key).unwrap();
    }
    rolling.get_mut().advance();
    let files = [
        (
            sharded.to_bytes().unwrap(),
            SaveOptions::new().without_secret().to_bytes(&sharded).unwrap(),
        ),
        (
            rolling.to_bytes().unwrap(),
            SaveOptions::new().without_secret().to_bytes(&rolling).unwrap(),
        ),
    ];
    for (index, (told, withheld)) in files.iter().enumerate() {
        for file in [told, withheld] {
            let (contains, again): (Vec<bool>, Vec<u8>) = if index == 0 {
                let back = LoadOptions::new()
                    .key(KEY)
                    .from_bytes::<Keyed<Sharded<CuckooFilter>>>(file)
                    .unwrap();
                ((0..KEYS).map(|key| back.contains(&key)).collect(), back.to_bytes().unwrap())
            } else {
                let back = LoadOptions::new()
                    .key(KEY)
                    .from_bytes::<Keyed<Rolling<BloomFilter>>>(file)
                    .unwrap();
                ((0..KEYS).map(|key| back.contains(&key)).collect(), back.to_bytes().unwrap())
            };
            assert!(contains.iter().all(|&found| found));
            assert_eq!(again, *told);
        }
        assert!(!withheld.windows(16).any(|part| part == KEY.to_bytes()));
    }
    let (told, withheld) = &files[0];
    let wrong = LoadOptions::new().key(OTHER).from_bytes::<Keyed<Sharded<CuckooFilter>>>(withheld);
    assert_eq!(wrong.err(), Some(DecodeError::OtherKey));
    let plain = Sharded::<CuckooFilter>::from_bytes(told).err();
    assert_eq!(plain, Some(DecodeError::Keyed));
    let plain = Rolling::<BloomFilter>::from_bytes(&files[1].1).err();
    assert_eq!(plain, Some(DecodeError::Keyed));
}

#[cfg(target_has_atomic = "64")]
#[test]
fn a_monitored_filter_is_keyed_from_outside() {
    use amq::monitored::Monitored;

    let mut filter = BloomFilter::new(Goal::fpr(KEYS, 0.01)).unwrap();
    for number in 0..KEYS {
        filter.insert_hash(number.key_hash_under(&KEY));
    }
    let monitored = Monitored::new(filter, 0.01).unwrap().counting_every_query();
    let monitored = Keyed::of(monitored, KEY);
    let mut wrong = 0;
    for absent in KEYS..KEYS + 10_000 {
        if monitored.contains(&absent) {
            wrong += 1;
            monitored.get_ref().report_false_positive();
        }
    }
    let report = monitored.get_ref().report();
    assert_eq!(report.false_positives, wrong);
    assert!((50..200).contains(&wrong), "{wrong}");
}

/// There is no place for a seed beside a key, or where the caller hashes.
#[test]
fn a_filter_with_an_unused_seed_has_no_file() {
    let bloom = BloomFilter::with_seed(Goal::fpr(100, 0.01), SEED).unwrap();
    let keyed = Keyed::of(bloom.clone(), KEY);
    assert_eq!(keyed.to_bytes().unwrap_err(), BuildError::UnusedSeed);
    assert_eq!(
        SaveOptions::new().without_secret().to_bytes(&keyed).unwrap_err(),
        BuildError::UnusedSeed
    );
    let prehashed = Prehashed::of(bloom);
    assert_eq!(prehashed.to_bytes().unwrap_err(), BuildError::UnusedSeed);
    let text = BuildError::UnusedSeed.to_string();
    assert!(text.contains("make it with the seed 0"), "{text}");
}

#[test]
fn a_secret_key_of_zeros_is_refused() {
    let zero = SipKey::new([0; 16]);
    let made = Keyed::<BloomFilter>::new(Goal::fpr(100, 0.01), zero);
    assert_eq!(made.unwrap_err(), BuildError::ZeroKey);
    let built = Keyed::<BloomFilter>::build(Budget::Fpr(0.01), zero, ["a key"]);
    assert_eq!(built.unwrap_err(), BuildError::ZeroKey);
    // Where nothing can be refused, the filter is not saved.
    let of = Keyed::of(BloomFilter::new(Goal::fpr(100, 0.01)).unwrap(), zero);
    assert_eq!(of.to_bytes().unwrap_err(), BuildError::ZeroKey);
    assert_eq!(SaveOptions::new().without_secret().to_bytes(&of).unwrap_err(), BuildError::ZeroKey);
    let any = Keyed::of(AnyFilter::from(of.into_inner()), zero);
    let file = AnyFile::Keyed(any, KeyEncoding::Bytes.into());
    assert_eq!(file.to_bytes().unwrap_err(), BuildError::ZeroKey);
}

/// No filter is written under such a key, so that one that was read could not be saved again.
#[test]
fn a_file_with_a_secret_key_of_zeros_is_not_read() {
    let zero = SipKey::new([0; 16]);
    let mut told = keyed(FilterKind::Bloom, KEY).to_bytes().unwrap();
    told[SECRET].fill(0);
    mend(&mut told);
    let why = Some(DecodeError::ZeroKey);
    assert_eq!(AnyFile::from_bytes(&told).err(), why);
    assert_eq!(LoadOptions::new().secret(Secret::Unknown).from_bytes::<AnyFile>(&told).err(), why);
    assert_eq!(LoadOptions::new().key(zero).from_bytes::<AnyFile>(&told).err(), why);
    assert_eq!(Keyed::<BloomFilter>::from_bytes(&told).err(), why);

    let mut withheld =
        SaveOptions::new().without_secret().to_bytes(&keyed(FilterKind::Bloom, KEY)).unwrap();
    let check = withheld[..SECRET.start].key_hash_under(&zero).get() as u32;
    withheld[SECRET][..4].copy_from_slice(&check.to_le_bytes());
    mend(&mut withheld);
    assert_eq!(LoadOptions::new().key(zero).from_bytes::<AnyFile>(&withheld).err(), why);
    assert_eq!(
        LoadOptions::new().key(KEY).from_bytes::<AnyFile>(&withheld).err(),
        Some(DecodeError::OtherKey)
    );
    let text = DecodeError::ZeroKey.to_string();
    assert!(text.starts_with("the file's secret key is all zeros"), "{text}");
}

#[test]
fn a_check_is_of_the_header_and_tells_nothing_by_itself() {
    let keyed = keyed(FilterKind::Bloom, KEY);
    let file = AnyFile::Keyed(keyed.clone(), KeyInfo::default());
    let file = SaveOptions::new().without_secret().to_bytes(&file).unwrap();
    // The hash of the first 40 bytes under the key: a key of the filter's like any other.
    let want = keyed.key_hash(&file[..40]).get() as u32;
    assert_eq!(file[40..44], want.to_le_bytes());
    assert!(file[44..56].iter().all(|&byte| byte == 0));
    let seeded = AnyFilter::with_seed(FilterKind::Bloom, Goal::fpr(10, 0.01), SEED).unwrap();
    let file = SaveOptions::new().without_secret().to_bytes(&seeded).unwrap();
    let mut key = [0; 16];
    key[..8].copy_from_slice(&SEED.to_le_bytes());
    let want = file[..40].key_hash_under(&SipKey::new(key)).get() as u32;
    assert_eq!(file[40..44], want.to_le_bytes());
    for wrong in [SEED ^ 1, SEED + 1, SEED << 1, 0] {
        let refused = LoadOptions::new().seed(wrong).from_bytes::<AnyFilter>(&file).unwrap_err();
        assert_eq!(refused, DecodeError::OtherSeed);
    }
}

/// The files of what version 0.2 of the format added, which the reader in Python reads, too.
#[test]
fn golden_files_are_read_and_written_as_ever() {
    const PLAIN: SipKey = SipKey::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

    /// The first line of the record says what `hash` hashes by.
    fn golden(
        name: &str,
        bytes: &[u8],
        by: &str,
        filter: &dyn Filter,
        hash: &dyn Fn(u64) -> KeyHash,
    ) {
        let found = |key: &u64| filter.contains_hash(hash(*key));
        assert!((0..300).all(|key| found(&key)), "{name}");
        let wrong: Vec<String> =
            (1_000_000..1_100_000u64).filter(found).take(20).map(|key| key.to_string()).collect();
        let record =
            format!("{by}\nkeys: 0..300\nfalse positives from 1000000 on: {}\n", wrong.join(" "));
        committed(env!("CARGO_MANIFEST_DIR"), name, bytes, &record);
    }

    let by_key = "key: 000102030405060708090a0b0c0d0e0f";
    let under_key = |key: u64| key.key_hash_under(&PLAIN);
    let hashes: Vec<KeyHash> = (0..300).map(under_key).collect();
    let cuckoo = AnyFilter::build_hashes(FilterKind::Cuckoo, Budget::Fpr(0.01), 0, &hashes);
    let told = AnyFile::Keyed(Keyed::of(cuckoo.unwrap(), PLAIN), KeyEncoding::Integers.into());
    let bytes = told.to_bytes().unwrap();
    golden("keyed-integers", &bytes, by_key, told.filter().into_inner(), &under_key);
    assert!(AnyFile::from_bytes(&bytes).unwrap() == told);

    let bloom = AnyFilter::build_hashes(FilterKind::Bloom, Budget::Fpr(0.01), 0, &hashes);
    let withheld = AnyFile::Keyed(
        Keyed::of(bloom.unwrap(), PLAIN),
        KeyInfo { withheld: true, ..KeyInfo::default() },
    );
    let bytes = withheld.to_bytes().unwrap();
    golden("keyed-withheld", &bytes, by_key, withheld.filter().into_inner(), &under_key);
    assert!(
        LoadOptions::new().secret(Secret::Key(PLAIN)).from_bytes::<AnyFile>(&bytes).unwrap()
            == withheld
    );

    let mut sharded =
        Keyed::of(Sharded::<BloomFilter>::new(Goal::fpr(300, 0.01), 3).unwrap(), PLAIN);
    sharded.try_extend(0..300u64).unwrap();
    let bytes = SaveOptions::new().without_secret().to_bytes(&sharded).unwrap();
    golden("keyed-sharded-withheld", &bytes, by_key, sharded.get_ref(), &under_key);

    let under_seed = |key: u64| KeyHash::of(&key, SEED);
    let by_seed = format!("seed: {SEED}");
    let mut bloom = BloomFilter::with_seed(Goal::fpr(600, 0.01), SEED).unwrap();
    bloom.extend(0..300u64);
    let bytes = SaveOptions::new().without_secret().to_bytes(&bloom).unwrap();
    golden("seed-withheld", &bytes, &by_seed, &bloom, &under_seed);
    assert!(LoadOptions::new().seed(SEED).from_bytes::<BloomFilter>(&bytes).unwrap() == bloom);

    bloom.extend((0..300u64).map(|number| number.to_string()));
    let mixed = AnyFile::Keys(bloom.into(), KeyEncoding::Mixed.into());
    let bytes = mixed.to_bytes().unwrap();
    golden("keys-mixed", &bytes, &by_seed, mixed.filter().into_inner(), &under_seed);
    assert!(AnyFile::from_bytes(&bytes).unwrap() == mixed);

    let mut bloom = BloomFilter::with_seed(Goal::fpr(300, 0.01), SEED).unwrap();
    bloom.extend(0..300i64);
    let dates = AnyFile::Keys(bloom.into(), KeyEncoding::Dates.into());
    let bytes = dates.to_bytes().unwrap();
    golden("keys-dates", &bytes, &by_seed, dates.filter().into_inner(), &under_seed);
    assert!(AnyFile::from_bytes(&bytes).unwrap() == dates);

    let second = |key: u64| KeyHash::of(&(key as i64, 0u32), SEED);
    let mut bloom = BloomFilter::with_seed(Goal::fpr(300, 0.01), SEED).unwrap();
    bloom.extend((0..300i64).map(|key| (key, 0u32)));
    let instants = AnyFile::Keys(bloom.into(), KeyEncoding::Instants.into());
    let bytes = instants.to_bytes().unwrap();
    let by_instant = format!("{by_seed}\neach key an instant: (key, 0)");
    golden("keys-instants", &bytes, &by_instant, instants.filter().into_inner(), &second);
    assert!(AnyFile::from_bytes(&bytes).unwrap() == instants);
}
