//! Each check must fail a contender that is broken in exactly that way.

use super::*;
use crate::keys::Store;
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

fn removed(fault: Fault, ours: bool) -> Row {
    let mut row = Row::new("broken", &cell(), Workload::Remove);
    match verify_removal(&Broken { fault, ours }, &subject(&made()), &EFFORT) {
        Ok(answers) => answers.write(&mut row),
        Err(failure) => row = failure.mark(row),
    }
    row
}

#[test]
fn a_good_contender_passes_with_all_its_numbers() {
    let row = check(Fault::Nothing, true);
    assert_eq!((row.state, row.why.as_str()), (State::Measured, ""));
    assert_eq!((row.held_bytes, row.said_bytes), (Some(8000), Some(8000)));
    // A thousand false positives are expected of 100,000 queries: five filters of 20,000 each.
    let counts = |row: &Row| (row.seeds, row.absent_queries, row.present_queries);
    assert_eq!(counts(&row), (Some(5), Some(100_000), Some(5000)));
    assert_eq!((row.false_negatives, row.fpr_agrees), (Some(0), Some(true)));
    assert!(row.fpr_low < Some(0.01) && row.fpr_high > Some(0.01));
    assert!(row.peak_build_bytes >= row.held_bytes);
    assert_eq!(counts(&removed(Fault::Nothing, true)), (Some(2), Some(1000), Some(1000)));
}

#[test]
fn each_wrong_answer_is_a_failed_row_without_numbers() {
    type Check = fn(Fault, bool) -> Row;
    let cases: [(Check, Fault, &str); 15] = [
        (check, Fault::ForgetsAKey, "1 false negatives among its 1000 keys"),
        (check, Fault::LiesAboutItsSize, "reports 7999 bytes but holds 8000"),
        (check, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (check, Fault::HasAThirdOfTheRate, "predicted rate 1.0000e-2"),
        (check, Fault::CountsOtherwiseInBatches, "in the batch loop"),
        (check, Fault::CountsOtherwiseInChains, "in the dependent loop"),
        (check, Fault::Refuses, "build refused: no"),
        (check, Fault::Panics, "panicked: at 1"),
        (removed, Fault::RemovesNothing, "1000 false positives in 1000 queries"),
        (removed, Fault::RemovesEverything, "false negatives among its 500 keys"),
        (removed, Fault::DeniesWhatItRemoves, "removed 499 of 500 keys"),
        (removed, Fault::CannotChange, "claims to remove, but does not"),
        (removed, Fault::PanicsWhenChanged, "panicked: changed"),
        (removed, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (removed, Fault::Refuses, "build refused: no"),
    ];
    for (check, fault, text) in cases {
        let row = check(fault, true);
        assert!(row.why.contains(text), "{fault:?}: {}", row.why);
        assert_eq!(row, Row::failed("broken", &cell(), row.workload, &row.why));
    }
}

#[test]
fn a_peer_of_another_rate_is_flagged_and_kept_and_one_that_forgets_is_not() {
    let row = check(Fault::HasThreeTimesTheRate, false);
    assert_eq!((row.state, row.fpr_agrees), (State::Measured, Some(false)));
    assert!(row.fpr_low > Some(0.025));
    assert_eq!(check(Fault::ForgetsAKey, false).state, State::Failed);
    assert_eq!(removed(Fault::RemovesNothing, false).state, State::Measured);
    assert_eq!(removed(Fault::RemovesEverything, false).state, State::Failed);
}

#[test]
fn where_there_is_no_filter_of_a_budget_that_is_no_failure() {
    let tight = Cell { asked_fpr: None, asked_bits: Some(2.0), ..cell() };
    let new = |cell: &Cell| Row::new("broken", cell, Workload::Verify);
    let (refused, wrong) = (Failure::Build(String::new()), Failure::Wrong(String::new()));
    assert_eq!(refused.mark(new(&tight)).state, State::Skipped);
    assert_eq!(refused.mark(new(&cell())).state, State::Failed);
    assert_eq!(wrong.mark(new(&tight)).state, State::Failed);
    assert_eq!(wrong.untime(new(&tight)).state, State::Untimed);
}

#[test]
fn sizes_over_an_octave_are_least_and_most_per_key() {
    let made = made();
    let (Store::U64(present), Store::U64(absent)) = (&made.present, &made.absent) else {
        panic!("integers are integers");
    };
    let pool = [present.as_slice(), absent].concat();
    let good = Broken { fault: Fault::Nothing, ours: true };
    let range = octave(&good, Keys::U64(&pool), 1000, &subject(&made)).unwrap();
    assert_eq!(range, (8000, 8000));
}
