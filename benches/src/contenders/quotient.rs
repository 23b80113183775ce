//! Our quotient filter.

use super::own::{Own, Removable};
use crate::contender::{Ability, Family, Info, Role};
use amq_quotient::QuotientFilter;

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
