//! Peer: pleat, ribbon filters built in order of their table's windows.

use super::common::{
    BATCH, Built, Digested, Keys, Made, Order, exactly, in_batches, of_digests, probe,
};
use amq_core::Key;
use pleat::filter::{Ribbon, StdRibbon};

/// The number of result bits is part of the type: those for the suites' budgets are compiled in.
pub(super) fn solve(keys: Keys<'_>, order: &Order, homogeneous: bool) -> Made<Box<dyn Built>> {
    let room = order.room(keys.len());
    let bits = match order.bits(room) {
        // The size has room for the bits and some empty slots.
        Some(bits) => (bits as f64 / room as f64).ceil() - 1.0,
        None => (1.0 / order.fpr()?).log2().ceil(),
    };
    match bits as u32 {
        1 => of_bits::<1>(keys, order, homogeneous),
        2 => of_bits::<2>(keys, order, homogeneous),
        3 => of_bits::<3>(keys, order, homogeneous),
        4 => of_bits::<4>(keys, order, homogeneous),
        7 => of_bits::<7>(keys, order, homogeneous),
        8 => of_bits::<8>(keys, order, homogeneous),
        10 => of_bits::<10>(keys, order, homogeneous),
        _ => Err(format!("{bits} result bits are not compiled in").into()),
    }
}

fn of_bits<const R: usize>(
    keys: Keys<'_>,
    order: &Order,
    homogeneous: bool,
) -> Made<Box<dyn Built>> {
    if homogeneous {
        return of_digests(keys, order, |digests| Ok(Ribbon::<R>::from_keys_pleated(&digests)));
    }
    of_digests(keys, order, |digests| Ok(StdRibbon::<R>::from_keys_pleated(&digests)?))
}

/// The hits among the keys, whose digests are queried in batches.
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
    holds: it.filter.contains(key.digest(it.seed));
    batch: hits(keys, it.seed, |keys, answers| it.filter.contains_batch(keys, answers));
    bytes: it.filter.size_bytes();
    predicted: exactly((-(R as f64)).exp2());
}

// Its rate depends on how often a row lies in the span of the others.
probe! { Digested<Ribbon<R>>, with [const R: usize], |it, key, keys|
    holds: it.filter.contains(key.digest(it.seed));
    batch: hits(keys, it.seed, |keys, answers| it.filter.contains_batch(keys, answers));
    bytes: it.filter.size_bytes();
}
