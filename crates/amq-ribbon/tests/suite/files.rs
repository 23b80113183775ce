//! Ribbon filters as files: the committed ones, and what the laws of all filters cannot know.

use amq_conformance::files::{golden, mend};
use amq_conformance::testing::number as u64_at;
use amq_ribbon::{
    Budget, DecodeError, Filter, FilterFile, FilterKind, Goal, LoadOptions, RibbonFilter,
    RibbonView,
};

/// Bytes of the header, and of a row of the directory.
const HEADER: usize = 192;
const ROW: usize = 64;
/// The first entry, after the directory's head and four sections.
const ENTRIES: usize = HEADER + 5 * ROW;

/// Columns of two widths.
const MIXED: Budget = Budget::Fpr(0.01);

fn of(budget: Budget, keys: u64, seed: u64) -> RibbonFilter {
    RibbonFilter::build_with_seed(budget, seed, 0..keys).unwrap()
}

/// A view whose payload is not checked.
fn unchecked(bytes: &[u8]) -> Result<RibbonView<'_>, DecodeError> {
    LoadOptions::new().unchecked_payload().view::<RibbonFilter>(bytes)
}

/// Where the payload begins, and its sections.
fn sections(bytes: &[u8]) -> [(usize, usize); 4] {
    let payload = HEADER + u64_at(bytes, 136) as usize;
    core::array::from_fn(|i| {
        let row = HEADER + (1 + i) * ROW;
        let [offset, length] = [0, 8].map(|at| u64_at(bytes, row + at) as usize);
        (payload + offset, length)
    })
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    // One byte a slot, or three.
    let [byte, bytes] = [8, 24].map(|bits| Budget::Fpr(0.5f64.powi(bits)));
    for (state, budget, keys, seed, layers) in [
        ("empty", MIXED, 0, 0, 0),
        ("one", MIXED, 1, 0, 1),
        ("small", MIXED, 300, 7, 1),
        ("bumped", MIXED, 5000, 0, 2),
        ("layers", MIXED, 30_000, 0, 3),
        ("byte", byte, 5000, 0, 2),
        ("bytes", bytes, 2000, 0, 2),
    ] {
        let filter = of(budget, keys, seed);
        let reached = filter.params().keys.map(|keys| keys > 0);
        let found = reached.iter().filter(|&&reached| reached).count();
        assert_eq!(found, layers, "{state}");
        // What the kind was called when the files were made.
        let name = format!("bumped-ribbon-{state}");
        golden(env!("CARGO_MANIFEST_DIR"), &name, keys, &filter);
    }
}

#[test]
fn files_of_withdrawn_kinds_are_refused_by_name() {
    for (number, file, id) in [
        (7, "ribbon-small", "standard-ribbon"),
        (12, "narrow-ribbon-large", "narrow-ribbon"),
        (12, "narrow-ribbon-empty", "narrow-ribbon"),
        (13, "wide-bumped-ribbon-bumped", "wide-bumped-ribbon"),
    ] {
        let path = format!("{}/tests/golden/{file}.amq", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(bytes[16], number);
        let error = RibbonFilter::from_bytes(&bytes).err().unwrap();
        assert_eq!(error, DecodeError::Kind { number });
        let text = error.to_string();
        let said = format!("a {id} filter, written by amq up to 0.3,");
        assert!(text.contains(&said) && text.contains("build a `ribbon` filter"), "{text}");
    }
}

#[test]
fn a_file_of_many_layers_and_short_blocks_is_read_as_it_was() {
    for fpr in [0.3, 0.01, 0.007, 1e-6] {
        let goal = Goal::fpr(60_000, fpr);
        let filter = RibbonFilter::build_with_seed(goal, 3, 0..50_000u64).unwrap();
        assert!(filter.params().keys[2] > 0);
        let back = RibbonFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(back == filter && back.params() == filter.params());
        assert_eq!((back.capacity(), back.len()), (60_000, 50_000));
        assert_eq!(back.size_in_bytes(), filter.size_in_bytes());
        assert_eq!(back.expected_fpr(), filter.expected_fpr());
        assert_eq!(back.stats(), filter.stats());
        assert!((0..50_000u64).all(|key| back.contains(&key)));
        for key in 1_000_000..1_010_000u64 {
            assert_eq!(back.contains(&key), filter.contains(&key));
        }
    }
}

#[test]
fn what_no_build_writes_is_refused_by_name() {
    let good = of(MIXED, 5000, 0).to_bytes().unwrap();
    let refused = |at: usize, value: u64| {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        mend(&mut bytes);
        // A view that does not look at the payload refuses the same numbers.
        let view = unchecked(&bytes).err();
        (RibbonFilter::from_bytes(&bytes).err(), view)
    };
    let number = |entry: usize, i: usize| ENTRIES + entry * ROW + i * 8;
    let stated = |entry, i| u64_at(&good, number(entry, i));
    let no_filter = |field, value| Some(DecodeError::Geometry { field, value });
    for (entry, i, value, field) in [
        (0, 0, 1 << 32, "columns"),
        (0, 1, 1 << 32, "short share"),
        (0, 2, 1 << 40, "widened"),
        (1, 0, stated(1, 0) + 1, "number of keys"),
        (1, 1, 0, "starts"),
        (1, 1, u64::MAX, "starts"),
        (1, 1, (1 << 42) + 1, "starts"),
        (1, 2, 5, "shard bits"),
        (1, 2, 33, "shard bits"),
        (1, 2, u64::MAX, "shard bits"),
        (1, 3, stated(1, 6) + 1, "short blocks"),
        (1, 4, 1, "first word"),
        (1, 5, 1, "first bucket"),
        (1, 6, stated(1, 6) + 1, "blocks"),
        (2, 4, stated(2, 4) + 1, "first word"),
        (2, 4, 0, "first word"),
        (2, 5, stated(2, 5) - 1, "first bucket"),
        (2, 6, u64::MAX, "blocks"),
    ] {
        let [of_file, of_view] = <[_; 2]>::from(refused(number(entry, i), value));
        // Another number of keys is named by what the header says.
        let value = if field == "number of keys" { stated(1, 0) } else { value };
        assert_eq!(of_file, no_filter(field, value), "{entry}, {i}");
        assert_eq!(of_view, of_file);
    }
    let past = refused(number(1, 1), stated(1, 1) + 1).0;
    assert_eq!(past, no_filter("starts past a multiple of a row's bits", 2));
    for (entry, i, value) in [(0, 0, 0), (0, 0, 33), (0, 2, 4), (2, 0, 5001)] {
        let error = refused(number(entry, i), value).0;
        assert!(matches!(error, Some(DecodeError::Params(_))), "{error:?}");
    }
    for (entry, i) in [(0, 3), (0, 7), (1, 7), (2, 7)] {
        let reserved = Some(DecodeError::Reserved { part: "directory" });
        assert_eq!(refused(number(entry, i), 1).0, reserved);
    }
    // Short blocks in no share of them: what the order of the solution follows from.
    let share = refused(number(0, 1), 0).0;
    assert_eq!(share, no_filter("short blocks", stated(1, 3)));
    // Columns that are as good as any, but not those of the words.
    let columns = refused(number(0, 0), stated(0, 0) + 1).0;
    assert_eq!(columns, no_filter("first word", stated(2, 4)));

    let [_, (thresholds, length), _, (spare, 64)] = sections(&good) else {
        panic!("sections");
    };
    let buckets = stated(2, 5);
    let last = thresholds + length - 8;
    assert_ne!(buckets % 32, 0);
    let past = u64_at(&good, last) | 1 << (buckets % 32 * 2);
    let (file, view) = refused(last, past);
    let what = "thresholds past the last bucket";
    assert_eq!(file, Some(DecodeError::Structure { what }));
    assert_eq!(view, None);
    let (file, _) = refused(spare + 8, 1 << 40);
    assert_eq!(file, Some(DecodeError::Reserved { part: "payload" }));

    // No layer for keys, and layers for none.
    let mut none = of(MIXED, 0, 0).to_bytes().unwrap();
    none[24] = 1;
    mend(&mut none);
    let error = RibbonFilter::from_bytes(&none).err();
    assert_eq!(error, no_filter("number of keys", 1));
}

#[test]
fn a_good_file_of_one_kind_is_none_of_another() {
    let mut bytes = of(MIXED, 300, 0).to_bytes().unwrap();
    bytes[16] = FilterKind::RibbonMap.number();
    mend(&mut bytes);
    let error = RibbonFilter::from_bytes(&bytes).err();
    assert!(matches!(error, Some(DecodeError::WrongKind { .. })));
}

#[test]
fn any_payload_answers_alike_in_every_way() {
    for budget in [MIXED, Budget::Fpr(0.5f64.powi(8))] {
        let filter = of(budget, 9000, 1);
        let mut bytes = filter.to_bytes().unwrap();
        let payload = sections(&bytes)[0].0;
        let hashes: Vec<_> = (0..5000u64).map(|i| amq_ribbon::KeyHash::of(&i, 99)).collect();
        for round in 0..4u64 {
            for (i, word) in bytes[payload..].chunks_mut(8).enumerate() {
                let noise = amq_ribbon::KeyHash::of(&(i as u64), round).get();
                word.copy_from_slice(&noise.to_le_bytes()[..word.len()]);
            }
            mend(&mut bytes);
            assert!(RibbonFilter::from_bytes(&bytes).is_err());
            let view = unchecked(&bytes).unwrap();
            let mut batch = vec![false; hashes.len()];
            view.contains_batch(&hashes, &mut batch).unwrap();
            let single: Vec<bool> = hashes.iter().map(|&hash| view.contains_hash(hash)).collect();
            assert_eq!(batch, single);
            let found = batch.iter().filter(|&&found| found).count();
            assert!((1..500).contains(&found), "{found} of 5000");
        }
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_through_the_same_bytes_and_checks() {
    let filter = RibbonFilter::build(Budget::Fpr(0.01), 0..30u64).unwrap();
    let json = serde_json::to_string(&filter).unwrap();
    assert!(serde_json::from_str::<RibbonFilter>(&json).unwrap() == filter);
    let bytes: Vec<u8> = serde_json::from_str(&json).unwrap();
    assert_eq!(bytes, filter.to_bytes().unwrap());
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<RibbonFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not an amq file"), "{error}");
}
