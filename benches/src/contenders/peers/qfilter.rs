//! Peer: qfilter, a rank-select quotient filter.

use super::{Digested, Entry, Made, Order, exactly, fpr_of, of_digests, probe};
use qfilter::{Builder, Filter, truncate_to_fingerprint};

/// Filled key by key; built from sorted fingerprints by its builder.
pub(super) fn all() -> Vec<Entry> {
    vec![
        Entry::filled("qfilter", |order, given| {
            Ok(Digested { filter: empty(order, given)?, seed: order.seed })
        }),
        Entry::new("qfilter-sorted", |keys, order| {
            of_digests(keys, order, |digests| sorted(digests, order))
        }),
    ]
}

fn empty(order: &Order, given: usize) -> Made<Filter> {
    Ok(Filter::new(order.room(given) as u64, order.fpr()?)?)
}

fn sorted(mut digests: Vec<u64>, order: &Order) -> Made<Filter> {
    let filter = empty(order, digests.len())?;
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
}

probe! { Digested<Filter>, |it, key, keys|
    holds: it.filter.contains_fingerprint(it.digest(key));
    bytes: it.filter.memory_usage();
    predicted: exactly(fpr_of(keys, it.filter.fingerprint_size()));
    insert: it.filter.insert_fingerprint(true, it.digest(key)).is_ok();
    remove: it.filter.remove_fingerprint(it.digest(key));
    merge: it.filter.merge(true, &key.filter).map_err(|error| error.to_string());
    // It is filled to 95 % of a power of two.
    slots: Some(it.filter.capacity().next_power_of_two());
}
