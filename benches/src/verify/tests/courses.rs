//! Filters that fail at some load, in churn, or in a merge.

use super::*;
use crate::courses::churn::of_slots as churn_of_slots;
use crate::courses::load::of_slots;
use crate::courses::merge::Merging;
use crate::courses::{Ground, Setting, Track, entrants};
use crate::suite::Suite;

/// The rows of a course of such a contender, timed twice.
fn rows_of(track: &dyn Track, fault: Fault, ours: bool) -> Vec<Row> {
    let contender: &'static Broken = Box::leak(Box::new(Broken { fault, ours }));
    let setting = Setting {
        suite: Suite::Smoke,
        seed: 5,
        rounds: 2,
    };
    let ground = Ground::new(track, setting).unwrap();
    let cell = Cell {
        planned_keys: Some(track.planned() as u64),
        ..made_cell()
    };
    track.run(&ground, vec![(contender, cell)], &Progress::hidden())
}

fn loaded(fault: Fault, ours: bool) -> Vec<Row> {
    rows_of(&of_slots(SLOTS as usize, Suite::Smoke), fault, ours)
}

fn churned(fault: Fault) -> Row {
    let rows = rows_of(&churn_of_slots(SLOTS as usize), fault, true);
    assert_eq!(rows.len(), 1);
    rows[0].clone()
}

fn merged(fault: Fault) -> Row {
    let rows = rows_of(&Merging { keys: 1000 }, fault, true);
    assert_eq!(rows.len(), 1);
    rows[0].clone()
}

/// Loads of the rows of a workload, in hundredths.
fn loads(rows: &[Row], workload: Workload) -> Vec<u64> {
    let of = rows.iter().filter(|row| row.workload == workload);
    of.map(|row| (row.load.unwrap() * 100.0).round() as u64)
        .collect()
}

#[test]
fn a_good_table_has_numbers_at_every_load_up_and_down() {
    let rows = loaded(Fault::Nothing, true);
    let up = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95];
    assert_eq!(loads(&rows, Workload::LoadInsert), up);
    assert_eq!(loads(&rows, Workload::LoadQuery), up);
    let down = [90, 80, 70, 60, 50, 40, 30, 20, 10, 0];
    assert_eq!(loads(&rows, Workload::LoadRemove), down);
    for row in rows {
        assert_eq!((row.error.as_str(), row.refused_at), ("", None));
        assert_eq!(row.planned_keys, Some(1187));
        assert_eq!((row.rounds, row.median_ns.is_some()), (Some(2), true));
        if row.workload == Workload::LoadQuery {
            // Half of its queries are for present keys.
            assert!(row.hits >= Some(1024));
        } else {
            assert_eq!((row.fpr_agrees, row.false_negatives), (Some(true), Some(0)));
            assert_eq!(row.present_queries, Some(4 * row.keys));
        }
    }
}

#[test]
fn a_table_that_refuses_says_at_which_load_and_is_not_timed_there() {
    let rows = loaded(Fault::RefusesFurtherKeys, true);
    let refused: Vec<&Row> = rows.iter().filter(|row| row.refused_at.is_some()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].workload, Workload::LoadInsert);
    assert_eq!((refused[0].refused_at, refused[0].keys), (Some(1200), 1200));
    assert_eq!((refused[0].load, refused[0].median_ns), (Some(0.96), None));
    // The way down begins at the last good stop.
    assert_eq!(loads(&rows, Workload::LoadRemove).len(), 10);
    assert!(rows.iter().all(|row| row.error.is_empty()));
}

#[test]
fn a_table_that_forgets_a_key_when_it_is_full_is_an_error_row_and_the_rows_before_stay() {
    let rows = loaded(Fault::RefusesAndForgets, true);
    let wrong: Vec<&Row> = rows.iter().filter(|row| !row.error.is_empty()).collect();
    assert_eq!(wrong.len(), 1);
    let text = &wrong[0].error;
    assert!(
        text.contains("1 false negatives among its 1200 keys"),
        "{text}"
    );
    assert_eq!((wrong[0].load, wrong[0].median_ns), (Some(0.96), None));
    let good = |row: &&Row| row.workload == Workload::LoadInsert && row.median_ns.is_some();
    assert_eq!(rows.iter().filter(good).count(), 10);
}

#[test]
fn a_table_that_forgets_on_the_way_ends_its_course_there() {
    let rows = loaded(Fault::ForgetsWhenHalfFull, true);
    assert_eq!(loads(&rows, Workload::LoadInsert), [10, 20, 30, 40, 50, 60]);
    assert_eq!(loads(&rows, Workload::LoadQuery), [10, 20, 30, 40, 50]);
    assert_eq!(loads(&rows, Workload::LoadRemove), []);
    for row in rows {
        let is_good = row.load < Some(0.55);
        assert_eq!(
            (row.error.is_empty(), row.median_ns.is_some()),
            (is_good, is_good)
        );
    }
}

#[test]
fn a_table_that_grows_ends_its_course_without_an_error() {
    let rows = loaded(Fault::GrowsWhenHalfFull, true);
    assert_eq!(loads(&rows, Workload::LoadInsert), [10, 20, 30, 40, 50]);
    assert_eq!(loads(&rows, Workload::LoadRemove), []);
    assert!(rows.iter().all(|row| row.error.is_empty()));
}

#[test]
fn each_wrong_way_down_is_an_error_row_and_the_way_up_stays() {
    for (fault, text) in [
        (Fault::RemovesEverything, "false negatives among its 1125"),
        (Fault::DeniesWhatItRemoves, "removed 61 of 62 present keys"),
    ] {
        let rows = loaded(fault, true);
        let wrong: Vec<&Row> = rows.iter().filter(|row| !row.error.is_empty()).collect();
        assert_eq!(wrong.len(), 1, "{fault:?}");
        assert!(wrong[0].error.contains(text), "{}", wrong[0].error);
        assert_eq!(wrong[0].workload, Workload::LoadRemove);
        assert_eq!(loads(&rows, Workload::LoadInsert).len(), 10);
    }
}

#[test]
fn a_rate_that_is_not_the_formulas_is_an_error_of_ours_and_a_flag_of_a_peers() {
    let wrong = |row: &&Row| !row.error.is_empty();
    let ours = loaded(Fault::HasThreeTimesTheRate, true);
    let first = ours.iter().find(wrong).unwrap();
    assert!(
        first.error.contains("predicted rate 1.0000e-2"),
        "{}",
        first.error
    );
    assert_eq!(first.median_ns, None);
    let theirs = loaded(Fault::HasThreeTimesTheRate, false);
    assert_eq!(theirs.iter().filter(wrong).count(), 0);
    assert!(theirs.iter().any(|row| row.fpr_agrees == Some(false)));
}

#[test]
fn what_cannot_go_over_the_course_says_so() {
    for (fault, text) in [
        (Fault::CannotChange, "cannot be made for more keys"),
        (Fault::HasNoSlots, "claims to have slots, but has none"),
        (Fault::PanicsWhenChanged, "panicked: changed"),
        (Fault::Refuses, "build refused: no"),
    ] {
        let rows = loaded(fault, true);
        assert_eq!(rows.len(), 1, "{fault:?}");
        assert!(rows[0].error.contains(text), "{fault:?}: {}", rows[0].error);
    }
    let track = of_slots(SLOTS as usize / 2, Suite::Smoke);
    let rows = rows_of(&track, Fault::Nothing, true);
    assert!(
        rows[0]
            .error
            .contains("1250 slots, too many for the 749 keys")
    );
}

#[test]
fn only_tables_of_slots_go_from_load_to_load() {
    let track = of_slots(SLOTS as usize, Suite::Smoke);
    static SLOTLESS: Broken = Broken {
        fault: Fault::HasNoSlots,
        ours: true,
    };
    static FIXED: Broken = Broken {
        fault: Fault::CannotChange,
        ours: true,
    };
    static GOOD: Broken = Broken {
        fault: Fault::Nothing,
        ours: true,
    };
    // A failure while probing a contender must not stay silent.
    static PANICS: Broken = Broken {
        fault: Fault::Panics,
        ours: true,
    };
    assert_eq!(
        entrants(&track, &[&SLOTLESS, &FIXED, &GOOD, &PANICS]).len(),
        2
    );
    assert_eq!(entrants(&Merging { keys: 10 }, &[&FIXED]).len(), 0);
}

#[test]
fn a_filter_that_bears_the_churn_has_its_numbers() {
    let row = churned(Fault::Nothing);
    assert_eq!(
        (row.error.as_str(), row.keys, row.load),
        ("", 1125, Some(0.9))
    );
    assert_eq!((row.fpr_agrees, row.false_negatives), (Some(true), Some(0)));
    assert_eq!((row.rounds, row.planned_keys), (Some(2), Some(1187)));
    assert!(row.median_ns.is_some() && row.operations > Some(10 * 1187 / 2));
    let row = churned(Fault::HasNoSlots);
    assert_eq!((row.error.as_str(), row.keys, row.load), ("", 1068, None));
}

#[test]
fn each_wrong_churn_is_an_error_row() {
    for (fault, text) in [
        (
            Fault::LosesOneInChurn,
            "false negatives among its 1125 keys",
        ),
        (
            Fault::KeepsWhatIsReplaced,
            "false negatives among its 1125 keys",
        ),
        (Fault::StopsReplacing, "replaced 296 of 593 keys"),
        (Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (Fault::CannotChange, "cannot be made for more keys"),
        (Fault::PanicsWhenChanged, "panicked: changed"),
    ] {
        let row = churned(fault);
        assert!(row.error.contains(text), "{fault:?}: {}", row.error);
        assert!(has_no_numbers(&row), "{fault:?}");
    }
}

#[test]
fn filters_that_become_one_have_their_numbers() {
    let row = merged(Fault::Nothing);
    assert_eq!((row.error.as_str(), row.keys), ("", 1000));
    assert_eq!((row.fpr_agrees, row.false_negatives), (Some(true), Some(0)));
    assert_eq!((row.rounds, row.present_queries), (Some(2), Some(4000)));
    assert!(row.median_ns.is_some());
}

#[test]
fn each_wrong_merge_is_an_error_row() {
    for (fault, text) in [
        (
            Fault::MergesAllButOne,
            "1 false negatives among its 1000 keys",
        ),
        (Fault::MergesNothing, "false negatives among its 1000 keys"),
        (Fault::RefusesToMerge, "refused to merge: no"),
        (Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (Fault::CannotChange, "cannot be made for more keys"),
        (Fault::PanicsWhenChanged, "panicked: changed"),
    ] {
        let row = merged(fault);
        assert!(row.error.contains(text), "{fault:?}: {}", row.error);
        assert!(has_no_numbers(&row), "{fault:?}");
    }
}
