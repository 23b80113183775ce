//! Each check must fail a contender that is broken in exactly that way.

use super::*;
use crate::measure::broken::{Broken, EFFORT, Fault, made, subject};
use crate::record::State;

fn cell() -> Cell {
    Cell { key_set: "random-u64".to_owned(), keys: 1000, asked_fpr: Some(0.01), ..Cell::default() }
}

fn check(fault: Fault, ours: bool) -> Row {
    let made = made();
    let contender = Broken { fault, ours };
    let outcome = verify(&contender, &subject(&made), &EFFORT);
    row(&contender.info(), &cell(), &outcome)
}

fn removed(fault: Fault, ours: bool) -> Result<Answers, Failure> {
    let made = made();
    verify_removal(&Broken { fault, ours }, &subject(&made), &EFFORT)
}

#[test]
fn a_good_contender_passes_with_all_its_numbers() {
    let row = check(Fault::Nothing, true);
    assert_eq!((row.state, row.why.as_str()), (State::Measured, ""));
    assert_eq!((row.held_bytes, row.said_bytes), (Some(8000), Some(8000)));
    // A thousand false positives are expected of 100,000 queries: five filters of 20,000 each.
    assert_eq!(
        (row.seeds, row.absent_queries, row.present_queries),
        (Some(5), Some(100_000), Some(5000))
    );
    assert_eq!((row.false_negatives, row.fpr_agrees), (Some(0), Some(true)));
    assert!(row.fpr_low < Some(0.01) && row.fpr_high > Some(0.01));
    assert!(row.peak_build_bytes >= row.held_bytes);
}

#[test]
fn each_wrong_answer_is_a_failed_row_without_numbers() {
    for (fault, text) in [
        (Fault::ForgetsAKey, "1 false negatives among its 1000 keys"),
        (Fault::LiesAboutItsSize, "reports 7999 bytes but holds 8000"),
        (Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (Fault::HasAThirdOfTheRate, "predicted rate 1.0000e-2"),
        (Fault::CountsOtherwiseInBatches, "in the batch loop"),
        (Fault::CountsOtherwiseInChains, "in the dependent loop"),
        (Fault::Refuses, "build refused: no"),
        (Fault::Panics, "panicked: at 1"),
    ] {
        let row = check(fault, true);
        assert!(row.why.contains(text), "{fault:?}: {}", row.why);
        assert_eq!(row, Row::failed("broken", &cell(), Workload::Verify, &row.why));
    }
}

#[test]
fn each_wrong_removal_is_found() {
    for (fault, text) in [
        (Fault::RemovesNothing, "1000 false positives in 1000 queries"),
        (Fault::RemovesEverything, "false negatives among its 500 keys"),
        (Fault::DeniesWhatItRemoves, "removed 499 of 500 keys"),
        (Fault::CannotChange, "claims to remove, but does not"),
        (Fault::PanicsWhenChanged, "panicked: changed"),
        (Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (Fault::Refuses, "build refused: no"),
    ] {
        let why = removed(fault, true).unwrap_err().to_string();
        assert!(why.contains(text), "{fault:?}: {why}");
    }
    let mut row = Row::new("broken", &cell(), Workload::Remove);
    removed(Fault::Nothing, true).unwrap().write(&mut row);
    assert_eq!(
        (row.seeds, row.present_queries, row.absent_queries),
        (Some(2), Some(1000), Some(1000))
    );
}

#[test]
fn a_peer_of_another_rate_is_flagged_and_kept_and_one_that_forgets_is_not() {
    let row = check(Fault::HasThreeTimesTheRate, false);
    assert_eq!((row.state, row.fpr_agrees), (State::Measured, Some(false)));
    assert!(row.fpr_low > Some(0.025));
    assert_eq!(check(Fault::ForgetsAKey, false).state, State::Failed);
    removed(Fault::RemovesNothing, false).unwrap();
    removed(Fault::RemovesEverything, false).unwrap_err();
}

#[test]
fn where_there_is_no_filter_of_a_budget_that_is_no_failure() {
    let tight = Cell { asked_fpr: None, asked_bits: Some(2.0), ..cell() };
    let row =
        |cell: &Cell, failure: &Failure| failure.mark(Row::new("broken", cell, Workload::Verify));
    let refused = Failure::Build("too tight".to_owned());
    assert_eq!(row(&tight, &refused).state, State::Skipped);
    let asked = cell();
    assert_eq!(row(&asked, &refused).state, State::Failed);
    let panicked = Failure::Panic(String::new());
    assert_eq!(row(&tight, &panicked).state, State::Failed);
    let untimed = panicked.untime(Row::new("broken", &tight, Workload::Build));
    assert_eq!(untimed.state, State::Untimed);
}

#[test]
fn sizes_over_an_octave_are_least_and_most_per_key() {
    let made = made();
    let pool = match (&made.present, &made.absent) {
        (crate::keys::Store::U64(present), crate::keys::Store::U64(absent)) => {
            [present.as_slice(), absent].concat()
        }
        _ => Vec::new(),
    };
    let good = Broken { fault: Fault::Nothing, ours: true };
    let range = octave(&good, Keys::U64(&pool), 1000, &subject(&made)).unwrap();
    assert_eq!(range, (8000, 8000));
}
