//! What filters take of memory, and what they do without; see `amq_conformance::memory`.

use amq_conformance::memory::{Counting, every_refused_allocation_is_an_error};
use amq_conformance::{hold, memory};
use amq_quotient::{Goal, QuotientFilter, ResizeError};
use std::cell::RefCell;

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(quotient: QuotientFilter => [empty, build, merge, file]);

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
        hold(every_refused_allocation_is_an_error(
            name,
            || resize(&mut copy.borrow_mut()),
            |done| {
                let copy = copy.borrow();
                assert!((0..500u64).all(|key| copy.contains(&key)), "{name}");
                // What shrinks step by step stays as small as it has become, as its docs say.
                let stays = name != "shrink_to_fit" && done.is_none();
                assert!(!stays || *copy == filter, "{name}");
                Ok(())
            },
        ));
    }
}
