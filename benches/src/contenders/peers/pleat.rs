//! Peer: pleat, ribbon filters built in order of their table's windows.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use ::pleat::filter::{Ribbon, StdRibbon};
use amq_core::PredictedFpr;
use std::borrow::Borrow;

/// Keys per batch query, as for our filters.
const BATCH: usize = 1024;

const STD_INFO: Info = Info {
    name: "pleat-standard",
    family: Family::Ribbon,
    role: Role::Filter,
    ours: false,
    packages: &["pleat", "xxhash-rust"],
    analysis: "A standard ribbon filter with 128-bit rows: one linear system for all keys, \
               whose solution takes a few percent more than the bound. Whole bits only, so the \
               rate is the power of two at or below the one asked for.",
    abilities: &[Ability::Static, Ability::Batch],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
};

/// A ribbon filter of pleat over XXH3 digests.
#[derive(Debug)]
pub struct Pleat {
    info: Info,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Standard,
    Homogeneous,
}

/// `pleat::filter::StdRibbon`.
pub static STANDARD: Pleat = Pleat {
    info: STD_INFO,
    kind: Kind::Standard,
};

/// `pleat::filter::Ribbon`.
pub static HOMOGENEOUS: Pleat = Pleat {
    info: Info {
        name: "pleat-homogeneous",
        analysis: "A homogeneous ribbon filter with 64-bit rows: its linear system always has a \
                   solution, at the price of slightly more space and a rate slightly above the \
                   power of two.",
        ..STD_INFO
    },
    kind: Kind::Homogeneous,
};

impl Contender for Pleat {
    fn info(&self) -> Info {
        self.info
    }

    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        let asked_fpr = asked_fpr.ok_or("this filter needs a target rate")?;
        match keys {
            Keys::U64(keys) => make::<u64>(self.kind, keys, asked_fpr, seed),
            Keys::Bytes(keys) => make::<[u8]>(self.kind, keys, asked_fpr, seed),
        }
    }
}

/// The number of result bits is part of the type: those for the suites' rates are compiled in.
fn make<K: BenchKey + ?Sized>(
    kind: Kind,
    keys: &[K::Item<'_>],
    asked_fpr: f64,
    seed: u64,
) -> Result<Box<dyn Built>, String> {
    let digest = |key: &K::Item<'_>| Borrow::<K>::borrow(key).digest(seed);
    let digests: Vec<u64> = keys.iter().map(digest).collect();
    match (1.0 / asked_fpr).log2().ceil() as u32 {
        7 => of_bits::<7, K>(kind, &digests, seed),
        8 => of_bits::<8, K>(kind, &digests, seed),
        10 => of_bits::<10, K>(kind, &digests, seed),
        bits => Err(format!("{bits} result bits are not compiled in")),
    }
}

fn of_bits<const R: usize, K: BenchKey + ?Sized>(
    kind: Kind,
    digests: &[u64],
    seed: u64,
) -> Result<Box<dyn Built>, String> {
    Ok(match kind {
        Kind::Standard => {
            let filter = StdRibbon::<R>::from_keys_pleated(digests);
            let filter = filter.map_err(|error| error.to_string())?;
            built::<K, _>(Filter { filter, seed })
        }
        Kind::Homogeneous => built::<K, _>(Filter {
            filter: Ribbon::<R>::from_keys_pleated(digests),
            seed,
        }),
    })
}

/// What the two filters share.
trait Solved: 'static {
    /// Bytes of the solution.
    fn bytes(&self) -> usize;
    /// The exact rate, if it is known.
    fn fpr(&self) -> Option<f64>;
    /// One query.
    fn contains(&self, digest: u64) -> bool;
    /// Many queries.
    fn contains_batch(&self, digests: &[u64], answers: &mut [bool]);
}

impl<const R: usize> Solved for StdRibbon<R> {
    fn bytes(&self) -> usize {
        self.size_bytes()
    }

    fn fpr(&self) -> Option<f64> {
        Some((-(R as f64)).exp2())
    }

    #[inline]
    fn contains(&self, digest: u64) -> bool {
        self.contains(digest)
    }

    fn contains_batch(&self, digests: &[u64], answers: &mut [bool]) {
        self.contains_batch(digests, answers);
    }
}

impl<const R: usize> Solved for Ribbon<R> {
    fn bytes(&self) -> usize {
        self.size_bytes()
    }

    /// It depends on how often a row lies in the span of the others.
    fn fpr(&self) -> Option<f64> {
        None
    }

    #[inline]
    fn contains(&self, digest: u64) -> bool {
        self.contains(digest)
    }

    fn contains_batch(&self, digests: &[u64], answers: &mut [bool]) {
        self.contains_batch(digests, answers);
    }
}

struct Filter<F> {
    filter: F,
    seed: u64,
}

impl<F: Solved, K: BenchKey + ?Sized> Probe<K> for Filter<F> {
    fn said_bytes(&self) -> Option<u64> {
        Some(self.filter.bytes() as u64)
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        let mean = self.filter.fpr()?;
        Some(PredictedFpr { mean, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.filter.contains(key.digest(self.seed))
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
            self.filter.contains_batch(digests, answers);
            hits += answers.iter().map(|&hit| u64::from(hit)).sum::<u64>();
        }
        Some(hits)
    }
}
