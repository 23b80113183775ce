//! Every implementation gives the answers of the portable one.

use super::*;
use crate::MAX_WIDE_PROBES;
use crate::block::Block;
use crate::wide_block::{Shape, WideBlock};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;

/// Hashes, half of them repeated.
fn hashes(n: u64) -> Vec<KeyHash> {
    (0..n).map(|i| KeyHash::of(&(i % (n / 2 + 1)), 0)).collect()
}

/// The answers of single operations, by the given functions.
fn one_by_one<B: BlockLayout + Debug>(
    shape: B::Shape,
    count: u64,
    insert: impl Fn(&mut B, u32) -> bool,
    contains: impl Fn(&B, u32) -> bool,
) {
    let [mut ours, mut portable] = [(); 2].map(|()| vec![B::default(); count as usize]);
    for hash in hashes(if cfg!(miri) { 50 } else { 2000 }) {
        let (block, low) = B::place(hash, count);
        let new = portable[block].insert(low, shape);
        assert_eq!(insert(&mut ours[block], low), new);
        assert!(contains(&ours[block], low));
        // Another block.
        let (block, low) = B::place(KeyHash::new(hash.get().rotate_left(17)), count);
        assert_eq!(contains(&ours[block], low), portable[block].contains(low, shape));
    }
    assert_eq!(ours, portable);
}

/// The answers of batches, by the given functions.
fn many_at_once<B: BlockLayout + Debug>(
    shape: B::Shape,
    count: u64,
    insert: impl Fn(&mut [B], &[KeyHash]) -> u64,
    contains: impl Fn(&[B], &[KeyHash], &mut [bool]),
) {
    let hashes = hashes(if cfg!(miri) { 50 } else { 2000 });
    let [mut ours, mut portable] = [(); 2].map(|()| vec![B::default(); count as usize]);
    let new = amq_core::prefetch::insert_each(&mut portable, &hashes, B::place, |block, low| {
        block.insert(low, shape)
    });
    assert_eq!(insert(&mut ours, &hashes), new);
    assert_eq!(ours, portable);
    let queries: Vec<_> = hashes.iter().map(|h| KeyHash::new(h.get().rotate_left(9))).collect();
    for queries in [&hashes, &queries] {
        let mut answers = vec![false; queries.len()];
        contains(&ours, queries, &mut answers);
        let mut twin = vec![true; queries.len()];
        let portably = |block: &B, low| block.contains(low, shape);
        contains_each(&portable, queries, &mut twin, B::place, portably);
        assert_eq!(answers, twin);
    }
}

/// On a processor without AVX2 this compares the portable code with itself.
#[test]
fn dispatched_operations_agree_with_their_portable_twins() {
    fn check<B: BlockLayout + Debug>(shape: B::Shape, count: u64) {
        one_by_one(
            shape,
            count,
            |block: &mut B, low| insert(block, low, shape),
            |block, low| contains(block, low, shape),
        );
        many_at_once(
            shape,
            count,
            |blocks: &mut [B], hashes| insert_batch(blocks, shape, (0, count), false, hashes),
            |blocks, hashes, answers| contains_batch(blocks, shape, hashes, answers),
        );
    }
    for count in [1u64, 3, 60] {
        check::<Block>((), count);
        (1..=MAX_WIDE_PROBES).for_each(|probes| check::<WideBlock>(Shape::new(probes), count));
    }
}

/// On a processor with AVX-512, dispatch never chooses AVX2.
#[test]
#[cfg(all(target_arch = "x86_64", feature = "std"))]
fn operations_with_avx2_agree_too() {
    fn check<B: BlockLayout + Debug>(shape: B::Shape) {
        // SAFETY: there is AVX2, here and below.
        one_by_one(
            shape,
            9,
            |block: &mut B, low| unsafe { block.insert_avx2(low, shape) },
            |block, low| unsafe { block.contains_avx2(low, shape) },
        );
        // SAFETY: as above.
        one_by_one(
            shape,
            9,
            |block: &mut B, low| unsafe { block.insert_avx2(low, shape) },
            |block, low| unsafe { block.contains_inlined(low, shape) },
        );
        // SAFETY: as above.
        many_at_once(
            shape,
            9,
            |blocks: &mut [B], hashes| {
                let mut noted = 0;
                let note = |changed| noted += u64::from(changed);
                let count = blocks.len() as u64;
                let place = |hash| B::place(hash, count);
                // SAFETY: as above.
                let new = unsafe { insert_batch_avx2(blocks, shape, true, hashes, place, note) };
                assert_eq!(noted, new);
                new
            },
            |blocks, hashes, answers| unsafe {
                contains_batch_avx2(blocks, shape, hashes, answers)
            },
        );
    }
    if amq_core::internal::Cpu::has_avx2() {
        check::<Block>(());
        (1..=MAX_WIDE_PROBES).for_each(|probes| check::<WideBlock>(Shape::new(probes)));
    }
}

#[test]
#[cfg(target_has_atomic = "64")]
fn a_key_has_the_same_bits_in_words_of_64() {
    for hash in hashes(if cfg!(miri) { 50 } else { 2000 }) {
        let low = hash.get() as u32;
        assert_eq!(mask64(low), crate::block::mask64(low));
    }
}

#[test]
fn the_block_of_any_hash_is_one_of_the_table() {
    fn check<B: BlockLayout>(_: B::Shape) {
        for count in [1u64, 2, 3, 7, 64, 1000] {
            let mut blocks = vec![B::default(); count as usize];
            let ends = [0, u64::MAX, u64::MAX << 32, u64::from(u32::MAX)].map(KeyHash::new);
            for hash in hashes(100).into_iter().chain(ends) {
                let (wanted, selector) = B::place(hash, count);
                let (block, low) = block_of(&blocks, hash);
                assert!(core::ptr::eq(block, &blocks[wanted]) && low == selector);
                let block: *const B = block_of_mut(&mut blocks, hash).0;
                assert!(core::ptr::eq(block, &blocks[wanted]));
            }
        }
    }
    check::<Block>(());
    check::<WideBlock>(Shape::new(6));
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn of_no_blocks_none_is_read() {
    block_of::<Block>(&[], KeyHash::new(0));
}
