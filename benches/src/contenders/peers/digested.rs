//! Peers that take a digest of each key instead of the key: they get the XXH3 digest of ours.

use crate::contenders::{Make, Order, Probe};
use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use std::borrow::Borrow;
use std::fmt;

/// Keys per batch query, as for our filters.
const BATCH: usize = 1024;

/// A filter of digests.
pub trait OfDigests {
    /// The heap bytes it reports, if any.
    fn said_bytes(&self) -> Option<u64>;

    /// The exact formula's prediction of its rate with this many keys, if there is one.
    fn predicted(&self, keys: u64) -> Option<PredictedFpr>;

    /// Whether the digest is probably present.
    fn holds(&self, digest: u64) -> bool;

    /// The answers for many digests; `false` without a batch interface.
    fn holds_all(&self, _digests: &[u64], _answers: &mut [bool]) -> bool {
        false
    }

    /// Inserts a digest; see [`Probe::insert`].
    fn insert(&mut self, _digest: u64) -> Option<bool> {
        None
    }

    /// Removes a digest; see [`Probe::remove`].
    fn remove(&mut self, _digest: u64) -> Option<bool> {
        None
    }

    /// Merges another filter; see [`Probe::merge`].
    fn merge(&mut self, _other: &Self) -> Option<Result<(), String>> {
        None
    }

    /// See [`Probe::slots`].
    fn slots(&self) -> Option<u64> {
        None
    }
}

/// Such a filter, and the seed of the digests.
#[derive(Debug)]
pub struct Digested<F> {
    /// The filter.
    pub filter: F,
    /// The seed.
    pub seed: u64,
}

/// How a filter is made of the digests of all keys.
pub struct OfAll<F>(pub fn(&[u64]) -> Result<F, String>);

impl<F> fmt::Debug for OfAll<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::any::type_name::<F>())
    }
}

impl<F: OfDigests + 'static, K: BenchKey + ?Sized> Make<K> for OfAll<F> {
    type Filter = Digested<F>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Digested<F>, String> {
        let seed = order.seed;
        let filter = (self.0)(&digests::<K>(keys, seed))?;
        Ok(Digested { filter, seed })
    }
}

/// The digests of all keys.
pub(super) fn digests<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], seed: u64) -> Vec<u64> {
    let digest = |key: &K::Item<'_>| Borrow::<K>::borrow(key).digest(seed);
    keys.iter().map(digest).collect()
}

impl<F: OfDigests, K: BenchKey + ?Sized> Probe<K> for Digested<F> {
    fn said_bytes(&self) -> Option<u64> {
        self.filter.said_bytes()
    }

    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        self.filter.predicted(keys)
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.holds(key.digest(self.seed))
    }

    #[inline]
    fn count_batch(&self, keys: &[K::Item<'_>]) -> Option<u64> {
        let (mut digests, mut answers) = ([0; BATCH], [false; BATCH]);
        let mut hits = 0;
        for keys in keys.chunks(BATCH) {
            let (digests, answers) = (&mut digests[..keys.len()], &mut answers[..keys.len()]);
            for (digest, key) in digests.iter_mut().zip(keys) {
                *digest = Borrow::<K>::borrow(key).digest(self.seed);
            }
            if !self.filter.holds_all(digests, answers) {
                return None;
            }
            hits += answers.iter().map(|&hit| u64::from(hit)).sum::<u64>();
        }
        Some(hits)
    }

    #[inline]
    fn insert(&mut self, key: &K) -> Option<bool> {
        self.filter.insert(key.digest(self.seed))
    }

    #[inline]
    fn remove(&mut self, key: &K) -> Option<bool> {
        self.filter.remove(key.digest(self.seed))
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        self.filter.merge(&other.filter)
    }

    fn slots(&self) -> Option<u64> {
        self.filter.slots()
    }
}

/// The rate of filters that compare fingerprints of this many bits, whatever their keys.
pub(super) fn of_bits(bits: u32) -> Option<PredictedFpr> {
    let mean = (-f64::from(bits)).exp2();
    Some(PredictedFpr { mean, sd: 0.0 })
}
