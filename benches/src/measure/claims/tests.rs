use super::*;

/// The verdicts and the figures of the literature, and that what was measured is what was computed.
#[test]
fn every_claim_is_settled_as_theory_says_and_measured_alike() {
    use Verdict::{Depends, DoesNot, Holds};
    // How far the two figures may be apart, over the computed one. Differences of sizes, and counts
    // of a few hundred, scatter more.
    let expected = [
        ("bloom-halving", DoesNot, 0.15, "by 0.71; to multiply it by 0.5 takes 1.44 bits"),
        ("bloom-overfilled", DoesNot, 0.15, "83 %; 18 % is reached at 2.09"),
        ("bloom-megabytes", Holds, 0.15, "1199 kB, k = 7; 0.1 % 14.38 bits, 1797 kB"),
        ("bloom-sizes", Holds, 0.15, "0.1 % 14.38 bits, 1797 kB, k = 10"),
        ("bloom-decade", Holds, 0.15, "4.78 bits"),
        ("bloom-billion", Holds, 0.15, "14.38 bits, 1797204 kB, k = 10"),
        ("bloom-counted", Holds, 0.3, "989 ±"),
        ("counting-overflow", Depends, 0.15, "probability 7e-17"),
        ("counting-size", Holds, 0.15, "4.00 times"),
        ("cuckoo-size", Depends, 0.3, "below 0.42 %, and below 2.8 %"),
        (
            "quotient-size",
            Depends,
            0.3,
            "15 to 24 % larger; by rank and select, filled to 0.95, 6 to 12 % smaller",
        ),
        ("ribbon-size", Holds, 0.15, "27.2 % at 1 %"),
        ("ribbon-bumped-size", Holds, 0.15, "29.7 % at 1 %"),
        ("double-hashing", Depends, 0.15, "/m, whatever"),
        #[cfg(feature = "peers")]
        ("md5-speed", Depends, 0.15, ""),
        #[cfg(feature = "peers")]
        ("md5-rate", Holds, 0.15, ""),
    ];
    let claims = settled(&[], 100_000, 1);
    assert_eq!(claims.len(), expected.len());
    for (claim, (id, verdict, within, words)) in claims.iter().zip(expected) {
        assert_eq!((claim.id.as_str(), claim.verdict), (id, verdict));
        assert!(claim.detail.contains(words), "{id}: {}", claim.detail);
        if let (Some(computed), Some(measured)) = (claim.computed, claim.measured) {
            assert!((measured - computed).abs() <= within * computed.abs() + 1e-6, "{claim:?}");
        }
    }
}

#[test]
fn times_settle_their_claims_at_every_size_or_say_that_it_depends() {
    let row = |contender: &str, keys, workload, ns| Row {
        contender: contender.to_owned(),
        key_set: "random-u64".to_owned(),
        keys,
        workload,
        ns: Some(ns),
        asked_fpr: Some(0.01),
        ..Row::default()
    };
    let mut rows = Vec::new();
    for keys in [1000, 9000] {
        for (name, build, query) in [("bloom", 10.0, 10.0), ("ribbon", 31.0, 12.5)] {
            rows.push(row(name, keys, Workload::Build, build));
            rows.push(row(name, keys, Workload::Query50, query));
        }
    }
    let ground = Ground::new(1000, 1);
    let verdict = |rows: &[Row], id: &str| {
        let (_, measured, verdict, _) = settle(id, &ground, rows)?;
        Some((verdict, measured?))
    };
    assert_eq!(verdict(&rows, "ribbon-build"), Some((Verdict::Holds, 3.1)));
    assert_eq!(verdict(&rows, "ribbon-query"), Some((Verdict::DoesNot, 1.25)));
    rows.push(row("ribbon-bumped", 1000, Workload::Query50, 9.0));
    assert_eq!(verdict(&rows, "ribbon-query"), Some((Verdict::Depends, 1.25)));
    assert_eq!(verdict(&rows, "blocked-speed"), None);
}
