//! Peer: qfilter, a rank-select quotient filter.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use crate::record::Workload;
use ::qfilter::{Builder, truncate_to_fingerprint};
use amq_core::PredictedFpr;
use std::borrow::Borrow;

const INFO: Info = Info {
    name: "qfilter",
    family: Family::Quotient,
    role: Role::Filter,
    ours: false,
    packages: &["qfilter", "xxhash-rust"],
    analysis: "Remainders in runs, with two metadata bits each, in a power-of-two table that \
               fills to 95 % and then refuses. Stores every copy of a fingerprint, so that each \
               can be removed.",
    abilities: &[
        Ability::Insert,
        Ability::Remove,
        Ability::Count,
        Ability::Merge,
    ],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
};

/// `qfilter::Filter` of XXH3 digests, and the way it is built from all keys.
#[derive(Debug)]
pub struct Qfilter {
    info: Info,
    sorts: bool,
}

/// Filled key by key.
pub static FILLED: Qfilter = Qfilter {
    info: INFO,
    sorts: false,
};

/// Built from sorted fingerprints by its builder.
pub static SORTED: Qfilter = Qfilter {
    info: Info {
        name: "qfilter-sorted",
        analysis: "The same filter, built from all fingerprints at once: sorted, then written \
                   in order.",
        ..INFO
    },
    sorts: true,
};

impl Contender for Qfilter {
    fn info(&self) -> Info {
        self.info
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        made(keys.len(), keys, asked_fpr, seed, self.sorts)
    }

    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        (!self.sorts).then(|| made(room, keys, asked_fpr, seed, false))
    }

    /// Except for the build, the two entries are the same filter.
    fn goes(&self, course: Workload) -> bool {
        let fits = [
            Workload::Overfill,
            Workload::LoadInsert,
            Workload::Churn,
            Workload::Merge,
        ];
        !self.sorts && fits.contains(&course)
    }
}

fn made(
    room: usize,
    keys: Keys<'_>,
    asked_fpr: Option<f64>,
    seed: u64,
    sorts: bool,
) -> Result<Box<dyn Built>, String> {
    let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
    let filter = ::qfilter::Filter::new(room as u64, asked_fpr);
    let filter = filter.map_err(|error| error.to_string())?;
    match keys {
        Keys::U64(keys) => make::<u64>(filter, keys, seed, sorts),
        Keys::Bytes(keys) => make::<[u8]>(filter, keys, seed, sorts),
    }
}

fn make<K: BenchKey + ?Sized>(
    filter: ::qfilter::Filter,
    keys: &[K::Item<'_>],
    seed: u64,
    sorts: bool,
) -> Result<Box<dyn Built>, String> {
    let filter = if sorts {
        sorted::<K>(filter, keys, seed)?
    } else {
        let mut filter = Filter { filter, seed };
        let taken = Probe::<K>::insert_all(&mut filter, keys);
        if taken != Some(keys.len() as u64) {
            return Err(format!("it accepted {taken:?} of {} keys", keys.len()));
        }
        filter
    };
    Ok(built::<K, _>(filter))
}

fn sorted<K: BenchKey + ?Sized>(
    filter: ::qfilter::Filter,
    keys: &[K::Item<'_>],
    seed: u64,
) -> Result<Filter, String> {
    let bits = filter.fingerprint_size();
    let fingerprint = |key: &K::Item<'_>| {
        let digest = Borrow::<K>::borrow(key).digest(seed);
        truncate_to_fingerprint(digest, bits)
    };
    let mut fingerprints: Vec<u64> = keys.iter().map(fingerprint).collect();
    fingerprints.sort_unstable();
    let mut builder = Builder::new(filter);
    for fingerprint in fingerprints {
        let added = builder.insert_fingerprint(true, fingerprint);
        added.map_err(|error| error.to_string())?;
    }
    Ok(Filter {
        filter: builder.into_filter(),
        seed,
    })
}

struct Filter {
    filter: ::qfilter::Filter,
    seed: u64,
}

impl Filter {
    /// It is filled to 95 % of a power of two.
    fn slots(&self) -> u64 {
        self.filter.capacity().next_power_of_two()
    }
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.memory_usage() as u64)
    }

    /// A fingerprint is present if any key has it.
    fn predicted(&self) -> Option<PredictedFpr> {
        let each = (-f64::from(self.filter.fingerprint_size())).exp2();
        let mean = -(self.filter.len() as f64 * (-each).ln_1p()).exp_m1();
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains_fingerprint(key.digest(self.seed))
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let refused = keys.iter().position(|key| {
            let digest = Borrow::<K>::borrow(key).digest(self.seed);
            self.filter.insert_fingerprint(true, digest).is_err()
        });
        Some(refused.unwrap_or(keys.len()) as u64)
    }

    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let known = |key: &K::Item<'_>| {
            let digest = Borrow::<K>::borrow(key).digest(self.seed);
            u64::from(self.filter.remove_fingerprint(digest))
        };
        Some(keys.iter().map(known).sum())
    }

    fn merge(&mut self, other: &Self) -> Option<Result<(), String>> {
        let merged = self.filter.merge(true, &other.filter);
        Some(merged.map_err(|error| error.to_string()))
    }

    fn slots(&self) -> Option<u64> {
        Some(self.slots())
    }
}
