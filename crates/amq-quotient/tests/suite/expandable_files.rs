//! Files of expandable quotient filters: the golden ones, and checks beyond the common laws.

use amq_conformance::testing::{noise, set};
use amq_conformance::{Abilities, by_inserting, files, with_params};
use amq_quotient::theory::expandable as theory;
use amq_quotient::{
    ClearFilter, CountFilter, DecodeError, ExpandableParams, ExpandableQuotientFilter, Filter as _,
    FilterFile, Goal, InsertError, InsertExt, KeyHash, LoadOptions, PlanError,
};

type Filter = ExpandableQuotientFilter;

/// The start of the table: after the header and three rows of directory.
const TABLE: usize = 192 + 3 * 64;
/// The start of the directory's last row, the filter's geometry.
const ENTRY: usize = TABLE - 64;

fn golden(name: &str, keys: u64, filter: &Filter) {
    files::golden(env!("CARGO_MANIFEST_DIR"), name, keys, filter);
}

/// A filter from an older file, which may allow 20 doublings to short fingerprints that last for
/// fewer.
fn of_an_older_file(bits: u32) -> Filter {
    let params = ExpandableParams::new(64, bits);
    assert!(params.check().is_err());
    let params = params.with_max_doublings(0);
    let filter = with_params::<Filter>(params, 60, 0).unwrap();
    Filter::from_bytes(&with(&filter, |bytes| set(bytes, ENTRY + 8 * 3, 20))).unwrap()
}

/// Fingerprints of three bits, which are used up after as many doublings.
fn short(keys: u64) -> Filter {
    let mut filter = of_an_older_file(3);
    filter.try_extend(0..keys).unwrap();
    filter
}

/// The filter's file with other bytes, and all checksums right.
fn with(filter: &Filter, change: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = filter.to_bytes().unwrap();
    change(&mut bytes);
    files::mend(&mut bytes);
    bytes
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    let of = |keys: u64, planned, seed| {
        let mut filter = Filter::with_seed(Goal::fpr(planned, 0.01), seed).unwrap();
        filter.try_extend(0..keys).unwrap();
        filter
    };
    golden("expandable-empty", 0, &of(0, 300, 0));
    golden("expandable-one", 1, &of(1, 1, 0));
    golden("expandable-small", 300, &of(300, 300, 7));
    // Four ages.
    golden("expandable-grown", 420, &of(420, 60, 0));

    // Entries that occupy several slots, and their leftovers after removals.
    let mut old = short(1500);
    assert!(old.params().doublings >= 5 && old.entries() > 1500);
    golden("expandable-old", 1500, &old);
    assert!((100..1500u64).rev().all(|key| old.remove(&key)));
    assert!(old.entries() > old.len());
    golden("expandable-removed", 100, &old);

    // At the highest load, every key twice.
    let mut full = of(150, 300, 3);
    full.try_extend(0..150u64).unwrap();
    assert_eq!(full.entries(), 300);
    golden("expandable-duplicates", 150, &full);
}

#[test]
fn a_forged_file_is_refused_or_forgets_keys() {
    let abilities = Abilities::<Filter>::new(by_inserting).remove();
    files::a_forged_file_is_refused_or_is_a_filter(&abilities);
}

#[test]
fn a_filter_that_was_read_grows_as_the_one_that_was_written() {
    for mut filter in [short(900), short(61)] {
        let mut back = Filter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(back == filter);
        for key in 900..6000u64 {
            back.insert(&key).unwrap();
            filter.insert(&key).unwrap();
            if key % 3 == 0 {
                assert!(back.remove(&(key - 1)) && filter.remove(&(key - 1)));
            }
        }
        assert!(back == filter && back.to_bytes() == filter.to_bytes());
        back.clear();
        filter.clear();
        assert!(back == filter && back == short(0));
    }
}

#[test]
fn a_file_that_claims_too_few_keys_loses_none_by_a_removal() {
    let new = with_params::<Filter>(ExpandableParams::new(1000, 6), 1000, 0).unwrap();
    for (mut filter, keys) in [(new, 900), (short(0), 61), (short(0), 900)] {
        filter.try_extend(0..keys).unwrap();
        for claimed in [0, 1, 60] {
            let forged = with(&filter, |bytes| set(bytes, 24, claimed));
            let mut read = Filter::from_bytes(&forged).unwrap();
            assert_eq!(read.len(), claimed);
            // Enough removals to reach zero keys by the file's claim.
            for key in (1u64 << 40..).take(claimed as usize + 2) {
                read.insert(&key).unwrap();
                assert!(read.remove(&key));
            }
            for gone in 0..claimed {
                assert!(read.remove(&gone));
            }
            let lost = (claimed..keys).find(|key| !read.contains(key));
            assert_eq!(lost, None, "of {keys} keys, {claimed} claimed");
            assert!((1..=read.entries()).contains(&read.len()));
            read.validate().unwrap();
            assert!(Filter::from_bytes(&read.to_bytes().unwrap()).unwrap() == read);
        }
    }
}

#[test]
fn keys_that_a_file_does_not_count_are_counted_in_time() {
    let params = ExpandableParams::new(64, 2).with_max_doublings(7);
    let mut filter = with_params::<Filter>(params, 60, 0).unwrap();
    filter.try_extend(0..10u64).unwrap();
    for claimed in [0, 1, 9] {
        let mut read = Filter::from_bytes(&with(&filter, |bytes| set(bytes, 24, claimed))).unwrap();
        for doublings in 1..=4 {
            read.grow().unwrap();
            assert_eq!((read.len(), read.params().doublings), (10, doublings));
        }
        // None has a bit left.
        assert!(read.entries() > read.len());
        for gone in 0..10u64 {
            assert!((gone..10).all(|key| read.contains(&key)), "{claimed} claimed, {gone} gone");
            assert!(read.remove(&gone));
        }
        assert_eq!((read.len(), read.entries()), (0, 0));
    }
}

#[test]
fn numbers_that_no_filter_has_are_refused_by_name() {
    let filter = short(420);
    let params = filter.params();
    let (slots, entries) = (params.slots, filter.entries());
    let cells = slots << 3;
    // The index of the field, its value, and the error's text.
    let refused: [(usize, u64, &str); 13] = [
        (0, 0, "slots = 0"),
        (0, slots + 1, "slots ="),
        (0, 1 << 57, "slots ="),
        (1, 0, "fingerprint_bits = 0"),
        (1, 56, "fingerprint_bits = 56"),
        (1, 1 << 40, "fingerprint bits"),
        (2, 56, "doublings = 56"),
        (2, u64::MAX, "doublings"),
        (3, 2, "max_doublings = 2"),
        (3, 54, "max_doublings = 54"),
        (4, params.max_entries() + 1, "number of entries"),
        (4, 419, "number of keys"),
        (5, cells + 1, "number of fingerprints"),
    ];
    for (number, value, text) in refused {
        let bytes = with(&filter, |bytes| set(bytes, ENTRY + 8 * number, value));
        let error = Filter::from_bytes(&bytes).unwrap_err().to_string();
        assert!(error.contains(text), "{number}, {value}: {error}");
        let viewed = LoadOptions::new().unchecked_payload().view::<Filter>(&bytes);
        assert_eq!(viewed.err().map(|error| error.to_string()), Some(error));
    }
    for number in [6, 7] {
        let bytes = with(&filter, |bytes| set(bytes, ENTRY + 8 * number, 1));
        let part = "directory";
        assert_eq!(Filter::from_bytes(&bytes).err(), Some(DecodeError::Reserved { part }));
    }
    // Numbers that do not fit the table are found by the walk.
    for (number, value, what) in [
        (4, entries + 1, "number of entries"),
        (5, 1, "number of fingerprints"),
        (5, cells, "number of fingerprints"),
    ] {
        let bytes = with(&filter, |bytes| set(bytes, ENTRY + 8 * number, value));
        assert_eq!(Filter::from_bytes(&bytes).err(), Some(DecodeError::Structure { what }));
    }
    // One doubling less: the oldest entries are older than the filter.
    let younger = with(&filter, |bytes| {
        set(bytes, ENTRY + 8 * 2, u64::from(params.doublings) - 1);
    });
    let what = "age of an entry";
    assert!(params.doublings == 3 && filter.entries() == 420);
    assert_eq!(Filter::from_bytes(&younger).err(), Some(DecodeError::Structure { what }));
    // More doublings than there were leave no trace in a table.
    let older = with(&filter, |bytes| set(bytes, ENTRY + 8 * 2, 4));
    assert!(Filter::from_bytes(&older).unwrap() != filter);
}

#[test]
fn every_flipped_bit_is_refused_or_gives_another_filter() {
    let filter = short(420);
    let table = filter.params().bytes() as usize;
    let (mut refused, mut others) = (0, 0);
    for bit in 0..table * 8 {
        let bytes = with(&filter, |bytes| bytes[TABLE + bit / 8] ^= 1 << (bit % 8));
        match Filter::from_bytes(&bytes) {
            Err(DecodeError::Structure { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
            // A fingerprint still in order, of an entry with the same age.
            Ok(other) => {
                assert_eq!(bit / 8 % 49 / 32, 0, "metadata bit {bit}");
                other.validate().unwrap();
                assert!(other != filter && other.expected_fpr() == filter.expected_fpr());
                others += 1;
            }
        }
    }
    assert!(refused > 2000 && others > 100, "{refused} refused, {others} not");
}

#[test]
fn a_view_of_any_bytes_answers_and_a_filter_of_them_is_refused() {
    let mut queries = 0;
    for (slots, bits) in [(2u64, 1u32), (64, 11), (65, 1), (200, 6), (640, 28), (1000, 55 - 8)] {
        let params = ExpandableParams::new(slots, bits).with_max_doublings(0);
        let filter = with_params::<Filter>(params, params.max_entries(), 0).unwrap();
        for seed in 0..24u64 {
            let stride = 25 + 8 * bits as usize;
            let bytes = with(&filter, |bytes| {
                let table = params.bytes() as usize;
                for (i, byte) in bytes[TABLE..TABLE + table].iter_mut().enumerate() {
                    let noise = noise((i as u64) << 8 | seed);
                    let [one, two, three, ..] = noise.to_le_bytes();
                    let metadata = i % stride + 17 >= stride;
                    *byte = match (seed % 6, metadata) {
                        (0, _) => one,
                        (1, _) => one & two,
                        (2, _) => one | two | three,
                        (3, _) => one / 128 * 255,
                        (4, true) => 255,
                        (4, false) => 0,
                        (_, true) => one & two & three,
                        (_, false) => 128,
                    };
                }
                let most = params.max_entries();
                let entries = [0, most / 2, most][seed as usize % 3];
                set(bytes, ENTRY + 8 * 4, entries);
                set(bytes, ENTRY + 8 * 5, entries);
                set(bytes, 24, entries);
            });
            let view = LoadOptions::new().unchecked_payload().view::<Filter>(&bytes).unwrap();
            let hashes: Vec<_> = (0..97).map(|i| KeyHash::new(noise(seed << 8 | i))).collect();
            let mut answers = vec![false; hashes.len()];
            view.contains_batch(&hashes, &mut answers).unwrap();
            for (&hash, &found) in hashes.iter().zip(&answers) {
                assert_eq!(view.contains_hash(hash), found);
                let most = slots.next_multiple_of(64) + 64;
                assert!(view.count_hash(hash).estimate <= most);
                queries += 1;
            }
            assert!(view.iter().count() as u64 <= view.entries());
            assert!((0.0..=1.0).contains(&view.expected_fpr()));
            assert!(!format!("{view:?} {}", view.stats()).is_empty());
            assert!(view.validate().is_err());
            assert_eq!(view.validate().err(), Filter::from_bytes(&bytes).err());
        }
    }
    assert_eq!(queries, 6 * 24 * 97);
}

#[test]
fn a_view_answers_as_the_filter_whose_file_it_borrows() {
    let filter = short(2000);
    let bytes = filter.to_bytes().unwrap();
    let view = Filter::view(&bytes).unwrap();
    for key in 0..5000u64 {
        assert_eq!(view.contains(&key), filter.contains(&key));
        assert_eq!(view.count(&key), filter.count(&key));
    }
    assert_eq!(view.stats(), filter.stats());
    assert_eq!(view.entries(), filter.entries());
    assert_eq!(view.to_bytes().unwrap(), bytes);
    assert!(view.iter().eq(filter.iter()));
    view.validate().unwrap();
}

/// Its 1,306th key took 17 seconds and 34.6 MB.
#[test]
fn a_file_with_too_many_doublings_is_read_and_stays_bounded() {
    for bits in 1..=3 {
        let mut filter = of_an_older_file(bits);
        let most = filter.params().most_doublings();
        let mut keys = 0u64..200_000;
        let refused = keys.find_map(|key| filter.insert(&key).err().map(|full| (key, full)));
        // It doubles further than would be allowed today, as long as that makes room.
        let params = filter.params();
        assert!(params.doublings >= most.min(11), "{params:?}");
        assert!(params.bytes() / filter.len() < 32, "{params:?}, {} keys", filter.len());
        assert!((0..filter.len()).all(|key| filter.contains(&key)));
        assert!((0.0..=1.0).contains(&theory::fpr(&params, filter.len()).mean));
        filter.validate().unwrap();
        let written = filter.to_bytes().unwrap();
        assert!(Filter::from_bytes(&written).unwrap() == filter);
        if bits > 2 {
            continue;
        }
        let (key, full) = refused.unwrap();
        let InsertError::UsedUp { entries, of } = full else { panic!("{full}") };
        assert!(entries > of * 3 / 4 && of == params.max_entries(), "{full}");
        // A refused insert changes nothing, and inserts stay refused until keys are removed.
        assert_eq!(filter.insert(&key), Err(full));
        assert_eq!(filter.grow(), Err(full));
        assert_eq!(filter.to_bytes().unwrap(), written);
        // It may be forbidden to double, and allowed no more than today's filters are.
        let error = filter.allow_growth(20).unwrap_err();
        assert!(matches!(error, PlanError::Doublings { doublings: 20, .. }), "{error}");
        filter.allow_growth(params.doublings).unwrap();
        assert!(filter.remove(&0u64) && filter.insert(&key).is_ok());
    }
}
