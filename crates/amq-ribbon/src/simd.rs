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

/// Calls the function of [`x86`] with AVX-512, with AVX2, or its portable twin: the first that the
/// processor can run.
macro_rules! by_vectors {
    ($fast:ident($system:expr $(, $argument:expr)*), $portable:expr) => {{
        dispatch!(
            // SAFETY: it needs AVX-512, which the processor has.
            has_avx512 => unsafe { x86::$fast::<_, true>($system $(, $argument)*) },
            {}
        );
        dispatch!(
            // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
            has_avx2_and_bits => unsafe { x86::$fast::<_, false>($system $(, $argument)*) },
            $portable
        )
    }};
}

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
    by_vectors!(contains_batch(system, hashes, answers), {
        portable::contains_batch(system, hashes, answers)
    })
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
    by_vectors!(value_by_slot(system, hash), portable::value(system, hash))
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
    by_vectors!(values_by_slot(system, hashes, values), portable::values(system, hashes, values))
}

/// For each step of a build: the function that chooses, and one compiled for AVX2 and the bit
/// instructions. What that one calls is inlined into it: a function of its own would be compiled
/// without them, and so would a closure.
macro_rules! steps {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($elimination:ty $(, $argument:ident: $type:ty)*) $(-> $answer:ty)?;
    )*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name<E: Entry>(
                elimination: $elimination $(, $argument: $type)*
            ) $(-> $answer)? {
                dispatch!(
                    // SAFETY: it needs AVX2 and the bit instructions, which the processor has.
                    has_avx2_and_bits => unsafe { fast::$name(elimination $(, $argument)*) },
                    elimination.$name($($argument),*)
                )
            }
        )*

        #[cfg(target_arch = "x86_64")]
        mod fast {
            use super::*;
            $(
                /// # Safety
                /// The processor has the features.
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                pub(super) unsafe fn $name<E: Entry>(
                    elimination: $elimination $(, $argument: $type)*
                ) $(-> $answer)? {
                    elimination.$name($($argument),*)
                }
            )*
        }
    };
}

steps! {
    /// [`Elimination::bump`].
    fn bump(&mut Elimination<E>, layer: &Layer, extent: &Extent, entries: &[E])
        -> Result<(), BuildError>;
    /// [`Elimination::seed`].
    fn seed(&mut Elimination<E>, extent: &Extent, entries: &[E], seed: u8)
        -> Result<bool, BuildError>;
    /// [`Elimination::solve`].
    fn solve(&Elimination<E>, layer: &Layer, shard: &mut Shard<'_, E>, columns: Columns);
}
