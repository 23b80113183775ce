//! Queries and builds with optional processor instructions.
//!
//! The only module of this crate with `unsafe` code. Everything here has a portable twin that gives
//! the same answers. A query reads all slots of its window, or all columns, at once with AVX2 or
//! NEON; columns in fewer instructions with AVX-512. A build is generic code inlined into functions
//! compiled for AVX2 and BMI.
//!
//! The caller's `AsRef` may return different words each time. So a query, or a batch, borrows them
//! once, and uses vector code only where that very slice has all bytes.
#![allow(unsafe_code)]

use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Layer};
use crate::layout::{Answer, ByColumn, BySlot, SolutionLayout};
use crate::shards::Shard;
use crate::solution::Solution;
#[cfg(target_arch = "x86_64")]
use amq_core::internal::Cpu;
use amq_core::{BuildError, Bytes, KeyHash, dispatch};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon", not(miri)))]
pub(crate) mod neon;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The code that looks up keys, chosen once per solution, so that queries need not detect features.
///
/// Its value proves that the processor has them: only this module can make one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Backend(Features);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Features {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Backend {
    /// The fastest on this processor.
    pub(crate) fn new() -> Self {
        #[cfg(target_arch = "x86_64")]
        match () {
            () if Cpu::has_avx512() => return Self(Features::Avx512),
            () if Cpu::has_avx2_and_bits() => return Self(Features::Avx2),
            () => {}
        }
        Self(Features::Portable)
    }
}

/// Answers for one key.
#[inline(always)]
pub(crate) fn answer<A: Answer, B: Bytes>(solution: &Solution<B>, hash: u64) -> A {
    match solution.backend().0 {
        // SAFETY: the backend proves that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Features::Avx512 => unsafe { x86::answer::<A, B, true>(solution, hash) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Features::Avx2 => unsafe { x86::answer::<A, B, false>(solution, hash) },
        Features::Portable => portable(solution, hash),
    }
}

/// Answers for many keys; the slices are equally long. The solution's parts are borrowed once, for
/// all of them.
pub(crate) fn answer_batch<A: Answer, B: Bytes>(
    solution: &Solution<B>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    let solution = &solution.view();
    match solution.backend().0 {
        // SAFETY: the backend proves that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Features::Avx512 => unsafe { x86::answer_batch::<A, true>(solution, hashes, answers) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Features::Avx2 => unsafe { x86::answer_batch::<A, false>(solution, hashes, answers) },
        Features::Portable => portable_batch(solution, hashes, answers),
    }
}

/// The portable twin of [`answer`].
#[inline(never)]
fn portable<A: Answer, B: Bytes>(solution: &Solution<B>, hash: u64) -> A {
    let words = solution.words();
    match solution.slot_bytes() {
        1 => BySlot::<1>::answer(words, &solution.window::<BySlot<1>>(hash)),
        2 => BySlot::<2>::answer(words, &solution.window::<BySlot<2>>(hash)),
        3 => BySlot::<3>::answer(words, &solution.window::<BySlot<3>>(hash)),
        4 => BySlot::<4>::answer(words, &solution.window::<BySlot<4>>(hash)),
        _ => ByColumn::answer(words, &solution.window::<ByColumn>(hash)),
    }
}

/// The portable twin of [`answer_batch`].
fn portable_batch<A: Answer>(solution: &Solution<&[u8]>, hashes: &[KeyHash], answers: &mut [A]) {
    let words = solution.words();
    match solution.slot_bytes() {
        1 => solution.each::<BySlot<1>, A>(hashes, answers, |w| BySlot::<1>::answer(words, w)),
        2 => solution.each::<BySlot<2>, A>(hashes, answers, |w| BySlot::<2>::answer(words, w)),
        3 => solution.each::<BySlot<3>, A>(hashes, answers, |w| BySlot::<3>::answer(words, w)),
        4 => solution.each::<BySlot<4>, A>(hashes, answers, |w| BySlot::<4>::answer(words, w)),
        _ => solution.each::<ByColumn, A>(hashes, answers, |w| ByColumn::answer(words, w)),
    }
}

/// [`Elimination::bump`].
pub(crate) fn bump<E: Entry>(
    elimination: &mut Elimination<E>,
    layer: &Layer,
    shard: &mut Shard<'_, E>,
    columns: Columns,
) -> Result<(), BuildError> {
    dispatch!(
        // SAFETY: the processor has AVX2 and the bit instructions.
        has_avx2_and_bits => unsafe { x86::bump(elimination, layer, shard, columns) },
        elimination.bump(layer, shard, columns)
    )
}

/// [`Elimination::seed`].
pub(crate) fn seed<E: Entry>(
    elimination: &mut Elimination<E>,
    layer: &Layer,
    shard: &mut Shard<'_, E>,
    columns: Columns,
    keys: u64,
) -> Result<Option<u8>, BuildError> {
    dispatch!(
        // SAFETY: the processor has AVX2 and the bit instructions.
        has_avx2_and_bits => unsafe { x86::seed(elimination, layer, shard, columns, keys) },
        elimination.seed(layer, shard, columns, keys)
    )
}
