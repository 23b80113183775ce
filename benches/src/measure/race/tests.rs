//! Contenders that go wrong while they are timed.

use super::*;
use crate::measure::broken::{Broken, EFFORT, Fault, made, subject};
use crate::measure::verify::{build, verify_removal};
use crate::record::{Cell, State};

/// Queries in a stream.
const STREAM: usize = 20_000;

/// The rows of a contender with this fault, after verification of a good one.
fn raced(fault: Fault, rounds: u64) -> Vec<Timed> {
    let made = made();
    let subject = subject(&made);
    let Keys::U64(keys) = subject.present else {
        panic!("integers are integers");
    };
    let good = Broken::lasting(Fault::Nothing, true);
    let order = subject.order(1);
    let absent = build(good, subject.present, &order).unwrap().answers(subject.absent);
    let answers = [absent.clone(), absent, vec![true; STREAM]];
    let repeated: Vec<u64> = keys.iter().copied().cycle().take(STREAM).collect();
    let streams = [subject.absent, subject.absent, Keys::U64(&repeated)];
    let removal = verify_removal(good, &subject, &EFFORT).ok();
    let contender = Broken::lasting(fault, true);
    let cell = Cell { keys: keys.len() as u64, ..Cell::default() };
    let ready = Ready::new(contender, cell, order, STREAM, Some(&answers), removal);
    let mut races = [Race::new(vec![ready], streams, subject, rounds)];
    run(&mut races, &Progress::hidden());
    let [race] = races;
    race.rows()
}

#[test]
fn every_workload_is_timed_and_its_hits_are_the_verified_ones() {
    assert!(raced(Fault::Nothing, 0).is_empty());
    let rows = raced(Fault::Nothing, 3);
    assert_eq!(rows.len(), 7);
    for Timed { row, times } in &rows {
        assert_eq!(row.state, State::Measured, "{}", row.why);
        let asked = ASKED.contains(&row.workload);
        // Of a thousand keys a turn builds four times nine filters.
        let passes = if asked { 6 } else { 12 };
        assert_eq!((times.ns.len(), times.reference.len()), (passes, passes));
        assert_eq!(row.rounds, Some(passes as u64));
        let reference = if row.workload == Workload::Remove { REMOVER } else { REFERENCE };
        assert_eq!(row.reference.as_deref(), Some(reference));
        assert_eq!(row.hits.is_some(), asked);
        assert!(row.ns > Some(0.0) && row.ratio > Some(0.0));
        let operations = match row.workload {
            Workload::Build => 12 * 9 * 1000,
            Workload::Remove => 12 * 500,
            Workload::Dependent50 => 6 * 2500,
            _ => 6 * 5000,
        };
        assert_eq!(row.operations, Some(operations));
        assert!(row.workload != Workload::Query100 || row.hits == row.operations);
    }
}

#[test]
fn a_filter_that_goes_wrong_while_it_is_timed_is_a_failed_row() {
    let asked_or_changed = [&ASKED[..], &[Workload::Remove]].concat();
    for (fault, fails, text) in [
        (Fault::ForgetsAfterAWhile, &asked_or_changed[..], ""),
        (Fault::RemovesEverything, &[Workload::Remove], "after a timed removal it finds"),
        (Fault::DeniesWhatItRemoves, &[Workload::Remove], "removed 499 of 500 keys"),
        (Fault::CountsOtherwiseInBatches, &[Workload::Batch50], "were verified"),
        (Fault::ForgetsAKey, &[Workload::Build, Workload::Query100, Workload::Remove], ""),
    ] {
        for Timed { row, .. } in raced(fault, 2) {
            let failed = row.state == State::Failed;
            assert_eq!(failed, fails.contains(&row.workload), "{fault:?}: {row:?}");
            assert!(!failed || row.why.contains(text) && row.ns.is_none(), "{row:?}");
        }
    }
}

#[test]
fn the_rounds_of_each_race_are_spread_over_those_of_all() {
    let made = made();
    let subject = subject(&made);
    let race = |rounds| Race::new(Vec::new(), [subject.absent; 3], subject, rounds);
    let (races, all) = ([race(5), race(3), race(1), race(0)], 5);
    for (race, due) in races.iter().zip([&[0, 1, 2, 3, 4][..], &[1, 3, 4], &[4], &[]]) {
        let rounds: Vec<u64> = (0..all).filter(|&round| race.is_due(round, all)).collect();
        assert_eq!(rounds, due);
    }
}
