//! A filter of a third party and its tests, with one `use`: a set of fingerprints, which stands in
//! a `HashSet` here, where a real filter would pack it.

use amq_core::*;

amq_conformance::suite!(
    laws: Fingerprints => [empty],
    out_of_range [Params { keys: 0, bits: 1 }, Params { keys: 8, bits: 60 }]
);

#[derive(Clone, PartialEq)]
pub(crate) struct Fingerprints {
    set: std::collections::HashSet<u64>,
    params: Params,
    seed: u64,
}

/// A key's fingerprint is one of `keys << bits`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Params {
    pub(crate) keys: u64,
    pub(crate) bits: u64,
}

const MOST_BITS: u64 = 23;

impl Params {
    fn check(self) -> Result<(), PlanError> {
        PlanError::check_parameter("keys", self.keys, 1, 1 << 40)?;
        PlanError::check_parameter("bits", self.bits, 0, MOST_BITS)
    }

    /// A packed set takes two bits a key beyond the fingerprint's own.
    fn bytes(self) -> u64 {
        (self.keys * (self.bits + 2)).div_ceil(8)
    }

    fn fingerprint(self, hash: KeyHash) -> u64 {
        index::index(hash.get(), self.keys << self.bits)
    }

    fn rate(self, keys: u64) -> PredictedFpr {
        match self.check() {
            Ok(()) => numeric::occupied_share((self.keys << self.bits) as f64, keys),
            Err(_) => PredictedFpr { mean: f64::NAN, sd: f64::NAN },
        }
    }

    fn for_goal(goal: Goal) -> Result<Self, PlanError> {
        let goal = goal.checked()?;
        let (keys, bytes) = (goal.keys, goal.max_bits() / 8);
        let (least, most) = (Self { keys, bits: 0 }, Self { keys, bits: MOST_BITS });
        least.check()?;
        let mut all = (0..=MOST_BITS).map(|bits| Self { keys, bits });
        if let Budget::Fpr(fpr) = goal.budget {
            let lowest = most.rate(keys).mean;
            let best = all.find(|params| params.rate(keys).mean <= fpr);
            return best.ok_or(PlanError::FprUnreachable { fpr, lowest, keys });
        }
        let best = all.rfind(|params| params.bytes() <= bytes);
        best.ok_or(PlanError::Bytes { bytes, min: least.bytes() })
    }
}

#[rustfmt::skip]
impl Filter for Fingerprints {
    fn kind(&self) -> FilterKind { FilterKind::Other("set of fingerprints") }
    fn seed(&self) -> u64 { self.seed }
    fn len(&self) -> u64 { self.set.len() as u64 }
    fn capacity(&self) -> u64 { self.params.keys }
    fn size_in_bytes(&self) -> u64 { self.params.bytes() }
    fn load_factor(&self) -> f64 { (self.len() as f64 / self.params.keys as f64).min(1.0) }
    fn expected_fpr(&self) -> f64 { self.len() as f64 / (self.params.keys << self.params.bits) as f64 }
    fn contains_hash(&self, hash: KeyHash) -> bool { self.set.contains(&self.params.fingerprint(hash)) }
}

impl InsertFilter for Fingerprints {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        Ok(Inserted::from_change(self.set.insert(self.params.fingerprint(hash))))
    }
}

impl ClearFilter for Fingerprints {
    fn clear(&mut self) {
        self.set.clear();
    }
}

impl PlanFilter for Fingerprints {
    type Params = Params;

    fn plan(goal: Goal) -> Result<Plan<Params>, PlanError> {
        goal.plan_by(|goal| Self::plan_params(Params::for_goal(goal)?, goal.keys.max(1)))
    }
    fn plan_params(params: Params, keys: u64) -> Result<Plan<Params>, PlanError> {
        params.check()?;
        let plan = Plan::new(params, keys).with_bytes(params.bytes());
        // Built at once, it is filled from the hashes of the keys.
        let plan = plan.with_build_bytes(plan.bytes.saturating_add(keys.saturating_mul(8)));
        Ok(plan.with_expected_fpr(params.rate(keys).mean))
    }
    fn predicted_fpr(params: &Params, keys: u64) -> PredictedFpr {
        params.rate(keys)
    }
    fn params(&self) -> Params {
        self.params
    }
}

impl EmptyFilter for Fingerprints {
    fn empty(target: impl Into<Target<Params>>, seed: u64) -> Result<Self, BuildError> {
        let params = target.into().plan::<Self>()?.params;
        params.check()?;
        Ok(Self { set: Default::default(), params, seed })
    }
}

impl std::fmt::Debug for Fingerprints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fingerprints").field("params", &self.params).finish_non_exhaustive()
    }
}
