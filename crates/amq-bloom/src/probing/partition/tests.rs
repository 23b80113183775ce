// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

use super::Hashes;
use super::bulk::insert;
use super::places::{Item, Place, Places};
use crate::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, WideBlockedBloomFilter,
    WideBlockedParams,
};
use alloc::vec::Vec;
use amq_core::{BuildFilter, EmptyFilter, InsertFilter, KeyHash, PlanFilter, hashes_from};

const SEED: u64 = 7;

/// Numbers of keys around those from which on they are sorted, and of several chunks.
const KEYS: [u64; 8] = [0, 1, 7, 8, 99, 100, 1500, if cfg!(miri) { 2000 } else { 20_000 }];

/// Calls `work` in pools of one to sixteen threads, if there are threads.
fn in_pools(work: impl Fn() + Sync) {
    #[cfg(not(feature = "rayon"))]
    work();
    #[cfg(feature = "rayon")]
    for threads in if cfg!(miri) { 2..=2 } else { 1..=16 } {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work);
    }
}

/// Keys, some of them repeated.
fn keys(n: u64) -> Vec<u64> {
    (0..n).map(|i| i.wrapping_mul(i) % (n / 4 * 3 + 1)).collect()
}

/// One by one, in batches and by a function, on any number of threads, the filter is the same.
fn is_the_same<F>(params: F::Params)
where
    F: BuildFilter + EmptyFilter<Params: Sync> + PartialEq,
{
    let empty = |n| F::empty(F::plan_params(params, n).unwrap(), SEED).unwrap();
    in_pools(|| {
        for keys in KEYS.map(keys) {
            let hashes: Vec<_> = keys.iter().map(|key| KeyHash::of(key, SEED)).collect();
            let about = keys.len() as u64;
            let mut one = empty(about);
            let mut insert = || {
                let new = |&&hash: &&KeyHash| one.insert_hash(hash).unwrap().is_new();
                hashes.iter().filter(new).count() as u64
            };
            let (wanted, wanted_again) = (insert(), insert());

            let mut many = empty(about);
            assert_eq!(many.insert_batch(&hashes), Ok(wanted));
            assert_eq!(many.insert_batch(&hashes), Ok(wanted_again));
            assert!(many == one, "{about} at once");

            #[cfg(feature = "rayon")]
            {
                use amq_core::ParInsertExt;
                let mut shared = empty(about);
                assert_eq!(shared.par_insert_batch(&hashes), Ok(wanted));
                assert_eq!(shared.par_insert_keys(&keys), Ok(wanted_again));
                assert!(shared == one, "{about} shared");
            }

            // However wrong the number that it is told.
            for told in [about, 100, u64::MAX] {
                let mut from = empty(about);
                let new = from.insert_from(told, &mut hashes_from(&keys, SEED));
                assert_eq!(new, Ok(wanted));
                assert_eq!(from.insert_batch(&hashes), Ok(wanted_again));
                assert!(from == one, "{about}, and {told} told");
            }
        }
    });
}

#[test]
fn a_classic_filter_is_the_same() {
    is_the_same::<BloomFilter>(BloomParams::new(100_003, 7));
    is_the_same::<BloomFilter>(BloomParams::new(70, 3));
}

#[test]
fn a_split_block_filter_is_the_same() {
    is_the_same::<BlockedBloomFilter>(BlockedParams::new(701));
    // Beyond coarse ranges.
    is_the_same::<BlockedBloomFilter>(BlockedParams::new(1402));
    is_the_same::<BlockedBloomFilter>(BlockedParams::new(1));
}

#[test]
fn a_wide_block_filter_is_the_same() {
    is_the_same::<WideBlockedBloomFilter>(WideBlockedParams::new(350, 9));
    is_the_same::<WideBlockedBloomFilter>(WideBlockedParams::new(1, 6));
}

/// Items so short that keys of a range are often too far apart for them.
#[derive(Clone, Copy, Default)]
struct Short(u16);

impl Item for Short {
    fn new(bits: u64) -> Self {
        Self(bits as u16)
    }
}

impl From<Short> for u64 {
    fn from(short: Short) -> Self {
        short.0.into()
    }
}

struct Bit;

impl Place for Bit {
    const COUNTS_COPIES: bool = false;
    const WORD: u32 = 6;

    fn set(words: &mut [[u8; 8]], place: u64) -> bool {
        let (byte, bit) = ((place / 8 % 8) as usize, 1 << (place % 8));
        let byte = &mut words[(place / 64) as usize][byte];
        let clear = *byte & bit == 0;
        *byte |= bit;
        clear
    }
}

#[test]
fn keys_far_apart_in_their_ranges_are_inserted_all_the_same() {
    let (bits, probes) = (1_000_003, 3);
    let partition = Places::<Bit, Short>::new(bits, probes);
    assert!(!partition.fits());
    let keys = keys(if cfg!(miri) { 2000 } else { 20_000 });
    let hashes: Vec<_> = keys.iter().map(|key| KeyHash::of(key, SEED)).collect();
    let words = || alloc::vec![[0; 8]; bits.div_ceil(64) as usize];
    let mut wanted = words();
    let all = hashes.iter().filter(|&&hash| Bit::set_all(&mut wanted, bits, probes, hash));
    let new = all.count() as u64;
    in_pools(|| {
        let (mut table, mut len) = (words(), 0);
        assert_eq!(insert(&partition, &mut table, &mut len, Hashes::Slice(&hashes)), new);
        assert!(table == wanted && len == new);
        let (mut table, mut len) = (words(), 0);
        let mut next = hashes_from(&keys, SEED);
        let from = Hashes::From(20_000, &mut next);
        assert_eq!(insert(&partition, &mut table, &mut len, from), new);
        assert!(table == wanted && len == new);
        #[cfg(feature = "rayon")]
        {
            let (mut table, mut len) = (words(), 0);
            let shared = Hashes::Shared(&&hashes[..]);
            assert_eq!(insert(&partition, &mut table, &mut len, shared), new);
            assert!(table == wanted && len == new);
        }
    });
}

/// All in one range, in a few, or in all: pages go to whoever needs them.
#[test]
fn keys_that_crowd_in_one_range_are_inserted_all_the_same() {
    let params = BlockedParams::new(701);
    let spread: Vec<_> = keys(5000).iter().map(|key| KeyHash::of(key, SEED)).collect();
    let mut hashes: Vec<_> = spread.iter().map(|hash| KeyHash::new(hash.get() >> 12)).collect();
    hashes.extend(spread.iter().map(|hash| KeyHash::new(hash.get() | 0xFFF << 52)));
    hashes.extend(spread);
    in_pools(|| {
        let empty = || {
            let plan = BlockedBloomFilter::plan_params(params, 15_000).unwrap();
            BlockedBloomFilter::new(plan).unwrap()
        };
        let (mut one, mut many) = (empty(), empty());
        let new = hashes.iter().filter(|&&hash| one.insert_hash(hash).is_new()).count();
        assert_eq!(many.insert_batch(&hashes), Ok(new as u64));
        assert!(one == many);
        #[cfg(feature = "rayon")]
        {
            let mut shared = empty();
            let new = amq_core::ParInsertExt::par_insert_batch(&mut shared, &hashes);
            assert!(new == Ok(one.len()) && one == shared);
        }
    });
}

/// None of them in part, and each of them counted.
#[test]
fn a_function_that_panics_leaves_the_filter_of_the_keys_before() {
    let keys = keys(if cfg!(miri) { 500 } else { 5000 });
    let hashes: Vec<_> = keys.iter().map(|key| KeyHash::of(key, SEED)).collect();
    let plan = BloomFilter::plan_params(BloomParams::new(20_011, 5), 5000).unwrap();
    let empty = || BloomFilter::with_seed(plan, SEED).unwrap();
    in_pools(|| {
        for mut calls in (0..keys.len() / 50).step_by(7) {
            let mut filter = empty();
            let mut from = hashes_from(&keys, SEED);
            let mut next = |hashes: &mut [KeyHash]| {
                if calls == 0 {
                    std::panic::resume_unwind(alloc::boxed::Box::new("as planned"));
                }
                calls -= 1;
                let few = hashes.len().min(50);
                from(&mut hashes[..few])
            };
            let insert = || filter.insert_from(5000, &mut next);
            let inserted = std::panic::catch_unwind(core::panic::AssertUnwindSafe(insert));
            assert!(inserted.is_err());
            let (mut one, mut rest) = (empty(), hashes.iter());
            while one != filter {
                one.insert_hash(*rest.next().unwrap());
            }
        }
    });
}
