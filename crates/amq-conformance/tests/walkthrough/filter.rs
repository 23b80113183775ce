//! A filter of a third party: a partitioned Bloom filter. Each of k hashes has a slice of the table
//! to itself, and sets one of its bits.

use amq_core::{
    Budget, BuildError, BuildFilter, BuildTarget, ClearFilter, EmptyFilter, Filter, FilterKind,
    Goal, InsertError, InsertFilter, Inserted, KeyHash, MergeError, MergeFilter, Plan, PlanError,
    PlanFilter, PredictedFpr, Target,
};
use std::fmt;

#[derive(Clone, PartialEq)]
pub(crate) struct Partitioned {
    words: Vec<u64>,
    params: Params,
    seed: u64,
    capacity: u64,
    len: u64,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Params {
    /// Bits of a slice.
    pub(crate) slice: u64,
    /// The number of slices.
    pub(crate) slices: u64,
}

/// The rate of 64-bit hashes that are equal.
fn floor(keys: f64) -> f64 {
    (keys / 2f64.powi(64)).min(1.0)
}

impl Params {
    fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("slices", self.slices, 1, 64)?;
        PlanError::check_parameter("slice", self.slice, 2, 1 << 57)
    }

    fn words(&self) -> u64 {
        (self.slice * self.slices).div_ceil(64)
    }

    /// Mean and variance of the share of a slice that is set after so many keys: all slices are
    /// alike, and independent.
    fn fill(&self, keys: f64) -> (f64, f64) {
        let (one, s) = (-1.0 / self.slice as f64, self.slice as f64);
        let mean = -(keys * one.ln_1p()).exp_m1();
        let both = 1.0 - 2.0 * (1.0 - mean) + (keys * (2.0 * one).ln_1p()).exp();
        (mean, (mean / s + (1.0 + one) * both - mean * mean).max(0.0))
    }

    fn rate(&self, keys: u64) -> PredictedFpr {
        if self.check().is_err() {
            return PredictedFpr { mean: f64::NAN, sd: f64::NAN };
        }
        let ((fill, variance), k) = (self.fill(keys as f64), self.slices as f64);
        let rate = fill.powf(k);
        let relative =
            if keys == 0 { 0.0 } else { (k * (variance / fill / fill).ln_1p()).exp_m1() };
        PredictedFpr {
            mean: rate + (1.0 - rate) * floor(keys as f64),
            sd: (rate * relative.sqrt()).min(0.5),
        }
    }

    /// The smallest slices that meet a rate.
    fn for_rate(slices: u64, keys: f64, fpr: f64) -> Self {
        // By what the rate and a slice's fill lack to 1: near it, only that is exact.
        let lack = (1.0 - fpr) / (1.0 - floor(keys));
        let clear = -((-lack).ln_1p() / slices as f64).exp_m1();
        let slice = -1.0 / (clear.ln() / keys).exp_m1();
        // Rounded up, and up again, since logarithms round.
        Self { slice: ((slice * (1.0 + 1e-12)) as u64).saturating_add(2), slices }
    }

    fn for_goal(goal: Goal) -> Result<Self, PlanError> {
        let goal = goal.checked()?;
        let (keys, numbers) = (goal.keys as f64, 1..=64);
        // More than 256 bits a key are no use: a budget beyond that is left.
        let words = (goal.max_bits() / 64).min(goal.keys.saturating_mul(4).saturating_add(64));
        let rate = |params: &Self| params.rate(goal.keys).mean;
        let possible = |params: &Self| params.check().is_ok();
        let best = match goal.budget {
            Budget::Fpr(fpr) => {
                let all = numbers.map(|slices| Self::for_rate(slices, keys, fpr));
                all.filter(possible).min_by_key(Self::words)
            }
            _ => {
                let slice = |slices: u64| (words.saturating_mul(64) / slices).min(1 << 57);
                let all = numbers.map(|slices| Self { slice: slice(slices), slices });
                all.filter(possible).min_by(|one, other| rate(one).total_cmp(&rate(other)))
            }
        };
        best.ok_or(match goal.budget {
            Budget::Fpr(_) => PlanError::TooLarge { bytes: keys * 8.0, max_bytes: 1 << 54 },
            _ => PlanError::Bytes { bytes: goal.max_bits() / 8, min: 8 },
        })
    }
}

impl Partitioned {
    /// A key's bit in each slice.
    fn bits(&self, hash: KeyHash) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (Params { slice, slices }, mut state) = (self.params, hash.get());
        (0..slices).map(move |index| {
            // SplitMix64.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            let place = (u128::from(mixed ^ (mixed >> 31)) * u128::from(slice)) >> 64;
            let bit = index * slice + place as u64;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    /// The share of each slice that is set.
    fn fills(&self) -> Vec<f64> {
        let Params { slice, slices } = self.params;
        let set = |bit: u64| self.words[(bit / 64) as usize] >> (bit % 64) & 1;
        let ones = |index| (index * slice..(index + 1) * slice).map(set).sum::<u64>();
        (0..slices).map(|index| ones(index) as f64 / slice as f64).collect()
    }
}

impl fmt::Debug for Partitioned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitioned").field("params", &self.params).finish_non_exhaustive()
    }
}

impl Filter for Partitioned {
    fn kind(&self) -> FilterKind {
        FilterKind::Other("partitioned Bloom")
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }

    fn expected_fpr(&self) -> f64 {
        let fills = self.fills();
        let rate: f64 = fills.iter().product();
        // After a merge the length may count keys twice; the table tells how many there are.
        let fill = fills.iter().sum::<f64>() / fills.len() as f64;
        let keys = (-fill).ln_1p() / (-1.0 / self.params.slice as f64).ln_1p();
        rate + (1.0 - rate) * floor(keys.min(self.len as f64))
    }

    fn load_factor(&self) -> f64 {
        self.fills().iter().sum::<f64>() / self.params.slices as f64
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.bits(hash).all(|(word, bit)| self.words[word] & bit != 0)
    }
}

impl InsertFilter for Partitioned {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        let mut new = false;
        for (word, bit) in self.bits(hash) {
            new |= self.words[word] & bit == 0;
            self.words[word] |= bit;
        }
        self.len += u64::from(new);
        Ok(Inserted::from_change(new))
    }
}

impl ClearFilter for Partitioned {
    fn clear(&mut self) {
        self.words.fill(0);
        self.len = 0;
    }
}

impl PlanFilter for Partitioned {
    type Params = Params;

    fn plan(goal: Goal) -> Result<Plan<Params>, PlanError> {
        goal.plan_by(|goal| Self::plan_params(Params::for_goal(goal)?, goal.keys.max(1)))
    }

    fn plan_params(params: Params, keys: u64) -> Result<Plan<Params>, PlanError> {
        params.check()?;
        let bytes = params.words() * 8;
        Ok(Plan::new(params, keys)
            .with_bytes(bytes)
            // Built at once, it is filled from the hashes of the keys.
            .with_build_bytes(bytes.saturating_add(keys.saturating_mul(8)))
            .with_expected_fpr(params.rate(keys).mean))
    }

    fn predicted_fpr(params: &Params, keys: u64) -> PredictedFpr {
        params.rate(keys)
    }

    fn params(&self) -> Params {
        self.params
    }
}

impl EmptyFilter for Partitioned {
    fn empty(target: impl Into<Target<Params>>, seed: u64) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>()?;
        plan.params.check()?;
        let (count, mut words) = (plan.params.words(), Vec::new());
        let refused = words.try_reserve_exact(count as usize);
        refused.map_err(|_| BuildError::OutOfMemory { bytes: count * 8 })?;
        words.resize(count as usize, 0);
        Ok(Self { words, params: plan.params, seed, capacity: plan.keys, len: 0 })
    }
}

impl BuildFilter for Partitioned {
    fn build_hashes(
        target: impl Into<BuildTarget<Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let plan = target.into().plan::<Self>(hashes.len() as u64)?;
        let mut filter = Self::empty(plan, seed)?;
        filter.insert_batch(hashes)?;
        Ok(filter)
    }
}

impl MergeFilter for Partitioned {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check_seeds(self.seed, other.seed)?;
        MergeError::check("slices", self.params.slices, other.params.slices)?;
        MergeError::check("slice", self.params.slice, other.params.slice)
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word |= theirs;
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }
}
