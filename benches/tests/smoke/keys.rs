//! Keys are as many, as distinct and as mixed as they are said to be.

use amq_bench::error::BenchError;
use amq_bench::scenarios::keys::{BenchKey, KeySet, Keys, Store, Stream, halves};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

fn count(keys: &Store) -> usize {
    match keys {
        Store::U64(keys) => keys.len(),
        Store::Bytes(keys) => keys.iter().count(),
    }
}

#[test]
fn every_made_set_has_the_size_asked_for_and_is_the_same_again() {
    for set in [KeySet::RandomU64, KeySet::Sequential, KeySet::Strings] {
        let [made, again] = [7; 2].map(|seed| set.make(5000, 500, seed).unwrap());
        assert_eq!((count(&made.present), count(&made.absent)), (5000, 500));
        assert!(made.present == again.present && made.absent == again.absent, "{set:?}");
        if let Store::Bytes(keys) = made.present {
            let lengths = || keys.iter().map(<[u8]>::len);
            assert_eq!((lengths().min(), lengths().max()), (Some(16), Some(64)));
        }
    }
}

#[test]
fn repeated_keys_are_found_within_and_between_sets() {
    let strings = |keys: &[&str]| Store::Bytes(keys.iter().collect());
    let numbers = |keys: &[u64]| Store::U64(keys.to_vec());
    for (one, other, distinct) in [
        (numbers(&[3, 1]), numbers(&[2]), true),
        (numbers(&[3, 1]), numbers(&[1]), false),
        (numbers(&[3, 3]), numbers(&[]), false),
        (strings(&["ab", "c"]), strings(&["a", "", "bc"]), true),
        (strings(&["ab", "c"]), strings(&["c"]), false),
        (strings(&["ab"]), numbers(&[1]), false),
    ] {
        assert_eq!(one.distinct_from(&other), distinct, "{one:?} {other:?}");
    }
}

#[test]
fn keys_are_given_as_what_they_are_while_there_are_any() {
    let keys = Keys::U64(&[1, 2, 3]);
    assert_eq!(u64::slice(keys.between(1, 9)), [2, 3]);
    assert!(u64::slice(keys.between(4, 9)).is_empty() && <[u8]>::slice(keys).is_empty());
}

#[test]
fn a_stream_has_its_share_of_present_keys() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for set in [KeySet::Sequential, KeySet::Strings] {
        let made = set.make(2000, 2000, 3).unwrap();
        for share in [0, 50, 100] {
            let stream = Stream::new(&made, 2000, share, &mut rng);
            assert_eq!(count(&stream.keys), 2000);
            let hits = |absent: bool| {
                let answers = stream.answers(&[absent; 2000]);
                answers.into_iter().filter(|&hit| hit).count()
            };
            assert_eq!((hits(false), hits(true)), (20 * share, 2000));
            // Two halves that share no key have none twice.
            let (one, other) = halves(&stream.keys, &mut rng);
            assert!(count(&one) == 1000 && one.distinct_from(&other));
            assert!(!matches!(one, Store::U64(keys) if keys.is_sorted()));
        }
    }
    // A small set is gone through again, and an empty one gives none.
    let small = KeySet::Sequential.make(100, 0, 1).unwrap();
    let Store::U64(asked) = Stream::new(&small, 1000, 50, &mut rng).keys else {
        panic!("integers")
    };
    let times = |key| asked.iter().filter(|&&asked| asked == key).count();
    assert!(asked.len() == 500 && (0..100).all(|key| times(key) == 5) && !asked.is_sorted());
}

#[test]
fn words_are_many_real_and_split_in_halves() {
    let made = KeySet::Words.make(1000, 0, 7).unwrap();
    assert!(count(&made.present) == 1000 && count(&made.absent) > 800_000);
    assert!(matches!(KeySet::Words.make(1_000_000, 0, 7), Err(BenchError::KeySetTooSmall(..))));
}
