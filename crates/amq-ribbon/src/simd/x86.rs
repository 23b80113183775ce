//! Functions for x86-64 compiled for AVX2 and the bit instructions. With `AVX512` they also need
//! the features of [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512).
//!
//! The functions they call are inlined, since separate ones would be compiled without the features.

use super::{avx2, avx512, portable, portable_batch};
use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Layer};
use crate::layout::{Answer, Blocks, ByColumn, BySlot, SolutionLayout, Window};
use crate::row;
use crate::shards::Shard;
use crate::solution::Solution;
use amq_core::{BuildError, Bytes, KeyHash};
use core::arch::x86_64::_bzhi_u32;

/// A layout whose windows can be read by vector code.
trait Vectors: SolutionLayout {
    /// The window's parities, one bit per column, and any further bits. Most windows of the
    /// solution have `most` columns, the others one less.
    ///
    /// # Safety
    /// The processor has the features, and the caller is compiled for them: a function with its own
    /// `target_feature` would not be inlined everywhere. [`bytes_read`](crate::layout::bytes_read)
    /// bytes are readable from `first` on, where the window begins.
    unsafe fn parities<const AVX512: bool>(
        first: *const u8,
        most: u32,
        window: &Window<Self::Part>,
    ) -> u32;
    /// As many low bits as the window has columns.
    ///
    /// # Safety
    /// The processor has the features.
    unsafe fn low(bits: u32, window: &Window<Self::Part>) -> u32;
}

impl<const BYTES: usize> Vectors for BySlot<BYTES> {
    #[inline(always)]
    unsafe fn parities<const AVX512: bool>(first: *const u8, _: u32, window: &Window<()>) -> u32 {
        // SAFETY: the caller guarantees it.
        unsafe { avx2::selected::<BYTES>(first, row::of(window.hash)) }
    }

    #[inline(always)]
    unsafe fn low(bits: u32, _: &Window<()>) -> u32 {
        bits & Self::MASK
    }
}

impl Vectors for ByColumn {
    #[inline(always)]
    unsafe fn parities<const AVX512: bool>(
        first: *const u8,
        most: u32,
        window: &Window<Blocks>,
    ) -> u32 {
        let Blocks { columns, offset } = window.part;
        let row = row::split(row::of(window.hash), offset);
        let block = first.cast::<[u8; 8]>();
        // SAFETY: the caller guarantees that all columns of two blocks are readable, and at least
        // eight words of each.
        unsafe {
            let mut parities = eight::<AVX512>(block, columns, row);
            // Usual rates need no more than eight. Not by the window's own number, which is one
            // less in short blocks: that branch would be mispredicted.
            let mut next = 8;
            while next < most {
                // With fewer than eight left, the last eight: past them may be a line that was not
                // prefetched.
                let first = next.min(columns - 8);
                parities |= eight::<AVX512>(block.add(first as usize), columns, row) << first;
                next += 8;
            }
            parities
        }
    }

    #[inline(always)]
    unsafe fn low(bits: u32, window: &Window<Blocks>) -> u32 {
        // SAFETY: the caller guarantees BMI2.
        unsafe { _bzhi_u32(bits, window.part.columns) }
    }
}

/// The parities of eight columns; those past the last are arbitrary.
///
/// # Safety
/// The processor has the features; eight words can be read at `block`, and `columns` words behind
/// it.
#[inline(always)]
unsafe fn eight<const AVX512: bool>(block: *const [u8; 8], columns: u32, row: (u64, u64)) -> u32 {
    // SAFETY: the caller guarantees it.
    unsafe {
        let after = block.add(columns as usize);
        match AVX512 {
            true => avx512::parities([block, after], row.into()),
            false => avx2::parities([block, after], row.into()),
        }
    }
}

/// Answers for one key.
///
/// # Safety
/// The processor has the features.
#[inline(always)]
pub(super) unsafe fn answer<A: Answer, B: Bytes, const AVX512: bool>(
    solution: &Solution<B>,
    hash: u64,
) -> A {
    /// The less common layouts: with them, the choice below would become a jump table.
    ///
    /// # Safety
    /// As [`answer_in`].
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn wide<A: Answer, B: Bytes>(solution: &Solution<B>, hash: u64) -> A {
        // SAFETY: this function has the features.
        unsafe {
            match solution.slot_bytes() {
                2 => answer_in::<A, BySlot<2>, B>(solution, hash),
                3 => answer_in::<A, BySlot<3>, B>(solution, hash),
                _ => answer_in::<A, BySlot<4>, B>(solution, hash),
            }
        }
    }
    // SAFETY: the caller guarantees it.
    unsafe {
        match solution.slot_bytes() {
            0 if AVX512 => answer_avx512(solution, hash),
            0 => answer_in::<A, ByColumn, B>(solution, hash),
            1 => answer_in::<A, BySlot<1>, B>(solution, hash),
            _ => wide(solution, hash),
        }
    }
}

/// Answers for one key in this layout. Not inlined: each layout keeps its own registers.
///
/// # Safety
/// The processor has AVX2 and the bit instructions.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn answer_in<A: Answer, L: Vectors, B: Bytes>(solution: &Solution<B>, hash: u64) -> A {
    // SAFETY: this function has the features.
    unsafe { one::<A, L, B, false>(solution, hash) }
}

/// [`answer_in`] by column, with AVX-512.
///
/// # Safety
/// The processor has the features.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512vpopcntdq")]
unsafe fn answer_avx512<A: Answer, B: Bytes>(solution: &Solution<B>, hash: u64) -> A {
    // SAFETY: this function has the features.
    unsafe { one::<A, ByColumn, B, true>(solution, hash) }
}

/// # Safety
/// The processor has the features, and the caller is compiled for them.
#[inline(always)]
unsafe fn one<A: Answer, L: Vectors, B: Bytes, const AVX512: bool>(
    solution: &Solution<B>,
    hash: u64,
) -> A {
    /// For the few keys that the first layer bumps. A separate function, so that its caller keeps
    /// everything in registers.
    ///
    /// # Safety
    /// The processor has AVX2 and the bit instructions.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn bumped<A: Answer, L: Vectors, B: Bytes>(solution: &Solution<B>, hash: u64) -> A {
        let (words, window) = (solution.words(), solution.later_window::<L>(hash));
        match solution.last_place(words) {
            // SAFETY: this function has the features, and the place was checked.
            Some(last) if window.place <= last => unsafe {
                read::<A, L, B, false>(solution, words, &window)
            },
            _ => L::answer(words, &window),
        }
    }
    let Some(window) = solution.first_window::<L>(hash) else {
        // SAFETY: the caller guarantees it.
        return unsafe { bumped::<A, L, B>(solution, hash) };
    };
    let words = solution.words();
    match solution.last_place(words) {
        // SAFETY: the caller guarantees the features, and the place was checked.
        Some(last) if window.place <= last => unsafe {
            read::<A, L, B, AVX512>(solution, words, &window)
        },
        _ => portable(solution, hash),
    }
}

/// Answers for many keys.
///
/// # Safety
/// The processor has the features.
pub(super) unsafe fn answer_batch<A: Answer, const AVX512: bool>(
    solution: &Solution<&[u8]>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    /// In this layout.
    ///
    /// # Safety
    /// The processor has AVX2 and the bit instructions.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn each<A: Answer, L: Vectors>(
        solution: &Solution<&[u8]>,
        hashes: &[KeyHash],
        answers: &mut [A],
    ) {
        // SAFETY: this function has the features.
        unsafe { many::<A, L, false>(solution, hashes, answers) }
    }
    /// By column, with AVX-512.
    ///
    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512dq,avx512vpopcntdq")]
    unsafe fn each_avx512<A: Answer>(
        solution: &Solution<&[u8]>,
        hashes: &[KeyHash],
        answers: &mut [A],
    ) {
        // SAFETY: this function has the features.
        unsafe { many::<A, ByColumn, true>(solution, hashes, answers) }
    }
    // SAFETY: the caller guarantees it.
    unsafe {
        match solution.slot_bytes() {
            1 => each::<A, BySlot<1>>(solution, hashes, answers),
            2 => each::<A, BySlot<2>>(solution, hashes, answers),
            3 => each::<A, BySlot<3>>(solution, hashes, answers),
            4 => each::<A, BySlot<4>>(solution, hashes, answers),
            _ if AVX512 => each_avx512(solution, hashes, answers),
            _ => each::<A, ByColumn>(solution, hashes, answers),
        }
    }
}

/// # Safety
/// The processor has the features, and the caller is compiled for them.
#[inline(always)]
unsafe fn many<A: Answer, L: Vectors, const AVX512: bool>(
    solution: &Solution<&[u8]>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    let words = solution.words();
    let Some(last) = solution.last_place(words) else {
        return portable_batch(solution, hashes, answers);
    };
    solution.each::<L, A>(hashes, answers, |window| match window.place <= last {
        // SAFETY: the caller guarantees the features, and the place was checked.
        true => unsafe { read::<A, L, _, AVX512>(solution, words, window) },
        false => L::answer(words, window),
    });
}

/// The answer in a window of these words.
///
/// # Safety
/// The processor has the features, and the caller is compiled for them. The window begins at the
/// [last place](Solution::last_place) in these very words, or before it.
#[inline(always)]
unsafe fn read<A: Answer, L: Vectors, B, const AVX512: bool>(
    solution: &Solution<B>,
    words: &[u8],
    window: &Window<L::Part>,
) -> A {
    // SAFETY: the caller guarantees it.
    unsafe {
        let first = words.as_ptr().add(window.place);
        let parities = L::parities::<AVX512>(first, solution.params().columns, window);
        A::of(parities, window.hash, |bits| L::low(bits, window))
    }
}

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn bump<E: Entry>(
    elimination: &mut Elimination<E>,
    layer: &Layer,
    shard: &mut Shard<'_, E>,
    columns: Columns,
) -> Result<(), BuildError> {
    elimination.bump(layer, shard, columns)
}

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn seed<E: Entry>(
    elimination: &mut Elimination<E>,
    layer: &Layer,
    shard: &mut Shard<'_, E>,
    columns: Columns,
    keys: u64,
) -> Result<Option<u8>, BuildError> {
    elimination.seed(layer, shard, columns, keys)
}
