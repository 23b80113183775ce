//! Sources of keys: generated, shipped with a package, or the user's file.

use crate::error::BenchError;
use crate::scenarios::keys::{FileKeys, Source, Store};
use rand::distr::{Alphanumeric, SampleString};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeySet {
    #[serde(rename = "random-u64")]
    RandomU64,
    /// 0, 1, 2, ... present; the numbers after them absent.
    Sequential,
    Strings,
    /// German words: the first half is the pool of present keys, the second half is absent.
    Words,
    /// The user's own keys, split like the words.
    #[serde(skip)]
    File(Arc<FileKeys>),
}

impl KeySet {
    pub fn name(&self) -> &str {
        self.described().0
    }

    /// The name in records, and a description of the keys and their split.
    pub fn described(&self) -> (&str, &'static str) {
        match self {
            Self::RandomU64 => ("random-u64", "uniform random 64-bit integers"),
            Self::Sequential => ("sequential", "the integers from 0 up, first the present ones"),
            Self::Strings => ("strings", "random strings of 16 to 64 letters and digits"),
            Self::Words => ("words", "German words of the crate random_word, shuffled and halved"),
            Self::File(file) => (&file.name, "the user's distinct lines, shuffled and halved"),
        }
    }

    /// Makes `present` keys and, if the source has that many, `absent` others, and checks that all
    /// are distinct.
    pub fn make(&self, present: usize, absent: usize, seed: u64) -> Result<Made, BenchError> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut source = Source::default();
        let [present, absent] = match self {
            Self::RandomU64 => [present, absent].map(|n| random(n, &mut rng)),
            Self::Sequential => {
                let (end, after) = (present as u64, (present + absent) as u64);
                [0..end, end..after].map(|keys| Store::U64(keys.collect()))
            }
            Self::Strings => [present, absent].map(|n| strings(n, &mut rng)),
            Self::Words => {
                let words = random_word::all(random_word::Lang::De);
                source.distinct = Some(words.len() as u64);
                self.halves(words.iter().map(|word| word.as_bytes()), present, &mut rng)?
            }
            Self::File(file) => {
                source = file.source;
                self.halves(file.keys.iter(), present, &mut rng)?
            }
        };
        if !present.distinct_from(&absent) {
            return Err(BenchError::KeysRepeat(self.name().to_owned(), seed));
        }
        Ok(Made { present, absent, source })
    }

    /// Shuffles; present keys come from the first half, the whole second half is absent.
    fn halves<'a>(
        &self,
        keys: impl Iterator<Item = &'a [u8]>,
        present: usize,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<[Store; 2], BenchError> {
        let mut keys: Vec<&[u8]> = keys.collect();
        keys.shuffle(rng);
        let (first, second) = keys.split_at(keys.len() / 2);
        let Some(first) = first.get(..present) else {
            let (half, name) = (first.len() as u64, self.name().to_owned());
            return Err(BenchError::KeySetTooSmall(name, half, present as u64));
        };
        Ok([first, second].map(|keys| Store::Bytes(keys.iter().collect())))
    }
}

/// Keys made for one size: distinct and disjoint, checked.
#[derive(Clone, Debug)]
pub struct Made {
    pub present: Store,
    pub absent: Store,
    pub(crate) source: Source,
}

fn random(n: usize, rng: &mut Xoshiro256PlusPlus) -> Store {
    Store::U64((0..n).map(|_| rng.next_u64()).collect())
}

fn strings(n: usize, rng: &mut Xoshiro256PlusPlus) -> Store {
    let mut string = || {
        let length = rng.random_range(16..=64);
        Alphanumeric.sample_string(rng, length)
    };
    Store::Bytes((0..n).map(|_| string()).collect())
}
