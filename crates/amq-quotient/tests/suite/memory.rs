//! Memory use, and allocation failures; see `amq_conformance::memory`.

use amq_conformance::memory::{Counting, every_refused_allocation_is_an_error};
use amq_conformance::{files, memory};
use amq_quotient::{
    Budget, ExpandableQuotientFilter, FilterFile, Goal, QuotientFilter, ResizeError,
};
use std::cell::RefCell;

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(quotient: QuotientFilter => [empty, build, merge, file, truncate]);
memory!(expandable: ExpandableQuotientFilter => [empty, build]);
memory!(expandable_file: ExpandableQuotientFilter => [build, file]);

#[test]
fn a_resize_without_memory_is_an_error_and_loses_no_key() {
    type Resize = fn(&mut QuotientFilter) -> Result<(), ResizeError>;
    let mut filter = QuotientFilter::new(Goal::fpr(4000, 0.01)).unwrap();
    for key in 0..500u64 {
        filter.insert(&key).unwrap();
    }
    let resizes: [(_, Resize); 3] = [
        ("grow", QuotientFilter::grow),
        ("shrink", QuotientFilter::shrink),
        ("shrink_to_fit", |filter| filter.shrink_to_fit().map(drop)),
    ];
    for (name, resize) in resizes {
        let copy = RefCell::new(filter.clone());
        every_refused_allocation_is_an_error(
            name,
            || resize(&mut copy.borrow_mut()),
            |done| {
                let copy = copy.borrow();
                assert!((0..500u64).all(|key| copy.contains(&key)), "{name}");
                // `shrink_to_fit` keeps the size it has reached, as documented.
                let stays = name != "shrink_to_fit" && done.is_none();
                assert!(!stays || *copy == filter, "{name}");
            },
        );
    }
}

/// The doublings left depend on the slots, so a forged claim needs both numbers.
#[test]
fn a_claim_of_an_expandable_filter_is_not_taken_for_memory() {
    let filter = ExpandableQuotientFilter::build(Budget::Fpr(0.01), 0..300u64).unwrap();
    let file = filter.to_bytes().unwrap();
    // Behind the directory's head and the one section's row.
    let entry = 192 + 2 * 64;
    for slots in [1u64 << 26, 1 << 36] {
        let mut forged = file.clone();
        for (at, number) in [(0, slots), (24, 0)] {
            forged[entry + at..][..8].copy_from_slice(&number.to_le_bytes());
        }
        files::mend(&mut forged);
        type Forged = ExpandableQuotientFilter;
        let claimed = memory::claim_is_bounded::<Forged>(&forged);
        assert!(claimed >= Some(slots), "{claimed:?}");
    }
}
