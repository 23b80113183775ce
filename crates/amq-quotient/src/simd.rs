//! Dispatch between the portable operations and those with AVX2, `pdep`, `tzcnt`, `popcnt` and
//! `lzcnt`.
//!
//! The only module of the crate with `unsafe` code. Every operation is a method of [`SlotTable`],
//! generic over the implementation of select, and compiled twice: in [`fast`] for processors with
//! AVX2 and BMI2, where select is two instructions, and with [`Broadword`] for all others. Tests
//! compare the two.
#![allow(unsafe_code)]

use crate::bits::Broadword;
use crate::edit::Removed;
use crate::entry::Entry;
use crate::table::SlotTable;
use crate::validate::Contents;
use amq_core::{Bytes, Table};
use amq_core::{DecodeError, Inserted, KeyHash, dispatch};

/// See [`SlotTable::contains`].
#[inline]
pub(crate) fn contains<B: Bytes, E: Entry>(table: &SlotTable<B, E>, fingerprint: u64) -> bool {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::contains(table, fingerprint) },
        portable(move || table.contains::<Broadword>(fingerprint))
    )
}

/// See [`SlotTable::contains_each`].
#[inline]
pub(crate) fn contains_each<B: Bytes, E: Entry>(
    table: &SlotTable<B, E>,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::contains_each(table, hashes, answers) },
        portable(move || table.contains_each::<Broadword>(hashes, answers))
    )
}

/// See [`SlotTable::count`].
#[inline]
pub(crate) fn count<B: Bytes, E: Entry>(table: &SlotTable<B, E>, fingerprint: u64) -> u64 {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::count(table, fingerprint) },
        portable(move || table.count::<Broadword>(fingerprint))
    )
}

/// See [`SlotTable::contents`].
pub(crate) fn contents<B: Bytes, E: Entry>(
    table: &SlotTable<B, E>,
) -> Result<Contents, DecodeError> {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::contents(table) },
        table.contents::<Broadword>()
    )
}

/// See [`SlotTable::insert`].
#[inline]
pub(crate) fn insert<E: Entry>(
    table: &mut SlotTable<Table, E>,
    fingerprint: u64,
) -> Option<Inserted> {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::insert(table, fingerprint) },
        portable(move || table.insert::<Broadword>(fingerprint))
    )
}

/// See [`SlotTable::insert_each`].
#[inline]
pub(crate) fn insert_each<E: Entry>(
    table: &mut SlotTable<Table, E>,
    hashes: &[KeyHash],
) -> (usize, u64) {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::insert_each(table, hashes) },
        portable(move || table.insert_each::<Broadword>(hashes))
    )
}

/// See [`SlotTable::remove`].
#[inline]
pub(crate) fn remove<E: Entry>(table: &mut SlotTable<Table, E>, fingerprint: u64) -> Removed {
    dispatch!(
        // SAFETY: the processor has the instructions.
        has_avx2_and_bits => unsafe { fast::remove(table, fingerprint) },
        portable(move || table.remove::<Broadword>(fingerprint))
    )
}

/// Keeps portable code out of line: inlined, it would spill registers in callers that never run it.
#[inline(never)]
fn portable<R>(run: impl FnOnce() -> R) -> R {
    run()
}

/// The operations for processors with AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
mod fast {
    use super::*;
    use crate::bits::Select;

    pub(super) struct Pdep;

    impl Select for Pdep {
        #[inline(always)]
        fn select(word: u64, rank: u32) -> u32 {
            Self::nth_one(word, rank).trailing_zeros()
        }

        #[inline(always)]
        fn nth_one(word: u64, rank: u32) -> u64 {
            // SAFETY: only the functions below use this type, and they require BMI2.
            unsafe { core::arch::x86_64::_pdep_u64(1 << rank, word) }
        }

        #[inline(always)]
        fn first_balanced(opens: u64, closes: u64, first: u32) -> u32 {
            // SAFETY: as above; they require AVX2, too.
            let balanced = unsafe { balance::places(opens, closes) };
            (balanced & crate::bits::from(first)).trailing_zeros()
        }
    }

    /// # Safety
    /// The processor must have AVX2, BMI1, BMI2, POPCNT and LZCNT.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn contains<B: Bytes, E: Entry>(
        table: &SlotTable<B, E>,
        fingerprint: u64,
    ) -> bool {
        table.contains::<Pdep>(fingerprint)
    }

    /// # Safety
    /// As [`contains`].
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn contains_each<B: Bytes, E: Entry>(
        table: &SlotTable<B, E>,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) {
        table.contains_each::<Pdep>(hashes, answers);
    }

    /// # Safety
    /// As [`contains`].
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn count<B: Bytes, E: Entry>(
        table: &SlotTable<B, E>,
        fingerprint: u64,
    ) -> u64 {
        table.count::<Pdep>(fingerprint)
    }

    /// # Safety
    /// As [`contains`].
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn contents<B: Bytes, E: Entry>(
        table: &SlotTable<B, E>,
    ) -> Result<Contents, DecodeError> {
        table.contents::<Pdep>()
    }

    /// # Safety
    /// As [`contains`].
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn insert<E: Entry>(
        table: &mut SlotTable<Table, E>,
        fingerprint: u64,
    ) -> Option<Inserted> {
        table.insert::<Pdep>(fingerprint)
    }

    /// # Safety
    /// As [`contains`].
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn insert_each<E: Entry>(
        table: &mut SlotTable<Table, E>,
        hashes: &[KeyHash],
    ) -> (usize, u64) {
        table.insert_each::<Pdep>(hashes)
    }

    /// # Safety
    /// As [`contains`].
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) unsafe fn remove<E: Entry>(
        table: &mut SlotTable<Table, E>,
        fingerprint: u64,
    ) -> Removed {
        table.remove::<Pdep>(fingerprint)
    }
}

/// Finds the slots up to which `opens` and `closes` have equally many ones, for all 64 at once. See
/// [`Select::first_balanced`].
#[cfg(target_arch = "x86_64")]
// From Rust 1.86 on, vector functions without pointers need no `unsafe`.
#[allow(unused_unsafe)]
mod balance {
    use crate::bits::{ones_in_bytes, sums_of_bytes};
    use core::arch::x86_64::{
        _mm256_add_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_movemask_epi8,
        _mm256_set_epi64x, _mm256_set1_epi64x, _mm256_shuffle_epi8, _mm256_slli_epi64,
        _mm256_sub_epi8,
    };

    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn places(opens: u64, closes: u64) -> u64 {
        // Byte i: the runs open before slot 8i. No byte borrows, since nowhere have more closed
        // than opened.
        let change = ones_in_bytes(opens).wrapping_sub(ones_in_bytes(closes));
        let before = sums_of_bytes(change) << 8;
        // SAFETY: the caller guarantees AVX2.
        unsafe { half(opens, closes, before, 0) | (half(opens, closes, before, 4) << 32) }
    }

    /// The slots of four bytes of the words, from byte `first`. Each slot has a vector byte: 1
    /// where a run closes, -1 where one opens, then the prefix sum of these within its byte of the
    /// words. The slot is balanced where that sum equals the number of runs open before the byte.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn half(opens: u64, closes: u64, before: u64, first: i64) -> u64 {
        const ONES: i64 = 0x0101_0101_0101_0101;
        // SAFETY: the caller guarantees AVX2.
        unsafe {
            let of_byte = _mm256_set_epi64x(
                ONES * (first + 3),
                ONES * (first + 2),
                ONES * (first + 1),
                ONES * first,
            );
            // For each slot the byte of the word that it belongs to, and -1 if its bit is set.
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201u64 as i64);
            let opened = _mm256_shuffle_epi8(_mm256_set1_epi64x(opens as i64), of_byte);
            let opened = _mm256_cmpeq_epi8(_mm256_and_si256(opened, bit), bit);
            let closed = _mm256_shuffle_epi8(_mm256_set1_epi64x(closes as i64), of_byte);
            let closed = _mm256_cmpeq_epi8(_mm256_and_si256(closed, bit), bit);
            let before = _mm256_shuffle_epi8(_mm256_set1_epi64x(before as i64), of_byte);
            let mut less = _mm256_sub_epi8(opened, closed);
            less = _mm256_add_epi8(less, _mm256_slli_epi64::<8>(less));
            less = _mm256_add_epi8(less, _mm256_slli_epi64::<16>(less));
            less = _mm256_add_epi8(less, _mm256_slli_epi64::<32>(less));
            // Not `before - less == 0`: LLVM 22 rewrites that to a comparison with a negated
            // shuffle, and with AVX-512 VBMI never finishes compiling it (.ci/builds).
            let none = _mm256_cmpeq_epi8(less, before);
            u64::from(_mm256_movemask_epi8(none) as u32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuotientParams;
    #[cfg(target_arch = "x86_64")]
    use crate::bits::Select;
    use crate::entry::{FixedLength, VariableLength};
    use amq_core::index::remix;
    use std::vec::Vec;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn select_by_pdep_agrees_with_broadword() {
        if !amq_core::internal::Cpu::has_bits() {
            return;
        }
        for word in crate::bits::tests::words() {
            for rank in 0..64 {
                assert_eq!(fast::Pdep::select(word, rank), Broadword::select(word, rank));
            }
        }
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn all_balances_at_once_are_those_found_one_by_one() {
        if !amq_core::internal::Cpu::has_avx2() {
            return;
        }
        for (opens, closes) in crate::bits::tests::nested() {
            for first in 0..64 {
                let place = fast::Pdep::first_balanced(opens, closes, first);
                assert_eq!(place, Broadword::first_balanced(opens, closes, first));
            }
        }
    }

    /// An entry for this fingerprint, of an age derived from it.
    fn aged(params: QuotientParams, fingerprint: u64) -> u64 {
        let value = 1 << (remix(fingerprint, 3) % u64::from(params.remainder_bits));
        let below = value - 1;
        fingerprint & !below | value
    }

    #[test]
    fn fast_and_portable_operations_agree() {
        operations_agree::<FixedLength>(0, |_, fingerprint| fingerprint);
        operations_agree::<VariableLength>(2, aged);
    }

    /// `stored` returns the entry for a fingerprint.
    fn operations_agree<E: Entry>(least_bits: u32, stored: fn(QuotientParams, u64) -> u64) {
        // On a processor without these instructions, this compares the portable code with itself.
        // Fingerprints are spread evenly, or over a few homes only, so that runs span many blocks.
        for (slots, remainder_bits, crowding) in [
            (1u64, 3u32, 1),
            (64, 0, 1),
            (100, 7, 1),
            (640, 8, 1),
            (640, 20, 7),
            (2000, 2, 1),
            (2000, 6, 300),
        ] {
            let params = QuotientParams::new(slots, remainder_bits.max(least_bits));
            let mut one = SlotTable::<_, E>::new(params).unwrap();
            let mut two = one.clone();
            let mut held = 0;
            for step in 0..if cfg!(miri) { 150 } else { 30_000 } {
                let pick = |i: u64| {
                    let fingerprint = remix(i % (2 * slots + 7), 1) % params.fingerprints();
                    fingerprint / crowding + params.fingerprints() * 9 / 10 / crowding
                };
                let key = pick(step / 3 * 3) % params.fingerprints();
                if !remix(step, 2).is_multiple_of(3) {
                    // Up to the last slot but one.
                    if held + 1 < one.places() {
                        let entry = stored(params, key);
                        let inserted = insert(&mut one, entry);
                        assert_eq!(inserted, two.insert::<Broadword>(entry));
                        held += u64::from(inserted.is_some());
                    }
                } else {
                    let removed = remove(&mut one, key | E::MARK);
                    assert_eq!(removed, two.remove::<Broadword>(key | E::MARK));
                    held -= u64::from(removed != Removed::Nothing);
                }
                assert!(one == two);
                let other = (pick(step + 1) % params.fingerprints()) | E::MARK;
                assert_eq!(contains(&one, other), two.contains::<Broadword>(other));
                assert_eq!(count(&one, other), two.count::<Broadword>(other));
            }
        }
    }

    #[test]
    fn fast_and_portable_queries_agree_and_end_on_any_bytes() {
        queries_agree::<FixedLength>(0);
        queries_agree::<VariableLength>(2);
    }

    fn queries_agree<E: Entry>(least_bits: u32) {
        for (slots, remainder_bits) in [(1u64, 0u32), (50, 56), (64, 2), (700, 0), (3000, 6)] {
            let params = QuotientParams::new(slots, remainder_bits.max(least_bits));
            for seed in 0..if cfg!(miri) { 2 } else { 40 } {
                let noise = |i: u64| remix(i, seed) as u8;
                let bytes: Vec<u8> = (0..params.bytes())
                    .map(|i| match seed % 4 {
                        0 => noise(i),
                        1 => noise(i) & noise(!i),
                        2 => noise(i) | noise(!i),
                        // Mostly 0 or 255: saturated offsets, and words without a bit.
                        _ => noise(i) / 128 * 255,
                    })
                    .collect();
                let table = SlotTable::<_, E>::over(params, &bytes[..]);
                for i in 0..100 {
                    let fingerprint = (remix(i, seed) % params.fingerprints()) | E::MARK;
                    let found = table.contains::<Broadword>(fingerprint);
                    assert_eq!(contains(&table, fingerprint), found);
                    let copies = table.count::<Broadword>(fingerprint);
                    assert_eq!(count(&table, fingerprint), copies);
                    assert!(copies <= table.places() + 64);
                }
            }
        }
    }
}
