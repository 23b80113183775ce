//! Wide-block operations with AVX-512 and AVX2, and the choice between them and their portable
//! twins.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::wide_block::{Shape, WideBlock, place};
use amq_core::prefetch::{contains_each, insert_each};
use amq_core::{KeyHash, dispatch};

// SAFETY: eight `u64` without padding, for which any bits are a value, zero among them.
unsafe impl amq_core::internal::bytemuck::Zeroable for WideBlock {}
// SAFETY: as above; it is `Copy` and `'static`.
unsafe impl amq_core::internal::bytemuck::Pod for WideBlock {}

impl amq_core::internal::Plain for WideBlock {
    const WIDTH: usize = 8;
}

/// Sets a key's bits in its block and returns whether any was clear.
#[inline(always)]
pub(crate) fn insert(block: &mut WideBlock, low: u32, shape: Shape) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &mut WideBlock, low: u32, shape: Shape) -> bool {
        block.insert(low, shape)
    }
    dispatch!(
        // SAFETY: it needs AVX-512, which the processor has.
        has_avx512 => unsafe { avx512::insert(block, low, shape) },
        dispatch!(
            // SAFETY: it needs AVX2, which the processor has.
            has_avx2 => unsafe { avx2::insert(block, low, shape) },
            portable(block, low, shape)
        )
    )
}

/// Whether all of a key's bits are set in its block.
#[inline(always)]
pub(crate) fn contains(block: &WideBlock, low: u32, shape: Shape) -> bool {
    #[cfg_attr(all(target_arch = "x86_64", feature = "std"), cold, inline(never))]
    fn portable(block: &WideBlock, low: u32, shape: Shape) -> bool {
        block.contains(low, shape)
    }
    dispatch!(
        // SAFETY: it needs AVX-512, which the processor has.
        has_avx512 => unsafe { avx512::contains(block, low, shape) },
        dispatch!(
            // SAFETY: it needs AVX2, which the processor has.
            has_avx2 => unsafe { avx2::contains(block, low, shape) },
            portable(block, low, shape)
        )
    )
}

/// Inserts many hashes into the part of a table that begins with block `first` of `count`, and
/// returns how many changed it.
pub(crate) fn insert_batch(
    part: &mut [WideBlock],
    shape: Shape,
    first: usize,
    count: u64,
    hashes: &[KeyHash],
) -> u64 {
    let place = move |hash, _| {
        let (block, low) = place(hash, count);
        (block.wrapping_sub(first), low)
    };
    dispatch!(
        has_avx512 => insert_each(part, hashes, place, move |block, low| {
            // SAFETY: it needs AVX-512, which the processor has.
            unsafe { avx512::insert(block, low, shape) }
        }),
        dispatch!(
            // SAFETY: it needs AVX2, which the processor has.
            has_avx2 => unsafe { avx2::insert_batch(part, shape, hashes, place) },
            insert_each(part, hashes, place, |block, low| block.insert(low, shape))
        )
    )
}

/// Answers many hashes; the slices are equally long.
pub(crate) fn contains_batch(
    blocks: &[WideBlock],
    shape: Shape,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    dispatch!(
        has_avx512 => contains_each(blocks, hashes, answers, place, move |block, low| {
            // SAFETY: it needs AVX-512, which the processor has.
            unsafe { avx512::contains(block, low, shape) }
        }),
        dispatch!(
            // SAFETY: it needs AVX2, which the processor has.
            has_avx2 => unsafe { avx2::contains_batch(blocks, shape, hashes, answers) },
            contains_each(blocks, hashes, answers, place, |block, low| block.contains(low, shape))
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MAX_WIDE_PROBES;
    use alloc::vec;
    use alloc::vec::Vec;

    /// Some keys, half of them twice.
    fn hashes(n: u64) -> Vec<KeyHash> {
        (0..n).map(|i| KeyHash::of(&(i % (n / 2 + 1)), 0)).collect()
    }

    #[test]
    fn dispatched_operations_agree_with_their_portable_twins() {
        // On a processor without AVX2 this compares the portable code with itself.
        for probes in 1..=MAX_WIDE_PROBES {
            let shape = Shape::new(probes);
            let hashes = hashes(if cfg!(miri) { 50 } else { 2000 });
            for count in [1u64, 3, 60] {
                let [mut one, mut many, mut portable] =
                    [(); 3].map(|()| vec![WideBlock::default(); count as usize]);
                let mut news = 0;
                for &hash in &hashes {
                    let (block, low) = place(hash, count);
                    let new = portable[block].insert(low, shape);
                    assert_eq!(insert(&mut one[block], low, shape), new);
                    news += u64::from(new);
                    // Another block.
                    let (block, low) = place(KeyHash::new(hash.get().rotate_left(17)), count);
                    let held = portable[block].contains(low, shape);
                    assert_eq!(contains(&one[block], low, shape), held);
                }
                assert_eq!(insert_batch(&mut many, shape, 0, count, &hashes), news);
                assert!(one == portable && many == portable);
                let queries: Vec<_> =
                    hashes.iter().map(|h| KeyHash::new(h.get().rotate_left(9))).collect();
                let mut answers = vec![false; queries.len()];
                contains_batch(&many, shape, &queries, &mut answers);
                let mut twin = vec![true; queries.len()];
                let contains = |block: &WideBlock, low| block.contains(low, shape);
                contains_each(&portable, &queries, &mut twin, place, contains);
                assert_eq!(answers, twin);
            }
        }
    }

    /// A processor with AVX-512 takes that path everywhere else.
    #[test]
    #[cfg(all(target_arch = "x86_64", feature = "std"))]
    fn operations_with_avx2_agree_too() {
        if !amq_core::internal::Cpu::has_avx2() {
            return;
        }
        let hashes = hashes(if cfg!(miri) { 50 } else { 2000 });
        for probes in 1..=MAX_WIDE_PROBES {
            let shape = Shape::new(probes);
            let [mut one, mut many, mut portable] = [(); 3].map(|()| vec![WideBlock::default(); 9]);
            let mut news = 0;
            for &hash in &hashes {
                let (block, low) = place(hash, 9);
                // SAFETY: there is AVX2.
                let held = unsafe { avx2::contains(&one[block], low, shape) };
                assert_eq!(held, portable[block].contains(low, shape));
                // SAFETY: there is AVX2.
                let new = unsafe { avx2::insert(&mut one[block], low, shape) };
                assert_eq!(new, portable[block].insert(low, shape));
                news += u64::from(new);
            }
            // SAFETY: there is AVX2.
            assert_eq!(unsafe { avx2::insert_batch(&mut many, shape, &hashes, place) }, news);
            assert!(one == portable && many == portable);
            let mut answers = vec![false; hashes.len()];
            // SAFETY: there is AVX2.
            unsafe { avx2::contains_batch(&many, shape, &hashes, &mut answers) };
            assert!(answers.iter().all(|&held| held));
        }
    }
}
