//! Queries and builds with instructions that not every processor has.
//!
//! The only module of this crate that has `unsafe` code. Everything here has a portable twin that
//! gives the same answers. A query reads all slots of its window, or all columns, at once with
//! AVX2, and in half as many instructions with AVX-512. A build is generic code inlined into
//! functions compiled for AVX2 and the bit instructions.
#![allow(unsafe_code)]

use crate::elimination::Elimination;
use crate::entry::Entry;
use crate::layer::{Columns, Extent, Layer};
#[cfg(target_arch = "x86_64")]
use crate::order::{ByColumn, BySlot};
use crate::shards::Shard;
use crate::store::{Borrowed, Store};
use crate::system::System;
use amq_core::{BuildError, KeyHash, dispatch};

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod column;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon", not(miri)))]
pub(crate) mod neon;
mod path;
mod portable;
#[cfg(target_arch = "x86_64")]
mod slot;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
use path::Code;
pub(crate) use path::Path;

/// Whether a key is in.
#[inline(always)]
pub(crate) fn contains<S: Store>(system: &System<S>, hash: u64) -> bool {
    // The most common ones. A choice among more would be a jump table in the caller's loop.
    #[cfg(target_arch = "x86_64")]
    match system.path().code() {
        // SAFETY: a path says what the processor has; the system's is that of its order.
        Code::Bytes => return unsafe { x86::contains::<S, BySlot<1>, true>(system, hash) },
        // SAFETY: as above.
        Code::Columns => return unsafe { x86::contains::<S, ByColumn, true>(system, hash) },
        _ => {}
    }
    contains_otherwise(system, hash)
}

/// [`contains`] by the less common code.
#[cfg_attr(target_arch = "x86_64", inline(never))]
fn contains_otherwise<S: Store>(system: &System<S>, hash: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    match system.path().code() {
        // SAFETY: as in `contains`.
        Code::Avx2 => return unsafe { x86::contains_by_order(system, hash) },
        // SAFETY: as in `contains`.
        Code::Wide => return unsafe { x86::contains_wide::<S, true>(system, hash) },
        _ => {}
    }
    portable::contains(system, hash)
}

/// Answers for many keys; the slices are equally long. What is owned is borrowed for it, so that
/// the loops are compiled once for both.
pub(crate) fn contains_batch<S: Store>(
    system: &System<S>,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    contains_each(&system.view(), hashes, answers);
}

fn contains_each(system: &System<Borrowed<'_>>, hashes: &[KeyHash], answers: &mut [bool]) {
    dispatch!(
        // SAFETY: it needs AVX-512, which the processor has.
        has_avx512 => unsafe { x86::contains_batch::<_, true>(system, hashes, answers) },
        {}
    );
    dispatch!(
        // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
        has_avx2_and_bits => unsafe { x86::contains_batch::<_, false>(system, hashes, answers) },
        portable::contains_batch(system, hashes, answers)
    )
}

/// The value of a key.
#[inline(always)]
pub(crate) fn value<S: Store>(system: &System<S>, hash: u64) -> u32 {
    if system.slot_bytes() > 0 {
        return value_by_slot(system, hash);
    }
    dispatch!(
        // SAFETY: it needs the bit instructions, which the processor has.
        has_bits => unsafe { x86::value(system, hash) },
        portable::value(system, hash)
    )
}

#[inline(always)]
fn value_by_slot<S: Store>(system: &System<S>, hash: u64) -> u32 {
    dispatch!(
        // SAFETY: it needs AVX-512, which the processor has.
        has_avx512 => unsafe { x86::value_by_slot::<_, true>(system, hash) },
        {}
    );
    dispatch!(
        // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
        has_avx2_and_bits => unsafe { x86::value_by_slot::<_, false>(system, hash) },
        portable::value(system, hash)
    )
}

/// The values of many keys; the slices are equally long. See [`contains_batch`].
pub(crate) fn values<S: Store>(system: &System<S>, hashes: &[KeyHash], values: &mut [u32]) {
    values_of_each(&system.view(), hashes, values);
}

fn values_of_each(system: &System<Borrowed<'_>>, hashes: &[KeyHash], values: &mut [u32]) {
    if system.slot_bytes() > 0 {
        return values_by_slot(system, hashes, values);
    }
    dispatch!(
        // SAFETY: it needs the bit instructions, which the processor has.
        has_bits => unsafe { x86::values(system, hashes, values) },
        portable::values(system, hashes, values)
    )
}

fn values_by_slot<S: Store>(system: &System<S>, hashes: &[KeyHash], values: &mut [u32]) {
    dispatch!(
        // SAFETY: it needs AVX-512, which the processor has.
        has_avx512 => unsafe { x86::values_by_slot::<_, true>(system, hashes, values) },
        {}
    );
    dispatch!(
        // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
        has_avx2_and_bits => unsafe { x86::values_by_slot::<_, false>(system, hashes, values) },
        portable::values(system, hashes, values)
    )
}

// The steps of a build. What each function of `fast` calls is inlined into it: a function of its
// own would be compiled without the features, and so would a closure.

/// [`Elimination::bump`].
pub(crate) fn bump<E: Entry>(
    elimination: &mut Elimination<E>,
    layer: &Layer,
    extent: &Extent,
    entries: &[E],
) -> Result<(), BuildError> {
    dispatch!(
        // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
        has_avx2_and_bits => unsafe { fast::bump(elimination, layer, extent, entries) },
        elimination.bump(layer, extent, entries)
    )
}

/// [`Elimination::seed`].
pub(crate) fn seed<E: Entry>(
    elimination: &mut Elimination<E>,
    extent: &Extent,
    entries: &[E],
    seed: u8,
) -> Result<bool, BuildError> {
    dispatch!(
        // SAFETY: as above.
        has_avx2_and_bits => unsafe { fast::seed(elimination, extent, entries, seed) },
        elimination.seed(extent, entries, seed)
    )
}

/// [`Elimination::solve`].
pub(crate) fn solve<E: Entry>(
    elimination: &Elimination<E>,
    layer: &Layer,
    shard: &mut Shard<'_, E>,
    columns: Columns,
) {
    dispatch!(
        // SAFETY: as above.
        has_avx2_and_bits => unsafe { fast::solve(elimination, layer, shard, columns) },
        elimination.solve(layer, shard, columns)
    )
}

/// The steps of a build, compiled for AVX2 and the bit instructions.
#[cfg(target_arch = "x86_64")]
mod fast {
    use super::*;

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn bump<E: Entry>(
        elimination: &mut Elimination<E>,
        layer: &Layer,
        extent: &Extent,
        entries: &[E],
    ) -> Result<(), BuildError> {
        elimination.bump(layer, extent, entries)
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn seed<E: Entry>(
        elimination: &mut Elimination<E>,
        extent: &Extent,
        entries: &[E],
        seed: u8,
    ) -> Result<bool, BuildError> {
        elimination.seed(extent, entries, seed)
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn solve<E: Entry>(
        elimination: &Elimination<E>,
        layer: &Layer,
        shard: &mut Shard<'_, E>,
        columns: Columns,
    ) {
        elimination.solve(layer, shard, columns)
    }
}
