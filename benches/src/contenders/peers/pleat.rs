//! Peer: pleat, ribbon filters built in order of their table's windows.

use super::{BATCH, Built, Digested, Entry, Keys, Made, Order};
use super::{exactly, in_batches, of_digests, probe};
use amq_core::Key;
use pleat::filter::{Ribbon, StdRibbon};

pub(super) fn all() -> Vec<Entry> {
    vec![entry("pleat-standard", false), entry("pleat-homogeneous", true)]
}

/// The number of result bits is part of the type: those for the suites' budgets are compiled in.
fn entry(name: &'static str, homogeneous: bool) -> Entry {
    Entry::new(name, move |keys, order| {
        let room = order.room(keys.len());
        let bits = match order.bits(room) {
            // The size has room for the bits and some empty slots.
            Some(bits) => (bits as f64 / room as f64).ceil() - 1.0,
            None => (1.0 / order.fpr()?).log2().ceil(),
        };
        match bits as u32 {
            1 => solve::<1>(keys, order, homogeneous),
            2 => solve::<2>(keys, order, homogeneous),
            3 => solve::<3>(keys, order, homogeneous),
            4 => solve::<4>(keys, order, homogeneous),
            7 => solve::<7>(keys, order, homogeneous),
            8 => solve::<8>(keys, order, homogeneous),
            10 => solve::<10>(keys, order, homogeneous),
            _ => Err(format!("{bits} result bits are not compiled in").into()),
        }
    })
}

fn solve<const R: usize>(keys: Keys<'_>, order: &Order, homogeneous: bool) -> Made<Box<dyn Built>> {
    if homogeneous {
        return of_digests(keys, order, |digests| Ok(Ribbon::<R>::from_keys_pleated(&digests)));
    }
    of_digests(keys, order, |digests| Ok(StdRibbon::<R>::from_keys_pleated(&digests)?))
}

/// The hits among the keys, whose digests are asked for in batches.
#[inline]
fn hits<K: Key>(keys: &[K], seed: u64, ask: impl Fn(&[u64], &mut [bool])) -> Option<u64> {
    let mut digests = [0; BATCH];
    in_batches(keys, |keys, answers| {
        for (digest, key) in digests.iter_mut().zip(keys) {
            *digest = key.key_hash(seed).get();
        }
        ask(&digests[..keys.len()], answers);
        Some(())
    })
}

probe! { Digested<StdRibbon<R>>, with [const R: usize], |it, key, keys|
    holds: it.filter.contains(it.digest(key));
    batch: hits(keys, it.seed, |keys, answers| it.filter.contains_batch(keys, answers));
    bytes: it.filter.size_bytes();
    predicted: exactly((-(R as f64)).exp2());
}

// Its rate depends on how often a row lies in the span of the others.
probe! { Digested<Ribbon<R>>, with [const R: usize], |it, key, keys|
    holds: it.filter.contains(it.digest(key));
    batch: hits(keys, it.seed, |keys, answers| it.filter.contains_batch(keys, answers));
    bytes: it.filter.size_bytes();
}
