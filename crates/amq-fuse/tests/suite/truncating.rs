//! Truncated filters equal those built from their keys.

use amq_fuse::{
    Budget, BuildError, BuildFilter, Filter, FilterFile, FuseFilter, Goal, Key, KeyHash,
    LoadOptions, TruncateError,
};

#[test]
fn a_truncated_filter_is_the_one_built_within_the_budget() {
    let mut equal = 0;
    for n in [1, 2, 7, 8, 100, 999, 5000, 70_000] {
        let hashes: Vec<KeyHash> = (0..n).map(|key: u64| key.key_hash(n)).collect();
        let rates = (1..=33).map(|bits| Budget::Fpr(f64::from(-bits).exp2()));
        let bits = [50.0, 36.3, 20.0, 18.1, 11.0, 9.2, 4.5, 2.3, 1.1];
        let bits = bits.into_iter().flat_map(|bits| {
            [Budget::BitsPerKey(bits), Budget::Bytes((n as f64 * bits / 8.0) as u64)]
        });
        let budgets: Vec<Budget> = rates.chain(bits).collect();
        let built = |&budget: &Budget| FuseFilter::build_hashes(budget, n, &hashes);
        let wanted: Vec<_> = budgets.iter().map(built).collect();
        for from in wanted.iter().flatten() {
            for (&budget, wanted) in budgets.iter().zip(&wanted) {
                let mut filter = from.clone();
                match (filter.truncate(budget), wanted) {
                    (Ok(()), Ok(wanted)) => {
                        let [found, wanted] = [&filter, wanted].map(|f| f.to_bytes().unwrap());
                        // With few keys whole bytes can be smaller, and a filter may have fewer
                        // bits.
                        let has_fewer = filter.params() == from.params() && n < 8;
                        assert!(found == wanted || has_fewer, "{n}: {from:?}, {budget:?}");
                        equal += u64::from(found == wanted);
                        assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)));
                    }
                    (Err(TruncateError::Plan(found)), Err(BuildError::Plan(wanted))) => {
                        assert_eq!(found, *wanted);
                    }
                    (Err(TruncateError::Larger { .. }), Ok(wanted)) => {
                        assert!(wanted.params().fingerprint_bits > from.params().fingerprint_bits);
                    }
                    (found, wanted) => panic!("{n} keys within {budget:?}: {found:?}, {wanted:?}"),
                }
            }
        }
    }
    assert!(equal > 5000, "{equal}");
}

/// A few keys of many planned: whole bytes take less than fewer bits and the room behind them.
#[test]
fn truncating_never_takes_more_bytes() {
    let mut kept_longer = 0;
    for n in [1, 2, 5, 8, 12, 20, 40, 100u64] {
        for planned in [n, 1000, 1_000_000] {
            for bits in [8, 9, 12, 16, 17, 24, 31] {
                let goal = Goal::fpr(planned, f64::from(-bits).exp2());
                let plan = FuseFilter::plan(goal).unwrap();
                let from = FuseFilter::build(plan, 0..n).unwrap();
                for fewer in (1..=bits).rev() {
                    let budget = Budget::Fpr(f64::from(-fewer).exp2());
                    let mut filter = from.clone();
                    filter.truncate(budget).unwrap();
                    assert!(
                        filter.size_in_bytes() <= from.size_in_bytes(),
                        "{n}, {fewer} {from:?}"
                    );
                    assert!(filter.expected_fpr() <= f64::from(-fewer).exp2() * 1.000_001);
                    assert!((0..n).all(|key| filter.contains(&key)));
                    let file = LoadOptions::new().budget(budget);
                    let read: FuseFilter = file.from_bytes(&from.to_bytes().unwrap()).unwrap();
                    assert!(read == filter);
                    // By way of another budget it is the same filter.
                    let mut again = from.clone();
                    for fewer in (fewer..=bits).rev() {
                        again.truncate(Budget::Fpr(f64::from(-fewer).exp2())).unwrap();
                    }
                    assert!(again == filter, "{n} of {planned}, {bits} to {fewer}");
                    kept_longer += u32::from(filter.params().fingerprint_bits > fewer as u32);
                }
            }
        }
    }
    assert!(kept_longer > 100, "{kept_longer}");
}
