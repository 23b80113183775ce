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

use amq_core::numeric::{binomial_mean, first_true_near};
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

/// Values of the selector to a block from which on one more or less makes no difference to the
/// rate: the square of 1/4096.
const EVEN: u64 = 4096;

impl SplitBlock {
    /// Checks that there is such a shape: that nothing in it is zero.
    pub fn check(&self) -> Result<(), PlanError> {
        let check = |name, value| PlanError::check_parameter(name, value, 1, u64::MAX);
        check("words", self.words.into())?;
        check("places", self.places.into())?;
        check("block_bytes", self.block_bytes)?;
        check("max_blocks", self.max_blocks)?;
        check("selectors", self.selectors.unwrap_or(1))?;
        check("choices", self.choices as u64)
    }

    /// Whether there are so many blocks of this shape.
    fn exists(&self, blocks: u64) -> bool {
        (1..=self.max_blocks).contains(&blocks) && self.check().is_ok()
    }

    /// The exact false-positive rate of filters of `blocks` blocks with this many distinct keys:
    /// mean and spread over all seeds.
    pub fn predicted(&self, blocks: u64, keys: u64) -> PredictedFpr {
        PredictedFpr { mean: self.fpr(blocks, keys), sd: self.fpr_sd(blocks, keys) }
    }

    /// The mean of that rate.
    ///
    /// Not a number if there is no such filter.
    pub fn fpr(&self, blocks: u64, keys: u64) -> f64 {
        if !self.exists(blocks) {
            return f64::NAN;
        }
        let rate = self.block_fpr();
        // Close to 1 a rate is told apart by what it lacks.
        if rate(keys / blocks) > 0.5 {
            return 1.0 - self.over_blocks(blocks, keys, self.block_lack());
        }
        self.over_blocks(blocks, keys, rate)
    }

    /// The standard deviation of the rate from seed to seed.
    ///
    /// A filter's rate is the mean over its blocks, so the variance is that of one block over their
    /// number, less the part explained by the number of keys in the block. That part averages out,
    /// because the n keys are shared among all blocks.
    #[must_use]
    pub fn fpr_sd(&self, blocks: u64, keys: u64) -> f64 {
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

    /// The rate of one built filter: `rate` by the places set, a share `fill` of all, and on top
    /// what is due to keys of one block that the hash cannot tell apart.
    ///
    /// The fill tells how many keys there are. The filter's length does not: a union counts keys
    /// twice.
    pub fn fpr_of_table(&self, blocks: u64, rate: f64, fill: f64) -> f64 {
        let floor = self.keys_of_fill(blocks, fill) / blocks as f64 / self.choices;
        rate + (1.0 - rate) * floor.min(1.0)
    }

    /// The most likely number of distinct keys given the share `fill` of places set. Infinite when
    /// every place is set.
    ///
    /// Takes into account that the blocks' numbers of keys scatter like a Poisson variable: the
    /// share of places set is `1 - e^(-n / (p blocks))`.
    #[must_use]
    pub fn keys_of_fill(&self, blocks: u64, fill: f64) -> f64 {
        if fill >= 1.0 {
            return f64::INFINITY;
        }
        // E[(1 - 1/p)^i] for i Poisson with mean n / blocks is exp(-n / blocks / p).
        -libm::log1p(-fill) * f64::from(self.places) * blocks as f64
    }

    /// The fewest blocks for a rate; or all that fit a size, up to eight for each key. More blocks
    /// are always better, but a rate that takes more can be asked for.
    pub fn blocks_for(&self, goal: Goal) -> Result<u64, PlanError> {
        let goal = goal.checked()?;
        self.check()?;
        match goal.budget {
            Budget::Fpr(asked) => self.smallest(goal.keys, asked),
            Budget::BitsPerKey(_) | Budget::Bytes(_) => self.most_within(goal),
        }
    }

    /// The rate of one block with i keys.
    fn block_fpr(&self) -> impl Fn(u64) -> f64 {
        let log_clear = libm::log1p(-1.0 / f64::from(self.places));
        let (words, choices) = (self.words, self.choices);
        move |i| {
            let rate = power(-libm::expm1(i as f64 * log_clear), words);
            rate + (1.0 - rate) * (i as f64 / choices).min(1.0)
        }
    }

    /// What the rate of one block with i keys lacks to 1.
    fn block_lack(&self) -> impl Fn(u64) -> f64 {
        let log_clear = libm::log1p(-1.0 / f64::from(self.places));
        let (words, choices) = (f64::from(self.words), self.choices);
        move |i| {
            let lack = -libm::expm1(words * libm::log1p(-libm::exp(i as f64 * log_clear)));
            lack * (1.0 - (i as f64 / choices).min(1.0))
        }
    }

    /// The mean square of the rate of one block with i keys. The words are independent, each with
    /// `E[(X/p)^2] = (p P(a place is set) + p (p-1) P(two places are set)) / p^2`.
    fn block_fpr_square(&self) -> impl Fn(u64) -> f64 {
        let (places, words) = (f64::from(self.places), self.words);
        let log_clear = [1.0, 2.0].map(|given| libm::log1p(-given / places));
        move |i| {
            let [clear, both] = log_clear.map(|log| libm::exp(i as f64 * log));
            let two = 1.0 - 2.0 * clear + both;
            let word = (1.0 - clear + (places - 1.0) * two) / places;
            power(word.max(0.0), words)
        }
    }

    /// The mean of `f(keys in the block)` over the block that an absent key queries.
    fn over_blocks(&self, blocks: u64, keys: u64, mut f: impl FnMut(u64) -> f64) -> f64 {
        let mut mean = |probability: f64| binomial_mean(keys, probability, &mut f);
        // A block owns either `floor(selectors / blocks)` of the values or one more. With half a
        // hash and above some 10^7 blocks that is a difference to be counted: fuller blocks are
        // also asked more often.
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

    fn most_within(&self, goal: Goal) -> Result<u64, PlanError> {
        let bytes = goal.max_bits() / 8;
        match (bytes / self.block_bytes).min(goal.keys.saturating_mul(ALONE)) {
            0 => Err(PlanError::Bytes { bytes, min: self.block_bytes }),
            blocks if blocks > self.max_blocks => Err(self.too_large(bytes as f64)),
            blocks => Ok(blocks),
        }
    }

    fn smallest(&self, keys: u64, asked: f64) -> Result<u64, PlanError> {
        let reached = |blocks: u64| self.fpr(blocks, keys) <= asked;
        let guess = keys as f64 / self.keys_guess(asked);
        if !reached(self.max_blocks) {
            // Either there are too many keys for the most blocks, or the rate is below what the
            // hash can tell apart.
            let lowest = self.fpr(self.max_blocks, keys);
            return Err(if guess > self.max_blocks as f64 {
                self.too_large(guess * self.block_bytes as f64)
            } else {
                PlanError::FprUnreachable { fpr: asked, lowest, keys }
            });
        }
        // The odds of an error fall as a power of the number of blocks, nearly: a few steps of the
        // secant method on the logarithms come near, and the rest is bisected. Each evaluation is a
        // sum over the keys in a block, so few are wanted.
        let at = |blocks: f64| (blocks as u64).clamp(1, self.max_blocks);
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
        Ok(first_true_near(1, self.max_blocks, near, reached))
    }

    /// Roughly the keys of a block for a rate: those of one block whose rate it is, where blocks
    /// differ there may be fewer.
    fn keys_guess(&self, asked: f64) -> f64 {
        // (1 - e^(-i/p))^w = asked.
        let clear = -libm::expm1(libm::log(asked) / f64::from(self.words));
        -libm::log(clear) * f64::from(self.places)
    }

    fn too_large(&self, bytes: f64) -> PlanError {
        PlanError::TooLarge { bytes, max_bytes: self.max_blocks.saturating_mul(self.block_bytes) }
    }
}

/// Blocks for each key above which most keys have theirs alone. From there on the rate falls only
/// in proportion to the bytes.
const ALONE: u64 = 8;

/// `x^n`, by squaring.
fn power(x: f64, n: u32) -> f64 {
    let (mut result, mut square, mut left) = (1.0, x, n);
    while left > 0 {
        if left & 1 == 1 {
            result *= square;
        }
        square *= square;
        left >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_with_nothing_in_it_is_refused_by_name() {
        let good = crate::theory::blocked::LAYOUT;
        type Change = fn(&mut SplitBlock);
        let changes: [(&str, Change); 7] = [
            ("words", |shape| shape.words = 0),
            ("places", |shape| shape.places = 0),
            ("block_bytes", |shape| shape.block_bytes = 0),
            ("max_blocks", |shape| shape.max_blocks = 0),
            ("selectors", |shape| shape.selectors = Some(0)),
            ("choices", |shape| shape.choices = 0.0),
            ("choices", |shape| shape.choices = f64::NAN),
        ];
        for (wanted, change) in changes {
            let mut shape = good;
            change(&mut shape);
            for goal in [Goal::fpr(100, 0.01), Goal::bytes(100, 1000)] {
                let refused = shape.blocks_for(goal).unwrap_err();
                assert!(
                    matches!(refused, PlanError::Parameter { name, value: 0, .. } if name == wanted)
                );
            }
            assert!(shape.fpr(1, 1).is_nan() && shape.fpr_sd(1, 1).is_nan());
        }
        // The largest and the smallest.
        let wide = SplitBlock {
            words: u32::MAX,
            places: u32::MAX,
            block_bytes: u64::MAX,
            max_blocks: u64::MAX,
            ..good
        };
        let least = SplitBlock {
            words: 1,
            places: 1,
            block_bytes: 1,
            max_blocks: 1,
            selectors: Some(1),
            choices: 1.0,
        };
        for shape in [wide, least] {
            for goal in
                [Goal::fpr(100, 0.01), Goal::new(u64::MAX, Budget::Fpr(0.9)), Goal::bytes(9, 9)]
            {
                if let Ok(blocks) = shape.blocks_for(goal) {
                    assert!((0.0..=1.0).contains(&shape.fpr(blocks, goal.keys)));
                }
            }
        }
    }
}
