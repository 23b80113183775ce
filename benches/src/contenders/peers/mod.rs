//! The best published crates, each in a file of its own; and the exact set.

use super::built::{Built, of_type};
use super::contender::Entry;
use super::order::Order;
use super::probe::Probe;
use crate::keys::{BenchKey, Keys};

mod bloomfilter;
mod cuckoofilter;
mod fastbloom;
mod fastbloom_rs;
mod growable_bloom;
mod hash_set;
mod pleat;
mod probabilistic;
mod probabilistic_quotient;
mod qfilter;
mod sbbf_rs;
mod scalable_cuckoo;
mod sux;
mod xorf;

/// All of them, in listed order.
pub(super) fn all() -> Vec<Entry> {
    let all = [
        fastbloom::all(),
        bloomfilter::all(),
        sbbf_rs::all(),
        fastbloom_rs::all(),
        growable_bloom::all(),
        probabilistic::all(),
        cuckoofilter::all(),
        scalable_cuckoo::all(),
        qfilter::all(),
        probabilistic_quotient::all(),
        xorf::all(),
        sux::all(),
        pleat::all(),
        hash_set::all(),
    ];
    all.into_iter().flatten().collect()
}

/// A filter of digests, and the seed of these.
struct Digested<F> {
    filter: F,
    seed: u64,
}

impl<F> Digested<F> {
    /// A key's digest.
    #[inline]
    fn digest<K: BenchKey + ?Sized>(&self, key: &K) -> u64 {
        key.digest(self.seed)
    }
}

/// Makes a filter of the XXH3 digests of all keys, for peers that take digests.
fn of_digests<F: 'static>(
    keys: Keys<'_>,
    order: &Order,
    make: impl Fn(Vec<u64>) -> Result<F, String>,
) -> Result<Box<dyn Built>, String>
where
    Digested<F>: Probe<u64> + Probe<[u8]>,
{
    let seed = order.seed;
    let digested = |digests| Ok(Digested { filter: make(digests)?, seed });
    Ok(match keys {
        Keys::U64(keys) => {
            let digests = keys.iter().map(|key| key.digest(seed)).collect();
            of_type::<u64, _>(digested(digests)?, keys.len())
        }
        Keys::Bytes(keys) => {
            let digests = keys.iter().map(|key| key.digest(seed)).collect();
            of_type::<[u8], _>(digested(digests)?, keys.len())
        }
    })
}
