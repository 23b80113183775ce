//! Verified before it is timed: a wrong answer makes an error row, never a number.
//!
//! For every contender and cell, over filters of several seeds:
//!
//! 1. keys are distinct and absent keys absent ([`keysets`](crate::keysets) has counted them); 2.
//!    no false negative over *all* keys; 3. the number of false positives agrees with the exact
//!    formula, on both sides, pooled over seeds until a thousand are expected; 4. the filter holds
//!    the bytes that it reports; 5. every loop to be timed counts the same hits as single queries.
//!
//! The same checks apply after removing half of the keys (`removal`), beyond the plan ([`beyond`]),
//! at one load after another ([`load`]), under replacement ([`churn`]) and after a merge
//! ([`merge`]). They share `tally`. [`construction`] counts solvable systems.

use crate::alloc::{counted, counted_everywhere};
use crate::contender::{Built, Contender, Info, Role};
use crate::interval::SIGMAS;
use crate::keys::Keys;
use crate::record::{Cell, Row, Workload};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tally::{Answers, Tally};
use thiserror::Error;

pub mod beyond;
pub mod churn;
pub mod construction;
pub mod load;
pub mod merge;
mod removal;
mod tally;

pub use removal::{Removal, verify_removal};

/// The number of filters that false positives are pooled over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// At least this many.
    pub min_seeds: u64,
    /// At most this many, however few the false positives.
    pub max_seeds: u64,
    /// Enough when this many false positives are expected: the count is then known to 3 %.
    pub false_positives: f64,
}

impl Effort {
    /// The effort for a contender: one without a seed is the same filter every time.
    #[must_use]
    pub const fn of(self, info: &Info) -> Self {
        if info.seeded {
            return self;
        }
        Self {
            min_seeds: 1,
            max_seeds: 1,
            ..self
        }
    }
}

/// What a contender is verified with.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The keys inserted.
    pub present: Keys<'a>,
    /// Keys never inserted.
    pub absent: Keys<'a>,
    /// Half of the present keys, shuffled: those to remove.
    pub gone: Keys<'a>,
    /// The other half.
    pub kept: Keys<'a>,
    /// The target rate; `None` if the contender takes none.
    pub asked_fpr: Option<f64>,
    /// The first seed; the others follow from it.
    pub seed: u64,
}

/// A contender that passed.
#[derive(Debug)]
pub struct Verified {
    /// The filter of the first seed.
    pub filter: Box<dyn Built>,
    /// Its answer for each absent key.
    pub absent: Vec<bool>,
    facts: Facts,
}

/// Why a contender did not pass.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Failure {
    /// It could not be built.
    #[error("build refused: {0}")]
    Build(String),
    /// It panicked.
    #[error("panicked: {0}")]
    Panic(String),
    /// It has false negatives.
    #[error("{forgotten} false negatives among its {keys} keys (seed {seed})")]
    FalseNegatives {
        /// How many present keys it answered `false`.
        forgotten: u64,
        /// How many it holds.
        keys: u64,
        /// Its seed.
        seed: u64,
    },
    /// It misreports its size.
    #[error("reports {said} bytes but holds {held} (seed {seed})")]
    Space {
        /// What it reports.
        said: u64,
        /// What the allocator counts.
        held: i64,
        /// Its seed.
        seed: u64,
    },
    /// It claims an ability that it lacks.
    #[error("claims to {what}, but does not")]
    Unable {
        /// What it reports.
        what: &'static str,
    },
    /// It failed to remove present keys.
    #[error("removed {known} of {keys} present keys (seed {seed})")]
    Unknown {
        /// How many it removed.
        known: u64,
        /// How many were to be removed, all present.
        keys: u64,
        /// Its seed.
        seed: u64,
    },
    /// It can only be made for the keys it is given.
    #[error("cannot be made for more keys than it is given")]
    NoRoom,
    /// It reports no slots.
    #[error("claims to have slots, but has none")]
    NoSlots,
    /// It has more slots than there are keys.
    #[error("has {slots} slots, too many for the {keys} keys of this course")]
    TooLarge {
        /// How many slots.
        slots: u64,
        /// How many keys.
        keys: u64,
    },
    /// It failed to remove a key, or to insert another in its place.
    #[error(
        "replaced {replaced} of {keys} keys, then failed to remove one or to insert another (seed {seed})"
    )]
    Replaced {
        /// How many it replaced.
        replaced: u64,
        /// How many there were.
        keys: u64,
        /// Its seed.
        seed: u64,
    },
    /// It refused to merge another filter of the same contender.
    #[error("refused to merge: {0}")]
    Merge(String),
    /// It claims room for more keys than slots.
    #[error("claims room for {keys} distinct keys in {slots} slots")]
    FindsRoom {
        /// How many keys.
        keys: u64,
        /// How many slots.
        slots: u64,
    },
    /// It claims to lack room where there is plenty.
    #[error("claims no room for {keys} keys in {slots} slots")]
    FindsNoRoom {
        /// How many keys.
        keys: u64,
        /// How many slots.
        slots: u64,
    },
    /// Two loops over the same keys count different hits.
    #[error("counts {got} hits in the {which} loop, but single queries give {want} (seed {seed})")]
    Loops {
        /// Which loop.
        which: &'static str,
        /// What the loop counts.
        got: u64,
        /// What single answers add up to.
        want: u64,
        /// Its seed.
        seed: u64,
    },
    /// Its rate is not the formula's.
    #[error(
        "{hits} false positives in {queries} queries over {seeds} seeds, more than {SIGMAS} standard deviations from the \
         predicted rate {predicted:.4e}"
    )]
    Rate {
        /// How many were seen.
        hits: u64,
        /// Among how many queries.
        queries: u64,
        /// Over how many filters.
        seeds: u64,
        /// What the formula predicts.
        predicted: f64,
    },
    /// Its rate grew with it.
    #[error(
        "{hits} false positives in {queries} queries with {keys} keys in it, more than {SIGMAS} standard deviations above the \
         target rate {asked:.4e} that it must keep while it grows"
    )]
    AboveAsked {
        /// How many were seen.
        hits: u64,
        /// Among how many queries.
        queries: u64,
        /// How many keys it held.
        keys: u64,
        /// The target rate.
        asked: f64,
    },
}

/// The numbers in a row of facts.
#[derive(Clone, Copy, Default, Debug)]
struct Facts {
    held: u64,
    said: Option<u64>,
    peak: u64,
    answers: Option<Answers>,
}

/// The seed of the `i`-th filter.
pub const fn seed_of(base: u64, i: u64) -> u64 {
    // Far apart, so that a scheme that adds small numbers to a seed never meets the next one.
    base.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Builds a filter; a panic is a failure like any other.
pub fn build(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    seed: u64,
) -> Result<Box<dyn Built>, Failure> {
    guarded(|| contender.build(subject.present, subject.asked_fpr, seed))?.map_err(Failure::Build)
}

/// The same of the first keys of a course.
pub fn begin(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    seed: u64,
) -> Result<Box<dyn Built>, Failure> {
    guarded(|| contender.begin(subject.present, subject.asked_fpr, seed))?.map_err(Failure::Build)
}

/// Makes a filter for `room` keys that holds these.
pub fn with_room(
    contender: &dyn Contender,
    room: usize,
    keys: Keys<'_>,
    subject: &Subject<'_>,
    seed: u64,
) -> Result<Box<dyn Built>, Failure> {
    guarded(|| contender.with_room(room, keys, subject.asked_fpr, seed))?
        .ok_or(Failure::NoRoom)?
        .map_err(Failure::Build)
}

/// Runs a contender's work; a panic is a failure like any other.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    // The harness shares only read-only keys with the work, and drops what it leaves half done.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Failure::Panic(text.unwrap_or("without a message").to_owned())
    })
}

/// The bytes a filter holds, after comparison with what it reports.
fn space(filter: &dyn Built, held: i64, seed: u64) -> Result<u64, Failure> {
    match filter.said_bytes() {
        Some(said) if i64::try_from(said) != Ok(held) => Err(Failure::Space { said, held, seed }),
        _ => Ok(u64::try_from(held).unwrap_or(0)),
    }
}

/// Builds a filter of one key and drops it: some hashers allocate a table of constants on first use
/// and keep it, which must not count as the filter's.
fn warm_up(contender: &dyn Contender, subject: &Subject<'_>) {
    let one = Subject {
        present: subject.present.first(1),
        ..*subject
    };
    let _ = build(contender, &one, subject.seed);
}

/// Runs every check.
pub fn verify(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    effort: &Effort,
) -> Result<Verified, Failure> {
    let info = contender.info();
    let effort = effort.of(&info);
    let mut first: Option<(Box<dyn Built>, Vec<bool>)> = None;
    let (mut facts, mut tally) = (Facts::default(), Tally::default());
    warm_up(contender, subject);
    while tally.filters < effort.min_seeds.max(1)
        || (tally.expected() < effort.false_positives && tally.filters < effort.max_seeds)
    {
        let seed = seed_of(subject.seed, tally.filters);
        let work = || build(contender, subject, seed);
        let (built, memory) = if contender.has_threads() {
            counted_everywhere(work)
        } else {
            counted(work)
        };
        let filter = built?;
        // The harness boxed the struct itself; a user has it on the stack.
        let boxed = size_of_val(&*filter) as i64;
        let held = space(&*filter, memory.held - boxed, seed)?;
        facts.held = facts.held.max(held);
        facts.said = facts.said.max(filter.said_bytes());
        let peak = u64::try_from(memory.peak - boxed).unwrap_or(0);
        facts.peak = facts.peak.max(peak);
        if info.role == Role::Floor {
            return Ok(Verified {
                filter,
                absent: Vec::new(),
                facts,
            });
        }
        let hits = tally.take(&*filter, subject.present, subject.absent, seed)?;
        if first.is_none() {
            let answers = compare_loops(&*filter, subject, hits, seed)?;
            first = Some((filter, answers));
        }
    }
    facts.answers = Some(tally.judged(info.ours)?);
    let (filter, absent) = first.ok_or_else(|| Failure::Build("no filter was built".to_owned()))?;
    Ok(Verified {
        filter,
        absent,
        facts,
    })
}

/// The answers for the absent keys, after checking that all loops agree with them.
fn compare_loops(
    filter: &dyn Built,
    subject: &Subject<'_>,
    hits: u64,
    seed: u64,
) -> Result<Vec<bool>, Failure> {
    let answers = filter.answers(subject.absent);
    let absent: u64 = answers.iter().map(|&answer| u64::from(answer)).sum();
    let present = subject.present.len() as u64;
    for (which, got, want) in [
        ("query", Some(hits), absent),
        ("batch", filter.count_hits_batch(subject.absent), absent),
        ("batch", filter.count_hits_batch(subject.present), present),
    ] {
        if let Some(got) = got
            && got != want
        {
            return Err(Failure::Loops {
                which,
                got,
                want,
                seed,
            });
        }
    }
    Ok(answers)
}

/// The `verify` row of a contender, passed or failed.
pub fn row(info: &Info, cell: &Cell, outcome: &Result<Verified, Failure>) -> Row {
    let verified = match outcome {
        Ok(verified) => verified,
        Err(failure) => {
            return Row::failed(info.name, cell, Workload::Verify, &failure.to_string());
        }
    };
    let mut row = Row::new(info.name, cell, Workload::Verify);
    verified.facts.write(&mut row);
    row
}

impl Facts {
    fn write(&self, row: &mut Row) {
        row.held_bytes = Some(self.held);
        row.said_bytes = self.said;
        row.peak_build_bytes = Some(self.peak.max(self.held));
        if let Some(answers) = &self.answers {
            answers.write(row);
        }
    }
}

#[cfg(test)]
mod tests;
