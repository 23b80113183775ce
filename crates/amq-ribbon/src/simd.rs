//! Queries and builds with instructions that not every processor has.
//!
//! The only module of this crate that has `unsafe` code. Everything here has a portable twin that
//! gives the same answers. A query reads all slots of its window, or all columns, at once with
//! AVX2, and in half as many instructions with AVX-512. A build is generic code inlined into
//! functions compiled for AVX2 and the bit instructions.
#![allow(unsafe_code)]

use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Layer};
use crate::layout::{ByColumn, BySlot, SolutionLayout, Window};
use crate::row;
use crate::shards::Shard;
use crate::solution::Solution;
use crate::store::{Borrowed, Store};
#[cfg(target_arch = "x86_64")]
use amq_core::internal::Cpu;
use amq_core::{BuildError, KeyHash, dispatch};

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

/// The code that looks keys up. A solution chooses it once, so that no query asks the processor.
///
/// It is proof that the processor has the features: nothing outside this file makes one.
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

/// What a query answers: `bool`, whether the key is in; or `u32`, its value.
pub(crate) trait Answer: Copy {
    /// The answer for this hash, where its window's parities are these, one bit per column, and any
    /// further bits. `low` keeps as many low bits as there are columns.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    fn of(parities: u32, hash: u64, low: impl FnOnce(u32) -> u32) -> Self;
    /// The answer by portable code.
    fn portable<L: SolutionLayout>(words: &[u64], window: &Window<L::Part>) -> Self;
}

impl Answer for bool {
    #[inline(always)]
    fn of(parities: u32, hash: u64, low: impl FnOnce(u32) -> u32) -> bool {
        low(parities ^ row::result(hash)) == 0
    }

    #[inline(always)]
    fn portable<L: SolutionLayout>(words: &[u64], window: &Window<L::Part>) -> bool {
        L::agrees(words, window)
    }
}

impl Answer for u32 {
    #[inline(always)]
    fn of(parities: u32, _: u64, low: impl FnOnce(u32) -> u32) -> u32 {
        low(parities)
    }

    #[inline(always)]
    fn portable<L: SolutionLayout>(words: &[u64], window: &Window<L::Part>) -> u32 {
        L::value(words, window)
    }
}

/// Answers for one key.
#[inline(always)]
pub(crate) fn answer<A: Answer, S: Store>(solution: &Solution<S>, hash: u64) -> A {
    match solution.backend().0 {
        // SAFETY: the backend says that the processor has the features.
        #[cfg(target_arch = "x86_64")]
        Features::Avx512 => unsafe { x86::answer::<A, S, true>(solution, hash) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Features::Avx2 => unsafe { x86::answer::<A, S, false>(solution, hash) },
        Features::Portable => portable(solution, hash),
    }
}

/// Answers for many keys; the slices are equally long. What is owned is borrowed for it, so that
/// the loops are compiled once for both.
pub(crate) fn answer_batch<A: Answer, S: Store>(
    solution: &Solution<S>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    let solution = &solution.view();
    match solution.backend().0 {
        // SAFETY: the backend says that the processor has the features.
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
fn portable<A: Answer, S: Store>(solution: &Solution<S>, hash: u64) -> A {
    fn by<A: Answer, L: SolutionLayout, S: Store>(solution: &Solution<S>, hash: u64) -> A {
        A::portable::<L>(solution.words(), &solution.window::<L>(hash))
    }
    match solution.slot_bytes() {
        1 => by::<A, BySlot<1>, S>(solution, hash),
        2 => by::<A, BySlot<2>, S>(solution, hash),
        3 => by::<A, BySlot<3>, S>(solution, hash),
        4 => by::<A, BySlot<4>, S>(solution, hash),
        _ => by::<A, ByColumn, S>(solution, hash),
    }
}

/// The portable twin of [`answer_batch`].
fn portable_batch<A: Answer>(
    solution: &Solution<Borrowed<'_>>,
    hashes: &[KeyHash],
    answers: &mut [A],
) {
    let words = solution.words();
    match solution.slot_bytes() {
        1 => solution.each::<BySlot<1>, A>(hashes, answers, |w| A::portable::<BySlot<1>>(words, w)),
        2 => solution.each::<BySlot<2>, A>(hashes, answers, |w| A::portable::<BySlot<2>>(words, w)),
        3 => solution.each::<BySlot<3>, A>(hashes, answers, |w| A::portable::<BySlot<3>>(words, w)),
        4 => solution.each::<BySlot<4>, A>(hashes, answers, |w| A::portable::<BySlot<4>>(words, w)),
        _ => solution.each::<ByColumn, A>(hashes, answers, |w| A::portable::<ByColumn>(words, w)),
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
        // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
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
        // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
        has_avx2_and_bits => unsafe { x86::seed(elimination, layer, shard, columns, keys) },
        elimination.seed(layer, shard, columns, keys)
    )
}
