//! Dividing a budget among several filters, such as those of an LSM tree's levels.

use amq::{AnyFilter, FilterKind, Goal, PlanError};
use amq_core::numeric::last_true;

/// The filter of one level.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Level {
    /// Its keys.
    pub keys: u64,
    /// Its bytes; 0 for a level that has no filter.
    pub bytes: u64,
    /// Its false-positive rate; 1 without a filter.
    pub fpr: f64,
}

/// Steps to a halving of the rate, and halvings.
const STEPS: u64 = 64;
const HALVINGS: u64 = 128;

/// Filters of one kind for levels with these numbers of keys, in a total of `bytes`, with the
/// lowest sum of rates: a lookup of an absent key queries every level, so their rates add up.
///
/// By the method of Lagrange the best rates are proportional to the keys: a level a tenth as large
/// has a tenth of the rate (Dayan et al., Monkey, SIGMOD 2017). A level whose rate would be 1 or
/// more has no filter.
///
/// ```
/// use amq::FilterKind;
///
/// // 10 bits per key over three levels, each ten times the last.
/// let keys = [1_000_000, 10_000_000, 100_000_000];
/// let levels = amq_advisor::levels(FilterKind::Ribbon, &keys, 138_750_000).unwrap();
/// let sum: f64 = levels.iter().map(|level| level.fpr).sum();
/// assert!(levels[0].fpr < levels[2].fpr / 50.0 && sum < 0.0017);
/// ```
pub fn levels(kind: FilterKind, keys: &[u64], bytes: u64) -> Result<Vec<Level>, PlanError> {
    let most = keys.iter().copied().max().unwrap_or(1) as f64;
    let plan = |steps: u64| -> Result<Vec<Level>, PlanError> {
        // The largest level's rate, from far above 1 downwards.
        let largest = libm::exp2((HALVINGS / 2) as f64 - steps as f64 / STEPS as f64);
        let level = |&keys: &u64| {
            let fpr = largest * keys as f64 / most;
            if keys == 0 || fpr >= 1.0 {
                return Ok(Level { keys, bytes: 0, fpr: 1.0 });
            }
            let plan = AnyFilter::plan(kind, Goal::fpr(keys, fpr))?;
            Ok(Level { keys, bytes: plan.bytes, fpr: plan.expected_fpr })
        };
        keys.iter().map(level).collect()
    };
    let sum = |levels: &[Level]| levels.iter().fold(0u64, |sum, it| sum.saturating_add(it.bytes));
    let fits = |steps: u64| plan(steps).is_ok_and(|levels| sum(&levels) <= bytes);
    plan(last_true(0, HALVINGS * STEPS, fits))
}
