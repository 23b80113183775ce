//! The Bloom filters as files: the committed ones, and what the laws of all filters cannot know.

use amq_bloom::{
    AtomicBloomFilter, BlockedBloomFilter, BlockedParams, BloomFilter, BloomView, DecodeError, Goal,
};
use amq_conformance::{files::golden, hold, with_params};

/// A filter of the keys `0..keys` at 1 %, committed.
macro_rules! golden_files {
    ($type:ty: $($name:literal of $keys:literal planned $planned:literal seed $seed:literal;)*) => {$(
        let mut filter = <$type>::with_seed(Goal::fpr($planned, 0.01), $seed).unwrap();
        filter.extend(0..$keys as u64);
        hold(golden(env!("CARGO_MANIFEST_DIR"), $name, $keys, &filter));
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
}

#[test]
fn a_bit_past_the_last_is_refused_even_with_the_right_checksum() {
    let params = amq_bloom::BloomParams::new(100, 3);
    let filter = with_params::<BloomFilter>(params, 10, 0).unwrap();
    let mut bytes = filter.to_bytes().unwrap();
    let last = bytes.len() - 64 + 15;
    bytes[last] = 0x10;
    let payload = xxhash_rust::xxh3::xxh3_64(&bytes[bytes.len() - 64..]);
    bytes[168..176].copy_from_slice(&payload.to_le_bytes());
    let header = xxhash_rust::xxh3::xxh3_64(&bytes[..184]);
    bytes[184..192].copy_from_slice(&header.to_le_bytes());
    assert!(matches!(
        BloomFilter::from_bytes(&bytes),
        Err(DecodeError::Structure { .. })
    ));
}

#[test]
fn a_file_on_disk_is_replaced_whole() {
    let folder = std::env::temp_dir().join(format!("amq-bloom-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("seen.amq");
    for n in [10, 1000] {
        let mut filter = BloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
        filter.extend(0..n);
        filter.save(&path).unwrap();
        assert_eq!(BloomFilter::load(&path).unwrap(), filter);
        // Nothing is left beside it.
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }
    let filter = BloomFilter::load(&path).unwrap();
    let error = filter.save(&folder).unwrap_err();
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
    assert_eq!(error, "1 bytes follow the end of the filter");
    assert_eq!(BloomFilter::read_from(&bytes[..]).unwrap(), filter);
    assert!(BloomFilter::load(folder.join("nothing")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn an_atomic_filter_is_stored_as_the_plain_one() {
    let atomic = AtomicBloomFilter::new(Goal::fpr(100, 0.01)).unwrap();
    (0..100u64).for_each(|key| {
        atomic.insert(&key);
    });
    let bytes = atomic.snapshot().unwrap().to_bytes().unwrap();
    let back = AtomicBloomFilter::from(BloomFilter::from_bytes(&bytes).unwrap());
    assert_eq!(back, atomic);
}

#[test]
fn a_static_aligned_array_is_a_filter_without_a_copy() {
    #[repr(align(64))]
    struct Aligned<const N: usize>([u8; N]);
    static FILE: Aligned<{ include_bytes!("golden/bloom-small.amq").len() }> =
        Aligned(*include_bytes!("golden/bloom-small.amq"));
    let view = BloomView::open(&FILE.0).unwrap();
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
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<BloomFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not a filter"), "{error}");
}
