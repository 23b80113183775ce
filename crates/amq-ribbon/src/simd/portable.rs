//! The portable twins of queries, for processors without the instructions and for the last windows
//! of a table.

use crate::order::{Order, by_order};
use crate::store::Store;
use crate::system::System;
use amq_core::KeyHash;

/// Whether a key is in.
#[inline(never)]
pub(super) fn contains<S: Store>(system: &System<S>, hash: u64) -> bool {
    by_order!(system.slot_bytes(), O => O::agrees(system.words(), &system.window::<O>(hash)))
}

/// Answers for many keys; the slices are equally long.
pub(super) fn contains_batch<S: Store>(
    system: &System<S>,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    let words = system.words();
    by_order!(system.slot_bytes(), O => {
        system.each::<O, _>(hashes, answers, |window| O::agrees(words, window))
    })
}

/// The value of a key.
#[inline(never)]
pub(super) fn value<S: Store>(system: &System<S>, hash: u64) -> u32 {
    by_order!(system.slot_bytes(), O => O::value(system.words(), &system.window::<O>(hash)))
}

/// The values of many keys; the slices are equally long.
pub(super) fn values<S: Store>(system: &System<S>, hashes: &[KeyHash], values: &mut [u32]) {
    let words = system.words();
    by_order!(system.slot_bytes(), O => {
        system.each::<O, _>(hashes, values, |window| O::value(words, window))
    })
}
