//! Removal, growth and overfilling on the page.

use super::made::{Made, course, facts, rows};
use crate::contender::{Ability, Family};
use crate::record::{Cell, Row, Workload};
use crate::run::ContenderFacts;

const SET: &str = "random-u64";

fn grower() -> (ContenderFacts, Vec<Row>) {
    let facts = ContenderFacts {
        abilities: vec![Ability::Insert, Ability::Grow],
        ..facts("grower", Family::Scalable)
    };
    let mut all = rows("grower", SET, 1000, 0.01, 50.0);
    all.extend(course(
        "grower",
        Workload::Grow,
        10,
        &[10, 31, 100, 313, 1000],
    ));
    (facts, all)
}

fn overfilled(name: &str) -> Vec<Row> {
    let mut all = rows(name, SET, 1000, 0.01, 10.0);
    all.extend(course(name, Workload::Overfill, 1000, &[1000, 2000, 5000]));
    all
}

/// The element of a plot.
fn figure<'a>(page: &'a str, slug: &str) -> &'a str {
    let start = page.find(&format!("id=\"{slug}\"")).unwrap();
    page[start..].split("</figure>").next().unwrap()
}

#[test]
fn growth_and_overfilling_are_drawn_told_and_tabled_and_make_no_heats() {
    let (facts_of, rows_of) = grower();
    let made = Made::new()
        .with(facts("bloom", Family::Classic), overfilled("bloom"))
        .with(facts_of, rows_of);
    let (page, readme, table) = made.drawn();
    let past = figure(&page, "rate-past-plan");
    assert!(past.contains("With twice the planned keys: bloom 2.00") && !past.contains("grower"));
    let rate = figure(&page, "grow-rate");
    assert!(rate.contains("asked: 1 %") && rate.contains("grower 100"));
    assert!(figure(&page, "grow-bits").contains("At the end, in bits per key: grower"));
    for text in [&page, &readme] {
        assert!(text.contains("Overfilled: filters that do not grow"));
        assert!(text.contains("Growing: filters built for a hundredth"));
        assert!(text.contains("5,000"));
    }
    // Stops do not count as sizes for comparison.
    assert!(!table.contains("313 keys") && !page.contains("5,000 keys, random-u64"));
    assert_eq!(table.matches(" keys, random-u64").count(), 1);
}

#[test]
fn who_does_not_know_how_many_keys_come_is_answered_by_those_that_grew_and_kept_their_rate() {
    let (facts_of, rows_of) = grower();
    let loose = Made::new().with(facts_of.clone(), rows_of.clone());
    let answer = |made: &Made| {
        made.drawn()
            .0
            .split("id=\"machine\"")
            .next()
            .unwrap()
            .to_owned()
    };
    // A filter at a hundred times the rate is no answer, however small it is.
    assert!(!answer(&loose).contains("after growing a hundredfold"));
    let keeps = ContenderFacts {
        name: "keeper".to_owned(),
        ..facts_of
    };
    let mut rows_of_keeper = rows("keeper", SET, 1000, 0.01, 50.0);
    rows_of_keeper.extend(course("keeper", Workload::Grow, 1000, &[1000]));
    let both = loose.with(keeps, rows_of_keeper);
    let answer = answer(&both);
    assert!(answer.contains("10.00\u{a0}bits per key with 1,000 keys, after growing"));
    assert!(answer.contains("above the rate: grower (100"));
    assert!(answer.contains("no other here keeps its rate"));
}

#[test]
fn without_such_records_the_page_says_what_is_left_out() {
    let (page, ..) = Made::usual().drawn();
    assert!(page.contains("no filter was overfilled"));
    assert!(page.contains("no filter that grows was measured"));
    assert!(!page.contains("id=\"grow-rate\"") && !page.contains("Overfilled:"));
}

#[test]
fn a_refusal_is_a_cross_and_words_and_no_error() {
    let cell = Cell {
        key_set: SET.to_owned(),
        keys: 2000,
        planned_keys: Some(1000),
        asked_fpr: Some(0.01),
    };
    let mut all = rows("full", SET, 1000, 0.01, 10.0);
    all.extend(course("full", Workload::Overfill, 1000, &[1000]));
    all.push(Row {
        refused_at: Some(1100),
        ..Row::new("full", &cell, Workload::Overfill)
    });
    let made = Made::new().with(facts("full", Family::Cuckoo), all);
    let (page, readme, _) = made.drawn();
    let past = figure(&page, "rate-past-plan");
    assert!(past.contains("full at 1.10"));
    let outline = |line: &&str| line.contains("s-cuckoo") && line.matches(',').count() == 17;
    let plot = made.dir.path().join("latest/rate-past-plan.svg");
    let plot = std::fs::read_to_string(plot).unwrap();
    assert_eq!(plot.lines().filter(outline).count(), 1);
    assert!(readme.contains("refuses when it has 1,100"));
    assert!(!page.contains("failed (") && !page.contains("<strong>ERROR</strong>"));
}

#[test]
fn a_failed_filling_is_an_error_with_its_reason() {
    let cell = Cell {
        key_set: SET.to_owned(),
        keys: 1000,
        planned_keys: Some(1000),
        asked_fpr: Some(0.01),
    };
    let mut all = rows("bad", SET, 1000, 0.01, 10.0);
    all.push(Row::failed("bad", &cell, Workload::Overfill, "lost 3 keys"));
    let (page, readme, _) = Made::usual()
        .with(facts("bad", Family::Cuckoo), all)
        .drawn();
    assert!(page.contains("One cell failed (bad)") && readme.contains("lost 3 keys"));
}

#[test]
fn removal_has_a_column_where_somebody_removes_and_nowhere_else() {
    let (_, _, table) = Made::usual().drawn();
    assert!(!table.contains("remove"));
    let mut all = rows("remover", SET, 1000, 0.01, 10.0);
    let cell = all[0].cell();
    all.push(Row {
        median_ns: Some(77.0),
        fpr_agrees: Some(false),
        ..Row::new("remover", &cell, Workload::Remove)
    });
    let (page, _, table) = Made::new()
        .with(facts("remover", Family::Counting), all)
        .drawn();
    assert!(
        table.contains("remove") && table.contains("77.0"),
        "{table}"
    );
    assert!(page.contains("77.0") && page.contains("≠ formula"));
}
