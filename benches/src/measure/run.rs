//! A whole run: heat after heat, each recorded as soon as it ends.

use crate::construction::{self, Line};
use crate::contender::{Ability, Contender, Role};
use crate::courses::{self, Setting, Track};
use crate::error::BenchError;
use crate::heat::{Field, Heat, NOT_TIMED};
use crate::interval::SIGMAS;
use crate::keyfile;
use crate::keysets::KeySet;
use crate::machine::Machine;
use crate::progress::{Progress, estimate};
use crate::record::{Row, Trial};
use crate::registry;
use crate::run::{ContenderFacts, Options, Run, render_command};
use crate::stats::UNSTABLE;
use crate::store::Records;
use crate::suite::{Group, Suite};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The request for a run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The suite.
    pub suite: Suite,
    /// Names of contenders, or `construction`; empty for all.
    pub only: Vec<String>,
    /// The user's key file, if any.
    pub keys_file: Option<PathBuf>,
    /// Numbers of random keys, if not the suite's.
    pub keys: Vec<u64>,
    /// Timed rounds, if not the suite's.
    pub rounds: Option<u64>,
    /// The seed of everything.
    pub seed: u64,
    /// The workspace, for the commit.
    pub root: PathBuf,
    /// The command line, fit to publish.
    pub command: String,
}

/// A request, looked up and checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The contenders.
    pub contenders: Vec<&'static dyn Contender>,
    /// The groups of keys.
    pub groups: Vec<Group>,
    /// The courses; none with the user's keys.
    pub courses: Vec<Rc<dyn Track>>,
    /// The ribbon systems; none with the user's keys.
    pub lines: Vec<Line>,
    /// What must be equal for numbers to be comparable.
    pub options: Options,
}

impl Plan {
    /// Resolves the request; reads the key file.
    pub fn new(request: &Request) -> Result<Self, BenchError> {
        let contenders = registry::choose(&request.only)?;
        let file = match &request.keys_file {
            Some(path) => Some(KeySet::File(Rc::new(keyfile::read(path)?))),
            None => None,
        };
        let file_facts = match &file {
            Some(KeySet::File(keys)) => Some((keys.name.clone(), keys.digest)),
            _ => None,
        };
        let suite = request.suite;
        let rounds = request.rounds.unwrap_or(suite.rounds());
        let ours = request.keys.is_empty() && file.is_none();
        let only = |name: &str| request.only.iter().any(|only| only == name);
        if contenders.is_empty() && !ours {
            return Err(BenchError::NothingToMeasure);
        }
        let tries = request.only.is_empty() || only(construction::NAME);
        Ok(Self {
            courses: (ours && !contenders.is_empty())
                .then(|| suite.courses())
                .into_iter()
                .flatten()
                .collect(),
            lines: (ours && tries)
                .then(|| suite.lines())
                .into_iter()
                .flatten()
                .collect(),
            groups: match (contenders.as_slice(), request.keys.as_slice()) {
                ([], _) => Vec::new(),
                (_, []) => suite.groups(file.as_ref()),
                (_, keys) => suite.sizes(keys),
            },
            contenders,
            options: Options {
                keys: request.keys.clone(),
                ..Options::new(suite, rounds, request.seed, file_facts, &request.root)
            },
        })
    }

    /// The estimated duration.
    pub fn estimate(&self) -> Duration {
        let heats = Heat::all(&self.groups);
        let heats = heats.iter().map(|heat| self.estimate_of(heat));
        let courses = self.courses.iter();
        let courses = courses.map(|course| self.estimate_of_course(&**course));
        let lines = self.lines.iter().map(Line::estimate);
        heats.chain(courses).chain(lines).sum()
    }

    fn estimate_of(&self, heat: &Heat<'_>) -> Duration {
        let absent = heat.group.queries;
        let entrants = heat.entrants(&self.contenders);
        let one = |(contender, _): &(&'static dyn Contender, _)| {
            let removes = contender.info().abilities.contains(&Ability::Remove);
            let rounds = heat.group.rounds(heat.rate, self.options.rounds);
            let queries = heat.group.queries_at(heat.rate);
            estimate(heat.group.keys, absent, queries, rounds, removes)
        };
        entrants.iter().map(one).sum()
    }

    fn estimate_of_course(&self, track: &dyn Track) -> Duration {
        courses::estimate(track, &self.contenders, self.setting())
    }

    fn setting(&self) -> Setting {
        Setting {
            suite: self.options.suite,
            seed: self.options.seed,
            rounds: self.options.suite.rounds_of_courses(self.options.rounds),
        }
    }
}

/// The rows of all contenders that take part.
type Rows = BTreeMap<&'static str, Vec<Row>>;

/// The result of a run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Found {
    /// All rows of the contenders that took part.
    pub rows: Vec<Row>,
    /// All ribbon systems.
    pub trials: Vec<Trial>,
}

/// Runs, and returns the day's records of everything that took part. The day's records change only
/// once all is measured.
pub fn run(
    request: &Request,
    plan: &Plan,
    day: &Records,
    resume: bool,
) -> Result<Found, BenchError> {
    let records = &day.unfinished(!request.only.is_empty());
    let (mut run, mut rows) = begin(request, plan, day, records, resume)?;
    let mut trials = if resume {
        records.trials()?
    } else {
        Vec::new()
    };
    records.write_machine(&Machine::this())?;
    records.write_run(&run)?;
    let (start, before) = (Instant::now(), run.seconds);
    let progress = Progress::new(plan.estimate());
    for group in &plan.groups {
        let heats = Heat::all(std::slice::from_ref(group));
        let (done, open): (Vec<_>, Vec<_>) =
            heats.iter().partition(|heat| is_done(heat, plan, &rows));
        progress.skip(done.iter().map(|heat| plan.estimate_of(heat)).sum());
        if open.is_empty() {
            continue;
        }
        let (suite, seed) = (plan.options.suite, plan.options.seed);
        let field = Field::new(group, seed)?;
        let facts = field.facts(group);
        run.key_set
            .retain(|old| (&old.name, old.present) != (&facts.name, facts.present));
        run.key_set.push(facts);
        let views = field.views();
        for heat in open {
            let entrants = heat.entrants(&plan.contenders);
            for (contender, cell) in &entrants {
                rows.entry(contender.info().name)
                    .or_default()
                    .retain(|row| !row.is_of(cell));
            }
            let (ready, verified) = heat.verify(entrants, &views, suite, seed, &progress);
            let timed = heat.time(&ready, &views, plan.options.rounds, seed, &progress);
            keep(verified.into_iter().chain(timed), &mut rows, records)?;
            run.seconds = before + start.elapsed().as_secs_f64().round();
            records.write_run(&run)?;
        }
    }
    for track in plan.courses.iter().map(|track| &**track) {
        let rows_of = |name: &str| rows.get(name).cloned().unwrap_or_default();
        if courses::is_done(track, &plan.contenders, rows_of) {
            progress.skip(plan.estimate_of_course(track));
            continue;
        }
        for rows in rows.values_mut() {
            rows.retain(|row| !courses::owns(track, row));
        }
        let entrants = courses::entrants(track, &plan.contenders);
        let new = courses::run(track, entrants, plan.setting(), &progress)?;
        keep(new.into_iter(), &mut rows, records)?;
        run.seconds = before + start.elapsed().as_secs_f64().round();
        records.write_run(&run)?;
    }
    for line in &plan.lines {
        if line.is_done(&trials) {
            progress.skip(line.estimate());
            continue;
        }
        trials.retain(|trial| !line.owns(trial));
        trials.extend(line.run(plan.options.seed, &progress)?);
        records.write_trials(&trials)?;
        run.seconds = before + start.elapsed().as_secs_f64().round();
        records.write_run(&run)?;
    }
    progress.finish();
    let noise = noise(&rows);
    if !noise.is_empty() {
        run.noise_median = quantile(&noise, 0.5);
        run.noise_floor = quantile(&noise, 0.9);
    }
    run.complete = true;
    records.write_run(&run)?;
    records.replace(day)?;
    Ok(Found {
        rows: rows.into_values().flatten().collect(),
        trials,
    })
}

/// Adds new rows to their contenders' and writes the changed records.
fn keep(
    new: impl Iterator<Item = Row>,
    rows: &mut Rows,
    records: &Records,
) -> Result<(), BenchError> {
    let mut touched = Vec::new();
    for row in new {
        if let Some((name, rows)) = rows.iter_mut().find(|(name, _)| **name == row.contender) {
            rows.push(row);
            touched.push(*name);
        }
    }
    touched.sort_unstable();
    touched.dedup();
    for name in touched {
        records.write_rows(name, &rows[name])?;
    }
    Ok(())
}

/// Verifies without timing or recording anything.
pub fn verify_only(plan: &Plan) -> Result<Found, BenchError> {
    let (suite, seed) = (plan.options.suite, plan.options.seed);
    let progress = Progress::new(plan.estimate());
    let mut rows = Vec::new();
    for group in &plan.groups {
        let field = Field::new(group, seed)?;
        let views = field.views();
        for heat in Heat::all(std::slice::from_ref(group)) {
            let entrants = heat.entrants(&plan.contenders);
            let (_, verified) = heat.verify(entrants, &views, suite, seed, &progress);
            rows.extend(
                verified
                    .into_iter()
                    .filter(|row| !row.error.starts_with(NOT_TIMED)),
            );
            progress.skip(plan.estimate_of(&heat));
        }
    }
    let setting = Setting {
        rounds: 0,
        ..plan.setting()
    };
    for track in plan.courses.iter().map(|track| &**track) {
        let entrants = courses::entrants(track, &plan.contenders);
        rows.extend(courses::run(track, entrants, setting, &progress)?);
    }
    let mut trials = Vec::new();
    for line in &plan.lines {
        trials.extend(line.run(seed, &progress)?);
    }
    progress.finish();
    Ok(Found { rows, trials })
}

/// The records to continue, and whether this run may: the interrupted run's, or else the day's.
fn begin(
    request: &Request,
    plan: &Plan,
    day: &Records,
    records: &Records,
    resume: bool,
) -> Result<(Run, Rows), BenchError> {
    let mut rows: Rows = plan
        .contenders
        .iter()
        .map(|contender| (contender.info().name, Vec::new()))
        .collect();
    let interrupted = if resume { records.run()? } else { None };
    let goes_on = interrupted.is_some();
    let joins = resume || !request.only.is_empty();
    let earlier = match interrupted {
        None if joins => day.run()?,
        interrupted => interrupted,
    };
    let facts = || {
        let of =
            |contender: &&'static dyn Contender| ContenderFacts::new(*contender, &request.command);
        plan.contenders.iter().map(of).collect()
    };
    let fresh = Run {
        date: today(),
        command: request.command.clone(),
        render_command: render_command(&plan.options),
        seconds: 0.0,
        complete: false,
        noise_median: None,
        noise_floor: None,
        unstable_above: UNSTABLE,
        sigmas: SIGMAS,
        options: plan.options.clone(),
        key_set: Vec::new(),
        contender: facts(),
    };
    let Some(earlier) = earlier else {
        if resume {
            return Err(BenchError::NothingToResume {
                path: day.folder().to_owned(),
            });
        }
        records.start_from(None)?;
        return Ok((fresh, rows));
    };
    if let Some((option, before, now)) = earlier.options.difference(&plan.options) {
        return Err(BenchError::OptionsChanged {
            path: day.folder().to_owned(),
            option,
            before,
            now,
        });
    }
    if !goes_on {
        records.start_from(Some(day))?;
    }
    if resume {
        for (name, rows) in &mut rows {
            *rows = records.rows(name)?;
        }
    }
    Ok((with_contenders(earlier, fresh.contender, !resume), rows))
}

/// The earlier run with these contenders added, replacing its entries for them, or only where it
/// has none.
fn with_contenders(mut run: Run, contenders: Vec<ContenderFacts>, replace: bool) -> Run {
    for facts in contenders {
        match run.contender.iter_mut().find(|old| old.name == facts.name) {
            Some(old) if replace => *old = facts,
            Some(_) => {}
            None => run.contender.push(facts),
        }
    }
    run.complete = false;
    run
}

/// Whether every contender that takes part in a heat has rows of it.
fn is_done(heat: &Heat<'_>, plan: &Plan, rows: &Rows) -> bool {
    heat.entrants(&plan.contenders)
        .iter()
        .all(|(contender, cell)| {
            rows.get(contender.info().name)
                .is_some_and(|rows| rows.iter().any(|row| row.is_of(cell)))
        })
}

/// The sorted relative differences between the medians of the filter entered twice, one per timed
/// cell.
fn noise(rows: &Rows) -> Vec<f64> {
    let mut twins = registry::ALL.iter().map(|contender| contender.info());
    let of = |name| rows.get(name).map(Vec::as_slice).unwrap_or_default();
    let first = of(registry::TWIN_OF_NOISE);
    let second = twins
        .find(|info| info.role == Role::Twin)
        .map(|info| of(info.name))
        .unwrap_or_default();
    let difference = |row: &Row| {
        let cell = row.cell();
        let same = |other: &&Row| other.is_of(&cell) && other.workload == row.workload;
        let (a, b) = (row.median_ns?, second.iter().find(same)?.median_ns?);
        Some((a - b).abs() / a.min(b))
    };
    let mut noise: Vec<f64> = first.iter().filter_map(difference).collect();
    noise.sort_unstable_by(f64::total_cmp);
    noise
}

/// A quantile: the smallest of the sorted numbers that is at least as large as this share of them.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied()
}

/// The date, in UTC.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
