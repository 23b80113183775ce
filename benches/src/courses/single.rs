//! Courses with one row per contender: an operation on a filter, checked and timed as a whole.

use super::{Entrant, Ground, Track, subject};
use crate::contender::Contender;
use crate::progress::Progress;
use crate::record::{Cell, Row};
use crate::timing::{self, turns};
use crate::verify::{Failure, Subject};

/// The operation: how it is checked and timed.
pub(super) struct Event<V, P, W> {
    /// Checks a contender.
    pub(super) verify: V,
    /// One timed pass: nanoseconds per operation.
    pub(super) pass: P,
    /// Writes what the check found into the row.
    pub(super) write: W,
    /// Operations of a pass.
    pub(super) operations: usize,
}

/// One contender.
struct Lane<'a, T> {
    contender: &'static dyn Contender,
    cell: Cell,
    subject: Subject<'a>,
    verified: Result<T, Failure>,
    /// One number per round, or what went wrong in one.
    times: Result<Vec<f64>, String>,
}

impl<V, P, W> Event<V, P, W> {
    /// Verifies all contenders, then times those that passed.
    pub(super) fn run<T>(
        &self,
        track: &dyn Track,
        ground: &Ground,
        entrants: Vec<Entrant>,
        progress: &Progress,
    ) -> Vec<Row>
    where
        V: Fn(&dyn Contender, &Subject<'_>) -> Result<T, Failure>,
        P: Fn(&dyn Contender, &Subject<'_>, &T) -> Result<f64, String>,
        W: Fn(&T, &mut Row),
    {
        let setting = ground.setting;
        let views = [ground.made.present.view(), ground.made.absent.view()];
        let cost = track.cost(setting.suite);
        let mut lanes = Vec::new();
        for (contender, cell) in entrants {
            let name = contender.info().name;
            progress.now(&format!("{}: verifying {name}", track.title()));
            let subject = subject(&views, cell.asked_fpr, setting.seed);
            lanes.push(Lane {
                contender,
                cell,
                subject,
                verified: (self.verify)(contender, &subject),
                times: Ok(Vec::new()),
            });
            progress.did(cost.verify);
        }
        progress.now(&format!("{}: timing", track.title()));
        turns(
            lanes.len(),
            setting.rounds,
            &mut ground.rng(),
            |place, round| {
                self.time(&mut lanes[place], round);
                progress.did(cost.pass);
            },
        );
        let row = |lane: Lane<'_, T>| self.row(track, &lane);
        lanes.into_iter().map(row).collect()
    }

    fn time<T>(&self, lane: &mut Lane<'_, T>, round: u64)
    where
        P: Fn(&dyn Contender, &Subject<'_>, &T) -> Result<f64, String>,
    {
        let (Ok(verified), Ok(times)) = (&lane.verified, &mut lane.times) else {
            return;
        };
        match (self.pass)(lane.contender, &lane.subject, verified) {
            Ok(_) if round == 0 => {}
            Ok(time) => times.push(time),
            Err(reason) => lane.times = Err(reason),
        }
    }

    fn row<T>(&self, track: &dyn Track, lane: &Lane<'_, T>) -> Row
    where
        W: Fn(&T, &mut Row),
    {
        let name = lane.contender.info().name;
        let failed = |reason: &str| Row::failed(name, &lane.cell, track.workload(), reason);
        match (&lane.verified, &lane.times) {
            (Err(failure), _) => failed(&failure.to_string()),
            (Ok(_), Err(reason)) => failed(reason),
            (Ok(verified), Ok(times)) => {
                let mut row = Row::new(name, &lane.cell, track.workload());
                (self.write)(verified, &mut row);
                // Nothing to write without times.
                let _ = timing::write(times, self.operations as u64, &mut row);
                row
            }
        }
    }
}
