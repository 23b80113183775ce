//! The failure of a contender.

use crate::contenders::Built;
use crate::record::{Row, State};
use crate::scenarios::keys::Keys;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thiserror::Error;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Error)]
pub enum Failure {
    #[error("build refused: {0}")]
    Build(String),
    #[error("{0}")]
    Wrong(String),
}

impl Failure {
    /// Fails with this reason unless `is_well`.
    pub fn unless(is_well: bool, why: impl FnOnce() -> String) -> Result<(), Self> {
        if is_well { Ok(()) } else { Err(Self::Wrong(why())) }
    }

    /// Marks the row with this failure. A budget without a possible filter does not count as a
    /// failure.
    pub fn mark(&self, row: Row, state: State) -> Row {
        let no_filter = row.asked_bits.is_some() && matches!(self, Self::Build(_));
        row.without(if no_filter { State::Skipped } else { state }, &self.to_string())
    }
}

/// Runs a contender's work; a panic becomes a failure.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    // The harness shares only read-only keys with the work, and drops its partial results.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref().map(String::as_str));
        Failure::Wrong(format!("panicked: {}", text.unwrap_or("without a message")))
    })
}

/// Runs work that a contender claims to support.
pub fn able<T>(what: &str, work: impl FnOnce() -> Option<T>) -> Result<T, Failure> {
    guarded(work)?.ok_or_else(|| Failure::Wrong(format!("claims to {what}, but does not")))
}

/// Fails unless all keys were processed.
pub fn all_of(did: &str, done: u64, keys: usize, seed: u64) -> Result<(), Failure> {
    Failure::unless(done == keys as u64, || format!("{did} {done} of {keys} keys (seed {seed})"))
}

/// Removes keys, all of which are present.
pub fn take_out(filter: &mut dyn Built, gone: Keys<'_>, seed: u64) -> Result<(), Failure> {
    all_of("removed", able("remove", || filter.remove(gone))?, gone.len(), seed)
}

/// Fails if a loop counts different hits than single queries.
pub fn same_hits(which: &str, got: u64, want: u64, seed: u64) -> Result<(), Failure> {
    Failure::unless(got == want, || {
        format!("counts {got} hits in the {which} loop, single queries {want} (seed {seed})")
    })
}

pub fn no_false_negative(filter: &dyn Built, present: Keys<'_>, seed: u64) -> Result<(), Failure> {
    let keys = present.len() as u64;
    let found = filter.count_hits(present);
    Failure::unless(found == keys, || {
        let forgotten = keys.saturating_sub(found);
        let negatives = if forgotten == 1 { "negative" } else { "negatives" };
        format!("{forgotten} false {negatives} among its {keys} keys (seed {seed})")
    })
}
