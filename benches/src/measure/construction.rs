//! How many more slots than keys a standard ribbon needs: the share of seeds for which a linear
//! system is solvable.
//!
//! This measures a parameter of our own construction and times nothing, so it is no
//! [`Track`](super::courses::Track). Each [`Line`] is one row width and one number of keys, over
//! rising numbers of slots.

use super::interval::clopper_pearson;
use super::verify::{Failure, guarded, seed_of};
use crate::error::BenchError;
use crate::keys::{KeySet, Keys};
use crate::progress::Progress;
use crate::record::Trial;
use amq_core::{BuildError, KeyHash};
use amq_ribbon::construction::{fits, slots};
use amq_ribbon::{Standard, Standard64};
use std::time::Duration;

/// Its name in records and for `--only`.
pub const NAME: &str = "construction";
/// Overheads are counted in thousandths of the keys.
const WHOLE: u64 = 1000;
/// Seeds for each control.
const SURE: u64 = 4;

/// Whether all keys with these hashes find room in one system of this many slots.
type Fits = fn(&[KeyHash], u64) -> Result<bool, BuildError>;

/// One row width and one number of keys: up to an overhead at which hardly any seed fails, in steps
/// fine enough to show the rise.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Coefficients of a row.
    bits: u64,
    /// The step between overheads and the last one, in thousandths.
    steps: (usize, u64),
    /// Approximate nanoseconds per key and try.
    nanoseconds: u64,
    fits: Fits,
    /// The slots that filters use for a number of keys, before rounding up to whole blocks.
    slots: fn(u64) -> u64,
    keys: usize,
    /// Seeds tried for each number of slots.
    seeds: u64,
}

/// Both widths over pairs of a number of keys and its number of seeds.
pub fn lines(sizes: &[(usize, u64)]) -> Vec<Line> {
    let wide = Line {
        bits: 128,
        steps: (5, 60),
        nanoseconds: 90,
        fits: fits::<Standard>,
        slots: slots::<Standard>,
        keys: 0,
        seeds: 0,
    };
    let narrow = Line {
        bits: 64,
        steps: (10, 120),
        nanoseconds: 50,
        fits: fits::<Standard64>,
        slots: slots::<Standard64>,
        ..wide
    };
    let of = |width: Line| sizes.iter().map(move |&(keys, seeds)| Line { keys, seeds, ..width });
    [wide, narrow].into_iter().flat_map(of).collect()
}

impl Line {
    /// Its label in the progress bar.
    pub fn title(&self) -> String {
        format!("{NAME}: {} keys in rows of {} bits, {} seeds", self.keys, self.bits, self.seeds)
    }

    /// The numbers of slots to try, rising: every overhead, and the one that filters are built
    /// with.
    fn points(&self) -> Vec<u64> {
        let (keys, (step, last)) = (self.keys as u64, self.steps);
        let overheads = (0..=last).step_by(step).map(|over| keys + keys * over / WHOLE);
        let mut points: Vec<u64> = overheads.chain([(self.slots)(keys)]).collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The estimated duration.
    pub fn estimate(&self) -> Duration {
        Duration::from_nanos(self.of_point() * self.points().len() as u64)
    }

    fn of_point(&self) -> u64 {
        self.nanoseconds * self.keys as u64 * self.seeds
    }

    /// Whether a trial belongs to this line.
    pub fn owns(&self, trial: &Trial) -> bool {
        (trial.row_bits, trial.keys) == (self.bits, self.keys as u64)
    }

    /// Whether there is a trial of each number of slots.
    pub fn is_done(&self, trials: &[Trial]) -> bool {
        let is_at = |slots, trial: &Trial| self.owns(trial) && trial.slots == slots;
        self.points().iter().all(|&slots| trials.iter().any(|trial| is_at(slots, trial)))
    }

    /// Tries every number of slots. Failures are recorded in the trials.
    pub fn run(&self, seed: u64, progress: &Progress) -> Result<Vec<Trial>, BenchError> {
        progress.begin(&self.title());
        let made = KeySet::RandomU64.make(self.keys, 0, seed)?;
        let view = made.present.view();
        let Keys::U64(keys) = view.keys() else {
            return Ok(Vec::new());
        };
        let checked = self.check(keys, seed);
        let trial = |(slots, place): (u64, u64)| {
            // No two points share a seed, so their results are independent.
            let seeds = (0..self.seeds).map(|index| seed_of(seed, place * self.seeds + index));
            let solved = checked.clone().and_then(|()| self.solved(keys, slots, seeds));
            progress.did(self.of_point());
            let trial = Trial {
                row_bits: self.bits,
                keys: self.keys as u64,
                slots,
                built_slots: (self.slots)(self.keys as u64),
                ..Trial::default()
            };
            let solved = match solved {
                Ok(solved) => solved,
                Err(failure) => return Trial { why: failure.to_string(), ..trial },
            };
            let (low, high) = clopper_pearson(solved, self.seeds);
            Trial {
                seeds: Some(self.seeds),
                solved: Some(solved),
                unsolved: Some(self.seeds - solved),
                solved_low: Some(low),
                solved_high: Some(high),
                ..trial
            }
        };
        Ok(self.points().into_iter().zip(0..).map(trial).collect())
    }

    /// How many of the seeds leave room for all keys.
    fn solved(
        &self,
        keys: &[u64],
        slots: u64,
        seeds: impl Iterator<Item = u64>,
    ) -> Result<u64, Failure> {
        let mut solved = 0;
        for seed in seeds {
            let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, seed)).collect();
            let fits = guarded(|| (self.fits)(&hashes, slots))?;
            solved += u64::from(fits.map_err(|error| Failure::Build(error.to_string()))?);
        }
        Ok(solved)
    }

    /// The controls: distinct keys never find room in fewer slots than keys, and always do in twice
    /// as many. Nothing is counted after a wrong answer.
    fn check(&self, keys: &[u64], seed: u64) -> Result<(), Failure> {
        let all = keys.len() as u64;
        let fewer = all - all.div_ceil(100).min(all);
        for (slots, right, claim) in [(fewer, 0, "room"), (2 * all, SURE, "no room")] {
            // Taken from the other end than the seeds that count.
            let seeds = (1..=SURE).map(|index| seed_of(seed, index.wrapping_neg()));
            let is_right = self.solved(keys, slots, seeds)? == right;
            let why = || format!("claims {claim} for {all} distinct keys in {slots} slots");
            Failure::unless(is_right, why)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Suite;

    fn tried(line: &Line, seed: u64) -> Vec<Trial> {
        line.run(seed, &Progress::hidden()).unwrap()
    }

    #[test]
    fn more_slots_and_wider_rows_leave_room_for_more_seeds() {
        let lines = lines(&[(1000, 30)]);
        let [wide, narrow] = [0, 1].map(|place| tried(&lines[place], 1));
        for (line, trials) in lines.iter().zip([&wide, &narrow]) {
            for trial in trials {
                let (seeds, solved) = (trial.seeds.unwrap(), trial.solved.unwrap());
                assert_eq!((seeds, solved + trial.unsolved.unwrap()), (30, 30));
                let interval = trial.solved_low.unwrap()..=trial.solved_high.unwrap();
                assert!(interval.contains(&(solved as f64 / 30.0)), "{trial:?}");
            }
            let solved: Vec<u64> = trials.iter().filter_map(|trial| trial.solved).collect();
            assert!(solved[0] <= 3 && solved[solved.len() - 1] >= 27, "{solved:?}");
            assert!(line.is_done(trials) && !line.is_done(&trials[1..]));
            assert!(tried(line, 1) == *trials && tried(line, 2) != *trials);
        }
        assert!(!lines[0].is_done(&narrow));
        // Two percent more slots than keys.
        let at = |trials: &[Trial]| trials.iter().find(|trial| trial.slots == 1020)?.solved;
        assert!(at(&wide) > at(&narrow).map(|solved| solved + 3));
    }

    #[test]
    fn what_filters_are_built_with_is_tried_too() {
        for line in Suite::Full.lines() {
            let points = line.points();
            assert!(points.is_sorted_by(|a, b| a < b) && points[0] == line.keys as u64);
            assert!(points.contains(&(line.slots)(line.keys as u64)));
        }
    }

    #[test]
    fn an_answer_that_cannot_be_right_makes_error_rows_and_no_numbers() {
        /// A wrong answer, what is said of it, and at which numbers of slots.
        type Wrong = (Fits, &'static str, fn(u64) -> bool);
        let broken: [Wrong; 5] = [
            // Looks at the keys but not the slots, so one of the two controls must fail.
            (|keys, _| fits::<Standard>(keys, keys.len() as u64 * 11 / 10), "990 slots", |_| true),
            (|_, _| Ok(false), "no room", |_| true),
            (
                |_, _| Err(BuildError::Exhausted { attempts: 3, items: 1000 }),
                "none of 3 internal seeds",
                |_| true,
            ),
            (|_, _| panic!("not today"), "not today", |_| true),
            (
                |keys, slots| match slots {
                    1010 => panic!("of all numbers, this one"),
                    _ => fits::<Standard>(keys, slots),
                },
                "this one",
                |slots| slots == 1010,
            ),
        ];
        for (fits, reason, fails) in broken {
            let line = Line { fits, ..lines(&[(1000, 30)])[0] };
            let trials = tried(&line, 1);
            assert_eq!(trials.len(), line.points().len());
            for trial in trials {
                assert_eq!(trial.why.contains(reason), fails(trial.slots), "{trial:?}");
                assert_eq!(trial.seeds.is_none(), fails(trial.slots), "{trial:?}");
            }
        }
    }
}
