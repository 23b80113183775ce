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

/// A row width and its overheads: up to where hardly any seed fails, in steps fine enough to show
/// the rise.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// Coefficients of a row.
    pub bits: u64,
    /// The step between overheads, in thousandths.
    step: u64,
    /// The last overhead, in thousandths.
    last: u64,
    /// Approximate nanoseconds per key and try.
    nanoseconds: u64,
    /// Whether all keys find room in a system.
    fits: Fits,
    /// The slots that filters use for a number of keys, before rounding up to whole blocks.
    slots: fn(u64) -> u64,
}

const WIDTHS: [Width; 2] = [
    Width {
        bits: 128,
        step: 5,
        last: 60,
        nanoseconds: 90,
        fits: fits::<Standard>,
        slots: slots::<Standard>,
    },
    Width {
        bits: 64,
        step: 10,
        last: 120,
        nanoseconds: 50,
        fits: fits::<Standard64>,
        slots: slots::<Standard64>,
    },
];

/// One row width and one number of keys.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// The width of the rows.
    pub width: Width,
    /// Keys in each system.
    pub keys: usize,
    /// Seeds tried for each number of slots.
    pub seeds: u64,
}

/// Both widths over pairs of a number of keys and its number of seeds.
pub fn lines(sizes: &[(usize, u64)]) -> Vec<Line> {
    let of = |width: Width| sizes.iter().map(move |&(keys, seeds)| (width, keys, seeds));
    let all = WIDTHS.into_iter().flat_map(of);
    all.map(|(width, keys, seeds)| Line { width, keys, seeds }).collect()
}

impl Line {
    /// Its label in the progress bar.
    pub fn title(&self) -> String {
        format!(
            "{NAME}: {} keys in rows of {} bits, {} seeds",
            self.keys, self.width.bits, self.seeds
        )
    }

    /// The numbers of slots to try, rising: every overhead, and the one that filters are built
    /// with.
    fn points(&self) -> Vec<u64> {
        let keys = self.keys as u64;
        let steps = (0..=self.width.last).step_by(self.width.step as usize);
        let mut points: Vec<u64> = steps.map(|over| keys + keys * over / WHOLE).collect();
        points.push((self.width.slots)(keys));
        points.sort_unstable();
        points.dedup();
        points
    }

    /// The estimated duration.
    pub fn estimate(&self) -> Duration {
        Duration::from_nanos(self.of_point() * self.points().len() as u64)
    }

    fn of_point(&self) -> u64 {
        self.width.nanoseconds * self.keys as u64 * self.seeds
    }

    /// Whether a trial belongs to this line.
    pub fn owns(&self, trial: &Trial) -> bool {
        (trial.row_bits, trial.keys) == (self.width.bits, self.keys as u64)
    }

    /// Whether there is a trial of each number of slots.
    pub fn is_done(&self, trials: &[Trial]) -> bool {
        let is_tried = |slots: &u64| {
            let mut of_line = trials.iter().filter(|trial| self.owns(trial));
            of_line.any(|trial| trial.slots == *slots)
        };
        self.points().iter().all(is_tried)
    }

    /// Tries every number of slots. Failures are recorded in the trials.
    pub fn run(&self, seed: u64, progress: &Progress) -> Result<Vec<Trial>, BenchError> {
        progress.begin(&self.title());
        let made = KeySet::RandomU64.make(self.keys, 0, seed)?;
        let view = made.present.view();
        let Keys::U64(keys) = view.keys() else {
            return Ok(Vec::new());
        };
        let fits = self.width.fits;
        let checked = check(fits, keys, seed);
        let points = self.points().into_iter().zip(0u64..);
        let trial = |(slots, place): (u64, u64)| {
            let trial = Trial {
                row_bits: self.width.bits,
                keys: self.keys as u64,
                slots,
                built_slots: (self.width.slots)(self.keys as u64),
                ..Trial::default()
            };
            // No two points share a seed, so their results are independent.
            let seeds = (0..self.seeds).map(|index| seed_of(seed, place * self.seeds + index));
            let result = checked.clone().and_then(|()| count(fits, keys, slots, seeds));
            progress.did(self.of_point());
            match result {
                Ok(count) => counted(trial, count),
                Err(failure) => Trial { why: failure.to_string(), ..trial },
            }
        };
        Ok(points.map(trial).collect())
    }
}

/// Whether all keys with these hashes find room in one system of this many slots.
pub type Fits = fn(&[KeyHash], u64) -> Result<bool, BuildError>;

/// Seeds for each control.
const SURE: u64 = 4;

/// Seeds that were tried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Count {
    /// Seeds with room for all keys.
    solved: u64,
    /// Seeds without.
    unsolved: u64,
}

/// Tries these seeds with `slots` slots.
fn count(
    fits: Fits,
    keys: &[u64],
    slots: u64,
    seeds: impl Iterator<Item = u64>,
) -> Result<Count, Failure> {
    let mut count = Count::default();
    for seed in seeds {
        let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, seed)).collect();
        let solved = guarded(|| fits(&hashes, slots))?;
        match solved.map_err(|error| Failure::Build(error.to_string()))? {
            true => count.solved += 1,
            false => count.unsolved += 1,
        }
    }
    Ok(count)
}

/// The controls: distinct keys never find room in fewer slots than keys, and always do in twice as
/// many. Nothing is counted after a wrong answer.
fn check(fits: Fits, keys: &[u64], seed: u64) -> Result<(), Failure> {
    let all = keys.len() as u64;
    // Taken from the other end than the seeds that count.
    let seeds = || (1..=SURE).map(|index| seed_of(seed, index.wrapping_neg()));
    let (fewer, twice) = (all - all.div_ceil(100).min(all), 2 * all);
    let is_right = count(fits, keys, fewer, seeds())?.solved == 0;
    Failure::unless(is_right, || format!("claims room for {all} distinct keys in {fewer} slots"))?;
    let is_right = count(fits, keys, twice, seeds())?.unsolved == 0;
    Failure::unless(is_right, || format!("claims no room for {all} distinct keys in {twice} slots"))
}

/// A trial with its counts.
fn counted(trial: Trial, Count { solved, unsolved }: Count) -> Trial {
    let (low, high) = clopper_pearson(solved, solved + unsolved);
    Trial {
        seeds: Some(solved + unsolved),
        solved: Some(solved),
        unsolved: Some(unsolved),
        solved_low: Some(low),
        solved_high: Some(high),
        ..trial
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Suite;

    fn line(place: usize) -> Line {
        lines(&[(1000, 30)])[place]
    }

    fn tried(line: &Line) -> Vec<Trial> {
        line.run(1, &Progress::hidden()).unwrap()
    }

    #[test]
    fn more_slots_and_wider_rows_leave_room_for_more_seeds() {
        let [wide, narrow] = [0, 1].map(|place| tried(&line(place)));
        for trials in [&wide, &narrow] {
            for trial in trials {
                let (seeds, solved) = (trial.seeds.unwrap(), trial.solved.unwrap());
                assert_eq!(seeds, solved + trial.unsolved.unwrap());
                assert_eq!((seeds, trial.why.as_str()), (30, ""));
                let share = solved as f64 / 30.0;
                let interval = trial.solved_low.unwrap()..=trial.solved_high.unwrap();
                assert!(interval.contains(&share), "{trial:?}");
            }
            let solved: Vec<u64> = trials.iter().filter_map(|trial| trial.solved).collect();
            assert!(solved[0] <= 3 && solved[solved.len() - 1] >= 27, "{solved:?}");
        }
        // Two percent more slots than keys.
        let at = |trials: &[Trial]| {
            let of = trials.iter().find(|trial| trial.slots == 1020);
            of.unwrap().solved.unwrap()
        };
        assert!(at(&wide) > at(&narrow) + 3, "{} {}", at(&wide), at(&narrow));
    }

    #[test]
    fn what_filters_are_built_with_is_tried_too() {
        for line in Suite::Full.lines() {
            let points = line.points();
            assert!(points.is_sorted_by(|a, b| a < b) && points[0] == line.keys as u64);
            assert!(points.contains(&(line.width.slots)(line.keys as u64)));
        }
        assert!(tried(&line(0)).iter().any(|trial| trial.slots == trial.built_slots));
    }

    #[test]
    fn the_same_seed_gives_the_same_counts_and_another_one_others() {
        let line = line(1);
        assert_eq!(tried(&line), tried(&line));
        let other = line.run(2, &Progress::hidden()).unwrap();
        assert_ne!(tried(&line), other);
    }

    #[test]
    fn a_line_is_done_once_every_number_of_slots_was_tried() {
        let (line, other) = (line(0), line(1));
        let trials = tried(&line);
        assert!(line.is_done(&trials) && !line.is_done(&trials[1..]) && !other.is_done(&trials));
        assert!(trials.iter().all(|trial| line.owns(trial) && !other.owns(trial)));
    }

    #[test]
    fn an_answer_that_cannot_be_right_makes_error_rows_and_no_numbers() {
        let broken: [(Fits, &str); 4] = [
            // Looks at the keys but not the slots, so one of the two controls must fail.
            (|hashes, _| fits::<Standard>(hashes, hashes.len() as u64 * 11 / 10), "990 slots"),
            (|_, _| Ok(false), "no room"),
            (
                |_, _| Err(BuildError::Exhausted { attempts: 3, items: 1000 }),
                "none of 3 internal seeds",
            ),
            (|_: &[KeyHash], _| panic!("not today"), "not today"),
        ];
        for (fits, reason) in broken {
            let mut line = line(0);
            line.width.fits = fits;
            let trials = tried(&line);
            assert_eq!(trials.len(), line.points().len());
            for trial in trials {
                assert!(trial.why.contains(reason), "{reason}: {trial:?}");
                assert_eq!((trial.seeds, trial.solved), (None, None));
            }
        }
    }

    #[test]
    fn a_failure_at_one_number_of_slots_is_told_there_alone() {
        let mut line = line(0);
        line.width.fits = |hashes, slots| match slots {
            1010 => panic!("of all numbers, this one"),
            _ => fits::<Standard>(hashes, slots),
        };
        for trial in tried(&line) {
            assert_eq!(trial.why.is_empty(), trial.slots != 1010, "{trial:?}");
        }
    }
}
