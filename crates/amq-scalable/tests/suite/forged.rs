//! Files with forged numbers: an insert allocates memory in proportion to their bytes.

use crate::files::{ASKED, filled, forged};
use amq_conformance::memory::{SLACK, takes_at_most};
use amq_conformance::{files, with_params};
use amq_scalable::{
    DecodeError, Filter, FilterFile, InsertError, InsertExt, MAX_GROWTH, PlanError, PlanFilter,
    ScalableBlockedBloomFilter, ScalableBloomFilter, ScalableParams,
};

/// A file whose first stage, a few words, claims to be full with this many keys.
fn of_claimed_capacity(params: ScalableParams, capacity: u64) -> Vec<u8> {
    let mut file = filled(params, 0..20).to_bytes().unwrap();
    let entry = 192 + 64 + 64;
    for at in [ASKED, 24, 32, entry + 16, entry + 24, entry + 32] {
        file[at..at + 8].copy_from_slice(&capacity.to_le_bytes());
    }
    files::mend(&mut file);
    assert!(file.len() < 900);
    file
}

#[test]
fn a_short_file_that_claims_a_full_stage_grows_no_larger_one() {
    for growth in [2, MAX_GROWTH] {
        let params = ScalableParams::new(20, 0.01).with_growth(growth);
        for capacity in [1000, 1 << 20, 1 << 30, 1 << 40] {
            let file = of_claimed_capacity(params, capacity);
            let mut read = ScalableBloomFilter::from_bytes(&file).unwrap();
            assert_eq!(read.to_bytes().unwrap(), file, "written as it was read");
            takes_at_most(SLACK, &|| format!("claims of {capacity}"), || {
                for key in 0..10_000u64 {
                    // The few words fill, and then find every key.
                    read.insert(&key).unwrap();
                    assert!(read.contains(&key));
                }
            });
            assert_eq!(read.stage_count(), 1);
        }
    }
}

/// A file whose first stage is full as its 2^16 bits tell, all but 64 of which are set: one for
/// each key. What follows it is for `growth` times as many keys.
fn of_a_key_a_bit(params: ScalableParams, growth: u64) -> Vec<u8> {
    const BITS: u64 = 1 << 16;
    let keys = BITS - 64;
    let mut file = filled(params, 0..0).to_bytes().unwrap();
    file.truncate(192 + 3 * 64);
    file.resize(192 + 3 * 64 + BITS as usize / 8 - 8, 0xFF);
    file.extend([0; 8]);
    let (section, entry) = (192 + 64, 192 + 2 * 64);
    for (at, value) in [
        (24, keys),
        (32, keys),
        (ASKED, keys),
        (ASKED + 16, growth),
        (144, BITS / 8),
        (section + 8, BITS / 8),
        (entry, BITS),
        (entry + 8, 1),
        (entry + 16, keys),
        (entry + 24, keys),
        (entry + 32, keys),
    ] {
        file[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    files::mend(&mut file);
    file
}

#[test]
fn a_forged_file_that_holds_a_key_a_bit_makes_no_larger_stage() {
    for (fpr, tightening) in [(0.01, 0.85), (0.01, 1e-9), (0.01, 3e-11)] {
        let params = ScalableParams::new(20, fpr).with_tightening(tightening);
        let file = of_a_key_a_bit(params, MAX_GROWTH.into());
        let mut read = ScalableBloomFilter::from_bytes(&file).unwrap();
        takes_at_most(SLACK, &|| format!("{params:?}"), || {
            let full = (0..10_000u64).find_map(|key| read.insert(&key).err());
            assert_eq!(full, Some(InsertError::Stages { stages: 1 }));
        });
        assert_eq!(read.stage_count(), 1);
        // More is refused, by the number and the limit.
        for growth in [65, 1 << 16, 1 << 32, u64::MAX] {
            let file = of_a_key_a_bit(params, growth);
            let error = ScalableBloomFilter::from_bytes(&file).unwrap_err();
            let (name, value) = ("growth", growth);
            let refusal = PlanError::Parameter { name, value, min: 2, max: 64 };
            assert_eq!(error, DecodeError::Params(refusal));
            let limit = format!("growth = {growth} is not possible: it must be from 2 to 64");
            assert!(error.to_string().contains(&limit), "{error}");
        }
    }
}

/// Split blocks at a rate near the floor of 64-bit hashes take blocks without end.
#[test]
fn a_forged_bound_of_keys_makes_no_insert_ask_for_gigabytes() {
    let params = ScalableParams::new(1, 0.01);
    let mut filter = with_params::<ScalableBlockedBloomFilter>(params, 1, 0).unwrap();
    filter.insert(&0u64).unwrap();
    let mut bytes = filter.to_bytes().unwrap();
    // The most keys, which the rates of the stages follow from.
    bytes[104..112].copy_from_slice(&(1u64 << 50).to_le_bytes());
    files::mend(&mut bytes);
    let mut read = ScalableBlockedBloomFilter::from_bytes(&bytes).unwrap();
    takes_at_most(SLACK, &|| "a bound of 2^50 keys".into(), || {
        let refused = (1..1000u64).find_map(|key| read.insert(&key).err());
        assert_eq!(refused, Some(InsertError::Stages { stages: 1 }));
        assert!(read.contains(&0u64));
    });
}

/// Parameters by which the later stages of a file, whose rates are its own, would exceed the rate.
#[test]
fn a_forged_file_grows_into_none_that_would_be_refused() {
    let params = ScalableParams::new(20, 0.01);
    let filter = filled(params, 0..60);
    assert_eq!(filter.stage_count(), 2);
    let file = filter.to_bytes().unwrap();
    let entry = 192 + 2 * 64 + 2 * 64 - 64;
    let mut ended = 0;
    for (number, at) in [
        (0, 104),
        (300, 104),
        (1000, 104),
        (1 << 20, 104),
        (0.004f64.to_bits(), entry + 40),
        (0.008f64.to_bits(), entry + 40),
        (0.0099f64.to_bits(), ASKED + 8),
        (0.5f64.to_bits(), ASKED + 24),
        (1e-9f64.to_bits(), ASKED + 24),
    ] {
        let mut bytes = file.clone();
        bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        files::mend(&mut bytes);
        let Ok(mut read) = ScalableBloomFilter::from_bytes(&bytes) else {
            panic!("{number} at {at} is refused");
        };
        for key in 1000..5000u64 {
            if let Err(full) = read.insert(&key) {
                let stages = read.stage_count() as u64;
                let limit = InsertError::Limit { what: "keys", limit: number };
                assert!([InsertError::Stages { stages }, limit].contains(&full), "{full}");
                ended += u64::from(full != limit);
                break;
            }
            if read.len().is_power_of_two() {
                let back = ScalableBloomFilter::from_bytes(&read.to_bytes().unwrap());
                assert_eq!(back.as_ref().err(), None, "{number} at {at}");
            }
        }
        let back = ScalableBloomFilter::from_bytes(&read.to_bytes().unwrap()).unwrap();
        assert!(back == read && (0..60u64).all(|key| back.contains(&key)));
    }
    assert!(ended >= 3, "{ended}");
}

/// The stages share the rate by their keys: a tiny one of very many gets next to nothing.
#[test]
fn a_first_stage_of_gigabytes_is_refused_with_the_most_keys() {
    for (initial, max_keys) in [(1, 1u64 << 50), (8, 1 << 53), (1, u64::MAX)] {
        let params = ScalableParams::new(initial, 0.01).with_max_keys(max_keys);
        let refused = ScalableBlockedBloomFilter::plan_params(params, initial).unwrap_err();
        let PlanError::Parameter { name: "max_keys", value, min, max } = refused else {
            panic!("{refused}");
        };
        assert_eq!((value, min), (max_keys, initial));
        let plan =
            |max| ScalableBlockedBloomFilter::plan_params(params.with_max_keys(max), initial);
        assert!(plan(max).unwrap().bytes <= 512 * initial + 4096);
        assert_eq!(
            plan(max + 1).unwrap_err(),
            PlanError::Parameter { name: "max_keys", value: max + 1, min, max }
        );
    }
    // A classic filter takes up to 90 bits a key, and then is out of reach.
    let params = ScalableParams::new(1, 0.01).with_max_keys(1 << 50);
    assert!(ScalableBloomFilter::plan_params(params, 1).unwrap().bytes < 32);
    let refused = ScalableBloomFilter::plan_params(params.with_max_keys(u64::MAX), 1).unwrap_err();
    assert!(matches!(refused, PlanError::Parameter { name: "max_keys", .. }), "{refused}");
    // A requested rate is planned at any size.
    let lowest = ScalableParams::new(1, 1e-16);
    let plan = ScalableBlockedBloomFilter::plan_params(lowest, 1).unwrap();
    assert!(plan.bytes > 4096 + 512, "{}", plan.bytes);
}

#[test]
fn too_strong_a_tightening_of_the_first_stage_is_refused() {
    let plan = |tightening| {
        let params = ScalableParams::new(1, 0.001).with_tightening(tightening);
        ScalableBlockedBloomFilter::plan_params(params, 1)
    };
    let value = 1.0 - f64::EPSILON / 2.0;
    let below = 1.0 - 1.0 / 1024.0;
    let refused = plan(value).unwrap_err();
    assert_eq!(refused, PlanError::Share { name: "tightening", value, below });
    assert!(refused.to_string().ends_with("between 0 and 0.9990234375"), "{refused}");
    assert!(plan(below).is_err() && plan(below - 1e-12).unwrap().bytes < 4096);
    // A file may have it, and is read.
    let file = filled(ScalableParams::new(20, 0.01), 0..60).to_bytes().unwrap();
    assert_eq!(forged(&file, &[(ASKED + 24, value.to_bits())]), None);
}

/// Whatever a stage of a file says that it is for, the next one is in proportion to its bytes.
#[test]
fn the_next_stage_of_a_forged_file_is_in_proportion_to_the_last() {
    for keys in [64, 4096] {
        let params = ScalableParams::new(keys, 0.5).with_growth(MAX_GROWTH);
        let mut filter = with_params::<ScalableBlockedBloomFilter>(params, 1, 0).unwrap();
        filter.try_extend(0..keys).unwrap();
        let taken = filter.stages().next().unwrap().taken;
        let file = filter.to_bytes().unwrap();
        let entry = 192 + 2 * 64;
        let fpr = 1e-6f64;
        let mut bytes = file.clone();
        for (at, number) in [
            (ASKED, taken),
            (ASKED + 8, fpr.to_bits()),
            (ASKED + 24, 1e-4f64.to_bits()),
            (entry + 16, taken),
            (entry + 40, (fpr * (1.0 - 1e-4)).to_bits()),
        ] {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        files::mend(&mut bytes);
        let mut read = ScalableBlockedBloomFilter::from_bytes(&bytes).unwrap();
        let most = 8 * u64::from(MAX_GROWTH) * read.size_in_bytes() + SLACK;
        takes_at_most(most, &|| format!("{keys} keys"), || {
            let full = (1u64 << 40..1 << 41).find_map(|key| read.insert(&key).err());
            assert_eq!(full, Some(InsertError::Stages { stages: 1 }));
        });
        assert!((0..keys).all(|key| read.contains(&key)));
    }
}

#[test]
fn a_rate_below_the_floor_names_one_that_is_possible() {
    for (keys, fpr) in [(1u64, 1e-20), (100, 1e-19), (1 << 20, 1e-15)] {
        let plan = |fpr| ScalableBloomFilter::plan_params(ScalableParams::new(keys, fpr), 1);
        let refused = plan(fpr).unwrap_err();
        let PlanError::FprUnreachable { lowest, .. } = refused else { panic!("{refused}") };
        let above = plan(lowest * (1.0 + 1e-6));
        assert!(above.is_ok(), "{refused}, {above:?}");
        assert!(plan(lowest * (1.0 - 1e-6)).is_err(), "{refused}");
    }
}

#[test]
fn a_stage_follows_one_whose_bits_set_are_its_keys_worth() {
    // Honest filters of any parameters, written, read and merged at any time, grow as ever.
    let mut grown = 0;
    for initial in [1, 2, 7, 50] {
        for growth in [2, 3, 50, MAX_GROWTH] {
            for fpr in [1e-6, 0.01, 0.5, 0.99, 1.0 - 1e-9] {
                for tightening in [1e-9, 0.5, 0.85, 0.999] {
                    let params = ScalableParams::new(initial, fpr)
                        .with_growth(growth)
                        .with_tightening(tightening);
                    for params in [params, params.with_max_keys(90), params.with_max_bytes(4096)] {
                        grown += grows_as_ever(params);
                    }
                }
            }
        }
    }
    assert!(grown > 500, "{grown}");
}

/// Compares a filter with one that is written and read after every few keys, and returns how many
/// stages were added.
fn grows_as_ever(params: ScalableParams) -> usize {
    let plan = with_params::<ScalableBloomFilter>(params, params.initial, 3);
    let Ok(mut filter) = plan else { return 0 };
    let mut read = filter.clone();
    for key in 0..130u64 {
        if key % 9 == 0 {
            read = ScalableBloomFilter::from_bytes(&read.to_bytes().unwrap()).unwrap();
        }
        let full = filter.stages().last().is_some_and(|stage| stage.taken >= stage.capacity);
        let (before, known) = (filter.stage_count(), filter.contains(&key));
        // A stage of gigabytes is no matter of this test.
        let large = u64::from(params.growth) * filter.capacity() > 1 << 17;
        if full && !known && large {
            break;
        }
        let inserted = filter.insert(&key);
        assert_eq!(read.insert(&key), inserted, "{params:?}");
        if full && !known && inserted.is_ok() {
            assert_eq!(filter.stage_count(), before + 1, "{params:?}");
        }
        assert!(read == filter, "{params:?}");
    }
    filter.stage_count() - 1
}

#[test]
fn a_merge_that_overstates_keys_grows_once_bits_are_set() {
    // With one probe a key taken is a bit set. Each merge adds one, and states two.
    let params = ScalableParams::new(100, 0.6).with_tightening(0.01);
    let mut merged = filled(params, 0..0);
    let mut keys = (0u64..).filter(|&key| {
        let mut alone = filled(params, 0..key);
        alone.insert(&key).unwrap().is_new()
    });
    let mut last = keys.next().unwrap();
    for key in keys.take(50) {
        let mut other = filled(params, 0..0);
        other.try_extend([last, key]).unwrap();
        merged.merge(&other).unwrap();
        last = key;
    }
    let newest = |filter: &ScalableBloomFilter| filter.stages().last().unwrap();
    assert_eq!((newest(&merged).taken, newest(&merged).capacity), (100, 100));
    let mut read = ScalableBloomFilter::from_bytes(&merged.to_bytes().unwrap()).unwrap();
    assert_eq!(read, merged);
    for filter in [&mut merged, &mut read] {
        let mut taken = 51;
        for key in 1000u64.. {
            taken += u64::from(filter.insert(&key).unwrap().is_new());
            assert_eq!(filter.stage_count(), 1 + usize::from(taken > 100), "{taken}");
            if taken > 100 {
                break;
            }
            assert_eq!(newest(filter).taken, if taken == 51 { 100 } else { taken });
        }
    }
    assert_eq!(read, merged);
}
