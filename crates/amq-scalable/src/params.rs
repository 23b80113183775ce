//! The growth parameters: the capacity and the rate of each stage.

use crate::rates::{absorbed, compound};
use amq_core::{Budget, Goal, InsertError, PlanError};

/// The largest growth factor. The paper uses 2 or 4, and RedisBloom 2 by default; with larger
/// factors a new stage stays mostly empty for long. The limit also bounds what a forged file, which
/// contains the factor, can make an insert allocate.
pub const MAX_GROWTH: u32 = 64;

/// The growth parameters of a scalable filter.
///
/// ```
/// use amq_scalable::{PlanFilter, ScalableBloomFilter, ScalableParams};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Starts with room for 1,000 keys and grows without end, at 1 % in all.
/// let open = ScalableParams::new(1_000, 0.01);
/// // If there will never be more than a million keys, it takes three tenths less space.
/// let bounded = ScalableParams::new(1_000, 0.01).with_growth(4).with_max_keys(1_000_000);
///
/// // What either takes once it holds a million keys.
/// let [open, bounded] = [open, bounded].map(|params| {
///     ScalableBloomFilter::plan_params(params, 1_000_000)
/// });
/// assert!(bounded?.bytes * 10 < open?.bytes * 7);
///
/// let mut seen = ScalableBloomFilter::new(bounded?)?;
/// seen.insert("https://example.org/")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ScalableParams {
    /// Number of keys of the first stage, 1 or more.
    pub initial: u64,
    /// The **compound** false-positive rate of all stages together, at any time while the filter
    /// grows.
    pub fpr: f64,
    /// The ratio of each stage's capacity to that of the one before, 2 to [`MAX_GROWTH`]. Default:
    /// 2.
    pub growth: u32,
    /// Without a bound: the ratio of each stage's rate to that of the one before, strictly between
    /// 0 and 1 - 1/1024. Default: 0.85, which with a growth of 2 is within 1 % of the least space.
    pub tightening: f64,
    /// The largest number of keys, if known. The stages then share the rate in proportion to their
    /// capacities, which needs far less space than tightening. Further keys are refused.
    pub max_keys: Option<u64>,
    /// The largest size in bytes. A stage that would exceed it is cut to the remaining bytes, and
    /// is the last. Default: no limit.
    pub max_bytes: u64,
    /// The largest number of stages. Default: 64.
    pub max_stages: u32,
}

amq_core::parameters!(ScalableParams {
    initial: "keys",
    fpr: "rate",
    growth: "ratio",
    tightening: "ratio",
    max_keys: "keys",
    max_bytes: "bytes" = (*max_bytes < u64::MAX).then_some(*max_bytes),
    max_stages: "stages",
});

impl ScalableParams {
    /// Starts with room for `initial` keys (0 counts as 1) and grows without limit, at a compound
    /// rate of at most `fpr`. Does not check the ranges.
    pub const fn new(initial: u64, fpr: f64) -> Self {
        Self {
            initial: if initial == 0 { 1 } else { initial },
            fpr,
            growth: 2,
            tightening: 0.85,
            max_keys: None,
            max_bytes: u64::MAX,
            max_stages: 64,
        }
    }

    /// Sets the growth factor.
    #[must_use]
    pub const fn with_growth(mut self, growth: u32) -> Self {
        self.growth = growth;
        self
    }

    /// Sets the tightening ratio.
    #[must_use]
    pub const fn with_tightening(mut self, tightening: f64) -> Self {
        self.tightening = tightening;
        self
    }

    /// Sets a bound on the number of keys.
    #[must_use]
    pub const fn with_max_keys(mut self, max_keys: u64) -> Self {
        self.max_keys = Some(max_keys);
        self
    }

    /// Sets a limit on the size in bytes.
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets a limit on the number of stages.
    #[must_use]
    pub const fn with_max_stages(mut self, max_stages: u32) -> Self {
        self.max_stages = max_stages;
        self
    }

    /// Checks the ranges; allocates nothing.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("initial", self.initial, 1, u64::MAX)?;
        PlanError::check_parameter("growth", self.growth.into(), 2, MAX_GROWTH.into())?;
        PlanError::check_share("tightening", self.tightening, 1.0)?;
        PlanError::check_parameter("max_stages", self.max_stages.into(), 1, 1 << 16)?;
        if let Some(max) = self.max_keys {
            PlanError::check_parameter("max_keys", max, self.initial, u64::MAX)?;
        }
        Goal::new(self.initial, Budget::Fpr(self.fpr)).checked().map(drop)
    }

    /// The capacity and the rate of stage `index`, counted from 0; an error if there is none. A
    /// limit on bytes may cut it. A growth of 0 or 1, which [`check`](Self::check) refuses, gives a
    /// single stage.
    pub fn stage(&self, index: u32) -> Result<StageGoal, InsertError> {
        Ok(self.stage_and_rest(index)?.0)
    }

    /// Whether stages with these rates keep the compound rate, up to rounding.
    pub(crate) fn allows(&self, rates: impl Iterator<Item = f64>) -> bool {
        compound(rates) <= self.fpr * (1.0 + 1e-9)
    }

    /// The error at the limit on bytes.
    pub(crate) const fn too_many_bytes(&self) -> InsertError {
        InsertError::Limit { what: "bytes", limit: self.max_bytes }
    }

    /// The goal of stage `index`, and the remaining keys and rate of it and all later stages
    /// together.
    pub(crate) fn stage_and_rest(&self, index: u32) -> Result<(StageGoal, StageGoal), InsertError> {
        let limit = |what, limit| Err(InsertError::Limit { what, limit });
        if index > 0 && (self.growth < 2 || self.initial == 0) {
            return limit("stages", 1);
        }
        if index >= self.max_stages {
            return limit("stages", self.max_stages.into());
        }
        let mut before = 0u64;
        let mut capacity = self.initial;
        for _ in 0..index {
            let next = capacity.checked_mul(self.growth.into());
            let (Some(next), Some(sum)) = (next, before.checked_add(capacity)) else {
                return limit("keys", u64::MAX);
            };
            (before, capacity) = (sum, next);
        }
        match self.max_keys {
            Some(max) if before >= max => limit("keys", max),
            Some(max) => {
                let share =
                    |capacity| StageGoal::new(capacity, self.fpr * (capacity as f64 / max as f64));
                let left = max - before;
                Ok((share(capacity.min(left)), share(left)))
            }
            None => {
                let power = libm::pow(self.tightening, f64::from(index));
                let stage = StageGoal::new(capacity, self.fpr * (1.0 - self.tightening) * power);
                Ok((stage, StageGoal::new(u64::MAX, self.fpr * power)))
            }
        }
    }
}

/// The goal of one stage.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct StageGoal {
    /// Number of inserts that set a bit, after which the stage is full.
    pub capacity: u64,
    /// The stage's rate when full.
    pub fpr: f64,
    /// Whether it was cut to the remaining bytes, so that no stage follows it.
    pub(crate) cut: bool,
}

impl StageGoal {
    /// A stage for `capacity` keys, with a rate of `fpr` when full.
    pub const fn new(capacity: u64, fpr: f64) -> Self {
        let cut = false;
        Self { capacity, fpr, cut }
    }

    /// The number of distinct keys a stage sees until it is full. Some of them find all their bits
    /// set and are not counted.
    #[must_use]
    pub fn distinct(&self) -> f64 {
        self.capacity as f64 * (1.0 + absorbed(self.fpr))
    }

    /// The goal of the stage's filter.
    #[must_use]
    pub fn goal(&self) -> Goal {
        Goal::new(libm::ceil(self.distinct()) as u64, Budget::Fpr(self.fpr))
    }
}
