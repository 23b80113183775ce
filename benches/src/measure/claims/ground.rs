//! What claims are settled with, and by what.

use crate::contenders::{Built, Order, Planned, named};
use crate::keys::Keys;
use crate::measure::verify::build;
use crate::record::Verdict;
use amq_core::Budget;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// What settles a claim: the computed figure, the measured one, the verdict that follows from them,
/// and what is true instead, or when.
pub(super) type Settled = (Option<f64>, Option<f64>, Verdict, String);

/// Filters and keys to measure claims with.
pub(super) struct Ground {
    /// As many keys as a filter is planned for, and four times as many to overfill it.
    pub(super) present: Vec<u64>,
    pub(super) absent: Vec<u64>,
    pub(super) keys: usize,
    pub(super) seed: u64,
}

impl Ground {
    /// Random keys: distinct, but for one chance in millions.
    pub(super) fn new(keys: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xC1A1);
        let mut random = |n: usize| (0..n).map(|_| rng.next_u64()).collect();
        Self { present: random(5 * keys), absent: random(5 * keys), keys, seed }
    }

    pub(super) fn planned(&self) -> &[u64] {
        &self.present[..self.keys]
    }

    pub(super) fn filter(&self, name: &str, budget: Budget) -> Option<Box<dyn Built>> {
        let order = Order { planned: Planned::Keys, budget: Some(budget), seed: self.seed };
        build(named(name)?, Keys::U64(self.planned()), &order).ok()
    }

    pub(super) fn rate(&self, filter: &dyn Built) -> f64 {
        filter.count_hits(Keys::U64(&self.absent)) as f64 / self.absent.len() as f64
    }

    /// Bits per key that a contender's filter takes, and its measured rate.
    pub(super) fn point(&self, name: &str, budget: Budget) -> Option<(f64, f64)> {
        let filter = self.filter(name, budget)?;
        Some((filter.said_bytes()? as f64 * 8.0 / self.keys as f64, self.rate(&*filter)))
    }
}

pub(super) const fn holds(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::DoesNot }
}
