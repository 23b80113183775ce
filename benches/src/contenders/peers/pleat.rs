//! Peer: pleat, ribbon filters built in order of their table's windows.

use super::digested::{OfAll, OfDigests, of_bits};
use crate::contenders::{Ability, Built, Contender, Family, Info, Order, built};
use crate::keys::Keys;
use amq_core::PredictedFpr;
use pleat::filter::{Ribbon, StdRibbon};

const STD_INFO: Info = Info {
    name: "pleat-standard",
    family: Family::Ribbon,
    packages: &["pleat", "xxhash-rust"],
    import: "use pleat::filter::StdRibbon;",
    analysis: "A standard ribbon filter with 128-bit rows: one linear system for all keys, \
               whose solution takes a few percent more than the bound. Whole bits only, so the \
               rate is the power of two at or below the one asked for.",
    abilities: &[Ability::Static, Ability::Batch],
    bits_budget: true,
    ..Info::PEER
};

/// `pleat::filter::StdRibbon`.
pub static STANDARD: Pleat = Pleat {
    info: STD_INFO,
    homogeneous: false,
};

/// `pleat::filter::Ribbon`.
pub static HOMOGENEOUS: Pleat = Pleat {
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
#[derive(Debug)]
pub struct Pleat {
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
            let make = OfAll(|digests| Ok(Ribbon::<R>::from_keys_pleated(digests)));
            return built(&self.info, &make, keys, order);
        }
        let make = OfAll(|digests| {
            let solved = StdRibbon::<R>::from_keys_pleated(digests);
            solved.map_err(|error| error.to_string())
        });
        built(&self.info, &make, keys, order)
    }
}

/// What the two filters share.
macro_rules! solved {
    ($($filter:ident: $predicted:expr;)*) => {$(
        impl<const R: usize> OfDigests for $filter<R> {
            fn said_bytes(&self) -> Option<u64> {
                Some(self.size_bytes() as u64)
            }

            fn predicted(&self, _keys: u64) -> Option<PredictedFpr> {
                $predicted
            }

            #[inline]
            fn holds(&self, digest: u64) -> bool {
                self.contains(digest)
            }

            #[inline]
            fn holds_all(&self, digests: &[u64], answers: &mut [bool]) -> bool {
                self.contains_batch(digests, answers);
                true
            }
        }
    )*};
}

solved! {
    StdRibbon: of_bits(R as u32);
    // It depends on how often a row lies in the span of the others.
    Ribbon: None;
}
