//! The gate: counted false positives against the exact formula, on both sides.

use crate::expected::Expected;
use crate::fill::{Fill, count_absent_found, present_hashes};
use crate::golden::Golden;
use amq_core::{BuildError, Goal, PlanFilter};

/// Filters per cell of the main gate, each with its own seed.
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
/// Twice the planned keys, if the filter accepts them.
pub const OVERFULL: Cell = ONE_IN_256.holding("2^-8 twice full", 200_000);
/// For filters with both abilities, built at once.
pub const BUILT: Cell = Cell::full("2^-8 built at once", 100_000, 1.0 / 256.0);

/// Small filters, where folklore formulas are off by up to a third. The rates are high enough to
/// measure.
pub const SMALL: &[Cell] = &[
    Cell::full("n=1 5e-1", 1, 0.5),
    Cell::full("n=3 5e-1", 3, 0.5),
    Cell::full("n=3 1e-1", 3, 0.1),
    Cell::full("n=10 1e-1", 10, 0.1),
    Cell::full("n=10 1e-2", 10, 0.01),
    Cell::full("n=30 1e-2", 30, 0.01),
    Cell::full("n=100 1e-2", 100, 0.01),
    Cell::full("n=1000 1e-2", 1000, 0.01),
];
/// Small filters with more keys than planned, if they accept them.
pub const SMALL_OVERFULL: &[Cell] = &[
    Cell::full("", 3, 0.1).holding("n=12 in 3 1e-1", 12),
    Cell::full("", 30, 0.01).holding("n=60 in 30 1e-2", 60),
];

/// Used by [`suite!`](crate::suite): the gate, then the golden record.
pub fn gate<F: PlanFilter>(fill: Fill<F>, cell: Cell, golden: Golden) {
    golden.compare(cell.name, &a_filter_errs_as_often_as_predicted(fill, cell));
}

/// Used by [`suite!`](crate::suite): the gate of small filters, then the golden record.
pub fn small_gates<F: PlanFilter>(fill: Fill<F>, cells: &'static [Cell], golden: Golden) {
    for &cell in cells {
        golden.compare(cell.name, &a_small_filter_errs_as_often_as_predicted(fill, cell));
    }
}

/// The filters of a cell have the predicted rate, singly and pooled; at most the target rate; and
/// each the rate that it reports. Returns the counts for the golden record.
pub fn a_filter_errs_as_often_as_predicted<F: PlanFilter>(fill: Fill<F>, cell: Cell) -> String {
    let name = cell.name;
    let (mut counts, mut refusals, mut pooled) = (Vec::new(), Vec::new(), Expected::default());
    for seed in 0..cell.seeds {
        let filter = match make(fill, cell, seed) {
            Ok(filter) => filter,
            Err(keys) => {
                refusals.push(keys);
                continue;
            }
        };
        let found = count_absent_found(&filter, QUERIES);
        let predicted = F::predicted_fpr(&filter.params(), cell.held);
        let expected = Expected::of_any(QUERIES, predicted);
        expected.check(format_args!("{name}, seed {seed}"), found, EACH);
        pooled = pooled.plus(expected);
        counts.push(found);

        let own = filter.expected_fpr();
        let what = format_args!("{name}, seed {seed}, by the filter's own expected_fpr");
        Expected::of_one(QUERIES, own).check(what, found, EACH);
        assert!(
            (own - predicted.mean).abs() <= EACH * predicted.sd + 2e-3 * predicted.mean,
            "{name}, seed {seed}: expected_fpr {own:e}, predicted {predicted:?}"
        );
    }
    if !refusals.is_empty() {
        return refused_after(&refusals);
    }
    check_pool(cell, counts.iter().sum(), pooled);
    text(&counts)
}

/// A small filter has the predicted rate, in the mean over thousands of seeds. Returns the sum for
/// the golden record.
pub fn a_small_filter_errs_as_often_as_predicted<F: PlanFilter>(
    fill: Fill<F>,
    cell: Cell,
) -> String {
    const QUERIES: u64 = 2000;
    // Exact formulas are slow for small filters, and most filters of a cell share their parameters.
    let (mut params, mut predicted) = match make(fill, cell, 0) {
        Ok(first) => (first.params(), F::predicted_fpr(&first.params(), cell.held)),
        Err(keys) => return refused_after(&[keys]),
    };
    // Enough filters to average their spread to a few percent, more where false positives are few.
    let wanted = 4000.0 / (QUERIES as f64 * predicted.mean);
    let (mut found, mut squares, mut pooled) = (0, 0.0, Expected::default());
    for seed in 0..(wanted as u64).clamp(2048, 8192) {
        let filter = match make(fill, cell, seed) {
            Ok(filter) => filter,
            Err(keys) => return refused_after(&[keys]),
        };
        if filter.params() != params {
            params = filter.params();
            predicted = F::predicted_fpr(&params, cell.held);
        }
        let expected = Expected::of_any(QUERIES, predicted);
        let of_this = count_absent_found(&filter, QUERIES);
        let what = format_args!("{}, seed {seed}, by the filter's own expected_fpr", cell.name);
        // One more sigma, since there are thousands of comparisons.
        Expected::of_one(QUERIES, filter.expected_fpr()).check(what, of_this, EACH + 1.0);
        found += of_this;
        squares += (of_this as f64 - expected.mean()).powi(2);
        pooled = pooled.plus(expected);
    }
    check_pool(cell, found, pooled);
    // The tolerance rests on the predicted spread: an overstated one would let anything pass. 2048
    // normal counts give the variance to within 3 %. In small filters they are not normal: allow a
    // third.
    let ratio = squares / pooled.variance();
    assert!(
        (0.75..=4.0 / 3.0).contains(&ratio) || pooled.mean() < 1000.0,
        "{}: the counts' variance is {ratio} times that of predicted_fpr",
        cell.name
    );
    text(&[found])
}

/// A filter of the cell; or, beyond the planned number, the number of keys at which it refused one.
#[inline(never)]
fn make<F>(fill: Fill<F>, cell: Cell, seed: u64) -> Result<F, u64> {
    let goal = Goal::fpr(cell.planned, cell.asked);
    match fill(goal, seed, &present_hashes(cell.held, seed)) {
        Ok(filter) => Ok(filter),
        Err(BuildError::Insert(full)) if full.done >= cell.planned => Err(full.done),
        Err(error) => panic!("{} keys in a filter for {goal:?}, seed {seed}: {error}", cell.held),
    }
}

/// The sum over a cell is as predicted, and at most the target rate.
fn check_pool(cell: Cell, found: u64, pooled: Expected) {
    pooled.check(cell.name, found, POOLED);
    if cell.held <= cell.planned {
        pooled.check_at_most(cell.asked, cell.name, found);
    }
}

fn text(counts: &[u64]) -> String {
    counts.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

/// There is no rate to measure.
fn refused_after(keys: &[u64]) -> String {
    format!("refused after {}", text(keys))
}
