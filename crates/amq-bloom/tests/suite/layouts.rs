//! The layouts of the tables, written out, and tables that are given.

use amq_bloom::{
    BlockedBloomFilter, BlockedParams, BloomFilter, BloomParams, Goal, InsertFilter, Parts,
    PlanError, Table, WideBlockedBloomFilter, WideBlockedParams,
};
use amq_conformance::testing::hashes;
use amq_conformance::with_params;

#[test]
fn the_split_block_layout_is_parquets() {
    // The format's own definition, written out: for each hash, block = (upper half * blocks) >> 32;
    // in word i the bit (lower half * salt_i) >> 27.
    const SALTS: [u32; 8] = [
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
        0x5c6bfb31,
    ];
    let blocks = 37;
    let mut filter = with_params::<BlockedBloomFilter>(BlockedParams::new(blocks), 500, 0).unwrap();
    let mut want = vec![[0u32; 8]; blocks as usize];
    for hash in hashes(0..500, 0) {
        filter.insert_hash(hash);
        let block = ((hash.get() >> 32) * blocks) >> 32;
        for (word, salt) in want[block as usize].iter_mut().zip(SALTS) {
            *word |= 1 << ((hash.get() as u32).wrapping_mul(salt) >> 27);
        }
    }
    let want: Vec<u8> = want.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(filter.as_bytes(), want);
}

/// FORMAT.md's definition, written out.
#[test]
fn the_wide_block_layout_is_that_of_the_format() {
    const SALTS: [u64; 8] = [
        0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947,
        0x5c6bfb31,
    ];
    for probes in 1..=16 {
        let params = WideBlockedParams::new(37, probes);
        let mut filter = with_params::<WideBlockedBloomFilter>(params, 500, 0).unwrap();
        let mut want = [[0u64; 8]; 37];
        for hash in hashes(0..500, 0) {
            filter.insert_hash(hash);
            let block = (u128::from(hash.get()) * 37) >> 64;
            let low = hash.get() % (1 << 32);
            for (word, salt) in SALTS.into_iter().enumerate() {
                let bits =
                    probes / 8 + u32::from((8 + word as u64 - low % 8) % 8 < probes as u64 % 8);
                for bit in 0..bits {
                    want[block as usize][word] |= 1 << ((low * salt) >> (26 + 6 * bit) & 63);
                }
            }
        }
        let want: Vec<u8> = want.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(filter.as_bytes(), want, "{probes}");
    }
}

#[test]
fn bytes_make_the_filter_and_a_wrong_table_is_refused() {
    let params = BloomParams::new(100, 3);
    let mut filter = with_params::<BloomFilter>(params, 10, 7).unwrap();
    filter.insert_batch(&hashes(0..10, 0)).unwrap();
    let table = Table::try_from(filter.as_bytes()).unwrap();
    let parts = filter.parts();
    let back = BloomFilter::from_table_unchecked(table, parts);
    assert_eq!(back, Ok(filter));
    let words = |words: [u64; 2]| words.map(u64::to_le_bytes).as_flattened().to_vec();
    let refused = |table: Vec<u8>| match BloomFilter::from_table_unchecked(table, parts) {
        Err(PlanError::Parameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(vec![0; 15]), "bytes");
    assert_eq!(refused(vec![]), "bytes");
    assert_eq!(refused(words([0, 1 << 36])), "bits set past the last");
    assert!(BloomFilter::from_table_unchecked(words([0, 1 << 35]), parts).is_ok());
}

#[test]
fn a_split_block_filter_comes_back_from_its_blocks() {
    let mut filter = BlockedBloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    filter.insert_batch(&hashes(0..1000, 0)).unwrap();
    let blocks = filter.as_bytes().to_vec();
    let parts = filter.parts();
    let table = Table::try_from(&blocks[..]).unwrap();
    let back = BlockedBloomFilter::from_table_unchecked(table, parts);
    assert_eq!(back, Ok(filter));
    for wrong in [vec![], blocks[1..].to_vec(), [&blocks[..], &blocks[..1]].concat()] {
        assert!(BlockedBloomFilter::from_table_unchecked(wrong, parts).is_err());
    }
    let none = Parts::new(BlockedParams::new(0), 0);
    assert!(BlockedBloomFilter::from_table_unchecked([0; 0], none).is_err());
}
