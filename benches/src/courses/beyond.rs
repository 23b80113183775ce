//! Fills filters beyond their plan, checked at every stop and timed from one to the next.
//!
//! `grow` plans the filter for a hundredth of the keys and goes up to all of them; `overfill`
//! starts from the planned number of keys and goes up to five times that. Both run the same code.

use super::{Cost, Entrant, Ground, Track, absent, repeats, subject};
use crate::contender::Contender;
use crate::progress::{Progress, nanoseconds};
use crate::record::{Row, Workload};
use crate::suite::Suite;
use crate::timing::{self, MIN_BUILD_OPERATIONS, turns};
use crate::verify::beyond::{Course, more_keys, rows, verify_beyond};
use crate::verify::{self, Subject};
use std::time::{Duration, Instant};

/// Growing a hundredfold, in four steps of about the same ratio.
pub fn grow(keys: usize) -> Course {
    let part = |share: f64| ((keys as f64 / share).round() as usize).max(1);
    Course {
        workload: Workload::Grow,
        planned: part(100.0),
        stops: vec![part(100.0), part(32.0), part(10.0), part(3.2), keys],
    }
}

/// Up to five times the planned keys.
pub fn overfill(keys: usize) -> Course {
    Course {
        workload: Workload::Overfill,
        planned: keys,
        stops: vec![keys, keys * 3 / 2, keys * 2, keys * 3, keys * 5],
    }
}

impl Course {
    /// The keys at the last stop.
    pub fn all_keys(&self) -> usize {
        self.stops.last().copied().unwrap_or(self.planned)
    }
}

impl Track for Course {
    fn workload(&self) -> Workload {
        self.workload
    }

    fn title(&self) -> String {
        let what = match self.workload {
            Workload::Grow => "growing",
            _ => "overfilling",
        };
        format!("{what} from {} to {} keys", self.planned, self.all_keys())
    }

    fn planned(&self) -> usize {
        self.planned
    }

    fn keys(&self) -> usize {
        self.all_keys()
    }

    fn cost(&self, suite: Suite) -> Cost {
        let queries: usize = self.stops.iter().map(|keys| keys + absent(suite)).sum();
        Cost {
            verify: nanoseconds(self.planned, 2 * queries),
            pass: nanoseconds(self.planned, 2 * self.all_keys().max(MIN_BUILD_OPERATIONS)),
        }
    }

    /// Verifies all contenders over the course, then times those that passed.
    fn run(&self, ground: &Ground, entrants: Vec<Entrant>, progress: &Progress) -> Vec<Row> {
        let setting = ground.setting;
        let views = [ground.made.present.view(), ground.made.absent.view()];
        let cost = self.cost(setting.suite);
        let mut lanes = Vec::new();
        for (contender, cell) in entrants {
            let info = contender.info();
            progress.now(&format!("{}: verifying {}", self.title(), info.name));
            let subject = subject(&views, cell.asked_fpr, setting.seed);
            let outcome = verify_beyond(contender, &subject, self, &setting.suite.effort());
            progress.did(cost.verify);
            lanes.push(Lane {
                contender,
                asked_fpr: cell.asked_fpr,
                rows: rows(&info, &cell, self.workload, &outcome),
                times: outcome.is_ok().then(Vec::new),
            });
        }
        progress.now(&format!("{}: timing", self.title()));
        turns(
            lanes.len(),
            setting.rounds,
            &mut ground.rng(),
            |place, round| {
                let lane = &mut lanes[place];
                let subject = subject(&views, lane.asked_fpr, setting.seed);
                lane.run(self, &subject, round);
                progress.did(cost.pass);
            },
        );
        lanes.into_iter().flat_map(|lane| lane.rows(self)).collect()
    }
}

/// One contender on the course.
struct Lane {
    contender: &'static dyn Contender,
    asked_fpr: Option<f64>,
    rows: Vec<Row>,
    /// Nanoseconds per key: per round, one number per stop; empty once something went wrong.
    times: Option<Vec<Vec<f64>>>,
}

impl Lane {
    fn run(&mut self, course: &Course, subject: &Subject<'_>, round: u64) {
        let Some(times) = &mut self.times else {
            return;
        };
        let reached = self.rows.iter().filter(|row| row.refused_at.is_none());
        match walk(self.contender, subject, course, reached.count()) {
            Ok(_) if round == 0 => {}
            Ok(pass) => times.push(pass),
            Err(reason) => {
                self.times = None;
                for row in &mut self.rows {
                    *row = Row::failed(&row.contender, &row.cell(), row.workload, &reason);
                }
            }
        }
    }

    fn rows(mut self, course: &Course) -> Vec<Row> {
        let times = self.times.unwrap_or_default();
        let repeats = repeats(course.all_keys()) as u64;
        for (place, row) in self.rows.iter_mut().enumerate() {
            // A refusal is not timed.
            let of_stop: Vec<f64> = times
                .iter()
                .filter_map(|pass| pass.get(place))
                .copied()
                .collect();
            let before = place.checked_sub(1).map_or(0, |place| course.stops[place]);
            let stretch = course.stops[place] - before;
            // Nothing to write without times.
            let _ = timing::write(&of_stop, repeats * stretch as u64, row);
        }
        self.rows
    }
}

/// Nanoseconds per key from each stop to the next, as far as the filter was verified; up to the
/// first stop, those of the build.
fn walk(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    course: &Course,
    stops: usize,
) -> Result<Vec<f64>, String> {
    let mut times = vec![Duration::ZERO; stops];
    let planned = Subject {
        present: subject.present.first(course.planned),
        ..*subject
    };
    for _ in 0..repeats(course.all_keys()) {
        let start = Instant::now();
        let filter = verify::begin(contender, &planned, subject.seed);
        let built = start.elapsed();
        let mut filter = filter.map_err(|failure| failure.to_string())?;
        let mut held = course.planned;
        for (place, &stop) in course.stops[..stops].iter().enumerate() {
            let more = subject.present.between(held, stop);
            let start = Instant::now();
            let taken = more_keys(&mut *filter, more);
            times[place] += if place == 0 { built } else { start.elapsed() };
            let taken = taken.map_err(|failure| failure.to_string())?;
            if taken != more.len() as u64 {
                return Err(format!(
                    "a timed pass inserted {taken} of {} keys",
                    more.len()
                ));
            }
            held = stop;
        }
        timing::holds_sample(&*filter, subject.present.first(held), "course")?;
    }
    let mut before = 0;
    let per_key = |(time, &stop): (&Duration, &usize)| {
        let keys = repeats(course.all_keys()) * (stop - before);
        before = stop;
        time.as_secs_f64() * 1e9 / keys as f64
    };
    Ok(times.iter().zip(&course.stops).map(per_key).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::hash_only::HashOnly;
    use crate::courses::{Setting, entrants};
    use crate::registry;

    #[test]
    fn courses_rise_from_the_plan_to_a_hundred_and_five_times_as_many() {
        for keys in [1_000, 100_000, 1_000_000] {
            let (grow, over) = (grow(keys), overfill(keys));
            assert_eq!((grow.planned * 100, grow.all_keys()), (keys, keys));
            assert_eq!((over.planned, over.all_keys()), (keys, 5 * keys));
            for course in [grow, over] {
                assert_eq!(course.stops[0], course.planned);
                assert!(course.stops.is_sorted_by(|a, b| a < b), "{course:?}");
            }
        }
    }

    fn ground(course: &Course, rounds: u64) -> Ground {
        let setting = Setting {
            suite: Suite::Smoke,
            seed: 1,
            rounds,
        };
        Ground::new(course, setting).unwrap()
    }

    #[test]
    fn who_grows_is_not_overfilled_and_who_takes_no_keys_does_neither() {
        let names = |course: &Course| -> Vec<&str> {
            let entrants = entrants(course, registry::ALL);
            entrants
                .iter()
                .map(|(contender, _)| contender.info().name)
                .collect()
        };
        let (grow, over) = (names(&grow(1000)), names(&overfill(1000)));
        assert!(over.contains(&"bloom") && over.contains(&"counting-bloom"));
        assert!(!over.contains(&"noise") && !over.contains(&"hash-only"));
        assert!(grow.iter().all(|name| !over.contains(name)));
    }

    #[test]
    fn what_takes_no_further_keys_is_not_timed_as_if_it_did() {
        let course = overfill(100);
        let ground = ground(&course, 0);
        let views = [ground.made.present.view(), ground.made.absent.view()];
        let walked = walk(&HashOnly, &subject(&views, None, 1), &course, 5);
        let reason = walked.unwrap_err();
        assert!(reason.contains("insert, but does not"), "{reason}");
    }

    #[test]
    fn every_stop_is_timed_and_without_rounds_none_is() {
        let course = overfill(100);
        for rounds in [0, 2] {
            let bloom = registry::choose(&["bloom".to_owned()]).unwrap();
            let entrants = entrants(&course, &bloom);
            let rows = course.run(&ground(&course, rounds), entrants, &Progress::hidden());
            let keys: Vec<u64> = rows.iter().map(|row| row.keys).collect();
            assert_eq!(keys, [100, 150, 200, 300, 500]);
            for row in rows {
                assert_eq!((row.error.as_str(), row.planned_keys), ("", Some(100)));
                assert_eq!(row.rounds, Some(rounds).filter(|&rounds| rounds > 0));
                assert_eq!(row.median_ns.is_some(), rounds > 0);
            }
        }
    }
}
