//! Peer: growable-bloom-filter, the most downloaded growing Bloom filter.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use crate::record::Workload;
use ::growable_bloom_filter::GrowableBloom;
use std::borrow::Borrow;

const SIZED_INFO: Info = Info {
    name: "growable-bloom",
    family: Family::Scalable,
    role: Role::Filter,
    ours: false,
    packages: &["growable-bloom-filter"],
    analysis: "Stages of partitioned Bloom filters, each twice the size of the last at 0.85 \
               times its rate. Told the number of keys in advance, it has one stage until more \
               arrive. The first stage alone may use up the rate asked for, so a filter that \
               has grown exceeds it. Hashes with XXH3 in its streaming form, under a fixed \
               seed.",
    abilities: &[Ability::Insert, Ability::Grow],
    takes_rate: true,
    max_keys: 10_000_000,
    seeded: false,
    slow: true,
    theory: None,
};

/// `GrowableBloom`, told the number of keys to expect, or a share of it.
#[derive(Debug)]
pub struct Growable {
    info: Info,
    /// It is told to expect one key in this many.
    told_one_in: usize,
}

/// Told to expect all keys.
pub static SIZED: Growable = Growable {
    info: SIZED_INFO,
    told_one_in: 1,
};

/// Told to expect a thousandth of the keys: it grows nine times.
pub static GROWN: Growable = Growable {
    info: Info {
        name: "growable-bloom-grown",
        analysis: "The same filter, told to expect a thousandth of the keys: ten stages, and a \
                   query for an absent key tries each of them.",
        ..SIZED_INFO
    },
    told_one_in: 1000,
};

impl Contender for Growable {
    fn info(&self) -> Info {
        self.info
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
        let told = (keys.len() / self.told_one_in).max(1);
        let filter = Filter(GrowableBloom::new(asked_fpr, told));
        Ok(match keys {
            Keys::U64(keys) => filled::<u64>(filter, keys),
            Keys::Bytes(keys) => filled::<[u8]>(filter, keys),
        })
    }

    /// Only the sized entry grows a hundredfold in the course; the other would begin with a stage
    /// for one key, as no user would.
    fn goes(&self, course: Workload) -> bool {
        course == Workload::Grow && self.told_one_in == 1
    }
}

fn filled<K: BenchKey + ?Sized>(mut filter: Filter, keys: &[K::Item<'_>]) -> Box<dyn Built> {
    Probe::<K>::insert_all(&mut filter, keys);
    built::<K, _>(filter)
}

struct Filter(GrowableBloom);

impl<K: BenchKey + ?Sized> Probe<K> for Filter {
    /// The crate does not report it.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }

    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            self.0.insert(Borrow::<K>::borrow(key));
        }
        Some(keys.len() as u64)
    }
}
