//! Truncated filters are those that their keys would have been built into.

use amq_conformance::testing::hashes;
use amq_ribbon::{
    Budget, BuildError, BuildFilter, DecodeError, Filter, FilterFile, Goal, KeyHash, LoadOptions,
    RibbonFilter, RibbonMap, TruncateError,
};

fn built(budget: Budget, hashes: &[KeyHash]) -> Result<RibbonFilter, BuildError> {
    RibbonFilter::build_hashes(budget, hashes.len() as u64, hashes)
}

/// From and to each layout: slots of one to four bytes, whole columns, short blocks.
fn budgets(n: u64) -> Vec<Budget> {
    let rates =
        [33.0, 32.0, 28.5, 24.0, 23.99, 17.0, 16.0, 12.3, 9.0, 8.0, 7.5, 6.64, 2.0, 1.0, 0.3];
    let rates = rates.iter().map(|bits: &f64| Budget::Fpr((-bits).exp2()));
    let bits = [40.0, 33.5, 24.1, 20.0, 16.2, 16.0, 13.5, 10.1, 8.04, 6.7, 3.4, 1.2];
    let bytes = bits.iter().map(|bits| Budget::Bytes((n as f64 * bits / 8.0) as u64));
    let bits = bits.iter().map(|&bits| Budget::BitsPerKey(bits));
    rates.chain(bits).chain(bytes).collect()
}

#[test]
fn a_truncated_filter_is_the_one_built_within_the_budget() {
    let mut equal = 0;
    for n in [0, 1, 7, 8, 63, 100, 1200, 1201, 5000, 70_000] {
        let hashes = hashes(0..n, n);
        let budgets = budgets(n);
        let wanted: Vec<_> = budgets.iter().map(|&budget| built(budget, &hashes)).collect();
        for from in wanted.iter().flatten() {
            for (&budget, wanted) in budgets.iter().zip(&wanted) {
                let mut filter = from.clone();
                match (filter.truncate(budget), wanted) {
                    (Ok(()), Ok(wanted)) if n > 0 => {
                        let [found, wanted] = [&filter, wanted].map(|f| f.to_bytes().unwrap());
                        assert!(found == wanted, "{n} keys, {from:?} within {budget:?}");
                        equal += 1;
                    }
                    // It has no columns that could differ.
                    (Ok(()), Ok(_)) => assert_eq!(filter.size_in_bytes(), 0),
                    (Err(TruncateError::Plan(found)), Err(BuildError::Plan(wanted))) => {
                        assert_eq!(found, *wanted);
                    }
                    (Err(TruncateError::Larger { .. }), Ok(wanted)) => {
                        assert!(wanted.size_in_bytes() >= from.size_in_bytes());
                        assert!(wanted.expected_fpr() <= from.expected_fpr());
                    }
                    (found, wanted) => panic!("{n} keys within {budget:?}: {found:?}, {wanted:?}"),
                }
            }
        }
    }
    assert!(equal > 2000, "{equal}");
}

/// A goal of more keys than there are keeps its capacity.
#[test]
fn a_filter_built_for_a_goal_is_truncated_for_as_many_keys() {
    let hashes = hashes(0..3000, 3000);
    for keys in [3000, 5000, 100_000] {
        for budget in [Budget::Fpr(0.01), Budget::BitsPerKey(7.7), Budget::Bytes(9000)] {
            let of = |budget| RibbonFilter::build_hashes(Goal::new(keys, budget), 3000, &hashes);
            let Ok(wanted) = of(budget) else { continue };
            let mut filter = of(Budget::Fpr(1e-9)).unwrap();
            filter.truncate(budget).unwrap();
            assert_eq!(filter.to_bytes().unwrap(), wanted.to_bytes().unwrap(), "{keys} {budget:?}");
        }
    }
}

#[test]
fn a_rate_and_a_size_that_a_filter_has_are_no_larger_budget() {
    for n in [1, 8, 100, 1500, 20_000] {
        let hashes = hashes(0..n, n);
        for budget in budgets(n) {
            let Ok(filter) = built(budget, &hashes) else { continue };
            let (bytes, rate) = (filter.size_in_bytes(), filter.expected_fpr());
            let mut same = filter.clone();
            same.truncate(Budget::Fpr(rate)).unwrap();
            assert!(same.expected_fpr() <= rate * 1.001);
            let mut same = filter;
            match (same.truncate(Budget::Bytes(bytes)), built(Budget::Bytes(bytes), &hashes)) {
                (Ok(()), Ok(wanted)) => assert!(same == wanted, "{n} keys, {budget:?}"),
                // A plan allows for more bumped keys than the least filter here has.
                (Err(TruncateError::Plan(found)), Err(wanted)) => {
                    assert_eq!(BuildError::Plan(found), wanted);
                }
                (found, wanted) => panic!("{n} keys, {budget:?}: {found:?}, {wanted:?}"),
            }
        }
    }
}

#[test]
fn maps_and_views_are_refused_within_a_budget_by_name() {
    let map = RibbonMap::build(4, (0..100u64).map(|key| (key, 3))).unwrap();
    let options = LoadOptions::new().budget(Budget::Fpr(0.1));
    let refused = options.from_bytes::<RibbonMap>(&map.to_bytes().unwrap()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a filter of the kind `ribbon-map` cannot be truncated; kinds that can: `ribbon`, `fuse`, \
         `quotient`. Build a smaller one from its keys"
    );
    let filter = RibbonFilter::build(Budget::Fpr(0.01), 0..100u64).unwrap();
    let bytes = filter.to_bytes().unwrap();
    let refused = options.view::<RibbonFilter>(&bytes).map(drop);
    assert_eq!(refused, Err(DecodeError::Budget(TruncateError::View)));
}
