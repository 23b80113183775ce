//! Truncated filters equal those built from their keys.

use amq_fuse::{
    Budget, BuildError, BuildFilter, Filter, FilterFile, FuseFilter, Key, KeyHash, TruncateError,
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
