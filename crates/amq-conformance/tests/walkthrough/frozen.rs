//! A static filter of a third party: the partitioned Bloom filter, of keys that are known at once.

use crate::filter::{Params, Partitioned};
use amq_core::{
    BuildError, BuildFilter, BuildTarget, Filter, FilterKind, Goal, KeyHash, Plan, PlanError,
    PlanFilter, PredictedFpr,
};

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Frozen(Partitioned);

impl Filter for Frozen {
    fn kind(&self) -> FilterKind {
        FilterKind::Other("frozen partitioned Bloom")
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
        self.0.size_in_bytes()
    }

    fn expected_fpr(&self) -> f64 {
        self.0.expected_fpr()
    }

    fn load_factor(&self) -> f64 {
        self.0.load_factor()
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.0.contains_hash(hash)
    }
}

impl PlanFilter for Frozen {
    type Params = Params;

    fn plan(goal: Goal) -> Result<Plan<Params>, PlanError> {
        Partitioned::plan(goal)
    }

    fn plan_params(params: Params, keys: u64) -> Result<Plan<Params>, PlanError> {
        Partitioned::plan_params(params, keys)
    }

    fn predicted_fpr(params: &Params, keys: u64) -> PredictedFpr {
        Partitioned::predicted_fpr(params, keys)
    }

    fn params(&self) -> Params {
        self.0.params()
    }
}

impl BuildFilter for Frozen {
    fn build_hashes(
        target: impl Into<BuildTarget<Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let target = match target.into() {
            // No keys take next to no space, which is within any budget that is one.
            BuildTarget::Budget(budget) if hashes.is_empty() => {
                Goal::new(0, budget).checked()?;
                Self::plan_params(Params { slice: 2, slices: 1 }, 0)?.into()
            }
            target => target,
        };
        Partitioned::build_hashes(target, seed, hashes).map(Self)
    }
}
