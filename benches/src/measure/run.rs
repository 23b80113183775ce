//! A whole run: heat after heat, each recorded as soon as it ends.

use super::construction::{self, Line};
use super::courses::{self, Setting, Track};
use super::estimate::{Estimator, UNSTABLE};
use super::heat::{Entrant, Field, Heat};
use super::interval::SIGMAS;
use super::race::{REFERENCE, REMOVER, Timed};
use super::suite::Group;
use super::{choices, claims, instructions, theory, twins};
use crate::contenders::{self, Contender};
use crate::error::BenchError;
use crate::keys::{KeySet, file};
use crate::progress::Progress;
use crate::record::{ContenderFacts, Machine, Options, Records, Rounds, Row, Run, Suite, Trial};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Whether to count instructions, whatever the suite.
    pub instructions: bool,
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
    pub fn new(request: &Request) -> Result<Self, BenchError> {
        let Request { suite, seed, .. } = *request;
        let contenders = contenders::choose(&request.only, &[construction::NAME])?;
        let path = request.keys_file.as_ref();
        let keys = path.map(|path| file::read(path)).transpose()?;
        let file_facts = keys.as_ref().map(|keys| (keys.name.clone(), keys.digest));
        let file = keys.map(|keys| KeySet::File(Rc::new(keys)));
        let ours = request.keys.is_empty() && file.is_none();
        if contenders.is_empty() && !ours {
            return Err(BenchError::NothingToMeasure);
        }
        let named = |name: &String| name == construction::NAME;
        let tries = request.only.is_empty() || request.only.iter().any(named);
        let rounds = request.rounds.unwrap_or(suite.rounds());
        let some = !contenders.is_empty();
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
                keys: request.keys.clone(),
                ..Options::new(suite, rounds, seed, file_facts, &request.root)
            },
        })
    }

    /// The estimated duration.
    pub fn estimate(&self) -> Duration {
        let heats = Heat::all(&self.groups);
        let heats = heats.iter().map(|heat| self.estimate_of(heat));
        let courses = self.courses.iter();
        let courses = courses.map(|course| self.estimate_of_course(course));
        let lines = self.lines.iter().map(Line::estimate);
        heats.chain(courses).chain(lines).sum::<Duration>() + self.estimate_of_counting()
    }

    fn estimate_of(&self, heat: &Heat<'_>) -> Duration {
        let entrants = heat.entrants(&self.contenders);
        let one = |(contender, _): &Entrant| heat.cost(&contender.info(), self.options.rounds);
        Duration::from_nanos(entrants.iter().map(one).sum())
    }

    fn estimate_of_course(&self, track: &Track) -> Duration {
        courses::estimate(track, &self.contenders, self.setting())
    }

    fn estimate_of_counting(&self) -> Duration {
        let some = self.contenders.len() as u32;
        self.counted.map_or(Duration::ZERO, |_| Duration::from_secs(3) * some)
    }

    fn setting(&self) -> Setting {
        Setting {
            suite: self.options.suite,
            seed: self.options.seed,
            rounds: match self.options.suite {
                // Ten times as many keys in each.
                Suite::Full => self.options.rounds.div_ceil(2),
                Suite::Smoke | Suite::Quick => self.options.rounds,
            },
        }
    }
}

/// The result of a run.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Found {
    /// All rows of the contenders that took part.
    pub rows: Vec<Row>,
    /// All ribbon systems.
    pub trials: Vec<Trial>,
    /// What was left out, and why.
    pub skipped: Vec<String>,
}

/// What has been found of each contender that takes part.
type All = BTreeMap<&'static str, (Vec<Row>, Vec<Rounds>)>;

/// Runs, and returns the day's records of everything that took part. The day's records change only
/// once all is measured.
pub fn run(
    request: &Request,
    plan: &Plan,
    day: &Records,
    resume: bool,
) -> Result<Found, BenchError> {
    let records = day.unfinished(!request.only.is_empty());
    let (run, all) = begin(request, plan, day, &records, resume)?;
    records.write_machine(&Machine::this())?;
    records.write_run(&run)?;
    let mut going = Going {
        plan,
        records,
        before: run.seconds,
        run,
        all,
        start: Instant::now(),
        progress: Progress::new(plan.estimate()),
    };
    for group in &plan.groups {
        going.group(group)?;
    }
    for track in &plan.courses {
        going.course(track)?;
    }
    let earlier = if resume { going.records.table()? } else { Vec::new() };
    let trials = going.lines(earlier)?;
    let skipped = going.instructions()?;
    going.finish(day)?;
    Ok(Found {
        rows: going.all.into_values().flat_map(|(rows, _)| rows).collect(),
        trials,
        skipped: skipped.into_iter().collect(),
    })
}

/// A run on its way.
struct Going<'a> {
    plan: &'a Plan,
    records: Records,
    run: Run,
    all: All,
    start: Instant,
    /// The seconds that earlier parts of a resumed run took.
    before: f64,
    progress: Progress,
}

impl Going<'_> {
    fn group(&mut self, group: &Group) -> Result<(), BenchError> {
        let plan = self.plan;
        let heats = Heat::all(std::slice::from_ref(group));
        let (done, open): (Vec<_>, Vec<_>) = heats.iter().partition(|heat| self.is_done(heat));
        self.progress.skip(done.iter().map(|heat| plan.estimate_of(heat)).sum());
        if open.is_empty() {
            return Ok(());
        }
        let (suite, seed) = (plan.options.suite, plan.options.seed);
        let field = Field::new(group, seed)?;
        let facts = field.facts(group);
        let is_same = |old: &_| {
            let old: &crate::record::KeySetFacts = old;
            (&old.name, old.present) == (&facts.name, facts.present)
        };
        self.run.key_set.retain(|old| !is_same(old));
        self.run.key_set.push(facts);
        let views = field.views();
        for heat in open {
            let entrants = heat.entrants(&plan.contenders);
            for (contender, cell) in &entrants {
                self.forget(contender.info().name, |row| row.is_of(cell));
            }
            let (ready, verified) = heat.verify(entrants, &views, suite, seed, &self.progress);
            let timed = heat.time(ready, &views, plan.options.rounds, seed, &self.progress);
            self.keep(verified.into_iter().map(untimed).chain(timed))?;
        }
        Ok(())
    }

    fn course(&mut self, track: &Track) -> Result<(), BenchError> {
        let entrants = courses::entrants(track, &self.plan.contenders);
        let is_done = |(contender, _): &Entrant| {
            let rows = self.all.get(contender.info().name);
            rows.is_some_and(|(rows, _)| rows.iter().any(|row| courses::owns(track, row)))
        };
        if entrants.iter().all(is_done) {
            self.progress.skip(self.plan.estimate_of_course(track));
            return Ok(());
        }
        for (contender, _) in &entrants {
            self.forget(contender.info().name, |row| courses::owns(track, row));
        }
        let new = courses::run(track, entrants, self.plan.setting(), &self.progress)?;
        self.keep(new.into_iter())
    }

    fn lines(&mut self, mut trials: Vec<Trial>) -> Result<Vec<Trial>, BenchError> {
        for line in &self.plan.lines {
            if line.is_done(&trials) {
                self.progress.skip(line.estimate());
                continue;
            }
            trials.retain(|trial| !line.owns(trial));
            trials.extend(line.run(self.plan.options.seed, &self.progress)?);
            self.records.write_table(&trials)?;
            self.save_run()?;
        }
        Ok(trials)
    }

    /// Counts instructions, if that is planned; why not, if it is impossible.
    fn instructions(&mut self) -> Result<Option<String>, BenchError> {
        let Some(keys) = self.plan.counted else {
            return Ok(None);
        };
        if !instructions::is_possible() {
            return Ok(Some("instructions: there is no valgrind to count them".to_owned()));
        }
        self.progress.begin("counting instructions");
        for contender in &self.plan.contenders {
            let info = contender.info();
            self.progress.now(&format!("counting instructions: {}", info.name));
            let cell = instructions::cell(&info, keys);
            let Some((rows, _)) = self.all.get_mut(info.name) else {
                continue;
            };
            match instructions::count(&info, keys) {
                Ok(counted) => counted.write(&cell, rows),
                Err(error) => return Ok(Some(format!("instructions, at {}: {error}", info.name))),
            }
            self.records.write_rows(info.name, rows)?;
        }
        Ok(None)
    }

    /// Describes the whole and puts it in place of the day's records.
    fn finish(&mut self, day: &Records) -> Result<(), BenchError> {
        self.progress.finish();
        if self.plan.contenders.len() == contenders::ALL.len() {
            let rows: Vec<Row> = self.all.values().flat_map(|(rows, _)| rows.clone()).collect();
            let Options { suite, seed, .. } = self.plan.options;
            self.records.write_table(&theory::points(&self.plan.contenders))?;
            self.records.write_table(&claims::settled(&rows, suite.middle(), seed))?;
            self.records.write_table(&choices::table())?;
            self.records.write_table(&choices::engines())?;
        }
        let all = &self.all;
        let rows = |name: &str| all.get(name).map_or(&[][..], |(rows, _)| rows);
        let (noise, median, floor) = twins::noise(rows);
        if floor.is_some() {
            (self.run.noise_median, self.run.noise_floor) = (median, floor);
            self.run.noise = noise;
        }
        self.run.complete = true;
        self.save_run()?;
        self.records.replace(day)
    }

    /// Whether every contender that takes part in a heat has rows of it.
    fn is_done(&self, heat: &Heat<'_>) -> bool {
        heat.entrants(&self.plan.contenders).iter().all(|(contender, cell)| {
            let rows = self.all.get(contender.info().name);
            rows.is_some_and(|(rows, _)| rows.iter().any(|row| row.is_of(cell)))
        })
    }

    /// Drops a contender's rows, and the rounds behind them.
    fn forget(&mut self, name: &str, is_old: impl Fn(&Row) -> bool) {
        if let Some((rows, rounds)) = self.all.get_mut(name) {
            let old: Vec<Row> = rows.extract_if(.., |row| is_old(row)).collect();
            rounds.retain(|rounds| !old.iter().any(|row| rounds.is_of(row)));
        }
    }

    /// Adds new rows to their contenders' and writes the changed records.
    fn keep(&mut self, new: impl Iterator<Item = Timed>) -> Result<(), BenchError> {
        let mut touched = BTreeSet::new();
        for Timed { row, times } in new {
            let all = self.all.iter_mut();
            let of = |(name, _): &(&&'static str, _)| **name == row.contender;
            let Some((name, (rows, rounds))) = all.into_iter().find(of) else {
                continue;
            };
            if !times.ns.is_empty() {
                rounds.push(Rounds::of(&row, &times.ns, &times.reference));
            }
            rows.push(row);
            touched.insert(*name);
        }
        for name in touched {
            let (rows, rounds) = &self.all[name];
            self.records.write_rows(name, rows)?;
            self.records.write_rounds(name, rounds)?;
        }
        self.save_run()
    }

    fn save_run(&mut self) -> Result<(), BenchError> {
        self.run.seconds = self.before + self.start.elapsed().as_secs_f64().round();
        self.records.write_run(&self.run)
    }
}

fn untimed(row: Row) -> Timed {
    let times = super::estimate::Times::default();
    Timed { row, times }
}

/// Verifies without timing or recording anything.
pub fn verify_only(plan: &Plan) -> Result<Found, BenchError> {
    let (suite, seed) = (plan.options.suite, plan.options.seed);
    let progress = Progress::new(plan.estimate());
    let mut found = Found::default();
    for group in &plan.groups {
        let field = Field::new(group, seed)?;
        let views = field.views();
        for heat in Heat::all(std::slice::from_ref(group)) {
            let entrants = heat.entrants(&plan.contenders);
            let (_, verified) = heat.verify(entrants, &views, suite, seed, &progress);
            found.rows.extend(verified);
        }
    }
    let setting = Setting { rounds: 0, ..plan.setting() };
    for track in &plan.courses {
        let entrants = courses::entrants(track, &plan.contenders);
        let timed = courses::run(track, entrants, setting, &progress)?;
        found.rows.extend(timed.into_iter().map(|timed| timed.row));
    }
    for line in &plan.lines {
        found.trials.extend(line.run(seed, &progress)?);
    }
    progress.finish();
    Ok(found)
}

/// The records to continue, and whether this run may: the interrupted run's, or else the day's.
fn begin(
    request: &Request,
    plan: &Plan,
    day: &Records,
    records: &Records,
    resume: bool,
) -> Result<(Run, All), BenchError> {
    let names = plan.contenders.iter().map(|contender| contender.info().name);
    let mut all: All = names.map(|name| (name, Default::default())).collect();
    let interrupted = if resume { records.run()? } else { None };
    let goes_on = interrupted.is_some();
    let joins = resume || !request.only.is_empty();
    let earlier = match interrupted {
        None if joins => day.run()?,
        interrupted => interrupted,
    };
    let facts =
        |contender: &&dyn Contender| ContenderFacts::new(&contender.info(), &request.command);
    let facts: Vec<ContenderFacts> = plan.contenders.iter().map(facts).collect();
    let Some(mut earlier) = earlier else {
        if resume {
            return Err(BenchError::NothingToResume { path: day.folder().to_owned() });
        }
        records.start_from(None)?;
        let mut run = Run::new(&request.command, plan.options.clone(), facts);
        (run.clock, run.unstable_above, run.sigmas) = (clock(), UNSTABLE, SIGMAS);
        return Ok((run, all));
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
        for (name, found) in &mut all {
            *found = (records.rows(name)?, records.rounds(name)?);
        }
    }
    earlier.take_in(facts, !resume);
    Ok((earlier, all))
}

/// How times are taken, for the record.
fn clock() -> String {
    format!(
        "each contender's chunk of about a millisecond is timed right beside {REFERENCE}'s over the \
         same keys ({REMOVER}'s in courses and removals), in shuffled rounds with new filters; a \
         time is the {} times the reference's lower quartile",
        Estimator::USED
    )
}
