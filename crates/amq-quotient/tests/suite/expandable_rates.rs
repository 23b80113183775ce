//! The rates of expandable filters: at every age, through removals, and to the last doubling.

use crate::expandable::{Filter, counted, false_positives, small};
use amq_conformance::testing::noise;
use amq_quotient::theory::expandable as theory;
use amq_quotient::{
    Budget, Filter as _, FilterFile, Goal, InsertError, InsertFilter, KeyHash, PlanFilter,
    RemoveFilter,
};
use std::collections::{BTreeMap, VecDeque};

/// The number is within `sigmas` standard deviations of what `queries` at this rate give, or of
/// what rates with this spread give.
#[track_caller]
fn close(found: u64, queries: u64, rate: f64, spread: f64, sigmas: f64) {
    let queries = queries as f64;
    let sd = (queries * rate * (1.0 - rate) + (queries * spread).powi(2)).sqrt();
    let off = (found as f64 - queries * rate) / sd;
    assert!(off.abs() <= sigmas, "{found} of {queries}, not {rate}: {off} sigma");
}

#[test]
fn the_rate_is_the_formulas_at_every_age() {
    const QUERIES: u64 = 400_000;
    for (bits, seeds) in [(4u32, 6u64), (7, 12)] {
        let mut pooled = BTreeMap::new();
        for seed in 0..seeds {
            let plan = Filter::plan_params(small(bits).params(), 60).unwrap();
            let mut filter = Filter::with_seed(plan, seed).unwrap();
            let mut key = seed << 32;
            for (keys, doublings) in
                [(60u64, 0u32), (61, 1), (90, 1), (700, 4), (8000, 8), (30_000, 9), (240_000, 12)]
            {
                while filter.len() < keys {
                    filter.insert(&key).unwrap();
                    key += 1;
                }
                let now = filter.params();
                let (grown, below) = (now.doublings, bits < 5 && keys > 1000);
                // Entries without bits take slots, and the filter doubles a little earlier.
                assert!(grown == doublings || below && grown == doublings + 1, "{now:?}");
                let predicted = theory::fpr(&now, keys);
                let found = false_positives(&filter, QUERIES);
                let own = filter.expected_fpr();
                close(found, QUERIES, own, 0.0, 5.0);
                close(found, QUERIES, predicted.mean, predicted.sd, 5.0);
                assert!((own - predicted.mean).abs() <= 5.0 * predicted.sd + 1e-9);
                let sum: &mut (u64, f64, f64) = pooled.entry(keys).or_default();
                sum.0 += found;
                sum.1 += predicted.mean / seeds as f64;
                sum.2 += predicted.sd.powi(2) / (seeds * seeds) as f64;
            }
        }
        for (found, mean, variance) in pooled.into_values() {
            close(found, seeds * QUERIES, mean, variance.sqrt(), 3.0);
        }
    }
}

#[test]
fn the_share_is_exact_through_removals_and_doublings() {
    for (bits, crowding) in [(2u32, 0u32), (4, 0), (6, 3)] {
        let mut filter = small(bits);
        let mut keys = Vec::new();
        for step in 0..1500u64 {
            let hash = KeyHash::new(noise(step) >> crowding);
            if noise(!step) % 5 < 3 {
                filter.insert_hash(hash).unwrap();
                keys.push(hash);
            } else if !keys.is_empty() {
                let at = noise(step) as usize % keys.len();
                assert!(filter.remove_hash(keys.swap_remove(at)));
            }
            if step % 100 == 0 {
                assert_eq!(filter.expected_fpr(), counted(&filter), "step {step}");
                filter.validate().unwrap();
            }
        }
        assert!(filter.params().doublings > 2);
        assert_eq!(filter.expected_fpr(), counted(&filter));
    }
}

#[test]
fn a_plan_keeps_the_rate_to_its_last_doubling() {
    let mut planned = 0;
    for fpr in [0.3, 0.1, 0.05, 0.01, 1.0 / 256.0, 1e-3, 1e-5, 1e-9, 1e-12] {
        for keys in [1u64, 60, 1000, 123_456, 1 << 30] {
            let params = match Filter::plan(Goal::new(keys, Budget::Fpr(fpr))) {
                Ok(plan) => plan.params,
                Err(error) => {
                    assert!(keys as f64 > 1e17 * fpr, "{error}");
                    continue;
                }
            };
            planned += 1;
            let full = theory::fpr(&params, u64::MAX).mean;
            assert!(full <= fpr, "{params:?} at {fpr}: {full}");
            // One doubling more would not, or a hash has no bit for it.
            let more = params.with_max_doublings(params.max_doublings + 1);
            assert!(more.check().is_err() || theory::fpr(&more, u64::MAX).mean > fpr);
            // The bound in the docs.
            let (doublings, bits) = (params.max_doublings, params.fingerprint_bits as i32);
            let bound = 0.95 * f64::from(doublings + 2) * 0.5f64.powi(bits + 1);
            assert!(full <= bound * (1.0 + 1e-12));
            // Keys that look alike, which are many at high rates, count twice in it.
            assert!(full > 0.95 * bound || fpr > 0.02, "{params:?}: {full}, {bound}");
            if keys <= 1000 && fpr >= 1e-5 {
                assert!(doublings >= 20, "{params:?}");
            }
        }
    }
    assert_eq!(planned, 43);
    // The first is good for 41 doublings, of which a hash has the bits for 37.
    for (fpr, bits, doublings) in [(0.01, 11, 37), (1.0 / 256.0, 12, 31), (1e-3, 14, 32)] {
        let params = Filter::plan(Goal::fpr(1000, fpr)).unwrap().params;
        assert_eq!((params.fingerprint_bits, params.max_doublings), (bits, doublings));
    }
}

#[test]
fn a_filter_after_its_last_doubling_keeps_the_rate_asked_for() {
    const QUERIES: u64 = 500_000;
    for (doublings, fpr) in [(6, 0.02), (10, 0.05), (12, 0.1)] {
        let plan = Filter::plan_doublings(Goal::fpr(60, fpr), doublings).unwrap();
        let mut filter = Filter::new(plan).unwrap();
        let last = filter.params().max_doublings;
        assert!((doublings..doublings + 3).contains(&last));
        let mut key = 0u64;
        let full = loop {
            let before = filter.entries();
            if let Err(full) = filter.insert(&key) {
                assert_eq!(filter.entries(), before);
                break full;
            }
            key += 1;
        };
        let (what, limit) = ("doublings", u64::from(last));
        assert_eq!(full, InsertError::Limit { what, limit });
        assert_eq!(filter.entries(), filter.params().max_entries());
        assert_eq!(filter.params().doublings, last);
        assert!((0..key).all(|key| filter.contains(&key)));
        let found = false_positives(&filter, QUERIES);
        let predicted = theory::fpr(&filter.params(), key);
        assert!(predicted.mean <= fpr && predicted.mean > 0.75 * fpr);
        close(found, QUERIES, predicted.mean, predicted.sd, 4.0);
        // A refused insert changes nothing and is refused again.
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(filter.insert(&key), Err(full));
        assert_eq!(filter.insert_batch(&[KeyHash::of(&key, 0)]).unwrap_err().error, full);
        assert_eq!(filter.grow(), Err(full));
        assert_eq!(filter.to_bytes().unwrap(), bytes);
        let text = format!(
            "the filter would exceed its limit of {last} doublings. Allow it more doublings"
        );
        assert_eq!(full.to_string(), text);
        filter.allow_growth(last + 1).unwrap();
        filter.insert(&key).unwrap();
        assert_eq!(filter.params().doublings, last + 1);
        assert!((0..=key).all(|key| filter.contains(&key)));
    }
}

#[test]
fn no_history_takes_the_rate_above_the_bound() {
    // In a full table nothing is removed; or some of the youngest keys are, again and again; or of
    // the oldest ones; or of these, and the filter is grown by hand.
    for history in 0..4 {
        for bits in [3u32, 6] {
            let mut filter = small(bits);
            let mut keys = VecDeque::new();
            let mut key = 0u64;
            while filter.params().doublings < 11 {
                let bound = |filter: &Filter| {
                    let params = filter.params();
                    theory::fpr(&params.with_max_doublings(params.doublings), u64::MAX)
                };
                let (params, most) = (filter.params(), filter.params().max_entries());
                for _ in 0..=most {
                    if filter.entries() == most {
                        let turned = noise(key) % 8;
                        for _ in 0..turned {
                            let gone = match history {
                                0 => None,
                                1 => keys.pop_back(),
                                _ => keys.pop_front(),
                            };
                            assert!(gone.is_none_or(|key: u64| filter.remove(&key)));
                        }
                    }
                    if filter.entries() == most {
                        break;
                    }
                    filter.insert(&key).unwrap();
                    keys.push_back(key);
                    key += 1;
                }
                // The formula is a mean; entries that overlap can only lower the share.
                let (now, bound) = (filter.expected_fpr(), bound(&filter));
                assert!(now <= bound.mean + 6.0 * bound.sd, "{params:?}: {now}, {bound:?}");
                if history == 3 {
                    filter.grow().unwrap();
                }
                // As many as fit after it.
                filter.insert(&key).unwrap();
                keys.push_back(key);
                key += 1;
            }
            assert!(keys.iter().all(|key| filter.contains(key)));
            filter.validate().unwrap();
        }
    }
}
