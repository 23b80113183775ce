//! The scalable filter.

use crate::growth::{self, STAGE_BYTES};
use crate::stage::Stage;
use crate::{OwnedStage, ScalableParams, StageFilter, StageReport, theory};
use alloc::vec::Vec;
use amq_core::index::remix;
use amq_core::internal::{Header, reserve};
use amq_core::prefetch::BLOCK;
use amq_core::{
    BuildError, ClearFilter, DEFAULT_SEED, EmptyFilter, Filter, FilterKind, Goal, InsertError,
    InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError, MergeFilter, Plan, PlanError,
    PlanFilter, PredictedFpr, Stats, Target,
};
use core::{fmt, iter};

/// A Bloom filter that grows: stages of rising capacity and falling rate.
///
/// `F` is the type of a stage: [`ScalableBloomFilter`](crate::ScalableBloomFilter) and
/// [`ScalableBlockedBloomFilter`](crate::ScalableBlockedBloomFilter) own their tables, views borrow
/// them. See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
///
/// The most common methods are inherent. The others are in traits that this crate exports: batches
/// and iterators of keys in [`InsertExt`](crate::InsertExt) and [`FilterExt`](crate::FilterExt),
/// hashes in [`InsertFilter`] and [`Filter`], the filter's state in [`Filter`], files in
/// [`FilterFile`](crate::FilterFile).
#[derive(Clone)]
pub struct ScalableFilter<F> {
    pub(crate) header: Header,
    pub(crate) params: ScalableParams,
    pub(crate) len: u64,
    pub(crate) first: Stage<F>,
    /// The later stages, oldest first.
    pub(crate) later: Vec<Stage<F>>,
    /// The limit that prevents the next stage, once it has been hit. Cached, because planning the
    /// stage again would make each refusal slow; follows from the other fields.
    pub(crate) limit: Option<InsertError>,
    /// Whether each key counted by the newest stage is known to have set a bit. After a merge the
    /// count is an upper bound, and in a file it may be any number.
    pub(crate) is_counted: bool,
}

impl<F: OwnedStage> ScalableFilter<F> {
    /// An empty filter for a [`Goal`] or a [`Plan`], with the public [`DEFAULT_SEED`].
    ///
    /// ```
    /// use amq_scalable::{ScalableBloomFilter, Goal};
    ///
    /// // Room for a thousand keys at a false-positive rate of 1 %.
    /// let filter = ScalableBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.is_empty());
    /// # Ok::<(), amq_scalable::BuildError>(())
    /// ```
    pub fn new(target: impl Into<Target<ScalableParams>>) -> Result<Self, BuildError> {
        Self::with_seed(target, DEFAULT_SEED)
    }

    /// An empty filter with a seed of your own; see [`new`](Self::new).
    pub fn with_seed(
        target: impl Into<Target<ScalableParams>>,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        let (goal, first) = growth::first_stage::<F>(&plan.params)?;
        Ok(Self {
            header: Header::new(&plan, seed),
            params: plan.params,
            len: 0,
            first: Stage::empty(goal, first)?,
            later: Vec::new(),
            limit: None,
            is_counted: true,
        })
    }

    /// The best parameters for a goal, with their size and rate. Allocates nothing.
    ///
    /// ```
    /// use amq_scalable::{Goal, ScalableBloomFilter};
    ///
    /// let plan = ScalableBloomFilter::plan(Goal::fpr(1_000_000, 0.01))?;
    /// assert!(plan.expected_fpr < 0.0101);
    /// println!("{plan}"); // bytes, bits per key, rate
    /// # Ok::<(), amq_scalable::PlanError>(())
    /// ```
    pub fn plan(goal: Goal) -> Result<Plan<ScalableParams>, PlanError> {
        <Self as PlanFilter>::plan(goal)
    }

    /// Inserts `key`. Fails only if the filter must grow and a limit or the allocator prevents it;
    /// then nothing changes. A key that the filter already contains changes nothing and uses no
    /// capacity.
    ///
    /// ```
    /// use amq_scalable::{Goal, ScalableBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = ScalableBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// assert!(filter.insert("a key")?.is_new());
    /// assert!(filter.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, InsertError> {
        self.insert_hash(key.key_hash(self.header.seed))
    }

    /// Merges `other` into `self`, stage by stage. On an error nothing changes.
    ///
    /// The filters must have the same parameters and seed, and the union must keep the compound
    /// rate even when all its stages are full. So the two stages of each pair may together hold as
    /// many keys as one has capacity for, and any number of common keys. Two filters that have both
    /// grown can rarely be merged, because the union must still be able to grow. Query both
    /// instead. [`len`](Self::len) becomes the sum of both, which counts common keys twice.
    ///
    /// ```
    /// use amq_scalable::{Goal, ScalableBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut ours = ScalableBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut theirs = ours.clone();
    /// ours.insert("one")?;
    /// theirs.insert("two")?;
    /// ours.merge(&theirs)?;
    /// assert!(ours.contains("one") && ours.contains("two"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        MergeFilter::merge(self, other)
    }
}

impl<F: StageFilter> ScalableFilter<F> {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    ///
    /// ```
    /// use amq_scalable::{Goal, ScalableBloomFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = ScalableBloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// filter.insert("a key")?;
    /// assert!(filter.contains("a key"));
    /// assert!(!filter.contains("another")); // certain
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.contains_hash(key.key_hash(self.header.seed))
    }

    /// The number of inserts that returned [`Inserted::New`]: distinct keys, except those that were
    /// false positives when inserted. After a merge, the sum of both.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether [`len`](Self::len) is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The filter's state as one value, which implements `Display`: keys, load, bytes, rate. Reads
    /// all tables.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }

    /// The growth parameters.
    #[inline]
    #[must_use]
    pub fn params(&self) -> ScalableParams {
        self.params
    }

    /// Number of stages.
    #[must_use]
    pub fn stage_count(&self) -> usize {
        self.later.len() + 1
    }

    /// Statistics of each stage, oldest first. Reads each table when its item is requested.
    pub fn stages(&self) -> impl Iterator<Item = StageReport> {
        self.oldest_first().map(|stage| StageReport {
            taken: stage.taken,
            capacity: stage.goal.capacity,
            bytes: stage.filter.size_in_bytes(),
            expected_fpr: stage.filter.expected_fpr(),
            planned_fpr: stage.goal.fpr,
        })
    }
}

impl<F> ScalableFilter<F> {
    fn stage(&self, index: usize) -> Option<&Stage<F>> {
        match index {
            0 => Some(&self.first),
            later => self.later.get(later - 1),
        }
    }

    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = &Stage<F>> {
        iter::once(&self.first).chain(&self.later)
    }

    /// The stages with their indices, in the order of lookups: the newest has most of the keys.
    #[inline(always)]
    fn newest_first(&self) -> impl Iterator<Item = (usize, &Stage<F>)> {
        let later = self.later.iter().enumerate().rev();
        later.map(|(i, stage)| (i + 1, stage)).chain(iter::once((0, &self.first)))
    }

    fn newest(&self) -> &Stage<F> {
        self.later.last().unwrap_or(&self.first)
    }

    fn newest_mut(&mut self) -> &mut Stage<F> {
        self.later.last_mut().unwrap_or(&mut self.first)
    }

    /// Whether the newest stage was cut to the limit on bytes, so that no stage can follow.
    fn is_complete(&self) -> bool {
        self.newest().goal.cut
    }
}

impl<F: OwnedStage> ScalableFilter<F> {
    /// Adds the next stage; on an error nothing changes. Adds none if the newest stage turns out to
    /// hold fewer keys than its count.
    #[cold]
    fn grow(&mut self) -> Result<(), InsertError> {
        const { assert!(size_of::<Stage<F>>() as u64 == STAGE_BYTES) }
        if let Some(limit) = self.limit {
            return Err(limit);
        }
        if !self.is_counted {
            // Each counted key has set a bit. So a larger stage follows only if the newest one's
            // table has as many bits set as the stage has capacity: a file of a few bytes cannot
            // claim gigabytes.
            let newest = self.newest();
            let taken = newest.taken.min(newest.filter.ones());
            if taken < newest.goal.capacity {
                self.newest_mut().taken = taken;
                self.is_counted = true;
                return Ok(());
            }
        }
        let (index, held) = (self.stage_count() as u32, self.size_in_bytes() + STAGE_BYTES);
        let newest = self.newest();
        let newest = (newest.goal, newest.filter.size_in_bytes());
        let next = growth::next_stage::<F>(&self.params, index, newest, held);
        let (goal, plan) = next.inspect_err(|&full| {
            self.limit = matches!(full, InsertError::Limit { .. }).then_some(full);
        })?;
        // Adds nothing that `from_bytes` would refuse: stages from a file may have other rates.
        let rates = self.oldest_first().map(|stage| stage.goal.fpr);
        if !self.params.allows(rates.chain(iter::once(goal.fpr))) {
            return Err(InsertError::Stages { stages: index.into() });
        }
        // Running out of memory is not cached as a limit: there may be memory the next time.
        let stage = Stage::empty(goal, plan).map_err(no_memory)?;
        reserve(&mut self.later, 1).map_err(no_memory)?;
        self.later.push(stage);
        Ok(())
    }

    /// The union of the two filters; an error if they cannot be merged.
    fn merged(&self, other: &Self) -> Result<Self, MergeError> {
        let (ours, theirs) = (&self.params, &other.params);
        MergeError::check("initial", ours.initial, theirs.initial)?;
        MergeError::check("growth", ours.growth.into(), theirs.growth.into())?;
        MergeError::check_real("fpr", ours.fpr, theirs.fpr)?;
        MergeError::check_real("tightening", ours.tightening, theirs.tightening)?;
        let bound = |params: &ScalableParams| params.max_keys.unwrap_or(u64::MAX);
        MergeError::check("max_keys", bound(ours), bound(theirs))?;
        if self.is_complete() || other.is_complete() {
            // The limit determined the size of a stage.
            MergeError::check("max_bytes", ours.max_bytes, theirs.max_bytes)?;
        }
        self.header.check_seeds(&other.header)?;

        // The union has the stages of whichever filter has more.
        let longer = if self.later.len() < other.later.len() { other } else { self };
        if longer.size_in_bytes() > ours.max_bytes {
            return Err(MergeError::Insert(ours.too_many_bytes()));
        }
        if longer.stage_count() > ours.max_stages as usize {
            let limit = ours.max_stages.into();
            return Err(MergeError::Insert(InsertError::Limit { what: "stages", limit }));
        }
        let mut later = Vec::new();
        let no_memory = |error| MergeError::Insert(no_memory(error));
        reserve(&mut later, longer.later.len() as u64).map_err(no_memory)?;
        let union = |index: usize, shape: &Stage<F>| {
            let empty = shape.emptied().map_err(no_memory)?;
            empty.union([self.stage(index), other.stage(index)])
        };
        let first = union(0, &longer.first)?;
        for (index, shape) in longer.later.iter().enumerate() {
            later.push(union(index + 1, shape)?);
        }
        let len = self.len.saturating_add(other.len);
        let merged = Self { len, first, later, limit: None, is_counted: false, ..*self };
        let full = merged.rate_when_full();
        // A single stage has the whole rate, up to rounding.
        if full > ours.fpr * (1.0 + 1e-9) {
            return Err(MergeError::Rate { merged: full, asked: ours.fpr });
        }
        Ok(merged)
    }

    /// The compound rate when all these stages, and all that may follow, are full. A stage within
    /// its capacity will have its planned rate, averaged over all seeds; a stage beyond it keeps
    /// the rate of its contents.
    fn rate_when_full(&self) -> f64 {
        let now = self.oldest_first().map(|stage| {
            if stage.taken > stage.goal.capacity {
                stage.filter.expected_fpr()
            } else {
                stage.goal.fpr
            }
        });
        // With a limit on bytes, the next stage may be the last, with the whole remaining rate.
        let (limited, complete) = (self.params.max_bytes < u64::MAX, self.is_complete());
        let more = match (complete, limited) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => usize::MAX,
        };
        let next = self.stage_count() as u32..;
        let later = next
            .map_while(|index| self.params.stage_and_rest(index).ok())
            .map(|(stage, rest)| if limited { rest.fpr } else { stage.fpr });
        theory::compound(now.chain(later.take(more)))
    }
}

/// Converts the error of allocating a planned stage, which can only be out of memory.
const fn no_memory(error: BuildError) -> InsertError {
    let bytes = match error {
        BuildError::OutOfMemory { bytes } => bytes,
        _ => 0,
    };
    InsertError::OutOfMemory { bytes }
}

/// A key's hash in one stage: different in each, so that false positives of stages are independent.
#[inline(always)]
const fn in_stage(hash: KeyHash, index: usize) -> KeyHash {
    KeyHash::new(remix(hash.get(), index as u64))
}

impl<F: PartialEq> PartialEq for ScalableFilter<F> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |filter: &Self| (filter.params, filter.header.seed, filter.len);
        parts(self) == parts(other) && self.first == other.first && self.later == other.later
    }
}

impl<F: StageFilter> Filter for ScalableFilter<F> {
    fn kind(&self) -> FilterKind {
        F::SCALABLE
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.header.seed
    }

    #[inline]
    fn len(&self) -> u64 {
        self.len
    }

    /// The total capacity of the current stages.
    fn capacity(&self) -> u64 {
        let capacities = self.oldest_first().map(|stage| stage.goal.capacity);
        capacities.fold(0, u64::saturating_add)
    }

    /// Bytes of the tables of all stages, and 128 for each stage after the first.
    fn size_in_bytes(&self) -> u64 {
        let tables = self.oldest_first().map(|stage| stage.filter.size_in_bytes());
        tables.sum::<u64>() + STAGE_BYTES * self.later.len() as u64
    }

    /// The compound rate of the stages, from the bits set in them.
    fn expected_fpr(&self) -> f64 {
        theory::compound(self.oldest_first().map(|stage| stage.filter.expected_fpr()))
    }

    /// The mean over the stages, weighted by their sizes.
    fn load_factor(&self) -> f64 {
        let (mut used, mut bytes) = (0.0, 0.0);
        for stage in self.oldest_first() {
            let size = stage.filter.size_in_bytes() as f64;
            used += size * stage.filter.load_factor();
            bytes += size;
        }
        used / bytes
    }

    fn saturated(&self) -> u64 {
        self.oldest_first().map(|stage| stage.filter.saturated()).sum()
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.newest_first().any(|(index, stage)| stage.filter.holds(in_stage(hash, index)))
    }

    /// Stage by stage, newest first: each is queried in one batch for the keys that no newer one
    /// contains.
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        let answers = answers.chunks_mut(BLOCK);
        for (hashes, answers) in hashes.chunks(BLOCK).zip(answers) {
            // The indices of the undecided keys, compacted without a branch on the answer.
            let mut open: [u8; BLOCK] = core::array::from_fn(|i| i as u8);
            let mut count = hashes.len();
            answers.fill(false);
            let mut asked = [KeyHash::new(0); BLOCK];
            let mut found = [false; BLOCK];
            for (index, stage) in self.newest_first() {
                for (asked, &i) in asked.iter_mut().zip(&open[..count]) {
                    *asked = in_stage(hashes[usize::from(i)], index);
                }
                let (asked, found) = (&asked[..count], &mut found[..count]);
                let answered = stage.filter.contains_batch(asked, found);
                debug_assert!(answered.is_ok(), "the slices are equally long");
                let mut still = 0;
                for j in 0..count {
                    let i = open[j];
                    answers[usize::from(i)] = found[j];
                    open[still] = i;
                    still += usize::from(!found[j]);
                }
                count = still;
            }
        }
        Ok(())
    }
}

impl<F: OwnedStage> EmptyFilter for ScalableFilter<F> {
    fn empty(target: impl Into<Target<ScalableParams>>, seed: u64) -> Result<Self, BuildError> {
        Self::with_seed(target, seed)
    }
}

impl<F: OwnedStage> InsertFilter for ScalableFilter<F> {
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        if self.contains_hash(hash) {
            return Ok(Inserted::MaybePresent);
        }
        let newest = self.newest();
        if newest.taken >= newest.goal.capacity {
            self.grow()?;
        }
        let hash = in_stage(hash, self.later.len());
        let newest = self.newest_mut();
        newest.filter.insert_hash(hash)?;
        newest.taken += 1;
        self.len = self.len.saturating_add(1);
        Ok(Inserted::New)
    }
}

impl<F: OwnedStage> ClearFilter for ScalableFilter<F> {
    fn clear(&mut self) {
        self.later = Vec::new();
        self.first.filter.clear();
        self.first.taken = 0;
        self.len = 0;
        self.limit = None;
        self.is_counted = true;
    }
}

impl<F: OwnedStage> MergeFilter for ScalableFilter<F> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged(other).map(drop)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.merged(other)?;
        Ok(())
    }
}

impl<F: OwnedStage> PlanFilter for ScalableFilter<F> {
    type Params = ScalableParams;

    fn plan(goal: Goal) -> Result<Plan<ScalableParams>, PlanError> {
        Ok(goal.plan_by(theory::plan::<F>)?.with_budget(goal.budget))
    }

    fn plan_params(params: ScalableParams, keys: u64) -> Result<Plan<ScalableParams>, PlanError> {
        theory::plan_params::<F>(params, keys)
    }

    fn predicted_fpr(params: &ScalableParams, keys: u64) -> PredictedFpr {
        theory::fpr::<F>(params, keys)
    }

    fn params(&self) -> ScalableParams {
        self.params
    }
}

/// Prints neither the tables, which may be gigabytes, nor the seed, which may be secret.
impl<F: StageFilter> fmt::Debug for ScalableFilter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalableFilter")
            .field("params", &self.params)
            .field("len", &self.len)
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}
