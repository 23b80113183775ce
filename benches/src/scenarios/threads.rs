//! Threads: one up to all hardware threads fill or query one filter at the same time.

use super::merge::MERGE;
use super::scenario::{Scenario, ScenarioKind};
use super::script::{Act, Check, Script, Step};
use crate::contenders::threads::counts;
use crate::contenders::{Ability, Planned, Task};
use crate::record::Workload;
use crate::scenarios::dataset::ScenarioKeys;
use crate::workers::cores;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use std::borrow::Cow;

/// Each number of threads fills a new filter.
pub const INSERT: ScenarioKind = ScenarioKind {
    workload: Workload::ThreadsInsert,
    admits: |info| info.can(Ability::ConcurrentInsert),
    is_long: true,
    script: |scenario, keys, _| Ok(script(scenario, keys, Task::Insert)),
    reference: "atomic-blocked-bloom",
    ..MERGE
};

/// Threads query a filter that one thread has filled; half of the keys are present.
pub const QUERY: ScenarioKind = ScenarioKind {
    workload: Workload::ThreadsQuery,
    script: |scenario, keys, _| Ok(script(scenario, keys, Task::Ask)),
    ..INSERT
};

fn script<'a>(scenario: &Scenario, keys: ScenarioKeys<'a>, task: Task) -> Script<'a> {
    let ScenarioKeys { absent, seed, .. } = keys;
    let all = &keys.present[..scenario.keys];
    let (first, keys) = match task {
        Task::Insert => (&[][..], Cow::Borrowed(all)),
        Task::Ask => {
            let mut asked = [&all[..absent.len().min(all.len())], absent].concat();
            asked.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(seed));
            (all, Cow::Owned(asked))
        }
    };
    let step = |threads| {
        let act = Act::Threads(task, threads, keys.clone());
        Step { act, holds: Cow::Borrowed(all), check: Check::Rate }
    };
    let steps = counts(cores()).map(step).collect();
    Script { planned: Planned::Room(scenario.planned), slots: None, first, steps }
}
