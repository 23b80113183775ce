//! Contenders that go wrong while they are timed.

use super::*;
use crate::measure::broken::{Broken, EFFORT, Fault, made, subject};
use crate::measure::verify::verify_removal;
use crate::record::State;
use rand::SeedableRng;

/// The rows of a contender with this fault, after verification of a good one.
fn raced(fault: Fault, rounds: u64) -> Vec<Timed> {
    let made = made();
    let subject = subject(&made);
    let cell = Cell {
        key_set: "random-u64".to_owned(),
        keys: 1000,
        asked_fpr: Some(0.01),
        ..Cell::default()
    };
    let good = Broken::lasting(Fault::Nothing, true);
    let filter = verify::build(good, subject.present, &subject.order(1)).unwrap();
    let absent = filter.answers(subject.absent);
    let (all, half) = ([true; 20_000].to_vec(), absent.clone());
    let expected = Expected { none: absent, half, all };
    let present = subject.present;
    let Keys::U64(keys) = present else {
        panic!("integers are integers");
    };
    let repeated: Vec<u64> = keys.iter().copied().cycle().take(20_000).collect();
    let queries = Queries { none: subject.absent, half: subject.absent, all: Keys::U64(&repeated) };
    let removal = verify_removal(good, &subject, &EFFORT).ok();
    let order = subject.order(1);
    let contender = Broken::lasting(fault, true);
    let ready = Ready::new(contender, cell, order, 20_000, Some(&expected), removal);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    race(vec![ready], &queries, &subject, rounds, &mut rng, &Progress::hidden())
}

#[test]
fn every_workload_is_timed_beside_the_reference_and_its_hits_are_the_verified_ones() {
    assert!(raced(Fault::Nothing, 0).is_empty());
    let rows = raced(Fault::Nothing, 3);
    let workloads: Vec<Workload> = rows.iter().map(|timed| timed.row.workload).collect();
    assert_eq!(workloads.len(), 7);
    for Timed { row, times } in &rows {
        assert_eq!(row.state, State::Measured, "{}", row.why);
        let asked = ASKED.contains(&row.workload);
        let rounds = if asked { 3 * PAIRS } else { 3 };
        assert_eq!((times.ns.len(), times.reference.len()), (rounds, rounds));
        assert_eq!(row.rounds, Some(rounds as u64));
        let beside = if row.workload == Workload::Remove { REMOVER } else { REFERENCE };
        assert_eq!(row.reference.as_deref(), Some(beside));
        assert_eq!(row.hits.is_some(), asked);
        assert!(row.ns > Some(0.0) && row.ratio_low <= row.ratio);
    }
    // Three times the whole stream.
    let of = |workload| rows.iter().find(|timed| timed.row.workload == workload);
    let all = &of(Workload::Query100).unwrap().row;
    assert_eq!((all.operations, all.hits), (Some(60_000), Some(60_000)));
}

#[test]
fn a_filter_that_goes_wrong_while_it_is_timed_is_a_failed_row() {
    for (fault, fails, text) in [
        (Fault::ForgetsAfterAWhile, &ASKED[..], "were verified"),
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
fn chunks_cover_the_stream_and_the_lead_stays_within_it() {
    let info = Broken { fault: Fault::Nothing, ours: true }.info();
    for keys in [100, 10_000, 1_000_000, 100_000_000] {
        for stream in [1 << 14, 1 << 18, 1 << 20] {
            let chunk = chunk(&info, keys, stream);
            assert!(stream % chunk == 0 && stream / chunk >= PAIRS);
            assert!(lead(&info, keys, stream) <= stream);
        }
    }
    let slow = Info { slow: true, ..info };
    assert_eq!(chunk(&slow, 1000, 1 << 20) * SLOW_SHARE, CHUNK);
}
