//! Blocked tables, with one block per key: the rate is a mean over the number of keys in a block.
//!
//! The number i of keys in a block is binomial: `n` trials, whose probability is the block's share
//! of the hashes. The rate is the mean over i of g(i), the rate of a block with i keys (Putze,
//! Sanders, Singler 2007). Overfull blocks cost more than underfull ones gain: that is the price of
//! touching only one cache line.

use amq_core::numeric::{binomial_mean, first_true_near};
use amq_core::{Budget, Goal, PlanError, PredictedFpr};

/// A block shape, and the formulas for a single block.
pub(crate) trait Mixture {
    /// Checks that the shape is valid.
    fn check(&self) -> Result<(), PlanError>;

    /// Bytes in a block.
    fn block_bytes(&self) -> u64;

    /// The most blocks of the layout.
    fn max_blocks(&self) -> u64;

    /// Distinct values of the part of the hash that chooses the block; `None` for the whole hash.
    fn selectors(&self) -> Option<u64>;

    /// Distinct values of the part that chooses the places. Two keys of one block that share it
    /// share all places.
    fn choices(&self) -> f64;

    /// Places per key.
    fn probes(&self) -> u32;

    /// `1/p`, if a key sets one in p places on average.
    fn places_to_one(&self) -> f64;

    /// The rate of one block with i keys.
    fn block_fpr(&self) -> impl Fn(u64) -> f64;

    /// 1 minus the rate of one block with i keys.
    fn block_lack(&self) -> impl Fn(u64) -> f64;

    /// The mean square of the rate of one block with i keys.
    fn block_fpr_square(&self) -> impl Fn(u64) -> f64;

    /// Whether the layout allows this many blocks.
    fn exists(&self, blocks: u64) -> bool {
        (1..=self.max_blocks()).contains(&blocks) && self.check().is_ok()
    }

    /// The exact false-positive rate of filters of `blocks` blocks with this many distinct keys:
    /// mean and standard deviation over all seeds.
    fn predicted(&self, blocks: u64, keys: u64) -> PredictedFpr {
        PredictedFpr { mean: self.fpr(blocks, keys), sd: self.fpr_sd(blocks, keys) }
    }

    /// The mean of that rate.
    ///
    /// NaN if there is no such filter.
    fn fpr(&self, blocks: u64, keys: u64) -> f64 {
        if !self.exists(blocks) {
            return f64::NAN;
        }
        let rate = self.block_fpr();
        // Close to 1, compute 1 minus the rate, to keep precision.
        if rate(keys / blocks) > 0.5 {
            return 1.0 - self.over_blocks(blocks, keys, self.block_lack());
        }
        self.over_blocks(blocks, keys, rate)
    }

    /// The standard deviation of the rate from seed to seed.
    ///
    /// A filter's rate is the mean over its blocks, so the variance is that of one block divided by
    /// their number, minus the part explained by the number of keys in the block. That part
    /// averages out, because the total number of keys is fixed.
    fn fpr_sd(&self, blocks: u64, keys: u64) -> f64 {
        if !self.exists(blocks) {
            return f64::NAN;
        }
        let mean = self.over_blocks(blocks, keys, self.block_fpr());
        let square = self.over_blocks(blocks, keys, self.block_fpr_square());
        let mean_keys = keys as f64 / blocks as f64;
        let keys_variance = mean_keys * (1.0 - 1.0 / blocks as f64);
        let rate = self.block_fpr();
        let covariance = self.over_blocks(blocks, keys, |i| (i as f64 - mean_keys) * rate(i));
        let explained =
            if keys_variance > 0.0 { covariance * covariance / keys_variance } else { 0.0 };
        libm::sqrt(((square - mean * mean - explained) / blocks as f64).max(0.0))
    }

    /// The rate of one filter: `rate` from its places, of which a fraction `fill` is set, plus
    /// collisions of hashes within a block.
    ///
    /// The number of keys is estimated from the fill, not from the filter's length: a merge counts
    /// common keys twice.
    fn fpr_of_table(&self, blocks: u64, rate: f64, fill: f64) -> f64 {
        let floor = self.keys_of_fill(blocks, fill) / blocks as f64 / self.choices();
        rate + (1.0 - rate) * floor.min(1.0)
    }

    /// The most likely number of distinct keys, given the fraction `fill` of places set. Infinite
    /// if all are set.
    ///
    /// The numbers of keys per block are taken as Poisson distributed, so the fraction of places
    /// set is `1 - e^(-n / (p blocks))`.
    fn keys_of_fill(&self, blocks: u64, fill: f64) -> f64 {
        if fill >= 1.0 {
            return f64::INFINITY;
        }
        // E[(1 - 1/p)^i] for i Poisson with mean n / blocks is exp(-n / blocks / p).
        -libm::log1p(-fill) * self.places_to_one() * blocks as f64
    }

    /// The fewest blocks for a rate, or as many as fit a size, up to eight per key. (More blocks
    /// are always better; a lower rate can still be requested explicitly.)
    fn blocks_for(&self, goal: Goal) -> Result<u64, PlanError> {
        let goal = goal.checked()?;
        self.check()?;
        match goal.budget {
            Budget::Fpr(asked) => self.smallest(goal.keys, asked),
            Budget::BitsPerKey(_) | Budget::Bytes(_) => self.most_within(goal),
        }
    }

    /// The mean of `f(keys in the block)` over the block that an absent key queries.
    fn over_blocks(&self, blocks: u64, keys: u64, mut f: impl FnMut(u64) -> f64) -> f64 {
        let mut mean = |probability: f64| binomial_mean(keys, probability, &mut f);
        // A block gets either `floor(selectors / blocks)` of the values or one more. With half a
        // hash and more than some 10^7 blocks the difference matters: fuller blocks are also
        // queried more often.
        let selectors = match self.selectors() {
            Some(selectors) if selectors / blocks < EVEN => selectors,
            _ => return mean(1.0 / blocks as f64),
        };
        let (share, larger) = (selectors / blocks, selectors % blocks);
        let mut part = |owners: u64, share: u64| {
            if owners == 0 {
                return 0.0;
            }
            let probability = share as f64 / selectors as f64;
            owners as f64 * probability * mean(probability)
        };
        part(larger, share + 1) + part(blocks - larger, share)
    }

    fn most_within(&self, goal: Goal) -> Result<u64, PlanError> {
        let bytes = goal.max_bits() / 8;
        match (bytes / self.block_bytes()).min(goal.keys.saturating_mul(ALONE)) {
            0 => Err(PlanError::Bytes { bytes, min: self.block_bytes() }),
            blocks if blocks > self.max_blocks() => Err(self.too_large(bytes as f64)),
            blocks => Ok(blocks),
        }
    }

    fn smallest(&self, keys: u64, asked: f64) -> Result<u64, PlanError> {
        let reached = |blocks: u64| self.fpr(blocks, keys) <= asked;
        let guess = keys as f64 / self.keys_guess(asked);
        if !reached(self.max_blocks()) {
            // Either there are too many keys for the layout's most blocks, or the rate is below
            // that of hash collisions.
            let lowest = self.fpr(self.max_blocks(), keys);
            return Err(if guess > self.max_blocks() as f64 {
                self.too_large(guess * self.block_bytes() as f64)
            } else {
                PlanError::FprUnreachable { fpr: asked, lowest, keys }
            });
        }
        // The odds of a false positive fall nearly as a power of the number of blocks: a few steps
        // of the secant method on the logarithms come close, and bisection does the rest. Each
        // evaluation sums over the keys in a block, so their number should be small.
        let at = |blocks: f64| (blocks as u64).clamp(1, self.max_blocks());
        let log_odds = |rate: f64| libm::log(rate) - libm::log1p(-rate);
        let log_odds_of = |blocks: u64| log_odds(self.fpr(blocks, keys));
        let mut before = at(guess);
        let mut near = at(before as f64 * 1.1 + 1.0);
        let (mut above, mut here) = (log_odds_of(before), log_odds_of(near));
        for _ in 0..5 {
            let slope = (here - above) / libm::log(near as f64 / before as f64);
            let next = near as f64 * libm::exp((log_odds(asked) - here) / slope);
            if !next.is_finite() || at(next) == near {
                break;
            }
            (before, above) = (near, here);
            near = at(next);
            here = log_odds_of(near);
        }
        Ok(first_true_near(1, self.max_blocks(), near, reached))
    }

    /// A rough number of keys per block for a rate: that of a single block with this rate. Since
    /// blocks differ, the true number may be lower.
    fn keys_guess(&self, asked: f64) -> f64 {
        // (1 - e^(-i/p))^w = asked.
        let clear = -libm::expm1(libm::log(asked) / f64::from(self.probes()));
        -libm::log(clear) * self.places_to_one()
    }

    fn too_large(&self, bytes: f64) -> PlanError {
        PlanError::TooLarge {
            bytes,
            max_bytes: self.max_blocks().saturating_mul(self.block_bytes()),
        }
    }
}

/// Blocks per key above which most keys are alone in their block. Beyond, the rate falls only in
/// proportion to the size.
const ALONE: u64 = 8;

/// Selector values per block above which one more or less does not matter: the effect on the rate
/// is the square of 1/4096.
const EVEN: u64 = 4096;
