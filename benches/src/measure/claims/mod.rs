//! Claims that introductions repeat, each settled by formula and by measurement when a run is made.
//!
//! Sizes and rates are measured here, with filters of the run's number of keys; what needs times
//! comes from the run's rows. The verdict follows from the figures beside it.

mod bloom;
mod double_hashing;
mod families;
#[cfg(feature = "peers")]
mod md5;
mod timed;

use crate::record::{Claim, Row, Verdict};
use amq_bloom::theory::classic;
use amq_bloom::{BloomFilter, BloomParams};
use amq_core::{EmptyFilter, FilterExt, Goal, InsertFilter, PlanFilter};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// All claims. `keys` is how many keys the filters are measured with, and a fifth of how many
/// absent ones they are asked for; claims for whose times `rows` has no measurement are left out.
pub fn settled(rows: &[Row], keys: usize, seed: u64) -> Vec<Claim> {
    let ground = Ground::new(keys.max(1000), seed);
    // No plan of these is refused; a test ensures it.
    let made = [
        bloom::all(&ground),
        families::all(&ground),
        vec![double_hashing::settled(ground.seed)],
        #[cfg(feature = "peers")]
        md5::all(&ground),
    ];
    made.into_iter().flatten().chain(timed::all(rows)).collect()
}

/// Keys to measure with.
struct Ground {
    /// As many keys as a filter is planned for, and four times as many to overfill it.
    present: Vec<u64>,
    absent: Vec<u64>,
    keys: usize,
    seed: u64,
}

impl Ground {
    /// Random keys: distinct, but for one chance in millions.
    fn new(keys: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0xC1A1);
        let mut random = |n: usize| (0..n).map(|_| rng.next_u64()).collect();
        Self { present: random(5 * keys), absent: random(5 * keys), keys, seed }
    }

    fn planned(&self) -> &[u64] {
        &self.present[..self.keys]
    }

    /// The share of absent keys that are answered `true`.
    fn rate(&self, contains: impl Fn(&u64) -> bool) -> f64 {
        let hits = self.absent.iter().filter(|key| contains(key)).count();
        hits as f64 / self.absent.len() as f64
    }

    /// A filter of the planned keys.
    fn filled<F: EmptyFilter>(&self, goal: Goal) -> Option<F> {
        self.filled_by(F::plan(goal).ok()?.params)
    }

    fn filled_by<F: EmptyFilter>(&self, params: F::Params) -> Option<F> {
        let plan = F::plan_params(params, self.keys as u64).ok()?;
        let mut filter = F::empty(plan, self.seed).ok()?;
        filter.insert_keys(self.planned()).ok()?;
        Some(filter)
    }

    /// The measured rate of a classic filter with this many bits per key.
    fn bloom_rate(&self, bits_per_key: f64, probes: u32) -> Option<f64> {
        let bits = (self.keys as f64 * bits_per_key) as u64;
        let filter: BloomFilter = self.filled_by(BloomParams::new(bits, probes))?;
        Some(self.rate(|key| filter.contains(key)))
    }

    /// Bits per key that a filter takes, and its measured rate.
    fn point<F: PlanFilter>(&self, filter: &F) -> (f64, f64) {
        let bits = filter.size_in_bytes() as f64 * 8.0 / self.keys as f64;
        (bits, self.rate(|key| filter.contains(key)))
    }

    /// The same for one that is filled.
    fn point_of<F: EmptyFilter + InsertFilter>(&self, fpr: f64) -> Option<(f64, f64)> {
        Some(self.point(&self.filled::<F>(Goal::fpr(self.keys, fpr))?))
    }
}

/// Bits per key of a large classic filter.
fn bloom_bits(rate: f64) -> f64 {
    classic::bits_per_key(rate)
}

/// By how many percent a size is more than a Bloom filter's of the same rate.
fn percent_larger((bits, rate): (f64, f64)) -> f64 {
    (bits / bloom_bits(rate) - 1.0) * 100.0
}

/// A claim, and the figures that settle it: computed, measured, and their unit.
fn claim(
    id: &str,
    claim: &str,
    (computed, measured, unit): (impl Into<Option<f64>>, impl Into<Option<f64>>, &str),
    verdict: Verdict,
    detail: String,
) -> Claim {
    Claim {
        id: id.to_owned(),
        claim: claim.to_owned(),
        computed: computed.into(),
        measured: measured.into(),
        unit: unit.to_owned(),
        verdict,
        detail,
    }
}

/// The verdict of a claim that is true or not.
const fn holds(holds: bool) -> Verdict {
    if holds { Verdict::Holds } else { Verdict::DoesNot }
}

#[cfg(test)]
mod tests;
