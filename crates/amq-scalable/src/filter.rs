//! The scalable filter.

use crate::stage::Stage;
use crate::{ScalableParams, StageFilter, StageReport, sizing, theory};
use alloc::vec::Vec;
use amq_core::index::remix;
use amq_core::{
    BuildError, DEFAULT_SEED, EmptyFilter, Filter, FilterKind, Full, Goal, HASH_BLOCK,
    InsertFilter, Inserted, KeyHash, LengthMismatch, MergeError, MergeFilter, Plan, PlanError,
    PlanFilter, PredictedFpr,
};
use core::{fmt, iter};

/// A Bloom filter that grows: stages of rising capacity and falling rate. `F` is what the stages are, see
/// [`ScalableBloomFilter`](crate::ScalableBloomFilter) and [`ScalableBlockedBloomFilter`](crate::ScalableBlockedBloomFilter).
///
/// See the [crate's documentation](crate) for the picture, the algorithm and the formulas.
#[derive(Clone)]
pub struct ScalableFilter<F> {
    first: Stage<F>,
    /// Those it grew since, older and smaller ones first.
    later: Vec<Stage<F>>,
    params: ScalableParams,
    seed: u64,
    len: u64,
    /// The limit that forbids the next stage, once it was met: to plan a stage takes longer than to refuse a key should. It follows
    /// from the other fields.
    limit: Option<Full>,
}

impl<F: StageFilter> ScalableFilter<F> {
    /// An empty filter that begins with `goal.items` keys and grows without end, with the public [`DEFAULT_SEED`].
    pub fn new(goal: Goal) -> Result<Self, BuildError> {
        Self::with_seed(goal, DEFAULT_SEED)
    }

    /// The same with a seed of one's own.
    pub fn with_seed(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::with_goal(goal, seed)
    }

    /// An empty filter that grows as `params` say: with a bound, with limits, at another pace.
    pub fn from_params(params: ScalableParams, seed: u64) -> Result<Self, BuildError> {
        params.check()?;
        Ok(Self {
            first: make_stage(&params, seed, 0, 0)?,
            later: Vec::new(),
            params,
            seed,
            len: 0,
            limit: None,
        })
    }

    /// How many stages there are.
    pub fn stage_count(&self) -> usize {
        self.later.len() + 1
    }

    /// How the stages stand, oldest first. Reads their tables, each as it is come to.
    pub fn stages(&self) -> impl Iterator<Item = StageReport> {
        self.oldest_first().enumerate().map(|(index, stage)| {
            let goal = self.params.stage(index as u32);
            StageReport {
                taken: stage.taken,
                capacity: stage.capacity,
                bytes: stage.filter.size_in_bytes(),
                expected_fpr: stage.filter.expected_fpr(),
                // A stage that is there had a goal.
                planned_fpr: goal.map_or(f64::NAN, |goal| goal.fpr),
            }
        })
    }

    fn stage(&self, index: usize) -> Option<&Stage<F>> {
        match index {
            0 => Some(&self.first),
            later => self.later.get(later - 1),
        }
    }

    fn oldest_first(&self) -> impl Iterator<Item = &Stage<F>> {
        iter::once(&self.first).chain(&self.later)
    }

    /// The stages with their numbers, in the order in which they are asked: the newest has most of the keys.
    #[inline(always)]
    fn newest_first(&self) -> impl Iterator<Item = (usize, &Stage<F>)> {
        let later = self.later.iter().enumerate().rev();
        later
            .map(|(i, stage)| (i + 1, stage))
            .chain(iter::once((0, &self.first)))
    }

    fn newest(&mut self) -> &mut Stage<F> {
        self.later.last_mut().unwrap_or(&mut self.first)
    }

    /// Adds the next stage, or says why there can be none. Nothing changes then.
    #[cold]
    fn grow(&mut self) -> Result<(), Full> {
        if let Some(limit) = self.limit {
            return Err(limit);
        }
        let index = self.stage_count() as u32;
        let held = self.size_in_bytes() + size_of::<Stage<F>>() as u64;
        let stage = make_stage(&self.params, self.seed, index, held).map_err(|error| match error {
            BuildError::Full(refused) => refused.full,
            BuildError::OutOfMemory { bytes } => Full::OutOfMemory { bytes },
            _ => theory::no_more(index),
        });
        let stage = stage.inspect_err(|&full| {
            // Memory may be had the next time.
            self.limit = matches!(full, Full::Limit { .. }).then_some(full);
        })?;
        if self.later.try_reserve_exact(1).is_err() {
            return Err(Full::OutOfMemory {
                bytes: size_of::<Stage<F>>() as u64 * u64::from(index),
            });
        }
        self.later.push(stage);
        Ok(())
    }

    /// What the two filters would be as one; an error if they must not be.
    fn merged(&self, other: &Self) -> Result<(Stage<F>, Vec<Stage<F>>), MergeError> {
        let (ours, theirs) = (&self.params, &other.params);
        MergeError::check("initial", ours.initial, theirs.initial)?;
        MergeError::check("growth", ours.growth.into(), theirs.growth.into())?;
        MergeError::check_real("fpr", ours.fpr, theirs.fpr)?;
        MergeError::check_real("tightening", ours.tightening, theirs.tightening)?;
        let bound = |params: &ScalableParams| params.max_items.unwrap_or(u64::MAX);
        MergeError::check("max_items", bound(ours), bound(theirs))?;
        MergeError::check_seeds(self.seed, other.seed)?;

        let no_memory = |error| match error {
            BuildError::OutOfMemory { bytes } => MergeError::Full(Full::OutOfMemory { bytes }),
            BuildError::Full(refused) => MergeError::Full(refused.full),
            _ => MergeError::Full(theory::no_more(0)),
        };
        let mut later = Vec::new();
        let stages = self.later.len().max(other.later.len());
        if later.try_reserve_exact(stages).is_err() {
            let bytes = (size_of::<Stage<F>>() as u64).saturating_mul(stages as u64);
            return Err(MergeError::Full(Full::OutOfMemory { bytes }));
        }
        let stage = |index: usize, held: u64| -> Result<Stage<F>, MergeError> {
            let number = index as u32;
            let empty = make_stage(&self.params, self.seed, number, held).map_err(no_memory)?;
            empty.union(self.stage(index), other.stage(index))
        };
        let first = stage(0, 0)?;
        let mut held = first.filter.size_in_bytes();
        for index in 1..=stages {
            held += size_of::<Stage<F>>() as u64;
            let stage = stage(index, held)?;
            held += stage.filter.size_in_bytes();
            later.push(stage);
        }
        let full = self.rate_when_full(iter::once(&first).chain(&later));
        // A single stage has all of the rate, but for rounding.
        if full > self.params.fpr * (1.0 + 1e-9) {
            return Err(MergeError::Rate {
                merged: full,
                asked: self.params.fpr,
            });
        }
        Ok((first, later))
    }

    /// The compound rate when these stages, and all that may still be added, are full. A stage with no more in it than it is for
    /// will have its planned rate, in the mean over all seeds; one that got more has the rate that its contents give it, for good.
    fn rate_when_full<'a>(&self, stages: impl Iterator<Item = &'a Stage<F>>) -> f64
    where
        F: 'a,
    {
        let mut stages = stages.fuse();
        let rates = (0..).map_while(|index| {
            let planned = self.params.stage(index).map(|goal| goal.fpr);
            match stages.next() {
                Some(stage) if stage.taken > stage.capacity => Some(stage.filter.expected_fpr()),
                _ => planned.ok(),
            }
        });
        theory::compound(rates)
    }
}

/// An empty stage, as the parameters have it, in a filter that holds so many bytes already.
fn make_stage<F: StageFilter>(
    params: &ScalableParams,
    seed: u64,
    index: u32,
    held: u64,
) -> Result<Stage<F>, BuildError> {
    let goal = params.stage(index).map_err(refused)?;
    let plan = match index {
        0 => sizing::first_stage::<F>(params)?,
        // That a later one cannot be planned is the end of growth.
        _ => F::plan(goal.goal()).map_err(|_| refused(theory::no_more(index)))?,
    };
    if held.saturating_add(plan.bytes) > params.max_bytes {
        return Err(refused(Full::Limit {
            what: "bytes",
            limit: params.max_bytes,
        }));
    }
    Ok(Stage {
        filter: F::from_plan(&plan, seed)?,
        taken: 0,
        capacity: goal.capacity,
    })
}

/// A refusal while a stage is made.
const fn refused(full: Full) -> BuildError {
    BuildError::Full(amq_core::BatchFull { done: 0, full })
}

/// The hash of a key in one stage: another one in each, so that the stages err independently.
#[inline(always)]
const fn in_stage(hash: KeyHash, index: usize) -> KeyHash {
    KeyHash::new(remix(hash.get(), index as u64))
}

impl<F: StageFilter> fmt::Debug for ScalableFilter<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        amq_core::debug(self, "ScalableFilter", f)
    }
}

impl<F: PartialEq> PartialEq for ScalableFilter<F> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |filter: &Self| (filter.params, filter.seed, filter.len);
        parts(self) == parts(other) && self.first == other.first && self.later == other.later
    }
}

impl<F: StageFilter> Filter for ScalableFilter<F> {
    fn kind(&self) -> FilterKind {
        F::KIND
    }

    #[inline]
    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    /// Keys that the present stages are for together. Grows with the filter.
    fn capacity(&self) -> u64 {
        let capacities = self.oldest_first().map(|stage| stage.capacity);
        capacities.fold(0, u64::saturating_add)
    }

    fn size_in_bytes(&self) -> u64 {
        let tables = self
            .oldest_first()
            .map(|stage| stage.filter.size_in_bytes());
        tables.sum::<u64>() + (self.later.capacity() * size_of::<Stage<F>>()) as u64
    }

    /// The compound rate of the stages with the bits they have set. Reads all tables.
    fn expected_fpr(&self) -> f64 {
        theory::compound(self.oldest_first().map(|stage| stage.filter.expected_fpr()))
    }

    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.newest_first()
            .any(|(index, stage)| stage.filter.holds(in_stage(hash, index)))
    }

    /// Stage by stage, the newest first: each is asked, in one batch, for the keys that no newer one has.
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        for (hashes, answers) in hashes
            .chunks(HASH_BLOCK)
            .zip(answers.chunks_mut(HASH_BLOCK))
        {
            // The places of the keys still looked for, moved to the front without a branch on the answer.
            let mut open: [u8; HASH_BLOCK] = core::array::from_fn(|i| i as u8);
            let mut count = hashes.len();
            answers.fill(false);
            let mut asked = [KeyHash::new(0); HASH_BLOCK];
            let mut found = [false; HASH_BLOCK];
            for (index, stage) in self.newest_first() {
                for (asked, &i) in asked.iter_mut().zip(&open[..count]) {
                    *asked = in_stage(hashes[usize::from(i)], index);
                }
                stage
                    .filter
                    .contains_batch(&asked[..count], &mut found[..count])?;
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

impl<F: StageFilter> InsertFilter for ScalableFilter<F> {
    /// Refused only where the filter must grow and a limit or the allocator forbids it. A key that is answered `true` already
    /// changes nothing and counts against no capacity.
    #[inline]
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full> {
        if self.contains_hash(hash) {
            return Ok(Inserted::MaybePresent);
        }
        let newest = self.newest();
        if newest.taken >= newest.capacity {
            self.grow()?;
        }
        let hash = in_stage(hash, self.later.len());
        let newest = self.newest();
        newest.filter.insert_hash(hash)?;
        newest.taken += 1;
        self.len += 1;
        Ok(Inserted::New)
    }

    /// Takes every key out and goes back to the first stage; the memory of the others is given back.
    fn clear(&mut self) {
        self.later = Vec::new();
        self.first.filter.clear();
        self.first.taken = 0;
        self.len = 0;
        self.limit = None;
    }
}

impl<F: StageFilter> PlanFilter for ScalableFilter<F> {
    type Params = ScalableParams;

    /// The first stage. A rate is the compound one, of the filter however far it grows; a size is that of the first stage, and the
    /// compound rate follows from what the first stage can do in it.
    fn plan(goal: Goal) -> Result<Plan<ScalableParams>, PlanError> {
        let plan = |goal: Goal| {
            let params = sizing::params::<F>(goal)?;
            let plan = sizing::first_stage::<F>(&params)?;
            Ok(Plan {
                items: goal.items,
                bytes: plan.bytes,
                expected_fpr: theory::fpr::<F>(&params, goal.items).mean,
                build_bytes: plan.build_bytes,
                params,
            })
        };
        plan(goal).map_err(|error: PlanError| error.in_bits_per_key(goal, plan))
    }

    fn predicted_fpr(params: &ScalableParams, items: u64) -> PredictedFpr {
        theory::fpr::<F>(params, items)
    }

    fn params(&self) -> ScalableParams {
        self.params
    }
}

impl<F: StageFilter> EmptyFilter for ScalableFilter<F> {
    fn from_plan(plan: &Plan<ScalableParams>, seed: u64) -> Result<Self, BuildError> {
        Self::from_params(plan.params, seed)
    }
}

impl<F: StageFilter> MergeFilter for ScalableFilter<F> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.merged(other).map(|_| ())
    }

    /// Stage by stage the union, if the filters were made with the same parameters and seed, and if the compound rate that was asked for
    /// will still hold when all stages are full. So keys of the same stage may come together up to its capacity, and keys that are
    /// in both already always; two filters that have both grown are seldom one that could grow on, and are better asked one after the
    /// other. [`Filter::len`] becomes the sum of both, which counts keys in both twice.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError> {
        (self.first, self.later) = self.merged(other)?;
        self.limit = None;
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}
