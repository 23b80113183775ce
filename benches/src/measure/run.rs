//! A whole run: groups, scenarios and the rest, each recorded as soon as it ends.

use super::cell_group::CellGroup;
use super::estimate::UNSTABLE;
use super::plan::Plan;
use super::schedule::TimedRow;
use super::{heap, noise};
use crate::cli::Request;
use crate::contenders::{self, Role};
use crate::error::BenchError;
use crate::progress;
use crate::record::{Cell, Machine, Records, Row, Run};
use crate::verify::interval::SIGMAS;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The numbers of keys with curves of theory: small, and many.
const CURVES: [u64; 2] = [1_000, 1_000_000];

/// The rows of each contender that takes part.
type All = BTreeMap<&'static str, Vec<Row>>;

/// Runs, and returns the day's records. They change only once everything is measured.
pub(crate) fn run(
    request: &Request,
    plan: &Plan,
    day: &Records,
    resume: bool,
) -> Result<Vec<Row>, BenchError> {
    heap::keep();
    let records = day.unfinished(!request.only.is_empty());
    let (run, all) = begin(request, plan, day, &records, resume)?;
    records.write_machine(&Machine::this())?;
    records.write_run(&run)?;
    let mut run = RunInProgress {
        plan,
        records,
        before: run.seconds,
        run,
        all,
        start: Instant::now(),
        progress: progress::bar(plan.estimate()),
    };
    for groups in plan.parts() {
        run.groups(groups)?;
    }
    run.finish(day)?;
    Ok(run.all.into_values().flatten().collect())
}

pub(crate) fn verify_only(plan: &Plan) -> Result<Vec<Row>, BenchError> {
    let progress = progress::bar(plan.estimate());
    let mut found = Vec::new();
    for groups in plan.parts() {
        let (_, timed) = plan.measure(&groups, &progress)?;
        found.extend(timed.into_iter().map(|timed| timed.row));
    }
    progress.finish_and_clear();
    Ok(found)
}

struct RunInProgress<'a> {
    plan: &'a Plan,
    records: Records,
    run: Run,
    all: All,
    start: Instant,
    /// The seconds that earlier parts of a resumed run took.
    before: f64,
    progress: ProgressBar,
}

impl RunInProgress<'_> {
    fn groups(&mut self, groups: Vec<CellGroup<'_>>) -> Result<(), BenchError> {
        let plan = self.plan;
        let (open, done): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| self.reopen(group));
        let estimate =
            |group: &CellGroup<'_>| group.estimate(&plan.contenders, plan.options.rounds);
        let before: Duration = done.iter().map(estimate).sum();
        self.progress.inc(before.as_nanos() as u64);
        let (facts, found) = plan.measure(&open, &self.progress)?;
        for facts in facts {
            let known = &mut self.run.key_set;
            known.retain(|old| (&old.name, old.present) != (&facts.name, facts.present));
            known.push(facts);
        }
        for TimedRow { row, .. } in found {
            if let Some(rows) = self.all.get_mut(row.contender.as_str()) {
                rows.push(row);
            }
        }
        for (name, rows) in self.all.iter().filter(|(_, rows)| !rows.is_empty()) {
            self.records.write_table(name, rows)?;
        }
        self.save_run()
    }

    /// Whether any contender of a group has no row yet. Then the rows of all of them are dropped.
    fn reopen(&mut self, group: &CellGroup<'_>) -> bool {
        let entrants = group.entrants(&self.plan.contenders);
        let entrants = entrants.iter().map(|(one, cell)| (one.info.name.as_str(), cell));
        let is_done =
            |(name, cell): (&str, &Cell)| self.all[name].iter().any(|row| group.owns(row, cell));
        if entrants.clone().all(is_done) {
            return false;
        }
        for (name, cell) in entrants {
            if let Some(rows) = self.all.get_mut(name) {
                rows.retain(|row| !group.owns(row, cell));
            }
        }
        true
    }

    /// Writes the description, and replaces the day's records.
    fn finish(&mut self, day: &Records) -> Result<(), BenchError> {
        self.progress.finish_and_clear();
        if self.plan.contenders.len() == contenders::ALL.len() {
            // Recorded so that drawing does not need the filters' code.
            let filters = self.plan.contenders.iter().filter(|one| one.info.role == Role::Filter);
            let points = filters.flat_map(|one| CURVES.map(|keys| one.theory_points(keys)));
            self.records.write_table("theory", &points.flatten().collect::<Vec<_>>())?;
        }
        let all = &self.all;
        let rows = |name: &str| all.get(name).map_or(&[][..], Vec::as_slice);
        let (noise, median, floor) = noise::noise(rows);
        if floor.is_some() {
            (self.run.noise_median, self.run.noise_floor) = (median, floor);
            self.run.noise = noise;
        }
        self.run.complete = true;
        self.save_run()?;
        self.records.replace(day)
    }

    fn save_run(&mut self) -> Result<(), BenchError> {
        self.run.seconds = self.before + self.start.elapsed().as_secs_f64().round();
        self.records.write_run(&self.run)
    }
}

/// The records to continue, and whether this run may: the interrupted run's, or else the day's.
fn begin(
    request: &Request,
    plan: &Plan,
    day: &Records,
    records: &Records,
    resume: bool,
) -> Result<(Run, All), BenchError> {
    let infos = || plan.contenders.iter().map(|contender| contender.info);
    let mut all: All = infos().map(|info| (info.name.as_str(), Vec::new())).collect();
    let facts = infos().map(|info| info.measured_by(&request.command)).collect();
    let interrupted = if resume { records.run()? } else { None };
    let begins = interrupted.is_none();
    let joins = resume || !request.only.is_empty();
    let earlier = match interrupted {
        None if joins => day.run()?,
        interrupted => interrupted,
    };
    let path = day.folder().to_owned();
    let Some(mut run) = earlier else {
        if resume {
            return Err(BenchError::NothingToResume { path });
        }
        records.start_from(None)?;
        let mut run = Run::new(&request.command, plan.options.clone(), facts);
        (run.clock, run.unstable_above, run.sigmas) = (CLOCK.to_owned(), UNSTABLE, SIGMAS);
        return Ok((run, all));
    };
    if let Some(change) = run.options.difference(&plan.options) {
        return Err(BenchError::OptionsChanged(path, change));
    }
    if begins {
        records.start_from(Some(day))?;
    }
    if resume {
        for (name, found) in &mut all {
            *found = records.rows(name)?;
        }
    }
    run.take_in(facts, !resume);
    Ok((run, all))
}

/// The method of timing, for the record.
const CLOCK: &str = "in rounds spread over the run, each contender in turn builds its filter, answers \
                     short chunks of queries and removes keys, or goes through a scenario; a time is \
                     the fastest of a cell's, and a ratio compares it with the fastest of the row's \
                     reference";
