//! Our quotient filter.

use super::own::{Own, Removable, Way};
use crate::contender::{Ability, Family, Info, Role};
use amq_core::{Budget, BuildError, Goal, Key};
use amq_quotient::{ExpandableQuotientFilter, QuotientFilter};

/// Filled key by key.
pub static QUOTIENT: Own<QuotientFilter, Removable> = Own::new(Info {
    name: "quotient",
    family: Family::Quotient,
    role: Role::Filter,
    ours: true,
    packages: &["amq-quotient"],
    analysis: "Remainders in sorted runs, with 2.125 metadata bits per slot, in a table of any \
               size that fills to 95 % and then refuses. A query is a rank, a select and a scan \
               of one run; inserts and removals shift the slots behind, which are more the \
               fuller the table.",
    abilities: &[
        Ability::Insert,
        Ability::Remove,
        Ability::Count,
        Ability::Merge,
        Ability::Batch,
    ],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
})
.with_slots(|filter| filter.params().slots);

/// How far the planned number of keys is exceeded: the case of an unknown number.
const GROWN: usize = 1000;

/// Planned for a thousandth of the keys, then filled.
#[derive(Debug)]
pub struct Grown;

fn filled<K: Key>(
    planned: usize,
    fpr: f64,
    seed: u64,
    keys: &[K],
) -> Result<ExpandableQuotientFilter, BuildError> {
    let mut filter = ExpandableQuotientFilter::with_seed(Goal::fpr(planned.max(1), fpr), seed)?;
    filter.insert_keys(keys)?;
    Ok(filter)
}

impl Way<ExpandableQuotientFilter> for Grown {
    fn make<K: Key>(
        fpr: f64,
        seed: u64,
        keys: &[K],
    ) -> Result<ExpandableQuotientFilter, BuildError> {
        filled(keys.len() / GROWN, fpr, seed, keys)
    }

    /// Planned for its initial keys, for the courses that measure growth itself.
    fn begin<K: Key>(
        fpr: f64,
        seed: u64,
        keys: &[K],
    ) -> Result<ExpandableQuotientFilter, BuildError> {
        filled(keys.len(), fpr, seed, keys)
    }

    /// Planned for all keys, as for courses that begin with a part of them.
    fn with_room<K: Key>(
        room: u64,
        fpr: f64,
        seed: u64,
        keys: &[K],
    ) -> Option<Result<ExpandableQuotientFilter, BuildError>> {
        let goal = Goal::new(room, Budget::Fpr(fpr));
        let made = ExpandableQuotientFilter::with_seed(goal, seed);
        Some(made.and_then(|mut filter| {
            filter.insert_keys(keys)?;
            Ok(filter)
        }))
    }

    fn insert<K: Key>(filter: &mut ExpandableQuotientFilter, keys: &[K]) -> Option<u64> {
        Some(match filter.insert_keys(keys) {
            Ok(_) => keys.len() as u64,
            Err(refused) => refused.done,
        })
    }

    fn remove<K: Key>(filter: &mut ExpandableQuotientFilter, keys: &[K]) -> Option<u64> {
        Some(keys.iter().map(|key| u64::from(filter.remove(key))).sum())
    }

    fn replace<A: Key, B: Key>(
        filter: &mut ExpandableQuotientFilter,
        gone: &A,
        new: &B,
    ) -> Option<bool> {
        Some(filter.remove(gone) && filter.insert(new).is_ok())
    }
}

/// The quotient filter that grows, from a thousandth of the keys.
pub static EXPANDABLE: Own<ExpandableQuotientFilter, Grown> = Own::new(Info {
    name: "expandable-quotient",
    family: Family::Quotient,
    role: Role::Filter,
    ours: true,
    packages: &["amq-quotient"],
    analysis: "The quotient filter for sets whose size is not known: it doubles when it is full. A \
               slot holds a fingerprint and its age in unary; each doubling takes a bit from the \
               old ones, and new keys come with all of theirs. The longer fingerprints pay for the \
               growth, so before it has grown its rate is far below the one asked for. It grows from \
               a thousandth of the keys, as the scalable filters do.",
    abilities: &[
        Ability::Insert,
        Ability::Remove,
        Ability::Count,
        Ability::Grow,
        Ability::Batch,
    ],
    takes_rate: true,
    max_keys: u64::MAX,
    seeded: true,
    slow: false,
    theory: None,
});
