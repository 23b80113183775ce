//! Split blocks of any shape: a key has one place in each word of one block.
//!
//! With i keys in its block, a query finds its places set with probability
//!
//! ```text
//! g(i) = (1 - (1 - 1/p)^i)^w        w words of p places
//! ```
//!
//! exactly, since the words are independent. i is binomial: `n` keys, each with probability the
//! block's share of the hashes. The rate is the mean of g over i (Putze, Sanders, Singler 2007).
//! Overfull blocks cost more than underfull ones gain: that is the price of touching one cache line
//! only.

use amq_core::numeric::{binomial_mean, first_true};
use amq_core::{Budget, Goal, PlanError, PredictedFpr};

/// The shape of a table of split blocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SplitBlock {
    /// Words in a block. A key has one place in each.
    pub words: u32,
    /// Places in a word.
    pub places: u32,
    /// Bytes in a block.
    pub block_bytes: u64,
    /// The most blocks of the layout.
    pub max_blocks: u64,
    /// Distinct values of the part of the hash that chooses the block; `None` if it is the whole.
    pub selectors: Option<u64>,
    /// Distinct values of the part that chooses the places. Two keys of one block that share it
    /// share all places.
    pub choices: f64,
}

/// Keys in a block at which all of its places are set, within rounding: 256 e^(-n/32) is 1e-134
/// already at 10,000.
const SATURATED: f64 = 1e5;

/// Selector values per block from which on one more or less makes no difference to the rate: it is
/// the square of 1/4096.
const EVEN: u64 = 4096;

impl SplitBlock {
    /// The exact false-positive rate of filters of `blocks` blocks with `items` distinct keys: mean
    /// and standard deviation over all seeds.
    #[must_use]
    pub fn predicted(&self, blocks: u64, items: u64) -> PredictedFpr {
        PredictedFpr {
            mean: self.fpr(blocks, items),
            sd: self.fpr_sd(blocks, items),
        }
    }

    /// The mean of that rate.
    ///
    /// NaN if there is no block.
    #[must_use]
    pub fn fpr(&self, blocks: u64, items: u64) -> f64 {
        if blocks == 0 {
            return f64::NAN;
        }
        self.over_blocks(blocks, items, |i| self.block_fpr(i))
    }

    /// The standard deviation of the rate from seed to seed.
    ///
    /// A filter's rate is the mean over its blocks, so the variance is that of one block over their
    /// number, less the part explained by the number of keys in the block. That part averages out,
    /// because the n keys are shared among all blocks.
    #[must_use]
    pub fn fpr_sd(&self, blocks: u64, items: u64) -> f64 {
        if blocks == 0 {
            return f64::NAN;
        }
        let mean = self.over_blocks(blocks, items, |i| self.block_fpr(i));
        let square = self.over_blocks(blocks, items, |i| self.block_fpr_square(i));
        let keys = items as f64 / blocks as f64;
        let keys_variance = keys * (1.0 - 1.0 / blocks as f64);
        let covariance = self.over_blocks(blocks, items, |i| (i as f64 - keys) * self.block_fpr(i));
        let explained = if keys_variance > 0.0 {
            covariance * covariance / keys_variance
        } else {
            0.0
        };
        libm::sqrt(((square - mean * mean - explained) / blocks as f64).max(0.0))
    }

    /// The part of the rate due to keys of one block with the same hash bits, with n keys in the
    /// filter.
    #[must_use]
    pub fn choices_floor(&self, blocks: u64, items: u64) -> f64 {
        items as f64 / blocks as f64 / self.choices
    }

    /// The most likely number of distinct keys given the share `fill` of places set. Infinite when
    /// every place is set.
    ///
    /// Takes into account that the blocks' numbers of keys scatter like a Poisson variable: the
    /// share of places set is `1 - e^(-n / (p blocks))`.
    #[must_use]
    pub fn items_of_fill(&self, blocks: u64, fill: f64) -> f64 {
        if fill >= 1.0 {
            return f64::INFINITY;
        }
        // E[(1 - 1/p)^i] for i Poisson with mean n / blocks is exp(-n / blocks / p).
        -libm::log1p(-fill) * f64::from(self.places) * blocks as f64
    }

    /// The fewest blocks for a rate, or all that fit a size: more blocks are always better.
    pub fn blocks_for(&self, goal: Goal) -> Result<u64, PlanError> {
        goal.check(1)?;
        match goal.budget {
            Budget::Fpr(asked) => self.smallest(goal.items, asked),
            Budget::BitsPerKey(_) | Budget::Bytes(_) => self.most_within(goal.max_bits()),
        }
    }

    /// The rate of one block with i keys.
    fn block_fpr(&self, i: u64) -> f64 {
        let set = -libm::expm1(i as f64 * libm::log(1.0 - 1.0 / f64::from(self.places)));
        let rate = libm::pow(set, f64::from(self.words));
        rate + (1.0 - rate) * i as f64 / self.choices
    }

    /// The mean square of the rate of one block with i keys. The words are independent, each with
    /// `E[(X/p)^2] = (p P(a place is set) + p (p-1) P(two places are set)) / p^2`.
    fn block_fpr_square(&self, i: u64) -> f64 {
        let places = f64::from(self.places);
        let clear = |given: f64| libm::exp(i as f64 * libm::log(1.0 - given / places));
        let one = 1.0 - clear(1.0);
        let two = 1.0 - 2.0 * clear(1.0) + clear(2.0);
        let word = (one + (places - 1.0) * two) / places;
        libm::pow(word.max(0.0), f64::from(self.words))
    }

    /// The mean of `f(keys in the block)` over the block that an absent key queries.
    fn over_blocks(&self, blocks: u64, items: u64, mut f: impl FnMut(u64) -> f64) -> f64 {
        let mut mean = |probability: f64| {
            let keys = items as f64 * probability;
            if keys > SATURATED {
                // Every block is full, give or take some keys: no need to sum over all their
                // numbers.
                f(keys as u64)
            } else {
                binomial_mean(items, probability, &mut f)
            }
        };
        // A block owns either `floor(selectors / blocks)` of the values or one more. With half a
        // hash and above about 10^7 blocks the difference counts: fuller blocks are also queried
        // more often.
        let selectors = match self.selectors {
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

    fn most_within(&self, bits: u64) -> Result<u64, PlanError> {
        let bytes = bits / 8;
        match bytes / self.block_bytes {
            0 => Err(PlanError::Bytes {
                bytes,
                min: self.block_bytes,
            }),
            blocks if blocks > self.max_blocks => Err(self.too_large(bytes as f64)),
            blocks => Ok(blocks),
        }
    }

    fn smallest(&self, items: u64, asked: f64) -> Result<u64, PlanError> {
        let reached = |blocks: u64| self.fpr(blocks, items) <= asked;
        let guess = items as f64 * self.bytes_guess(asked);
        if !reached(self.max_blocks) {
            // Either there are too many keys for the most blocks, or the rate is below what the
            // hash can tell apart.
            let lowest = self.fpr(self.max_blocks, items);
            return Err(
                if guess > self.max_blocks as f64 * self.block_bytes as f64 {
                    self.too_large(guess)
                } else {
                    PlanError::FprUnreachable {
                        fpr: asked,
                        lowest,
                        items,
                    }
                },
            );
        }
        // The rate is nearly a power of the number of blocks: one Newton step on the logarithms
        // comes within a percent, and bisection does the rest. Each evaluation is a sum over the
        // keys in a block, so we want few.
        let at = |blocks: f64| (blocks as u64).clamp(1, self.max_blocks);
        let start = at(guess / self.block_bytes as f64);
        let rate = |blocks: u64| libm::log(self.fpr(blocks, items));
        let (here, above) = (rate(start), rate(at(start as f64 * 1.1 + 1.0)));
        let slope = (above - here) / libm::log(at(start as f64 * 1.1 + 1.0) as f64 / start as f64);
        let step = libm::exp((libm::log(asked) - here) / slope);
        let near = if step.is_finite() {
            at(start as f64 * step)
        } else {
            start
        };
        let mut high = at(near as f64 * 1.01);
        while !reached(high) {
            high = (high + high / 64 + 1).min(self.max_blocks);
        }
        let mut low = high;
        while low > 1 && reached(low) {
            low -= (low / 64).max(1);
        }
        Ok(first_true(low, high, reached))
    }

    /// A guess of the bytes per key for a rate: those of a classic table of such places, and a
    /// tenth more.
    fn bytes_guess(&self, asked: f64) -> f64 {
        let place_bytes = self.block_bytes as f64 / f64::from(self.words * self.places);
        -libm::log2(asked) * 1.6 * place_bytes
    }

    fn too_large(&self, bytes: f64) -> PlanError {
        PlanError::TooLarge {
            bytes,
            max_bytes: self.max_blocks.saturating_mul(self.block_bytes),
        }
    }
}
