//! Filters that fail when keys are removed, or beyond their plan.

use super::*;
use crate::verify::beyond::{self, Course, verify_beyond};

/// The effort of two filters.
fn removed(fault: Fault, ours: bool) -> Result<Removal, Failure> {
    let made = made();
    verify_removal(&Broken { fault, ours }, &subject(&made), &EFFORT)
}

#[test]
fn a_good_remover_passes_with_the_counts_of_what_is_left_and_what_is_gone() {
    let mut row = Row::new("broken", &made_cell(), Workload::Remove);
    removed(Fault::Nothing, true).unwrap().write(&mut row);
    assert_eq!(
        (row.seeds, row.present_queries, row.absent_queries),
        (Some(2), Some(1000), Some(1000))
    );
    assert_eq!((row.false_negatives, row.fpr_agrees), (Some(0), Some(true)));
    assert!(row.fpr_low < Some(0.01) && row.fpr_high > Some(0.01));
}

#[test]
fn each_wrong_removal_is_found() {
    for (fault, text) in [
        (
            Fault::RemovesNothing,
            "1000 false positives in 1000 queries",
        ),
        (
            Fault::RemovesEverything,
            "false negatives among its 500 keys",
        ),
        (
            Fault::DeniesWhatItRemoves,
            "removed 499 of 500 present keys",
        ),
        (Fault::CannotChange, "claims to remove, but does not"),
        (Fault::PanicsWhenChanged, "panicked: changed"),
        (Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (Fault::Refuses, "build refused: no"),
    ] {
        let text_of = removed(fault, true).unwrap_err().to_string();
        assert!(text_of.contains(text), "{fault:?}: {text_of}");
    }
}

#[test]
fn a_peer_that_removes_too_little_is_flagged_and_one_that_forgets_is_not_accepted() {
    let mut row = Row::new("broken", &made_cell(), Workload::Remove);
    removed(Fault::RemovesNothing, false)
        .unwrap()
        .write(&mut row);
    assert_eq!(row.fpr_agrees, Some(false));
    assert!(removed(Fault::RemovesEverything, false).is_err());
}

#[test]
fn a_remover_that_goes_wrong_while_it_is_timed_is_an_error_row() {
    static TOO_MUCH: Broken = Broken {
        fault: Fault::RemovesEverything,
        ours: true,
    };
    static TOO_FEW: Broken = Broken {
        fault: Fault::DeniesWhatItRemoves,
        ours: true,
    };
    for (contender, text) in [
        (&TOO_MUCH, "after a timed removal it finds"),
        (&TOO_FEW, "removed Some(499) of 500 keys"),
    ] {
        let made = made();
        let subject = subject(&made);
        let filter = build(contender, &subject, 1).unwrap();
        let entrants = [Entrant {
            contender,
            cell: made_cell(),
            asked_fpr: Some(0.01),
            filter,
            expected: None,
            queries: 10,
            // As if it had passed verification.
            removal: removed(Fault::Nothing, true).ok(),
        }];
        let queries = Queries {
            none: subject.absent,
            half: subject.present,
            all: subject.present,
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let progress = Progress::hidden();
        let rows = race(&entrants, &queries, &subject, 1, &mut rng, &progress);
        let is_removal = |row: &&Row| row.workload == Workload::Remove;
        let row = rows.iter().find(is_removal).unwrap();
        assert!(row.error.contains(text), "{}", row.error);
        assert!(has_no_numbers(row), "{row:?}");
    }
}

/// The rows up to five times the thousand planned keys.
fn filled(fault: Fault, workload: Workload) -> Vec<Row> {
    let made = KeySet::RandomU64.make(5000, 20_000, 5).unwrap();
    let course = Course {
        workload,
        planned: 1000,
        stops: vec![1000, 2000, 5000],
    };
    let contender = Broken { fault, ours: true };
    let cell = Cell {
        planned_keys: Some(1000),
        ..made_cell()
    };
    let outcome = verify_beyond(&contender, &subject(&made), &course, &EFFORT);
    beyond::rows(&contender.info(), &cell, workload, &outcome)
}

#[test]
fn a_filter_that_takes_further_keys_has_its_numbers_at_every_stop() {
    for workload in [Workload::Grow, Workload::Overfill] {
        let rows = filled(Fault::Nothing, workload);
        let keys: Vec<u64> = rows.iter().map(|row| row.keys).collect();
        assert_eq!(keys, [1000, 2000, 5000]);
        for row in rows {
            assert_eq!((row.error.as_str(), row.refused_at), ("", None));
            assert_eq!(row.planned_keys, Some(1000));
            assert_eq!((row.fpr_agrees, row.false_negatives), (Some(true), Some(0)));
            assert_eq!(row.present_queries, Some(2 * row.keys));
            assert_eq!(row.absent_queries, Some(40_000));
            assert!(row.held_bytes >= Some(row.keys * 8));
            assert_eq!(row.held_bytes, row.said_bytes);
        }
    }
}

#[test]
fn a_refusal_is_recorded_as_such_and_is_no_error() {
    let rows = filled(Fault::RefusesFurtherKeys, Workload::Overfill);
    assert_eq!(rows.len(), 2, "there is no stop after a refusal");
    assert_eq!((rows[0].refused_at, rows[0].fpr_agrees), (None, Some(true)));
    let cell = Cell {
        keys: 2000,
        planned_keys: Some(1000),
        ..made_cell()
    };
    let refused = Row {
        refused_at: Some(1200),
        ..Row::new("broken", &cell, Workload::Overfill)
    };
    assert_eq!(rows[1], refused, "no numbers but where it refused");
}

#[test]
fn each_wrong_filling_is_one_error_row_without_numbers() {
    for (fault, text) in [
        (
            Fault::RefusesAndForgets,
            "1 false negatives among its 1200 keys",
        ),
        (
            Fault::DropsFurtherKeys,
            "false negatives among its 2000 keys",
        ),
        (Fault::CannotChange, "claims to insert, but does not"),
        (Fault::PanicsWhenChanged, "panicked: changed"),
        (Fault::HasAThirdOfTheRate, "predicted rate 1.0000e-2"),
        (Fault::LiesAboutItsSize, "reports 7999 bytes"),
    ] {
        let rows = filled(fault, Workload::Overfill);
        assert_eq!(rows.len(), 1, "{fault:?}");
        assert!(rows[0].error.contains(text), "{fault:?}: {}", rows[0].error);
        assert!(has_no_numbers(&rows[0]), "{fault:?}: {:?}", rows[0]);
    }
}

#[test]
fn a_filter_that_grows_must_keep_the_rate_and_one_that_is_overfilled_need_not() {
    let rows = filled(Fault::ErrsMoreThanAsked, Workload::Grow);
    assert!(
        rows[0].error.contains("above the target rate 1.0000e-2"),
        "{}",
        rows[0].error
    );
    let rows = filled(Fault::ErrsMoreThanAsked, Workload::Overfill);
    assert!(rows.iter().all(|row| row.error.is_empty()));
}

#[test]
fn what_has_no_seed_is_verified_once() {
    let seeded = Broken {
        fault: Fault::Nothing,
        ours: true,
    }
    .info();
    let unseeded = Info {
        seeded: false,
        ..seeded
    };
    assert_eq!(EFFORT.of(&seeded), EFFORT);
    let once = EFFORT.of(&unseeded);
    assert_eq!((once.min_seeds, once.max_seeds), (1, 1));
}
