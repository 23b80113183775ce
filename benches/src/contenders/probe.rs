//! What the peers' files repeat: how a filter is asked and changed, as expressions; and how one is
//! made empty and filled, or of digests.

use super::{Make, Order, Probe, filled};
use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use std::borrow::Borrow;

/// Implements [`Probe`] for a type by expressions of a filter, a key and a number of keys.
macro_rules! probe {
    ($type:ty $(where K: $bound:path)?, |$filter:ident, $key:ident, $keys:ident|
        $($(#[$doc:meta])* $method:ident: $body:expr;)*) => {
        #[allow(unused_variables)]
        impl<K: $crate::keys::BenchKey $(+ $bound)? + ?Sized> $crate::contenders::Probe<K> for $type {
            $($crate::contenders::probe::method!(
                $(#[$doc])* $method, $filter, $key, $keys, $body);)*
        }
    };
}
pub(super) use probe;

/// One method of [`probe`].
macro_rules! method {
    ($(#[$doc:meta])* bytes, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        fn said_bytes(&self) -> Option<u64> {
            let $filter = self;
            Some($body as u64)
        }
    };
    ($(#[$doc:meta])* predicted, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        fn predicted(&self, $keys: u64) -> Option<amq_core::PredictedFpr> {
            let $filter = self;
            $body
        }
    };
    ($(#[$doc:meta])* holds, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        #[inline]
        fn holds(&self, $key: &K) -> bool {
            let $filter = self;
            $body
        }
    };
    ($(#[$doc:meta])* batch, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        #[inline]
        fn count_batch(&self, $keys: &[K::Item<'_>]) -> Option<u64> {
            let $filter = self;
            Some($body)
        }
    };
    ($(#[$doc:meta])* insert, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        #[inline]
        fn insert(&mut self, $key: &K) -> Option<bool> {
            let $filter = self;
            Some($body)
        }
    };
    ($(#[$doc:meta])* remove, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        #[inline]
        fn remove(&mut self, $key: &K) -> Option<bool> {
            let $filter = self;
            Some($body)
        }
    };
    ($(#[$doc:meta])* merge, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        fn merge(&mut self, $key: &Self) -> Option<Result<(), String>> {
            let $filter = self;
            Some($body)
        }
    };
    ($(#[$doc:meta])* slots, $filter:ident, $key:ident, $keys:ident, $body:expr) => {
        $(#[$doc])*
        fn slots(&self) -> Option<u64> {
            let $filter = self;
            Some($body as u64)
        }
    };
}
pub(super) use method;

/// A filter that is made empty, for an order and a number of keys, and then filled.
#[derive(Debug)]
pub struct Fill<F>(pub fn(&Order, usize) -> Result<F, String>);

/// A filter that is made of the XXH3 digests of all keys, for peers that take digests.
#[derive(Debug)]
pub struct OfDigests<F>(pub fn(&[u64]) -> Result<F, String>);

/// Such a filter, and the seed of the digests.
#[derive(Debug)]
pub struct Digested<F> {
    /// The filter.
    pub filter: F,
    /// The seed.
    pub seed: u64,
}

impl<F> Digested<F> {
    /// A key's digest.
    #[inline]
    pub fn digest<K: BenchKey + ?Sized>(&self, key: &K) -> u64 {
        key.digest(self.seed)
    }
}

impl<F: Probe<K> + 'static, K: BenchKey + ?Sized> Make<K> for Fill<F> {
    type Filter = F;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<F, String> {
        filled::<K, _>((self.0)(order, keys.len())?, keys)
    }
}

impl<F: 'static, K: BenchKey + ?Sized> Make<K> for OfDigests<F>
where
    Digested<F>: Probe<K>,
{
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

/// A rate that all filters of a kind have, whatever their seed.
#[allow(clippy::unnecessary_wraps)]
pub(super) const fn exactly(mean: f64) -> Option<PredictedFpr> {
    Some(PredictedFpr { mean, sd: 0.0 })
}
