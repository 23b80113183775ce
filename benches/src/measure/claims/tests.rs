use super::*;
use crate::record::{Cell, Records};
use std::collections::BTreeSet;
use std::path::Path;

/// The verdicts and the figures of the literature, and that what was measured is what was computed.
#[test]
fn every_claim_is_settled_as_theory_says_and_measured_alike() {
    use Verdict::{Depends, DoesNot, Holds};
    let expected = [
        ("bloom-halving", DoesNot, "by 0.71; to multiply it by 0.5 takes 1.44 bits"),
        ("bloom-overfilled", DoesNot, "83 %; 18 % is reached at 2.09"),
        ("bloom-megabytes", Holds, "1199 kB, k = 7; 0.1 % 14.38 bits, 1797 kB"),
        ("bloom-sizes", Holds, "0.1 % 14.38 bits, 1797 kB, k = 10"),
        ("bloom-decade", Holds, "4.78 bits"),
        ("bloom-billion", Holds, "14.38 bits, 1797204 kB, k = 10"),
        ("bloom-counted", Holds, "989 ±"),
        ("counting-overflow", Depends, "1.6e-15: 1.6e-9 counters for the 100000 keys"),
        ("counting-size", Holds, "4.00 times"),
        ("cuckoo-size", Depends, "below 0.42 %, and below 2.8 %"),
        (
            "quotient-size",
            Depends,
            "15 to 24 % larger; by rank and select, filled to 0.95, 6 to 12",
        ),
        ("ribbon-size", Holds, "29.7 % at 1 %"),
    ];
    let claims = settled(&[], 100_000, 1);
    assert_eq!(claims.len(), expected.len());
    for (claim, (id, verdict, words)) in claims.iter().zip(expected) {
        assert_eq!((claim.id.as_str(), claim.verdict), (id, verdict));
        assert!(claim.detail.contains(words), "{id}: {}", claim.detail);
        // Differences of sizes, and counts of a few hundred, scatter more.
        let scatters = ["bloom-counted", "cuckoo-size", "quotient-size"].contains(&id);
        let within = if scatters { 0.3 } else { 0.15 };
        if let (Some(computed), Some(measured)) = (claim.computed, claim.measured) {
            assert!((measured - computed).abs() <= within * computed.abs() + 1e-6, "{claim:?}");
        }
    }
}

#[test]
fn times_settle_their_claims_at_every_size_or_say_that_it_depends() {
    let row = |contender: &str, keys, workload, ns| Row {
        key_set: "random-u64".to_owned(),
        keys,
        ns: Some(ns),
        asked_fpr: Some(0.01),
        ..Row::new(contender, &Cell::default(), workload)
    };
    let mut rows = Vec::new();
    for (keys, query) in [(1000, 9.0), (9000, 12.5)] {
        for (name, build, query) in [("bloom", 10.0, 10.0), ("ribbon", 31.0, query)] {
            rows.push(row(name, keys, Workload::Build, build));
            rows.push(row(name, keys, Workload::Query50, query));
        }
    }
    let verdict = |id| {
        let (_, measured, verdict, _) = settle(id, &Ground::new(1000, 1), &rows)?;
        Some((verdict, measured?))
    };
    assert_eq!(verdict("ribbon-build"), Some((Verdict::Holds, 3.1)));
    assert_eq!(verdict("ribbon-query"), Some((Verdict::Depends, 1.25)));
    assert_eq!(verdict("blocked-speed"), None);
    rows.retain(|row| row.keys == 9000);
    assert_eq!(timed(&rows, &["ribbon"], Workload::Query50, 0.0..1.1).unwrap().2, Verdict::DoesNot);
}

/// What committed records claim about times follows from their rows.
#[test]
fn committed_verdicts_follow_from_their_records() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let ground = Ground::new(1000, 1);
    for path in ["reports/records", "reports/full/records"] {
        let record = Records::newest(&root.join(path), None).unwrap();
        let names = ["bloom", "blocked-bloom", "ribbon"];
        let rows = names.iter().flat_map(|name| record.rows(name).unwrap());
        let rows: Vec<Row> = rows.collect();
        let claims: Vec<Claim> = record.table("claims").unwrap();
        let timed = ["ribbon-build", "ribbon-query", "blocked-speed"];
        let timed = claims.iter().filter(|claim| timed.contains(&&*claim.id));
        assert_eq!(timed.clone().count(), 3);
        for claim in timed {
            let (_, measured, verdict, detail) = settle(&claim.id, &ground, &rows).unwrap();
            assert_eq!((verdict, measured), (claim.verdict, claim.measured), "{}", claim.id);
            let [told, kept] =
                [&detail, &claim.detail].map(|of| of.split("; ").collect::<BTreeSet<_>>());
            assert_eq!(told, kept, "{}", claim.id);
        }
    }
}
