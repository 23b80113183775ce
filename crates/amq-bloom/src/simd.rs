//! Block operations with AVX2 and AVX-512, their portable twins, and dispatch.
//!
//! All `unsafe` code of the crate is in this module and its submodules. Every function here gives
//! the same answers as its twin in [`Layout`] or [`block`](crate::block); tests compare them. The
//! portable twin of a single-key operation is a separate function: inlined, it would make the
//! operation too long to inline into the caller's loop.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod lookup;
mod split;
mod wide;

#[cfg(target_has_atomic = "64")]
pub(crate) use split::mask64;

use crate::layout::Layout;
use crate::probing::partition::blocks::{self, insert_each};
use amq_core::prefetch::contains_each;
use amq_core::{KeyHash, dispatch};
use core::slice;

/// A block with vector twins of the operations of [`Layout`].
///
/// # Safety
///
/// [`Layout::place`] must return an index below the number of blocks, unless that is 0. The type
/// must be a transparent array of bytes.
pub unsafe trait BlockLayout: Layout {
    /// Whether there are operations with AVX-512.
    const AVX512: bool;

    /// Sets a key's bits and returns whether any was clear.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn insert_avx2(&mut self, low: u32, shape: Self::Shape) -> bool;

    /// Whether all of a key's bits are set.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn contains_avx2(&self, low: u32, shape: Self::Shape) -> bool;

    /// [`contains_avx2`](Self::contains_avx2) for code that is compiled without AVX2.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn contains_inlined(&self, low: u32, shape: Self::Shape) -> bool {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { self.contains_avx2(low, shape) }
    }

    /// Sets a key's bits and returns whether any was clear, with AVX-512.
    ///
    /// # Safety
    /// The processor must have what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks
    /// for.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn insert_avx512(&mut self, low: u32, shape: Self::Shape) -> bool {
        // SAFETY: with AVX-512 there is AVX2.
        unsafe { self.insert_avx2(low, shape) }
    }

    /// Whether all of a key's bits are set, with AVX-512. Can be inlined into code that is compiled
    /// without it.
    ///
    /// # Safety
    /// As of [`insert_avx512`](Self::insert_avx512).
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    unsafe fn contains_avx512(&self, low: u32, shape: Self::Shape) -> bool {
        // SAFETY: with AVX-512 there is AVX2.
        unsafe { self.contains_avx2(low, shape) }
    }
}

impl<B: BlockLayout> blocks::Block for B {
    type Element = Self;
    type Shape = <B as Layout>::Shape;
    const COUNTS_COPIES: bool = false;

    #[inline(always)]
    fn of(hash: KeyHash, blocks: u64) -> usize {
        B::place(hash, blocks).0
    }

    #[inline]
    fn insert(
        part: &mut [Self],
        shape: B::Shape,
        range: (usize, u64),
        near: bool,
        hashes: &[KeyHash],
    ) -> u64 {
        insert_batch(part, shape, range, near, hashes)
    }
}

/// The blocks of a table.
#[inline(always)]
pub(crate) const fn blocks_of<L: BlockLayout>(table: &[u8]) -> &[L] {
    // SAFETY: a block is an array of bytes, and this many fit in the table.
    unsafe { slice::from_raw_parts(table.as_ptr().cast(), table.len() / size_of::<L>()) }
}

/// The blocks of a table, mutably.
#[inline(always)]
pub(crate) const fn blocks_of_mut<L: BlockLayout>(table: &mut [u8]) -> &mut [L] {
    // SAFETY: as above, and exclusively borrowed.
    unsafe { slice::from_raw_parts_mut(table.as_mut_ptr().cast(), table.len() / size_of::<L>()) }
}

/// The block of a hash, and the bit selector. Skips the bounds check, which took 4 to 8 % of a
/// lookup's time in the cache.
///
/// # Panics
/// If there are no blocks.
#[inline(always)]
pub(crate) fn block_of<B: BlockLayout>(blocks: &[B], hash: KeyHash) -> (&B, u32) {
    let (block, low) = B::place(hash, blocks.len() as u64);
    if blocks.is_empty() {
        return (&blocks[block], low);
    }
    debug_assert!(block < blocks.len());
    // SAFETY: there are blocks, so `place` returns an index below their number.
    (unsafe { blocks.get_unchecked(block) }, low)
}

/// [`block_of`], mutably.
///
/// # Panics
/// If there are no blocks.
#[inline(always)]
pub(crate) fn block_of_mut<B: BlockLayout>(blocks: &mut [B], hash: KeyHash) -> (&mut B, u32) {
    let (block, low) = B::place(hash, blocks.len() as u64);
    if blocks.is_empty() {
        return (&mut blocks[block], low);
    }
    debug_assert!(block < blocks.len());
    // SAFETY: as above.
    (unsafe { blocks.get_unchecked_mut(block) }, low)
}

/// Sets a key's bits in its block and returns whether any was clear.
#[inline(always)]
pub(crate) fn insert<B: BlockLayout>(block: &mut B, low: u32, shape: B::Shape) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable<B: Layout>(block: &mut B, low: u32, shape: B::Shape) -> bool {
        block.insert(low, shape)
    }
    if B::AVX512 {
        // SAFETY: it needs AVX-512, which the processor has.
        dispatch!(has_avx512 => unsafe { block.insert_avx512(low, shape) }, ());
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { block.insert_avx2(low, shape) },
        portable(block, low, shape)
    )
}

/// Whether all of a key's bits are set in its block.
#[inline(always)]
pub(crate) fn contains<B: BlockLayout>(block: &B, low: u32, shape: B::Shape) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable<B: Layout>(block: &B, low: u32, shape: B::Shape) -> bool {
        block.contains(low, shape)
    }
    if B::AVX512 {
        // SAFETY: it needs AVX-512, which the processor has.
        dispatch!(has_avx512 => unsafe { block.contains_avx512(low, shape) }, ());
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { block.contains_inlined(low, shape) },
        portable(block, low, shape)
    )
}

/// Inserts many hashes into the part of a table of `count` blocks that begins with block `first`,
/// and returns how many changed it.
pub(crate) fn insert_batch<B: BlockLayout>(
    part: &mut [B],
    shape: B::Shape,
    (first, count): (usize, u64),
    near: bool,
    hashes: &[KeyHash],
) -> u64 {
    let place = move |hash| {
        let (block, low) = B::place(hash, count);
        (block.wrapping_sub(first), low)
    };
    insert_noting(part, shape, near, hashes, place, |_| ())
}

/// Inserts many hashes, writes to `new` which of them changed the table, and returns how many did.
/// The slices must have the same length.
pub(crate) fn insert_batch_new<B: BlockLayout>(
    blocks: &mut [B],
    shape: B::Shape,
    hashes: &[KeyHash],
    new: &mut [bool],
) -> u64 {
    let mut new = new.iter_mut();
    let count = blocks.len() as u64;
    let place = move |hash| B::place(hash, count);
    insert_noting(blocks, shape, false, hashes, place, |changed| {
        if let Some(new) = new.next() {
            *new = changed;
        }
    })
}

/// Inserts hashes in order, and calls `note` for each with whether it changed the table.
#[inline(always)]
fn insert_noting<B: BlockLayout>(
    part: &mut [B],
    shape: B::Shape,
    near: bool,
    hashes: &[KeyHash],
    place: impl Fn(KeyHash) -> (usize, u32),
    mut note: impl FnMut(bool),
) -> u64 {
    if B::AVX512 {
        dispatch!(
            // SAFETY: it needs AVX-512, which the processor has.
            has_avx512 => unsafe { insert_batch_avx512(part, shape, near, hashes, place, note) },
            ()
        );
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { insert_batch_avx2(part, shape, near, hashes, place, note) },
        insert_each(part, near, hashes, place, |block, low| {
            let changed = block.insert(low, shape);
            note(changed);
            changed
        })
    )
}

/// Looks up many hashes. The slices must have the same length.
pub(crate) fn contains_batch<B: BlockLayout>(
    blocks: &[B],
    shape: B::Shape,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    if B::AVX512 {
        dispatch!(
            // SAFETY: it needs AVX-512, which the processor has.
            has_avx512 => unsafe { contains_batch_avx512(blocks, shape, hashes, answers) },
            ()
        );
    }
    dispatch!(
        // SAFETY: it needs AVX2, which the processor has.
        has_avx2 => unsafe { contains_batch_avx2(blocks, shape, hashes, answers) },
        contains_each(blocks, hashes, answers, B::place, |block, low| block.contains(low, shape))
    )
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn insert_batch_avx2<B: BlockLayout>(
    part: &mut [B],
    shape: B::Shape,
    near: bool,
    hashes: &[KeyHash],
    place: impl Fn(KeyHash) -> (usize, u32),
    mut note: impl FnMut(bool),
) -> u64 {
    insert_each(part, near, hashes, place, |block, low| {
        // SAFETY: AVX2 is there (the caller's promise).
        let changed = unsafe { block.insert_avx2(low, shape) };
        note(changed);
        changed
    })
}

/// # Safety
/// The processor must have AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn contains_batch_avx2<B: BlockLayout>(
    blocks: &[B],
    shape: B::Shape,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    contains_each(blocks, hashes, answers, B::place, |block, low| {
        // SAFETY: AVX2 is there (the caller's promise).
        unsafe { block.contains_avx2(low, shape) }
    });
}

/// # Safety
/// The processor must have what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks
/// for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f")]
unsafe fn insert_batch_avx512<B: BlockLayout>(
    part: &mut [B],
    shape: B::Shape,
    near: bool,
    hashes: &[KeyHash],
    place: impl Fn(KeyHash) -> (usize, u32),
    mut note: impl FnMut(bool),
) -> u64 {
    insert_each(part, near, hashes, place, |block, low| {
        // SAFETY: AVX-512 is there (the caller's promise).
        let changed = unsafe { block.insert_avx512(low, shape) };
        note(changed);
        changed
    })
}

/// # Safety
/// The processor must have what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks
/// for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn contains_batch_avx512<B: BlockLayout>(
    blocks: &[B],
    shape: B::Shape,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    contains_each(blocks, hashes, answers, B::place, |block, low| {
        // SAFETY: AVX-512 is there (the caller's promise).
        unsafe { block.contains_avx512(low, shape) }
    });
}

/// Calls `work` compiled with BMI2, if the processor has it.
#[inline(always)]
pub(crate) fn with_bits<R>(work: impl FnOnce() -> R) -> R {
    dispatch!(
        // SAFETY: it needs BMI1, BMI2, LZCNT and POPCNT, which the processor has.
        has_bits => unsafe { bits(work) },
        work()
    )
}

/// # Safety
/// The processor must have BMI1, BMI2, LZCNT and POPCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn bits<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[cfg(test)]
mod tests;
