//! Verification before timing: a wrong answer makes a failed row, never a number.
//!
//! For every contender and cell, over filters of several seeds:
//!
//! 1. keys are distinct and absent keys absent ([`keys`](crate::scenarios::keys) has counted them);
//! 2. no false negative over *all* keys;
//! 3. the number of false positives agrees with the exact formula, on both sides, pooled over seeds
//!    until a thousand are expected;
//! 4. the filter holds the bytes that it reports;
//! 5. every loop to be timed counts the same hits as single queries.
//!
//! The same applies after half of the keys are removed, and at every stop of a
//! [scenario](super::scenarios).
#![allow(unreachable_pub, reason = "what is public here is so for the harness alone")]

mod answers;
mod failure;
pub mod interval;

pub use answers::Answers;
pub use failure::{Failure, able, all_of, guarded, no_false_negative, same_hits, take_out};

use crate::contenders::alloc::{Memory, counted, counted_everywhere};
use crate::contenders::{Built, Contender, Info, Order, Planned, Role, dependent_hits};
use crate::scenarios::dataset::{ScenarioKeys, Subject};
use crate::scenarios::keys::Keys;

/// The number of filters that false positives are pooled over.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effort {
    pub min_seeds: usize,
    pub max_seeds: u64,
}

/// Stop when this many false positives are expected: the count is then accurate to 3 %.
const FALSE_POSITIVES: f64 = 1000.0;

impl Effort {
    /// The seeds of the filters; a contender without a seed needs only one.
    pub fn seeds(&self, info: &Info, base: u64) -> impl Iterator<Item = u64> + use<> {
        let most = if info.seedless { 1 } else { self.max_seeds };
        // Far apart, so that a filter that adds small numbers to a seed never uses the next one.
        (0..most).map(move |i| base.wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }
}

/// Builds a filter; a panic becomes a failure.
pub fn build(
    contender: &Contender,
    keys: Keys<'_>,
    order: &Order,
) -> Result<Box<dyn Built>, Failure> {
    guarded(|| contender.build(keys, order))?.map_err(Failure::Build)
}

/// Builds a filter and counts the bytes it holds and its peak, without the harness's box: a user
/// has the struct on the stack.
pub fn build_counted(
    contender: &Contender,
    keys: Keys<'_>,
    order: &Order,
) -> Result<(Box<dyn Built>, Memory), Failure> {
    let work = || build(contender, keys, order);
    let (built, Memory { held, peak }) =
        if contender.info.threads { counted_everywhere(work) } else { counted(work) };
    let filter = built?;
    let boxed = size_of_val(&*filter) as i64;
    Ok((filter, Memory { held: held - boxed, peak: peak - boxed }))
}

/// Builds a filter of one key and drops it: some hashers allocate a table of constants on first use
/// and keep it, which must not count as the filter's.
pub fn warm_up(subject: &Subject<'_>) {
    let _ = build(subject.contender, subject.present.between(0, 1), &subject.order(subject.seed));
}

/// A contender that passed.
#[derive(Default, Debug)]
pub struct Verified {
    /// The first filter's answer for each absent key; empty for the floor.
    pub absent: Vec<bool>,
    pub answers: Answers,
    /// Answers after half of the keys were removed, where that is measured.
    pub removal: Option<Result<Answers, Failure>>,
}

/// Runs every check; with those of removal if `removes`.
pub fn verify(subject: &Subject<'_>, effort: &Effort, removes: bool) -> Result<Verified, Failure> {
    let (contender, info) = (subject.contender, subject.contender.info);
    let Verified { mut absent, mut answers, .. } = Verified::default();
    let mut removal = Ok(Answers::default());
    warm_up(subject);
    for (filters, seed) in effort.seeds(info, subject.seed).enumerate() {
        let is_one_more = filters >= effort.min_seeds;
        if is_one_more && answers.expected() >= FALSE_POSITIVES {
            break;
        }
        let (mut filter, memory) = build_counted(contender, subject.present, &subject.order(seed))?;
        answers.see(&*filter, memory, seed)?;
        if info.role == Role::Floor {
            break;
        }
        answers.take(&*filter, subject.present, subject.absent, seed)?;
        if filters == 0 {
            absent = compare_loops(&*filter, subject, answers.false_positives, seed)?;
        }
        if removes && !is_one_more {
            // A removed key must be like any key never inserted: the rate on removed keys is that
            // of a filter built with the other half.
            removal = removal.and_then(|mut answers| {
                take_out(&mut *filter, subject.gone, seed)?;
                answers.take(&*filter, subject.kept, subject.gone, seed).map(|()| answers)
            });
        }
    }
    answers.judge(info.ours)?;
    let judged = || removal.and_then(|answers| answers.judge(info.ours).map(|()| answers));
    Ok(Verified { absent, answers, removal: removes.then(judged) })
}

/// The answers for the absent keys, after checking that all loops agree with them.
fn compare_loops(
    filter: &dyn Built,
    subject: &Subject<'_>,
    hits: u64,
    seed: u64,
) -> Result<Vec<bool>, Failure> {
    let answers = filter.answers(subject.absent);
    let absent = answers.iter().map(|&answer| u64::from(answer)).sum();
    same_hits("query", hits, absent, seed)?;
    let dependent = filter.dependent(subject.absent);
    same_hits("dependent", dependent, dependent_hits(&answers), seed)?;
    for (keys, want) in [(subject.absent, absent), (subject.present, subject.present.len() as u64)]
    {
        if let Some(got) = filter.count_hits_batch(keys) {
            same_hits("batch", got, want, seed)?;
        }
    }
    Ok(answers)
}

/// The least and most bytes per key, times the subject's keys, over numbers of keys from those to
/// twice as many; `None` if there are too few keys.
pub fn octave(subject: &Subject<'_>) -> Result<Option<(u64, u64)>, Failure> {
    const STEPS: i32 = 8;
    let ScenarioKeys { present, absent, seed } = subject.keys();
    let (keys, pool) = (present.len(), [present, absent].concat());
    if keys == 0 || pool.len() < 2 * keys {
        return Ok(None);
    }
    let order = Order { planned: Planned::Octave(keys), ..subject.order(seed) };
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for step in 0..STEPS {
        let many = (keys as f64 * (f64::from(step) / f64::from(STEPS)).exp2()) as usize;
        let (_, memory) = build_counted(subject.contender, Keys::U64(&pool[..many]), &order)?;
        let scaled = memory.held as f64 * keys as f64 / many as f64;
        (low, high) = (low.min(scaled), high.max(scaled));
    }
    Ok(Some((low as u64, high as u64)))
}
