//! Sets of different sizes, divided into classes.

use crate::InterleavedParams;
use amq_bloom::{BlockedBloomFilter, BlockedParams};
use amq_core::{Budget, Goal, Plan, PlanError};

use alloc::vec;
use alloc::vec::Vec;

/// The most classes that sets are divided into.
pub const MAX_CLASSES: usize = 8;

/// A division of sets into classes of similar sizes, each of which becomes a filter.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Classes {
    /// The classes, that of the largest sets first.
    pub classes: Vec<SizeClass>,
    /// Bytes of all tables together.
    pub bytes: u64,
    /// Cache lines that a lookup reads in all tables together: what its time is made of. (A row of
    /// 65 to 448 bins may lie across two.)
    pub lines: u64,
}

/// Sets that share a filter.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SizeClass {
    /// The indices of the sets, the largest set first: set `sets[i]` is bin i.
    pub sets: Vec<usize>,
    /// The plan of a bin, for [`InterleavedBloomFilter::new`](crate::InterleavedBloomFilter::new).
    pub plan: Plan<BlockedParams>,
}

/// Sizes that a class can begin with, in descending order: where each begins, and its plan.
struct Sizes {
    starts: Vec<usize>,
    plans: Vec<Plan<BlockedParams>>,
}

impl Sizes {
    /// The table of a class from one size up to another.
    fn params(&self, from: usize, to: usize) -> InterleavedParams {
        let bins = (self.starts[to] - self.starts[from]) as u64;
        InterleavedParams::new(bins, self.plans[from].params.blocks)
    }
}

/// The best divisions into one class, two, and so on, without those that save nothing.
pub(crate) fn classes(budget: Budget, sizes: &[u64]) -> Result<Vec<Classes>, PlanError> {
    InterleavedParams::new(sizes.len() as u64, 1).check()?;
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&set| core::cmp::Reverse(sizes[set]));
    let mut all = Sizes { starts: Vec::new(), plans: Vec::new() };
    let mut last = u64::MAX;
    for (start, &set) in order.iter().enumerate() {
        // Sizes that differ by less than a sixteenth are one.
        if start == 0 || sizes[set] <= last - last / 16 && sizes[set] < last {
            last = sizes[set];
            all.starts.push(start);
            all.plans.push(BlockedBloomFilter::plan(Goal::new(last, budget))?);
        }
    }
    let count = all.plans.len();
    all.starts.push(sizes.len());

    // The fewest bytes of the sets up to each size in this many classes, and the start of the last.
    let mut best: Vec<(u64, usize)> =
        (1..=count).map(|to| (all.params(0, to).bytes(), 0)).collect();
    let mut cuts = Vec::new();
    let mut divisions = Vec::new();
    for number in 1..=MAX_CLASSES.min(count) {
        if number > 1 {
            let mut next = vec![(u64::MAX, 0); count];
            for (to, next) in next.iter_mut().enumerate().skip(number - 1) {
                for from in number - 1..=to {
                    let bytes = all.params(from, to + 1).bytes();
                    let bytes = best[from - 1].0.saturating_add(bytes);
                    if bytes <= next.0 {
                        *next = (bytes, from);
                    }
                }
            }
            best = next;
        }
        cuts.push(best.iter().map(|&(_, from)| from).collect::<Vec<_>>());
        let division = division(&all, &order, &cuts);
        // A further class saves nothing if the rows of the others get no shorter.
        if divisions.last().is_none_or(|fewer: &Classes| division.bytes < fewer.bytes) {
            divisions.push(division);
        }
    }
    for class in divisions.iter().flat_map(|division| &division.classes) {
        InterleavedParams::new(class.sets.len() as u64, class.plan.params.blocks).check()?;
    }
    Ok(divisions)
}

/// Follows the cuts from the last class back to the first.
fn division(all: &Sizes, order: &[usize], cuts: &[Vec<usize>]) -> Classes {
    let (mut to, mut classes) = (all.plans.len(), Vec::new());
    let (mut bytes, mut lines) = (0u64, 0);
    for cuts in cuts.iter().rev() {
        let from = cuts[to - 1];
        let params = all.params(from, to);
        bytes = bytes.saturating_add(params.bytes());
        lines += 8 * params.row_bytes().div_ceil(64);
        let sets = order[all.starts[from]..all.starts[to]].to_vec();
        classes.push(SizeClass { sets, plan: all.plans[from] });
        to = from;
    }
    classes.reverse();
    Classes { classes, bytes, lines }
}
