//! The instructions that not every processor has: where they are there, all columns of a query are compared at once.
//!
//! The one room of this crate with `unsafe` in it. Everything here has a twin in plain code that gives the same answers.
#![allow(unsafe_code)]

use crate::Kind;
use crate::system::System;

/// Whether the quicker paths may be taken: asked once, when a filter is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quick(bool);

impl Quick {
    /// Asks the processor.
    pub(crate) fn detect() -> Self {
        let there = amq_core::cpu::has_avx2() && amq_core::cpu::has_bmi2();
        Self(cfg!(target_arch = "x86_64") && there)
    }
}

/// Whether a key is in, by the quickest path there is.
#[inline(always)]
pub(crate) fn contains<K: Kind>(system: &System<K>, hash: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if system.quick.0 {
        // SAFETY: the processor has been asked for the features that the function needs.
        return unsafe { x86::contains(system, hash) };
    }
    contains_portable(system, hash)
}

#[inline(never)]
fn contains_portable<K: Kind>(system: &System<K>, hash: u64) -> bool {
    system.agrees(&system.place(hash))
}

/// Answers for many keys; the slices are equally long.
pub(crate) fn contains_batch<K: Kind>(
    system: &System<K>,
    hashes: &[amq_core::KeyHash],
    answers: &mut [bool],
) {
    #[cfg(target_arch = "x86_64")]
    if system.quick.0 {
        // SAFETY: as above.
        unsafe { x86::contains_batch(system, hashes, answers) };
        return;
    }
    system.each(hashes, answers, |place| system.agrees(place));
}

/// The value of a key.
#[inline(always)]
pub(crate) fn value<K: Kind>(system: &System<K>, hash: u64) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if system.quick.0 {
        // SAFETY: as above.
        return unsafe { x86::value(system, hash) };
    }
    value_portable(system, hash)
}

#[inline(never)]
fn value_portable<K: Kind>(system: &System<K>, hash: u64) -> u32 {
    system.value(&system.place(hash))
}

/// The values of many keys.
pub(crate) fn values<K: Kind>(
    system: &System<K>,
    hashes: &[amq_core::KeyHash],
    values: &mut [u32],
) {
    with_bit_instructions(|| system.each(hashes, values, |place| system.value(place)));
}

/// Calls a function that may be compiled for the processor's bit instructions.
#[inline(always)]
pub(crate) fn with_bit_instructions<R>(call: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if Quick::detect().0 {
        // SAFETY: as above.
        return unsafe { x86::call(call) };
    }
    call()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    // What is unsafe of these intrinsics differs between compilers.
    #![allow(unused_unsafe)]

    use crate::Kind;
    use crate::system::{Place, System};
    use crate::width::Row;
    use amq_core::KeyHash;
    use core::arch::x86_64::*;

    // Each function here asks of its caller that the processor has the features it is compiled for.

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn call<R>(call: impl FnOnce() -> R) -> R {
        call()
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains<K: Kind>(system: &System<K>, hash: u64) -> bool {
        // SAFETY: the features are those of this function.
        unsafe { agrees(system, &system.place(hash)) }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn value<K: Kind>(system: &System<K>, hash: u64) -> u32 {
        system.value(&system.place(hash))
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains_batch<K: Kind>(
        system: &System<K>,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        // SAFETY: the features are those of this function.
        system.each(hashes, answers, |place| unsafe { agrees(system, place) });
    }

    /// The twin of [`System::agrees`].
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn agrees<K: Kind>(system: &System<K>, place: &Place) -> bool {
        let words = K::Row::words_of_64(&system.words);
        let Some(words) = words.filter(|words| place.word + 2 * place.columns + 8 <= words.len())
        else {
            return system.agrees(place);
        };
        let row = u64::of(place.row);
        let (here, next) = (row.up(place.offset), row.rest(place.offset));
        let mut result = crate::width::result(place.row);
        // No early exit: half of the keys would be guessed wrong.
        let (mut done, mut differences) = (0, 0);
        while done < place.columns {
            // SAFETY: both groups of eight words end before `place.word + 2 * place.columns + 8`, as `done` is below `place.columns`.
            let differ = unsafe {
                let first = words.as_ptr().add(place.word + done);
                differ(first, first.add(place.columns), here, next, result)
            };
            differences |= differ & COUNTED[(place.columns - done).min(8)];
            result >>= 8;
            done += 8;
        }
        differences == 0
    }

    /// Of the answers of `differ`, those of the first so many columns.
    const COUNTED: [u32; 9] = {
        let mut counted = [0; 9];
        let mut columns = 1;
        while columns <= 8 {
            let column = columns - 1;
            // Columns 0 to 3 are in the even bits, 4 to 7 in the odd ones.
            counted[columns] = counted[column] | 1 << (column % 4 * 2 + column / 4);
            columns += 1;
        }
        counted
    };

    /// In which of eight columns the parity is not the result's bit: columns 0, 4, 1, 5, 2, 6, 3, 7 from the lowest bit on.
    ///
    /// # Safety
    /// Eight words can be read at both addresses.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn differ(
        block: *const u64,
        after: *const u64,
        here: u64,
        next: u64,
        result: u32,
    ) -> u32 {
        // SAFETY: the caller says that the words are there; the loads need no alignment.
        unsafe {
            let (here, next) = (
                _mm256_set1_epi64x(here as i64),
                _mm256_set1_epi64x(next as i64),
            );
            let sum = |i: usize| {
                let one = _mm256_and_si256(_mm256_loadu_si256(block.add(i).cast()), here);
                let other = _mm256_and_si256(_mm256_loadu_si256(after.add(i).cast()), next);
                _mm256_xor_si256(one, other)
            };
            let (low, high) = (sum(0), sum(4));
            // Each column folded to 32 bits: the first four in the lower halves, the others in the upper ones.
            let low = _mm256_xor_si256(low, _mm256_srli_epi64::<32>(low));
            let high = _mm256_xor_si256(high, _mm256_slli_epi64::<32>(high));
            let mut all = _mm256_blend_epi32::<0b1010_1010>(low, high);
            all = _mm256_xor_si256(all, _mm256_slli_epi32::<16>(all));
            all = _mm256_xor_si256(all, _mm256_slli_epi32::<8>(all));
            all = _mm256_xor_si256(all, _mm256_slli_epi32::<4>(all));
            all = _mm256_xor_si256(all, _mm256_slli_epi32::<2>(all));
            all = _mm256_xor_si256(all, _mm256_slli_epi32::<1>(all));
            // The highest bit of each lane is its column's parity; the result's bits are moved there, too.
            let to_top = _mm256_setr_epi32(31, 27, 30, 26, 29, 25, 28, 24);
            let wanted = _mm256_sllv_epi32(_mm256_set1_epi32(result as i32), to_top);
            let differ = _mm256_xor_si256(all, wanted);
            _mm256_movemask_ps(_mm256_castsi256_ps(differ)) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::system::System;
    use crate::{Budget, BuildFilter, Bumped, Kind, Ribbon, Standard};
    use amq_core::KeyHash;
    use std::vec;
    use std::vec::Vec;

    /// Present keys and absent ones, of which some are answered `true`: the quick path and the plain one agree on each.
    fn agree<K: Kind>(columns: u32, n: u64) {
        let hashes: Vec<KeyHash> = (0..n).map(|key| KeyHash::of(&key, 1)).collect();
        // A rate between two powers of two, so that there are short blocks.
        let fpr = 0.75 * 0.5f64.powi(columns as i32 - 1);
        let system: System<K> = Ribbon::<K>::build(Budget::Fpr(fpr), 1, &hashes)
            .unwrap()
            .into_system();
        assert_eq!(system.params.columns, columns);
        let asked: Vec<KeyHash> = (0..2 * n + 5000).map(|key| KeyHash::of(&key, 1)).collect();
        let mut batch = vec![false; asked.len()];
        super::contains_batch(&system, &asked, &mut batch);
        let mut values = vec![0; asked.len()];
        super::values(&system, &asked, &mut values);
        let mut found = 0;
        for ((&hash, in_batch), value) in asked.iter().zip(batch).zip(values) {
            let plain = super::contains_portable(&system, hash.get());
            assert_eq!(
                super::contains(&system, hash.get()),
                plain,
                "{columns} columns, {hash:?}"
            );
            assert_eq!(in_batch, plain, "{columns} columns, {hash:?}, in a batch");
            assert_eq!(super::value(&system, hash.get()), value);
            assert_eq!(super::value_portable(&system, hash.get()), value);
            found += u64::from(plain);
        }
        assert!(found >= n);
    }

    #[test]
    fn quick_and_plain_queries_agree_at_every_number_of_columns() {
        for columns in 2..=31 {
            for n in [1, 40, 700, 5000] {
                agree::<Bumped>(columns, n);
                agree::<Standard>(columns, n);
            }
        }
        agree::<Bumped>(8, 60_000);
    }
}
