//! Speed against load, churn and merging on the page, and the claims and needs about new families.

use super::made::{Made, facts, rows};
use crate::contender::{Ability, Family};
use crate::record::{Cell, Row, Workload};
use crate::run::ContenderFacts;

const SET: &str = "random-u64";

/// The rows of a table of a thousand slots, whose inserts cost more as it fills.
fn table(name: &str, workload: Workload, loads: &[u64], ns: f64) -> Vec<Row> {
    let row = |&hundredths: &u64| {
        let cell = Cell {
            key_set: SET.to_owned(),
            keys: hundredths * 10,
            planned_keys: Some(950),
            asked_fpr: Some(0.01),
        };
        Row {
            load: Some(hundredths as f64 / 100.0),
            absent_queries: Some(1_000_000),
            false_positives: Some(hundredths * 100),
            predicted_fpr: Some(hundredths as f64 / 1e4),
            fpr_low: Some(hundredths as f64 * 0.98 / 1e4),
            fpr_high: Some(hundredths as f64 * 1.02 / 1e4),
            fpr_agrees: Some(true),
            median_ns: Some(ns * (1.0 + hundredths as f64 / 10.0)),
            mad_ns: Some(0.1),
            unstable: Some(false),
            ..Row::new(name, &cell, workload)
        }
    };
    loads.iter().map(row).collect()
}

fn loaded(name: &str) -> Vec<Row> {
    let mut all = rows(name, SET, 1000, 0.01, 20.0);
    all.extend(table(name, Workload::LoadInsert, &[10, 50, 90], 10.0));
    all.extend(table(name, Workload::LoadQuery, &[10, 50, 90], 5.0));
    all.extend(table(name, Workload::LoadRemove, &[0, 10, 50], 7.0));
    all
}

fn single(name: &str, workload: Workload, ns: f64) -> Row {
    let mut row = table(name, workload, &[90], 1.0).remove(0);
    row.median_ns = Some(ns);
    row
}

fn remover(name: &str, family: Family) -> ContenderFacts {
    ContenderFacts {
        abilities: vec![Ability::Insert, Ability::Remove],
        ..facts(name, family)
    }
}

fn figure<'a>(page: &'a str, slug: &str) -> &'a str {
    let start = page.find(&format!("id=\"{slug}\"")).unwrap();
    page[start..].split("</figure>").next().unwrap()
}

#[test]
fn speed_is_drawn_against_load_on_both_ways_and_tabled() {
    let (page, readme, table) = Made::new()
        .with(remover("cuckoo", Family::Cuckoo), loaded("cuckoo"))
        .drawn();
    let insert = figure(&page, "insert-by-load");
    assert!(
        insert.contains("cuckoo from 20.0\u{a0}ns at load 0.10 to 100\u{a0}ns at 0.90"),
        "{insert}"
    );
    assert!(figure(&page, "query-by-load").contains("ns per query"));
    assert!(figure(&page, "remove-by-load").contains("load left"));
    for text in [&page, &readme] {
        assert!(text.contains("Load by load: tables of slots"));
        assert!(text.contains("0.500"));
    }
    // Loads do not count as sizes for comparison.
    assert_eq!(table.matches(" keys, random-u64").count(), 1);
}

#[test]
fn a_refusal_is_a_cross_and_what_forgets_a_key_when_full_is_an_error_with_its_reason() {
    let at = |name: &str, hundredths: u64| table(name, Workload::LoadInsert, &[hundredths], 1.0);
    let mut honest = loaded("honest");
    honest.push(Row {
        refused_at: Some(960),
        load: Some(0.96),
        ..Row::new("honest", &at("honest", 96)[0].cell(), Workload::LoadInsert)
    });
    let mut forgetful = loaded("forgetful");
    let cell = at("forgetful", 97)[0].cell();
    forgetful.push(Row {
        load: Some(0.97),
        ..Row::failed("forgetful", &cell, Workload::LoadInsert, "1 of 970 lost")
    });
    let made = Made::new()
        .with(remover("honest", Family::Quotient), honest)
        .with(remover("forgetful", Family::Cuckoo), forgetful);
    let (page, readme, _) = made.drawn();
    let insert = figure(&page, "insert-by-load");
    assert!(
        insert.contains("(hollow crosses): honest at 0.960."),
        "{insert}"
    );
    assert!(insert.contains("(hollow crosses beside times): forgetful at 0.970."));
    assert!(page.contains("One cell failed (forgetful)") && readme.contains("1 of 970 lost"));
    let plot = made.dir.path().join("latest/insert-by-load.svg");
    let plot = std::fs::read_to_string(plot).unwrap();
    let crosses = |ink: &str| {
        let outline = |line: &&str| line.contains(ink) && line.matches(',').count() == 17;
        plot.lines().filter(outline).count()
    };
    assert_eq!((crosses("s-quotient"), crosses("s-cuckoo")), (1, 1));
}

#[test]
fn churn_and_merging_are_tabled_with_their_errors() {
    let mut good = rows("good", SET, 1000, 0.01, 20.0);
    good.push(single("good", Workload::Churn, 123.0));
    good.push(single("good", Workload::Merge, 4.5));
    let mut bad = rows("bad", SET, 1000, 0.01, 20.0);
    let cell = single("bad", Workload::Churn, 0.0).cell();
    bad.push(Row::failed("bad", &cell, Workload::Churn, "9 keys lost"));
    let (page, readme, _) = Made::new()
        .with(facts("good", Family::Quotient), good)
        .with(facts("bad", Family::Cuckoo), bad)
        .drawn();
    for text in [&page, &readme] {
        assert!(text.contains("Churn: keys replaced") && text.contains("123"));
        assert!(text.contains("Merging: a filter of half") && text.contains("4.50"));
        assert!(text.contains("9 keys lost"));
    }
    assert!(page.contains("One cell failed (bad)"));
    let (page, ..) = Made::usual().drawn();
    assert!(page.contains("no table of slots was measured") && !page.contains("Churn:"));
}

/// A filter of `bits` bits per key.
fn sized(name: &str, bits: u64, ns: f64) -> Vec<Row> {
    let mut all = rows(name, SET, 1000, 0.01, ns);
    all[0].held_bytes = Some(1000 * bits / 8);
    all
}

#[test]
fn what_is_said_of_a_family_is_settled_once_it_is_measured_and_not_before() {
    let made = Made::new().with(facts("bloom", Family::Classic), sized("bloom", 10, 20.0));
    let claims = |made: &Made| {
        let (page, ..) = made.drawn();
        let claims = page.split("id=\"claims\"").nth(1).unwrap();
        claims.split("id=\"limits\"").next().unwrap().to_owned()
    };
    let before = claims(&made);
    assert!(
        before.contains("A cuckoo filter is smaller"),
        "theory needs no record"
    );
    assert!(!before.contains("cuckoo is smaller") && !before.contains("ribbon is"));
    assert!(before.contains("not settled by measurement here"));
    // A peer of a family is not ours.
    let peer = ContenderFacts {
        ours: false,
        ..facts("peer", Family::Ribbon)
    };
    let made = made
        .with(facts("cuckoo", Family::Cuckoo), sized("cuckoo", 12, 20.0))
        .with(
            facts("quotient", Family::Quotient),
            sized("quotient", 11, 20.0),
        )
        .with(peer, sized("peer", 8, 20.0));
    let after = claims(&made);
    assert!(after.contains("cuckoo is smaller than a Bloom filter below 3"));
    assert!(
        after.contains("1.81 against 1.51\u{a0}times the bound"),
        "{after}"
    );
    assert!(after.contains("quotient is 10 to 25"));
    assert!(after.contains("counting, scalable and ribbon filters are not settled"));
    let made = made.with(facts("ribbon", Family::Ribbon), sized("ribbon", 7, 19.0));
    assert!(
        claims(&made).contains("30\u{a0}% smaller at its rate, 0.950\u{a0}times the build time")
    );
}

#[test]
fn who_removes_is_ranked_by_space_and_time_and_who_does_it_badly_is_not() {
    let removal = |name: &str, ns: f64| {
        let cell = sized(name, 10, 1.0)[0].cell();
        Row {
            median_ns: Some(ns),
            ..Row::new(name, &cell, Workload::Remove)
        }
    };
    let of = |name: &str, bits: u64, ns: f64| {
        let mut all = sized(name, bits, 20.0);
        all.push(removal(name, ns));
        all
    };
    let mut bad = sized("bad", 8, 20.0);
    let cell = bad[0].cell();
    bad.push(Row::failed("bad", &cell, Workload::Remove, "2 keys lost"));
    let counts = ContenderFacts {
        abilities: vec![
            Ability::Insert,
            Ability::Remove,
            Ability::Count,
            Ability::Merge,
        ],
        ..facts("small", Family::Quotient)
    };
    let few = ContenderFacts {
        family: Family::Cuckoo,
        name: "few".to_owned(),
        ..counts.clone()
    };
    let (page, ..) = Made::new()
        .with(counts, of("small", 10, 90.0))
        .with(few, of("few", 9, 90.0))
        .with(remover("quick", Family::Cuckoo), of("quick", 12, 30.0))
        .with(remover("bad", Family::Cuckoo), bad)
        .drawn();
    let answer = page.split("id=\"machine\"").next().unwrap();
    let row = |need: &str| {
        let row = answer.split("<tr>").find(|row| row.contains(need));
        row.unwrap_or_default().to_owned()
    };
    let chosen = |need: &str, name: &str| {
        let row = row(need);
        let chosen = row.split("</td>").next().unwrap_or_default();
        assert!(
            chosen.contains(&format!("<code>{name}</code>")),
            "{need}: {row}"
        );
        assert!(!row.contains("<code>bad</code>"), "{row}");
    };
    chosen("are removed; least memory", "few");
    chosen("are counted; least memory", "small");
    chosen("are removed; fastest removals", "quick");
    chosen("filters merged", "small");
}
