//! Every wrong answer must be detected wherever it occurs, and nothing else.

mod broken;

use super::cell_group::CellGroup;
use super::cell_run::ASKED;
use super::plan::Plan;
use super::schedule::{REFERENCE, TimedRow};
use crate::contenders::{ALL, Contender};
use crate::progress;
use crate::record::State::{Failed, Measured, Refused, Skipped, Untimed};
use crate::record::{Options, Row, Suite, Workload};
use crate::scenarios::churn::CHURN;
use crate::scenarios::fill::{GROW, OVERFILL};
use crate::scenarios::load::LOAD;
use crate::scenarios::merge::MERGE;
use crate::scenarios::scenario::REMOVER;
use crate::scenarios::scenario::Scenario;
use crate::scenarios::threads;
use crate::scenarios::truncate::TRUNCATE;
use crate::scenarios::{DatasetSpec, Rounds};
use crate::workers::cores;
use Workload::{Batch50, Build, Dependent50, Query0, Query50, Query100, Remove, Verify};
use amq_core::Budget;
use broken::{Broken, Fault};

/// A thousand keys, and the number of filters verified: until a thousand false positives are
/// expected, at one in a hundred of each filter's queries.
const KEYS: u64 = 1000;
const FILTERS: u64 = 7;
const QUERIES: u64 = 1 << 14;
/// Filters that a sound contender builds before it is timed: one to warm up, `FILTERS`, and an
/// octave.
const UNTIMED: usize = 1 + FILTERS as usize + 8;

fn group(target: Budget) -> DatasetSpec {
    let mut spec = Suite::Smoke.of_sizes(&[KEYS]).remove(0);
    spec.targets = vec![(target, Rounds::Whole)];
    spec
}

fn plain() -> DatasetSpec {
    group(Budget::Fpr(0.01))
}

fn along(scenario: Scenario) -> DatasetSpec {
    Suite::Smoke.along(scenario, Rounds::Whole)
}

/// The rows of a contender in a run of `rounds` rounds.
fn found(contender: &'static Contender, spec: DatasetSpec, rounds: u64) -> Vec<TimedRow> {
    let options = Options { suite: Suite::Smoke, rounds, seed: 1, ..Options::default() };
    let plan =
        Plan { contenders: vec![contender], datasets: vec![spec], options, ..Plan::default() };
    plan.measure(&plan.parts().concat(), &progress::bar(Default::default())).unwrap().1
}

fn broken(fault: Fault, spec: DatasetSpec) -> Vec<Row> {
    let found = found(Broken::lasting(fault, true, 0), spec, 1);
    found.into_iter().map(|timed| timed.row).collect()
}

fn row(rows: &[Row], workload: Workload) -> &Row {
    rows.iter().find(|row| row.workload == workload).unwrap()
}

#[test]
fn each_wrong_answer_is_a_failed_row_without_numbers() {
    let removal = |fault, text| (plain(), Remove, fault, text);
    let verify = |fault, text| (plain(), Verify, fault, text);
    let on = |scenario: Scenario, fault, text| (along(scenario), scenario.workload(), fault, text);
    let (overfill, load) = (OVERFILL.of_size(800), LOAD.of_size(1250));
    let (churn, merge) = (CHURN.of_size(1250), MERGE.of_size(1000));
    let truncate = TRUNCATE.of_size(1000);
    let (fill, ask) = (threads::INSERT.of_size(1000), threads::QUERY.of_size(1000));
    for (spec, workload, fault, text) in [
        verify(Fault::ForgetsAKey, "1 false negative among its 1000 keys"),
        verify(Fault::LiesAboutItsSize, "reports 7999 bytes but holds 8000"),
        verify(Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        verify(Fault::HasAThirdOfTheRate, "predicted rate 1.0000e-2"),
        verify(Fault::CountsOtherwiseInBatches, "in the batch loop"),
        verify(Fault::CountsOtherwiseInChains, "in the dependent loop"),
        verify(Fault::Refuses, "build refused: no"),
        verify(Fault::Panics, "panicked: at 1"),
        removal(Fault::RemovesNothing, "2000 false positives in 2000 queries"),
        removal(Fault::RemovesEverything, "false negatives among its 500 keys"),
        removal(Fault::DeniesWhatItRemoves, "removed 499 of 500 keys"),
        removal(Fault::CannotChange, "claims to remove, but does not"),
        removal(Fault::PanicsWhenChanged, "panicked: changed"),
        on(overfill, Fault::CannotChange, "claims to insert, but does not"),
        on(overfill, Fault::PanicsWhenChanged, "panicked: changed"),
        on(overfill, Fault::DropsFurtherKeys, "false negatives among its 1200 keys"),
        on(overfill, Fault::RefusesAndForgets, "1 false negative among its 1200 keys"),
        on(overfill, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        on(overfill, Fault::LiesAboutItsSize, "bytes but holds"),
        on(load, Fault::ForgetsWhenHalfFull, "1 false negative among its 750 keys"),
        on(load, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        on(load, Fault::Refuses, "build refused: no"),
        on(churn, Fault::LosesOneInChurn, "1 false negative among its 1125 keys"),
        on(churn, Fault::KeepsWhatIsReplaced, "false negatives among its 1125 keys"),
        on(churn, Fault::StopsReplacing, "replaced 296 of 593 keys"),
        on(churn, Fault::CannotChange, "claims to replace, but does not"),
        on(merge, Fault::MergesAllButOne, "1 false negative among its 1000 keys"),
        on(merge, Fault::MergesNothing, "false negatives among its 1000 keys"),
        on(merge, Fault::RefusesToMerge, "refused to merge: no"),
        on(merge, Fault::CannotChange, "claims to merge, but does not"),
        on(truncate, Fault::CannotChange, "claims to truncate, but does not"),
        on(truncate, Fault::RefusesToMerge, "refused to truncate: no"),
        on(truncate, Fault::ForgetsAKey, "1 false negative among its 1000 keys"),
        on(truncate, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        on(truncate, Fault::LiesAboutItsSize, "bytes but holds"),
        on(fill, Fault::CannotChange, "claims to work with threads, but does not"),
        on(fill, Fault::HasThreeTimesTheRate, "predicted rate 1.0000e-2"),
        on(fill, Fault::DropsFurtherKeys, "false negatives among its 1000 keys"),
        on(ask, Fault::AnswersThreadsOtherwise, "hits in the 1-thread loop, single queries"),
        // Planned and built for a tenth of the keys.
        on(GROW.of_size(1000), Fault::ErrsMoreThanAsked, "above the target rate 1.0000e-2"),
    ] {
        let rows = broken(fault, spec);
        // A failure ends a scenario, and is in the last row.
        let failed = rows.iter().rfind(|row| row.workload == workload).unwrap();
        assert!(failed.why.contains(text), "{fault:?}: {failed:?}");
        let none = Row::new("broken", &failed.cell(), workload).without(Failed, &failed.why);
        assert_eq!(*failed, Row { load: failed.load, threads: failed.threads, ..none });
        // What is not verified is not timed.
        let untimed = |row: &&Row| row.state == Untimed && row.ns.is_none();
        assert_eq!(rows.iter().filter(untimed).count(), if workload == Verify { 7 } else { 0 });
    }
}

#[test]
fn a_good_contender_has_all_its_numbers() {
    let rows = broken(Fault::Nothing, plain());
    let (whole, half) = (row(&rows, Verify), row(&rows, Remove));
    assert_eq!((whole.state, whole.why.as_str()), (Measured, ""));
    assert_eq!((whole.held_bytes, whole.said_bytes), (Some(8000), Some(8000)));
    let octave = (whole.held_bytes_octave_low, whole.held_bytes_octave_high);
    assert_eq!(octave, (Some(8000), Some(8000)));
    let counts =
        |row: &Row| [row.seeds, row.absent_queries, row.present_queries].map(Option::unwrap);
    assert_eq!(counts(whole), [FILTERS, FILTERS * QUERIES, FILTERS * KEYS]);
    assert_eq!(counts(half), [4, 4 * KEYS / 2, 4 * KEYS / 2]);
    assert_eq!((whole.false_negatives, whole.fpr_agrees), (Some(0), Some(true)));
    assert!(whole.fpr_low < Some(0.01) && whole.fpr_high > Some(0.01));
    assert!(whole.peak_build_bytes >= whole.held_bytes);
    let grown = broken(Fault::NothingButGrows, along(GROW.of_size(1000)));
    assert!(grown.len() == 20 && grown.iter().all(|row| row.state == Measured));
}

#[test]
fn a_peer_of_another_rate_is_kept_and_one_that_forgets_is_not() {
    for (fault, workload, state) in [
        (Fault::HasThreeTimesTheRate, Verify, Measured),
        (Fault::ForgetsAKey, Verify, Failed),
        (Fault::RemovesNothing, Remove, Measured),
        (Fault::RemovesEverything, Remove, Failed),
    ] {
        let found = found(Broken::lasting(fault, false, 0), plain(), 1);
        let row = found.iter().map(|timed| &timed.row).find(|row| row.workload == workload);
        let agrees = (state == Measured).then_some(false);
        assert_eq!(row.map(|row| (row.state, row.fpr_agrees)), Some((state, agrees)), "{fault:?}");
    }
}

#[test]
fn where_there_is_no_filter_of_a_budget_that_is_no_failure() {
    let tight = || group(Budget::BitsPerKey(2.0));
    assert!(broken(Fault::Refuses, tight()).iter().all(|row| row.state == Skipped));
    assert_eq!(row(&broken(Fault::ForgetsAKey, tight()), Verify).state, Failed);
}

#[test]
fn every_workload_is_timed_beside_its_reference() {
    let sound = |spec, rounds| found(Broken::lasting(Fault::Nothing, true, 0), spec, rounds);
    assert_eq!(sound(plain(), 0).len(), 1);
    let passes = |text: &str| text.split_whitespace().count();
    for TimedRow { row, .. } in sound(plain(), 3).into_iter().skip(1) {
        assert_eq!(row.state, Measured, "{}", row.why);
        let asked = ASKED.contains(&row.workload);
        // A turn builds four times nine filters.
        let all = if asked { 6 } else { 12 };
        assert_eq!([&row.passes_ns, &row.reference_passes_ns].map(|text| passes(text)), [all; 2]);
        assert_eq!(row.rounds, Some(all as u64));
        let reference = if row.workload == Remove { REMOVER } else { REFERENCE };
        assert_eq!(row.reference.as_deref(), Some(reference));
        assert_eq!(row.hits.is_some(), asked);
        assert_eq!(row.ns_p99_9.is_some(), row.workload == Query50);
        assert!(row.ns > Some(0.0) && row.ratio > Some(0.0));
        let operations = match row.workload {
            Build => 12 * 9 * KEYS,
            Remove => 12 * KEYS / 2,
            Dependent50 => 6 * QUERIES / 8,
            _ => 6 * QUERIES / 4,
        };
        assert_eq!(row.operations, Some(operations));
        assert!(row.workload != Query100 || row.hits == row.operations);
    }
    for rounds in [0, 2] {
        let rows = sound(along(LOAD.of_size(1250)), rounds);
        assert_eq!(rows.len(), 10);
        for TimedRow { row, .. } in rows {
            assert_eq!(row.state, Measured, "{}", row.why);
            // With so few keys, a turn has four passes.
            assert_eq!(row.rounds.unwrap_or(0), 4 * rounds);
            let stored = [&row.passes_ns, &row.reference_passes_ns].map(|text| passes(text));
            assert_eq!(stored, [4 * rounds as usize; 2]);
            assert_eq!(row.reference.as_deref(), (rounds > 0).then_some(REMOVER));
        }
    }
    for kind in [threads::INSERT, threads::QUERY] {
        let rows = sound(along(kind.of_size(1000)), 2);
        let threads: Vec<_> = rows.iter().filter_map(|timed| timed.row.threads).collect();
        let all = cores() as u64;
        assert!(threads[0] == 1 && threads.is_sorted() && threads.last() == Some(&all));
        assert!(rows.iter().all(|timed| timed.row.ns > Some(0.0) && timed.row.ratio > Some(0.0)));
    }
    for TimedRow { row, .. } in sound(along(TRUNCATE.of_size(1000)), 2) {
        assert_eq!((row.state, row.keys, row.operations), (Measured, 1000, Some(8000)));
        assert!(row.asked_fpr >= Some(1e-4) && row.held_bytes == Some(8000), "{row:?}");
    }
    let rows = sound(along(CHURN.of_size(1250)), 2);
    assert_eq!(rows.len(), 1, "the parts share a row");
    assert_eq!(rows[0].row.operations, Some(8 * 5 * 1187));
    assert_eq!((rows[0].row.keys, rows[0].row.load), (1125, Some(0.9)));
}

#[test]
fn a_filter_that_goes_wrong_while_it_is_timed_is_a_failed_row() {
    for (fault, fails, text) in [
        (Fault::RemovesEverything, &[Remove][..], "after a timed removal it finds"),
        (Fault::DeniesWhatItRemoves, &[Remove], "removed 499 of 500 keys"),
        (Fault::CountsOtherwiseInBatches, &[Batch50], "were verified"),
        (Fault::HasThreeTimesTheRate, &[Query0, Query50, Batch50, Dependent50], "were verified"),
        (Fault::ForgetsAKey, &[Build, Query50, Query100, Batch50, Dependent50], ""),
        (Fault::Refuses, &[Build], "build refused: no"),
    ] {
        for TimedRow { row, .. } in found(Broken::lasting(fault, true, UNTIMED), plain(), 2) {
            let failed = row.state == Failed;
            assert_eq!(failed, fails.contains(&row.workload), "{fault:?}: {row:?}");
            assert!(!failed || row.why.contains(text) && row.ns.is_none(), "{row:?}");
        }
    }
    // In a scenario: one to read its slots, one to warm up, four to verify, and two passes.
    let drops = Broken::lasting(Fault::DropsFurtherKeys, true, 8);
    let [TimedRow { row, times, .. }] = &found(drops, along(OVERFILL.of_size(800)), 1)[..] else {
        panic!("one row tells of the failure");
    };
    assert!(row.why.contains("after a timed scenario it finds"), "{row:?}");
    assert!(row.ns.is_none() && times.ns.is_empty());
}

#[test]
fn a_refusal_is_no_failure_and_says_how_many_keys_were_held() {
    let rows = broken(Fault::RefusesFurtherKeys, along(OVERFILL.of_size(800)));
    let states: Vec<_> = rows.iter().map(|row| (row.keys, row.state, row.refused_at)).collect();
    let refused = (1600, Refused, Some(1200));
    assert_eq!(states, [(800, Measured, None), (1200, Measured, None), refused]);
    assert!(rows[1].ns.is_some() && rows[2].ns.is_none());
    // Past the last stop, at load 0.95, the scenario goes on until a key is refused.
    let rows = broken(Fault::RefusesFurtherKeys, along(LOAD.of_size(1250)));
    let last = &rows[10];
    assert_eq!((last.state, last.refused_at, last.load), (Refused, Some(1200), Some(0.96)));
    // A table is compared by load only while its slots stay.
    let rows = broken(Fault::GrowsWhenHalfFull, along(LOAD.of_size(1250)));
    let loads: Vec<f64> = rows.iter().filter_map(|row| row.load).collect();
    assert_eq!(loads, [0.1, 0.2, 0.3, 0.4, 0.5]);
    assert!(broken(Fault::HasNoSlots, along(LOAD.of_size(1250))).is_empty());
}

#[test]
fn a_growing_filter_is_not_overfilled() {
    let names = |scenario: Scenario| -> Vec<&str> {
        let spec = [along(scenario)];
        let entrants = CellGroup::all(&spec).flat_map(|group| group.entrants(&ALL));
        entrants.map(|(contender, _)| contender.info.name.as_str()).collect()
    };
    let (grow, over) = (names(GROW.of_size(1000)), names(OVERFILL.of_size(800)));
    assert!(over.contains(&"bloom") && over.contains(&"counting"));
    assert!(!over.contains(&"ribbon") && !over.contains(&"hash-only"));
    assert!(!grow.is_empty() && grow.iter().all(|name| !over.contains(name)));
}
