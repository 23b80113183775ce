//! Spark's bytes: vectors made with Spark 4.1.4 and 4.3.0.

use crate::engine::hex;
use amq_datafusion::spark::{SparkBloomFilter, SparkError, SparkVersion};
use sha2::{Digest, Sha256};

const LONGS: [i64; 9] = [0, 1, -1, 42, 1_000_000, i64::MIN, i64::MAX, -7, 123_456_789_012_345];
const STRINGS: [&str; 8] =
    ["", "a", "ab", "abc", "abcd", "h\u{e9}llo", "\u{1F980}", "0123456789abcdef!"];

fn of_longs(version: SparkVersion, seed: i32) -> SparkBloomFilter {
    let mut filter = SparkBloomFilter::with_seed(version, 16, 320, seed).unwrap();
    for key in LONGS {
        filter.insert_long(key);
    }
    filter
}

fn of_strings(version: SparkVersion) -> SparkBloomFilter {
    let mut filter = SparkBloomFilter::new(version, 16, 320).unwrap();
    for key in STRINGS {
        filter.insert_bytes(key.as_bytes());
    }
    filter
}

const VECTORS: [&str; 5] = [
    "000000010000000e0000000520c61420e214019228280b015dc0840e03045018a3c294484914904b9c7cc104c87ad002460aa2bb",
    "000000010000000e00000005028891002806082311278006144e080000a20010404808453601122084000182a233341116c00648",
    "000000020000000e0000000000000005c70a3191120600c10061921c2d96eae002af460014151d2215191140448807040815041ba01441a5",
    "000000020000000e0000000000000005300058800c100d03186148c5c600410802140c0c200500030046080048346474464cdb4001083040",
    "000000020000000e0000303900000005c4a0f20d0db2218031311ac4aa8580a8a8e401a4800be0804088e4cc8822c300b44890b0809038b2",
];

fn filters() -> [SparkBloomFilter; 5] {
    use SparkVersion::{V1, V2};
    [of_longs(V1, 0), of_strings(V1), of_longs(V2, 0), of_strings(V2), of_longs(V2, 12345)]
}

#[test]
fn every_vector_of_spark_is_made_byte_for_byte_and_read_again() {
    for (filter, vector) in filters().into_iter().zip(VECTORS) {
        let bytes = filter.to_bytes();
        assert_eq!(hex(&bytes), vector);
        assert_eq!(SparkBloomFilter::from_bytes(&bytes).unwrap(), filter);
    }
    let [v1, v1_strings, v2, v2_strings, seeded] = filters();
    for filter in [v1, v2, seeded] {
        assert!(LONGS.iter().all(|&key| filter.contains_long(key)));
        assert!((2..40).filter(|&key| filter.contains_long(key)).count() < 10);
    }
    for filter in [v1_strings, v2_strings] {
        assert!(STRINGS.iter().all(|key| filter.contains_bytes(key.as_bytes())));
        assert!(!filter.contains_bytes(b"abcde"));
    }
}

/// `java.util.Random`.
struct JavaRandom(u64);

impl JavaRandom {
    fn new(seed: u64) -> Self {
        Self((seed ^ 0x5_DEEC_E66D) & ((1 << 48) - 1))
    }

    fn next(&mut self) -> i32 {
        self.0 = self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB) & ((1 << 48) - 1);
        (self.0 >> 16) as u32 as i32
    }

    fn next_long(&mut self) -> i64 {
        (i64::from(self.next()) << 32).wrapping_add(i64::from(self.next()))
    }
}

#[test]
fn a_hundred_thousand_random_longs_are_sparks_megabyte() {
    for (version, len, ones, sum) in [
        (
            SparkVersion::V1,
            1_048_588,
            579_214,
            "22eb5a8938eddb5d73bd3afd0b4c769bf6503e3f9e8c542984c5dbaa1d4d649e",
        ),
        (
            SparkVersion::V2,
            1_048_592,
            579_029,
            "9dba6ad479112d213008f06d1a769762a1ad2f750c0e7b0795d17f4185941764",
        ),
    ] {
        let mut random = JavaRandom::new(7);
        let mut filter = SparkBloomFilter::new(version, 1_000_000, 8_388_608).unwrap();
        for _ in 0..100_000 {
            filter.insert_long(random.next_long());
        }
        let bytes = filter.to_bytes();
        assert_eq!((bytes.len(), filter.count_ones()), (len, ones), "{version:?}");
        assert_eq!(hex(&Sha256::digest(&bytes)), sum, "{version:?}");
    }
}

#[test]
fn a_filter_by_rate_has_sparks_size() {
    let bits = SparkBloomFilter::bits_for(1000, 0.03).unwrap();
    let bytes = SparkBloomFilter::new(SparkVersion::V2, 1000, bits).unwrap().to_bytes();
    assert_eq!(
        (bytes.len(), hex(&bytes[..16]).as_str()),
        (936, "00000002000000050000000000000073")
    );
}

#[test]
fn a_header_is_refused_at_every_wrong_field_and_length() {
    for vector in filters() {
        let whole = vector.to_bytes();
        for len in 0..whole.len() {
            assert!(SparkBloomFilter::from_bytes(&whole[..len]).is_err(), "{len} bytes");
        }
        assert!(SparkBloomFilter::from_bytes(&[&whole[..], &[0]].concat()).is_err());
    }
    let read = |numbers: &[i32], words: usize| {
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        bytes.resize(bytes.len() + words * 8, 0);
        SparkBloomFilter::from_bytes(&bytes).map(|_| ())
    };
    assert_eq!(read(&[1, 64, 1], 1), Ok(()));
    assert_eq!(read(&[2, 1, -5, 1], 1), Ok(()));
    for version in [0, 3, -1, 0x0200_0000] {
        assert_eq!(read(&[version, 1, 1], 1), Err(SparkError::Version { version }));
        let error = SparkError::Version { version };
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(error.to_string().contains("big-endian") && error.to_string().contains("Velox"));
    }
    for probes in [0, -1, 65, i32::MAX] {
        assert_eq!(read(&[1, probes, 1], 1), Err(SparkError::Probes { probes }));
    }
    for words in [0, -1, 2, i32::MAX, i32::MIN] {
        assert_eq!(read(&[1, 1, words], 1), Err(SparkError::Length { words, bytes: 8 }));
    }
}

#[test]
fn filters_merge_if_they_are_alike_and_stay_as_they_were_if_not() {
    let [v1, _, v2, _, seeded] = filters();
    let mut merged = of_longs(SparkVersion::V2, 0);
    let mut other = SparkBloomFilter::new(SparkVersion::V2, 16, 320).unwrap();
    assert!(other.insert_long(77) && !other.insert_long(77));
    merged.merge(&other).unwrap();
    assert!(merged.contains_long(77) && LONGS.iter().all(|&key| merged.contains_long(key)));
    let wide = SparkBloomFilter::new(SparkVersion::V2, 16, 384).unwrap();
    for theirs in [v1, seeded, wide] {
        let mut ours = v2.clone();
        assert!(matches!(ours.merge(&theirs), Err(SparkError::Mismatch { .. })));
        assert_eq!(ours, v2);
    }
}

#[test]
fn impossible_filters_are_refused_before_anything_is_allocated() {
    use SparkVersion::{V1, V2};
    let new = |items, bits| SparkBloomFilter::new(V2, items, bits).map(|_| ());
    assert_eq!(new(0, 64), Err(SparkError::Items { items: 0 }));
    assert_eq!(new(1, 0), Err(SparkError::Bits { bits: 0 }));
    assert_eq!(new(1, u64::MAX), Err(SparkError::Bits { bits: u64::MAX }));
    let seeded = SparkBloomFilter::with_seed(V1, 1, 64, 9).map(|_| ());
    assert_eq!(seeded, Err(SparkError::SeedOfV1 { seed: 9 }));
    for fpr in [0.0, 1.0, -1.0, f64::INFINITY] {
        assert_eq!(SparkBloomFilter::bits_for(10, fpr), Err(SparkError::Fpr { fpr }));
    }
    assert!(SparkBloomFilter::bits_for(10, f64::NAN).is_err());
}
