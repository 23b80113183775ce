//! Counting in how many answers each bin is, for all bins at once.

use alloc::vec;
use alloc::vec::Vec;

/// A counter for each bin, sliced by bits: plane p has bit p of all counters.
pub(crate) struct Counters {
    words: usize,
    planes: Vec<Vec<u64>>,
}

impl Counters {
    pub(crate) const fn new(words: usize) -> Self {
        Self { words, planes: Vec::new() }
    }

    /// Adds one to the counter of each bin in this answer: an addition with carry, in which a plane
    /// is reached half as often as the one before.
    pub(crate) fn add(&mut self, answer: &[u64]) {
        for (word, &bins) in answer.iter().enumerate() {
            let mut carry = bins;
            let mut plane = 0;
            while carry != 0 {
                if plane == self.planes.len() {
                    self.planes.push(vec![0; self.words]);
                }
                let sum = &mut self.planes[plane][word];
                (*sum, carry) = (*sum ^ carry, *sum & carry);
                plane += 1;
            }
        }
    }

    /// The counters of this many bins.
    pub(crate) fn counts(&self, bins: usize) -> Vec<u64> {
        let bit = |plane: &[u64], bin: usize| plane[bin / 64] >> (bin % 64) & 1;
        let count = |bin| {
            let planes = self.planes.iter().enumerate();
            planes.map(|(place, plane)| bit(plane, bin) << place).sum()
        };
        (0..bins).map(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_count_as_a_loop_over_bins_does() {
        let mut counters = Counters::new(2);
        let mut wanted = [0u64; 100];
        let mut state = 7u64;
        for _ in 0..1000 {
            let answer = [0, 1].map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state ^ state >> 31
            });
            counters.add(&answer);
            for (bin, count) in wanted.iter_mut().enumerate() {
                *count += answer[bin / 64] >> (bin % 64) & 1;
            }
        }
        assert_eq!(counters.counts(100), wanted);
        assert_eq!(Counters::new(1).counts(3), [0; 3]);
    }
}
