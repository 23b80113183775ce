//! The instructions that not every processor has: where they are there, all columns of a query are compared at once.
//!
//! The one room of this crate with `unsafe` in it. Everything here has a twin in plain code that gives the same answers.
#![allow(unsafe_code)]

use crate::Kind;
use crate::system::System;

/// Up to which word the quicker paths may be taken: they read eights of columns, and so some words more than are meant. None of them if the processor lacks what
/// they need, which is asked once, when a system is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Quick {
    /// The first word from which on the plain path must be taken.
    end: usize,
}

impl Quick {
    /// For so many words, of blocks that have so many columns at most.
    pub(crate) fn new(words: usize, columns: u32) -> Self {
        let read = columns as usize + columns.next_multiple_of(8) as usize;
        let end = match words.checked_sub(read) {
            Some(last) if are_there() => last + 1,
            _ => 0,
        };
        Self { end }
    }
}

/// Whether the processor has the instructions of the quicker paths.
fn are_there() -> bool {
    cfg!(target_arch = "x86_64") && amq_core::cpu::has_avx2() && amq_core::cpu::has_bmi2()
}

/// Whether a key is in, by the quickest path there is.
#[inline(always)]
pub(crate) fn contains<K: Kind>(system: &System<K>, hash: u64) -> bool {
    #[cfg(target_arch = "x86_64")]
    if system.quick.end > 0 {
        // SAFETY: the processor has been asked for the features that the function needs.
        return unsafe { x86::contains(system, hash) };
    }
    contains_portable(system, hash)
}

#[inline(never)]
fn contains_portable<K: Kind>(system: &System<K>, hash: u64) -> bool {
    !system.is_empty() && system.agrees(&system.place(hash))
}

/// Answers for many keys; the slices are equally long.
pub(crate) fn contains_batch<K: Kind>(
    system: &System<K>,
    hashes: &[amq_core::KeyHash],
    answers: &mut [bool],
) {
    #[cfg(target_arch = "x86_64")]
    if system.quick.end > 0 {
        // SAFETY: as above.
        unsafe { x86::contains_batch(system, hashes, answers) };
        return;
    }
    if system.is_empty() {
        answers.fill(false);
        return;
    }
    system.each(hashes, answers, |place| system.agrees(place));
}

/// The value of a key.
#[inline(always)]
pub(crate) fn value<K: Kind>(system: &System<K>, hash: u64) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if system.quick.end > 0 {
        // SAFETY: as above.
        return unsafe { x86::value(system, hash) };
    }
    value_portable(system, hash)
}

#[inline(never)]
fn value_portable<K: Kind>(system: &System<K>, hash: u64) -> u32 {
    if system.is_empty() {
        return 0;
    }
    system.value(&system.place(hash))
}

/// The values of many keys.
pub(crate) fn values<K: Kind>(
    system: &System<K>,
    hashes: &[amq_core::KeyHash],
    values: &mut [u32],
) {
    if system.is_empty() {
        values.fill(0);
        return;
    }
    with_bit_instructions(Values(system, hashes, values));
}

/// What is worth to be compiled for the processor's bit instructions: `run` is to be inlined always, as what is a function of its own, or
/// a closure, is compiled without.
pub(crate) trait Work {
    type Outcome;
    fn run(self) -> Self::Outcome;
}

struct Values<'a, K: Kind>(&'a System<K>, &'a [amq_core::KeyHash], &'a mut [u32]);

impl<K: Kind> Work for Values<'_, K> {
    type Outcome = ();

    #[inline(always)]
    fn run(self) {
        let Self(system, hashes, values) = self;
        system.each(hashes, values, |place| system.value(place));
    }
}

/// Runs it, with the bit instructions if the processor has them.
pub(crate) fn with_bit_instructions<T: Work>(work: T) -> T::Outcome {
    #[cfg(target_arch = "x86_64")]
    if are_there() {
        // SAFETY: as above.
        return unsafe { x86::run(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    // What is unsafe of these intrinsics differs between compilers.
    #![allow(unused_unsafe)]

    use crate::Kind;
    use crate::system::{Place, System};
    use crate::width::{Row, result};
    use amq_core::KeyHash;
    use core::arch::x86_64::*;

    // Each function here asks of its caller that the processor has the features it is compiled for.

    // Without AVX2: compilers take it to count bits in vectors, which takes twice as long here.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn run<T: super::Work>(work: T) -> T::Outcome {
        work.run()
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) unsafe fn contains<K: Kind>(system: &System<K>, hash: u64) -> bool {
        match system.first_place(hash) {
            // SAFETY: the features are those of this function.
            Some(place) => unsafe { agrees(system, &place) },
            // SAFETY: as above.
            None => unsafe { contains_later(system, hash) },
        }
    }

    /// For the few keys that are not in the first layer: a function of its own, so that the one above keeps all it has in registers.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn contains_later<K: Kind>(system: &System<K>, hash: u64) -> bool {
        // SAFETY: the features are those of this function.
        unsafe { agrees(system, &system.later_place(hash)) }
    }

    // Without AVX2, as `run`.
    #[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
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
    ///
    /// # Safety
    /// The caller is compiled for the features that all functions here are, and this one is a part of it: a function of its own would not be inlined everywhere.
    #[inline(always)]
    unsafe fn agrees<K: Kind>(system: &System<K>, place: &Place) -> bool {
        if place.word >= system.quick.end {
            return system.agrees(place);
        }
        let row = Halves::of::<K::Row>(place);
        // SAFETY: `Quick` says that all columns of two blocks, rounded up to eights, can be read from this word on.
        unsafe {
            let block = system.words.as_ptr().add(place.word);
            // No early exit: half of the keys would be guessed wrong. The first eight columns are all there are at the usual rates.
            let differences = differ(block, place, 0, row);
            if system.params.columns <= 8 {
                return differences == 0;
            }
            differences | differ_later(system, block, place, row) == 0
        }
    }

    /// `differ` of the ninth column and those after it.
    ///
    /// # Safety
    /// All columns of both blocks, rounded up to eights, can be read.
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn differ_later<K: Kind>(
        system: &System<K>,
        block: *const K::Row,
        place: &Place,
        row: Halves,
    ) -> u32 {
        let mut differences = 0;
        for first in (8..system.params.columns as usize).step_by(8) {
            // SAFETY: as the caller says.
            differences |= unsafe { differ(block, place, first, row) };
        }
        differences
    }

    /// A row, moved to where it is in its first block, and what of it reaches into the next one. Rows of 64 bits have an upper half of zero.
    #[derive(Clone, Copy)]
    struct Halves {
        here: [u64; 2],
        next: [u64; 2],
    }

    impl Halves {
        #[inline(always)]
        fn of<W: Row>(place: &Place) -> Self {
            let row = W::of(place.row);
            Self {
                here: row.up(place.offset).halves(),
                next: row.rest(place.offset).halves(),
            }
        }
    }

    /// In which of eight columns from `first` on the parity is not the result's bit: zero if in none that there is.
    ///
    /// # Safety
    /// Eight columns can be read there, and in the next block.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    unsafe fn differ<W: Row>(block: *const W, place: &Place, first: usize, row: Halves) -> u32 {
        // SAFETY: the caller says that the words are there.
        let parities = unsafe {
            let block = block.add(first);
            let after = block.add(place.columns);
            parities(if W::BITS == 64 {
                sums_of_64(block.cast(), after.cast(), row)
            } else {
                sums_of_128(block.cast(), after.cast(), row)
            })
        };
        let differ = (parities ^ result(place.row) >> first) as u8;
        let columns = place.columns.saturating_sub(first);
        // SAFETY: the feature is one of this function's.
        unsafe { _bzhi_u32(differ.into(), columns as u32) }
    }

    /// The sum of the solution at a row's slots, in eight columns that are folded to 32 bits each.
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

    /// Eight columns of 64 bits, folded to 32 bits each, in their order.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn folded(low: __m256i, high: __m256i) -> __m256i {
        // SAFETY: the feature is that of this function.
        unsafe {
            let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
            // The lower halves of all, and the upper halves: of columns 0, 1, 4, 5, 2, 3, 6, 7.
            let lower = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
            let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_xor_si256(lower, upper))
        }
    }

    /// The parities of eight lanes of 32 bits, in the lowest eight bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn parities(lanes: __m256i) -> u32 {
        // SAFETY: the feature is that of this function.
        unsafe {
            // Each lane's highest byte is the sum of its bytes, and that byte's lower half the sum of its halves.
            let sum = _mm256_xor_si256(lanes, _mm256_slli_epi32::<16>(lanes));
            let sum = _mm256_xor_si256(sum, _mm256_slli_epi32::<8>(sum));
            let sum = _mm256_xor_si256(sum, _mm256_srli_epi32::<4>(sum));
            let halves = _mm256_and_si256(sum, _mm256_set1_epi8(15));
            // For each number of four bits whether an odd number of them is set, in the highest bit.
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
        if super::are_there() && n >= 400 {
            assert!(system.quick.end > 0, "{columns} columns: no quick path");
        }
        let absent = if cfg!(miri) { 50 } else { n + 5000 };
        let asked: Vec<KeyHash> = (0..n + absent).map(|key| KeyHash::of(&key, 1)).collect();
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
