//! One heat: the contenders that meet over the same keys, asked for the same rate or size.

use super::race::{self, Expected, Queries, Ready, Timed, offered};
use super::suite::{Depth, Group, Who, words};
use super::verify::{self, Failure, Subject, octave, verify, verify_removal};
use crate::contenders::{self, Ability, Contender, Family, Info, Role};
use crate::error::BenchError;
use crate::keys::{KeySet, Keys, Made, Store, Stream, View, halves};
use crate::progress::{Progress, nanoseconds};
use crate::record::{Cell, KeySetFacts, Row, Suite, Workload};
use amq_core::Budget;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// Nothing is removed from filters of more keys: each removal needs a filter of its own.
const MOST_TO_REMOVE: usize = 20_000_000;

/// The keys of a group and the streams of queries over them.
#[derive(Debug)]
pub struct Field {
    made: Made,
    none: Stream,
    half: Stream,
    all: Stream,
    gone: Store,
    kept: Store,
}

impl Field {
    /// Makes keys and streams, the same for the same seed.
    pub fn new(group: &Group, seed: u64) -> Result<Self, BenchError> {
        let queries = group.queries;
        let made = group.key_set.make(group.keys, queries, seed)?;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let mut stream = |share| Stream::new(&made, queries, share, &mut rng);
        let (none, half, all) = (stream(0), stream(50), stream(100));
        let (gone, kept) = halves(&made.present, &mut rng);
        Ok(Self { made, none, half, all, gone, kept })
    }

    /// What the record says of the keys.
    pub fn facts(&self, group: &Group) -> KeySetFacts {
        KeySetFacts {
            name: group.key_set.name().to_owned(),
            about: group.key_set.about().to_owned(),
            present: self.made.present.len() as u64,
            absent: self.made.absent.len() as u64,
            queries: self.half.keys.len() as u64,
            source: self.made.source,
        }
    }

    /// The slices handed to contenders.
    pub fn views(&self) -> Views<'_> {
        Views {
            field: self,
            present: self.made.present.view(),
            absent: self.made.absent.view(),
            streams: [&self.none, &self.half, &self.all].map(|stream| stream.keys.view()),
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
    pub fn queries(&self) -> Queries<'_> {
        let [none, half, all] = &self.streams;
        Queries { none: none.keys(), half: half.keys(), all: all.keys() }
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

    /// What the streams must be answered, from the answers for the absent keys.
    pub fn expected(&self, absent: &[bool]) -> Expected {
        let Field { none, half, all, .. } = self.field;
        Expected {
            none: none.answers(absent),
            half: half.answers(absent),
            all: all.answers(absent),
        }
    }

    /// The present keys and some absent ones, to build larger filters of.
    fn pool(&self) -> Option<Vec<u64>> {
        match (&self.field.made.present, &self.field.made.absent) {
            (Store::U64(present), Store::U64(absent)) if absent.len() >= present.len() => {
                Some([present.as_slice(), absent].concat())
            }
            _ => None,
        }
    }
}

/// The contenders that take part in no heat of a group, by reason.
pub fn left_out(
    group: &Group,
    contenders: &[&'static dyn Contender],
) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut left_out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    // An objection at the first target holds at the others too.
    let first = Heat::all(std::slice::from_ref(group)).into_iter().next();
    for info in contenders.iter().map(|contender| contender.info()) {
        if let Some(reason) = first.and_then(|heat| heat.objection(&info)) {
            left_out.entry(reason).or_default().push(info.name);
        }
    }
    left_out
}

/// A contender that takes part, and the template of its rows.
pub type Entrant = (&'static dyn Contender, Cell);

/// A heat's place in the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Heat<'a> {
    /// The keys.
    pub group: &'a Group,
    /// What is asked for.
    pub target: Budget,
    /// How thoroughly.
    pub depth: Depth,
}

impl Heat<'_> {
    /// All heats of some groups, in order.
    pub fn all(groups: &[Group]) -> Vec<Heat<'_>> {
        let heats = groups.iter().flat_map(|group| {
            let targets = group.targets.iter();
            targets.map(move |&(target, depth)| Heat { group, target, depth })
        });
        heats.collect()
    }

    /// The contenders that take part, and their cells. One without a target rate takes part once
    /// per group.
    pub fn entrants(&self, contenders: &[&'static dyn Contender]) -> Vec<Entrant> {
        let entry = |contender: &&'static dyn Contender| {
            let info = contender.info();
            let fits = match self.target {
                Budget::BitsPerKey(_) => info.bits_budget,
                target => info.takes_rate || self.group.target_of_fixed() == Some(target),
            };
            let takes_part = fits && self.objection(&info).is_none();
            takes_part.then(|| (*contender, self.cell(&info)))
        };
        contenders.iter().filter_map(entry).collect()
    }

    /// Why a contender that could be asked for this takes no part.
    fn objection(&self, info: &Info) -> Option<&'static str> {
        if info.max_keys < self.group.keys as u64 {
            Some("not with so many keys")
        } else if info.slow && !self.is_for_the_slow() {
            Some("slow: random keys only")
        } else if self.group.who != Who::All && !contenders::speaks_for_family(info) {
            Some("peers: only the first of each family")
        } else if self.group.who == Who::Compact && !is_compact(info) {
            Some("so many keys only with one filter of each compact kind")
        } else {
            None
        }
    }

    /// At the first target of each group only, and only with the keys compared at all sizes, or the
    /// user's.
    fn is_for_the_slow(&self) -> bool {
        let first = self.group.targets.first().map(|(target, _)| *target);
        first == Some(self.target)
            && matches!(self.group.key_set, KeySet::RandomU64 | KeySet::File(_))
    }

    fn cell(&self, info: &Info) -> Cell {
        let mut cell = Cell {
            key_set: self.group.key_set.name().to_owned(),
            keys: self.group.keys as u64,
            ..Cell::default()
        };
        match self.target {
            Budget::BitsPerKey(bits) => cell.asked_bits = Some(bits),
            Budget::Fpr(rate) if info.takes_rate => cell.asked_fpr = Some(rate),
            _ => {}
        }
        cell
    }

    /// Its label in the progress bar.
    pub fn title(&self) -> String {
        let Group { key_set, keys, .. } = self.group;
        format!("{}, {keys} keys, {}", key_set.name(), words(self.target))
    }

    /// Verifies all contenders. The rows of those that fail say why; the others are ready to be
    /// timed.
    pub fn verify(
        &self,
        entrants: Vec<Entrant>,
        views: &Views<'_>,
        suite: Suite,
        seed: u64,
        progress: &Progress,
    ) -> (Vec<Ready>, Vec<Row>) {
        progress.begin(&self.title());
        let (mut ready, mut rows) = (Vec::new(), Vec::new());
        for (contender, cell) in entrants {
            let info = contender.info();
            progress.now(&format!("{}: verifying {}", self.title(), info.name));
            let budget = budget(&cell);
            let subject = views.subject(budget, seed);
            let effort = suite.effort(self.group.keys);
            let mut outcome = verify(contender, &subject, &effort);
            let octave = self.octave(contender, &subject, views);
            if let (Ok(verified), Some(range)) = (&mut outcome, octave) {
                match range {
                    Ok(range) => verified.with_octave(range),
                    Err(failure) => outcome = Err(failure),
                }
            }
            rows.push(verify::row(&info, &cell, &outcome));
            progress.did(self.cost_of_verifying());
            match outcome {
                Ok(verified) if self.depth != Depth::Facts => {
                    let removes = info.can(Ability::Remove) && self.group.keys <= MOST_TO_REMOVE;
                    let removal = removes.then(|| verify_removal(contender, &subject, &effort));
                    if let Some(Err(failure)) = &removal {
                        rows.push(failure.mark(Row::new(info.name, &cell, Workload::Remove)));
                    }
                    let expected = views.expected(&verified.absent);
                    let answers = (info.role != Role::Floor).then_some(&expected);
                    ready.push(Ready::new(
                        contender,
                        cell,
                        subject.order(seed),
                        self.group.queries,
                        answers,
                        removal.and_then(Result::ok),
                    ));
                }
                Ok(_) => {}
                Err(failure) => {
                    let untimed = |workload| failure.untime(Row::new(info.name, &cell, workload));
                    let timed = self.depth != Depth::Facts;
                    rows.extend(offered(&info).filter(|_| timed).map(untimed));
                }
            }
        }
        (ready, rows)
    }

    /// Times those that passed.
    pub fn time(
        &self,
        ready: Vec<Ready>,
        views: &Views<'_>,
        rounds: u64,
        seed: u64,
        progress: &Progress,
    ) -> Vec<Timed> {
        progress.now(&format!("{}: timing", self.title()));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ self.group.keys as u64);
        race::race(
            ready,
            &views.queries(),
            &views.subject(None, seed),
            self.depth.rounds(rounds),
            &mut rng,
            progress,
        )
    }

    /// The sizes over an octave, for a contender whose size jumps, at the main target.
    fn octave(
        &self,
        contender: &dyn Contender,
        subject: &Subject<'_>,
        views: &Views<'_>,
    ) -> Option<Result<(u64, u64), Failure>> {
        let is_first = self.group.targets.first().map(|(target, _)| *target) == Some(self.target);
        if !is_first || !contender.info().jumps {
            return None;
        }
        let pool = views.pool()?;
        Some(octave(contender, Keys::U64(&pool), self.group.keys, subject))
    }

    /// The estimated duration of one contender in a run of so many rounds, in nanoseconds.
    pub fn cost(&self, info: &Info, rounds: u64) -> u64 {
        let Group { keys, queries, .. } = *self.group;
        let removes = info.can(Ability::Remove) && keys <= MOST_TO_REMOVE;
        let timed = race::cost(keys, queries, self.depth.rounds(rounds), removes);
        self.cost_of_verifying() + timed
    }

    /// The estimated duration of verifying one contender, in nanoseconds.
    pub fn cost_of_verifying(&self) -> u64 {
        let Group { keys, queries, .. } = *self.group;
        let seeds = if keys < 5_000_000 { 2 } else { 1 };
        nanoseconds(keys, seeds * (3 * keys + 2 * queries))
    }
}

/// Whether it is one of each kind that takes few bits a key.
fn is_compact(info: &Info) -> bool {
    let large = [Family::Counting, Family::Scalable, Family::Exact].contains(&info.family);
    let again = info.role == Role::Twin || info.can(Ability::ConcurrentInsert);
    !large && !again && info.role != Role::Map
}

/// What a cell asks for.
pub fn budget(cell: &Cell) -> Option<Budget> {
    let bits = cell.asked_bits.map(Budget::BitsPerKey);
    bits.or(cell.asked_fpr.map(Budget::Fpr))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders::ALL;
    use crate::contenders::alloc::counted;
    use crate::keys::{Arena, FileKeys, Source};
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
        let Queries { none, half, all } = views.queries();
        let times = |keys: Keys<'_>| match keys {
            Keys::Bytes(keys) => keys.iter().filter(|key| **key == long).count(),
            Keys::U64(_) => 0,
        };
        let [none, half, all] = [none, half, all].map(times);
        // 16,384 queries of 500 present or 501 absent keys.
        let seldom = 14..=33;
        assert!(seldom.contains(&half) && (none == 0) != (all == 0), "{none}, {half}, {all}");
        assert!(seldom.contains(&none.max(all)), "{none}, {all}");
    }

    #[test]
    fn whoever_is_left_out_of_a_group_is_named_with_the_reason() {
        let mut groups = Suite::Quick.groups(None);
        groups.extend(Suite::Full.groups(None));
        for group in groups {
            let left_out = left_out(&group, &ALL);
            let heats = Heat::all(std::slice::from_ref(&group));
            for contender in ALL.iter() {
                let info = contender.info();
                let takes_part = heats.iter().any(|heat| !heat.entrants(&[*contender]).is_empty());
                let named = left_out.values().flatten().any(|name| *name == info.name);
                assert_ne!(takes_part, named, "{} in {group:?}", info.name);
            }
            let too_many = ALL.iter().any(|one| one.info().max_keys < group.keys as u64);
            assert_eq!(left_out.contains_key("not with so many keys"), too_many);
        }
    }
}
