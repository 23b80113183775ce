//! One heat: the contenders that meet over the same keys at one target rate.

use crate::contender::{Ability, Contender, Info, Role};
use crate::error::BenchError;
use crate::keys::Store;
use crate::keys::View;
use crate::keysets::{KeySet, Made};
use crate::progress::Progress;
use crate::record::{Cell, Row, Workload};
use crate::registry;
use crate::run::KeySetFacts;
use crate::stream::{Stream, halves};
use crate::suite::{FieldSize, Group, Suite};
use crate::timing::{self, Entrant, Expected, Queries};
use crate::verify::{self, Subject, verify, verify_removal};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::collections::BTreeMap;

/// A slow contender answers one in this many of the queries.
const SLOW_SHARE: usize = 8;

/// The beginning of the reason in the timed cells of a contender that failed verification.
pub const NOT_TIMED: &str = "not timed: ";

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
        Ok(Self {
            made,
            none,
            half,
            all,
            gone,
            kept,
        })
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
            none: self.none.keys.view(),
            half: self.half.keys.view(),
            all: self.all.keys.view(),
            gone: self.gone.view(),
            kept: self.kept.view(),
        }
    }
}

/// The contenders that take part in no heat of a group, by reason.
pub fn left_out(
    group: &Group,
    contenders: &[&'static dyn Contender],
) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut left_out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    // An objection at the first rate holds at the others too.
    let first = group.rates.first().map(|&rate| Heat { group, rate });
    for info in contenders.iter().map(|contender| contender.info()) {
        if let Some(reason) = first.and_then(|heat| heat.objection(&info)) {
            left_out.entry(reason).or_default().push(info.name);
        }
    }
    left_out
}

/// A field, ready to be handed to contenders.
#[derive(Debug)]
pub struct Views<'a> {
    field: &'a Field,
    present: View<'a>,
    absent: View<'a>,
    none: View<'a>,
    half: View<'a>,
    all: View<'a>,
    gone: View<'a>,
    kept: View<'a>,
}

/// A heat's place in the comparison.
#[derive(Clone, Copy, Debug)]
pub struct Heat<'a> {
    /// The keys.
    pub group: &'a Group,
    /// The target rate.
    pub rate: f64,
}

impl Heat<'_> {
    /// All heats of some groups, in order.
    pub fn all(groups: &[Group]) -> Vec<Heat<'_>> {
        groups
            .iter()
            .flat_map(|group| group.rates.iter().map(move |&rate| Heat { group, rate }))
            .collect()
    }

    /// The contenders that take part, and their cells. One without a target rate takes part once
    /// per group.
    pub fn entrants(
        &self,
        contenders: &[&'static dyn Contender],
    ) -> Vec<(&'static dyn Contender, Cell)> {
        let entry = |contender: &&'static dyn Contender| {
            let info = contender.info();
            let asked_fpr = info.takes_rate.then_some(self.rate);
            let takes_part = self.objection(&info).is_none()
                && (info.takes_rate || self.group.rate_of_fixed() == Some(self.rate));
            takes_part.then(|| (*contender, self.cell(asked_fpr)))
        };
        contenders.iter().filter_map(entry).collect()
    }

    /// Why a contender that could run at this rate takes no part.
    fn objection(&self, info: &Info) -> Option<&'static str> {
        if info.max_keys < self.group.keys as u64 {
            Some("not with so many keys")
        } else if info.slow && !self.is_for_the_slow() {
            Some("slow: random keys only")
        } else if self.group.field == FieldSize::Few && !registry::speaks_for_family(info) {
            Some("peers: only the first of each family")
        } else {
            None
        }
    }

    /// At the first rate of each group only, and only with the keys compared at all sizes, or the
    /// user's.
    fn is_for_the_slow(&self) -> bool {
        self.group.rates.first() == Some(&self.rate)
            && matches!(self.group.key_set, KeySet::RandomU64 | KeySet::File(_))
    }

    fn cell(&self, asked_fpr: Option<f64>) -> Cell {
        Cell {
            key_set: self.group.key_set.name().to_owned(),
            keys: self.group.keys as u64,
            planned_keys: None,
            asked_fpr,
        }
    }

    /// Its label in the progress bar.
    pub fn title(&self) -> String {
        format!(
            "{}, {} keys, rate {:.4}",
            self.group.key_set.name(),
            self.group.keys,
            self.rate
        )
    }

    /// Verifies all contenders. The rows of those that fail say why; the others are ready to be
    /// timed.
    pub fn verify(
        &self,
        entrants: Vec<(&'static dyn Contender, Cell)>,
        views: &Views<'_>,
        suite: Suite,
        seed: u64,
        progress: &Progress,
    ) -> (Vec<Entrant>, Vec<Row>) {
        progress.begin(&self.title());
        let (mut ready, mut rows) = (Vec::new(), Vec::new());
        for (contender, cell) in entrants {
            let info = contender.info();
            progress.now(&format!("{}: verifying {}", self.title(), info.name));
            let subject = Subject {
                asked_fpr: cell.asked_fpr,
                ..views.subject(seed)
            };
            let outcome = verify(contender, &subject, &suite.effort());
            rows.push(verify::row(&info, &cell, &outcome));
            progress.did_verify(subject.present.len(), subject.absent.len());
            match outcome {
                Ok(verified) => {
                    let removes = info.abilities.contains(&Ability::Remove);
                    let removal =
                        removes.then(|| verify_removal(contender, &subject, &suite.effort()));
                    if let Some(Err(failure)) = &removal {
                        let reason = failure.to_string();
                        rows.push(Row::failed(info.name, &cell, Workload::Remove, &reason));
                    }
                    let all = self.group.queries_at(self.rate);
                    let queries = if info.slow { all / SLOW_SHARE } else { all };
                    ready.push(Entrant {
                        contender,
                        asked_fpr: cell.asked_fpr,
                        cell,
                        expected: (info.role != Role::Floor)
                            .then(|| views.expected(queries, &verified.absent)),
                        filter: verified.filter,
                        queries,
                        removal: removal.and_then(Result::ok),
                    });
                }
                Err(failure) => {
                    let reason = format!("{NOT_TIMED}{failure}");
                    let offered = timing::TIMED.into_iter().filter(|workload| match workload {
                        Workload::Batch50 => info.abilities.contains(&Ability::Batch),
                        Workload::Remove => info.abilities.contains(&Ability::Remove),
                        _ => true,
                    });
                    rows.extend(
                        offered.map(|workload| Row::failed(info.name, &cell, workload, &reason)),
                    );
                }
            }
        }
        (ready, rows)
    }

    /// Times those that passed.
    pub fn time(
        &self,
        ready: &[Entrant],
        views: &Views<'_>,
        rounds: u64,
        seed: u64,
        progress: &Progress,
    ) -> Vec<Row> {
        progress.now(&format!("{}: timing", self.title()));
        let queries = views.queries();
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed ^ self.rate.to_bits());
        timing::race(
            ready,
            &queries,
            &views.subject(seed),
            self.group.rounds(self.rate, rounds),
            &mut rng,
            progress,
        )
    }
}

impl Views<'_> {
    /// The streams.
    pub fn queries(&self) -> Queries<'_> {
        Queries {
            none: self.none.keys(),
            half: self.half.keys(),
            all: self.all.keys(),
        }
    }

    /// The subject for contenders without a target rate; the others are given a rate as well.
    pub fn subject(&self, seed: u64) -> Subject<'_> {
        Subject {
            present: self.present.keys(),
            absent: self.absent.keys(),
            gone: self.gone.keys(),
            kept: self.kept.keys(),
            asked_fpr: None,
            seed,
        }
    }

    fn expected(&self, queries: usize, absent: &[bool]) -> Expected {
        Expected {
            none: self.field.none.hits(queries, absent),
            half: self.field.half.hits(queries, absent),
            all: self.field.all.hits(queries, absent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alloc::counted;
    use crate::keyfile::FileKeys;
    use crate::keys::{Arena, Keys};
    use crate::keysets::Source;
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
        let streams = [views.none.keys(), views.half.keys(), views.all.keys()];
        let times = |keys: &Keys<'_>| match keys {
            Keys::Bytes(keys) => keys.iter().filter(|key| **key == long).count(),
            Keys::U64(_) => 0,
        };
        let [none, half, all] = streams.map(|keys| times(&keys));
        // 16,384 queries of 500 present or 501 absent keys.
        let seldom = 14..=33;
        assert!(
            seldom.contains(&half) && (none == 0) != (all == 0),
            "{none}, {half}, {all}"
        );
        assert!(seldom.contains(&none.max(all)), "{none}, {all}");
    }
    #[test]
    fn whoever_is_left_out_of_a_group_is_named_with_the_reason() {
        let group = |set, keys| Group::whole(set, keys, &[0.01], Suite::Full);
        let mut groups = Suite::Quick.groups(None);
        groups.push(group(KeySet::RandomU64, 20_000_000));
        groups.push(group(KeySet::Words, 1000));
        for group in groups {
            let left_out = left_out(&group, registry::ALL);
            let heats = Heat::all(std::slice::from_ref(&group));
            for contender in registry::ALL {
                let info = contender.info();
                let takes_part = heats
                    .iter()
                    .any(|heat| !heat.entrants(&[*contender]).is_empty());
                let named = left_out.values().flatten().any(|name| *name == info.name);
                assert_ne!(takes_part, named, "{} in {group:?}", info.name);
            }
            let too_many = registry::ALL
                .iter()
                .any(|one| one.info().max_keys < group.keys as u64);
            assert_eq!(left_out.contains_key("not with so many keys"), too_many);
        }
    }
}
