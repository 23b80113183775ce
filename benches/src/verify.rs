//! Checked before it is timed: a wrong answer makes an error row, never a number.
//!
//! For every contender and cell, over several seeds, that is, several filters:
//!
//! 1. keys are distinct and absent keys absent ([`keysets`](crate::keysets) has counted them);
//! 2. no false negative over *all* keys;
//! 3. as many false positives as the exact formula expects, on both sides; pooled over seeds until
//!    a thousand are expected;
//! 4. the space it says is the space it holds;
//! 5. every loop that will be timed counts the same hits as the answers one by one.
//!
//! `removal` checks the same of a filter that half of the keys were taken out of, [`beyond`] of one
//! that was given more than it was planned for, [`load`] of a table at one load after another,
//! [`churn`] of one in which keys are replaced by others, and [`merge`] of two that became one.
//! What they share is in `tally`. [`construction`] counts systems that have a solution.

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

/// How many filters the false positives are pooled over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    /// At least so many.
    pub min_seeds: u64,
    /// At most so many, however few false positives there were.
    pub max_seeds: u64,
    /// Enough when so many false positives are expected: their count is then known to 3 %.
    pub false_positives: f64,
}

impl Effort {
    /// The effort that a contender is worth: one that has no seed is the same filter every time.
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
    /// The keys that go in.
    pub present: Keys<'a>,
    /// Keys that never do.
    pub absent: Keys<'a>,
    /// Half of the present keys, shuffled: those that are taken out again.
    pub gone: Keys<'a>,
    /// The other half.
    pub kept: Keys<'a>,
    /// The rate asked for, none if the contender takes none.
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
    /// It would not be built.
    #[error("build refused: {0}")]
    Build(String),
    /// It panicked.
    #[error("panicked: {0}")]
    Panic(String),
    /// It forgot keys.
    #[error("{forgotten} false negatives among its {keys} keys (seed {seed})")]
    FalseNegatives {
        /// How many keys it denied.
        forgotten: u64,
        /// How many it was built of.
        keys: u64,
        /// The seed it was built with.
        seed: u64,
    },
    /// It is not as large as it says.
    #[error("says it holds {said} bytes and holds {held} (seed {seed})")]
    Space {
        /// What it says.
        said: u64,
        /// What the allocator says.
        held: i64,
        /// The seed it was built with.
        seed: u64,
    },
    /// It cannot do what it says it can.
    #[error("says that it {what}s, and does not")]
    Unable {
        /// What it says.
        what: &'static str,
    },
    /// It denied keys that it was asked to take out.
    #[error("knew {known} of {keys} keys that were to be taken out (seed {seed})")]
    Unknown {
        /// How many it knew.
        known: u64,
        /// How many there were, all of them in.
        keys: u64,
        /// The seed it was built with.
        seed: u64,
    },
    /// It is only ever made for the keys that it is given.
    #[error("cannot be made for more keys than it is given")]
    NoRoom,
    /// It is no table of slots.
    #[error("says that it has slots, and does not")]
    NoSlots,
    /// It has more slots than there are keys.
    #[error("has {slots} slots, too many for the {keys} keys of this course")]
    TooLarge {
        /// How many slots.
        slots: u64,
        /// How many keys.
        keys: u64,
    },
    /// It did not know a key that was to be replaced, or had no place for another in its stead.
    #[error(
        "replaced {replaced} of {keys} keys, then did not know one or refused another (seed {seed})"
    )]
    Replaced {
        /// How many it replaced.
        replaced: u64,
        /// How many there were.
        keys: u64,
        /// The seed it was built with.
        seed: u64,
    },
    /// It would not take in another filter of the same contender.
    #[error("would not be merged: {0}")]
    Merge(String),
    /// It says that keys find room where there are fewer slots than keys.
    #[error("finds room for {keys} different keys in {slots} slots")]
    FindsRoom {
        /// How many keys.
        keys: u64,
        /// How many slots.
        slots: u64,
    },
    /// It says that keys find no room where there is plenty.
    #[error("finds no room for {keys} keys in {slots} slots")]
    FindsNoRoom {
        /// How many keys.
        keys: u64,
        /// How many slots.
        slots: u64,
    },
    /// Two loops over the same keys count different hits.
    #[error(
        "counts {got} hits in the {which} loop where its single answers have {want} (seed {seed})"
    )]
    Loops {
        /// Which loop is off.
        which: &'static str,
        /// What it counts.
        got: u64,
        /// What the answers one by one add up to.
        want: u64,
        /// The seed it was built with.
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
        /// Of how many queries.
        queries: u64,
        /// Over how many filters.
        seeds: u64,
        /// What the formula says.
        predicted: f64,
    },
    /// It grew, and its rate with it.
    #[error(
        "{hits} false positives in {queries} queries with {keys} keys in it, more than {SIGMAS} standard deviations above the \
         rate {asked:.4e} that it was asked to keep while it grows"
    )]
    AboveAsked {
        /// How many were seen.
        hits: u64,
        /// Of how many queries.
        queries: u64,
        /// How many keys were in.
        keys: u64,
        /// What was asked for.
        asked: f64,
    },
}

/// The numbers of a row of facts.
#[derive(Clone, Copy, Default, Debug)]
struct Facts {
    held: u64,
    said: Option<u64>,
    peak: u64,
    answers: Option<Answers>,
}

/// The seed of the `i`-th filter.
pub const fn seed_of(base: u64, i: u64) -> u64 {
    // Far apart, so that no scheme that adds small numbers to a seed meets the next one.
    base.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Builds a filter; a panic in it is a failure like any other.
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

/// Work that a contender does; a panic in it is a failure like any other.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    // Nothing of the harness is shared with the work but keys that it can only read; what it leaves
    // half done is dropped.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Failure::Panic(text.unwrap_or("without a message").to_owned())
    })
}

/// The bytes a filter holds, once it has been compared with what it says.
fn space(filter: &dyn Built, held: i64, seed: u64) -> Result<u64, Failure> {
    match filter.said_bytes() {
        Some(said) if i64::try_from(said) != Ok(held) => Err(Failure::Space { said, held, seed }),
        _ => Ok(u64::try_from(held).unwrap_or(0)),
    }
}

/// Builds a filter of one key and drops it: some hashers make a table of constants when they are
/// first used, and keep it. That is not the filter's.
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
        // The struct itself was boxed by the harness; a user has it on the stack.
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

/// The answers for the absent keys, once all loops agree with them.
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

/// The `verify` row of a contender, whether it passed or not.
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
