//! Merging filters of different sizes by expanding the smaller one.
//!
//! A probe's index is the upper half of the product of the hash and the number of bits (or blocks).
//! In a table d times larger, index i therefore becomes one of `d i` to `d i + d - 1`. So copying
//! each bit (or block) d times keeps all answers, and folding d of them into one keeps all keys.
//!
//! Expanding has a cost: n' keys of a filter that was expanded by d set as many bits as d n' keys
//! do. So the rate of its union with n keys is that of `n + d n'` keys; merges check it beforehand.

use crate::filter::table_bytes;
use crate::params::FoldError;
use crate::simd::BlockLayout;
use crate::{Blocked, BloomFilter, BloomParams};
use amq_core::internal::Header;
use amq_core::numeric::first_true_near;
use amq_core::{
    Budget, Bytes, Filter, Goal, InsertError, MergeError, Plan, PlanError, PlanFilter, Table,
};

/// How the sizes of two tables compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sizes {
    /// Equal sizes.
    Equal,
    /// Ours is this many times larger.
    Ours(u64),
    /// Theirs is this many times larger.
    Theirs(u64),
}

impl Sizes {
    /// Compares two sizes; refuses them unless one is a multiple of the other.
    pub(crate) fn of(field: &'static str, ours: u64, theirs: u64) -> Result<Self, MergeError> {
        if ours == theirs {
            return Ok(Self::Equal);
        }
        if theirs != 0 && ours.is_multiple_of(theirs) {
            return Ok(Self::Ours(ours / theirs));
        }
        if ours != 0 && theirs.is_multiple_of(ours) {
            return Ok(Self::Theirs(theirs / ours));
        }
        let (below, above) = nearest(ours, theirs);
        Err(MergeError::Sizes { field, ours, theirs, below, above })
    }
}

/// Factors to try on either side of the ideal one.
const TRIES: u64 = 10_000;

/// The numbers next to `theirs` that divide `ours` or are multiples of it. For divisors, only the
/// nearest ten thousand factors are tried.
fn nearest(ours: u64, theirs: u64) -> (u64, u64) {
    if theirs > ours {
        let below = theirs / ours * ours;
        return (below, below.saturating_add(ours));
    }
    let ideal = ours / theirs;
    let divides = |factor: &u64| ours.is_multiple_of(*factor);
    let below = (ideal + 1..=ours).take(TRIES as usize).find(divides).unwrap_or(ours);
    let above = (1..=ideal).rev().take(TRIES as usize).find(divides).unwrap_or(1);
    (ours / below, ours / above)
}

/// The header of a filter expanded to `bytes` bytes.
fn expanded(header: &Header, factor: u64, bytes: u64) -> Header {
    let budget = match header.budget {
        Some(Budget::Bytes(_)) => Some(Budget::Bytes(bytes)),
        budget => budget,
    };
    Header { capacity: header.capacity.saturating_mul(factor), budget, ..*header }
}

fn no_memory(error: FoldError) -> MergeError {
    let bytes = match error {
        FoldError::OutOfMemory { bytes } => bytes,
        FoldError::Factor { .. } | FoldError::Expand { .. } => 0,
    };
    MergeError::Insert(InsertError::OutOfMemory { bytes })
}

/// `Ok` if the merged rate is at most the allowed one.
fn check_rate(merged: f64, asked: f64) -> Result<(), MergeError> {
    match merged <= asked {
        true => Ok(()),
        false => Err(MergeError::Rate { merged, asked }),
    }
}

/// The highest rate allowed for a merge of different sizes: the larger filter's planned rate, plus
/// its variation.
fn promised<F: PlanFilter>(larger: &F) -> f64 {
    let rate = F::predicted_fpr(&larger.params(), larger.capacity());
    // If all bits are set, only rounding differs.
    ((rate.mean + 4.0 * rate.sd) * (1.0 + 1e-9)).max(larger.expected_fpr())
}

/// The size of a part: the whole's divided by a power of two, so that any two parts of one whole
/// merge. `size` returns the bytes of a number of bits or blocks, and `rate` its rate with the
/// part's keys.
fn fraction(
    places: u64,
    part: Goal,
    size: impl Fn(u64) -> u64,
    rate: impl Fn(u64) -> f64,
) -> Result<u64, PlanError> {
    // At least 128 bits or blocks are kept, so rounding costs at most 1/128.
    let halvings = (places / 128).checked_ilog2().unwrap_or(0);
    let unit = 1u64 << halvings;
    let whole = match part.budget {
        Budget::Fpr(_) => places.div_ceil(unit) * unit,
        Budget::BitsPerKey(_) | Budget::Bytes(_) => places / unit * unit,
    };
    let sizes = (0..=halvings).rev().map(|halving| whole >> halving);
    match part.budget {
        Budget::Fpr(asked) => Ok({
            let mut sizes = sizes;
            sizes.find(|&places| rate(places) <= asked).unwrap_or(whole)
        }),
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            let bytes = part.max_bits() / 8;
            let fitting = sizes.rev().find(|&places| size(places) <= bytes);
            fitting.ok_or(PlanError::Bytes { bytes, min: size(whole >> halvings) })
        }
    }
}

/// A part's plan, or why there is none: bytes too few name the fewest for which `plan` succeeds.
///
/// More bytes for the part are also more for the whole, and so for its smallest fraction.
fn with_enough_bytes<P>(
    part: Goal,
    plan: impl Fn(Goal) -> Result<Plan<P>, PlanError>,
) -> Result<Plan<P>, PlanError> {
    let (refused, least) = match plan(part) {
        Err(error @ PlanError::Bytes { min, .. }) => (error, min),
        // The whole's: the bytes of its part were converted.
        Err(error @ PlanError::FewKeys { .. }) if matches!(part.budget, Budget::Bytes(_)) => {
            (error, 0)
        }
        other => return other,
    };
    let bytes = part.max_bits() / 8;
    let is_enough = |bytes| plan(Goal::bytes(part.keys, bytes)).is_ok();
    let min = first_true_near(bytes.saturating_add(1), 1 << 40, least, is_enough);
    Err(if is_enough(min) { PlanError::Bytes { bytes, min } } else { refused })
}

/// The goal of the whole, given a part's goal.
fn whole_of(part: Goal, total: u64) -> Goal {
    let budget = match part.budget {
        Budget::Bytes(bytes) => Budget::BitsPerKey(bytes as f64 * 8.0 / part.keys.max(1) as f64),
        budget => budget,
    };
    Goal::new(total.max(part.keys), budget)
}

impl BloomFilter {
    /// A plan for a part of `total` keys, whose table divides the table for all of them. So a part
    /// with few keys is small, and can be merged into the whole.
    ///
    /// Any two parts have sizes that merge if they are planned with the same `total` and the same
    /// rate or bits per key. A number of bytes counts as bits per key: parts with different ones
    /// may not merge.
    ///
    /// In the union, n keys of a part with a d-th of the size count as d n keys. So a whole has
    /// room for one full part, or for a few parts with few keys each. If there are more, plan each
    /// for `total` keys: parts of equal size always merge, and their keys count once.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let all = BloomFilter::plan_foldable(Goal::fpr(1_000_000, 0.01), 1_000_000)?;
    /// let few = BloomFilter::plan_foldable(Goal::fpr(10_000, 0.01), 1_000_000)?;
    /// assert_eq!(all.params.bits % few.params.bits, 0);
    /// assert!(few.bytes < all.bytes / 60);
    /// # Ok(())
    /// # }
    /// ```
    pub fn plan_foldable(goal: Goal, total: u64) -> Result<Plan<BloomParams>, PlanError> {
        with_enough_bytes(goal.checked()?, |goal| Self::plan_fraction(goal, total))
    }

    fn plan_fraction(goal: Goal, total: u64) -> Result<Plan<BloomParams>, PlanError> {
        let whole = Self::plan(whole_of(goal, total))?.params;
        let params = |words: u64| BloomParams::new(words * 64, whole.probes);
        let words = fraction(
            whole.bits.div_ceil(64),
            goal,
            |words| words * 8,
            |words| Self::predicted_fpr(&params(words), goal.keys).mean,
        )?;
        Ok(Self::plan_params(params(words), goal.keys)?.with_budget(goal.budget))
    }

    /// Merges another filter, where one table may be a multiple of the other, at a rate of at most
    /// `fpr`. The result has the smaller size if its rate allows it (the larger filter is folded),
    /// and otherwise the larger size (the smaller one is expanded). On an error nothing changes.
    ///
    /// ```
    /// use amq_bloom::{BloomFilter, Filter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let large = BloomFilter::build(Goal::fpr(100_000, 0.01), 0..1000u64)?;
    /// let mut small = large.fold(32)?;
    /// let bytes = small.size_in_bytes();
    /// small.merge_within(&large, 0.01)?;
    /// assert_eq!(small.size_in_bytes(), bytes);
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge_within(&mut self, other: &Self, fpr: f64) -> Result<(), MergeError> {
        let smaller = match self.sizes(other)? {
            Sizes::Equal => {
                let merged = self.united(other)?;
                check_rate(merged.expected_fpr(), fpr)?;
                *self = merged;
                return Ok(());
            }
            Sizes::Ours(factor) => Self::fold(self, factor).map_err(no_memory)?.united(other)?,
            Sizes::Theirs(factor) => self.united(&other.fold(factor).map_err(no_memory)?)?,
        };
        *self = match check_rate(smaller.expected_fpr(), fpr) {
            Ok(()) => smaller,
            Err(_) => {
                let larger = self.united(other)?;
                check_rate(larger.expected_fpr(), fpr)?;
                larger
            }
        };
        Ok(())
    }

    /// How their sizes compare; an error if they cannot be merged at any rate.
    pub(crate) fn sizes(&self, other: &Self) -> Result<Sizes, MergeError> {
        let (ours, theirs) = (self.params(), other.params());
        let sizes = Sizes::of("bits", ours.bits, theirs.bits)?;
        MergeError::check("probes", ours.probes.into(), theirs.probes.into())?;
        self.header().check_seeds(&other.header())?;
        Ok(sizes)
    }

    /// The union in the larger size; an error if it exceeds the rate that the larger filter was
    /// planned for.
    pub(crate) fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        let larger = if self.params().bits < other.params().bits { other } else { self };
        let merged = self.united(other)?;
        check_rate(merged.expected_fpr(), promised(larger))?;
        Ok(merged)
    }

    /// The union in the larger size, whatever its rate.
    fn united(&self, other: &Self) -> Result<Self, MergeError> {
        let (larger, smaller, factor) = match self.sizes(other)? {
            Sizes::Equal => (self, other, 1),
            Sizes::Ours(factor) => (self, other, factor),
            Sizes::Theirs(factor) => (other, self, factor),
        };
        let expanded =
            if factor > 1 { Some(smaller.expand(factor).map_err(no_memory)?) } else { None };
        let mut table = copied(larger.as_bytes())?;
        let theirs = expanded.as_ref().map_or(smaller.as_bytes(), Self::as_bytes);
        table.iter_mut().zip(theirs).for_each(|(byte, theirs)| *byte |= theirs);
        let len = self.len().saturating_add(other.len());
        Ok(Self::of(larger.header(), larger.params(), len, table))
    }
}

impl<B: Bytes> BloomFilter<B> {
    /// A filter with the same answers in a table `factor` times larger: the inverse of
    /// [`fold`](Self::fold). Each bit is copied `factor` times.
    ///
    /// Use it to make room for more keys, or for those of a larger filter;
    /// [`merge`](BloomFilter::merge) calls it when needed.
    /// [`estimated_cardinality`](Self::estimated_cardinality) is `factor` times too high from then
    /// on.
    pub fn expand(&self, factor: u64) -> Result<BloomFilter, FoldError> {
        let BloomParams { bits, probes } = self.params();
        let refused = FoldError::Expand { places: "bits", count: bits, factor };
        let larger = bits.checked_mul(factor).filter(|&bits| bits > 0).ok_or(refused)?;
        let params = BloomParams::new(larger, probes);
        params.check().map_err(|_| refused)?;
        let mut table = FoldError::zeroed(table_bytes(larger))?;
        for (i, &byte) in self.as_bytes().iter().enumerate() {
            let mut rest = byte;
            while rest != 0 {
                let bit = i as u64 * 8 + u64::from(rest.trailing_zeros());
                set_range(&mut table, bit * factor, factor);
                rest &= rest - 1;
            }
        }
        let header = expanded(&self.header, factor, table.len() as u64);
        Ok(BloomFilter::of(header, params, self.len(), table))
    }
}

/// Sets `count` bits, starting with bit `first`.
fn set_range(table: &mut [u8], first: u64, count: u64) {
    let (mut bit, end) = (first, first + count);
    while bit < end {
        let (byte, shift) = ((bit / 8) as usize, bit % 8);
        let here = (8 - shift).min(end - bit);
        if here == 8 {
            let whole = ((end - bit) / 8) as usize;
            table[byte..byte + whole].fill(0xFF);
            bit += 8 * whole as u64;
            continue;
        }
        table[byte] |= ((1u16 << here) - 1) as u8 * (1 << shift);
        bit += here;
    }
}

fn copied(bytes: &[u8]) -> Result<Table, MergeError> {
    let refused = InsertError::OutOfMemory { bytes: bytes.len() as u64 };
    Table::try_from(bytes).map_err(|_| MergeError::Insert(refused))
}

impl<L: BlockLayout> Blocked<L> {
    /// A plan for a part of `total` keys, whose table divides the table for all of them; see
    /// [`BloomFilter::plan_foldable`].
    pub fn plan_foldable(goal: Goal, total: u64) -> Result<Plan<L::Params>, PlanError> {
        with_enough_bytes(goal.checked()?, |goal| Self::plan_fraction(goal, total))
    }

    fn plan_fraction(goal: Goal, total: u64) -> Result<Plan<L::Params>, PlanError> {
        let whole = Self::plan(whole_of(goal, total))?.params;
        let shape = L::shape(&whole);
        let params = |blocks: u64| L::params(blocks, shape);
        let blocks = fraction(
            L::blocks(&whole),
            goal,
            |blocks| blocks * size_of::<L>() as u64,
            |blocks| L::predicted(&params(blocks), goal.keys).mean,
        )?;
        Ok(L::plan_params(params(blocks), goal.keys)?.with_budget(goal.budget))
    }

    /// Merges another filter, where one table may be a multiple of the other, at a rate of at most
    /// `fpr`; see [`BloomFilter::merge_within`].
    pub fn merge_within(&mut self, other: &Self, fpr: f64) -> Result<(), MergeError> {
        let smaller = match self.sizes(other)? {
            Sizes::Equal => {
                let merged = self.united(other)?;
                check_rate(merged.expected_fpr(), fpr)?;
                *self = merged;
                return Ok(());
            }
            Sizes::Ours(factor) => Self::fold(self, factor).map_err(no_memory)?.united(other)?,
            Sizes::Theirs(factor) => self.united(&other.fold(factor).map_err(no_memory)?)?,
        };
        *self = match check_rate(smaller.expected_fpr(), fpr) {
            Ok(()) => smaller,
            Err(_) => {
                let larger = self.united(other)?;
                check_rate(larger.expected_fpr(), fpr)?;
                larger
            }
        };
        Ok(())
    }

    /// How their sizes compare; an error if they cannot be merged at any rate.
    pub(crate) fn sizes(&self, other: &Self) -> Result<Sizes, MergeError> {
        let blocks = [self, other].map(|filter| L::blocks(&filter.params()));
        let sizes = Sizes::of("blocks", blocks[0], blocks[1])?;
        // All parameters but the size must be equal.
        let [ours, theirs] = [self, other].map(|filter| L::params(1, L::shape(&filter.params())));
        L::check_same(&ours, &theirs)?;
        self.header().check_seeds(&other.header())?;
        Ok(sizes)
    }

    /// The union in the larger size; an error if it exceeds the rate that the larger filter was
    /// planned for.
    pub(crate) fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        let larger = if self.as_bytes().len() < other.as_bytes().len() { other } else { self };
        let merged = self.united(other)?;
        check_rate(merged.expected_fpr(), promised(larger))?;
        Ok(merged)
    }

    /// The union in the larger size, whatever its rate.
    fn united(&self, other: &Self) -> Result<Self, MergeError> {
        let (larger, smaller, factor) = match self.sizes(other)? {
            Sizes::Equal => (self, other, 1),
            Sizes::Ours(factor) => (self, other, factor),
            Sizes::Theirs(factor) => (other, self, factor),
        };
        let bytes = size_of::<L>();
        let mut table = copied(larger.as_bytes())?;
        let parts = table.chunks_exact_mut(bytes * factor as usize);
        for (parts, theirs) in parts.zip(smaller.as_bytes().chunks_exact(bytes)) {
            for part in parts.chunks_exact_mut(bytes) {
                part.iter_mut().zip(theirs).for_each(|(byte, theirs)| *byte |= theirs);
            }
        }
        let len = self.len().saturating_add(other.len());
        Ok(Self::of(larger.header(), L::shape(&larger.params()), len, table))
    }
}

impl<L: BlockLayout, B: Bytes> Blocked<L, B> {
    /// A filter with the same answers in a table `factor` times larger: the inverse of
    /// [`fold`](Self::fold). Each block is copied `factor` times; see [`BloomFilter::expand`].
    pub fn expand(&self, factor: u64) -> Result<Blocked<L>, FoldError> {
        let blocks = L::blocks(&self.params());
        let refused = FoldError::Expand { places: "blocks", count: blocks, factor };
        let larger = blocks.checked_mul(factor).filter(|&blocks| blocks > 0).ok_or(refused)?;
        let params = L::params(larger, L::shape(&self.params()));
        L::check(&params).map_err(|_| refused)?;
        let bytes = size_of::<L>();
        let mut table = FoldError::zeroed(larger.saturating_mul(bytes as u64))?;
        let parts = table.chunks_exact_mut(bytes * factor as usize);
        for (parts, block) in parts.zip(self.as_bytes().chunks_exact(bytes)) {
            parts.chunks_exact_mut(bytes).for_each(|part| part.copy_from_slice(block));
        }
        let header = expanded(&self.header, factor, table.len() as u64);
        Ok(Blocked::of(header, L::shape(&params), self.len(), table))
    }
}
