//! A static filter of a third party: the same set, built from all keys at once.

use crate::fingerprints::{Fingerprints, Params};
use amq_core::*;

amq_conformance::suite!(laws_of_static: Frozen => [build]);

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Frozen(Fingerprints);

#[rustfmt::skip]
impl Filter for Frozen {
    fn kind(&self) -> FilterKind { FilterKind::Other("frozen set of fingerprints") }
    fn seed(&self) -> u64 { self.0.seed() }
    fn len(&self) -> u64 { self.0.len() }
    fn capacity(&self) -> u64 { self.0.capacity() }
    fn size_in_bytes(&self) -> u64 { self.0.size_in_bytes() }
    fn load_factor(&self) -> f64 { self.0.load_factor() }
    fn expected_fpr(&self) -> f64 { self.0.expected_fpr() }
    fn contains_hash(&self, hash: KeyHash) -> bool { self.0.contains_hash(hash) }
}

#[rustfmt::skip]
impl PlanFilter for Frozen {
    type Params = Params;

    fn plan(goal: Goal) -> Result<Plan<Params>, PlanError> { Fingerprints::plan(goal) }
    fn plan_params(params: Params, keys: u64) -> Result<Plan<Params>, PlanError> {
        Fingerprints::plan_params(params, keys)
    }
    fn predicted_fpr(params: &Params, keys: u64) -> PredictedFpr {
        Fingerprints::predicted_fpr(params, keys)
    }
    fn params(&self) -> Params { self.0.params() }
}

impl BuildFilter for Frozen {
    fn build_hashes(
        target: impl Into<BuildTarget<Params>>,
        seed: u64,
        hashes: &[KeyHash],
    ) -> Result<Self, BuildError> {
        let plan = match target.into() {
            // A filter of no keys fits every valid budget.
            BuildTarget::Budget(budget) if hashes.is_empty() => {
                Goal::new(0, budget).checked()?;
                Self::plan_params(Params { keys: 1, bits: 0 }, 0)?
            }
            target => target.plan::<Self>(hashes.len() as u64)?,
        };
        let mut filter = Fingerprints::empty(plan, seed)?;
        filter.insert_batch(hashes)?;
        Ok(Self(filter))
    }
}
