//! The interface of the split-block and wide-block layouts: a block is eight words, and a key sets
//! some bits of one block.

use amq_core::internal::{Entry, Opened};
use amq_core::{
    DecodeError, FilterKind, Goal, KeyHash, MergeError, Parameters, Plan, PlanError, PredictedFpr,
};
use core::fmt::Debug;
use core::ops::{BitAnd, BitOr, Not};

/// A word of a block.
pub trait Word:
    Copy + Default + PartialEq + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// Number of bits that are set.
    fn ones(self) -> u32;
}

impl Word for u32 {
    fn ones(self) -> u32 {
        self.count_ones()
    }
}

impl Word for u64 {
    fn ones(self) -> u32 {
        self.count_ones()
    }
}

/// A block, and the positions of a key's bits in it.
pub trait Layout: Copy + Default + PartialEq + Send + Sync + 'static {
    /// The type of its eight words.
    type Word: Word;

    /// The parameters of a table.
    type Params: Parameters + Copy + PartialEq + Debug + Send + Sync;

    /// Per-table inputs to the mask.
    type Shape: Copy + PartialEq + Send + Sync;

    /// The kind of the filter.
    const KIND: FilterKind;

    /// The name of its type.
    const NAME: &'static str;

    /// A block of these words.
    fn of_words(words: [Self::Word; 8]) -> Self;

    /// Blocks of a table with these parameters.
    fn blocks(params: &Self::Params) -> u64;

    /// Checks the ranges of the parameters.
    fn check(params: &Self::Params) -> Result<(), PlanError>;

    /// `Ok` if both make the same table; the error names the difference.
    fn check_same(ours: &Self::Params, theirs: &Self::Params) -> Result<(), MergeError>;

    /// The plan for a goal.
    fn plan(goal: Goal) -> Result<Plan<Self::Params>, PlanError>;

    /// The plan for `keys` keys with these parameters.
    fn plan_params(params: Self::Params, keys: u64) -> Result<Plan<Self::Params>, PlanError>;

    /// The rate of tables with these parameters and `keys` keys.
    fn predicted(params: &Self::Params, keys: u64) -> PredictedFpr;

    /// The parameters of a table of `blocks` blocks.
    fn params(blocks: u64, shape: Self::Shape) -> Self::Params;

    /// The shape of a table with these parameters, which must be valid.
    fn shape(params: &Self::Params) -> Self::Shape;

    /// Encodes the parameters as an entry of a file's directory.
    fn geometry(params: &Self::Params) -> Entry;

    /// Decodes the parameters from a directory, without checking them.
    fn params_in(opened: &Opened<'_>) -> Result<Self::Params, DecodeError>;

    /// The words.
    fn words(&self) -> [Self::Word; 8];

    /// The index of a hash's block, and the half of the hash that chooses the bits.
    fn place(hash: KeyHash, blocks: u64) -> (usize, u32);

    /// The bits of the key with this lower half of the hash.
    fn mask(low: u32, shape: Self::Shape) -> [Self::Word; 8];

    /// The fraction of all keys for which this block answers `true`.
    fn fpr(&self, shape: Self::Shape) -> f64;

    /// The most likely number of distinct keys, given the fraction `fill` of bits set.
    fn keys_of_fill(params: &Self::Params, fill: f64) -> f64;

    /// The rate of a filter: `rate` from its bits, of which a fraction `fill` is set, plus
    /// collisions of hashes within a block.
    fn fpr_of_table(params: &Self::Params, rate: f64, fill: f64) -> f64;

    /// Sets a key's bits and returns whether any was clear.
    #[inline(always)]
    fn insert(&mut self, low: u32, shape: Self::Shape) -> bool {
        let (mut words, mut changed) = (self.words(), Self::Word::default());
        for (word, bits) in words.iter_mut().zip(Self::mask(low, shape)) {
            changed = changed | bits & !*word;
            *word = *word | bits;
        }
        *self = Self::of_words(words);
        changed != Self::Word::default()
    }

    /// Whether all of a key's bits are set.
    #[inline(always)]
    fn contains(&self, low: u32, shape: Self::Shape) -> bool {
        let none = Self::Word::default();
        let words = self.words().into_iter().zip(Self::mask(low, shape));
        words.fold(none, |clear, (word, bits)| clear | (bits & !word)) == none
    }
}

/// Number of bits that are set in these blocks.
pub(crate) fn count_ones<B: Layout>(blocks: impl Iterator<Item = B>) -> u64 {
    blocks.map(|block| block.words().map(|word| u64::from(word.ones())).iter().sum::<u64>()).sum()
}

/// The fraction of bits set in these blocks.
pub(crate) fn load_factor<B: Layout>(blocks: impl ExactSizeIterator<Item = B>) -> f64 {
    let bits = blocks.len() as f64 * (8 * size_of::<B>()) as f64;
    count_ones(blocks) as f64 / bits
}

/// The rate of a filter of these blocks.
pub(crate) fn expected_fpr<B: Layout>(
    blocks: impl ExactSizeIterator<Item = B> + Clone,
    shape: B::Shape,
) -> f64 {
    let count = blocks.len() as u64;
    let rate = blocks.clone().map(|block| block.fpr(shape)).sum::<f64>() / count as f64;
    B::fpr_of_table(&B::params(count, shape), rate, load_factor(blocks))
}

/// Number of these blocks whose bits are all set.
pub(crate) fn saturated<B: Layout>(blocks: impl Iterator<Item = B>) -> u64 {
    let full = [!B::Word::default(); 8];
    blocks.filter(|block| block.words() == full).count() as u64
}
