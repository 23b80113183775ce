//! Churn: one key out, another in, many times over in a nearly full filter.

use super::single::Event;
use super::{Cost, Entrant, Ground, Track, made_empty, repeats};
use crate::contender::Contender;
use crate::keys::Keys;
use crate::progress::{Progress, nanoseconds};
use crate::record::{Row, Workload};
use crate::suite::Suite;
use crate::timing;
use crate::verify::churn::{Borne, Churning, replace, verify_churn};
use crate::verify::{Failure, Subject, with_room};
use std::time::{Duration, Instant};

/// How full the filters are.
const LOAD: f64 = 0.9;
/// The planned load of tables of a power of two, as in the course over loads.
const FULL: f64 = 0.95;
/// Replacements per planned key: five, each of two operations.
const PAIRS: usize = 5;

/// Churn in tables of this many slots.
pub fn of_slots(slots: usize) -> Churning {
    let room = (slots as f64 * FULL) as usize;
    Churning {
        room,
        load: LOAD,
        pairs: PAIRS * room,
    }
}

impl Track for Churning {
    fn workload(&self) -> Workload {
        Workload::Churn
    }

    fn title(&self) -> String {
        format!(
            "replacing {} keys at load {}, planned for {}",
            self.pairs, self.load, self.room
        )
    }

    fn planned(&self) -> usize {
        self.room
    }

    /// Enough for a table of twice the slots.
    fn keys(&self) -> usize {
        self.pairs + 2 * self.room
    }

    /// Contenders that can be made for more keys than they are given; a failure while probing is
    /// left for the course to report.
    fn takes(&self, contender: &dyn Contender) -> bool {
        !matches!(made_empty(contender), Err(Failure::NoRoom))
    }

    fn cost(&self, _suite: Suite) -> Cost {
        let pass = repeats(self.pairs) * (2 * self.pairs + self.room);
        Cost {
            verify: nanoseconds(self.room, 2 * (4 * self.pairs + 20 * self.room)),
            pass: nanoseconds(self.room, 2 * pass),
        }
    }

    fn run(&self, ground: &Ground, entrants: Vec<Entrant>, progress: &Progress) -> Vec<Row> {
        let effort = ground.setting.suite.effort();
        let event = Event {
            verify: |contender: &dyn Contender, subject: &Subject<'_>| {
                verify_churn(contender, subject, self, &effort)
            },
            pass: |contender: &dyn Contender, subject: &Subject<'_>, borne: &Borne| {
                pass(contender, subject, self, borne.held)
            },
            write: |borne: &Borne, row: &mut Row| borne.write(row),
            operations: self.pairs * repeats(self.pairs),
        };
        event.run(self, ground, entrants, progress)
    }
}

/// Nanoseconds per replacement.
fn pass(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    churning: &Churning,
    held: usize,
) -> Result<f64, String> {
    let script = churning.script(subject, held);
    let repeats = repeats(churning.pairs);
    let mut time = Duration::ZERO;
    let failed = |failure: Failure| failure.to_string();
    for _ in 0..repeats {
        let first = Keys::U64(&script.first);
        let mut filter =
            with_room(contender, churning.room, first, subject, subject.seed).map_err(failed)?;
        let start = Instant::now();
        let replaced = replace(&mut *filter, &script, 0..script.new.len(), subject.seed);
        time += start.elapsed();
        replaced.map_err(failed)?;
        timing::holds_sample(&*filter, Keys::U64(&script.last), "churn")?;
    }
    Ok(time.as_secs_f64() * 1e9 / (repeats * script.new.len()).max(1) as f64)
}
