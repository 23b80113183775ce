//! The gate: counted false positives against the exact formula, on both sides.

use crate::expected::Expected;
use crate::fill::{Fill, count_absent_found, present_hashes};
use crate::golden::Golden;
use crate::violation::{Verdict, Violation, ensure};
use amq_core::{BuildError, Goal, PlanFilter};

pub use crate::golden::Counts;

/// Filters per cell of the main gate, each with a seed of its own.
pub const SEEDS: u64 = 16;
/// Absent keys queried per filter.
pub const QUERIES: u64 = 1_000_000;
/// Standard deviations allowed for one filter.
const EACH: f64 = 5.0;
/// Standard deviations allowed for the sum over a cell.
const POOLED: f64 = 3.0;

/// One condition for measuring the rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cell {
    /// Its name in the golden record.
    pub name: &'static str,
    /// Keys planned for.
    pub planned: u64,
    /// Keys inserted.
    pub held: u64,
    /// The target rate.
    pub asked: f64,
    /// The number of filters: those with the seeds from 0 on.
    pub seeds: u64,
}

impl Cell {
    /// A filter that holds its planned number of keys, with each of [`SEEDS`] seeds.
    pub const fn full(name: &'static str, planned: u64, asked: f64) -> Self {
        Self { name, planned, held: planned, asked, seeds: SEEDS }
    }

    /// With another number of seeds, such as 256 to find out whether a failure is a false alarm.
    #[must_use]
    pub const fn with_seeds(self, seeds: u64) -> Self {
        Self { seeds, ..self }
    }

    /// With another number of keys held.
    #[must_use]
    pub const fn holding(self, name: &'static str, held: u64) -> Self {
        Self { name, held, ..self }
    }
}

/// 1 %.
pub const ONE_IN_100: Cell = Cell::full("1e-2", 100_000, 0.01);
/// 2^-8: whole bits.
pub const ONE_IN_256: Cell = Cell::full("2^-8", 100_000, 1.0 / 256.0);
/// 0.1 %.
pub const ONE_IN_1000: Cell = Cell::full("1e-3", 100_000, 1e-3);
/// So low that a 32-bit hash, whose floor is 2.3e-5 here, triples it.
pub const ONE_IN_100_000: Cell = Cell::full("1e-5", 100_000, 1e-5);
/// Half of the planned keys. Only here does the number of bits a key sets show clearly: at the
/// planned number the optimum is flat.
pub const HALF_FULL: Cell = ONE_IN_100.holding("1e-2 half full", 50_000);
/// Twice the planned keys, where the filter takes them.
pub const OVERFULL: Cell = ONE_IN_256.holding("2^-8 twice full", 200_000);
/// For filters with both abilities, built at once.
pub const BUILT: Cell = Cell::full("2^-8 built at once", 100_000, 1.0 / 256.0);

/// Small filters, where folklore formulas are off by up to a third. The rates are high enough to
/// measure.
const SMALL: [Cell; 8] = [
    Cell::full("n=1 5e-1", 1, 0.5),
    Cell::full("n=3 5e-1", 3, 0.5),
    Cell::full("n=3 1e-1", 3, 0.1),
    Cell::full("n=10 1e-1", 10, 0.1),
    Cell::full("n=10 1e-2", 10, 0.01),
    Cell::full("n=30 1e-2", 30, 0.01),
    Cell::full("n=100 1e-2", 100, 0.01),
    Cell::full("n=1000 1e-2", 1000, 0.01),
];
/// Small filters with more keys than planned.
const SMALL_OVERFULL: [Cell; 2] = [
    Cell::full("", 3, 0.1).holding("n=12 in 3 1e-1", 12),
    Cell::full("", 30, 0.01).holding("n=60 in 30 1e-2", 60),
];

/// The filters of a cell err as often as predicted, singly and pooled; no more often than the
/// target rate; and each as often as it reports itself.
pub fn a_filter_errs_as_often_as_predicted<F: PlanFilter>(
    fill: Fill<F>,
    cell: Cell,
) -> Result<Counts, Violation> {
    let mut counts = Vec::new();
    let mut refusals = Vec::new();
    let mut pooled = Expected::default();
    for seed in 0..cell.seeds {
        let Some(filter) = make(fill, cell, seed, &mut refusals)? else {
            continue;
        };
        let found = count_absent_found(&filter, QUERIES)?;
        let predicted = F::predicted_fpr(&filter.params(), cell.held);
        let expected = Expected::of_any(QUERIES, predicted);
        expected.check(format!("cell {}", cell.name), Some(seed), found, EACH)?;
        pooled = pooled.plus(expected);

        let own = filter.expected_fpr();
        Expected::of_one(QUERIES, own).check(
            format!("cell {}, by the filter's own expected_fpr", cell.name),
            Some(seed),
            found,
            EACH,
        )?;
        ensure(
            (own - predicted.mean).abs() <= EACH * predicted.sd + 2e-3 * predicted.mean,
            format_args!("cell {}, expected_fpr at seed {seed}", cell.name),
            own,
            format_args!("{:e} +- {:e}", predicted.mean, predicted.sd),
        )?;
        counts.push(found);
    }
    if !refusals.is_empty() {
        return Ok(Counts::RefusedAfter(refusals));
    }
    let found = counts.iter().sum();
    pooled.check(format!("cell {}", cell.name), None, found, POOLED)?;
    if cell.held <= cell.planned {
        at_most_asked(cell, found, pooled)?;
    }
    Ok(Counts::FalsePositives(counts))
}

/// Small filters err as often as predicted, in the mean over thousands of seeds. One golden line
/// per cell, the sum.
pub fn small_filters_err_as_often_as_predicted<F: PlanFilter>(
    fill: Fill<F>,
) -> Result<Vec<(&'static str, Counts)>, Violation> {
    SMALL.iter().map(|&cell| small(fill, cell)).collect()
}

/// So do overfull small filters, where they take the keys.
pub fn small_overfull_filters_err_as_often_as_predicted<F: PlanFilter>(
    fill: Fill<F>,
) -> Result<Vec<(&'static str, Counts)>, Violation> {
    SMALL_OVERFULL.iter().map(|&cell| small(fill, cell)).collect()
}

fn small<F: PlanFilter>(fill: Fill<F>, cell: Cell) -> Result<(&'static str, Counts), Violation> {
    const QUERIES: u64 = 2000;
    let mut refusals = Vec::new();
    let Some(first) = make(fill, cell, 0, &mut refusals)? else {
        return Ok((cell.name, Counts::RefusedAfter(refusals)));
    };
    // Exact formulas are slow for small filters, and most filters of a cell share their parameters.
    let mut params = first.params();
    let mut predicted = F::predicted_fpr(&params, cell.held);
    // Enough filters to average their spread to a few percent, more where false positives are few.
    let wanted = 4000.0 / (QUERIES as f64 * predicted.mean);
    let seeds = (wanted as u64).clamp(2048, 8192);
    let (mut found, mut squares, mut pooled) = (0, 0.0, Expected::default());
    for seed in 0..seeds {
        let Some(filter) = make(fill, cell, seed, &mut refusals)? else {
            return Ok((cell.name, Counts::RefusedAfter(refusals)));
        };
        if filter.params() != params {
            params = filter.params();
            predicted = F::predicted_fpr(&params, cell.held);
        }
        let expected = Expected::of_any(QUERIES, predicted);
        let of_this = count_absent_found(&filter, QUERIES)?;
        // One more sigma, since there are thousands of comparisons.
        Expected::of_one(QUERIES, filter.expected_fpr()).check(
            format!("cell {}, by the filter's own expected_fpr", cell.name),
            Some(seed),
            of_this,
            EACH + 1.0,
        )?;
        found += of_this;
        squares += (of_this as f64 - expected.mean()).powi(2);
        pooled = pooled.plus(expected);
    }
    pooled.check(format!("cell {}", cell.name), None, found, POOLED)?;
    if cell.held <= cell.planned {
        at_most_asked(cell, found, pooled)?;
    }
    the_spread_is_right(cell, squares, pooled)?;
    Ok((cell.name, Counts::FalsePositives(vec![found])))
}

/// The gate's tolerance rests on the predicted spread: an overstated one would let anything pass.
///
/// 2048 normal counts give the variance to within 3 %. In small filters they are not normal: allow
/// a third.
fn the_spread_is_right(cell: Cell, squares: f64, pooled: Expected) -> Verdict {
    let ratio = squares / pooled.variance();
    ensure(
        (0.75..=4.0 / 3.0).contains(&ratio) || pooled.mean() < 1000.0,
        format_args!("variance of the counts in cell {}", cell.name),
        squares,
        format_args!("about {:.0}, by predicted_fpr's sd", pooled.variance()),
    )
}

/// Used by [`suite!`](crate::suite): the gate, then the golden record.
pub fn gate<F: PlanFilter>(fill: Fill<F>, cell: Cell, golden: Golden) -> Verdict {
    golden.compare(&[(cell.name, a_filter_errs_as_often_as_predicted(fill, cell)?)])
}

/// A filter of the cell; or, past the planned number, the number of keys after which it refused.
#[inline(never)]
fn make<F>(
    fill: Fill<F>,
    cell: Cell,
    seed: u64,
    refusals: &mut Vec<u64>,
) -> Result<Option<F>, Violation> {
    let goal = Goal::fpr(cell.planned, cell.asked);
    match fill(goal, seed, &present_hashes(cell.held, seed)) {
        Ok(filter) => Ok(Some(filter)),
        Err(BuildError::Insert(full)) if full.done >= cell.planned => {
            refusals.push(full.done);
            Ok(None)
        }
        Err(error) => Err(Violation::refused(format!(
            "{} keys in a filter for {goal:?}, seed {seed}",
            cell.held
        ))(error)),
    }
}

/// The plan's contract, one-sided: at most the target rate, within the tolerance.
fn at_most_asked(cell: Cell, found: u64, pooled: Expected) -> Verdict {
    let asked = pooled.with_rate(cell.asked);
    if found as f64 <= asked.mean() {
        return Ok(());
    }
    asked.check(format!("cell {}, against the rate asked for", cell.name), None, found, POOLED)
}
