//! One block of the wide-block layout: eight 64-bit words, a cache line. A key has the same number
//! of bits in every word, and one more in some neighbouring words chosen by its hash.

use crate::layout::Layout;
use crate::theory::wide as theory;
use crate::{SALTS, WideBlockedParams};
use amq_core::index::index;
use amq_core::internal::{Entry, Opened};
use amq_core::{DecodeError, FilterKind, Goal, KeyHash, MergeError, Plan, PlanError, PredictedFpr};

/// The multipliers of [`SALTS`], one per word.
pub(crate) const SALTS64: [u64; 8] = {
    let mut salts = [0; 8];
    let mut word = 0;
    while word < 8 {
        salts[word] = SALTS[word] as u64;
        word += 1;
    }
    salts
};

/// One block: eight words of 64 bits, as little-endian bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct WideBlock([u8; 64]);

impl Default for WideBlock {
    fn default() -> Self {
        Self([0; 64])
    }
}

/// The words in which a key has bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Byte `s` is a bit mask of the words with one more bit, for keys whose first such word is
    /// `s`.
    choices: u64,
    /// Bits per key.
    probes: u8,
    /// Whether the chosen words have a second bit: more than eight bits per key.
    pub(crate) twice: bool,
}

impl Shape {
    /// The shape for this many bits per key, 1 to [`MAX_WIDE_PROBES`](crate::MAX_WIDE_PROBES).
    #[inline(always)]
    pub(crate) const fn new(probes: u32) -> Self {
        let twice = probes > 8;
        let more = if twice { probes - 8 } else { probes };
        let (words, mut choices, mut first) = (((1u32 << more) - 1) as u8, 0, 0);
        while first < 8 {
            choices |= (words.rotate_left(first) as u64) << (8 * first);
            first += 1;
        }
        Self { choices, probes: probes as u8, twice }
    }

    /// Bits per key.
    #[inline(always)]
    pub(crate) const fn probes(self) -> u32 {
        self.probes as u32
    }

    /// A bit mask, in the lowest eight bits, of the words in which the key with this lower half of
    /// the hash has one more bit. The other bits are arbitrary.
    #[inline(always)]
    pub(crate) const fn chosen(self, low: u32) -> u32 {
        // Chosen by the lowest three bits, which do not determine the upper bits of the products
        // that choose the key's bits.
        (self.choices >> (8 * (low & 7))) as u32
    }

    /// Bit masks of the words in which that key has a first and a second bit.
    #[inline(always)]
    const fn both(self, low: u32) -> [u8; 2] {
        let chosen = self.chosen(low) as u8;
        if self.twice { [0xFF, chosen] } else { [chosen, 0] }
    }
}

impl WideBlock {
    /// A block of these words.
    #[must_use]
    pub fn new(words: [u64; 8]) -> Self {
        let mut bytes = [0; 64];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        Self(bytes)
    }

    /// Its words.
    #[inline(always)]
    #[must_use]
    pub fn words(&self) -> [u64; 8] {
        let bytes = self.0.as_chunks().0;
        core::array::from_fn(|i| u64::from_le_bytes(bytes[i]))
    }
}

impl Layout for WideBlock {
    type Word = u64;
    type Params = WideBlockedParams;
    type Shape = Shape;
    const KIND: FilterKind = FilterKind::WideBlockedBloom;
    const NAME: &'static str = "WideBlockedBloomFilter";

    fn of_words(words: [Self::Word; 8]) -> Self {
        Self::new(words)
    }

    fn blocks(params: &WideBlockedParams) -> u64 {
        params.blocks
    }

    fn check(params: &WideBlockedParams) -> Result<(), PlanError> {
        params.check()
    }

    fn check_same(ours: &WideBlockedParams, theirs: &WideBlockedParams) -> Result<(), MergeError> {
        ours.check_same(theirs)
    }

    fn plan(goal: Goal) -> Result<Plan<WideBlockedParams>, PlanError> {
        theory::plan(goal)
    }

    fn plan_params(
        params: WideBlockedParams,
        keys: u64,
    ) -> Result<Plan<WideBlockedParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted(params: &WideBlockedParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    #[inline(always)]
    fn params(blocks: u64, shape: Shape) -> WideBlockedParams {
        WideBlockedParams::new(blocks, shape.probes())
    }

    fn shape(params: &WideBlockedParams) -> Shape {
        Shape::new(params.probes)
    }

    fn geometry(params: &WideBlockedParams) -> Entry {
        [params.blocks, params.probes.into(), 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<WideBlockedParams, DecodeError> {
        let [blocks, probes] = opened.only_entry()?;
        Ok(WideBlockedParams::new(blocks, Opened::narrow("probes", probes)?))
    }

    #[inline(always)]
    fn words(&self) -> [u64; 8] {
        self.words()
    }

    /// The block's index from the whole hash, and the bit selector from the lower half.
    ///
    /// The upper bits choose the block. Up to [`MAX_BLOCKS`](crate::MAX_BLOCKS) blocks, these are
    /// independent of the lower half.
    #[inline(always)]
    fn place(hash: KeyHash, blocks: u64) -> (usize, u32) {
        (index(hash.get(), blocks) as usize, hash.get() as u32)
    }

    #[inline(always)]
    fn mask(low: u32, shape: Shape) -> [u64; 8] {
        let [first, second] = shape.both(low);
        core::array::from_fn(|word| {
            let product = u64::from(low) * SALTS64[word];
            (u64::from(first) >> word & 1) << (product >> 26 & 63)
                | (u64::from(second) >> word & 1) << (product >> 32 & 63)
        })
    }

    /// The mean of the product of the words' fills, squared where a key has two bits, over the
    /// choices of words.
    fn fpr(&self, shape: Shape) -> f64 {
        let fills = self.words().map(|word| f64::from(word.count_ones()) / 64.0);
        let product = |words: u8| -> f64 {
            let fills = fills.iter().enumerate();
            fills.map(|(word, fill)| if words >> word & 1 == 1 { *fill } else { 1.0 }).product()
        };
        let choices =
            (0..8).map(|start| shape.both(start).map(product).into_iter().product::<f64>());
        choices.sum::<f64>() / 8.0
    }

    fn keys_of_fill(params: &WideBlockedParams, fill: f64) -> f64 {
        theory::keys_of_fill(params, fill)
    }

    fn fpr_of_table(params: &WideBlockedParams, rate: f64, fill: f64) -> f64 {
        theory::fpr_of_table(params, rate, fill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_WIDE_PROBES;

    fn low(key: u32) -> u32 {
        KeyHash::of(&key, 0).get() as u32
    }

    #[test]
    fn a_key_has_its_number_of_bits_in_neighbouring_words() {
        for probes in 1..=MAX_WIDE_PROBES {
            let shape = Shape::new(probes);
            assert_eq!(shape.probes(), probes);
            let mut starts = 0u8;
            for key in 0..1000 {
                let counts = WideBlock::mask(low(key), shape).map(u64::count_ones);
                // Both bits of a word can coincide.
                assert!(counts.iter().sum::<u32>() <= probes);
                let [first, second] = shape.both(low(key));
                for (word, &count) in counts.iter().enumerate() {
                    let most = u32::from(first >> word & 1) + u32::from(second >> word & 1);
                    assert!(count <= most && (count > 0) == (most > 0));
                    assert!((probes / 8..=probes.div_ceil(8)).contains(&most));
                }
                starts |= 1 << (low(key) & 7);
            }
            assert_eq!(starts, 0xFF);
        }
    }

    /// Pairs of a key's choices: bits in two words, two bits in one word, and a bit with the choice
    /// of words.
    #[test]
    fn choices_of_a_key_are_pairwise_independent() {
        const SAMPLES: u32 = 1 << 18;
        let choice = |low: u32, number: usize| {
            let product = u64::from(low) * u64::from(SALTS[number % 8]);
            match number {
                0..8 => (product >> 26 & 63) as usize,
                8..16 => (product >> 32 & 63) as usize,
                _ => (low & 7) as usize,
            }
        };
        for one in 0..17 {
            for two in 0..one {
                let mut counts = [0u32; 4096];
                let values = if one == 16 { 8 } else { 64 };
                for key in 0..SAMPLES {
                    let low = low(key);
                    counts[choice(low, two) * values + choice(low, one)] += 1;
                }
                let counts = &counts[..64 * values];
                let expected = f64::from(SAMPLES) / counts.len() as f64;
                let chi2: f64 =
                    counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
                // Degrees of freedom, and five standard deviations on both sides.
                let (mean, sd) = (counts.len() as f64 - 1.0, (2.0 * counts.len() as f64).sqrt());
                assert!((chi2 - mean).abs() < 5.0 * sd, "{one}, {two}: chi-square {chi2}");
            }
        }
    }
}
