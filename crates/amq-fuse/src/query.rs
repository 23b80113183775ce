//! Queries, one by one and in batches.
//!
//! Checks once that a table has all slots of a layout, before any is read. A check for each of the
//! three slots took a fifth of a query's time.
#![allow(unsafe_code)]

use crate::cells::{Cells, Packed, Whole, Word};
use crate::layout::{Layout, Place};
use amq_core::KeyHash;
use amq_core::prefetch::prefetch;

/// Keys prefetched ahead of their lookup: more than the cache misses that a core overlaps.
const AHEAD: usize = 32;

/// The word from this byte on: [`Word::read`] without its check.
///
/// # Safety
///
/// All bytes of the word are in the table.
#[inline(always)]
unsafe fn read<W: Word>(table: &[u8], byte: usize) -> u64 {
    debug_assert!(W::read(table, byte).is_some());
    // SAFETY: the caller guarantees the bytes; any bytes are a valid integer, and alignment is not
    // needed.
    unsafe { table.as_ptr().add(byte).cast::<W>().read_unaligned() }.little_endian()
}

/// Whether the exclusive or of a key's slots is its fingerprint.
///
/// # Safety
///
/// The layout [fits](Layout::fits) the table, and the place is one of the layout's.
#[inline(always)]
unsafe fn agrees<C: Cells>(layout: &Layout, table: &[u8], place: &Place) -> bool {
    let bits = C::bits(layout.fingerprint_bits);
    let [first, second, third] = place.slots.map(|slot| {
        let (byte, bit) = C::begin(slot, bits);
        // SAFETY: the table has all slots of the layout, and a packed table has spare bytes at its
        // end for the word of the last slot.
        unsafe { read::<C::Word>(table, byte) >> bit }
    });
    let sum = (first ^ second ^ third) as u32 & (u32::MAX >> (32 - bits));
    sum == place.fingerprint(bits)
}

#[inline(always)]
pub(crate) fn contains(layout: &Layout, table: &[u8], hash: KeyHash) -> bool {
    if !layout.fits(table) {
        return false;
    }
    let place = layout.place(hash.get());
    // SAFETY: the layout fits, and the place is one of the layout's.
    unsafe {
        match layout.fingerprint_bits {
            8 => agrees::<Whole<u8>>(layout, table, &place),
            16 => agrees::<Whole<u16>>(layout, table, &place),
            32 => agrees::<Whole<u32>>(layout, table, &place),
            _ => agrees::<Packed>(layout, table, &place),
        }
    }
}

/// Answers for many keys; the slices are equally long.
pub(crate) fn contains_batch(
    layout: &Layout,
    table: &[u8],
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    match layout.fingerprint_bits {
        8 => each::<Whole<u8>>(layout, table, hashes, answers),
        16 => each::<Whole<u16>>(layout, table, hashes, answers),
        32 => each::<Whole<u32>>(layout, table, hashes, answers),
        _ => each::<Packed>(layout, table, hashes, answers),
    }
}

fn each<C: Cells>(layout: &Layout, table: &[u8], hashes: &[KeyHash], answers: &mut [bool]) {
    if !layout.fits(table) {
        return answers.fill(false);
    }
    // A copy in registers, which no write can change.
    let layout = *layout;
    let place = |hash: KeyHash| {
        let place = layout.place(hash.get());
        for slot in place.slots {
            prefetch(table, C::begin(slot, layout.fingerprint_bits).0);
        }
        place
    };
    // Initially the first slots, of no key.
    let mut ahead = [Place::default(); AHEAD];
    for (place_of, &hash) in ahead.iter_mut().zip(hashes) {
        *place_of = place(hash);
    }
    let later = hashes.get(AHEAD..).unwrap_or_default();
    for (i, answer) in answers.iter_mut().enumerate() {
        let place_of = &mut ahead[i % AHEAD];
        // SAFETY: the layout fits, and the place is one of the layout's, or the first slot, which
        // every nonempty table has.
        *answer = unsafe { agrees::<C>(&layout, table, place_of) };
        if let Some(&hash) = later.get(i) {
            *place_of = place(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::sized;
    use crate::{FuseFilter, FuseParams};
    use alloc::vec;
    use alloc::vec::Vec;
    use amq_core::Filter;
    use amq_core::internal::Header;

    /// [`contains`] with checked reads.
    fn checked(layout: &Layout, table: &[u8], hash: KeyHash) -> bool {
        let place = layout.place(hash.get());
        let bits = layout.fingerprint_bits;
        // Packed fingerprints of 8, 16 and 32 bits have the same places as whole ones, but are read
        // as words that must be completely in the table: extra bytes at its end change nothing.
        let table = [table, &[0; 7]].concat();
        let get = |slot: u64| Packed::get(&table, slot, bits);
        let sum = place.slots.iter().try_fold(0, |sum, &slot| Some(sum ^ get(slot)?));
        sum.is_some_and(|sum| sum == place.fingerprint(bits))
    }

    /// Reads every slot, the last one included, of arbitrary bytes.
    #[test]
    fn unchecked_reads_are_checked_ones_inside_the_table() {
        let asked: u64 = if cfg!(miri) { 20 } else { 5000 };
        let ends = [0, 1, u64::MAX, u64::MAX - 1].map(KeyHash::new);
        let hashes = (0..asked).map(|key| KeyHash::of(&key, 1)).chain(ends);
        let hashes: Vec<KeyHash> = hashes.collect();
        for bits in 1..=32 {
            let new = FuseParams::new(bits);
            let sharded = FuseParams { segment_bits: 3, segments: 5, shards: 7, ..new };
            let sizes = [0, 1, 2, 9, 300].map(|keys| sized(new, keys));
            for params in sizes.into_iter().chain([sharded]) {
                let layout = Layout::new(&FuseParams { internal_seed: 3, ..params });
                let words = (0..params.bytes()).map(|at| KeyHash::of(&at, 2).get());
                let table: Vec<u8> = words.map(|word| word as u8).collect();
                let wanted = hashes.iter().map(|&hash| checked(&layout, &table, hash));
                let wanted: Vec<bool> = wanted.collect();
                let single = hashes.iter().map(|&hash| contains(&layout, &table, hash));
                assert_eq!(single.collect::<Vec<_>>(), wanted, "{params:?}");
                let mut answers = vec![true; hashes.len()];
                contains_batch(&layout, &table, &hashes, &mut answers);
                assert_eq!(answers, wanted, "{params:?}");
                // Nothing is read from a table that is too short.
                let short = &table[..table.len().saturating_sub(1)];
                assert!(!hashes.iter().any(|&hash| contains(&layout, short, hash)));
                contains_batch(&layout, short, &hashes, &mut answers);
                assert!(!answers.contains(&true));
            }
        }
    }

    /// Impossible parameters fit no table, whatever their sum.
    #[test]
    fn impossible_parameters_fit_no_table() {
        let one = FuseParams { segments: 1, shards: 1, segment_bits: 3, ..FuseParams::new(8) };
        for params in [
            FuseParams::new(0),
            FuseParams { shards: u32::MAX, ..one },
            FuseParams { segment_bits: 64, ..one },
            FuseParams { segment_bits: 63, segments: u32::MAX, shards: u32::MAX, ..one },
            FuseParams { internal_seed: u32::MAX, ..one },
            FuseParams { fingerprint_bits: u32::MAX, ..one },
        ] {
            let header = Header { seed: 0, capacity: 1, budget: None };
            let filter = FuseFilter::<&[u8]>::of_parts(header, params, 1, &[0; 100][..]);
            assert!([0, u64::MAX].iter().all(|&hash| !filter.contains_hash(KeyHash::new(hash))));
            let mut answers = [true; 2];
            filter.contains_batch(&[KeyHash::new(0); 2], &mut answers).unwrap();
            assert_eq!(answers, [false; 2], "{params:?}");
            assert!((0.0..=1.0).contains(&filter.load_factor()), "{params:?}");
            assert!((0.0..=1.0).contains(&filter.expected_fpr()), "{params:?}");
        }
    }
}
