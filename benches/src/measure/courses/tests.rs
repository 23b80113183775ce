//! Each wrong answer on a course must be found, and refusals and growth told from it.

use super::check::End;
use super::*;
use crate::contenders;
use crate::measure::broken::{Broken, Fault};
use crate::record::State;

fn setting(rounds: u64) -> Setting {
    Setting { suite: Suite::Smoke, seed: 1, rounds }
}

/// The rows of a broken contender.
fn broken(track: &Track, fault: Fault, rounds: u64) -> Vec<Timed> {
    let contender: &'static dyn Contender = Broken::lasting(fault, true);
    let entrants = entrants(track, &[contender]);
    run(track, entrants, setting(rounds), &Progress::hidden()).unwrap()
}

/// A broken contender on a course, checked only.
fn checked<'a>(track: &Track, fault: Fault, ground: &'a Ground) -> Lane<'a> {
    let cell = Cell { asked_fpr: Some(RATE), ..Cell::default() };
    let script = (track.script)(track, ground, None).unwrap();
    let contender = Broken::lasting(fault, true);
    Lane::checked(contender, &cell, script, ground, &Suite::Smoke.effort(1000)).unwrap()
}

#[test]
fn each_wrong_answer_on_a_course_is_found() {
    let (overfill, churn, merge) = (fill::overfill(800), churn::churn(1250), merge::merge(1000));
    let [climb, drain] = [load::climb, load::drain].map(|course| course(1250));
    let cases: [(&Track, Fault, &str); 20] = [
        (&overfill, Fault::CannotChange, "claims to insert, but does not"),
        (&overfill, Fault::PanicsWhenChanged, "panicked: changed"),
        (&overfill, Fault::DropsFurtherKeys, "false negatives among its 1200 keys"),
        (&overfill, Fault::RefusesAndForgets, "1 false negatives among its 1200 keys"),
        (&overfill, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (&overfill, Fault::LiesAboutItsSize, "bytes but holds"),
        (&climb, Fault::ForgetsWhenHalfFull, "1 false negatives among its 750 keys"),
        (&climb, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        (&climb, Fault::Refuses, "build refused: no"),
        (&drain, Fault::RemovesNothing, "predicted rate"),
        (&drain, Fault::RemovesEverything, "false negatives among its 1000 keys"),
        (&drain, Fault::DeniesWhatItRemoves, "removed 124 of 125 keys"),
        (&churn, Fault::LosesOneInChurn, "1 false negatives among its 1125 keys"),
        (&churn, Fault::KeepsWhatIsReplaced, "false negatives among its 1125 keys"),
        (&churn, Fault::StopsReplacing, "replaced 296 of 593 keys"),
        (&churn, Fault::CannotChange, "claims to replace, but does not"),
        (&merge, Fault::MergesAllButOne, "1 false negatives among its 1000 keys"),
        (&merge, Fault::MergesNothing, "false negatives among its 1000 keys"),
        (&merge, Fault::RefusesToMerge, "refused to merge: no"),
        (&merge, Fault::CannotChange, "claims to merge, but does not"),
    ];
    for (track, fault, text) in cases {
        // A failure ends the course, so it is in the last row.
        let last = broken(track, fault, 1).pop().unwrap().row;
        assert_eq!((last.state, last.ns), (State::Failed, None), "{fault:?}: {last:?}");
        assert!(last.why.contains(text), "{fault:?} {}: {}", track.title(), last.why);
    }
}

#[test]
fn what_grows_must_keep_its_target() {
    let track = fill::grow(1000);
    let ground = Ground::new(1000, setting(0)).unwrap();
    for (fault, fails) in [(Fault::Nothing, false), (Fault::ErrsMoreThanAsked, true)] {
        let lane = checked(&track, fault, &ground);
        let failed = lane.stops.iter().any(|stop| matches!(stop.end, Some(End::Failed(_))));
        assert_eq!(failed, fails, "{fault:?}");
    }
}

#[test]
fn a_refusal_is_no_failure_and_says_how_many_keys_were_held() {
    let rows = broken(&fill::overfill(800), Fault::RefusesFurtherKeys, 1);
    let states: Vec<(u64, State)> = rows.iter().map(|one| (one.row.keys, one.row.state)).collect();
    use State::{Measured, Refused};
    assert_eq!(states, [(800, Measured), (1200, Measured), (1600, Refused)]);
    assert_eq!(rows[2].row.refused_at, Some(1200));
    assert!(rows[1].row.ns.is_some() && rows[2].row.ns.is_none());
    // Past the last stop, at load 0.95, the way up goes on until it is refused.
    let rows = broken(&load::climb(1250), Fault::RefusesFurtherKeys, 1);
    let last = &rows.last().unwrap().row;
    assert_eq!((last.state, last.refused_at, last.load), (Refused, Some(1200), Some(0.96)));
    assert_eq!(rows.len(), 21);
}

#[test]
fn a_table_is_compared_by_load_only_while_its_slots_stay() {
    let rows = broken(&load::climb(1250), Fault::GrowsWhenHalfFull, 1);
    let loads: Vec<f64> = rows.iter().filter_map(|timed| timed.row.load).collect();
    assert_eq!(loads, [0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5]);
    assert!(broken(&load::climb(1250), Fault::HasNoSlots, 1).is_empty());
}

#[test]
fn every_stop_is_timed_beside_the_reference_and_without_rounds_none_is() {
    for rounds in [0, 2] {
        let rows = broken(&load::climb(1250), Fault::Nothing, rounds);
        assert_eq!(rows.len(), 20);
        for Timed { row, times } in rows {
            assert_eq!(row.state, State::Measured, "{}", row.why);
            // A long course has half of the rounds.
            let timed = rounds.div_ceil(2);
            assert_eq!(row.rounds.unwrap_or(0), timed);
            assert_eq!((times.ns.len(), times.reference.len()), (timed as usize, timed as usize));
            assert_eq!(row.reference.is_some(), rounds > 0);
            assert_eq!(row.hits.is_some(), row.workload == Workload::LoadQuery);
        }
    }
    let rows = broken(&churn::churn(1250), Fault::Nothing, 2);
    assert_eq!(rows.len(), 1, "the parts share a row");
    assert_eq!(rows[0].row.operations, Some(5 * 1187));
    assert_eq!((rows[0].row.keys, rows[0].row.load), (1125, Some(0.9)));
    let rows = broken(&load::drain(1250), Fault::Nothing, 2);
    let keys: Vec<u64> = rows.iter().map(|timed| timed.row.keys).collect();
    assert_eq!(keys, [1000, 875, 750, 625, 500, 375, 250, 125, 0]);
}

#[test]
fn a_filter_that_goes_wrong_while_it_is_timed_is_a_failed_row() {
    let ground = Ground::new(4000, setting(1)).unwrap();
    let mut lane = checked(&fill::overfill(800), Fault::Nothing, &ground);
    lane.contender = Broken::lasting(Fault::DropsFurtherKeys, true);
    lane.time(1);
    let [Timed { row, .. }] = &rows::rows(&[lane])[..] else {
        panic!("one row tells of the failure");
    };
    assert!(row.why.contains("after a timed course it finds"), "{row:?}");
}

#[test]
fn who_grows_is_not_overfilled_and_who_takes_no_keys_does_neither() {
    let names = |track: &Track| -> Vec<&str> {
        let entrants = entrants(track, &contenders::ALL);
        entrants.iter().map(|(contender, _)| contender.info().name).collect()
    };
    let (grow, over) = (names(&fill::grow(1000)), names(&fill::overfill(800)));
    assert!(over.contains(&"bloom") && over.contains(&"counting-bloom"));
    assert!(!over.contains(&"ribbon-bumped") && !over.contains(&"hash-only"));
    assert!(!grow.is_empty() && grow.iter().all(|name| !over.contains(name)));
}
