//! One block of the split-block layout: eight 32-bit words. A key has one bit in each.

use crate::BlockedParams;
use crate::layout::Layout;
use crate::theory::blocked::{self as theory, LAYOUT};
use amq_core::internal::{Entry, Opened};
use amq_core::{DecodeError, FilterKind, Goal, KeyHash, MergeError, Plan, PlanError, PredictedFpr};

/// The odd multipliers of the Parquet format, one per word: each derives five different bits from
/// half a hash.
pub const SALTS: [u32; 8] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// One block: eight words of 32 bits, as little-endian bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct Block([u8; 32]);

impl Block {
    /// A block of these words.
    #[must_use]
    pub fn new(words: [u32; 8]) -> Self {
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        Self(bytes)
    }

    /// Its words.
    #[inline(always)]
    #[must_use]
    pub fn words(&self) -> [u32; 8] {
        let bytes = self.0.as_chunks().0;
        core::array::from_fn(|i| u32::from_le_bytes(bytes[i]))
    }
}

/// The bits of the key with this lower half of the hash, one in each word.
#[inline(always)]
pub(crate) fn mask(low: u32) -> [u32; 8] {
    SALTS.map(|salt| 1 << (low.wrapping_mul(salt) >> 27))
}

/// The mask of a key as four words of 64 bits, each of two words of 32, the lower half first. For
/// the atomic filter, like the next two functions.
#[cfg(target_has_atomic = "64")]
#[inline(always)]
pub(crate) fn mask64(low: u32) -> [u64; 4] {
    paired(&mask(low))
}

/// Joins eight words in pairs, the lower half first.
#[cfg(target_has_atomic = "64")]
#[inline(always)]
pub(crate) fn paired(words: &[u32; 8]) -> [u64; 4] {
    core::array::from_fn(|i| u64::from(words[2 * i]) | u64::from(words[2 * i + 1]) << 32)
}

/// The inverse of [`paired`].
#[cfg(target_has_atomic = "64")]
#[inline(always)]
pub(crate) fn unpaired(words: [u64; 4]) -> [u32; 8] {
    core::array::from_fn(|i| (words[i / 2] >> (32 * (i % 2))) as u32)
}

impl Layout for Block {
    type Word = u32;
    type Params = BlockedParams;
    type Shape = ();
    const KIND: FilterKind = FilterKind::BlockedBloom;
    const NAME: &'static str = "BlockedBloomFilter";

    fn of_words(words: [Self::Word; 8]) -> Self {
        Self::new(words)
    }

    fn blocks(params: &BlockedParams) -> u64 {
        params.blocks
    }

    fn check(params: &BlockedParams) -> Result<(), PlanError> {
        params.check()
    }

    fn check_same(ours: &BlockedParams, theirs: &BlockedParams) -> Result<(), MergeError> {
        ours.check_same(theirs)
    }

    fn plan(goal: Goal) -> Result<Plan<BlockedParams>, PlanError> {
        theory::plan(goal)
    }

    fn plan_params(params: BlockedParams, keys: u64) -> Result<Plan<BlockedParams>, PlanError> {
        theory::plan_params(params, keys)
    }

    fn predicted(params: &BlockedParams, keys: u64) -> PredictedFpr {
        theory::fpr(params, keys)
    }

    #[inline(always)]
    fn params(blocks: u64, (): ()) -> BlockedParams {
        BlockedParams::new(blocks)
    }

    fn shape(_: &BlockedParams) {}

    fn geometry(params: &BlockedParams) -> Entry {
        [params.blocks, 0, 0, 0, 0, 0, 0, 0]
    }

    fn params_in(opened: &Opened<'_>) -> Result<BlockedParams, DecodeError> {
        let [blocks] = opened.only_entry()?;
        Ok(BlockedParams::new(blocks))
    }

    #[inline(always)]
    fn words(&self) -> [u32; 8] {
        self.words()
    }

    /// The block's index from the upper half of the hash, and the bit selector from the lower.
    ///
    /// The Parquet layout uses halves of 32 bits. All other layouts choose an index by 64 bits; see
    /// [`MAX_BLOCKS`](crate::MAX_BLOCKS).
    #[inline(always)]
    fn place(hash: KeyHash, blocks: u64) -> (usize, u32) {
        let hash = hash.get();
        ((((hash >> 32) * blocks) >> 32) as usize, hash as u32)
    }

    #[inline(always)]
    fn mask(low: u32, (): ()) -> [u32; 8] {
        mask(low)
    }

    /// The product of the fills of its words.
    fn fpr(&self, (): ()) -> f64 {
        self.words().map(|word| f64::from(word.count_ones()) / 32.0).iter().product()
    }

    fn keys_of_fill(params: &BlockedParams, fill: f64) -> f64 {
        theory::keys_of_fill(params.blocks, fill)
    }

    fn fpr_of_table(params: &BlockedParams, rate: f64, fill: f64) -> f64 {
        LAYOUT.fpr_of_table(params.blocks, rate, fill)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_gets_one_bit_by_its_own_salt() {
        assert_eq!(mask(0), [1; 8]);
        for low in [1u32, 0xdead_beef, u32::MAX] {
            for (bit, salt) in mask(low).into_iter().zip(SALTS) {
                assert_eq!(bit, 1 << (low.wrapping_mul(salt) >> 27));
            }
        }
    }

    #[test]
    fn bits_of_a_key_are_pairwise_independent() {
        let mut cells = [[0u32; 1024]; 7];
        let samples = 1u32 << 16;
        for key in 0..samples {
            let bits = mask(KeyHash::of(&key, 0).get() as u32);
            for (pair, counts) in cells.iter_mut().enumerate() {
                let cell = bits[pair].trailing_zeros() * 32 + bits[pair + 1].trailing_zeros();
                counts[cell as usize] += 1;
            }
        }
        for counts in &cells {
            let expected = f64::from(samples) / 1024.0;
            let chi2: f64 = counts
                .iter()
                .map(|&c| (f64::from(c) - expected) * (f64::from(c) - expected) / expected)
                .sum();
            // 1023 degrees of freedom: sd 45; five on both sides.
            assert!((797.0..1249.0).contains(&chi2), "chi-square {chi2}");
        }
    }

    #[test]
    fn blocks_are_chosen_by_the_upper_half_up_to_the_limit() {
        let blocks = crate::MAX_BLOCKS;
        assert_eq!(Block::place(KeyHash::new(u64::MAX), blocks), ((blocks - 1) as usize, u32::MAX));
        assert_eq!(Block::place(KeyHash::new(0xFFFF_FFFF), blocks), (0, u32::MAX));
    }
}
