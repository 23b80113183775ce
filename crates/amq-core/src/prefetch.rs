//! Software prefetching for batch operations.
//!
//! Batch operations compute where each key's bits are, prefetch those lines, and only then read
//! them. So cache misses overlap instead of adding up. A prefetch is a hint: it reads nothing,
//! cannot fault and changes no answer. On targets other than x86-64 and 64-bit ARM it does nothing;
//! only out-of-order execution overlaps misses there.
//!
//! [`prefetch`] is the hint, and [`ahead`] the loop around it. [`insert_each`] and
//! [`contains_each`] are that loop for a table of blocks, with one block per key:
//!
//! ```
//! use amq_core::{KeyHash, index::{index, remix}, prefetch};
//!
//! /// The block of a key, and the bit of it in that block.
//! fn place(hash: KeyHash, blocks: u64) -> (usize, u32) {
//!     (index(hash.get(), blocks) as usize, (remix(hash.get(), 0) % 64) as u32)
//! }
//!
//! let mut blocks = vec![0u64; 1000];
//! let hashes: Vec<KeyHash> = (0..500).map(|key| KeyHash::of(&key, 7)).collect();
//! let new = prefetch::insert_each(&mut blocks, &hashes, place, |block, bit| {
//!     let was_set = *block >> bit & 1 == 1;
//!     *block |= 1 << bit;
//!     !was_set
//! });
//! assert!(new <= 500);
//!
//! let mut answers = vec![false; hashes.len()];
//! prefetch::contains_each(&blocks, &hashes, &mut answers, place, |block, bit| {
//!     block >> bit & 1 == 1
//! });
//! assert!(answers.iter().all(|&found| found));
//! ```

use crate::KeyHash;

/// How many hashes ahead to prefetch. More than the core can keep in flight gain nothing; fewer
/// leave it idle. Measured at 8, 12, 16, 24, 32, 48 and 64 on tables of 13 MB; 32 was best.
pub const DISTANCE: usize = 32;

/// How many hashes to process together where a filter keeps state for each, such as which are still
/// undecided: enough to keep prefetches in flight, few enough for arrays on the stack.
pub const BLOCK: usize = 128;

/// Hints that `slice[index]` will be read soon. Any index is allowed, also one past the end.
///
/// ```
/// let table = [0u64; 8];
/// amq_core::prefetch::prefetch(&table, 3);
/// amq_core::prefetch::prefetch(&table, usize::MAX); // useless, and harmless
/// ```
#[inline(always)]
#[allow(unsafe_code)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    let address = slice.as_ptr().wrapping_add(index);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: PREFETCHT0 is part of the x86-64 baseline (SSE). It dereferences nothing: on an
    // address that is not mapped it does nothing, so any pointer is allowed.
    unsafe {
        core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    // There is no stable intrinsic for this one.
    #[cfg(all(target_arch = "aarch64", target_pointer_width = "64", not(miri)))]
    // SAFETY: PRFM is part of the AArch64 baseline. It is a hint, which reads nothing into the
    // program, writes nothing and never faults, so any pointer is allowed. It uses no stack and
    // leaves the flags as they are.
    unsafe {
        core::arch::asm!(
            "prfm pldl1keep, [{}]",
            in(reg) address,
            options(nomem, nostack, preserves_flags)
        );
    }
    let _ = address;
}

/// Calls `act` for each hash and its index, in order, and `prefetch` for the hash [`DISTANCE`]
/// places ahead.
///
/// Both get `table`: `prefetch` a shared reference, `act` an exclusive one.
///
/// ```
/// use amq_core::{KeyHash, prefetch};
///
/// let hashes = [5, 9, 5].map(KeyHash::new);
/// let mut counts = [0u32; 16];
/// prefetch::ahead(
///     &mut counts,
///     &hashes,
///     |counts, hash| prefetch::prefetch(counts, hash.get() as usize),
///     |counts, _, hash| counts[hash.get() as usize] += 1,
/// );
/// assert_eq!((counts[5], counts[9]), (2, 1));
/// ```
#[inline(always)]
pub fn ahead<T: ?Sized>(
    table: &mut T,
    hashes: &[KeyHash],
    prefetch: impl Fn(&T, KeyHash),
    mut act: impl FnMut(&mut T, usize, KeyHash),
) {
    for &hash in hashes.iter().take(DISTANCE) {
        prefetch(table, hash);
    }
    for (i, &hash) in hashes.iter().enumerate() {
        if let Some(&later) = hashes.get(i + DISTANCE) {
            prefetch(table, later);
        }
        act(table, i, hash);
    }
}

/// Inserts each hash into its block and returns how many `insert` reported as new. `place` is
/// called with a hash and the number of blocks, and returns the index of the block and the position
/// within it.
///
/// # Panics
///
/// If `place` returns an index that is not below the number of blocks.
#[inline(always)]
pub fn insert_each<B>(
    blocks: &mut [B],
    hashes: &[KeyHash],
    place: impl Fn(KeyHash, u64) -> (usize, u32),
    mut insert: impl FnMut(&mut B, u32) -> bool,
) -> u64 {
    let count = blocks.len() as u64;
    let mut new = 0;
    ahead(
        blocks,
        hashes,
        |blocks, hash| prefetch(blocks, place(hash, count).0),
        |blocks, _, hash| {
            let (block, choice) = place(hash, count);
            new += u64::from(insert(&mut blocks[block], choice));
        },
    );
    new
}

/// Looks up each hash in its block and sets `answers[i]` to the result of `contains` for
/// `hashes[i]`. `place` is as in [`insert_each`].
///
/// # Panics
///
/// If there are fewer answers than hashes, or `place` returns an index that is not below the number
/// of blocks.
#[inline(always)]
pub fn contains_each<B>(
    mut blocks: &[B],
    hashes: &[KeyHash],
    answers: &mut [bool],
    place: impl Fn(KeyHash, u64) -> (usize, u32),
    contains: impl Fn(&B, u32) -> bool,
) {
    let count = blocks.len() as u64;
    ahead(
        &mut blocks,
        hashes,
        |blocks, hash| prefetch(blocks, place(hash, count).0),
        |blocks, i, hash| {
            let (block, choice) = place(hash, count);
            answers[i] = contains(&blocks[block], choice);
        },
    );
}

#[cfg(test)]
mod tests {
    use crate::KeyHash;
    use std::vec::Vec;

    #[test]
    fn every_hash_is_acted_on_once_in_order() {
        for n in [0usize, 1, 31, 32, 33, 100] {
            let hashes: Vec<KeyHash> = (0..n as u64).map(KeyHash::new).collect();
            let mut seen = Vec::new();
            super::ahead(&mut seen, &hashes, |_, _| (), |seen, i, hash| seen.push((i, hash)));
            assert!(seen.iter().copied().eq(hashes.iter().copied().enumerate()));
            assert_eq!(seen.len(), n);
        }
    }

    #[test]
    fn a_prefetch_of_anything_is_harmless() {
        let data = [1u64, 2, 3];
        for index in [0, 2, 3, usize::MAX / 16, usize::MAX] {
            super::prefetch(&data, index);
        }
        super::prefetch::<u64>(&[], 0);
        assert_eq!(data, [1, 2, 3]);
    }

    /// The index from the caller's `place` is checked: it cannot reach memory outside the table.
    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_block_that_is_not_there_is_no_block() {
        super::insert_each(&mut [0u8; 4], &[KeyHash::new(1)], |_, n| (n as usize, 0), |_, _| true);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn a_hash_without_room_for_its_answer_is_refused() {
        let hashes = [KeyHash::new(1); 2];
        super::contains_each(&[0u8; 4], &hashes, &mut [false], |_, _| (0, 0), |_, _| true);
    }
}
