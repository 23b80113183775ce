//! Peer: the quotient filter of probabilistic-collections.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use crate::record::Workload;
use ::probabilistic_collections::quotient::QuotientFilter;
use amq_core::PredictedFpr;
use foldhash::quality::FixedState;
use std::borrow::Borrow;

/// The planned load of a table sized by hand: its own sizing stays below half.
const LOAD: f64 = 0.95;

/// `probabilistic_collections::quotient::QuotientFilter`, which takes a hasher: foldhash's quality
/// variant, all of whose bits are usable.
#[derive(Debug)]
pub struct ProbabilisticQuotient;

impl Contender for ProbabilisticQuotient {
    fn info(&self) -> Info {
        Info {
            name: "probabilistic-quotient",
            family: Family::Quotient,
            role: Role::Filter,
            ours: false,
            packages: &["probabilistic-collections", "foldhash"],
            analysis: "Remainders in runs, with three metadata bits each, in a power-of-two \
                       table that is at most half full: short clusters, at twice the space \
                       necessary. A key whose fingerprint is already stored is not stored \
                       again, so removing one of the two loses the other.",
            abilities: &[Ability::Insert, Ability::Remove],
            takes_rate: true,
            max_keys: 10_000_000,
            seeded: true,
            slow: true,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
        let hasher = FixedState::with_seed(seed);
        match keys {
            Keys::U64(keys) => {
                let filter =
                    QuotientFilter::from_fpp_with_hasher(keys.len().max(1), asked_fpr, hasher);
                make::<u64>(filter, keys)
            }
            Keys::Bytes(keys) => {
                let filter =
                    QuotientFilter::from_fpp_with_hasher(keys.len().max(1), asked_fpr, hasher);
                make::<[u8]>(filter, keys)
            }
        }
    }

    /// Its table can be filled to the last slot, but each key then costs a scan of the whole table,
    /// which would take too long. The course over loads shows how it does as it fills up.
    fn goes(&self, course: Workload) -> bool {
        [Workload::LoadInsert, Workload::Churn].contains(&course)
    }

    /// At the other contenders' load: its own sizing stays below half.
    fn with_room(
        &self,
        room: usize,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        let Some(asked_fpr) = asked_fpr else {
            return Some(Err("this filter needs a target rate".to_owned()));
        };
        let quotient_bits = (room as f64 / LOAD).log2().ceil().max(1.0) as u8;
        let remainder_bits = (LOAD / -(-asked_fpr).ln_1p()).log2().ceil().max(1.0) as u8;
        let hasher = FixedState::with_seed(seed);
        Some(match keys {
            Keys::U64(keys) => {
                let filter = QuotientFilter::with_hasher(quotient_bits, remainder_bits, hasher);
                make::<u64>(filter, keys)
            }
            Keys::Bytes(keys) => {
                let filter = QuotientFilter::with_hasher(quotient_bits, remainder_bits, hasher);
                make::<[u8]>(filter, keys)
            }
        })
    }
}

fn make<K: BenchKey + ?Sized>(
    filter: QuotientFilter<K::Owned, FixedState>,
    keys: &[K::Item<'_>],
) -> Result<Box<dyn Built>, String> {
    let mut filter = Filter::<K> { filter, keys: 0 };
    let taken = filter.insert_all(keys);
    if taken != Some(keys.len() as u64) {
        return Err(format!("it accepted {taken:?} of {} keys", keys.len()));
    }
    Ok(built::<K, _>(filter))
}

struct Filter<K: BenchKey + ?Sized> {
    filter: QuotientFilter<K::Owned, FixedState>,
    keys: u64,
}

impl<K: BenchKey + ?Sized> Probe<K> for Filter<K> {
    fn said_bytes(&self) -> Option<u64> {
        let bits = self.filter.capacity() as u64 * (u64::from(self.filter.remainder_bits()) + 3);
        Some(bits.div_ceil(64) * 8)
    }

    /// A fingerprint is present if any key has it.
    fn predicted(&self) -> Option<PredictedFpr> {
        let bits = self.filter.quotient_bits() + self.filter.remainder_bits();
        let each = (-f64::from(bits)).exp2();
        let mean = -(self.keys as f64 * (-each).ln_1p()).exp_m1();
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key)
    }

    /// It would panic rather than refuse.
    #[inline]
    fn insert_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        let refused = keys.iter().position(|key| {
            let full = self.filter.len() + 1 >= self.filter.capacity();
            if !full {
                self.filter.insert(Borrow::<K>::borrow(key));
            }
            full
        });
        let taken = refused.unwrap_or(keys.len()) as u64;
        self.keys += taken;
        Some(taken)
    }

    /// It does not report whether it held them.
    #[inline]
    fn remove_all(&mut self, keys: &[K::Item<'_>]) -> Option<u64> {
        for key in keys {
            self.filter.remove(Borrow::<K>::borrow(key));
        }
        self.keys = self.keys.saturating_sub(keys.len() as u64);
        Some(keys.len() as u64)
    }

    fn slots(&self) -> Option<u64> {
        Some(self.filter.capacity() as u64)
    }
}
