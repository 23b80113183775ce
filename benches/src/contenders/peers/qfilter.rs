//! Peer: qfilter, a rank-select quotient filter.

use super::digested::{Digested, OfDigests, digests};
use crate::contenders::{Ability, Course, Entry, Family, Info, Make, Order, filled, theory};
use crate::keys::BenchKey;
use amq_core::PredictedFpr;
use qfilter::{Builder, Filter, truncate_to_fingerprint};

const INFO: Info = Info {
    name: "qfilter",
    family: Family::Quotient,
    packages: &["qfilter", "xxhash-rust"],
    import: "use qfilter::Filter;",
    analysis: "Remainders in runs, with two metadata bits each, in a power-of-two table that \
               fills to 95 % and then refuses. Stores every copy of a fingerprint, so that each \
               can be removed.",
    abilities: &[
        Ability::Insert,
        Ability::Remove,
        Ability::Count,
        Ability::Merge,
    ],
    jumps: true,
    ..Info::PEER
};

/// Filled key by key.
pub static FILLED: Entry<Qfilter> = Entry::new(INFO, Qfilter::Filled, theory::NONE);

/// Built from sorted fingerprints by its builder. Except for that it is the same filter.
pub static SORTED: Entry<Qfilter> = Entry::new(
    Info {
        name: "qfilter-sorted",
        import: "use qfilter::Builder;",
        analysis: "The same filter, built from all fingerprints at once: sorted, then written \
                   in order.",
        skips: Course::ALL,
        ..INFO
    },
    Qfilter::Sorted,
    theory::NONE,
);

/// `qfilter::Filter` of XXH3 digests, and the way it is built from all keys.
#[derive(Clone, Copy, Debug)]
pub enum Qfilter {
    /// Key by key.
    Filled,
    /// From sorted fingerprints.
    Sorted,
}

impl<K: BenchKey + ?Sized> Make<K> for Qfilter {
    type Filter = Digested<Filter>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
        let (room, seed) = (order.room(keys.len()) as u64, order.seed);
        let filter = Filter::new(room, order.fpr()?).map_err(|error| error.to_string())?;
        match self {
            Self::Filled => filled::<K, _>(Digested { filter, seed }, keys),
            Self::Sorted => Ok(Digested {
                filter: sorted(filter, digests::<K>(keys, seed))?,
                seed,
            }),
        }
    }
}

fn sorted(filter: Filter, mut digests: Vec<u64>) -> Result<Filter, String> {
    let bits = filter.fingerprint_size();
    for digest in &mut digests {
        *digest = truncate_to_fingerprint(*digest, bits);
    }
    digests.sort_unstable();
    let mut builder = Builder::new(filter);
    for fingerprint in digests {
        let added = builder.insert_fingerprint(true, fingerprint);
        added.map_err(|error| error.to_string())?;
    }
    Ok(builder.into_filter())
}

impl OfDigests for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.memory_usage() as u64)
    }

    /// A fingerprint is present if any key has it.
    fn predicted(&self, keys: u64) -> Option<PredictedFpr> {
        let each = (-f64::from(self.fingerprint_size())).exp2();
        let mean = -(keys as f64 * (-each).ln_1p()).exp_m1();
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, digest: u64) -> bool {
        self.contains_fingerprint(digest)
    }

    #[inline]
    fn insert(&mut self, digest: u64) -> Option<bool> {
        Some(self.insert_fingerprint(true, digest).is_ok())
    }

    #[inline]
    fn remove(&mut self, digest: u64) -> Option<bool> {
        Some(self.remove_fingerprint(digest))
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        let merged = Self::merge(self, true, other);
        Some(merged.map_err(|error| error.to_string()))
    }

    /// It is filled to 95 % of a power of two.
    fn slots(&self) -> Option<u64> {
        Some(self.capacity().next_power_of_two())
    }
}
