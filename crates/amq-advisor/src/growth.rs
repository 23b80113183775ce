//! Bits per key of filters that start small and grow.

use amq::PlanError;

/// The number of doublings over which growing filters are compared.
pub(super) const DOUBLINGS: u32 = 10;

/// Bits per key while a filter grows without a bound: over ten doublings, from the first time that
/// it is full to the eleventh.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Growth {
    /// The mean over a logarithmic scale of the number of keys.
    pub mean: f64,
    /// The minimum: just before it grows.
    pub least: f64,
    /// The maximum: just after it has grown.
    pub most: f64,
}

impl Growth {
    /// Computed from the sizes that a filter grows to: its bytes, and the most keys at that size.
    /// An error if it never grows.
    ///
    /// With `B` bits and from `n` to `N` keys, the bits per key are `B / x` at x keys, and x has a
    /// density of `1 / x`: `B (1 / n - 1 / N)` over `ln(N / n)`.
    pub(super) fn over(sizes: impl Iterator<Item = (u64, u64)>) -> Result<Self, PlanError> {
        let mut sizes = sizes.take(1 + DOUBLINGS as usize);
        let first = sizes.next().map_or(0, |(_, keys)| keys);
        let (mut held, mut sum) = (first as f64, 0.0);
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for (bytes, keys) in sizes {
            let (bits, keys) = (bytes as f64 * 8.0, keys as f64);
            sum += bits * (1.0 / held - 1.0 / keys);
            (least, most) = (least.min(bits / keys), most.max(bits / (held + 1.0)));
            held = keys;
        }
        let doublings = libm::log(held / first as f64);
        if doublings > 0.0 {
            Ok(Self { mean: sum / doublings, least, most })
        } else {
            Err(PlanError::Keys { keys: first.saturating_add(1), min: 1, max: first })
        }
    }

    /// The growth with this many copies of each key.
    pub(super) fn times(self, copies: f64) -> Self {
        Self { mean: self.mean * copies, least: self.least * copies, most: self.most * copies }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over numbers of keys that rise by a thousandth each.
    #[test]
    fn the_mean_is_that_of_many_numbers_of_keys() {
        let sizes = [(100, 50), (300, 120), (1000, 777), (1500, 900), (9000, 10_000)];
        let growth = Growth::over(sizes.into_iter()).unwrap();
        let (mut sum, mut count, mut keys) = (0.0, 0.0, 50.0);
        while keys < 10_000.0 {
            let bytes = sizes.iter().find(|size| size.1 as f64 > keys).unwrap().0;
            (sum, count, keys) = (sum + bytes as f64 * 8.0 / keys, count + 1.0, keys * 1.001);
        }
        let mean = sum / count;
        assert!((growth.mean / mean - 1.0).abs() < 0.002, "{growth:?}, {mean}");
        assert_eq!((growth.least, growth.most), (9000.0 * 8.0 / 10_000.0, 9000.0 * 8.0 / 901.0));
        let twice = growth.times(2.0);
        assert_eq!((twice.mean, twice.most), (2.0 * growth.mean, 2.0 * growth.most));
    }

    #[test]
    fn what_never_grows_is_refused_with_the_keys_it_holds() {
        let refused = Growth::over([(100, 50)].into_iter());
        assert_eq!(refused, Err(PlanError::Keys { keys: 51, min: 1, max: 50 }));
        assert!(Growth::over(core::iter::empty()).is_err());
        assert!(Growth::over([(100, u64::MAX), (300, u64::MAX)].into_iter()).is_err());
    }
}
