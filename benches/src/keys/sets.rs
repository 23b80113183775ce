//! Sources of keys: generated, shipped with a package, or the user's file.

use crate::error::BenchError;
use crate::keys::{Arena, FileKeys, Store};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A source of keys.
#[derive(Clone, Debug)]
pub enum KeySet {
    /// Uniform random 64-bit integers.
    RandomU64,
    /// 0, 1, 2, ... present; the numbers after them absent.
    Sequential,
    /// Random strings of 16 to 64 letters and digits.
    Strings,
    /// German words: the first half is the pool of present keys, the second half is absent.
    Words,
    /// The user's own keys, split like the words.
    File(Arc<FileKeys>),
}

impl KeySet {
    /// The name in records.
    pub fn name(&self) -> &str {
        self.described().0
    }

    /// One sentence for the record: what the keys are and how they were split.
    pub fn about(&self) -> &'static str {
        self.described().1
    }

    fn described(&self) -> (&str, &'static str) {
        match self {
            Self::RandomU64 => {
                ("random-u64", "uniform random 64-bit integers, both present and absent")
            }
            Self::Sequential => {
                ("sequential", "the integers from 0 up are present, the ones after them absent")
            }
            Self::Strings => (
                "strings",
                "random strings of 16 to 64 letters and digits, both present and absent",
            ),
            Self::Words => (
                "words",
                "the German words of the crate random_word, shuffled: present keys come from the \
                 first half, the second half is absent",
            ),
            Self::File(keys) => (
                &keys.name,
                "the lines of the user's file, without empty lines and repeats, shuffled: the \
                 first half is present, the second absent",
            ),
        }
    }

    /// Makes `present` keys and, if the source has that many, `absent` others, and checks that all
    /// are distinct.
    pub fn make(&self, present: usize, absent: usize, seed: u64) -> Result<Made, BenchError> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut source = Source::default();
        let (present, absent) = match self {
            Self::RandomU64 => (random(present, &mut rng), random(absent, &mut rng)),
            Self::Sequential => {
                let (end, after) = (present as u64, (present + absent) as u64);
                (Store::U64((0..end).collect()), Store::U64((end..after).collect()))
            }
            Self::Strings => (strings(present, &mut rng), strings(absent, &mut rng)),
            Self::Words => {
                let words = random_word::all(random_word::Lang::De);
                let keys: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
                source.distinct = Some(keys.len() as u64);
                halves(self.name(), keys, present, &mut rng)?
            }
            Self::File(file) => {
                source = file.source;
                halves(self.name(), file.keys.iter().collect(), present, &mut rng)?
            }
        };
        if !present.distinct_from(&absent) {
            return Err(BenchError::KeysRepeat(self.name().to_owned(), seed));
        }
        Ok(Made { present, absent, source })
    }
}

/// A source's counts before keys were taken from it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Source {
    /// Distinct keys it has; `None` if it generates any number.
    pub(crate) distinct: Option<u64>,
    pub(crate) empty_lines: u64,
    /// Repeated keys that were dropped.
    pub(crate) duplicates: u64,
}

/// Keys made for one size: distinct and disjoint, checked.
#[derive(Clone, Debug)]
pub struct Made {
    /// The keys inserted into filters.
    pub present: Store,
    /// Keys never inserted.
    pub absent: Store,
    pub(crate) source: Source,
}

fn random(n: usize, rng: &mut Xoshiro256PlusPlus) -> Store {
    Store::U64((0..n).map(|_| rng.next_u64()).collect())
}

fn strings(n: usize, rng: &mut Xoshiro256PlusPlus) -> Store {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    let mut keys = Arena::default();
    let mut key = Vec::with_capacity(64);
    for _ in 0..n {
        key.clear();
        let length = rng.random_range(16..=64);
        while key.len() < length {
            let mut bits = rng.next_u64();
            // Ten letters of six bits each.
            for _ in 0..10 {
                key.push(LETTERS[(bits & 63) as usize]);
                bits >>= 6;
            }
        }
        keys.push(&key[..length]);
    }
    Store::Bytes(keys)
}

/// Shuffles; present keys come from the first half, the whole second half is absent.
fn halves(
    name: &str,
    mut keys: Vec<&[u8]>,
    present: usize,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<(Store, Store), BenchError> {
    keys.shuffle(rng);
    let (first, second) = keys.split_at(keys.len() / 2);
    let too_small =
        || BenchError::KeySetTooSmall(name.to_owned(), first.len() as u64, present as u64);
    let first = first.get(..present).ok_or_else(too_small)?;
    let [first, second] = [first, second].map(|keys| Store::Bytes(keys.iter().copied().collect()));
    Ok((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_made_set_has_the_size_asked_for_and_is_the_same_again() {
        for set in [KeySet::RandomU64, KeySet::Sequential, KeySet::Strings] {
            let [made, again] = [7; 2].map(|seed| set.make(5000, 500, seed).unwrap());
            assert_eq!((made.present.len(), made.absent.len()), (5000, 500));
            assert!(made.present == again.present && made.absent == again.absent, "{set:?}");
            if let Store::Bytes(keys) = made.present {
                let mut lengths: Vec<usize> = keys.iter().map(<[u8]>::len).collect();
                lengths.sort_unstable();
                assert_eq!((lengths[0], lengths[4999]), (16, 64));
            }
        }
    }

    #[test]
    fn words_are_many_real_and_split_in_halves() {
        let made = KeySet::Words.make(1000, 0, 7).unwrap();
        let distinct = made.source.distinct.unwrap();
        assert!(distinct > 1_600_000, "{distinct}");
        assert_eq!(made.absent.len() as u64, distinct - distinct / 2);
        assert!(matches!(KeySet::Words.make(1_000_000, 0, 7), Err(BenchError::KeySetTooSmall(..))));
    }
}
