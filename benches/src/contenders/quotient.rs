//! Our quotient filters.

use super::own::{Own, Removable, Unmergeable};
use super::{Entry, Family, Info, theory};
use crate::contenders::Ability::{Batch, Count, Grow, Insert, Merge, Remove};
use amq_core::Goal;
use amq_quotient::{ExpandableQuotientFilter, QuotientFilter};

const QUOTIENT_INFO: Info = Info {
    name: "quotient",
    family: Family::Quotient,
    packages: &["amq-quotient"],
    import: "use amq_quotient::QuotientFilter;",
    analysis: "Remainders in sorted runs, with 2.125 metadata bits per slot, in a table of any \
               size that fills to 95 % and then refuses. A query is a rank, a select and a scan \
               of one run; inserts and removals shift the slots behind, which are more the \
               fuller the table.",
    abilities: &[Insert, Remove, Count, Merge, Batch],
    ..Info::OURS
};

/// Filled key by key.
pub static QUOTIENT: Entry<Own<QuotientFilter, Removable>> =
    Entry::new(QUOTIENT_INFO, Own::SIZED.with_slots(|filter| filter.params().slots), |keys| {
        theory::steps::<QuotientFilter>(keys, |params| params.remainder_bits)
    });

/// The quotient filter that grows, from a thousandth of the keys.
pub static EXPANDABLE: Entry<Own<ExpandableQuotientFilter, Unmergeable>> = Entry::new(
    Info {
        name: "expandable-quotient",
        import: "use amq_quotient::ExpandableQuotientFilter;",
        analysis: "The quotient filter for sets whose size is not known: it doubles when it is \
                   full. A slot holds a fingerprint and its age in unary; each doubling takes a \
                   bit from the old ones, and new keys come with all of theirs. The longer \
                   fingerprints pay for the growth, so before it has grown its rate is far below \
                   the one asked for. It grows from a thousandth of the keys, as the scalable \
                   filters do.",
        abilities: &[Insert, Remove, Count, Grow, Batch],
        bits_budget: false,
        jumps: true,
        ..QUOTIENT_INFO
    },
    Own::by(|order, keys| Ok(Goal::fpr(order.start(keys), order.fpr()?).into())),
    |keys| theory::steps::<ExpandableQuotientFilter>(keys, |params| params.fingerprint_bits),
);
