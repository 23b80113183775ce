//! Verified before it is timed: a wrong answer makes a failed row, never a number.
//!
//! For every contender and cell, over filters of several seeds:
//!
//! 1. keys are distinct and absent keys absent ([`keys`](crate::keys) has counted them);
//! 2. no false negative over *all* keys;
//! 3. the number of false positives agrees with the exact formula, on both sides, pooled over seeds
//!    until a thousand are expected;
//! 4. the filter holds the bytes that it reports;
//! 5. every loop to be timed counts the same hits as single queries.
//!
//! The same applies after removing half of the keys ([`verify_removal`]) and at every stop of a
//! [course](super::courses).

mod failure;
mod removal;
mod tally;

use super::interval::SIGMAS;
use crate::contenders::alloc::{Memory, counted, counted_everywhere};
use crate::contenders::{Built, Contender, Info, Order, Planned, Role, dependent_hits};
use crate::keys::Keys;
use crate::record::{Cell, Row, Workload};
use amq_core::Budget;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use failure::Failure;
pub use removal::{take_out, verify_removal};
pub use tally::{Answers, Tally, no_false_negative};

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
    pub fn of(self, info: &Info) -> Self {
        if info.seeded {
            return self;
        }
        Self { min_seeds: 1, max_seeds: 1, ..self }
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
    /// The rate or size asked for; `None` if the contender takes neither.
    pub budget: Option<Budget>,
    /// The first seed; the others follow from it.
    pub seed: u64,
}

impl Subject<'_> {
    /// The order for a filter of the present keys.
    pub const fn order(&self, seed: u64) -> Order {
        Order { planned: Planned::Keys, budget: self.budget, seed }
    }
}

/// A contender that passed.
#[derive(Debug)]
pub struct Verified {
    /// The first filter's answer for each absent key; none for the floor, which answers nothing.
    pub absent: Vec<bool>,
    facts: Facts,
}

/// The numbers in a row of facts.
#[derive(Clone, Copy, Default, Debug)]
pub struct Facts {
    held: u64,
    said: Option<u64>,
    peak: u64,
    octave: Option<(u64, u64)>,
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
    keys: Keys<'_>,
    order: &Order,
) -> Result<Box<dyn Built>, Failure> {
    guarded(|| contender.build(keys, order))?.map_err(Failure::Build)
}

/// Builds a filter and counts the bytes it holds and its peak, without the harness's box: a user
/// has the struct on the stack.
pub fn build_counted(
    contender: &dyn Contender,
    keys: Keys<'_>,
    order: &Order,
) -> Result<(Box<dyn Built>, Memory), Failure> {
    let work = || build(contender, keys, order);
    let (built, Memory { held, peak }) =
        if contender.info().threads { counted_everywhere(work) } else { counted(work) };
    let filter = built?;
    let boxed = size_of_val(&*filter) as i64;
    let memory = Memory { held: held - boxed, peak: peak - boxed };
    Ok((filter, memory))
}

/// Runs a contender's work; a panic is a failure like any other.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    // The harness shares only read-only keys with the work, and drops what it leaves half done.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Failure::Panic(text.unwrap_or("without a message").to_owned())
    })
}

/// Builds a filter of one key and drops it: some hashers allocate a table of constants on first use
/// and keep it, which must not count as the filter's.
pub fn warm_up(contender: &dyn Contender, present: Keys<'_>, order: &Order) {
    let _ = build(contender, present.first(1), order);
}

/// Runs every check.
pub fn verify(
    contender: &dyn Contender,
    subject: &Subject<'_>,
    effort: &Effort,
) -> Result<Verified, Failure> {
    let info = contender.info();
    let effort = effort.of(&info);
    let mut first = None;
    let (mut facts, mut tally) = (Facts::default(), Tally::default());
    warm_up(contender, subject.present, &subject.order(subject.seed));
    while tally.filters < effort.min_seeds.max(1)
        || (tally.expected() < effort.false_positives && tally.filters < effort.max_seeds)
    {
        let seed = seed_of(subject.seed, tally.filters);
        let (filter, memory) = build_counted(contender, subject.present, &subject.order(seed))?;
        facts.see(&*filter, memory, seed)?;
        if info.role == Role::Floor {
            return Ok(Verified { absent: Vec::new(), facts });
        }
        let hits = tally.take(&*filter, subject.present, subject.absent, seed)?;
        if first.is_none() {
            first = Some(compare_loops(&*filter, subject, hits, seed)?);
        }
    }
    facts.answers = Some(tally.judged(info.ours)?);
    Ok(Verified { absent: first.unwrap_or_default(), facts })
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
    let chained = dependent_hits(&answers);
    for (which, got, want) in [
        ("query", Some(hits), absent),
        ("dependent", Some(filter.dependent(subject.absent)), chained),
        ("batch", filter.count_hits_batch(subject.absent), absent),
        ("batch", filter.count_hits_batch(subject.present), present),
    ] {
        if let Some(got) = got
            && got != want
        {
            return Err(Failure::Loops { which, got, want, seed });
        }
    }
    Ok(answers)
}

/// The least and most bytes per key over numbers of keys from `keys` to twice as many, times
/// `keys`, for a contender whose size jumps. The keys are the first of `pool`.
pub fn octave(
    contender: &dyn Contender,
    pool: Keys<'_>,
    keys: usize,
    subject: &Subject<'_>,
) -> Result<(u64, u64), Failure> {
    const STEPS: i32 = 16;
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for step in 0..STEPS {
        let many = (keys as f64 * (f64::from(step) / f64::from(STEPS)).exp2()) as usize;
        let order = Order { planned: Planned::Octave(keys), ..subject.order(subject.seed) };
        let (_, memory) = build_counted(contender, pool.first(many), &order)?;
        let scaled = memory.held as f64 * keys as f64 / many as f64;
        (low, high) = (low.min(scaled), high.max(scaled));
    }
    Ok((low as u64, high as u64))
}

impl Verified {
    /// Adds the range of sizes over an octave.
    pub fn with_octave(&mut self, range: (u64, u64)) {
        self.facts.octave = Some(range);
    }
}

/// The `verify` row of a contender, passed or failed.
pub fn row(info: &Info, cell: &Cell, outcome: &Result<Verified, Failure>) -> Row {
    let row = Row::new(info.name, cell, Workload::Verify);
    match outcome {
        Ok(verified) => {
            let mut row = row;
            verified.facts.write(&mut row);
            row
        }
        Err(failure) => failure.mark(row),
    }
}

impl Facts {
    /// Takes in a filter and the memory that it took, after comparison with what it reports.
    pub fn see(&mut self, filter: &dyn Built, memory: Memory, seed: u64) -> Result<(), Failure> {
        let (said, held) = (filter.said_bytes(), memory.held);
        if let Some(said) = said
            && i64::try_from(said) != Ok(held)
        {
            return Err(Failure::Space { said, held, seed });
        }
        self.held = self.held.max(u64::try_from(held).unwrap_or(0));
        self.said = self.said.max(said);
        self.peak = self.peak.max(u64::try_from(memory.peak).unwrap_or(0));
        Ok(())
    }

    fn write(&self, row: &mut Row) {
        row.held_bytes = Some(self.held);
        row.said_bytes = self.said;
        row.peak_build_bytes = Some(self.peak.max(self.held));
        if let Some((low, high)) = self.octave {
            (row.held_bytes_octave_low, row.held_bytes_octave_high) = (Some(low), Some(high));
        }
        if let Some(answers) = &self.answers {
            answers.write(row);
        }
    }

    /// Writes the space, if any filter was seen.
    pub fn write_space(&self, row: &mut Row) {
        if self.peak > 0 {
            self.write(row);
        }
    }
}

#[cfg(test)]
mod tests;
