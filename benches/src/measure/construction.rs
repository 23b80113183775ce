//! How many more slots than keys a standard ribbon needs: the share of seeds for which a linear
//! system is solvable.
//!
//! This measures a parameter of our own construction and times nothing, so it is no
//! [`Track`](super::courses::Track). Each [`Line`] is one row width and one number of keys, over
//! rising numbers of slots.

use super::interval::clopper_pearson;
use super::verify::{Failure, guarded, seed_of};
use crate::error::BenchError;
use crate::keys::{KeySet, Store};
use crate::progress::Progress;
use crate::record::Trial;
use amq_core::{BuildError, KeyHash};
use amq_ribbon::construction::{fits, slots};
use amq_ribbon::{Standard, Standard64};
use std::time::Duration;

/// Its name in records and for `--only`.
pub const NAME: &str = "construction";
/// Seeds for each control.
const SURE: u64 = 4;

/// Whether all keys with these hashes find room in one system of this many slots.
type Fits = fn(&[KeyHash], u64) -> Result<bool, BuildError>;

/// Rows of a system.
#[derive(Clone, Copy, Debug)]
struct Width {
    /// Coefficients of a row.
    bits: u64,
    /// The step between overheads and the last one, at which hardly any seed fails, in thousandths
    /// of the keys.
    steps: (usize, u64),
    fits: Fits,
    /// The slots that filters use for a number of keys, before rounding up to whole blocks.
    slots: fn(u64) -> u64,
}

const WIDTHS: [Width; 2] = [
    Width { bits: 128, steps: (5, 60), fits: fits::<Standard>, slots: slots::<Standard> },
    Width { bits: 64, steps: (10, 120), fits: fits::<Standard64>, slots: slots::<Standard64> },
];

/// One width and one number of keys, over rising numbers of slots.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    width: Width,
    keys: usize,
    /// Seeds tried for each number of slots.
    seeds: u64,
}

/// Both widths over pairs of a number of keys and its number of seeds.
pub fn lines(sizes: &[(usize, u64)]) -> Vec<Line> {
    let of = |width| sizes.iter().map(move |&(keys, seeds)| Line { width, keys, seeds });
    WIDTHS.into_iter().flat_map(of).collect()
}

impl Line {
    pub fn title(&self) -> String {
        let Self { width: Width { bits, .. }, keys, seeds } = self;
        format!("{NAME}: {keys} keys in rows of {bits} bits, {seeds} seeds")
    }

    /// The numbers of slots to try, rising: every overhead, and the one that filters are built
    /// with.
    fn points(&self) -> Vec<u64> {
        let (keys, (step, last)) = (self.keys as u64, self.width.steps);
        let overheads = (0..=last).step_by(step).map(|over| keys + keys * over / 1000);
        let mut points: Vec<u64> = overheads.chain([(self.width.slots)(keys)]).collect();
        points.sort_unstable();
        points.dedup();
        points
    }

    pub fn estimate(&self) -> Duration {
        // Nanoseconds per key and try.
        let each = if self.width.bits > 64 { 90 } else { 50 };
        Duration::from_nanos(each * self.keys as u64 * self.seeds * self.points().len() as u64)
    }

    /// Tries every number of slots. Failures are recorded in the trials.
    pub fn run(&self, seed: u64, progress: &Progress) -> Result<Vec<Trial>, BenchError> {
        progress.begin(&self.title());
        let Store::U64(keys) = &KeySet::RandomU64.make(self.keys, 0, seed)?.present else {
            return Ok(Vec::new());
        };
        let checked = self.check(keys, seed);
        let trial = |(slots, place): (u64, u64)| {
            // No two points share a seed, so their results are independent.
            let seeds = (0..self.seeds).map(|index| seed_of(seed, place * self.seeds + index));
            let solved = checked.clone().and_then(|()| self.solved(keys, slots, seeds));
            let mut trial = Trial {
                row_bits: self.width.bits,
                keys: self.keys as u64,
                slots,
                built_slots: (self.width.slots)(self.keys as u64),
                ..Trial::default()
            };
            match solved {
                Ok(solved) => {
                    let (low, high) = clopper_pearson(solved, self.seeds);
                    (trial.seeds, trial.solved) = (Some(self.seeds), Some(solved));
                    trial.unsolved = Some(self.seeds - solved);
                    (trial.solved_low, trial.solved_high) = (Some(low), Some(high));
                }
                Err(failure) => trial.why = failure.to_string(),
            }
            trial
        };
        let trials = self.points().into_iter().zip(0..).map(trial).collect();
        progress.skip(self.estimate());
        Ok(trials)
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
            let fits = guarded(|| (self.width.fits)(&hashes, slots))?;
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
            // What filters are built with is tried too.
            assert!(trials.iter().any(|trial| trial.slots == trial.built_slots));
            assert!(tried(line, 1) == *trials && tried(line, 2) != *trials);
        }
        // Two percent more slots than keys.
        let at = |trials: &[Trial]| trials.iter().find(|trial| trial.slots == 1020)?.solved;
        assert!(at(&wide) > at(&narrow).map(|solved| solved + 3));
    }

    #[test]
    fn an_answer_that_cannot_be_right_makes_error_rows_and_no_numbers() {
        type Fails = fn(u64) -> bool;
        // A wrong answer, what is said of it, and at which numbers of slots.
        let broken: [(Fits, &str, Fails); 5] = [
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
            let line = Line { width: Width { fits, ..WIDTHS[0] }, keys: 1000, seeds: 30 };
            let trials = tried(&line, 1);
            assert_eq!(trials.len(), line.points().len());
            for trial in trials {
                assert_eq!(trial.why.contains(reason), fails(trial.slots), "{trial:?}");
                assert_eq!(trial.seeds.is_none(), fails(trial.slots), "{trial:?}");
            }
        }
    }
}
