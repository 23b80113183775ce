//! Checked before it is timed: a wrong answer makes an error row, never a number.
//!
//! For every contender and cell, over several seeds, that is, several filters:
//!
//! 1. keys are distinct and absent keys absent ([`keysets`](crate::keysets) has counted them);
//! 2. no false negative over *all* keys;
//! 3. as many false positives as the exact formula expects, on both sides; pooled over seeds until a thousand are expected;
//! 4. the space it says is the space it holds;
//! 5. every loop that will be timed counts the same hits as the answers one by one.

use crate::alloc::counted;
use crate::contender::{Built, Contender, Info, Role};
use crate::interval::{SIGMAS, agrees, clopper_pearson};
use crate::keys::Keys;
use crate::record::{Cell, Row, Workload};
use amq_core::PredictedFpr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thiserror::Error;

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

/// What a contender is verified with.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The keys that go in.
    pub present: Keys<'a>,
    /// Keys that never do.
    pub absent: Keys<'a>,
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
}

/// The numbers of the `verify` row.
#[derive(Clone, Copy, Default, Debug)]
struct Facts {
    held: u64,
    said: Option<u64>,
    peak: u64,
    answers: Option<Answers>,
}

#[derive(Clone, Copy, Debug)]
struct Answers {
    seeds: u64,
    present_queries: u64,
    absent_queries: u64,
    false_positives: u64,
    predicted: Option<PredictedFpr>,
    agrees: Option<bool>,
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
    // Nothing of the harness is shared with the build but keys that it can only read.
    let attempt = catch_unwind(AssertUnwindSafe(|| {
        contender.build(subject.present, subject.asked_fpr, seed)
    }));
    match attempt {
        Ok(result) => result.map_err(Failure::Build),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            Err(Failure::Panic(
                text.unwrap_or("without a message").to_owned(),
            ))
        }
    }
}

/// Runs every check.
pub fn verify(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    effort: &Effort,
) -> Result<Verified, Failure> {
    let info = contender.info();
    let keys = subject.present.len() as u64;
    let queries = subject.absent.len() as u64;
    let mut first: Option<(Box<dyn Built>, Vec<bool>)> = None;
    let mut facts = Facts::default();
    let (mut false_positives, mut seeds, mut expected) = (0, 0, 0.0);
    let mut predicted = None;
    // Some hashers make a table of constants when they are first used, and keep it: that is not the filter's.
    let _ = build(
        contender,
        &Subject {
            present: subject.present.first(1),
            ..*subject
        },
        subject.seed,
    );
    while seeds < effort.min_seeds.max(1)
        || (expected < effort.false_positives && seeds < effort.max_seeds)
    {
        let seed = seed_of(subject.seed, seeds);
        seeds += 1;
        let (built, memory) = counted(|| build(contender, subject, seed));
        let filter = built?;
        // The struct itself was boxed by the harness; a user has it on the stack.
        let boxed = size_of_val(&*filter) as i64;
        let held = memory.held - boxed;
        let said = filter.said_bytes();
        if let Some(said) = said
            && i64::try_from(said) != Ok(held)
        {
            return Err(Failure::Space { said, held, seed });
        }
        facts.held = facts.held.max(u64::try_from(held).unwrap_or(0));
        facts.said = facts.said.max(said);
        facts.peak = facts
            .peak
            .max(u64::try_from(memory.peak - boxed).unwrap_or(0));
        if info.role == Role::Floor {
            return Ok(Verified {
                filter,
                absent: Vec::new(),
                facts,
            });
        }
        let found = filter.count_hits(subject.present);
        if found != keys {
            let forgotten = keys.saturating_sub(found);
            return Err(Failure::FalseNegatives {
                forgotten,
                keys,
                seed,
            });
        }
        let hits = filter.count_hits(subject.absent);
        false_positives += hits;
        if first.is_none() {
            predicted = filter.predicted();
            let answers = compare_loops(&*filter, subject, hits, seed)?;
            first = Some((filter, answers));
        }
        expected = match (predicted, subject.asked_fpr) {
            // Nothing will ever be seen: the least number of seeds is enough.
            (Some(predicted), _) if predicted.mean == 0.0 => f64::INFINITY,
            (Some(predicted), _) => predicted.mean * (queries * seeds) as f64,
            (None, _) => false_positives as f64,
        };
    }
    let agrees = predicted.map(|predicted| agrees(predicted, false_positives, queries, seeds));
    if let (Some(false), Some(predicted), true) = (agrees, predicted, info.ours) {
        return Err(Failure::Rate {
            hits: false_positives,
            queries: queries * seeds,
            seeds,
            predicted: predicted.mean,
        });
    }
    facts.answers = Some(Answers {
        seeds,
        present_queries: keys * seeds,
        absent_queries: queries * seeds,
        false_positives,
        predicted,
        agrees,
    });
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
    let facts = &verified.facts;
    let mut row = Row {
        held_bytes: Some(facts.held),
        said_bytes: facts.said,
        peak_build_bytes: Some(facts.peak.max(facts.held)),
        ..Row::new(info.name, cell, Workload::Verify)
    };
    if let Some(answers) = facts.answers {
        let (low, high) = clopper_pearson(answers.false_positives, answers.absent_queries);
        row.present_queries = Some(answers.present_queries);
        row.false_negatives = Some(0);
        row.absent_queries = Some(answers.absent_queries);
        row.false_positives = Some(answers.false_positives);
        row.seeds = Some(answers.seeds);
        row.predicted_fpr = answers.predicted.map(|predicted| predicted.mean);
        row.predicted_fpr_sd = answers.predicted.map(|predicted| predicted.sd);
        row.fpr_low = Some(low);
        row.fpr_high = Some(high);
        row.fpr_agrees = answers.agrees;
    }
    row
}

#[cfg(test)]
mod tests;
