//! How a scalable filter grows: the capacity and the rate of each stage.

use crate::theory;
use amq_core::{Full, Goal, PlanError};

/// The largest growth factor.
pub const MAX_GROWTH: u32 = 1 << 16;

/// What determines how a scalable filter grows.
///
/// ```
/// use amq_scalable::ScalableParams;
///
/// // From 1,000 keys on, without end, 1 % in all.
/// let open = ScalableParams::new(1_000, 0.01);
/// // The same, when it is known that a million keys will never be exceeded: a third less space.
/// let bounded = ScalableParams::new(1_000, 0.01).growth(4).bounded(1_000_000);
/// # assert!(open.check().is_ok() && bounded.check().is_ok());
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScalableParams {
    /// Keys of the first stage, 1 or more.
    pub initial: u64,
    /// The **compound** false-positive rate, of all stages together, at every moment of growth.
    pub fpr: f64,
    /// How many times larger each stage is than the one before, 2 to [`MAX_GROWTH`]. Default 2.
    pub growth: u32,
    /// Without a bound: the rate of each stage over that of the one before, strictly between 0 and 1. Default 0.85, which
    /// at a growth of 2 is within a hundredth of the least space.
    pub tightening: f64,
    /// The most keys there will ever be, if that is known: the stages then share the rate in proportion to their
    /// capacities, which takes far less space than tightening. Inserts beyond are refused.
    pub max_items: Option<u64>,
    /// The most bytes; growth beyond is refused. Default: no limit.
    pub max_bytes: u64,
    /// The most stages; growth beyond is refused. Default 64.
    pub max_stages: u32,
}

impl ScalableParams {
    /// For `initial` keys at first and as many as come later, at a compound rate of at most `fpr`.
    pub const fn new(initial: u64, fpr: f64) -> Self {
        Self {
            initial,
            fpr,
            growth: 2,
            tightening: 0.85,
            max_items: None,
            max_bytes: u64::MAX,
            max_stages: 64,
        }
    }

    /// With another growth factor.
    #[must_use]
    pub const fn growth(self, growth: u32) -> Self {
        Self { growth, ..self }
    }

    /// With another tightening ratio.
    #[must_use]
    pub const fn tightening(self, tightening: f64) -> Self {
        Self { tightening, ..self }
    }

    /// With a bound on the number of keys.
    #[must_use]
    pub const fn bounded(self, max_items: u64) -> Self {
        Self {
            max_items: Some(max_items),
            ..self
        }
    }

    /// With a limit to the bytes.
    #[must_use]
    pub const fn max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// With a limit to the stages.
    #[must_use]
    pub const fn max_stages(self, max_stages: u32) -> Self {
        Self { max_stages, ..self }
    }

    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        Goal::fpr(self.initial, self.fpr).check(1)?;
        PlanError::check_parameter("growth", self.growth.into(), 2, MAX_GROWTH.into())?;
        PlanError::check_share("tightening", self.tightening)?;
        PlanError::check_parameter("max_stages", self.max_stages.into(), 1, 1 << 16)?;
        match self.max_items {
            Some(max) => PlanError::check_parameter("max_items", max, self.initial, u64::MAX),
            None => Ok(()),
        }
    }

    /// The capacity and the rate of a stage, counted from 0; why there is none, if there is none. Without growth, which
    /// [`check`](Self::check) refuses, there is one stage.
    pub fn stage(&self, index: u32) -> Result<StageGoal, Full> {
        let limit = |what, limit| Err(Full::Limit { what, limit });
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
                return limit("items", u64::MAX);
            };
            (before, capacity) = (sum, next);
        }
        let fpr = match self.max_items {
            Some(max) if before >= max => return limit("items", max),
            Some(max) => {
                capacity = capacity.min(max - before);
                self.fpr * (capacity as f64 / max as f64)
            }
            None => {
                self.fpr * (1.0 - self.tightening) * libm::pow(self.tightening, f64::from(index))
            }
        };
        Ok(StageGoal { capacity, fpr })
    }
}

/// What one stage is for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StageGoal {
    /// Inserts that set a bit, after which the stage is full.
    pub capacity: u64,
    /// Its own rate when it is full.
    pub fpr: f64,
}

impl StageGoal {
    /// The distinct keys that a stage sees until it is full: some of them find all their bits set, and do not count.
    pub fn distinct(&self) -> f64 {
        self.capacity as f64 * (1.0 + theory::absorbed(self.fpr))
    }

    /// What the stage's filter is planned for.
    pub fn goal(&self) -> Goal {
        Goal::fpr(libm::ceil(self.distinct()) as u64, self.fpr)
    }
}
