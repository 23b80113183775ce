//! The keys that the contenders of a group meet over.

use super::courses::Ground;
use super::suite::Group;
use super::verify::Subject;
use crate::error::BenchError;
use crate::keys::{Keys, Made, Store, Stream, View, halves};
use crate::record::KeySetFacts;
use amq_core::Budget;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// The keys of a group and the streams of queries over them.
#[derive(Debug)]
pub struct Field {
    made: Made,
    /// Of 0, 50 and 100 % present keys.
    streams: [Stream; 3],
    gone: Store,
    kept: Store,
}

impl Field {
    /// Makes keys and streams, the same for the same seed.
    pub fn new(group: &Group, seed: u64) -> Result<Self, BenchError> {
        let queries = group.queries;
        let made = group.key_set.make(group.keys, queries, seed)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        // Along a course other things are done to filters.
        let asked = if group.course.is_some() { 0 } else { queries };
        let streams = [0, 50, 100].map(|share| Stream::new(&made, asked, share, &mut rng));
        let (gone, kept) = halves(&made.present, &mut rng);
        Ok(Self { made, streams, gone, kept })
    }

    /// What the record says of the keys.
    pub fn facts(&self, group: &Group) -> KeySetFacts {
        KeySetFacts {
            name: group.key_set.name().to_owned(),
            about: group.key_set.about().to_owned(),
            present: self.made.present.len() as u64,
            absent: self.made.absent.len() as u64,
            queries: self.streams[0].keys.len() as u64,
            source: self.made.source,
        }
    }

    /// The slices handed to contenders.
    pub fn views(&self) -> Views<'_> {
        Views {
            field: self,
            present: self.made.present.view(),
            absent: self.made.absent.view(),
            streams: self.streams.each_ref().map(|stream| stream.keys.view()),
            gone: self.gone.view(),
            kept: self.kept.view(),
        }
    }
}

/// A field, ready to be handed to contenders.
#[derive(Debug)]
pub struct Views<'a> {
    field: &'a Field,
    present: View<'a>,
    absent: View<'a>,
    streams: [View<'a>; 3],
    gone: View<'a>,
    kept: View<'a>,
}

impl Views<'_> {
    /// The streams.
    pub fn queries(&self) -> [Keys<'_>; 3] {
        self.streams.each_ref().map(View::keys)
    }

    /// What the streams must be answered, from the answers for the absent keys.
    pub fn answers(&self, absent: &[bool]) -> [Vec<bool>; 3] {
        self.field.streams.each_ref().map(|stream| stream.answers(absent))
    }

    /// The subject for contenders that are asked for this.
    pub fn subject(&self, budget: Option<Budget>, seed: u64) -> Subject<'_> {
        Subject {
            present: self.present.keys(),
            absent: self.absent.keys(),
            gone: self.gone.keys(),
            kept: self.kept.keys(),
            budget,
            seed,
        }
    }

    /// The keys of a course.
    pub fn ground(&self, seed: u64) -> Ground<'_> {
        match (self.present.keys(), self.absent.keys()) {
            (Keys::U64(present), Keys::U64(absent)) => Ground { present, absent, seed },
            // Courses have integers.
            _ => Ground { present: &[], absent: &[], seed },
        }
    }

    /// The present keys and some absent ones, to build larger filters of.
    pub fn pool(&self) -> Option<Vec<u64>> {
        match (&self.field.made.present, &self.field.made.absent) {
            (Store::U64(present), Store::U64(absent)) if absent.len() >= present.len() => {
                Some([present.as_slice(), absent].concat())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::alloc::counted;
    use crate::keys::{Arena, FileKeys, KeySet, Source};
    use crate::record::Suite;
    use std::rc::Rc;

    /// A thousand short keys, and a long one that is queried over and over.
    #[test]
    fn streams_take_memory_by_the_bytes_of_the_keys_not_by_how_often_they_are_asked_for() {
        let long = vec![b'x'; 4 << 20];
        let mut keys: Arena = [long.as_slice()].into_iter().collect();
        for key in 0..1000u64 {
            keys.push(&key.to_le_bytes());
        }
        let file = KeySet::File(Rc::new(FileKeys {
            name: "keys".to_owned(),
            keys,
            source: Source::default(),
            digest: 0,
        }));
        let group = Suite::Smoke.groups(Some(&file)).remove(0);
        let (field, memory) = counted(|| Field::new(&group, 1).unwrap());
        let most = 8 * long.len() + 500 * group.queries;
        assert!(memory.peak <= most as i64, "{} > {most}", memory.peak);
        let views = field.views();
        let times = |keys: &View<'_>| match keys.keys() {
            Keys::Bytes(keys) => keys.iter().filter(|key| **key == long).count(),
            Keys::U64(_) => 0,
        };
        let [none, half, all] = views.streams.each_ref().map(times);
        // 16,384 queries of 500 present or 501 absent keys.
        let seldom = 14..=33;
        assert!(seldom.contains(&half) && (none == 0) != (all == 0), "{none}, {half}, {all}");
        assert!(seldom.contains(&none.max(all)), "{none}, {all}");
    }
}
