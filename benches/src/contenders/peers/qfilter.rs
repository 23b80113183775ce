//! Peer: qfilter, a rank-select quotient filter.

use super::{Digested, of_digests};
use crate::contenders::Order;
use crate::contenders::contender::Entry;
use crate::contenders::probe::{exactly, probe};
use qfilter::{Builder, Error, Filter, truncate_to_fingerprint};

/// Filled key by key; built from sorted fingerprints by its builder.
pub(super) fn all() -> Vec<Entry> {
    vec![
        Entry::filled("qfilter", |order, given| {
            Ok(Digested { filter: empty(order, given)?, seed: order.seed })
        }),
        Entry::new("qfilter-sorted", |keys, order| {
            of_digests(keys, order, |digests| {
                let filter = empty(order, digests.len())?;
                sorted(digests, filter).map_err(|error| error.to_string())
            })
        }),
    ]
}

fn empty(order: &Order, given: usize) -> Result<Filter, String> {
    Filter::new(order.room(given) as u64, order.fpr()?).map_err(|error| error.to_string())
}

fn sorted(mut digests: Vec<u64>, filter: Filter) -> Result<Filter, Error> {
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
    // A fingerprint is present if any key has it.
    predicted: {
        let each = (-f64::from(it.filter.fingerprint_size())).exp2();
        exactly(-(keys as f64 * (-each).ln_1p()).exp_m1())
    };
    insert: it.filter.insert_fingerprint(true, it.digest(key)).is_ok();
    remove: it.filter.remove_fingerprint(it.digest(key));
    merge: it.filter.merge(true, &key.filter).map_err(|error| error.to_string());
    // It is filled to 95 % of a power of two.
    slots: Some(it.filter.capacity().next_power_of_two());
}
