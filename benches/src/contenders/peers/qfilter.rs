//! Peer: qfilter, a rank-select quotient filter.

use crate::contenders::Ability::{Count, Insert, Merge, Remove};
use crate::contenders::probe::{Digested, digests, exactly, probe};
use crate::contenders::{Course, Entry, Family, Info, Make, Order, filled, theory};
use crate::keys::BenchKey;
use qfilter::{Builder, Error, Filter, truncate_to_fingerprint};

const INFO: Info = Info {
    name: "qfilter",
    family: Family::Quotient,
    packages: &["qfilter", "xxhash-rust"],
    import: "use qfilter::Filter;",
    analysis: "Remainders in runs, with two metadata bits each, in a power-of-two table that \
               fills to 95 % and then refuses. Stores every copy of a fingerprint, so that each \
               can be removed.",
    abilities: &[Insert, Remove, Count, Merge],
    jumps: true,
    ..Info::PEER
};

/// Filled key by key.
pub(super) static FILLED: Entry<Qfilter> = Entry::new(INFO, Qfilter { sorts: false }, theory::NONE);

/// Built from sorted fingerprints by its builder. Except for that it is the same filter.
pub(super) static SORTED: Entry<Qfilter> = Entry::new(
    Info {
        name: "qfilter-sorted",
        import: "use qfilter::Builder;",
        analysis: "The same filter, built from all fingerprints at once: sorted, then written \
                   in order.",
        skips: Course::ALL,
        ..INFO
    },
    Qfilter { sorts: true },
    theory::NONE,
);

/// How it is made of sorted fingerprints.
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

/// Made of sorted fingerprints, or key by key.
pub(super) struct Qfilter {
    sorts: bool,
}

impl<K: BenchKey + ?Sized> Make<K> for Qfilter {
    type Filter = Digested<Filter>;

    fn make(&self, keys: &[K::Item<'_>], order: &Order) -> Result<Self::Filter, String> {
        let (room, seed) = (order.room(keys.len()) as u64, order.seed);
        let failed = |error: Error| error.to_string();
        let mut filter = Filter::new(room, order.fpr()?).map_err(failed)?;
        if self.sorts {
            filter = sorted(digests::<K>(keys, seed), filter).map_err(failed)?;
            return Ok(Digested { filter, seed });
        }
        filled::<K, _>(Digested { filter, seed }, keys)
    }
}

probe! { Digested<Filter>, |it, key, keys|
    bytes: it.filter.memory_usage();
    /// A fingerprint is present if any key has it.
    predicted: {
        let each = (-f64::from(it.filter.fingerprint_size())).exp2();
        exactly(-(keys as f64 * (-each).ln_1p()).exp_m1())
    };
    holds: it.filter.contains_fingerprint(it.digest(key));
    insert: it.filter.insert_fingerprint(true, it.digest(key)).is_ok();
    remove: it.filter.remove_fingerprint(it.digest(key));
    merge: it.filter.merge(true, &key.filter).map_err(|error| error.to_string());
    /// It is filled to 95 % of a power of two.
    slots: it.filter.capacity().next_power_of_two();
}
