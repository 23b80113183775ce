//! What maps promise: each key has its value.

use amq_ribbon::{BuildError, Key, KeyHash, MapError, RibbonMap};

#[test]
fn many_values_for_one_key_are_found_at_once_and_named() {
    // However many they are, among however many others. To try all seeds would take minutes.
    for (others, values) in [(0, 2), (0, 100_000), (3000, 40), (200_000, 2), (200_000, 3000)] {
        let one = (0..values).map(|value| (7u64, value));
        let rest = (0..others).map(|key| (1000 + key, 5));
        let pairs: Vec<(u64, u32)> = rest.chain(one).collect();
        let first = others as usize;
        assert_eq!(
            RibbonMap::build(32, pairs.iter().copied()).map(drop),
            Err(MapError::Conflict { first, second: first + 1 }),
            "{others} others, {values} values"
        );
    }
}

#[test]
fn a_map_gives_every_key_its_value() {
    for n in [0u32, 1, 2, 3, 50, 1000, 1300, 40_000, 150_000] {
        for bits in [1, 3, 8, 11, 32] {
            if n > 50_000 && bits != 8 {
                continue;
            }
            let value = |key: u32| (key.wrapping_mul(0x9E37_79B9) >> 7) & (u32::MAX >> (32 - bits));
            let pairs: Vec<(u32, u32)> = (0..n).map(|key| (key, value(key))).collect();
            let map = RibbonMap::build_with_seed(bits, 5, pairs.iter().copied()).unwrap();
            assert!(
                pairs.iter().all(|(key, value)| map.get(key) == *value),
                "{n} keys, {bits} bits"
            );
            let hashes: Vec<KeyHash> = pairs.iter().map(|(key, _)| key.key_hash(5)).collect();
            let mut values = vec![0; hashes.len()];
            map.get_batch(&hashes, &mut values).unwrap();
            assert!(map.get_batch(&hashes, &mut vec![0; hashes.len() + 1]).is_err());
            assert!(pairs.iter().zip(&values).all(|((_, one), two)| one == two));
            assert_eq!((map.len(), map.value_bits(), map.seed()), (n.into(), bits, 5));
            // Others get some value of as many bits.
            assert!((n..n + 1000).all(|key| u64::from(map.get(&key)) < 1 << bits));
            if n >= 40_000 {
                let bits_per_key = map.size_in_bytes() as f64 * 8.0 / f64::from(n);
                let overhead = bits_per_key / f64::from(bits);
                // The thresholds are a fiftieth of a bit a key, however short the values are.
                assert!(
                    overhead < 1.006 + 0.017 / f64::from(bits),
                    "{n} keys, {bits} bits: {overhead}"
                );
            }
        }
    }
}

#[test]
fn a_map_takes_a_key_twice_only_with_the_same_value() {
    let mut pairs: Vec<(u64, u32)> = (0..5000).map(|key| (key, key as u32 & 7)).collect();
    pairs.extend_from_within(1000..2000);
    let map = RibbonMap::build(3, pairs.iter().copied()).unwrap();
    assert!((0..5000).all(|key: u64| map.get(&key) == key as u32 & 7));
    pairs[5500].1 ^= 1;
    let refused = RibbonMap::build(3, pairs.iter().copied()).unwrap_err();
    assert_eq!(refused, MapError::Conflict { first: 1500, second: 5500 });
    assert!(refused.to_string().contains("1500 and 5500"));

    let refused = RibbonMap::build(3, [(1u8, 7), (2, 8)]).unwrap_err();
    assert_eq!(refused, MapError::Value { index: 1, value: 8, bits: 3 });
    for bits in [0, 33, u32::MAX] {
        let refused = RibbonMap::build(bits, [(1u8, 0)]).unwrap_err();
        assert!(matches!(refused, MapError::Build(BuildError::Plan(_))));
    }
}
