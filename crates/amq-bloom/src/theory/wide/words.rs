//! How a key's bits are distributed among the words of a block, and the fill of the words.

/// The words of a block, for keys with this many bits.
#[derive(Clone, Copy)]
pub(super) struct Words(pub(super) u32);

impl Words {
    /// Bits that a key has in every word.
    pub(super) const fn each(self) -> u32 {
        self.0 / 8
    }

    /// Words in which a key has one more bit.
    pub(super) const fn more(self) -> u32 {
        self.0 % 8
    }

    /// Bits in `word` of a key whose first word with one more bit is `start`.
    pub(super) const fn of(self, word: u32, start: u32) -> u32 {
        self.each() + ((word + 8 - start) % 8 < self.more()) as u32
    }

    /// The probability that a key leaves this many bits of a word clear.
    pub(super) fn clear(self, bits: u32) -> f64 {
        let one = 1.0 - f64::from(bits) / 64.0;
        let more = f64::from(self.more()) / 8.0;
        libm::pow(one, self.each().into()) * (1.0 - more + more * one)
    }

    /// The number of keys that set this fraction of the bits.
    pub(super) fn keys_of_fill(self, blocks: u64, fill: f64) -> f64 {
        if fill >= 1.0 {
            return f64::INFINITY;
        }
        // E[clear^i] for i Poisson with mean n / blocks is exp(-n / blocks (1 - clear)).
        -libm::log1p(-fill) / (1.0 - self.clear(1)) * blocks as f64
    }

    /// The mean and the mean square of the rate of one block with i keys, assuming that words fill
    /// independently.
    ///
    /// A word with a fraction f of its bits set has j given probes all set with probability f^j,
    /// and `E[f^j] = sum over r of S(j, r) 64 (63) .. (65 - r) / 64^j P(r bits are set)`.
    pub(super) fn moments(self, keys: u64) -> (f64, f64) {
        /// Stirling numbers of the second kind: ways to partition j probes into r distinct bits.
        const WAYS: [[f64; 5]; 5] = [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 0.0, 0.0, 0.0],
            [0.0, 1.0, 1.0, 0.0, 0.0],
            [0.0, 1.0, 3.0, 1.0, 0.0],
            [0.0, 1.0, 7.0, 6.0, 1.0],
        ];
        /// Signed binomial coefficients.
        const CHOOSE: [[f64; 5]; 5] = [
            [1.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, -1.0, 0.0, 0.0, 0.0],
            [1.0, -2.0, 1.0, 0.0, 0.0],
            [1.0, -3.0, 3.0, -1.0, 0.0],
            [1.0, -4.0, 6.0, -4.0, 1.0],
        ];
        let clear: [f64; 5] =
            core::array::from_fn(|t| libm::pow(self.clear(t as u32), keys as f64));
        let set = CHOOSE.map(|signs| signs.iter().zip(clear).map(|(c, q)| c * q).sum::<f64>());
        let moment: [f64; 5] = core::array::from_fn(|j| {
            let (mut sum, mut ordered) = (0.0, 1.0);
            for r in 0..=j {
                sum += WAYS[j][r] * ordered * set[r];
                ordered *= 64.0 - r as f64;
            }
            (sum / libm::pow(64.0, j as f64)).max(0.0)
        });
        let product = |bits: &dyn Fn(u32) -> u32| -> f64 {
            (0..8).map(|word| moment[bits(word) as usize]).product()
        };
        let mean = product(&|word| self.of(word, 0));
        let squares = (0..8).map(|start| product(&|word| self.of(word, 0) + self.of(word, start)));
        (mean, squares.sum::<f64>() / 8.0)
    }
}
