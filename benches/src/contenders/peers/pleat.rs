//! Peer: pleat, ribbon filters built in order of their table's windows.

use crate::contenders::Ability::{Batch, Static};
use crate::contenders::contender::{BATCH, in_batches};
use crate::contenders::probe::{Digested, OfDigests, exactly};
use crate::contenders::{Built, Contender, Family, Info, Order, Probe, built};
use crate::keys::{BenchKey, Keys};
use amq_core::PredictedFpr;
use pleat::filter::{Ribbon, StdRibbon};
use std::borrow::Borrow;

const STD_INFO: Info = Info {
    name: "pleat-standard",
    family: Family::Ribbon,
    packages: &["pleat", "xxhash-rust"],
    import: "use pleat::filter::StdRibbon;",
    analysis: "A standard ribbon filter with 128-bit rows: one linear system for all keys, \
               whose solution takes a few percent more than the bound. Whole bits only, so the \
               rate is the power of two at or below the one asked for.",
    abilities: &[Static, Batch],
    bits_budget: true,
    ..Info::PEER
};

/// `pleat::filter::StdRibbon`.
pub(super) static STANDARD: Pleat = Pleat { info: STD_INFO, homogeneous: false };

/// `pleat::filter::Ribbon`.
pub(super) static HOMOGENEOUS: Pleat = Pleat {
    info: Info {
        name: "pleat-homogeneous",
        import: "use pleat::filter::Ribbon;",
        analysis: "A homogeneous ribbon filter with 64-bit rows: its linear system always has a \
                   solution, at the price of slightly more space and a rate slightly above the \
                   power of two.",
        ..STD_INFO
    },
    homogeneous: true,
};

/// A ribbon filter of pleat over XXH3 digests.
pub(super) struct Pleat {
    info: Info,
    homogeneous: bool,
}

impl Contender for Pleat {
    fn info(&self) -> Info {
        self.info
    }

    /// The number of result bits is part of the type: those for the suites' budgets are compiled
    /// in.
    fn build(&self, keys: Keys<'_>, order: &Order) -> Result<Box<dyn Built>, String> {
        let room = order.room(keys.len());
        let bits = match order.bits(room) {
            // The size has room for the bits and some empty slots.
            Some(bits) => (bits as f64 / room as f64).ceil() - 1.0,
            None => (1.0 / order.fpr()?).log2().ceil(),
        };
        match bits as u32 {
            1 => self.solve::<1>(keys, order),
            2 => self.solve::<2>(keys, order),
            3 => self.solve::<3>(keys, order),
            4 => self.solve::<4>(keys, order),
            7 => self.solve::<7>(keys, order),
            8 => self.solve::<8>(keys, order),
            10 => self.solve::<10>(keys, order),
            _ => Err(format!("{bits} result bits are not compiled in")),
        }
    }
}

impl Pleat {
    fn solve<const R: usize>(
        &self,
        keys: Keys<'_>,
        order: &Order,
    ) -> Result<Box<dyn Built>, String> {
        if self.homogeneous {
            let make = OfDigests(|digests| Ok(Ribbon::<R>::from_keys_pleated(digests)));
            return built(&self.info, &make, keys, order);
        }
        let make = OfDigests(|digests| {
            let solved = StdRibbon::<R>::from_keys_pleated(digests);
            solved.map_err(|error| error.to_string())
        });
        built(&self.info, &make, keys, order)
    }
}

macro_rules! probes {
    ($($filter:ident: $predicted:expr;)*) => {$(
        impl<K: BenchKey + ?Sized, const R: usize> Probe<K> for Digested<$filter<R>> {
            fn said_bytes(&self) -> Option<u64> {
                Some(self.filter.size_bytes() as u64)
            }

            fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
                $predicted
            }

            #[inline]
            fn holds(&self, key: &K) -> bool {
                self.filter.contains(self.digest(key))
            }

            #[inline]
            fn count_batch(&self, keys: &[K::Item<'_>]) -> Option<u64> {
                let mut digests = [0; BATCH];
                in_batches(keys, |keys, answers| {
                    for (digest, key) in digests.iter_mut().zip(keys) {
                        *digest = self.digest::<K>(key.borrow());
                    }
                    self.filter.contains_batch(&digests[..keys.len()], answers);
                    Some(())
                })
            }
        }
    )*};
}

probes! {
    StdRibbon: exactly((-(R as f64)).exp2());
    // It depends on how often a row lies in the span of the others.
    Ribbon: None;
}
