//! Files of quotient filters: the golden ones, and checks beyond the common laws.

use amq_conformance::files::mend;
use amq_conformance::testing::{noise, set};
use amq_conformance::{by_inserting, files, with_params};
use amq_quotient::{
    CountFilter, DecodeError, Filter, FilterExt, FilterFile, Goal, InsertExt, InsertFilter,
    KeyHash, LoadOptions, QuotientFilter, QuotientParams,
};

/// The start of the table: after the header and three rows of directory.
const TABLE: usize = 192 + 3 * 64;

const fn params(slots: u64, remainder_bits: u32) -> QuotientParams {
    QuotientParams::new(slots, remainder_bits)
}

fn empty(params: QuotientParams) -> QuotientFilter {
    with_params(params, params.max_keys(), 0).unwrap()
}

/// The filter's file with another table, number of keys and number of different fingerprints. All
/// checksums are right.
fn forged(filter: &QuotientFilter, table: &[u8], len: u64, distinct: u64) -> Vec<u8> {
    let mut bytes = filter.to_bytes().unwrap();
    bytes[TABLE..TABLE + table.len()].copy_from_slice(table);
    set(&mut bytes, 24, len);
    set(&mut bytes, TABLE - 64 + 16, distinct);
    mend(&mut bytes);
    bytes
}

/// The last byte of every block.
fn offsets(filter: &QuotientFilter) -> Vec<u8> {
    let (bytes, params) = (filter.to_bytes().unwrap(), filter.params());
    let table = &bytes[TABLE..][..params.bytes() as usize];
    let blocks = table.chunks(17 + 8 * params.remainder_bits as usize);
    blocks.map(|block| block[block.len() - 1]).collect()
}

fn is_refused_as(bytes: &[u8], what: &'static str) {
    let error = QuotientFilter::from_bytes(bytes).err();
    assert_eq!(error, Some(DecodeError::Structure { what }));
}

fn golden(name: &str, keys: u64, filter: &QuotientFilter) {
    files::golden(env!("CARGO_MANIFEST_DIR"), name, keys, filter);
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    let of = |keys: u64, planned, seed| {
        let mut filter = QuotientFilter::with_seed(Goal::fpr(planned, 0.01), seed).unwrap();
        filter.try_extend(0..keys).unwrap();
        filter
    };
    golden("quotient-empty", 0, &of(0, 300, 0));
    golden("quotient-one", 1, &of(1, 1, 0));
    golden("quotient-small", 300, &of(300, 300, 7));

    // Every key twice, and one of them 300 times: its run saturates the offset of a block.
    let mut duplicates = of(300, 1000, 0);
    duplicates.try_extend(0..300u64).unwrap();
    duplicates.try_extend([5u64; 298]).unwrap();
    assert!(offsets(&duplicates).contains(&255));
    golden("quotient-duplicates", 300, &duplicates);

    let mut removed = of(300, 300, 0);
    assert!((100..300u64).all(|key| removed.remove(&key)));
    golden("quotient-removed", 100, &removed);

    // At the highest load, with runs that wrap around to the first slots.
    let mut full = empty(params(320, 7));
    full.try_extend(0..304u64).unwrap();
    assert!(full.insert(&304u64).is_err());
    assert!(offsets(&full)[0] > 0);
    golden("quotient-full", 304, &full);

    let plan = QuotientFilter::plan_growing(Goal::fpr(20_000, 0.01), 100).unwrap();
    let mut grown = QuotientFilter::new(plan).unwrap();
    grown.try_extend(0..1500u64).unwrap();
    assert!(grown.params().slots > plan.params.slots);
    golden("quotient-grown", 1500, &grown);
}

#[test]
fn a_forged_file_is_refused_or_grows_shrinks_and_is_listed() {
    let mut resized = [0; 2];
    files::forgeries(by_inserting, |filter: QuotientFilter, what| {
        for (i, resize) in [QuotientFilter::grow, QuotientFilter::shrink].into_iter().enumerate() {
            let mut filter = filter.clone();
            // Errors count as an outcome, too.
            resized[i] += u32::from(resize(&mut filter).is_ok());
            assert_eq!(filter.validate(), Ok(()), "{}", what());
            assert_eq!(filter.iter().count() as u64, filter.len(), "{}", what());
        }
    });
    assert!(resized.iter().all(|&done| done > 100), "{resized:?}");
}

#[test]
fn a_filter_that_was_read_grows_as_the_one_that_was_written() {
    let plan = QuotientFilter::plan_growing(Goal::fpr(12_000, 0.01), 100).unwrap();
    let mut filter = QuotientFilter::with_seed(plan, 7).unwrap();
    filter.try_extend(0..2000u64).unwrap();
    let mut back = QuotientFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
    assert!(back == filter);
    for key in 2000..12_000u64 {
        back.insert(&key).unwrap();
        filter.insert(&key).unwrap();
    }
    assert!(back == filter && back.params().slots > plan.params.slots);
}

#[test]
fn every_forged_bit_of_metadata_is_refused() {
    // At the highest load, across the end, with offsets and runs of all kinds.
    let filter = {
        let mut filter = empty(params(192, 5));
        filter.try_extend(0..170u64).unwrap();
        let of = u128::from(filter.params().fingerprints());
        for remainder in [3u128, 3, 9, 12] {
            let fingerprint = (190 << 5 | remainder) << 64;
            let hash = KeyHash::new(fingerprint.div_ceil(of) as u64);
            filter.insert_hash(hash).unwrap();
        }
        filter
    };
    let (len, distinct) = (filter.len(), filter.distinct_len());
    let table = filter.to_bytes().unwrap()[TABLE..][..171].to_vec();
    let (mut refused, mut others) = (0, 0);
    for bit in 0..table.len() * 8 {
        let mut table = table.clone();
        table[bit / 8] ^= 1 << (bit % 8);
        match QuotientFilter::from_bytes(&forged(&filter, &table, len, distinct)) {
            Err(DecodeError::Structure { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
            // A remainder still in order: a table of other keys.
            Ok(other) => {
                assert_eq!(bit / 8 % 57 / 40, 0, "metadata bit {bit}");
                other.validate().unwrap();
                assert!(other != filter && other.len() == filter.len());
                others += 1;
            }
        }
    }
    assert!(refused > 600 && others > 100, "{refused} refused, {others} not");
}

#[test]
fn a_table_that_is_accepted_is_the_one_its_fingerprints_make() {
    // Runs and offsets of real tables with some bits moved: the counts stay right, so only the
    // structural check can refuse them.
    let (mut accepted, mut refused) = (0, 0);
    for (slots, remainder_bits, keys) in [(64, 0, 60), (64, 1, 30), (128, 0, 121), (200, 2, 190)] {
        let params = params(slots, remainder_bits);
        let mut filter = empty(params);
        filter.try_extend(0..keys).unwrap();
        let table = filter.to_bytes().unwrap()[TABLE..][..params.bytes() as usize].to_vec();
        let stride = 17 + 8 * u64::from(remainder_bits);
        for i in 0..20_000 {
            let mut moved = table.clone();
            let mut pick = (0..).map(|k| noise(i << 8 | k));
            let mut next = |below| (pick.next().unwrap() % below) as usize;
            // A bit of the occupieds or of the runends, to another place; and perhaps an offset.
            let word = stride as usize - 17 + 8 * next(2);
            let bits: Vec<usize> = (0..2)
                .map(|_| 8 * (next(params.bytes() / stride) * stride as usize + word) + next(64))
                .collect();
            let values = [0, 1].map(|k| moved[bits[k] / 8] >> (bits[k] % 8) & 1);
            for (&bit, value) in bits.iter().zip([values[1], values[0]]) {
                moved[bit / 8] = moved[bit / 8] & !(1 << (bit % 8)) | value << (bit % 8);
            }
            if next(3) == 0 {
                let offset = next(params.bytes() / stride) * stride as usize + stride as usize - 1;
                moved[offset] = moved[offset].wrapping_add([1, 255][next(2)]);
            }
            let view = forged(&filter, &moved, keys, filter.distinct_len());
            let distinct = {
                let view =
                    LoadOptions::new().unchecked_payload().view::<QuotientFilter>(&view).unwrap();
                let mut listed: Vec<KeyHash> = view.iter().collect();
                listed.dedup();
                listed.len() as u64
            };
            let Ok(other) =
                QuotientFilter::from_bytes(&forged(&filter, &moved, keys, distinct.min(keys)))
            else {
                refused += 1;
                continue;
            };
            let mut made = empty(params);
            for hash in &other {
                made.insert_hash(hash).unwrap();
            }
            assert!(made == other, "{params:?}, {bits:?}");
            accepted += u64::from(moved != table);
        }
    }
    assert!(accepted > 1000 && refused > 10_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn what_is_no_table_is_refused_by_name() {
    let filter = empty(params(60, 1));
    // Eight bytes of remainders, then the occupieds, the runends and the offset.
    let with = |set: &[(usize, u8)], len, distinct| {
        let mut table = [0; 25];
        for &(at, byte) in set {
            table[at] = byte;
        }
        forged(&filter, &table, len, distinct)
    };
    is_refused_as(&with(&[(8, 1)], 1, 1), "a run without an end");
    is_refused_as(&with(&[(16, 1)], 1, 1), "an end without a run");
    is_refused_as(&with(&[(24, 1)], 0, 0), "offset of a block");
    is_refused_as(&with(&[(0, 1)], 0, 0), "a slot of no run that is not zero");
    let beyond = with(&[(15, 0x10), (23, 0x10)], 1, 1);
    is_refused_as(&beyond, "a run at home past the last slot");
    let unordered = with(&[(0, 1), (8, 1), (16, 2)], 2, 2);
    is_refused_as(&unordered, "order of remainders");
    let two = [(0, 2), (8, 1), (16, 2)];
    assert_eq!(QuotientFilter::from_bytes(&with(&two, 2, 2)).unwrap().len(), 2);
    is_refused_as(&with(&two, 3, 2), "number of keys");
    is_refused_as(&with(&two, 2, 1), "number of different fingerprints");
    // More keys than the table takes, as many as there are slots: refused before the walk.
    let over = QuotientFilter::from_bytes(&with(&[], 58, 0)).err();
    let (field, value) = ("number of keys", 58);
    assert_eq!(over, Some(DecodeError::Geometry { field, value }));
    let over = QuotientFilter::from_bytes(&with(&[], 3, 4)).err();
    let (field, value) = ("number of different fingerprints", 4);
    assert_eq!(over, Some(DecodeError::Geometry { field, value }));
    let error = QuotientFilter::from_bytes(&with(&[(24, 1)], 0, 0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table is inconsistent (offset of a block): no sequence of operations leads to it. \
         Copy the file again, or build the filter anew"
    );
}

#[test]
fn numbers_of_filters_that_lengthen_fingerprints_are_refused() {
    let bytes = empty(params(60, 1)).to_bytes().unwrap();
    for number in 4..8 {
        let mut bytes = bytes.clone();
        bytes[TABLE - 64 + 8 * number] = 1;
        mend(&mut bytes);
        assert_eq!(
            QuotientFilter::from_bytes(&bytes).err(),
            Some(DecodeError::Reserved { part: "directory" })
        );
    }
}

/// Invalid tables: noise of every density, and metadata that mislead a search.
fn wrong_tables(params: QuotientParams, seed: u64) -> impl Iterator<Item = Vec<u8>> {
    let (length, stride) = (params.bytes(), 17 + 8 * u64::from(params.remainder_bits));
    let byte = move |i: u64, salt: u64| noise(i << 20 | salt << 8 | seed) as u8;
    let noisy = (0..5).map(move |density| {
        (0..length)
            .map(|i| match density {
                0 => byte(i, 0) & byte(i, 1) & byte(i, 2),
                1 => byte(i, 0) & byte(i, 1),
                2 => byte(i, 0),
                3 => byte(i, 0) | byte(i, 1),
                _ => byte(i, 0) | byte(i, 1) | byte(i, 2),
            })
            .collect()
    });
    // Occupieds, runends and offset of every block: none, all, or noise.
    let metadata = (0..3 * 3 * 3).map(move |choice: u64| {
        (0..length)
            .map(|i| {
                let which = match (i % stride).checked_sub(stride - 17) {
                    None => return byte(i, 3),
                    Some(0..8) => choice % 3,
                    Some(8..16) => choice / 3 % 3,
                    Some(_) => choice / 9,
                };
                [0, 0xFF, byte(i, 4)][which as usize]
            })
            .collect()
    });
    noisy.chain(metadata)
}

#[test]
fn a_view_of_any_bytes_answers_and_a_filter_of_them_is_refused() {
    let mut queries = 0;
    for (slots, remainder_bits) in
        [(1, 0), (1, 56), (40, 3), (64, 1), (65, 0), (200, 7), (640, 29), (1000, 2), (4000, 5)]
    {
        let params = params(slots, remainder_bits);
        let filter = empty(params);
        let most = params.max_keys();
        for (seed, (len, distinct)) in [(0, 0), (most, 1), (most, most)].into_iter().enumerate() {
            for table in wrong_tables(params, seed as u64) {
                let bytes = forged(&filter, &table, len, distinct);
                let view =
                    LoadOptions::new().unchecked_payload().view::<QuotientFilter>(&bytes).unwrap();
                let step = u64::MAX / 97 - noise(seed as u64) % 1000;
                let hashes: Vec<_> = (0..98).map(|i| KeyHash::new(step * (i % 97))).collect();
                let mut answers = vec![false; hashes.len()];
                view.contains_batch(&hashes, &mut answers).unwrap();
                for (&hash, &found) in hashes.iter().zip(&answers) {
                    assert_eq!(view.contains_hash(hash), found);
                    // A round of the table, and the block where it started once more.
                    let most = slots.next_multiple_of(64) + 64;
                    assert!(view.count_hash(hash).estimate <= most);
                    queries += 1;
                }
                assert!(view.iter().count() as u64 <= len);
                assert!((0.0..=1.0).contains(&view.expected_fpr()));
                assert!((0.0..=1.0).contains(&view.load_factor()));
                let stats = view.stats();
                assert_eq!((stats.len, stats.expected_fpr), (len, view.expected_fpr()));
                assert!(!format!("{view:?} {stats}").is_empty());
                // The empty one is a table.
                let checked = [view.validate().err(), QuotientFilter::view(&bytes).err()];
                assert_eq!(checked[0], checked[1]);
                assert_eq!(checked[0], QuotientFilter::from_bytes(&bytes).err());
                let zero = len == 0 && table.iter().all(|&byte| byte == 0);
                assert_eq!(checked[0].is_none(), zero);
            }
        }
    }
    assert!(queries > 80_000, "{queries}");
}

#[test]
fn a_long_chain_of_wrong_offsets_is_followed_once() {
    // Every offset is saturated, every home is occupied, and no run ends, or one. If the search for
    // a runend began anew from each block, a query would visit 2^24 blocks.
    let params = params(1 << 18, 0);
    let filter = empty(params);
    for ends in [0u8, 1] {
        let mut table = vec![0; params.bytes() as usize];
        for block in table.chunks_exact_mut(17).skip(1) {
            block[..8].fill(0xFF);
            block[16] = 255;
        }
        table[8] = ends;
        let bytes = forged(&filter, &table, 1000, 1000);
        let view = LoadOptions::new().unchecked_payload().view::<QuotientFilter>(&bytes).unwrap();
        for key in 0..50u64 {
            let ask = || (view.contains(&key), view.count(&key));
            let (_, steps) = amq_core::internal::steps_of(ask);
            // Two rounds for the offset, and one each for the run's start and end; twice.
            assert!(steps <= 2 * 4 * (params.slots / 64 + 1), "{steps} blocks");
        }
        assert_eq!(view.iter().count(), 1000);
        assert!(view.validate().is_err());
    }
}

#[test]
fn a_view_answers_as_the_filter_whose_file_it_borrows() {
    let mut filter = QuotientFilter::with_seed(Goal::fpr(1000, 0.01), 5).unwrap();
    filter.try_extend((0..1000u64).map(|key| key % 900)).unwrap();
    let bytes = filter.to_bytes().unwrap();
    let keys: Vec<u64> = (0..3000).collect();
    let [mut ours, mut theirs] = [(); 2].map(|()| vec![false; keys.len()]);
    filter.contains_keys(&keys, &mut ours).unwrap();
    let view = QuotientFilter::view(&bytes).unwrap();
    view.contains_keys(&keys, &mut theirs).unwrap();
    assert_eq!(ours, theirs);
    assert!(keys.iter().all(|key| view.contains(key) == filter.contains(key)));
    assert!(keys.iter().all(|key| view.count(key) == filter.count(key)));
    assert_eq!(view.stats(), filter.stats());
    assert_eq!(view.distinct_len(), filter.distinct_len());
    assert_eq!(view.to_bytes().unwrap(), bytes);
    assert!(view.iter().eq(&filter));
    view.validate().unwrap();
    assert!(ours[..900].iter().all(|&found| found));
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_through_the_same_bytes_and_checks() {
    let mut filter = QuotientFilter::new(Goal::fpr(30, 0.01)).unwrap();
    filter.try_extend(0..30u64).unwrap();
    let json = serde_json::to_string(&filter).unwrap();
    assert!(serde_json::from_str::<QuotientFilter>(&json).unwrap() == filter);
    let bytes: Vec<u8> = serde_json::from_str(&json).unwrap();
    assert_eq!(bytes, filter.to_bytes().unwrap());
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<QuotientFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not an amq file"), "{error}");
}
