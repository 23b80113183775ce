//! Split blocks of any shape: a key has one place in each word of one block.
//!
//! With i keys in its block, a query finds its places set with probability
//!
//! ```text
//! g(i) = (1 - (1 - 1/p)^i)^w        w words of p places
//! ```
//!
//! exactly, since the words are independent. The number i is binomial: `n` trials, whose
//! probability is the block's share of the hashes. The rate is the mean of g over i (Putze,
//! Sanders, Singler 2007). Overfull blocks cost more than underfull ones gain: that is the price of
//! touching only one cache line.

use super::mixture::Mixture;
use amq_core::{Goal, PlanError, PredictedFpr};

/// The shape of a table of split blocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SplitBlock {
    /// Words per block. A key has one place in each.
    pub words: u32,
    /// Places per word.
    pub places: u32,
    /// Bytes per block.
    pub block_bytes: u64,
    /// The most blocks of the layout.
    pub max_blocks: u64,
    /// Distinct values of the part of the hash that chooses the block; `None` for the whole hash.
    pub selectors: Option<u64>,
    /// Distinct values of the part that chooses the places. Two keys of one block that share it
    /// share all places.
    pub choices: f64,
}

impl SplitBlock {
    /// Checks that the shape is valid: that nothing in it is zero.
    pub fn check(&self) -> Result<(), PlanError> {
        let check = |name, value| PlanError::check_parameter(name, value, 1, u64::MAX);
        check("words", self.words.into())?;
        check("places", self.places.into())?;
        check("block_bytes", self.block_bytes)?;
        check("max_blocks", self.max_blocks)?;
        check("selectors", self.selectors.unwrap_or(1))?;
        check("choices", self.choices as u64)
    }

    /// The exact false-positive rate of filters of `blocks` blocks with this many distinct keys:
    /// mean and standard deviation over all seeds.
    pub fn predicted(&self, blocks: u64, keys: u64) -> PredictedFpr {
        Mixture::predicted(self, blocks, keys)
    }

    /// The mean of that rate.
    ///
    /// NaN if there is no such filter.
    pub fn fpr(&self, blocks: u64, keys: u64) -> f64 {
        Mixture::fpr(self, blocks, keys)
    }

    /// The standard deviation of the rate from seed to seed.
    ///
    /// A filter's rate is the mean over its blocks, so the variance is that of one block divided by
    /// their number, minus the part explained by the number of keys in the block. That part
    /// averages out, because the total number of keys is fixed.
    #[must_use]
    pub fn fpr_sd(&self, blocks: u64, keys: u64) -> f64 {
        Mixture::fpr_sd(self, blocks, keys)
    }

    /// The rate of one filter: `rate` from its places, of which a fraction `fill` is set, plus
    /// collisions of hashes within a block.
    ///
    /// The number of keys is estimated from the fill, not from the filter's length: a merge counts
    /// common keys twice.
    pub fn fpr_of_table(&self, blocks: u64, rate: f64, fill: f64) -> f64 {
        Mixture::fpr_of_table(self, blocks, rate, fill)
    }

    /// The most likely number of distinct keys, given the fraction `fill` of places set. Infinite
    /// if all are set.
    ///
    /// The numbers of keys per block are taken as Poisson distributed, so the fraction of places
    /// set is `1 - e^(-n / (p blocks))`.
    #[must_use]
    pub fn keys_of_fill(&self, blocks: u64, fill: f64) -> f64 {
        Mixture::keys_of_fill(self, blocks, fill)
    }

    /// The fewest blocks for a rate, or as many as fit a size, up to eight per key. (More blocks
    /// are always better; a lower rate can still be requested explicitly.)
    pub fn blocks_for(&self, goal: Goal) -> Result<u64, PlanError> {
        Mixture::blocks_for(self, goal)
    }
}

impl Mixture for SplitBlock {
    fn check(&self) -> Result<(), PlanError> {
        self.check()
    }

    fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    fn max_blocks(&self) -> u64 {
        self.max_blocks
    }

    fn selectors(&self) -> Option<u64> {
        self.selectors
    }

    fn choices(&self) -> f64 {
        self.choices
    }

    fn probes(&self) -> u32 {
        self.words
    }

    fn places_to_one(&self) -> f64 {
        self.places.into()
    }

    fn block_fpr(&self) -> impl Fn(u64) -> f64 {
        let log_clear = libm::log1p(-1.0 / f64::from(self.places));
        let (words, choices) = (self.words, self.choices);
        move |i| {
            let rate = power(-libm::expm1(i as f64 * log_clear), words);
            rate + (1.0 - rate) * (i as f64 / choices).min(1.0)
        }
    }

    fn block_lack(&self) -> impl Fn(u64) -> f64 {
        let log_clear = libm::log1p(-1.0 / f64::from(self.places));
        let (words, choices) = (f64::from(self.words), self.choices);
        move |i| {
            let lack = -libm::expm1(words * libm::log1p(-libm::exp(i as f64 * log_clear)));
            lack * (1.0 - (i as f64 / choices).min(1.0))
        }
    }

    /// The words are independent, each with
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
}

/// `x^n`, by squaring.
pub(super) fn power(x: f64, n: u32) -> f64 {
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
    use amq_core::Budget;

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
