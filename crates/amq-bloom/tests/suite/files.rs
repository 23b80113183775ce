//! The Bloom filters as files: the committed ones, and what the laws of all filters cannot know.

#[cfg(target_has_atomic = "64")]
use amq_bloom::{AtomicBlockedBloomFilter, AtomicBloomFilter};
use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, DecodeError, Filter, FilterFile,
    Goal, KeyHash, Parts, Prehashed, SaveOptions, Table, WideBlockedBloomFilter, WideBlockedParams,
};
use amq_conformance::{
    files::{callers_hash, golden, golden_prehashed, mend},
    testing::Folder,
    with_params,
};

/// A filter of the keys `0..keys` at 1 %, committed.
macro_rules! golden_files {
    ($type:ty: $($name:literal of $keys:literal planned $planned:literal seed $seed:literal;)*) => {$(
        let mut filter = <$type>::with_seed(Goal::fpr($planned, 0.01), $seed).unwrap();
        filter.extend(0..$keys as u64);
        golden(env!("CARGO_MANIFEST_DIR"), $name, $keys, &filter);
    )*};
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    golden_files! { BloomFilter:
        "bloom-empty" of 0 planned 300 seed 0;
        "bloom-one" of 1 planned 1 seed 0;
        "bloom-small" of 300 planned 300 seed 7;
        "bloom-overfull" of 300 planned 40 seed 0;
    }
    golden_files! { BlockedBloomFilter:
        "blocked-bloom-empty" of 0 planned 300 seed 0;
        "blocked-bloom-one" of 1 planned 1 seed 0;
        "blocked-bloom-small" of 300 planned 300 seed 7;
        "blocked-bloom-overfull" of 300 planned 40 seed 0;
    }
    golden_files! { WideBlockedBloomFilter:
        "wide-blocked-bloom-empty" of 0 planned 300 seed 0;
        "wide-blocked-bloom-one" of 1 planned 1 seed 0;
        "wide-blocked-bloom-small" of 300 planned 300 seed 7;
        "wide-blocked-bloom-overfull" of 300 planned 40 seed 0;
    }
    // With second bits.
    let goal = Goal::fpr(300, 1e-4);
    let mut filter = WideBlockedBloomFilter::new(goal).unwrap();
    filter.extend(0..300u64);
    assert!(filter.params().probes > 8);
    golden(env!("CARGO_MANIFEST_DIR"), "wide-blocked-bloom-low", 300, &filter);
}

#[test]
fn golden_files_of_callers_hashes_are_read_and_written() {
    let mut filter = Prehashed::<BloomFilter>::new(Goal::fpr(300, 0.01)).unwrap();
    let mut blocks = Prehashed::<BlockedBloomFilter>::new(Goal::fpr(300, 0.01)).unwrap();
    let mut wide = Prehashed::<WideBlockedBloomFilter>::new(Goal::fpr(300, 0.01)).unwrap();
    for key in 0..300 {
        filter.insert_hash(callers_hash(key)).unwrap();
        wide.insert_hash(callers_hash(key)).unwrap();
        blocks.insert_hash(callers_hash(key)).unwrap();
    }
    let root = env!("CARGO_MANIFEST_DIR");
    golden_prehashed(root, "bloom-by-caller", 300, &filter);
    let name = "blocked-bloom-by-caller";
    golden_prehashed(root, name, 300, &blocks);
    golden_prehashed(root, "wide-blocked-bloom-by-caller", 300, &wide);
}

#[test]
fn a_table_that_is_taken_out_and_put_back_is_the_filter() {
    let mut filter = BloomFilter::with_seed(Goal::fpr(300, 0.01), 7).unwrap();
    let mut blocks = BlockedBloomFilter::with_seed(Goal::fpr(300, 0.01), 7).unwrap();
    let mut wide = WideBlockedBloomFilter::with_seed(Goal::fpr(300, 0.01), 7).unwrap();
    for key in 0..300u64 {
        filter.insert(&key);
        wide.insert(&key);
        blocks.insert(&key);
    }
    let copy = |bytes: &[u8]| Table::try_from(bytes).unwrap();
    let parts = filter.parts();
    let back = BloomFilter::from_table_unchecked(copy(filter.as_bytes()), parts);
    assert_eq!(back, Ok(filter));
    let parts = blocks.parts();
    let back = BlockedBloomFilter::from_table_unchecked(copy(blocks.as_bytes()), parts);
    assert_eq!(back, Ok(blocks));
    let table = wide.as_bytes().to_vec();
    let parts = wide.parts();
    let back = WideBlockedBloomFilter::from_table_unchecked(copy(&table), parts);
    assert_eq!(back, Ok(wide));
    for wrong in [vec![], table[1..].to_vec(), [&table[..], &table[..1]].concat()] {
        assert!(WideBlockedBloomFilter::from_table_unchecked(wrong, parts).is_err());
    }
}

#[test]
fn a_table_of_foreign_hashes_keeps_them_as_a_file() {
    let hashes: Vec<KeyHash> = (0..300).map(callers_hash).collect();
    let theirs = Prehashed::<BlockedBloomFilter>::build(Goal::fpr(300, 0.01), &hashes).unwrap();
    let table = Table::try_from(theirs.get_ref().as_bytes()).unwrap();
    let parts = Parts::new(theirs.get_ref().params(), 0).with_capacity(300).with_len(theirs.len());
    let ours = BlockedBloomFilter::from_table_unchecked(table, parts).unwrap();
    let ours = Prehashed::of(ours);
    assert!(hashes.iter().all(|&hash| ours.contains_hash(hash)));
    let bytes = ours.to_bytes().unwrap();
    assert_eq!(Prehashed::<BlockedBloomFilter>::from_bytes(&bytes), Ok(ours));
    assert_eq!(BlockedBloomFilter::from_bytes(&bytes), Err(DecodeError::Prehashed));

    // A file of keys is none of hashes, whether it tells its seed or not.
    let of_keys = BlockedBloomFilter::with_seed(Goal::fpr(300, 0.01), 7).unwrap();
    let withheld = SaveOptions::new().without_secret().to_bytes(&of_keys);
    for bytes in [of_keys.to_bytes(), withheld] {
        let refused = Prehashed::<BlockedBloomFilter>::from_bytes(&bytes.unwrap());
        assert_eq!(refused, Err(DecodeError::NotPrehashed));
    }
}

#[test]
fn a_bit_past_the_last_is_refused_even_with_the_right_checksum() {
    let params = BloomParams::new(100, 3);
    let filter = with_params::<BloomFilter>(params, 10, 0).unwrap();
    let mut bytes = filter.to_bytes().unwrap();
    let last = bytes.len() - 64 + 15;
    bytes[last] = 0x10;
    mend(&mut bytes);
    assert!(matches!(BloomFilter::from_bytes(&bytes), Err(DecodeError::Structure { .. })));
}

#[test]
fn numbers_that_no_filter_has_are_refused_by_name() {
    let filter = with_params::<BloomFilter>(BloomParams::new(100, 3), 10, 0).unwrap();
    let blocks = with_params::<BlockedBloomFilter>(BlockedParams::new(2), 9, 1).unwrap();
    let [file, blocks] = [filter.to_bytes().unwrap(), blocks.to_bytes().unwrap()];
    // The only entry: behind the directory's head and one section.
    let with = |file: &[u8], at: usize, number: u64| {
        let mut forged = file.to_vec();
        forged[192 + 128 + at..][..8].copy_from_slice(&number.to_le_bytes());
        mend(&mut forged);
        forged
    };
    let parameters = [(0, 0), (8, 0), (8, 65), (8, u32::MAX.into())];
    for (at, number) in parameters {
        // So many probes would be a query of seconds.
        let refused = BloomFilter::from_bytes(&with(&file, at, number)).unwrap_err();
        assert!(matches!(refused, DecodeError::Params(_)), "{at}: {refused}");
    }
    let wide = BloomFilter::from_bytes(&with(&file, 8, 1 << 32)).unwrap_err();
    let (field, value) = ("probes", 1 << 32);
    assert_eq!(wide, DecodeError::Geometry { field, value });
    for number in [0, u64::MAX] {
        let refused = BlockedBloomFilter::from_bytes(&with(&blocks, 0, number)).unwrap_err();
        assert!(matches!(refused, DecodeError::Params(_)), "{refused}");
    }
    let wide = with_params::<WideBlockedBloomFilter>(WideBlockedParams::new(2, 9), 9, 1).unwrap();
    let wide = wide.to_bytes().unwrap();
    for (at, number) in [(0, 0), (0, u64::MAX), (8, 0), (8, 17)] {
        let refused = WideBlockedBloomFilter::from_bytes(&with(&wide, at, number)).unwrap_err();
        assert!(matches!(refused, DecodeError::Params(_)), "{at}: {refused}");
    }
    let refused = WideBlockedBloomFilter::from_bytes(&with(&wide, 8, 1 << 32)).unwrap_err();
    assert_eq!(refused, DecodeError::Geometry { field: "probes", value: 1 << 32 });
    // A rate, and bits a key, that are no numbers.
    for (kind, value) in [(1u64, f64::NAN), (1, 1.0), (1, 0.0), (2, f64::NAN), (2, -1.0)] {
        let mut forged = file.clone();
        forged[56..64].copy_from_slice(&kind.to_le_bytes());
        forged[64..72].copy_from_slice(&value.to_bits().to_le_bytes());
        mend(&mut forged);
        let (field, value) = ("budget", value.to_bits());
        let refused = BloomFilter::from_bytes(&forged).err();
        assert_eq!(refused, Some(DecodeError::Geometry { field, value }));
    }
}

#[test]
fn a_file_on_disk_is_replaced_whole() {
    let folder = Folder::new();
    let path = folder.join("seen.amq");
    for n in [10, 1000] {
        let mut filter = BloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
        filter.extend(0..n);
        filter.save(&path).unwrap();
        assert_eq!(BloomFilter::load(&path).unwrap(), filter);
        // Nothing is left beside it.
        assert_eq!(std::fs::read_dir(&*folder).unwrap().count(), 1);
    }
    let filter = BloomFilter::load(&path).unwrap();
    let error = filter.save(&*folder).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    #[cfg(unix)]
    {
        let link = folder.join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(filter.save(&link).is_err());
        assert!(filter.save("/dev/null").is_err());
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
    // Bytes behind the filter are refused where the file is the whole, and left where it is a
    // stream.
    let mut bytes = filter.to_bytes().unwrap();
    bytes.push(0);
    std::fs::write(&path, &bytes).unwrap();
    let error = BloomFilter::load(&path).unwrap_err().to_string();
    assert_eq!(
        error,
        "1 byte follows the end of the filter: pass its bytes alone, or copy the file again"
    );
    assert_eq!(BloomFilter::read_from(&bytes[..]).unwrap(), filter);
    assert!(BloomFilter::load(folder.join("nothing")).is_err());
}

#[test]
#[cfg(target_has_atomic = "64")]
fn an_atomic_filter_is_saved_as_the_file_of_the_plain_one() {
    let folder = Folder::new();
    let path = folder.join("atomic.amq");
    macro_rules! check {
        ($atomic:ty, $plain:ty) => {
            let atomic = <$atomic>::with_seed(Goal::fpr(4000, 0.01), 7).unwrap();
            let insert = |keys: std::ops::Range<u64>| {
                keys.for_each(|key| {
                    atomic.insert(&key);
                });
            };
            insert(0..1000);
            let bytes = atomic.to_bytes().unwrap();
            assert_eq!(bytes, atomic.clone().into_inner().to_bytes().unwrap());
            assert!(<$atomic>::from_bytes(&bytes).unwrap() == atomic);
            assert!(<$atomic>::from(<$plain>::from_bytes(&bytes).unwrap()) == atomic);
            let mut written = Vec::new();
            atomic.write_to(&mut written).unwrap();
            assert_eq!(written, bytes);
            written.push(0);
            assert!(<$atomic>::read_from(&written[..]).unwrap() == atomic);
            assert!(<$atomic>::from_bytes(&written).is_err());
            #[cfg(feature = "serde")]
            {
                let text = serde_json::to_string(&atomic).unwrap();
                assert_eq!(text, serde_json::to_string(&atomic.snapshot().unwrap()).unwrap());
                assert!(serde_json::from_str::<$atomic>(&text).unwrap() == atomic);
            }
            // While another thread inserts: what was in is in the file.
            std::thread::scope(|threads| {
                threads.spawn(|| insert(1000..4000));
                atomic.save(&path).unwrap();
            });
            let loaded = <$atomic>::load(&path).unwrap();
            assert!((0..1000u64).all(|key| loaded.contains(&key)));
            assert!((0..4000u64).all(|key| atomic.contains(&key)));
        };
    }
    check!(AtomicBloomFilter, BloomFilter);
    check!(AtomicBlockedBloomFilter, BlockedBloomFilter);
}

#[test]
fn a_static_aligned_array_is_a_filter_without_a_copy() {
    #[repr(align(64))]
    struct Aligned<const N: usize>([u8; N]);
    static FILE: Aligned<{ include_bytes!("../golden/bloom-small.amq").len() }> =
        Aligned(*include_bytes!("../golden/bloom-small.amq"));
    let view = BloomFilter::view(&FILE.0).unwrap();
    assert!((0..300u64).all(|key| view.contains(&key)));
    assert_eq!(view.seed(), 7);
    let blocks = BlockedParams::new(2);
    assert!(with_params::<BlockedBloomFilter>(blocks, 9, 1).is_ok());
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_through_the_same_bytes_and_checks() {
    let mut filter = BloomFilter::new(Goal::fpr(30, 0.01)).unwrap();
    filter.extend(0..30u64);
    let json = serde_json::to_string(&filter).unwrap();
    assert_eq!(serde_json::from_str::<BloomFilter>(&json).unwrap(), filter);
    let bytes: Vec<u8> = serde_json::from_str(&json).unwrap();
    assert_eq!(bytes, filter.to_bytes().unwrap());
    let more = json.replacen(']', ",1,2]", 1);
    let error = serde_json::from_str::<BloomFilter>(&more).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("2 bytes follow the end of the filter"), "{error}");
    let text = json.replacen("137,65", "137,\"A\"", 1);
    let error = serde_json::from_str::<BloomFilter>(&text).unwrap_err();
    assert!(error.to_string().starts_with("invalid type: string \"A\""), "{error}");
    let cut = format!("{}]", &json[..json.len() - 30].trim_end_matches(','));
    let error = serde_json::from_str::<BloomFilter>(&cut).unwrap_err();
    assert!(error.to_string().contains("cut short"), "{error}");
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<BloomFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not an amq file"), "{error}");
}
