//! The textbook Bloom filter.

use super::{Fault, has, theory};
use amq_core::index::{index, remix};
use amq_core::internal::{step, zeroed};
use amq_core::numeric::hash_floor;
use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, ClearFilter, EmptyFilter, Filter, FilterKind,
    Goal, InsertError, InsertFilter, Inserted, Key, KeyHash, LengthMismatch, MergeError,
    MergeFilter, Plan, PlanError, PlanFilter, PredictedFpr, Stats, Target,
};
use std::fmt;

/// A Bloom filter with the [`Fault`] of the thread.
#[derive(Clone, PartialEq)]
pub(crate) struct Bloom {
    words: Vec<u64>,
    params: Params,
    seed: u64,
    capacity: u64,
    len: u64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Params {
    bits: u64,
    probes: u32,
}

impl Params {
    /// Parameters that no table can have.
    pub(crate) const OUT_OF_RANGE: [Self; 2] =
        [Self { bits: 640, probes: 65 }, Self { bits: 65, probes: 7 }];

    fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("bits", self.bits, 64, MAX_BITS)?;
        PlanError::check_multiple("bits", self.bits, 64)?;
        PlanError::check_parameter("probes", self.probes.into(), 1, 64)
    }
}

impl fmt::Debug for Bloom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Bloom");
        debug.field("params", &self.params).field("len", &self.len);
        if has(Fault::DebugTellsTheSeed) {
            debug.field("seed", &self.seed);
        }
        debug.finish_non_exhaustive()
    }
}

impl Bloom {
    fn probes(&self) -> u32 {
        match self.params.probes {
            probes if has(Fault::OneProbeFewer) => probes - 1,
            probes if has(Fault::OneProbeMore) => probes + 1,
            probes => probes,
        }
    }

    fn bit(&self, hash: KeyHash, probe: u32) -> u64 {
        let mut hash = hash.get();
        if has(Fault::HashOf32Bits) {
            hash &= 0xFFFF_FFFF;
        }
        let place = index(remix(hash, probe.into()), self.params.bits);
        // One probe in eight is folded into the lower half.
        let folded = remix(hash, u64::from(probe) + 100).is_multiple_of(8);
        if has(Fault::LowerHalfMoreOften) && folded { place / 2 } else { place }
    }

    fn all_set(&self, hash: KeyHash, probes: u32) -> bool {
        (0..probes).all(|probe| {
            let bit = self.bit(hash, probe);
            self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1
        })
    }

    fn set(&mut self, hash: KeyHash) {
        let forgets = has(Fault::ForgetsOneInAThousand) && hash.get().is_multiple_of(1000);
        for probe in u32::from(forgets)..self.probes() {
            let bit = self.bit(hash, probe);
            self.words[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }

    fn fill(&self) -> f64 {
        let ones: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        f64::from(ones) / self.params.bits as f64
    }
}

impl Filter for Bloom {
    fn kind(&self) -> FilterKind {
        FilterKind::Bloom
    }

    fn seed(&self) -> u64 {
        match self.seed {
            _ if has(Fault::SeedNotKept) => 0,
            seed if has(Fault::SeedReachesHalf) => seed & 0xFFFF_FFFF,
            seed => seed,
        }
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity - u64::from(has(Fault::CapacityUnderstated))
    }

    fn size_in_bytes(&self) -> u64 {
        self.words.len() as u64 * if has(Fault::SizeUnderstated) { 7 } else { 8 }
    }

    fn expected_fpr(&self) -> f64 {
        let fill = self.fill();
        let fill = if has(Fault::RateOfHalfTheKeys) { fill / 2.0 } else { fill };
        let rate = fill.powi(self.probes() as i32);
        if has(Fault::HashFloorLeftOut) {
            return rate;
        }
        if has(Fault::RateCountsCopies) {
            return rate + hash_floor(self.len);
        }
        // The number of keys that sets this many bits in the mean, since a merge counts some twice.
        let clear = (-1.0 / self.params.bits as f64).ln_1p() * f64::from(self.params.probes);
        let keys = ((-fill).ln_1p() / clear).min(self.len as f64);
        rate + (1.0 - rate) * hash_floor(keys as u64)
    }

    fn load_factor(&self) -> f64 {
        match self.fill() {
            share if has(Fault::LoadInPercent) => share * 100.0,
            share => share,
        }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::of(self);
        stats.len -= u64::from(has(Fault::StatsOfOneKeyFewer) && stats.len > 0);
        stats
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.all_set(hash, self.probes()) && !(has(Fault::NoPlanNoKeys) && self.capacity == 0)
    }

    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        if !has(Fault::LengthsNotCompared) {
            LengthMismatch::check(hashes.len(), answers.len())?;
        }
        let probes = self.probes() - u32::from(has(Fault::BatchAsksOneProbeFewer));
        let skip = usize::from(has(Fault::BatchSkipsItsLastKey) && hashes.len() % 2 == 1);
        for (&hash, answer) in hashes.iter().zip(answers).take(hashes.len() - skip) {
            *answer = self.all_set(hash, probes);
        }
        Ok(())
    }
}

impl InsertFilter for Bloom {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let new = !self.contains_hash(hash);
        self.set(hash);
        if has(Fault::RefusedInsertDone) && zeroed::<u64>(1).is_err() {
            return Err(InsertError::OutOfMemory { bytes: 8 });
        }
        self.len += u64::from(new || has(Fault::CountsRepeats));
        if has(Fault::GrowsWithEveryInsert) && !new {
            self.words.push(0);
        }
        Ok(Inserted::from_change((new || has(Fault::AlwaysNew)) && !has(Fault::NeverNew)))
    }

    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, amq_core::BatchInsertError> {
        let skip = has(Fault::BatchInsertSkipsItsLastKey) && hashes.len() % 32 == 31;
        let mut new = 0;
        for &hash in &hashes[..hashes.len() - usize::from(skip)] {
            new += u64::from(self.insert_hash(hash).is_ok_and(Inserted::is_new));
        }
        Ok(new)
    }

    fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, amq_core::BatchInsertError> {
        if !has(Fault::NewInABatchWithoutRoom) {
            amq_core::BatchInsertError::check_length(hashes.len(), new.len())?;
        }
        let before = self.clone();
        let mut count = 0;
        for (new, &hash) in new.iter_mut().zip(hashes) {
            *new = self.insert_hash(hash).is_ok_and(Inserted::is_new);
            if has(Fault::NewInABatchTwice) {
                *new = !before.contains_hash(hash);
            }
            count += u64::from(*new);
        }
        Ok(count)
    }
}

impl ClearFilter for Bloom {
    fn clear(&mut self) {
        let kept = usize::from(has(Fault::ClearKeepsAWord));
        self.words[kept..].fill(0);
        if !has(Fault::ClearKeepsTheCount) {
            self.len = 0;
        }
    }
}

impl PlanFilter for Bloom {
    type Params = Params;

    fn plan(goal: Goal) -> Result<Plan<Params>, PlanError> {
        goal.plan_by(Self::planned).map_err(|error| match error {
            PlanError::FewKeys { bits_per_key, keys, least } => PlanError::FewKeys {
                bits_per_key,
                keys,
                least: least + u64::from(has(Fault::LeastNumberTooHigh)),
            },
            error => error,
        })
    }

    fn plan_params(params: Params, keys: u64) -> Result<Plan<Params>, PlanError> {
        params.check()?;
        Ok(Plan::new(params, keys)
            .with_bytes(params.bits / 8)
            .with_expected_fpr(Self::predicted_fpr(&params, keys).mean))
    }

    fn predicted_fpr(params: &Params, keys: u64) -> PredictedFpr {
        let throws = keys.saturating_mul(params.probes.into());
        if has(Fault::FolkloreRate) {
            let (fill, _) = theory::fill(params.bits as f64, throws as f64);
            return PredictedFpr { mean: fill.powi(params.probes as i32), sd: 0.0 };
        }
        if keys == 0 {
            return PredictedFpr { mean: 0.0, sd: 0.0 };
        }
        let (mean, square) = theory::fill_moments(params.bits, throws, params.probes);
        let sd = (square - mean * mean).max(0.0).sqrt();
        let (mean, floor) = (mean.min(1.0), hash_floor(keys));
        PredictedFpr {
            mean: if has(Fault::PredictsMoreThanOne) {
                mean + floor
            } else {
                mean + (1.0 - mean) * floor
            },
            sd: match sd {
                _ if has(Fault::SpreadDenied) => 0.0,
                sd if has(Fault::SpreadOverstated) => 3.0 * sd,
                sd => sd,
            },
        }
    }

    fn params(&self) -> Params {
        self.params
    }
}

impl Bloom {
    fn planned(goal: Goal) -> Result<Plan<Params>, PlanError> {
        if has(Fault::PlanAllocates) {
            std::hint::black_box(Vec::<u8>::with_capacity(1));
        }
        let asked = goal;
        let mut goal = goal;
        if has(Fault::PlanNamesAnotherGoal) {
            goal.keys = goal.keys.max(4) - 3;
        }
        if let (Budget::Fpr(fpr), true) = (goal.budget, has(Fault::PlanAcceptsAnything)) {
            goal.budget = Budget::Fpr(if fpr >= 1.0 { 0.99 } else { fpr });
        }
        if has(Fault::PlanRefusesNoKeys) && goal.keys == 0 {
            return Err(PlanError::Keys { keys: 0, min: 1, max: u64::MAX });
        }
        let goal = goal.checked()?;
        let params = match goal.budget {
            Budget::Fpr(fpr) => Self::smallest(goal.keys, fpr)?,
            _ => Self::within(goal.keys, goal.max_bits())?,
        };
        let fewer = has(Fault::SizesFall) && asked.keys.is_multiple_of(2);
        Ok(Plan::new(params, asked.keys.max(1))
            .with_bytes(params.bits / if fewer { 16 } else { 8 })
            // Besides the table, the hashes of the keys.
            .with_build_bytes((params.bits / 8).saturating_add(goal.keys.saturating_mul(8)))
            .with_expected_fpr(Self::predicted_fpr(&params, goal.keys).mean))
    }
}

/// The most whole words whose bits a `u64` can count.
const MAX_BITS: u64 = u64::MAX / 64 * 64;

impl Bloom {
    /// The fewest words for the rate, at the textbook number of probes.
    fn smallest(keys: u64, fpr: f64) -> Result<Params, PlanError> {
        let probes = (-fpr.log2()).round().clamp(1.0, 64.0) as u32;
        let k = f64::from(probes);
        let left = (fpr - hash_floor(keys)) / (1.0 - hash_floor(keys));
        let least = -k / (-left.powf(1.0 / k)).ln_1p() * keys as f64;
        if least > MAX_BITS as f64 {
            return Err(PlanError::TooLarge { bytes: least / 8.0, max_bytes: MAX_BITS / 8 });
        }
        let mut params = Params { bits: ((least as u64) / 64).max(1) * 64, probes };
        if has(Fault::PlanUnderRate) {
            params.bits = (params.bits / 64 * 9 / 10).max(1) * 64;
            return Ok(params);
        }
        if has(Fault::PlanWordByWord) {
            // Searches word by word from the first; cut short, or the test would not end.
            let words = (params.bits / 64).min(1 << 20);
            (0..words).for_each(|_| step(1));
        }
        while Self::predicted_fpr(&params, keys).mean > fpr {
            step(2);
            params.bits += (params.bits >> 20).max(1) / 64 * 64 + 64;
            if params.bits >= MAX_BITS / 2 {
                return Err(PlanError::TooLarge {
                    bytes: MAX_BITS as f64 / 8.0,
                    max_bytes: MAX_BITS / 8,
                });
            }
        }
        Ok(params)
    }

    /// All the words within `bits` bits, up to two for each key, at the textbook number of probes.
    fn within(keys: u64, bits: u64) -> Result<Params, PlanError> {
        let bits = match has(Fault::PlanTakesAll) {
            true => bits,
            false => bits.min(keys.saturating_mul(128)),
        };
        let words = bits / 64 + u64::from(has(Fault::PlanOverBudget));
        let min = 8 - u64::from(has(Fault::LeastSizeUnderstated));
        match words {
            0 => Err(PlanError::Bytes { bytes: bits / 8, min }),
            words if words > MAX_BITS / 64 => {
                Err(PlanError::TooLarge { bytes: words as f64 * 8.0, max_bytes: MAX_BITS / 8 })
            }
            words => {
                let bits = words * 64;
                let best = bits as f64 / keys as f64 * core::f64::consts::LN_2;
                let floor = (best as u32).clamp(1, 63);
                let [low, high] = [floor, floor + 1].map(|probes| Params { bits, probes });
                let rate = |params| Self::predicted_fpr(params, keys).mean;
                Ok(if rate(&low) <= rate(&high) { low } else { high })
            }
        }
    }
}

impl EmptyFilter for Bloom {
    fn empty(target: impl Into<Target<Params>>, seed: u64) -> Result<Self, BuildError> {
        let target = target.into();
        let larger = has(Fault::LargerByGoal) && matches!(target, Target::Goal(_));
        let plan = target.plan::<Self>()?;
        let mut params = plan.params;
        params.bits += 64 * u64::from(larger);
        if !has(Fault::PlanIsTrusted) {
            params.check()?;
        }
        let copies = if has(Fault::CopiesUnplanned) { 2 * plan.keys } else { 0 };
        std::hint::black_box(zeroed::<KeyHash>(copies)?);
        Ok(Self {
            words: zeroed(params.bits.div_ceil(64)).map_err(|error| {
                let planned = plan.keys;
                match has(Fault::SizeRefusedAsKeys) {
                    true => BuildError::TooManyKeys { planned },
                    false => error,
                }
            })?,
            params,
            seed,
            capacity: plan.keys,
            len: 0,
        })
    }
}

impl BuildFilter for Bloom {
    fn build_hashes(
        target: impl Into<BuildTarget<Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let keys = hashes.len() as u64;
        let mut target = target.into();
        if let (BuildTarget::Budget(budget), true) = (target, hashes.is_empty())
            && !has(Fault::NoKeyTakesRoom)
        {
            // One word, whatever the budget.
            Goal::new(0, budget).checked()?;
            target = BuildTarget::Budget(Budget::Bytes(8));
        }
        let plan = match target {
            BuildTarget::Target(target) if has(Fault::BuildTakesMore) => target.plan::<Self>()?,
            BuildTarget::Target(Target::Plan(plan)) if has(Fault::BuildPlansAnew) => {
                Self::plan(Goal::new(keys, Budget::Fpr(plan.expected_fpr)))?
            }
            target => target.plan::<Self>(keys)?,
        };
        if has(Fault::BuildRefusesTheLast) && keys == plan.keys {
            return Err(BuildError::TooManyKeys { planned: keys });
        }
        let mut hashes = hashes;
        let mut copy: Vec<KeyHash> = Vec::new();
        if has(Fault::AbortsWithoutMemory) {
            copy.extend_from_slice(hashes);
        } else if has(Fault::BuildsWithoutMemory) && copy.try_reserve(1).is_err() {
            hashes = &[];
        }
        let mut filter = Self::empty(plan, seed)?;
        if has(Fault::BuildOverBudget) && seed % 16 == 5 {
            filter.words.push(0);
        }
        if has(Fault::LosesRepeatedKeys) {
            let alone = hashes.chunk_by(|one, next| one == next).filter(|same| same.len() == 1);
            copy = alone.flatten().copied().collect();
            hashes = &copy;
        }
        let lost = usize::from(has(Fault::LosesTheLastOf64) && hashes.len().is_multiple_of(64));
        filter.insert_batch(&hashes[..hashes.len() - lost.min(hashes.len())])?;
        if has(Fault::BuildCountsTwice) {
            filter.len *= 2;
        }
        Ok(filter)
    }

    fn build_keys<K: Key>(
        target: impl Into<BuildTarget<Params>>,
        seed: u64,
        keys: &[K],
    ) -> Result<Self, BuildError> {
        if has(Fault::CountsOnTheSameHashes) {
            // Sixteen parts, counted before filling.
            let part = |key: &K| (key.key_hash(seed).get() >> 60) as usize;
            let mut parts = [const { Vec::new() }; 16];
            keys.iter().for_each(|key| parts[part(key)].push(seed));
            let mut next = [0; 16];
            for key in keys {
                parts[part(key)][next[part(key)]] = key.key_hash(seed).get();
                next[part(key)] += 1;
            }
        }
        let under = if has(Fault::KeysUnderNoSeed) { 0 } else { seed };
        let hashes = || keys.iter().map(|key| key.key_hash(under));
        let mut own = zeroed(keys.len() as u64)?;
        own.iter_mut().zip(hashes()).for_each(|(own, hash)| *own = hash);
        Self::build_hashes(target, seed, &own)
    }
}

impl MergeFilter for Bloom {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        if has(Fault::CanMergeAnything) {
            return Ok(());
        }
        self.mergeable(other)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if has(Fault::MergeBeforeCheck) {
            self.words[0] |= other.words[0];
        }
        self.mergeable(other)?;
        if has(Fault::RefusedMergeHalfDone) {
            self.len += 1;
            let scratch: Result<Vec<u64>, _> = zeroed(1);
            scratch.map_err(|_| MergeError::Insert(InsertError::OutOfMemory { bytes: 8 }))?;
            self.len -= 1;
        }
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            if has(Fault::MergeIntersects) {
                *word &= theirs;
            } else {
                *word |= theirs;
            }
        }
        if !has(Fault::MergeKeepsItsCount) {
            self.len = self.len.saturating_add(other.len);
        }
        if has(Fault::MergeAddsCapacities) {
            self.capacity = self.capacity.saturating_add(other.capacity);
        }
        Ok(())
    }
}

impl Bloom {
    fn mergeable(&self, other: &Self) -> Result<(), MergeError> {
        if !has(Fault::MergeIgnoresGeometry) {
            let bits = if has(Fault::MergeNamesNothing) { "seed" } else { "bits" };
            MergeError::check(bits, self.params.bits, other.params.bits)?;
            MergeError::check("probes", self.params.probes.into(), other.params.probes.into())?;
        }
        if !has(Fault::MergeIgnoresSeed) {
            MergeError::check_seeds(self.seed, other.seed)?;
        }
        Ok(())
    }
}
