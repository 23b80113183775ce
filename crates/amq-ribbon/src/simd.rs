//! Queries and builds with instructions that not every processor has.
//!
//! The one module of this crate with `unsafe` in it. Everything here has a portable twin that gives
//! the same answers. A query compares all columns at once with AVX2; a build only gains from BMI
//! and its like, which generic code gets by being inlined into a function compiled for them.
#![allow(unsafe_code)]

use crate::Kind;
use crate::entry::Entry;
use crate::group::{Group, Unsolved};
use crate::row::Row;
use crate::sizing::LOCKSTEP;
use crate::store::Store;
use crate::system::System;
use amq_core::{KeyHash, dispatch};

/// Whether a key is in.
#[inline(always)]
pub(crate) fn contains<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> bool {
    dispatch!(has_avx2_and_bits => x86::contains(system, hash), contains_portable(system, hash))
}

#[inline(never)]
fn contains_portable<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> bool {
    system.agrees(&system.window(hash))
}

/// Answers for many keys; the slices are equally long.
pub(crate) fn contains_batch<K: Kind, S: Store<K::Row>>(
    system: &System<K, S>,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    dispatch!(
        has_avx2_and_bits => x86::contains_batch(system, hashes, answers),
        system.each(hashes, answers, |window| system.agrees(window))
    )
}

/// The value of a key.
#[inline(always)]
pub(crate) fn value<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
    dispatch!(has_bits => x86::value(system, hash), value_portable(system, hash))
}

#[inline(never)]
fn value_portable<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
    system.value(&system.window(hash))
}

/// The values of many keys; the slices are equally long.
pub(crate) fn values<K: Kind, S: Store<K::Row>>(
    system: &System<K, S>,
    hashes: &[KeyHash],
    values: &mut [u32],
) {
    dispatch!(
        has_bits => x86::values(system, hashes, values),
        system.each(hashes, values, |window| system.value(window))
    )
}

/// [`Group::bump`].
pub(crate) fn bump<W: Row, E: Entry>(group: Group<'_, '_, W, E>) {
    dispatch!(has_bits => x86::bump(group), group.bump())
}

/// [`Group::seed`].
pub(crate) fn seed<W: Row, E: Entry>(
    group: Group<'_, '_, W, E>,
) -> Result<[u8; LOCKSTEP], Unsolved> {
    dispatch!(has_bits => x86::seed(group), group.seed())
}

/// Each function needs the features it is compiled for.
///
/// What a query or a build calls is inlined here, since a function of its own is compiled without
/// the features; so is a closure, which is why [`Group`] has methods instead.
#[cfg(target_arch = "x86_64")]
mod x86 {
    // Compilers differ in which of these intrinsics are unsafe.
    #![allow(unused_unsafe)]

    use super::{Group, Unsolved};
    use crate::Kind;
    use crate::entry::Entry;
    use crate::row::{Row, result};
    use crate::sizing::LOCKSTEP;
    use crate::store::Store;
    use crate::system::{System, Window};
    use amq_core::KeyHash;
    use core::arch::x86_64::*;

    // Builds and values go without AVX2: compilers would count bits in vectors, at twice the time.

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn bump<W: Row, E: Entry>(group: Group<'_, '_, W, E>) {
        group.bump();
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn seed<W: Row, E: Entry>(
        group: Group<'_, '_, W, E>,
    ) -> Result<[u8; LOCKSTEP], Unsolved> {
        group.seed()
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn value<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
        match system.first_window(hash) {
            Some(window) => system.value(&window),
            // SAFETY: the features are those of this function.
            None => unsafe { value_later(system, hash) },
        }
    }

    /// # Safety
    /// The processor has the features.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn value_later<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> u32 {
        system.value(&system.later_window(hash))
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn values<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hashes: &[KeyHash],
        values: &mut [u32],
    ) {
        system.each(hashes, values, |window| system.value(window));
    }

    /// # Safety
    /// The processor has the features.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hash: u64,
    ) -> bool {
        match system.first_window(hash) {
            // SAFETY: the features are those of this function, and the window is below the end.
            Some(window) if window.word < system.vector_end() => unsafe { agrees(system, &window) },
            Some(_) => super::contains_portable(system, hash),
            // SAFETY: the features are those of this function.
            None => unsafe { contains_later(system, hash) },
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
    unsafe fn contains_later<K: Kind, S: Store<K::Row>>(system: &System<K, S>, hash: u64) -> bool {
        // SAFETY: the features are those of this function.
        unsafe { agrees_anywhere(system, &system.later_window(hash)) }
    }

    /// # Safety
    /// The processor has the features.
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains_batch<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        // SAFETY: the features are those of this function.
        let agrees = |window: &Window| unsafe { agrees_anywhere(system, window) };
        system.each(hashes, answers, agrees);
    }

    /// The twin of [`System::agrees`].
    ///
    /// # Safety
    /// As [`agrees`], for any window.
    #[inline(always)]
    unsafe fn agrees_anywhere<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        window: &Window,
    ) -> bool {
        if window.word < system.vector_end() {
            // SAFETY: as the caller says, and the window is below the end.
            return unsafe { agrees(system, window) };
        }
        system.agrees(window)
    }

    /// [`System::agrees`] of a window below [`System::vector_end`].
    ///
    /// # Safety
    /// The processor has the features of the functions here, and the caller is compiled for them: a
    /// function with features of its own would not be inlined everywhere. The window's word is
    /// below the system's `vector_end`.
    #[inline(always)]
    unsafe fn agrees<K: Kind, S: Store<K::Row>>(system: &System<K, S>, window: &Window) -> bool {
        let row = Halves::of::<K::Row>(window);
        // SAFETY: below `vector_end` all columns of two blocks, rounded up to eights, can be read.
        unsafe {
            let block = system.words().as_ptr().add(window.word);
            // No early exit: it would be mispredicted for half of the keys. At the usual rates the
            // first eight columns are all there are.
            let differences = differ(block, window, 0, row);
            if system.params.columns <= 8 {
                return differences == 0;
            }
            differences | differ_later(system, block, window, row) == 0
        }
    }

    /// `differ` of the ninth column and those after it.
    ///
    /// # Safety
    /// The processor has the features; all columns of both blocks, rounded up to eights, can be
    /// read.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn differ_later<K: Kind, S: Store<K::Row>>(
        system: &System<K, S>,
        block: *const K::Row,
        window: &Window,
        row: Halves,
    ) -> u32 {
        let mut differences = 0;
        for first in (8..system.params.columns as usize).step_by(8) {
            // SAFETY: as the caller says.
            differences |= unsafe { differ(block, window, first, row) };
        }
        differences
    }

    /// A row's part in its first block and its part in the next. Rows of 64 bits have an upper half
    /// of zero.
    #[derive(Clone, Copy)]
    struct Halves {
        here: [u64; 2],
        next: [u64; 2],
    }

    impl Halves {
        #[inline(always)]
        fn of<W: Row>(window: &Window) -> Self {
            let row = W::of(window.hash);
            Self {
                here: row.up(window.offset).halves(),
                next: row.rest(window.offset).halves(),
            }
        }
    }

    /// The columns, of eight from `first` on, whose parity differs from the result; columns past
    /// the last do not differ.
    ///
    /// # Safety
    /// The processor has the features; eight columns can be read there, and in the next block.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn differ<W: Row>(block: *const W, window: &Window, first: usize, row: Halves) -> u32 {
        // SAFETY: the caller says that the words are there.
        let parities = unsafe {
            let block = block.add(first);
            let after = block.add(window.columns);
            parities(if W::BITS == 64 {
                sums_of_64(block.cast(), after.cast(), row)
            } else {
                sums_of_128(block.cast(), after.cast(), row)
            })
        };
        let differ = (parities ^ result(window.hash) >> first) as u8;
        let columns = window.columns.saturating_sub(first);
        // SAFETY: the feature is one of this function's.
        unsafe { _bzhi_u32(differ.into(), columns as u32) }
    }

    /// The solution at a row's slots, exclusive-ored, in eight columns folded to 32 bits each.
    ///
    /// # Safety
    /// The processor has AVX2; eight words can be read at both addresses.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn sums_of_64(block: *const u64, after: *const u64, row: Halves) -> __m256i {
        // SAFETY: the caller says that eight words can be read; the loads need no alignment.
        unsafe {
            let here = _mm256_set1_epi64x(row.here[0] as i64);
            let next = _mm256_set1_epi64x(row.next[0] as i64);
            let sum = |i: usize| {
                let one = _mm256_and_si256(_mm256_loadu_si256(block.add(i).cast()), here);
                let other = _mm256_and_si256(_mm256_loadu_si256(after.add(i).cast()), next);
                _mm256_xor_si256(one, other)
            };
            folded(sum(0), sum(4))
        }
    }

    /// The same of words of 128 bits.
    ///
    /// # Safety
    /// As above.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn sums_of_128(block: *const [u64; 2], after: *const [u64; 2], row: Halves) -> __m256i {
        // SAFETY: as above.
        unsafe {
            let [low, high] = row.here.map(|half| half as i64);
            let here = _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low));
            let [low, high] = row.next.map(|half| half as i64);
            let next = _mm256_broadcastsi128_si256(_mm_set_epi64x(high, low));
            // Two columns.
            let sum = |i: usize| {
                let one = _mm256_and_si256(_mm256_loadu_si256(block.add(i).cast()), here);
                let other = _mm256_and_si256(_mm256_loadu_si256(after.add(i).cast()), next);
                _mm256_xor_si256(one, other)
            };
            let halves = |a: __m256i, b: __m256i| {
                // Columns a, b, a + 1, b + 1.
                _mm256_xor_si256(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
            };
            let (low, high) = (halves(sum(0), sum(2)), halves(sum(4), sum(6)));
            let in_order = _mm256_permute4x64_epi64::<0b11_01_10_00>;
            folded(in_order(low), in_order(high))
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
                EVEN, ODD, ODD, EVEN, ODD, EVEN, EVEN, ODD, ODD, EVEN, EVEN, ODD, EVEN, ODD, ODD,
                EVEN,
            ));
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_shuffle_epi8(odd, halves))) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Budget, BuildFilter, Bumped, Kind, Ribbon, Standard};
    use amq_core::KeyHash;
    use std::vec;
    use std::vec::Vec;

    /// Asks for present keys and absent ones: both paths agree on each.
    fn agree<K: Kind>(columns: u32, n: u64) {
        let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
        // A rate between two powers of two, so that there are short blocks.
        let fpr = 0.75 * 0.5f64.powi(columns as i32 - 1);
        let system = Ribbon::<K>::build_hashes(Budget::Fpr(fpr), 1, &hashes)
            .unwrap()
            .system;
        assert_eq!(system.params.columns, columns);
        if n >= 400 {
            assert!(
                system.vector_end() > 0,
                "{columns} columns: never by vectors"
            );
        }
        let absent = if cfg!(miri) { 50 } else { n + 5000 };
        let asked: Vec<KeyHash> = (0..n + absent).map(|key| KeyHash::of(&key, 1)).collect();
        let mut batch = vec![false; asked.len()];
        super::contains_batch(&system, &asked, &mut batch);
        let mut values = vec![0; asked.len()];
        super::values(&system, &asked, &mut values);
        let mut found = 0;
        for ((&hash, in_batch), value) in asked.iter().zip(batch).zip(values) {
            let portable = super::contains_portable(&system, hash.get());
            assert_eq!(
                super::contains(&system, hash.get()),
                portable,
                "{columns} columns, {hash:?}"
            );
            assert_eq!(
                in_batch, portable,
                "{columns} columns, {hash:?}, in a batch"
            );
            assert_eq!(super::value(&system, hash.get()), value);
            assert_eq!(super::value_portable(&system, hash.get()), value);
            found += u64::from(portable);
        }
        assert!(found >= n);
    }

    #[test]
    fn dispatched_and_portable_queries_agree_at_every_number_of_columns() {
        if cfg!(miri) {
            for columns in [7, 19] {
                agree::<Bumped>(columns, 400);
                agree::<Standard>(columns, 400);
            }
            return;
        }
        for columns in 2..=31 {
            for n in [1, 40, 700, 5000] {
                agree::<Bumped>(columns, n);
                agree::<Standard>(columns, n);
            }
        }
        agree::<Bumped>(8, 60_000);
    }
}
