//! What [`simd`](super) calls: each function needs the features it is compiled for, and with
//! `AVX512` those of [`Cpu::has_avx512`](amq_core::internal::Cpu::has_avx512) as well.
//!
//! What a query calls is inlined here, since a function of its own is compiled without the
//! features.

use super::portable;
use crate::order::{ByColumn, BySlot, Order, by_order};
use crate::store::Store;
use crate::system::System;
use amq_core::KeyHash;

/// An order with twins of [`Order`]'s methods, for windows before [`System::vector_end`].
pub(super) trait Vectors: Order {
    /// Whether the window's parities are the key's result.
    ///
    /// # Safety
    /// The processor has AVX2, BMI1, BMI2, LZCNT and POPCNT, and the caller is compiled for
    /// them: a function with features of its own would not be inlined everywhere. With `AVX512`
    /// the processor has that, too. The window is before the system's `vector_end`.
    unsafe fn agrees<S: Store, const AVX512: bool>(
        system: &System<S>,
        window: &Self::Window,
    ) -> bool;

    /// As [`agrees`](Vectors::agrees), for a single key: keeps nothing for the next one in
    /// registers.
    ///
    /// # Safety
    /// As [`agrees`](Vectors::agrees).
    #[inline(always)]
    unsafe fn agrees_alone<S: Store, const AVX512: bool>(
        system: &System<S>,
        window: &Self::Window,
    ) -> bool {
        // SAFETY: as the caller says.
        unsafe { <Self as Vectors>::agrees::<S, AVX512>(system, window) }
    }

    /// The window's parities, one bit per column.
    ///
    /// # Safety
    /// As [`agrees`](Vectors::agrees).
    unsafe fn value<S: Store, const AVX512: bool>(system: &System<S>, window: &Self::Window)
    -> u32;
}

// Values by column do without AVX2: compilers would count bits in vectors, which takes twice as
// long.

/// # Safety
/// The processor has the features; the order is by column.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn value<S: Store>(system: &System<S>, hash: u64) -> u32 {
    match system.first_window::<ByColumn>(hash) {
        Some(window) => <ByColumn as Order>::value(system.words(), &window),
        // SAFETY: the features are those of this function.
        None => unsafe { value_later(system, hash) },
    }
}

/// # Safety
/// The processor has the features.
#[cold]
#[inline(never)]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
unsafe fn value_later<S: Store>(system: &System<S>, hash: u64) -> u32 {
    <ByColumn as Order>::value(system.words(), &system.later_window::<ByColumn>(hash))
}

/// # Safety
/// The processor has the features; the order is by column.
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn values<S: Store>(system: &System<S>, hashes: &[KeyHash], values: &mut [u32]) {
    let words = system.words();
    system.each::<ByColumn, _>(hashes, values, |window| <ByColumn as Order>::value(words, window));
}

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn value_by_slot<S: Store, const AVX512: bool>(
    system: &System<S>,
    hash: u64,
) -> u32 {
    // SAFETY: the features are those of this function.
    by_order!(system.slot_bytes(), O => unsafe {
        value_anywhere::<S, O, AVX512>(system, &system.window::<O>(hash))
    })
}

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn values_by_slot<S: Store, const AVX512: bool>(
    system: &System<S>,
    hashes: &[KeyHash],
    values: &mut [u32],
) {
    // SAFETY: the features are those of this function.
    by_order!(system.slot_bytes(), O => system.each::<O, _>(hashes, values, |window| unsafe {
        value_anywhere::<S, O, AVX512>(system, window)
    }))
}

/// [`Vectors::value`] of any window.
///
/// # Safety
/// The processor has the features, and the caller is compiled for them.
#[inline(always)]
unsafe fn value_anywhere<S: Store, O: Vectors, const AVX512: bool>(
    system: &System<S>,
    window: &O::Window,
) -> u32 {
    if O::place(window) < system.vector_end() {
        // SAFETY: as the caller says, and the window is before the end.
        return unsafe { <O as Vectors>::value::<S, AVX512>(system, window) };
    }
    <O as Order>::value(system.words(), window)
}

/// Whether a key is in, with AVX2.
///
/// # Safety
/// The processor has the features.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn contains_by_order<S: Store>(system: &System<S>, hash: u64) -> bool {
    // SAFETY: the features are those of this function.
    unsafe {
        match system.slot_bytes() {
            0 => contains::<S, ByColumn, false>(system, hash),
            1 => contains_in::<S, BySlot<1>, false>(system, hash),
            _ => contains_wide::<S, false>(system, hash),
        }
    }
}

/// The less common orders: beside them, the choice above would become a jump table.
///
/// # Safety
/// The processor has the features.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn contains_wide<S: Store, const AVX512: bool>(
    system: &System<S>,
    hash: u64,
) -> bool {
    // SAFETY: the features are those of this function.
    by_order!(system.slot_bytes(), O => unsafe { contains::<S, O, AVX512>(system, hash) })
}

/// Whether a key is in a system of this order. Not inlined: each order keeps its own registers.
///
/// # Safety
/// The processor has the features.
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn contains<S: Store, O: Vectors, const AVX512: bool>(
    system: &System<S>,
    hash: u64,
) -> bool {
    // SAFETY: the features are those of this function.
    unsafe { contains_in::<S, O, AVX512>(system, hash) }
}

/// [`contains`], where it is called from.
///
/// # Safety
/// The processor has the features, and the caller is compiled for them.
#[inline(always)]
unsafe fn contains_in<S: Store, O: Vectors, const AVX512: bool>(
    system: &System<S>,
    hash: u64,
) -> bool {
    match system.first_window::<O>(hash) {
        // SAFETY: as the caller says, and the window is before the end.
        Some(window) if O::place(&window) < system.vector_end() => unsafe {
            O::agrees_alone::<S, AVX512>(system, &window)
        },
        Some(_) => portable::contains(system, hash),
        // SAFETY: as the caller says.
        None => unsafe { contains_later::<S, O, AVX512>(system, hash) },
    }
}

/// For the few keys that the first layer bumps. A function of its own, so that the one above
/// keeps everything in registers.
///
/// # Safety
/// The processor has the features.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn contains_later<S: Store, O: Vectors, const AVX512: bool>(
    system: &System<S>,
    hash: u64,
) -> bool {
    // SAFETY: the features are those of this function.
    unsafe { agrees_anywhere::<S, O, AVX512>(system, &system.later_window::<O>(hash)) }
}

/// # Safety
/// The processor has the features.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) unsafe fn contains_batch<S: Store, const AVX512: bool>(
    system: &System<S>,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    // SAFETY: the features are those of this function.
    by_order!(system.slot_bytes(), O => system.each::<O, _>(hashes, answers, |window| unsafe {
        agrees_anywhere::<S, O, AVX512>(system, window)
    }))
}

/// [`Vectors::agrees`] of any window.
///
/// # Safety
/// The processor has the features, and the caller is compiled for them.
#[inline(always)]
unsafe fn agrees_anywhere<S: Store, O: Vectors, const AVX512: bool>(
    system: &System<S>,
    window: &O::Window,
) -> bool {
    if O::place(window) < system.vector_end() {
        // SAFETY: as the caller says, and the window is before the end.
        return unsafe { <O as Vectors>::agrees::<S, AVX512>(system, window) };
    }
    agrees_at_the_end::<S, O>(system, window)
}

/// The portable twin. A function of its own, so that loops keep everything in registers.
#[cold]
#[inline(never)]
fn agrees_at_the_end<S: Store, O: Order>(system: &System<S>, window: &O::Window) -> bool {
    O::agrees(system.words(), window)
}
