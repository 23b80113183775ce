//! How many distinct keys there were, roughly, in a few hundred bytes.

use amq_core::KeyHash;
use amq_core::index::remix;
use std::sync::atomic::{AtomicU8, Ordering};

/// Registers: the error is 6.5 %.
const REGISTERS: usize = 256;
/// The layer its bits are taken from; filters number theirs from 0.
const LAYER: u64 = u64::MAX - 1;

/// A HyperLogLog counter. Flajolet, Fusy, Gandouet, Meunier: *HyperLogLog* (AofA 2007).
#[derive(Debug)]
pub(super) struct Sketch([AtomicU8; REGISTERS]);

impl Default for Sketch {
    fn default() -> Self {
        Self([const { AtomicU8::new(0) }; REGISTERS])
    }
}

impl Sketch {
    pub(super) fn add(&self, hash: KeyHash) {
        let bits = remix(hash.get(), LAYER);
        // The top byte chooses the register; the rest, ended by a one, gives the rank.
        let rank = ((bits << 8) | 0x80).leading_zeros() as u8 + 1;
        self.0[(bits >> 56) as usize].fetch_max(rank, Ordering::Relaxed);
    }

    /// The number of distinct hashes added.
    pub(super) fn estimate(&self) -> f64 {
        let registers = REGISTERS as f64;
        let (mut sum, mut empty) = (0.0, 0u32);
        for register in &self.0 {
            let rank = register.load(Ordering::Relaxed);
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

    pub(super) fn reset(&self) {
        for register in &self.0 {
            register.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq_core::Key;

    #[test]
    fn distinct_keys_are_estimated_and_copies_are_not_counted() {
        for n in [0u64, 1, 10, 300, 1000, 100_000] {
            let runs = 16;
            let mean = (0..runs).map(|seed| {
                let sketch = Sketch::default();
                for key in 0..n {
                    sketch.add(key.key_hash(seed));
                    sketch.add(key.key_hash(seed));
                }
                sketch.estimate()
            });
            let mean = mean.sum::<f64>() / runs as f64;
            // Five standard deviations of the mean, and the bias of the estimator between its two
            // regimes.
            let off = n as f64 * (5.0 * 0.065 / (runs as f64).sqrt() + 0.02);
            assert!((mean - n as f64).abs() <= off.max(0.05), "{mean} for {n}");
        }
    }
}
