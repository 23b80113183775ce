//! The scalable filters as files: the committed ones, and what the laws of all filters cannot know.

use amq_conformance::{files, with_params};
use amq_scalable::{
    DecodeError, Filter, FilterFile, InsertError, InsertExt, LoadOptions,
    ScalableBlockedBloomFilter, ScalableBloomFilter, ScalableBloomView, ScalableParams,
};

/// Filters that grow from `initial` keys at 1 % with some limits, and hold the keys `0..keys`.
macro_rules! golden_files {
    ($type:ty: $($name:literal of $keys:literal from $initial:literal seed $seed:literal
        $(, $limit:ident $value:expr)*;)*) => {$(
        let params = ScalableParams::new($initial, 0.01)$(.$limit($value))*;
        let mut filter = with_params::<$type>(params, $initial, $seed).unwrap();
        filter.try_extend(0..$keys as u64).unwrap();
        files::golden(env!("CARGO_MANIFEST_DIR"), $name, $keys, &filter);
    )*};
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    golden_files! { ScalableBloomFilter:
        "scalable-empty" of 0 from 300 seed 0;
        "scalable-one" of 1 from 1 seed 0;
        "scalable-small" of 300 from 300 seed 7;
        "scalable-grown" of 1000 from 20 seed 0;
        "scalable-bounded" of 500 from 20 seed 0, with_growth 4, with_max_keys 500, with_max_stages 9;
        "scalable-cut" of 180 from 100 seed 0, with_max_bytes 500;
    }
    golden_files! { ScalableBlockedBloomFilter:
        "blocked-scalable-empty" of 0 from 300 seed 0;
        "blocked-scalable-one" of 1 from 1 seed 0;
        "blocked-scalable-small" of 300 from 300 seed 7;
        "blocked-scalable-grown" of 1000 from 20 seed 0;
        "blocked-scalable-bounded" of 500 from 20 seed 0, with_growth 4, with_max_keys 500, with_max_stages 9;
        "blocked-scalable-cut" of 180 from 100 seed 0, with_max_bytes 500;
    }
}

pub(crate) fn filled(params: ScalableParams, keys: std::ops::Range<u64>) -> ScalableBloomFilter {
    let mut filter = with_params::<ScalableBloomFilter>(params, params.initial, 3).unwrap();
    filter.try_extend(keys).unwrap();
    filter
}

/// Filters in every state, and the number of keys in each.
fn states() -> Vec<(ScalableBloomFilter, u64)> {
    let open = ScalableParams::new(20, 0.01);
    let limited = [
        (open, 1000),
        (open.with_growth(5).with_tightening(0.3), 1000),
        (open.with_max_stages(3), 138),
        (open.with_max_keys(131), 125),
        (open.with_growth(4).with_max_keys(3000).with_max_bytes(2500), 700),
        (open.with_max_bytes(1000), 250),
        (open.with_max_bytes(u64::MAX - 1), 300),
    ];
    let mut states = Vec::new();
    for (params, keys) in limited {
        for keys in [0, 1, 20, 21, keys] {
            states.push((filled(params, 0..keys), keys));
        }
    }
    // Merged: keys of both in stages that count fewer; and so often that the count is saturated.
    let mut merged = filled(open, 0..500);
    merged.merge(&filled(open, 0..18)).unwrap();
    states.push((merged, 500));
    let mut twice = filled(open, 0..18);
    for _ in 0..70 {
        twice.merge(&twice.clone()).unwrap();
    }
    assert_eq!(twice.len(), u64::MAX);
    states.push((twice, 18));
    states
}

#[test]
fn a_filter_that_was_read_grows_on_as_the_one_that_was_written() {
    for (mut filter, keys) in states() {
        let mut read = ScalableBloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert_eq!(read, filter);
        assert_eq!(read.params(), filter.params());
        assert!(read.stages().eq(filter.stages()));
        assert!((0..keys).all(|key| read.contains(&key)));
        // The same keys go in, and the same one is refused for the same reason.
        for key in keys..keys + 1500 {
            assert_eq!(read.insert(&key), filter.insert(&key), "{:?}", filter.params());
        }
        assert_eq!(read, filter);
        // A filter that has grown and remembers its refusal is written without it.
        let again = ScalableBloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert_eq!(again, filter);
        assert_eq!(again.to_bytes(), read.to_bytes());
    }
}

#[test]
fn every_limit_is_restored_and_refuses_by_its_name() {
    let open = ScalableParams::new(20, 0.01);
    for (params, what, limit) in [
        (open.with_max_stages(2), "stages", 2),
        (open.with_max_keys(131), "keys", 131),
        (open.with_max_bytes(1000), "bytes", 1000),
    ] {
        let mut full = filled(params, 0..0);
        let refusal = (0u64..).find_map(|key| full.insert(&key).err());
        assert_eq!(refusal, Some(InsertError::Limit { what, limit }));
        let mut read = ScalableBloomFilter::from_bytes(&full.to_bytes().unwrap()).unwrap();
        assert_eq!(read.params(), params);
        let absent = (1u64 << 50..).find(|key| !full.contains(key)).unwrap();
        assert_eq!(read.insert(&absent), Err(InsertError::Limit { what, limit }));
        assert_eq!(read, full);
        // Filters cut by a limit merge as before, and not with those of another limit.
        read.merge(&full).unwrap();
        assert!(read.stages().eq(full.stages()));
    }
}

/// A file with some numbers changed, by their places, and its checksums made right again.
pub(crate) fn forged(file: &[u8], changes: &[(usize, u64)]) -> Option<DecodeError> {
    let mut bytes = file.to_vec();
    for &(at, number) in changes {
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
    files::mend(&mut bytes);
    let view = |check: fn(&[u8]) -> Result<ScalableBloomView<'_>, DecodeError>| {
        let mut aligned = vec![0; bytes.len() + 64];
        let start = aligned.as_ptr().align_offset(64);
        aligned[start..start + bytes.len()].copy_from_slice(&bytes);
        check(&aligned[start..start + bytes.len()]).err()
    };
    let error = ScalableBloomFilter::from_bytes(&bytes).err();
    // By their text, since NaN is not equal to itself.
    let text = |error: Option<DecodeError>| error.map(|error| error.to_string());
    let by_view = view(|bytes| ScalableBloomFilter::view(bytes));
    assert_eq!(text(by_view), text(error));
    // Header and directory are checked in any case.
    if !matches!(error, Some(DecodeError::Structure { .. })) {
        let by_view =
            view(|bytes| LoadOptions::new().unchecked_payload().view::<ScalableBloomFilter>(bytes));
        assert_eq!(text(by_view), text(error));
    }
    error
}

/// The offsets of the requested parameters, and of the entry of stage 0 of three.
pub(crate) const ASKED: usize = 72;
const ENTRY: usize = 192 + 64 + 3 * 64;

#[test]
fn stages_that_growth_does_not_lead_to_are_refused() {
    let params = ScalableParams::new(20, 0.01).with_max_bytes(10_000);
    let filter = filled(params, 0..100);
    assert_eq!(filter.stage_count(), 3);
    let file = filter.to_bytes().unwrap();
    assert_eq!(forged(&file, &[]), None);
    let entry = |stage: usize, number: usize| ENTRY + stage * 64 + number * 8;
    let field = |changes: &[(usize, u64)]| match forged(&file, changes) {
        Some(DecodeError::Geometry { field, .. }) => field,
        Some(DecodeError::Structure { what }) => what,
        Some(DecodeError::Params(_)) => "params",
        other => panic!("{other:?}"),
    };
    let real = |x: f64| x.to_bits();
    for stage in 0..3 {
        for wrong in [0, 19, 21 << stage, u64::MAX] {
            assert_eq!(field(&[(entry(stage, 2), wrong)]), "capacity of a stage");
        }
        assert_eq!(field(&[(entry(stage, 3), 10_000)]), "keys that a stage has taken");
        assert_eq!(field(&[(entry(stage, 4), 10_000)]), "keys of all stages");
        for wrong in [0.0, -0.0, 1.0, 2.0, f64::NAN, f64::INFINITY, -0.5] {
            assert_eq!(field(&[(entry(stage, 5), real(wrong))]), "params");
        }
        let compound = "stages of a higher compound rate than was asked for";
        assert_eq!(field(&[(entry(stage, 5), real(0.01))]), compound);
        // A rate that another version planned is taken as it stands.
        assert_eq!(forged(&file, &[(entry(stage, 5), real(1e-4))]), None);
        // Bits set without keys.
        let taken = "more bits set than a stage's keys have";
        assert_eq!(field(&[(entry(stage, 3), 0)]), taken);
    }
    // The newest alone can be cut, and then only where there is a limit on bytes.
    assert_eq!(field(&[(entry(0, 6), 1)]), "cut");
    assert_eq!(field(&[(entry(1, 6), 1)]), "cut");
    assert_eq!(field(&[(entry(2, 6), 2)]), "cut");
    assert_eq!(forged(&file, &[(entry(2, 6), 1), (entry(2, 2), 50)]), None);
    assert_eq!(field(&[(entry(2, 6), 1), (ASKED + 40, u64::MAX)]), "cut");
    assert_eq!(field(&[(entry(2, 6), 1), (entry(2, 2), 0)]), "capacity of a stage");
    // The parameters, which the stages must keep to.
    assert_eq!(field(&[(ASKED, 21)]), "capacity of a stage");
    assert_eq!(field(&[(ASKED + 16, 3)]), "capacity of a stage");
    assert_eq!(
        field(&[(ASKED + 8, real(0.001))]),
        "stages of a higher compound rate than was asked for"
    );
    assert_eq!(field(&[(ASKED + 32, 139)]), "capacity of a stage");
    assert_eq!(field(&[(ASKED + 40, 100)]), "bytes of all stages");
    assert_eq!(field(&[(ASKED + 48, 2)]), "entries");
    assert_eq!(field(&[(ASKED + 48, 1 << 32)]), "max_stages");
    for (at, wrong) in [(0, 0), (8, real(f64::NAN)), (16, 1), (24, real(1.0)), (32, 19), (48, 0)] {
        assert_eq!(field(&[(ASKED + at, wrong)]), "params", "{at}");
    }
    for reserved in [(ASKED + 56, 1), (entry(1, 7), 1)] {
        assert!(matches!(forged(&file, &[reserved]), Some(DecodeError::Reserved { .. })));
    }
}

#[test]
fn a_view_with_an_unchecked_payload_has_a_rate() {
    // Tables of all ones that claim to be shorter than their last word, of every length.
    let filter = filled(ScalableParams::new(20, 0.01), 0..100);
    let file = filter.to_bytes().unwrap();
    let bits = u64::from_le_bytes(file[ENTRY..ENTRY + 8].try_into().unwrap());
    for shorter in 0..64 {
        let mut aligned = vec![0; file.len() + 64];
        let start = aligned.as_ptr().align_offset(64);
        let bytes = &mut aligned[start..start + file.len()];
        bytes.copy_from_slice(&file);
        bytes[ENTRY..ENTRY + 8].copy_from_slice(&(bits - shorter).to_le_bytes());
        bytes[ENTRY + 3 * 64..].fill(0xFF);
        files::mend(bytes);
        assert!(ScalableBloomFilter::view(bytes).is_err());
        let view = LoadOptions::new().unchecked_payload().view::<ScalableBloomFilter>(bytes);
        let view = match view {
            Ok(view) => view,
            // Of the table the last word is looked at.
            Err(error) => {
                assert!(!(bits - shorter).is_multiple_of(64), "{error}");
                continue;
            }
        };
        assert!((bits - shorter).is_multiple_of(64));
        assert!(view.contains("anything"));
        assert_eq!(view.stats().expected_fpr, 1.0, "{shorter}");
        assert_eq!(view.stages().next().unwrap().expected_fpr, 1.0, "{shorter}");
        assert_eq!(view.stats().load_factor, 1.0, "{shorter}");
    }
}

#[test]
fn more_stages_than_can_exist_are_refused() {
    // 65 stages without keys, each of one word; the parameters would allow them.
    let params = ScalableParams::new(1, 0.01).with_max_stages(1 << 16);
    let one = filled(params, 0..0).to_bytes().unwrap();
    let words = |bytes: &[u8], at: usize| bytes[at..at + 64].to_vec();
    let bytes = |stages: u64| {
        let mut file = one[..192].to_vec();
        let mut head = [0; 64];
        head[..8].copy_from_slice(&stages.to_le_bytes());
        head[8..16].copy_from_slice(&stages.to_le_bytes());
        file.extend(head);
        for stage in 0..stages {
            let mut section = words(&one, 256);
            section[..8].copy_from_slice(&(stage * 64).to_le_bytes());
            file.extend(section);
        }
        for stage in 0..stages as u32 {
            let mut entry = words(&one, 320);
            let rate = 0.001 * 0.5f64.powi(stage as i32);
            entry[16..24].copy_from_slice(&2u64.saturating_pow(stage).to_le_bytes());
            entry[40..48].copy_from_slice(&rate.to_bits().to_le_bytes());
            file.extend(entry);
        }
        file.resize(file.len() + stages as usize * 64, 0);
        file[136..144].copy_from_slice(&(64 * (1 + 2 * stages)).to_le_bytes());
        file[144..152].copy_from_slice(&(64 * stages).to_le_bytes());
        files::mend(&mut file);
        file
    };
    let most = ScalableBloomFilter::from_bytes(&bytes(64)).unwrap();
    assert_eq!((most.stage_count(), most.capacity()), (64, u64::MAX));
    for stages in [0, 65, 30_000] {
        let refused = ScalableBloomFilter::from_bytes(&bytes(stages));
        let field = "entries";
        assert_eq!(refused.err(), Some(DecodeError::Geometry { field, value: stages }));
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_through_the_same_bytes_and_checks() {
    let filter = filled(ScalableParams::new(20, 0.01), 0..100);
    let json = serde_json::to_string(&filter).unwrap();
    let read = serde_json::from_str::<ScalableBloomFilter>(&json).unwrap();
    assert_eq!(read, filter);
    let bytes: Vec<u8> = serde_json::from_str(&json).unwrap();
    assert_eq!(bytes, filter.to_bytes().unwrap());
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<ScalableBloomFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not an amq file"), "{error}");
}
