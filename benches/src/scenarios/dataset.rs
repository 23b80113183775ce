//! The keys that the contenders of a group share.

use crate::contenders::{Contender, Order, Planned};
use crate::record::{Cell, KeySetFacts, Row, Workload};
use crate::scenarios::keys::{BenchKey, KeySet, Keys, Made, Store, Stream, View, halves};
use amq_core::Budget;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

#[derive(Debug)]
pub struct Dataset {
    made: Made,
    /// Streams with 0, 50 and 100 % present keys.
    streams: [Stream; 3],
    gone: Store,
    kept: Store,
}

impl Dataset {
    /// Streams of `asked` queries over these keys, the same for the same seed.
    pub fn new(made: Made, asked: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let streams = [0, 50, 100].map(|share| Stream::new(&made, asked, share, &mut rng));
        let (gone, kept) = halves(&made.present, &mut rng);
        Self { made, streams, gone, kept }
    }

    pub fn facts(&self, key_set: &KeySet) -> KeySetFacts {
        KeySetFacts {
            name: key_set.name().to_owned(),
            about: key_set.described().1.to_owned(),
            present: self.made.present.len() as u64,
            absent: self.made.absent.len() as u64,
            queries: self.streams[0].keys.len() as u64,
            source: self.made.source,
        }
    }

    pub fn views(&self) -> Views<'_> {
        Views {
            dataset: self,
            present: self.made.present.view(),
            absent: self.made.absent.view(),
            gone: self.gone.view(),
            kept: self.kept.view(),
            streams: self.streams.each_ref().map(|stream| stream.keys.view()),
        }
    }
}

#[derive(Debug)]
pub struct Views<'a> {
    dataset: &'a Dataset,
    present: View<'a>,
    absent: View<'a>,
    gone: View<'a>,
    kept: View<'a>,
    streams: [View<'a>; 3],
}

impl Views<'_> {
    /// The correct answers to the streams, given those for the absent keys.
    pub fn answers(&self, absent: &[bool]) -> [Vec<bool>; 3] {
        self.dataset.streams.each_ref().map(|stream| stream.answers(absent))
    }

    pub fn subject(&self, contender: &'static Contender, cell: Cell, seed: u64) -> Subject<'_> {
        let bits = cell.asked_bits.map(Budget::BitsPerKey);
        Subject {
            contender,
            budget: bits.or(cell.asked_fpr.map(Budget::Fpr)),
            cell,
            present: self.present.keys(),
            absent: self.absent.keys(),
            gone: self.gone.keys(),
            kept: self.kept.keys(),
            streams: self.streams.each_ref().map(View::keys),
            seed,
        }
    }
}

/// A contender, with the keys and queries for verifying and timing it.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    pub contender: &'static Contender,
    pub cell: Cell,
    /// The rate or size asked for; `None` if it takes neither.
    pub budget: Option<Budget>,
    pub present: Keys<'a>,
    pub absent: Keys<'a>,
    /// The keys to remove: half of the present ones, shuffled.
    pub gone: Keys<'a>,
    pub kept: Keys<'a>,
    /// Queries, of which 0, 50 and 100 % are for present keys.
    pub streams: [Keys<'a>; 3],
    /// The first seed; the others follow from it.
    pub seed: u64,
}

impl<'a> Subject<'a> {
    pub const fn order(&self, seed: u64) -> Order {
        Order { planned: Planned::Keys, budget: self.budget, seed }
    }

    pub fn row(&self, workload: Workload) -> Row {
        Row::new(&self.contender.info.name, &self.cell, workload)
    }

    /// The keys of a scenario; none if they are not integers.
    pub fn keys(&self) -> ScenarioKeys<'a> {
        let [present, absent] = [self.present, self.absent].map(|keys| u64::slice(keys));
        ScenarioKeys { present, absent, seed: self.seed }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ScenarioKeys<'a> {
    pub present: &'a [u64],
    pub absent: &'a [u64],
    pub seed: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::alloc::counted;
    use crate::scenarios::keys::{Arena, FileKeys, Source};
    use std::sync::Arc;

    /// A thousand short keys, and a long one that is queried repeatedly.
    #[test]
    fn streams_take_memory_by_the_bytes_of_their_keys() {
        let long = vec![b'x'; 4 << 20];
        let mut keys: Arena = [long.as_slice()].into_iter().collect();
        (0..1000u64).for_each(|key| keys.push(&key.to_le_bytes()));
        let (name, source) = ("keys".to_owned(), Source::default());
        let file = KeySet::File(Arc::new(FileKeys { name, keys, source, digest: 0 }));
        let (keys, queries) = (500, 1 << 14);
        let made = || file.make(keys, queries, 1).unwrap();
        let (dataset, memory) = counted(|| Dataset::new(made(), queries, 1));
        let most = 8 * long.len() + 500 * queries;
        assert!(memory.peak <= most as i64, "{} > {most}", memory.peak);
        let views = dataset.views();
        let [none, half, all] = views.streams.each_ref().map(|keys| match keys.keys() {
            Keys::Bytes(keys) => keys.iter().filter(|key| **key == long).count(),
            Keys::U64(_) => 0,
        });
        // 16,384 queries of 500 present or 501 absent keys.
        let seldom = 14..=33;
        assert!(seldom.contains(&half) && (none == 0) != (all == 0), "{none}, {half}, {all}");
        assert!(seldom.contains(&none.max(all)), "{none}, {all}");
    }
}
