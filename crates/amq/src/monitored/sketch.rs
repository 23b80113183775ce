//! How many different keys there were, roughly, in two kilobytes.

use amq_core::KeyHash;
use amq_core::index::remix;
use std::sync::atomic::{AtomicU8, Ordering};

/// Registers of a sketch.
const REGISTERS: usize = 2048;
/// The standard deviation of an estimate, as a share of it: `1.04 / sqrt(registers)`.
pub(super) const ERROR: f64 = 0.023;
/// The layer its bits are taken from; filters number theirs from 0.
const LAYER: u64 = u64::MAX - 1;

/// A HyperLogLog counter. Flajolet, Fusy, Gandouet, Meunier: *HyperLogLog* (AofA 2007).
pub(super) struct Sketch([AtomicU8; REGISTERS]);

impl Default for Sketch {
    fn default() -> Self {
        Self([const { AtomicU8::new(0) }; REGISTERS])
    }
}

impl Sketch {
    /// Writes nothing for a key that came before: a popular one costs no cache line.
    pub(super) fn add(&self, hash: KeyHash) {
        const BITS: u32 = REGISTERS.ilog2();
        let bits = remix(hash.get(), LAYER);
        // The top bits choose the register; the rest, ended by a one, gives the rank.
        let rank = (bits << BITS | 1 << (BITS - 1)).leading_zeros() as u8 + 1;
        let register = &self.0[(bits >> (64 - BITS)) as usize];
        if register.load(Ordering::Relaxed) < rank {
            register.fetch_max(rank, Ordering::Relaxed);
        }
    }

    pub(super) fn reset(&self) {
        for register in &self.0 {
            register.store(0, Ordering::Relaxed);
        }
    }
}

/// The number of different hashes that were added to either of two sketches.
pub(super) fn estimate(one: &Sketch, other: &Sketch) -> f64 {
    let registers = REGISTERS as f64;
    let (mut sum, mut empty) = (0.0, 0u32);
    for (one, other) in one.0.iter().zip(&other.0) {
        let rank = one.load(Ordering::Relaxed).max(other.load(Ordering::Relaxed));
        sum += f64::from(rank).exp2().recip();
        empty += u32::from(rank == 0);
    }
    let estimate = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
    match empty {
        // Few: the share of empty registers says more.
        1.. if estimate <= 2.5 * registers => registers * (registers / f64::from(empty)).ln(),
        _ => estimate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::Key;

    #[test]
    fn different_keys_are_estimated_and_copies_are_not_counted() {
        for n in [0u64, 1, 10, 300, 1000, 10_000, 100_000] {
            let runs = 16;
            let mean = (0..runs).map(|seed| {
                // Some in one sketch, some in the other, some in both.
                let (one, other) = (Sketch::default(), Sketch::default());
                for key in 0..n {
                    let hash = key.key_hash(seed);
                    if key % 3 > 0 {
                        one.add(hash);
                    }
                    if key % 3 < 2 {
                        other.add(hash);
                    }
                    one.add(0u64.key_hash(seed));
                }
                estimate(&one, &other)
            });
            let mean = mean.sum::<f64>() / runs as f64;
            // Five standard deviations of the mean, and the bias of the estimator between its two
            // regimes.
            let off = n as f64 * (5.0 * ERROR / (runs as f64).sqrt() + 0.02);
            assert!((mean - n as f64).abs() <= off.max(0.05), "{mean} for {n}");
        }
    }
}
