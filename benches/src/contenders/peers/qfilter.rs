//! Peer: qfilter, a rank-select quotient filter.

use super::common::{Built, Digested, Keys, Made, Order, exactly, fpr_of, of_digests, probe, took};
use qfilter::{Builder, Filter, truncate_to_fingerprint};

pub(super) fn empty(order: &Order, given: usize) -> Made<Digested<Filter>> {
    let filter = Filter::new(order.room(given) as u64, order.fpr()?)?;
    Ok(Digested { filter, seed: order.seed })
}

/// Built from sorted fingerprints by its builder.
pub(super) fn sorted(keys: Keys<'_>, order: &Order) -> Made<Box<dyn Built>> {
    of_digests(keys, order, |mut digests| {
        let Digested { filter, .. } = empty(order, digests.len())?;
        let bits = filter.fingerprint_size();
        for digest in &mut digests {
            *digest = truncate_to_fingerprint(*digest, bits);
        }
        digests.sort_unstable();
        let mut builder = Builder::new(filter);
        for fingerprint in digests {
            builder.insert_fingerprint(true, fingerprint)?;
        }
        Ok(builder.into_filter())
    })
}

probe! { Digested<Filter>, |it, key, keys|
    holds: it.filter.contains_fingerprint(key.digest(it.seed));
    bytes: it.filter.memory_usage();
    predicted: exactly(fpr_of(keys, it.filter.fingerprint_size()));
    insert: took(it.filter.insert_fingerprint(true, key.digest(it.seed)));
    remove: it.filter.remove_fingerprint(key.digest(it.seed));
    merge: it.filter.merge(true, &key.filter).map_err(|error| error.to_string());
    // It is filled to 95 % of a power of two.
    slots: Some(it.filter.capacity().next_power_of_two());
}
