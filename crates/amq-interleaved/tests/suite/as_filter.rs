//! An interleaved filter as a filter, so that the laws of all filters are tests of it.

use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Sections};
use amq_core::{
    ClearFilter, EmptyFilter, Filter, InsertError, InsertFilter, MergeError, MergeFilter,
    PlanFilter, PredictedFpr,
};
use amq_interleaved::{
    BlockedBloomFilter, BlockedParams, BuildError, Bytes, DecodeError, FilterKind, Goal, Inserted,
    InterleavedBloomFilter, InterleavedParams, KeyHash, LengthMismatch, Plan, PlanError, Table,
    Target,
};

/// The bin that is the filter, of 70; the others hold other keys.
const BIN: usize = 66;
const BINS: u64 = 70;

/// One bin of many, as a single split-block filter.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OneBin(InterleavedBloomFilter);

impl Filter for OneBin {
    fn kind(&self) -> FilterKind {
        FilterKind::Interleaved
    }
    fn seed(&self) -> u64 {
        self.0.seed()
    }
    fn len(&self) -> u64 {
        self.0.bin_len(BIN)
    }
    fn capacity(&self) -> u64 {
        self.0.capacity()
    }
    fn size_in_bytes(&self) -> u64 {
        self.0.params().blocks * 32
    }
    fn expected_fpr(&self) -> f64 {
        self.0.expected_fpr(BIN).unwrap()
    }
    fn load_factor(&self) -> f64 {
        self.0.bin(BIN).unwrap().load_factor()
    }
    fn saturated(&self) -> u64 {
        self.0.bin(BIN).unwrap().saturated()
    }
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.0.bins_hash(hash).contains(BIN)
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        for (hashes, answers) in hashes.chunks(1000).zip(answers.chunks_mut(1000)) {
            let mut words = vec![0; hashes.len() * self.0.words()];
            self.0.bins_batch(hashes, &mut words)?;
            for (answer, words) in answers.iter_mut().zip(words.chunks(self.0.words())) {
                *answer = words[BIN / 64] >> (BIN % 64) & 1 == 1;
            }
        }
        Ok(())
    }
}

impl InsertFilter for OneBin {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(self.0.insert_hash(BIN, hash).unwrap())
    }
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, amq_core::BatchInsertError> {
        Ok(self.0.insert_batch(BIN, hashes).unwrap())
    }
}

impl ClearFilter for OneBin {
    fn clear(&mut self) {
        self.0.clear_bin(BIN).unwrap();
    }
}

impl MergeFilter for OneBin {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.0.bin(BIN).unwrap().can_merge(&other.0.bin(BIN).unwrap())
    }
    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        let mut single = self.0.bin(BIN).unwrap();
        single.merge(&other.0.bin(BIN).unwrap())?;
        self.0.set_bin(BIN, &single).unwrap();
        Ok(())
    }
}

impl PlanFilter for OneBin {
    type Params = BlockedParams;

    fn plan(goal: Goal) -> Result<Plan<BlockedParams>, PlanError> {
        BlockedBloomFilter::plan(goal)
    }
    fn plan_params(params: BlockedParams, keys: u64) -> Result<Plan<BlockedParams>, PlanError> {
        BlockedBloomFilter::plan_params(params, keys)
    }
    fn predicted_fpr(params: &BlockedParams, keys: u64) -> PredictedFpr {
        BlockedBloomFilter::predicted_fpr(params, keys)
    }
    fn params(&self) -> BlockedParams {
        self.0.params().bin()
    }
}

impl EmptyFilter for OneBin {
    fn empty(target: impl Into<Target<BlockedParams>>, seed: u64) -> Result<Self, BuildError> {
        InterleavedBloomFilter::with_seed(BINS, target, seed).map(Self)
    }
}

/// All bins as one filter, whose keys are spread over them: with files as a whole filter has them.
#[derive(Clone, PartialEq)]
pub(crate) struct Spread<B = Table>(InterleavedBloomFilter<B>);

const SPREAD: u64 = 3;

fn bin(hash: KeyHash) -> usize {
    (hash.get() % SPREAD) as usize
}

impl<B: Bytes> Filter for Spread<B> {
    fn kind(&self) -> FilterKind {
        FilterKind::Interleaved
    }
    fn seed(&self) -> u64 {
        self.0.seed()
    }
    fn len(&self) -> u64 {
        self.0.len()
    }
    fn capacity(&self) -> u64 {
        self.0.capacity()
    }
    fn size_in_bytes(&self) -> u64 {
        self.0.size_in_bytes() + 16 * SPREAD
    }
    fn expected_fpr(&self) -> f64 {
        (0..SPREAD).map(|bin| self.0.expected_fpr(bin as usize).unwrap_or(0.0)).sum::<f64>()
            / SPREAD as f64
    }
    fn load_factor(&self) -> f64 {
        self.0.bin(0).unwrap().load_factor()
    }
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.0.bins_hash(hash).contains(bin(hash))
    }
}

impl PlanFilter for Spread {
    type Params = InterleavedParams;

    fn plan(goal: Goal) -> Result<Plan<InterleavedParams>, PlanError> {
        InterleavedBloomFilter::plan(SPREAD, goal)
    }
    fn plan_params(
        params: InterleavedParams,
        keys: u64,
    ) -> Result<Plan<InterleavedParams>, PlanError> {
        Ok(Plan::new(params, keys).with_bytes(params.bytes()))
    }
    fn predicted_fpr(params: &InterleavedParams, keys: u64) -> PredictedFpr {
        BlockedBloomFilter::predicted_fpr(&params.bin(), keys / SPREAD)
    }
    fn params(&self) -> InterleavedParams {
        self.0.params()
    }
}

/// The filter with these hashes.
pub(crate) fn spread(goal: Goal, seed: u64, hashes: &[KeyHash]) -> Result<Spread, BuildError> {
    let goal = Goal::new(goal.keys.div_ceil(SPREAD), goal.budget);
    let mut filter = InterleavedBloomFilter::with_seed(SPREAD, goal, seed)?;
    for &hash in hashes {
        filter.insert_hash(bin(hash), hash).unwrap();
    }
    Ok(Spread(filter))
}

impl<B: Bytes> FileFormat for Spread<B> {
    type With<C: Bytes> = Spread<C>;
    type Geometry = <InterleavedBloomFilter as FileFormat>::Geometry;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        self.0.contents(hashing)
    }

    fn geometry(opened: &Opened<'_>) -> Result<Self::Geometry, DecodeError> {
        InterleavedBloomFilter::<B>::geometry(opened)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        sections: Sections<'_, C>,
    ) -> Result<Spread<C>, DecodeError> {
        InterleavedBloomFilter::<B>::from_sections(opened, geometry, sections).map(Spread)
    }
}
