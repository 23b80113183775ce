//! Why a contender did not pass.

use super::SIGMAS;
use crate::record::{Row, State};
use thiserror::Error;

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
    /// It did not do to all keys what it must be able to do.
    #[error("{did} {done} of {keys} keys (seed {seed})")]
    Short {
        /// What it did.
        did: &'static str,
        /// To how many.
        done: u64,
        /// Of how many.
        keys: u64,
        /// Its seed.
        seed: u64,
    },
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
    /// It refused to merge another filter of the same contender.
    #[error("refused to merge: {0}")]
    Merge(String),
    /// A linear system has room for more keys than slots, or none where there is plenty.
    #[error("claims {claim} for {keys} distinct keys in {slots} slots")]
    Room {
        /// What is claimed.
        claim: &'static str,
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
    /// It does not find keys after a timed pass.
    #[error("after a timed {pass} it finds {found} of {keys} sampled keys")]
    Forgets {
        /// The pass.
        pass: &'static str,
        /// How many it finds.
        found: u64,
        /// Of how many.
        keys: u64,
    },
    /// Its rate is not the formula's.
    #[error(
        "{hits} false positives in {queries} queries over {seeds} seeds, more than {SIGMAS} \
         standard deviations from the predicted rate {predicted:.4e}"
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
        "{hits} false positives in {queries} queries with {keys} keys in it, more than {SIGMAS} \
         standard deviations above the target rate {asked:.4e} that it must keep while it grows"
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

impl Failure {
    /// The row in the state that this failure means: for some budgets there is no filter.
    pub fn mark(&self, row: Row) -> Row {
        let no_filter = row.asked_bits.is_some() && matches!(self, Self::Build(_));
        let state = if no_filter { State::Skipped } else { State::Failed };
        row.without(state, &self.to_string())
    }

    /// The same for a row that this failure keeps from being timed.
    pub fn untime(&self, row: Row) -> Row {
        match self.mark(row.clone()).state {
            State::Skipped => self.mark(row),
            _ => row.without(State::Untimed, &self.to_string()),
        }
    }
}
