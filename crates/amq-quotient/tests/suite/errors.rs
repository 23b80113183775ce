//! The texts of the errors, each from the call that returns it.

use amq_conformance::testing::hashes;
use amq_conformance::with_params;
use amq_quotient::{Goal, InsertFilter, MergeFilter, QuotientFilter, QuotientParams};
use std::fmt::Display;

fn params(slots: u64, remainder_bits: u32) -> QuotientParams {
    QuotientParams::new(slots, remainder_bits)
}

fn empty(slots: u64, remainder_bits: u32) -> QuotientFilter {
    with_params::<QuotientFilter>(params(slots, remainder_bits), 50, 0).unwrap()
}

#[track_caller]
fn says<T, E: Display>(result: Result<T, E>, text: &str) {
    assert_eq!(result.err().map(|error| error.to_string()).as_deref(), Some(text));
}

#[test]
fn what_cannot_be_planned_or_made() {
    let made = |slots, bits| with_params::<QuotientFilter>(params(slots, bits), 50, 0);
    says(made(0, 8), "slots = 0 is not possible: it must be from 1 to 2^56");
    says(made(17, 56), "remainder_bits = 56 is not possible: it must be at most 55");
    says(
        QuotientFilter::new(Goal::bytes(100, 10)),
        "10 bytes are too few for these keys: the smallest filter of this variant that holds them \
         takes 34",
    );
    says(
        QuotientFilter::new(Goal::fpr(100, 1e-17)),
        "this variant cannot reach a false-positive rate of 1e-17 for 100 keys at any size: ask \
         for more than 8.673617379884035e-17, or take another variant",
    );
    says(
        QuotientFilter::plan_growing(Goal::fpr(100, 0.1), 101),
        "initial = 101 is not possible: it must be from 1 to 100",
    );
}

#[test]
fn what_is_full_or_has_a_limit() {
    let mut filter = empty(64, 1);
    let full = "the filter is full: it holds 60 keys, was planned for 50, and has 93.8 % of its \
                slots in use. Remove keys (advance a rolling filter), or plan a larger one";
    let first = "the first 60 keys of the batch are in, the next one was refused: ";
    says(filter.insert_batch(&hashes(0..61, 0)), &[first, full].concat());
    says(filter.insert_batch(&hashes(0..61, 0)), full);
    says(filter.insert("one more"), full);
    says(filter.allow_growth(1000), "max_slots = 1000 is not possible: it must be from 64 to 128");
    // One more than there are: no doubling reaches it.
    filter.allow_growth(65).unwrap();
    says(
        filter.insert("one more"),
        "the filter would exceed its limit of 65 slots. Allow it more slots",
    );
    says(
        filter.can_merge(&filter.clone()),
        "the filters hold 60 and 60 keys, more than fit into 64 slots, of which some always stay \
         empty; keep both, or plan for 120 keys",
    );
}

#[test]
fn what_cannot_grow_shrink_or_merge() {
    says(
        empty(64, 0).grow(),
        "the filter cannot grow: each doubling takes a bit of the remainders, and none is left. \
         Build one that is planned for more keys or a lower rate",
    );
    says(
        empty(65, 1).shrink(),
        "65 slots cannot be halved: the number must be even. Build a smaller filter",
    );
    says(
        empty(16, 56).shrink(),
        "the filter cannot shrink: each halving widens the remainders by a bit, and 56 is the most \
         with 8 slots",
    );
    let mut filter = empty(128, 1);
    filter.insert_batch(&hashes(0..90, 0)).unwrap();
    says(
        filter.shrink(),
        "the filter cannot shrink: it holds 90 keys, and half its slots take at most 60. Remove \
         some first",
    );
    says(
        empty(1152, 0).can_merge(&empty(576, 0)),
        "the filter to be merged tells only 576 hashes apart, and this one 1152: merge this one \
         into the other",
    );
    assert_eq!(filter.len(), 90);
}
