//! What a run is asked for, looked up and checked.

use super::construction::{self, Line};
use super::courses::{self, Setting, Track};
use super::estimate::Times;
use super::field::{Field, Views};
use super::heat::Heat;
use super::race;
use super::suite::Group;
use super::turn::Timed;
use crate::cli::Request;
use crate::contenders::{self, Contender};
use crate::error::BenchError;
use crate::keys::{KeySet, file};
use crate::progress::Progress;
use crate::record::{KeySetFacts, Options};
use std::rc::Rc;
use std::time::Duration;

/// Groups of more keys than this are measured one after another, each with its own rounds.
const MOST_TOGETHER: usize = 2_000_000;

/// A request, looked up and checked.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub contenders: Vec<&'static dyn Contender>,
    pub groups: Vec<Group>,
    /// None with the user's keys.
    pub courses: Vec<Track>,
    /// The ribbon systems; none with the user's keys.
    pub lines: Vec<Line>,
    /// Keys of the filters whose instructions are counted, if any are.
    pub counted: Option<usize>,
    /// What must be equal for numbers to be comparable.
    pub options: Options,
}

impl Plan {
    /// Resolves the request; reads the key file.
    pub(crate) fn new(request: &Request) -> Result<Self, BenchError> {
        let Request { suite, seed, .. } = *request;
        let contenders = contenders::choose(&request.only, &[construction::NAME])?;
        let path = request.keys_file.as_ref();
        let keys = path.map(|path| file::read(path)).transpose()?;
        let facts = keys.as_ref().map(|keys| (keys.name.clone(), format!("{:016x}", keys.digest)));
        let (keys_file, keys_file_xxh3) = facts.unzip();
        let file = keys.map(|keys| KeySet::File(Rc::new(keys)));
        let ours = request.keys.is_empty() && file.is_none();
        let some = !contenders.is_empty();
        if !some && !ours {
            return Err(BenchError::NothingToMeasure);
        }
        let tries =
            request.only.is_empty() || request.only.iter().any(|name| name == construction::NAME);
        let rounds = request.rounds.unwrap_or(suite.rounds());
        // Where instructions are wanted but the suite counts none, those of its middle size.
        let counted = suite.counted();
        let counted = counted.or_else(|| request.instructions.then(|| suite.middle()));
        Ok(Self {
            courses: if ours && some { suite.courses() } else { Vec::new() },
            lines: if ours && tries { suite.lines() } else { Vec::new() },
            groups: match request.keys.as_slice() {
                _ if !some => Vec::new(),
                [] => suite.groups(file.as_ref()),
                keys => suite.sizes(keys),
            },
            counted: counted.filter(|_| ours && some && rounds > 0),
            contenders,
            options: Options {
                suite,
                rounds,
                seed,
                keys: request.keys.clone(),
                keys_file,
                keys_file_xxh3,
                ..Options::of_program()
            },
        })
    }

    /// The groups that are measured together.
    pub(super) fn parts(&self) -> impl Iterator<Item = &[Group]> {
        self.groups.chunk_by(|_, next| next.keys <= MOST_TOGETHER)
    }

    /// Verifies and times heats, their rounds side by side.
    pub(super) fn measure(
        &self,
        heats: &[Heat<'_>],
        progress: &Progress,
    ) -> Result<(Vec<KeySetFacts>, Vec<Timed>), BenchError> {
        let Options { suite, rounds, seed, .. } = self.options;
        let groups: Vec<_> = heats.chunk_by(|a, b| std::ptr::eq(a.group, b.group)).collect();
        let fields = groups.iter().map(|heats| Field::new(heats[0].group, seed));
        let fields: Vec<Field> = fields.collect::<Result<_, _>>()?;
        let views: Vec<Views<'_>> = fields.iter().map(Field::views).collect();
        let (mut races, mut verified) = (Vec::new(), Vec::new());
        for (heats, views) in groups.iter().zip(&views) {
            for heat in *heats {
                let entrants = heat.entrants(&self.contenders);
                let (race, rows) = heat.verify(entrants, views, (suite, rounds, seed), progress);
                races.push(race);
                verified.push(rows);
            }
        }
        race::run(&mut races, progress);
        let untimed = |row| Timed { row, times: Times::default() };
        let found = races.into_iter().zip(verified).flat_map(|(race, rows)| {
            let rows = rows.into_iter().map(untimed);
            rows.chain(race.rows()).collect::<Vec<_>>()
        });
        let facts = groups.iter().zip(&fields).map(|(heats, field)| field.facts(heats[0].group));
        Ok((facts.collect(), found.collect()))
    }

    /// The estimated duration.
    pub(crate) fn estimate(&self) -> Duration {
        let heats =
            Heat::all(&self.groups).iter().map(|heat| self.estimate_of(heat)).sum::<Duration>();
        let courses = self.courses.iter().map(|course| self.estimate_of_course(course));
        let lines = self.lines.iter().map(Line::estimate);
        let counting = self.counted.map(|_| Duration::from_secs(3) * self.contenders.len() as u32);
        heats + courses.chain(lines).chain(counting).sum::<Duration>()
    }

    pub(super) fn estimate_of(&self, heat: &Heat<'_>) -> Duration {
        let entrants = heat.entrants(&self.contenders);
        let costs =
            entrants.iter().map(|(contender, _)| heat.cost(&contender.info(), self.options.rounds));
        Duration::from_nanos(costs.sum())
    }

    pub(super) fn estimate_of_course(&self, track: &Track) -> Duration {
        courses::estimate(track, &self.contenders, self.setting())
    }

    pub(super) fn setting(&self) -> Setting {
        let Options { suite, rounds, seed, .. } = self.options;
        Setting { suite, seed, rounds: suite.rounds_of_courses(rounds) }
    }
}
