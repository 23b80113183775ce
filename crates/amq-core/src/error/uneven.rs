//! Hashes that are not evenly distributed.

use crate::KeyHash;
use crate::memory::reserve;
use alloc::vec::Vec;
use core::fmt;

/// The number of different hashes that suffices for a verdict.
const ENOUGH: u64 = 1000;

/// The number of hashes among which different ones are counted.
const SAMPLE: usize = 1 << 16;

/// The caller's hashes agree in their highest 16 bits, as 32-bit checksums and small integers do.
/// No filter can keep its planned rate with such hashes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnevenHashes {
    /// The number of different hashes that agree, at least.
    pub hashes: u64,
    /// Their highest 16 bits.
    pub highest: u16,
}

impl UnevenHashes {
    /// At least 1,000 different hashes that all agree in their highest 16 bits.
    #[must_use]
    pub const fn new(hashes: u64, highest: u16) -> Self {
        Self { hashes, highest }
    }

    /// Refuses a whole set of hashes if at least 1,000 of them are different and all agree in their
    /// highest 16 bits. Of hashes from a 64-bit hash function, that never happens.
    ///
    /// Usually the second hash differs from the first, and no others are read. Filters built from
    /// hashes call this.
    ///
    /// ```
    /// use amq_core::{KeyHash, UnevenHashes};
    /// let weak: Vec<_> = (0..5000).map(KeyHash::new).collect();
    /// assert!(UnevenHashes::check(&weak).is_err());
    /// // The way out: hash the weak hash once more.
    /// let mixed: Vec<_> = weak.iter().map(|hash| KeyHash::of(&hash.get(), 0)).collect();
    /// assert!(UnevenHashes::check(&mixed).is_ok());
    /// ```
    #[inline]
    pub fn check(hashes: &[KeyHash]) -> Result<(), Self> {
        Self::check_part(hashes, || 0)
    }

    /// Like [`check`](Self::check), for hashes that may be a part of those of `total` keys, in any
    /// order. If keys are inserted in the order of their hashes, many in a row agree. That is an
    /// error only if they are too dense for `total` keys.
    #[inline]
    pub(crate) fn check_part(hashes: &[KeyHash], total: impl FnOnce() -> u64) -> Result<(), Self> {
        let Some((first, rest)) = hashes.split_first() else { return Ok(()) };
        let differs = |hash: &KeyHash| (hash.get() ^ first.get()) >> 48 != 0;
        if rest.iter().any(differs) {
            return Ok(());
        }
        Self::check_alike(hashes, total())
    }

    /// The same for hashes that all agree.
    #[cold]
    fn check_alike(hashes: &[KeyHash], total: u64) -> Result<(), Self> {
        let (low, high) = hashes
            .iter()
            .fold((u64::MAX, 0), |(low, high), hash| (low.min(hash.get()), high.max(hash.get())));
        // Twice as many as `total` evenly distributed keys have in this range.
        let width = u128::from(high.saturating_sub(low)) + 1;
        let crowd = (width * u128::from(total)) >> 63;
        let needed = crowd.max(ENOUGH.into());
        let sample = &hashes[..hashes.len().min(SAMPLE)];
        if needed > sample.len() as u128 {
            return Ok(());
        }
        let mut different: Vec<KeyHash> = Vec::new();
        if reserve(&mut different, sample.len() as u64).is_err() {
            return Ok(());
        }
        different.extend_from_slice(sample);
        different.sort_unstable();
        different.dedup();
        let different = different.len() as u64;
        match u128::from(different) < needed {
            true => Ok(()),
            false => Err(Self::new(different, (low >> 48) as u16)),
        }
    }
}

impl fmt::Display for UnevenHashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} different hashes agree in their highest 16 bits, {:#06x}, and a filter needs \
             hashes that are evenly distributed over all 64 bits: use a 64-bit hash function, \
             such as XXH3, or hash a weak hash once more, as `KeyHash::of(&hash, 0)` does",
            self.hashes, self.highest
        )
    }
}

impl fmt::Debug for UnevenHashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for UnevenHashes {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use alloc::string::ToString;

    fn hashes(of: impl Fn(u64) -> u64, n: u64) -> Vec<KeyHash> {
        (0..n).map(|i| KeyHash::new(of(i))).collect()
    }

    #[test]
    fn a_thousand_hashes_that_agree_are_refused_and_fewer_not() {
        let weak: [fn(u64) -> u64; 4] = [
            |i| i,
            |i| i.key_hash(7).get() >> 32,
            |i| i.key_hash(7).get() >> 16,
            |i| (i.key_hash(7).get() >> 16) | (0xABCD << 48),
        ];
        for of in weak {
            assert_eq!(UnevenHashes::check(&hashes(of, 999)), Ok(()));
            let refused = UnevenHashes::check(&hashes(of, 1000)).unwrap_err();
            assert_eq!(refused, UnevenHashes::new(1000, (of(0) >> 48) as u16));
            let text = refused.to_string();
            assert!(text.contains("1000 different hashes") && text.contains("XXH3"), "{text}");
            // Copies do not count.
            assert_eq!(UnevenHashes::check(&hashes(|i| of(i % 999), 100_000)), Ok(()));
            // One hash elsewhere is enough.
            let mut some = hashes(of, 5000);
            some.push(KeyHash::new(1 << 63));
            assert_eq!(UnevenHashes::check(&some), Ok(()));
        }
        for few in 0..3 {
            assert_eq!(UnevenHashes::check(&hashes(|i| i, few)), Ok(()));
        }
    }

    #[test]
    fn any_stretch_of_sorted_hashes_may_be_inserted() {
        // As the first keys of 10^8 in the order of their hashes are: 1526 agree, on average.
        let total = 100_000_000;
        let sorted = |n| hashes(|i| i * (u64::MAX / total) + (i.key_hash(1).get() >> 28), n);
        for n in [1000, 1500] {
            assert!(UnevenHashes::check(&sorted(n)).is_err(), "all there are");
            assert_eq!(UnevenHashes::check_part(&sorted(n), || total), Ok(()));
        }
        // The same stretch is too dense for a tenth of the keys, and a small integer for any.
        assert!(UnevenHashes::check_part(&sorted(1500), || total / 10).is_err());
        assert!(UnevenHashes::check_part(&hashes(|i| i, 1000), || 1 << 40).is_err());
    }
}
