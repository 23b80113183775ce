//! Queries, one by one and in batches.

use crate::cells::{Cells, by_cells};
use crate::layout::{Layout, Place};
use amq_core::KeyHash;
use amq_core::prefetch::prefetch;

/// Keys that are prefetched before they are asked for: more than a core waits for at once.
const AHEAD: usize = 32;

/// Whether a key's slots add up to its fingerprint.
#[inline(always)]
fn agrees<C: Cells>(layout: &Layout, table: &[u8], place: &Place) -> bool {
    let [first, second, third] =
        place.slots.map(|slot| C::get(table, slot, layout.fingerprint_bits));
    // An empty table has no slots.
    let (Some(first), Some(second), Some(third)) = (first, second, third) else {
        return false;
    };
    first ^ second ^ third == place.fingerprint
}

#[inline(always)]
pub(crate) fn contains(layout: &Layout, table: &[u8], hash: KeyHash) -> bool {
    let place = layout.place(hash.get());
    by_cells!(layout.fingerprint_bits, C => agrees::<C>(layout, table, &place))
}

/// Answers for many keys; the slices are equally long.
pub(crate) fn contains_batch(
    layout: &Layout,
    table: &[u8],
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    by_cells!(layout.fingerprint_bits, C => each::<C>(layout, table, hashes, answers));
}

fn each<C: Cells>(layout: &Layout, table: &[u8], hashes: &[KeyHash], answers: &mut [bool]) {
    // In registers, so that nothing that is written can change it.
    let layout = *layout;
    let place = |hash: KeyHash| {
        let place = layout.place(hash.get());
        for slot in place.slots {
            prefetch(table, C::byte(slot, layout.fingerprint_bits));
        }
        place
    };
    let mut ahead = [Place::default(); AHEAD];
    for (place_of, &hash) in ahead.iter_mut().zip(hashes) {
        *place_of = place(hash);
    }
    let later = hashes.get(AHEAD..).unwrap_or_default();
    for (i, answer) in answers.iter_mut().enumerate() {
        let place_of = &mut ahead[i % AHEAD];
        *answer = agrees::<C>(&layout, table, place_of);
        if let Some(&hash) = later.get(i) {
            *place_of = place(hash);
        }
    }
}
