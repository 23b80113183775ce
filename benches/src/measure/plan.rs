//! The plan of a run: its request, resolved and checked.

use super::cell_group::CellGroup;
use super::schedule::{self, TimedRow};
use crate::cli::Request;
use crate::contenders::{self, Contender};
use crate::error::BenchError;
use crate::record::{KeySetFacts, Options};
use crate::scenarios::DatasetSpec;
use crate::scenarios::dataset::{Dataset, Views};
use crate::scenarios::keys::{KeySet, file};
use indicatif::ProgressBar;
use std::sync::Arc;
use std::time::Duration;

/// Groups over more keys than this are timed after all others, each spec with its own rounds.
const MOST_TOGETHER: usize = 2_000_000;

#[derive(Clone, Default, Debug)]
pub(crate) struct Plan {
    pub contenders: Vec<&'static Contender>,
    pub datasets: Vec<DatasetSpec>,
    /// None with the user's keys.
    pub scenarios: Vec<DatasetSpec>,
    /// The options that must be equal for numbers to be comparable.
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
        let rounds = rounds.unwrap_or(suite.rounds());
        let (datasets, scenarios) = match (file, keys.as_slice()) {
            (Some(file), _) => {
                let half = file.keys.len() / 2;
                (suite.of_file(KeySet::File(Arc::new(file)), half), Vec::new())
            }
            (None, []) => (suite.datasets(), suite.scenarios()),
            (None, keys) => (suite.of_sizes(keys), Vec::new()),
        };
        Ok(Self {
            datasets,
            scenarios,
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

    /// The groups that are measured together: those over few keys, and those over each large set.
    pub(super) fn parts(&self) -> Vec<Vec<CellGroup<'_>>> {
        let groups = CellGroup::all(&self.datasets).chain(CellGroup::all(&self.scenarios));
        let (together, apart): (Vec<_>, Vec<_>) =
            groups.partition(|group| group.spec.keys <= MOST_TOGETHER);
        let apart = apart.chunk_by(CellGroup::meets).map(<[_]>::to_vec);
        [together].into_iter().chain(apart).collect()
    }

    /// Verifies and times groups, their rounds side by side.
    pub(super) fn measure(
        &self,
        groups: &[CellGroup<'_>],
        progress: &ProgressBar,
    ) -> Result<(Vec<KeySetFacts>, Vec<TimedRow>), BenchError> {
        let chunks: Vec<_> = groups.chunk_by(CellGroup::meets).collect();
        let datasets = chunks.iter().map(|groups| groups[0].spec.dataset(self.options.seed));
        let datasets: Vec<Dataset> = datasets.collect::<Result<_, _>>()?;
        let views: Vec<Views<'_>> = datasets.iter().map(Dataset::views).collect();
        let mut schedules = Vec::new();
        for (groups, views) in chunks.iter().zip(&views) {
            let (contenders, options) = (&self.contenders, &self.options);
            schedules.extend(
                groups.iter().map(|group| group.verify(contenders, views, options, progress)),
            );
        }
        schedule::run(&mut schedules, progress);
        let found = schedules.iter().flat_map(|schedule| schedule.rows()).collect();
        // A scenario has its own keys, which the record does not describe.
        let facts =
            chunks.iter().zip(&datasets).filter(|(groups, _)| groups[0].spec.scenario.is_none());
        Ok((facts.map(|(groups, dataset)| dataset.facts(&groups[0].spec.key_set)).collect(), found))
    }

    pub(crate) fn estimate(&self) -> Duration {
        let groups = self.parts().into_iter().flatten();
        let groups = groups.map(|group| group.estimate(&self.contenders, self.options.rounds));
        groups.sum()
    }
}
