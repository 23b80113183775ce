//! Cuckoo filters as files: the committed ones, and what the laws of all filters cannot know.

use amq_conformance::files::{golden, mend};
use amq_conformance::testing::{hash, set};
use amq_conformance::with_params;
use amq_cuckoo::{
    Buckets, CountFilter, Cuckoo, CuckooFilter, CuckooParams, DecodeError, Filter, FilterFile,
    Goal, Layout, LoadOptions, OverlappingBuckets, WindowedCuckooFilter,
};

/// Header, and three rows of directory: its head, a section, an entry.
const PAYLOAD: usize = 192 + 3 * 64;

fn explicit<L: Layout>(buckets: u64, fingerprint_bits: u32, seed: u64) -> Cuckoo<L> {
    let params = CuckooParams::new(buckets, fingerprint_bits);
    with_params::<Cuckoo<L>>(params, 1, seed).unwrap()
}

/// Puts in keys up to the first refusal: how many went in.
fn fill<L: Layout>(filter: &mut Cuckoo<L>) -> u64 {
    (0u64..).find(|key| filter.insert(key).is_err()).unwrap()
}

fn put<L: Layout>(filter: &mut Cuckoo<L>, keys: impl IntoIterator<Item = u64>) {
    for key in keys {
        filter.insert(&key).unwrap();
    }
}

/// Makes the checksums right again.
fn mended(mut file: Vec<u8>) -> Vec<u8> {
    mend(&mut file);
    file
}

/// The file with a number changed, and its checksums made right.
fn with(file: &[u8], at: usize, number: u64) -> Vec<u8> {
    let mut file = file.to_vec();
    set(&mut file, at, number);
    mended(file)
}

/// Bytes of the table, without the payload's padding.
fn table_bytes<L: Layout>(filter: &Cuckoo<L>) -> usize {
    filter.size_in_bytes() as usize
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    fn states<L: Layout>(kind: &str, wide_bits: u32) {
        let committed = |state: &str, keys, filter: &Cuckoo<L>| {
            let name = format!("{kind}-{state}");
            golden(env!("CARGO_MANIFEST_DIR"), &name, keys, filter);
        };
        let planned = |capacity: u64, seed, keys: u64| {
            let mut filter = Cuckoo::<L>::with_seed(Goal::fpr(capacity, 0.01), seed).unwrap();
            put(&mut filter, 0..keys);
            filter
        };
        committed("empty", 0, &planned(300, 0, 0));
        committed("one", 1, &planned(1, 0, 1));
        committed("small", 300, &planned(300, 7, 300));

        // Keys that moved to make room for others that are gone, and three copies of one.
        let mut removed = planned(400, 0, 400);
        assert!((300..400u64).all(|key| removed.remove(&key)));
        put(&mut removed, [0, 0, 0]);
        assert!(removed.remove(&0u64));
        committed("removed", 300, &removed);

        let mut full = explicit::<L>(80, 7, 0);
        let held = fill(&mut full);
        committed("full", held, &full);

        // Buckets that do not fit 64 bits.
        let mut wide = explicit::<L>(122, wide_bits, 7);
        put(&mut wide, 0..100);
        committed("wide", 100, &wide);
    }
    states::<Buckets>("cuckoo", 17);
    states::<OverlappingBuckets>("windowed-cuckoo", 29);
}

#[test]
fn a_filter_of_any_width_is_read_and_viewed_as_it_was() {
    fn same<L: Layout>() {
        for bits in [4, 9, 15, 16, 17, 28, 29, 32] {
            let mut filter = explicit::<L>(90, bits, 3);
            let held = fill(&mut filter);
            let file = filter.to_bytes().unwrap();
            assert!(Cuckoo::<L>::from_bytes(&file).unwrap() == filter);
            // Single bytes need no alignment.
            let shifted = [&[0], &file[..]].concat();
            let view = Cuckoo::<L>::view(&shifted[1..]).unwrap();
            assert_eq!(view.fingerprints().count() as u64, filter.len());
            assert_eq!(view.to_bytes().unwrap(), file);
            assert_eq!(view.stats(), filter.stats());
            assert!(view.fingerprints().eq(filter.fingerprints()));
            for hash in (0..2 * held).map(|key| hash(key, 3)) {
                assert_eq!(view.contains_hash(hash), filter.contains_hash(hash));
                assert_eq!(view.count_hash(hash), filter.count_hash(hash));
            }
        }
    }
    same::<Buckets>();
    same::<OverlappingBuckets>();
}

#[test]
fn the_section_is_the_packed_slots_and_8_or_16_zero_bytes() {
    fn length<L: Layout>(narrow: u32, slots: impl Fn(u64) -> u64) {
        for bits in 4..=32 {
            for buckets in [2, 10, 66] {
                let filter = explicit::<L>(buckets, bits, 0);
                assert_eq!(filter.slots(), slots(buckets));
                let packed = (slots(buckets) * u64::from(bits)).div_ceil(8);
                let padding = if bits <= narrow { 8 } else { 16 };
                assert_eq!(filter.size_in_bytes(), packed + padding);
                let mut file = filter.to_bytes().unwrap();
                assert_eq!(file[192 + 72..][..8], (packed + padding).to_le_bytes());
                for at in PAYLOAD + packed as usize..file.len() {
                    file[at] = 1;
                    let refused = Cuckoo::<L>::from_bytes(&mended(file.clone()));
                    assert!(refused.is_err(), "{bits} bits, byte {at}");
                    file[at] = 0;
                }
            }
        }
    }
    length::<Buckets>(16, |buckets| 4 * buckets);
    length::<OverlappingBuckets>(28, |buckets| buckets + 1);
}

#[test]
fn any_flipped_bit_is_refused_or_makes_a_filter_that_works() {
    fn flipped<L: Layout>() -> [u64; 2] {
        let mut outcomes = [0; 2];
        for bits in [4, 9, 17] {
            let mut filter = explicit::<L>(6, bits, 3);
            fill(&mut filter);
            filter.remove(&0u64);
            let file = filter.to_bytes().unwrap();
            let keys = u64::from(file[24]);
            for bit in 0..table_bytes(&filter) * 8 {
                let mut damaged = file.clone();
                damaged[PAYLOAD + bit / 8] ^= 1 << (bit % 8);
                assert!(Cuckoo::<L>::from_bytes(&damaged).is_err());
                let past = bit as u64 >= filter.slots() * u64::from(bits);
                // A slot that is empty now, or is no longer, is refused but for the right count.
                let counts = [keys - 1, keys, keys + 1].map(|keys| {
                    let mut forged = damaged.clone();
                    forged[24] = keys as u8;
                    Cuckoo::<L>::from_bytes(&mended(forged)).ok()
                });
                let accepted: Vec<Cuckoo<L>> = counts.into_iter().flatten().collect();
                let Ok([mut made]) = <[_; 1]>::try_from(accepted) else {
                    outcomes[0] += 1;
                    continue;
                };
                assert!(!past, "bit {bit} is after the last slot");
                outcomes[1] += 1;
                assert_eq!(made.fingerprints().count() as u64, made.len());
                let stored: Vec<_> = made.fingerprints().collect();
                for fingerprint in stored {
                    let _ = made.insert_fingerprint(fingerprint);
                }
                for key in 0..200u64 {
                    while made.remove(&key) {}
                    let _ = made.insert(&key);
                }
            }
        }
        outcomes
    }
    for outcomes in [flipped::<Buckets>(), flipped::<OverlappingBuckets>()] {
        assert!(outcomes.iter().all(|&count| count > 100), "{outcomes:?}");
    }
}

#[test]
fn what_no_filter_holds_is_refused_by_name() {
    let file = explicit::<Buckets>(4, 6, 0).to_bytes().unwrap();
    // The entry's numbers: the directory's third row.
    let (buckets, bits) = (192 + 128, 192 + 136);
    let refused = |file: Vec<u8>| CuckooFilter::from_bytes(&file).unwrap_err();
    for (at, number) in [(buckets, 0), (buckets, 3), (buckets, u64::MAX), (bits, 3), (bits, 33)] {
        let error = refused(with(&file, at, number));
        assert!(matches!(error, DecodeError::Params(_)), "{error}");
    }
    assert_eq!(
        refused(with(&file, bits, 1 << 32)),
        DecodeError::Geometry { field: "fingerprint_bits", value: 1 << 32 }
    );
    assert_eq!(
        refused(with(&file, buckets, 8)),
        DecodeError::PayloadLength { stated: 12 + 8, expected: 24 + 8 }
    );
    assert_eq!(
        refused(with(&file, 24, 17)),
        DecodeError::Geometry { field: "number of keys", value: 17 }
    );
    for (forged, what) in [
        (with(&file, 24, 1), "a number of keys other than"),
        (with(&file, PAYLOAD, 1), "a number of keys other than"),
        (with(&file, PAYLOAD + 12, 1), "bits set past the last slot"),
    ] {
        let error = refused(forged).to_string();
        assert!(error.contains(what), "{error}");
    }

    // A fingerprint marked as the second of its bucket in the first slot, one not marked in the
    // last slot, and a mark without a fingerprint.
    let filter = explicit::<OverlappingBuckets>(2, 8, 0);
    let file = filter.to_bytes().unwrap();
    for table in [0x00_00_81, 0x01_00_00, 0x00_80_00] {
        let forged = with(&with(&file, PAYLOAD, table), 24, 1);
        let error = WindowedCuckooFilter::from_bytes(&forged).unwrap_err();
        assert!(error.to_string().contains("no insert"), "{error}");
    }
    let sound = with(&with(&file, PAYLOAD, 0x81_01_01), 24, 3);
    assert_eq!(WindowedCuckooFilter::from_bytes(&sound).unwrap().len(), 3);
}

#[test]
fn a_view_of_anything_answers_without_harm() {
    fn anything<L: Layout>() {
        for bits in [4, 8, 13, 17, 29] {
            let filter = explicit::<L>(30, bits, 0);
            let file = filter.to_bytes().unwrap();
            for round in 0..40 {
                let mut forged = file.clone();
                for (at, byte) in forged[PAYLOAD..].iter_mut().enumerate() {
                    let random = hash(round * 1000 + at as u64, 11).get();
                    // Sparse, random and all ones.
                    *byte = [(random & random >> 8) as u8, random as u8, 0xFF][round as usize % 3];
                }
                forged[24] = (round % 30) as u8;
                let forged = mended(forged);
                let view =
                    LoadOptions::new().unchecked_payload().view::<Cuckoo<L>>(&forged).unwrap();
                assert!(view.stats().expected_fpr <= 1.0);
                for hash in (0..300).map(|key| hash(key, 0)) {
                    assert_eq!(view.contains_hash(hash), view.count_hash(hash).estimate > 0);
                }
                // Inserting its fingerprints into another filter does no harm either.
                let mut sound = explicit::<L>(30, bits, 0);
                for fingerprint in view.fingerprints() {
                    assert!(fingerprint.value() > 0 && fingerprint.bucket() < 30);
                    let _ = sound.insert_fingerprint(fingerprint);
                }
                let again = Cuckoo::<L>::from_bytes(&sound.to_bytes().unwrap()).unwrap();
                assert!(again == sound);
            }
        }
    }
    anything::<Buckets>();
    anything::<OverlappingBuckets>();
}

#[test]
fn a_static_array_is_a_filter_without_a_copy() {
    static FILE: &[u8] = include_bytes!("../golden/cuckoo-small.amq");
    let view = CuckooFilter::view(FILE).unwrap();
    assert!((0..300u64).all(|key| view.contains(&key)));
    assert_eq!((view.seed(), view.len()), (7, 300));
    let error = WindowedCuckooFilter::from_bytes(FILE).unwrap_err();
    assert!(matches!(error, DecodeError::WrongKind { .. }), "{error}");
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_through_the_same_bytes_and_checks() {
    let mut filter = WindowedCuckooFilter::new(Goal::fpr(30, 0.01)).unwrap();
    put(&mut filter, 0..30);
    let json = serde_json::to_string(&filter).unwrap();
    let back: WindowedCuckooFilter = serde_json::from_str(&json).unwrap();
    assert!(back == filter);
    let bytes: Vec<u8> = serde_json::from_str(&json).unwrap();
    assert_eq!(bytes, filter.to_bytes().unwrap());
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<WindowedCuckooFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not an amq file"), "{error}");
}
