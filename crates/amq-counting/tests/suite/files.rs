//! The counting filters as files: the committed ones, and what the laws of all filters cannot know.

use amq_conformance::{files, with_params};
use amq_counting::{
    BlockedCountingBloomFilter, BlockedCountingParams, ClearFilter, CountingBloomFilter,
    CountingParams, DecodeError, Filter, FilterFile, Goal, LoadOptions,
};

/// Filters of the keys `0..keys` at 1 %, committed: after twice as many were inserted and the rest
/// removed; and with copies, up to those of a key that saturates its counters.
macro_rules! golden_files {
    ($type:ty: $(
        $state:ident $name:literal of $keys:literal planned $planned:literal seed $seed:literal;
    )*) => {$(
        let mut filter = <$type>::with_seed(Goal::fpr($planned, 0.01), $seed).unwrap();
        filter.extend(0..$keys as u64);
        golden_files!(@$state filter $keys);
        files::golden(env!("CARGO_MANIFEST_DIR"), $name, $keys, &filter);
    )*};
    (@plain $filter:ident $keys:literal) => {};
    (@removed $filter:ident $keys:literal) => {
        $filter.extend($keys..2 * $keys as u64);
        assert!(($keys..2 * $keys as u64).all(|key| $filter.remove(&key)));
    };
    (@saturated $filter:ident $keys:literal) => {
        for copies in 0..20u64 {
            $filter.extend(0..copies);
        }
        assert!($filter.saturated_counters() > 0);
    };
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    golden_files! { CountingBloomFilter:
        plain "counting-empty" of 0 planned 300 seed 0;
        plain "counting-one" of 1 planned 1 seed 0;
        plain "counting-small" of 300 planned 300 seed 7;
        removed "counting-removed" of 100 planned 100 seed 0;
        saturated "counting-saturated" of 40 planned 40 seed 0;
    }
    golden_files! { BlockedCountingBloomFilter:
        plain "blocked-counting-empty" of 0 planned 300 seed 0;
        plain "blocked-counting-one" of 1 planned 1 seed 0;
        plain "blocked-counting-small" of 300 planned 300 seed 7;
        removed "blocked-counting-removed" of 100 planned 100 seed 0;
        saturated "blocked-counting-saturated" of 40 planned 40 seed 0;
    }
}

/// The file with some bytes changed and its checksums made right again.
fn forged(file: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = file.to_vec();
    change(&mut bytes);
    files::mend(&mut bytes);
    bytes
}

#[test]
fn numbers_that_no_filter_has_are_refused_by_name() {
    let filter = with_params::<CountingBloomFilter>(CountingParams::new(100, 3), 10, 0).unwrap();
    let blocked = BlockedCountingParams::new(2);
    let blocked = with_params::<BlockedCountingBloomFilter>(blocked, 9, 1).unwrap();
    let with = |file: &[u8], at: usize, number: u64| {
        let set = |bytes: &mut [u8]| {
            bytes[192 + 128 + at..][..8].copy_from_slice(&number.to_le_bytes());
        };
        forged(file, set)
    };
    let (file, blocks) = (filter.to_bytes().unwrap(), blocked.to_bytes().unwrap());
    for (at, number) in [(0, 0), (8, 0), (8, 65), (8, u32::MAX.into())] {
        // So many probes would be a query of seconds.
        let refused = CountingBloomFilter::from_bytes(&with(&file, at, number)).unwrap_err();
        assert!(matches!(refused, DecodeError::Params(_)), "{at}: {refused}");
    }
    for number in [0, u64::MAX] {
        let refused = BlockedCountingBloomFilter::from_bytes(&with(&blocks, 0, number));
        assert!(matches!(refused, Err(DecodeError::Params(_))));
    }
}

const PAST_THE_LAST: DecodeError =
    DecodeError::Structure { what: "counters above zero past the last" };
const WRONG_SUM: DecodeError =
    DecodeError::Structure { what: "counters that do not add up to the number of keys" };

#[test]
fn a_forged_counter_past_the_last_is_refused() {
    // 100 counters: six words and a quarter of the seventh.
    let params = CountingParams::new(100, 3);
    let filter = with_params::<CountingBloomFilter>(params, 10, 0).unwrap();
    let file = filter.to_bytes().unwrap();
    let payload = file.len() - 64;
    let with = |nibble: usize, value: u8| {
        let bytes = forged(&file, |bytes| bytes[payload + nibble / 2] = value << (nibble % 2 * 4));
        CountingBloomFilter::from_bytes(&bytes).err()
    };
    for nibble in 100..112 {
        assert_eq!(with(nibble, 1), Some(PAST_THE_LAST), "{nibble}");
        assert_eq!(with(nibble, 15), Some(PAST_THE_LAST), "{nibble}");
    }
    // Saturated, it may be what other removals left behind; else the sum tells.
    assert_eq!(with(99, 15), None);
    assert_eq!(with(99, 14), Some(WRONG_SUM));
    // A table without anything past the last counter.
    let whole = with_params::<CountingBloomFilter>(CountingParams::new(16, 1), 1, 0).unwrap();
    let file = whole.to_bytes().unwrap();
    assert_eq!(CountingBloomFilter::from_bytes(&file), Ok(whole));
    // Without the check a view is bounded all the same.
    let file = filter.to_bytes().unwrap();
    let file = forged(&file, |bytes| bytes[payload..].fill(0xFF));
    assert!(CountingBloomFilter::view(&file).is_err());
    let unchecked = LoadOptions::new().unchecked_payload();
    let view = unchecked.view::<CountingBloomFilter>(&file).unwrap();
    assert!(view.contains("anything"));
    assert_eq!((view.load_factor(), view.expected_fpr()), (1.0, 1.0));
}

#[test]
fn counters_that_do_not_add_up_to_the_keys_are_refused() {
    let mut filter = CountingBloomFilter::new(Goal::fpr(50, 0.01)).unwrap();
    let mut blocked = BlockedCountingBloomFilter::new(Goal::fpr(50, 0.01)).unwrap();
    for copies in 0..3u64 {
        filter.extend(0..copies * 20);
        blocked.extend(0..copies * 20);
    }
    filter.remove(&3u64);
    blocked.remove(&3u64);
    assert_eq!(filter.saturated_counters() + blocked.saturated_counters(), 0);
    let [file, blocks] = [filter.to_bytes().unwrap(), blocked.to_bytes().unwrap()];
    for keys in [0, 1, filter.len() - 1, filter.len() + 1, u64::MAX] {
        let with = |file| forged(file, |bytes| bytes[24..32].copy_from_slice(&keys.to_le_bytes()));
        let refused = CountingBloomFilter::from_bytes(&with(&file));
        assert_eq!(refused.err(), Some(WRONG_SUM), "{keys}");
        let refused = BlockedCountingBloomFilter::from_bytes(&with(&blocks));
        assert_eq!(refused.err(), Some(WRONG_SUM), "{keys}");
    }
}

#[test]
fn every_filter_that_operations_lead_to_is_read_again() {
    // Copies that saturate, removals that are refused or hit others' keys, merges: in tables so
    // small that all of it happens, and probes of one key meet.
    let check = |filter: &CountingBloomFilter, blocked: &BlockedCountingBloomFilter| {
        let (file, blocks) = (filter.to_bytes().unwrap(), blocked.to_bytes().unwrap());
        assert_eq!(CountingBloomFilter::from_bytes(&file).as_ref(), Ok(filter));
        let read = BlockedCountingBloomFilter::from_bytes(&blocks);
        assert_eq!(read.as_ref(), Ok(blocked));
    };
    for counters in [1u64, 7, 30, 200] {
        let params = CountingParams::new(counters, 4);
        let mut filter = with_params::<CountingBloomFilter>(params, 10, counters).unwrap();
        let params = BlockedCountingParams::new(1 + counters / 30);
        let mut blocked = with_params::<BlockedCountingBloomFilter>(params, 10, counters).unwrap();
        let (mut removed, mut saturated) = (0, 0);
        for step in 0..600u64 {
            let key = step * step % 23;
            if step / 40 % 2 == 0 {
                filter.insert(&key);
                blocked.insert(&key);
            } else {
                removed +=
                    u64::from(filter.remove(&(key + 3))) + u64::from(blocked.remove(&(key + 3)));
            }
            if step % 150 == 149 {
                filter.merge(&filter.clone()).unwrap();
                blocked.merge(&blocked.clone()).unwrap();
            }
            saturated += filter.saturated_counters();
            check(&filter, &blocked);
        }
        assert!(removed > 0 && saturated > 0, "{removed} {saturated}");
        filter.clear();
        blocked.clear();
        check(&filter, &blocked);
    }
}

#[cfg(feature = "serde")]
#[test]
fn serde_goes_through_the_same_bytes_and_checks() {
    let mut filter = CountingBloomFilter::new(Goal::fpr(30, 0.01)).unwrap();
    filter.extend(0..30u64);
    let json = serde_json::to_string(&filter).unwrap();
    let read = serde_json::from_str::<CountingBloomFilter>(&json).unwrap();
    assert_eq!(read, filter);
    let bytes: Vec<u8> = serde_json::from_str(&json).unwrap();
    assert_eq!(bytes, filter.to_bytes().unwrap());
    let damaged = json.replacen("137,65", "137,66", 1);
    let error = serde_json::from_str::<CountingBloomFilter>(&damaged).unwrap_err();
    assert!(error.to_string().contains("not an amq file"), "{error}");
}
