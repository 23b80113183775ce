//! What [`simd`](super) calls on x86-64: functions compiled for AVX2 and the bit instructions. With
//! `AVX512` they need what [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) asks for as
//! well.
//!
//! What they call is inlined, since a function of its own is compiled without the features.

use super::{Answer, avx2, avx512};
use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Layer};
use crate::layout::{Blocks, ByColumn, BySlot, SolutionLayout, Window};
use crate::row;
use crate::shards::Shard;
use crate::solution::Solution;
use crate::store::{Borrowed, Store};
use amq_core::{BuildError, KeyHash};
use core::arch::x86_64::_bzhi_u32;

/// A layout whose windows are read by vectors.
trait Vectors: SolutionLayout {
    /// The window's parities, one bit per column, and any further bits. Most windows of the
    /// solution have `most` columns.
    ///
    /// # Safety
    /// The processor has the features, and the caller is compiled for them: a function with
    /// features of its own would not be inlined everywhere. The window is before the solution's
    /// `vector_end`.
    unsafe fn parities<const AVX512: bool>(
        words: &[u64],
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
    unsafe fn parities<const AVX512: bool>(words: &[u64], _: u32, window: &Window<()>) -> u32 {
        let row = row::of(window.hash);
        // SAFETY: as the caller says; before `vector_end` all vectors of a window end in the words.
        unsafe {
            let slots = words.as_ptr().cast::<u8>().add(window.place * BYTES);
            match AVX512 {
                true => avx512::selected::<BYTES>(slots, row),
                false => avx2::selected::<BYTES>(slots, row),
            }
        }
    }

    #[inline(always)]
    unsafe fn low(bits: u32, _: &Window<()>) -> u32 {
        bits & Self::MASK
    }
}

impl Vectors for ByColumn {
    #[inline(always)]
    unsafe fn parities<const AVX512: bool>(
        words: &[u64],
        most: u32,
        window: &Window<Blocks>,
    ) -> u32 {
        let Window { place, hash, part: Blocks { columns, offset } } = *window;
        let row = row::split(row::of(hash), offset);
        // SAFETY: as the caller says; before `vector_end` all columns of two blocks can be read,
        // and eight words of each at least.
        unsafe {
            let block = words.as_ptr().add(place);
            let mut parities = eight::<AVX512>(block, columns, row);
            // At the usual rates there are no more. Not by the window's own number: one less in
            // short blocks, it would make a branch that cannot be foreseen.
            for first in (8..most).step_by(8) {
                // Where fewer than eight are left, the last eight: past them may begin a line that
                // nobody has prefetched.
                let first = first.min(columns - 8);
                parities |= eight::<AVX512>(block.add(first as usize), columns, row) << first;
            }
            parities
        }
    }

    #[inline(always)]
    unsafe fn low(bits: u32, window: &Window<Blocks>) -> u32 {
        // SAFETY: the caller says that the processor has BMI2.
        unsafe { _bzhi_u32(bits, window.part.columns) }
    }
}

/// The parities of eight columns, and any of those past the last.
///
/// # Safety
/// The processor has the features; eight words can be read at `block`, and `columns` words behind
/// it.
#[inline(always)]
unsafe fn eight<const AVX512: bool>(block: *const u64, columns: u32, row: (u64, u64)) -> u32 {
    // SAFETY: as the caller says.
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
pub(super) unsafe fn answer<A: Answer, S: Store, const AVX512: bool>(
    solution: &Solution<S>,
    hash: u64,
) -> A {
    // SAFETY: as the caller says.
    unsafe {
        match solution.slot_bytes() {
            0 => answer_in::<A, ByColumn, S, AVX512>(solution, hash),
            1 => answer_in::<A, BySlot<1>, S, AVX512>(solution, hash),
            _ => answer_wide::<A, S, AVX512>(solution, hash),
        }
    }
}

/// The less common layouts: beside them, the choice above would become a jump table.
///
/// # Safety
/// The processor has the features.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn answer_wide<A: Answer, S: Store, const AVX512: bool>(
    solution: &Solution<S>,
    hash: u64,
) -> A {
    // SAFETY: the features are those of this function.
    unsafe {
        match solution.slot_bytes() {
            2 => answer_in::<A, BySlot<2>, S, AVX512>(solution, hash),
            3 => answer_in::<A, BySlot<3>, S, AVX512>(solution, hash),
            _ => answer_in::<A, BySlot<4>, S, AVX512>(solution, hash),
        }
    }
}

/// Answers for one key in this layout. Not inlined: each layout keeps its own registers.
///
/// # Safety
/// The processor has the features.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn answer_in<A: Answer, L: Vectors, S: Store, const AVX512: bool>(
    solution: &Solution<S>,
    hash: u64,
) -> A {
    // SAFETY: the features are those of this function.
    unsafe {
        match solution.first_window::<L>(hash) {
            Some(window) => answer_at::<A, L, S, AVX512>(solution, &window),
            None => answer_bumped::<A, L, S, AVX512>(solution, hash),
        }
    }
}

/// For the few keys that the first layer bumps. A function of its own, so that the one above keeps
/// everything in registers.
///
/// # Safety
/// The processor has the features.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn answer_bumped<A: Answer, L: Vectors, S: Store, const AVX512: bool>(
    solution: &Solution<S>,
    hash: u64,
) -> A {
    // SAFETY: the features are those of this function.
    unsafe { answer_at::<A, L, S, AVX512>(solution, &solution.later_window::<L>(hash)) }
}

/// Answers for many keys.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn answer_batch<A: Answer, const AVX512: bool>(
    solution: &Solution<Borrowed<'_>>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    // SAFETY: the features are those of this function.
    unsafe {
        match solution.slot_bytes() {
            1 => answer_each::<A, BySlot<1>, AVX512>(solution, hashes, answers),
            2 => answer_each::<A, BySlot<2>, AVX512>(solution, hashes, answers),
            3 => answer_each::<A, BySlot<3>, AVX512>(solution, hashes, answers),
            4 => answer_each::<A, BySlot<4>, AVX512>(solution, hashes, answers),
            _ => answer_each::<A, ByColumn, AVX512>(solution, hashes, answers),
        }
    }
}

/// Answers for many keys in this layout.
///
/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn answer_each<A: Answer, L: Vectors, const AVX512: bool>(
    solution: &Solution<Borrowed<'_>>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    // SAFETY: the features are those of this function.
    let answer_at = |window: &_| unsafe { answer_at::<A, L, _, AVX512>(solution, window) };
    solution.each::<L, A>(hashes, answers, answer_at);
}

/// The answer in any window.
///
/// # Safety
/// The processor has the features, and the caller is compiled for them.
#[inline(always)]
unsafe fn answer_at<A: Answer, L: Vectors, S: Store, const AVX512: bool>(
    solution: &Solution<S>,
    window: &Window<L::Part>,
) -> A {
    let words = solution.words();
    if window.place >= solution.vector_end() {
        return answer_at_the_end::<A, L>(words, *window);
    }
    // SAFETY: as the caller says, and the window is before the end.
    unsafe {
        let parities = L::parities::<AVX512>(words, solution.params().columns, window);
        A::of(parities, window.hash, |bits| L::low(bits, window))
    }
}

/// The portable twin. A function of its own, and the window a copy, so that callers keep everything
/// in registers.
#[cold]
#[inline(never)]
fn answer_at_the_end<A: Answer, L: SolutionLayout>(words: &[u64], window: Window<L::Part>) -> A {
    A::portable::<L>(words, &window)
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
