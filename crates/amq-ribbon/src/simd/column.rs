//! Words ordered by column: all columns of two blocks at once, eight at a time.

// Compilers differ in which of these intrinsics are unsafe.
#![allow(unused_unsafe)]

use super::avx512;
use super::x86::Vectors;
use crate::order::{ByColumn, Order, Window};
use crate::row::{self, result};
use crate::store::Store;
use crate::system::System;
use core::arch::x86_64::*;

impl Vectors for ByColumn {
    #[inline(always)]
    unsafe fn agrees<S: Store, const AVX512: bool>(system: &System<S>, window: &Window) -> bool {
        // No early exit: it would be mispredicted for half of the keys. At the usual rates the
        // first eight columns are all there are.
        // SAFETY: as the caller says; below `vector_end` all columns of two blocks can be read, and
        // eight words of each at least.
        unsafe {
            let mut differences = differ::<S, AVX512>(system, window, 0);
            for first in (8..system.params().columns).step_by(8) {
                differences |= differ::<S, AVX512>(system, window, first);
            }
            differences == 0
        }
    }

    #[inline(always)]
    unsafe fn agrees_alone<S: Store, const AVX512: bool>(
        system: &System<S>,
        window: &Window,
    ) -> bool {
        // SAFETY: as above.
        unsafe {
            let differences = differ::<S, AVX512>(system, window, 0);
            if system.params().columns <= 8 {
                return differences == 0;
            }
            let Window { word, columns, offset, hash } = *window;
            agrees_later::<S, AVX512>(system, word, columns, offset, hash, differences)
        }
    }

    #[inline(always)]
    unsafe fn value<S: Store, const AVX512: bool>(system: &System<S>, window: &Window) -> u32 {
        // Only slots' values gain from vectors.
        <Self as Order>::value(system.words(), window)
    }
}

/// Whether the columns from the ninth on agree, too. Its arguments fit into registers, so that its
/// caller keeps nothing for afterwards.
///
/// # Safety
/// The processor has the features; all columns of both blocks can be read, and eight words of each
/// at least.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn agrees_later<S: Store, const AVX512: bool>(
    system: &System<S>,
    word: usize,
    columns: u32,
    offset: u32,
    hash: u64,
    differences: u32,
) -> bool {
    let window = Window { word, columns, offset, hash };
    let mut differences = differences;
    for first in (8..system.params().columns).step_by(8) {
        // SAFETY: as the caller says.
        differences |= unsafe { differ::<S, AVX512>(system, &window, first) };
    }
    differences == 0
}

/// Those of the eight columns from `first` on whose parity differs from the result. Where fewer are
/// left it looks at the last eight instead: past them may begin a line that nobody has prefetched.
///
/// # Safety
/// The processor has the features; all columns of both blocks can be read, and eight words of each
/// at least.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn differ<S: Store, const AVX512: bool>(
    system: &System<S>,
    window: &Window,
    first: u32,
) -> u32 {
    let row = row::split(row::of(window.hash), window.offset);
    let first = first.min(window.columns.saturating_sub(8));
    // SAFETY: the caller says that the words are there.
    let parities = unsafe {
        let block = system.words().as_ptr().add(window.word + first as usize);
        let after = block.add(window.columns as usize);
        match AVX512 {
            true => avx512::parities([block, after], row.into()),
            false => parities(sums(block, after, row)),
        }
    };
    let differ = (parities ^ result(window.hash) >> first) as u8;
    // SAFETY: the feature is one of this function's.
    unsafe { _bzhi_u32(differ.into(), window.columns) }
}

/// The solution at a row's slots, exclusive-ored, in eight columns folded to 32 bits each.
///
/// # Safety
/// The processor has AVX2; eight words can be read at both addresses.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn sums(block: *const u64, after: *const u64, (here, next): (u64, u64)) -> __m256i {
    // SAFETY: the caller says that eight words can be read; the loads need no alignment.
    unsafe {
        let here = _mm256_set1_epi64x(here as i64);
        let next = _mm256_set1_epi64x(next as i64);
        let sum = |i: usize| {
            let one = _mm256_and_si256(_mm256_loadu_si256(block.add(i).cast()), here);
            let other = _mm256_and_si256(_mm256_loadu_si256(after.add(i).cast()), next);
            _mm256_xor_si256(one, other)
        };
        folded(sum(0), sum(4))
    }
}

/// Eight columns of 64 bits, folded to 32 bits each, in order.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn folded(low: __m256i, high: __m256i) -> __m256i {
    // SAFETY: the feature is that of this function.
    unsafe {
        let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
        // The lower halves and the upper halves of columns 0, 1, 4, 5, 2, 3, 6, 7.
        let lower = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
        let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_xor_si256(lower, upper))
    }
}

/// The parities of eight lanes of 32 bits, as the lowest eight bits.
///
/// # Safety
/// The processor has AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn parities(lanes: __m256i) -> u32 {
    // SAFETY: the feature is that of this function.
    unsafe {
        // Folds each lane into its highest byte, and that byte into its lower half.
        let sum = _mm256_xor_si256(lanes, _mm256_slli_epi32::<16>(lanes));
        let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<8>(sum));
        let sum = _mm256_xor_si256(sum, _mm256_srli_epi32::<4>(sum));
        let halves = _mm256_and_si256(sum, _mm256_set1_epi8(15));
        // For each value of four bits, whether an odd number of them is set, as the highest
        // bit.
        const EVEN: i8 = 0;
        const ODD: i8 = i8::MIN;
        let odd = _mm256_broadcastsi128_si256(_mm_setr_epi8(
            EVEN, ODD, ODD, EVEN, ODD, EVEN, EVEN, ODD, ODD, EVEN, EVEN, ODD, EVEN, ODD, ODD, EVEN,
        ));
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_shuffle_epi8(odd, halves))) as u32
    }
}
