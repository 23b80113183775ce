//! What a run is asked for, looked up and checked.

use super::field::{Field, Views};
use super::heat::Heat;
use super::race::{self, Timed};
use super::suite::Group;
use crate::cli::Request;
use crate::contenders::{self, Contender};
use crate::error::BenchError;
use crate::keys::{KeySet, file};
use crate::record::{KeySetFacts, Options};
use indicatif::ProgressBar;
use std::sync::Arc;
use std::time::Duration;

/// Heats over more keys than this are timed after all others, each group with its own rounds.
const MOST_TOGETHER: usize = 2_000_000;

#[derive(Clone, Default, Debug)]
pub(crate) struct Plan {
    pub contenders: Vec<&'static Contender>,
    pub groups: Vec<Group>,
    /// None with the user's keys.
    pub courses: Vec<Group>,
    /// What must be equal for numbers to be comparable.
    pub options: Options,
}

impl Plan {
    /// Resolves the request; reads the key file. Without `rounds` they are the suite's.
    pub(crate) fn new(request: &Request, rounds: Option<u64>) -> Result<Self, BenchError> {
        let Request { suite, seed, ref only, ref keys, ref keys_file, .. } = *request;
        let contenders = contenders::choose(only)?;
        let file = keys_file.as_ref().map(|path| file::read(path)).transpose()?;
        let facts = file.as_ref().map(|file| (file.name.clone(), format!("{:016x}", file.digest)));
        let (file_name, digest) = facts.unzip();
        let file = file.map(|file| KeySet::File(Arc::new(file)));
        let ours = keys.is_empty() && file.is_none();
        let rounds = rounds.unwrap_or(suite.rounds());
        Ok(Self {
            courses: if ours { suite.courses() } else { Vec::new() },
            groups: match keys.as_slice() {
                [] => suite.groups(file.as_ref()),
                keys => suite.sizes(keys),
            },
            contenders,
            options: Options {
                suite,
                rounds,
                seed,
                keys: keys.clone(),
                keys_file: file_name,
                keys_file_xxh3: digest,
                ..Options::of_program()
            },
        })
    }

    /// The heats that are measured together: those of all small groups, and of each large one.
    pub(super) fn parts(&self) -> Vec<Vec<Heat<'_>>> {
        let heats = Heat::all(&self.groups).chain(Heat::all(&self.courses));
        let (together, apart): (Vec<_>, Vec<_>) =
            heats.partition(|heat| heat.group.keys <= MOST_TOGETHER);
        let apart = apart.chunk_by(Heat::meets).map(<[_]>::to_vec);
        [together].into_iter().chain(apart).collect()
    }

    /// Verifies and times heats, their rounds side by side.
    pub(super) fn measure(
        &self,
        heats: &[Heat<'_>],
        progress: &ProgressBar,
    ) -> Result<(Vec<KeySetFacts>, Vec<Timed>), BenchError> {
        let groups: Vec<_> = heats.chunk_by(Heat::meets).collect();
        let fields = groups.iter().map(|heats| heats[0].group.field(self.options.seed));
        let fields: Vec<Field> = fields.collect::<Result<_, _>>()?;
        let views: Vec<Views<'_>> = fields.iter().map(Field::views).collect();
        let mut races = Vec::new();
        for (heats, views) in groups.iter().zip(&views) {
            let (contenders, options) = (&self.contenders, &self.options);
            races
                .extend(heats.iter().map(|heat| heat.verify(contenders, views, options, progress)));
        }
        race::run(&mut races, progress);
        let found = races.iter().flat_map(|race| race.rows()).collect();
        // A course has keys of its own, which the record does not describe.
        let facts = groups.iter().zip(&fields).filter(|(heats, _)| heats[0].group.course.is_none());
        Ok((facts.map(|(heats, field)| field.facts(&heats[0].group.key_set)).collect(), found))
    }

    pub(crate) fn estimate(&self) -> Duration {
        let heats = self.parts().into_iter().flatten();
        let heats = heats.map(|heat| heat.estimate(&self.contenders, self.options.rounds));
        heats.sum()
    }
}
