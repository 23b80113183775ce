//! The commands.

mod diff;
mod tables;

use crate::cli::{Cli, Command, Count, Diff, Fit, Measure, Subject};
use crate::contenders;
use crate::error::BenchError;
use crate::keys::KeySet;
use crate::measure::{self, Found, Plan, Request, construction, fit, heat, instructions, twins};
use crate::record::{Machine, OWN_REPORTS, Records, Row, Run, State, publishable, today};
use crate::report;
use anyhow::Result;
use diff::Side;
use indicatif::HumanDuration;
use std::env;
use std::path::{Path, PathBuf};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Success.
    Good,
    /// One of our own filters has failed rows.
    OursFailed,
    /// Rows of two records differ by more than noise.
    Moved,
}

/// Carries out the command line.
pub fn run(cli: &Cli) -> Result<Outcome> {
    match &cli.command {
        None => {
            let (records, outcome) = measure(&cli.all.measure)?;
            draw(&records, cli.all.out.as_deref())?;
            Ok(outcome)
        }
        Some(Command::Measure(options)) => Ok(measure(options)?.1),
        Some(Command::Render(options)) => {
            let folder = options.records.clone();
            let folder = folder.unwrap_or_else(|| reports(false).join("records"));
            draw(&newest_in(&folder)?, options.out.as_deref())?;
            Ok(Outcome::Good)
        }
        Some(Command::Verify(subject)) => verify(subject),
        Some(Command::Fit(options)) => {
            fit(options)?;
            Ok(Outcome::Good)
        }
        Some(Command::Diff(options)) => compare(options),
        Some(Command::Twins(options)) => {
            print!("{}", twins::table(&newest_in(&options.records)?)?);
            Ok(Outcome::Good)
        }
        Some(Command::Count(options)) => count(options),
        Some(Command::List) => {
            print!("{}", tables::contenders());
            Ok(Outcome::Good)
        }
    }
}

fn measure(options: &Measure) -> Result<(Records, Outcome)> {
    let request = request(&options.subject, options.rounds, options.instructions);
    let plan = Plan::new(&request)?;
    let reports = reports(plan.options.has_own_keys());
    let folder = options.records.clone();
    let folder = folder.unwrap_or_else(|| reports.join("records"));
    let machine = Machine::this().name;
    let records = if options.resume {
        Records::newest_to_resume(&folder, &machine, !request.only.is_empty())
            .ok_or(BenchError::NothingToResume { path: folder })?
    } else {
        Records::of_day(&folder, &machine, &today())
    };
    say_what_comes(&plan);
    let found = measure::run(&request, &plan, &records, options.resume)?;
    let outcome = say_failures(&found);
    println!("Records: {}", short(records.folder()));
    Ok((records, outcome))
}

fn verify(subject: &Subject) -> Result<Outcome> {
    let request = request(subject, Some(0), false);
    let plan = Plan::new(&request)?;
    say_what_is_left_out(&plan);
    let found = measure::verify_only(&plan)?;
    print!("{}", tables::verified(&found.rows));
    print!("{}", tables::tried(&found.trials));
    Ok(say_failures(&found))
}

/// Writes the advisor's table of times.
fn fit(options: &Fit) -> Result<()> {
    let records = newest_in(&options.records)?;
    let name = short(records.folder());
    let path = fit::path(&root());
    std::fs::write(&path, fit::table(&records, &name)?)?;
    println!("{} from {name}", short(&path));
    Ok(())
}

/// What is run under valgrind; prints the hits, so that nothing is left out.
fn count(options: &Count) -> Result<Outcome> {
    let only = std::slice::from_ref(&options.contender);
    for contender in contenders::choose(only, &[])? {
        let Count { keys, builds, asks, .. } = *options;
        println!("{}", instructions::child(contender, keys, builds, asks)?);
    }
    Ok(Outcome::Good)
}

fn newest_in(folder: &Path) -> Result<Records, BenchError> {
    let found = Records::newest_of(folder, &Machine::this().name);
    found.ok_or_else(|| BenchError::NoRecords { path: folder.to_owned() })
}

/// Prints which rows of two records differ by more than noise.
fn compare(options: &Diff) -> Result<Outcome> {
    let machine = Machine::this().name;
    let side = |name: &str| -> Result<Side> {
        let folder = Path::new(name);
        let of_day = Records::of_date(&reports(false).join("records"), &machine, name);
        let records = of_day.or_else(|| Records::newest_of(folder, &machine));
        let side = records.map(|records| Side::read(&records)).transpose()?;
        let path = || folder.to_owned();
        Ok(side.flatten().ok_or_else(|| BenchError::NoRecords { path: path() })?)
    };
    let (text, moved) = diff::diff(&side(&options.old)?, &side(&options.new)?);
    print!("{text}");
    Ok(if moved { Outcome::Moved } else { Outcome::Good })
}

fn draw(records: &Records, out: Option<&Path>) -> Result<()> {
    let own = |run: Run| run.options.has_own_keys();
    let reports = reports(records.run()?.is_some_and(own));
    let out = out.map_or_else(|| reports.join("latest"), Path::to_owned);
    let rendered = report::render(records.folder(), &out)?;
    println!("{}", rendered.table.trim_end());
    println!("\nThe report: {}", short(&rendered.page));
    Ok(())
}

fn request(subject: &Subject, rounds: Option<u64>, instructions: bool) -> Request {
    let arguments = env::args().skip(1);
    Request {
        suite: subject.suite,
        only: subject.only.clone(),
        keys_file: subject.keys_file.clone(),
        keys: subject.keys.clone(),
        rounds,
        instructions,
        seed: subject.seed,
        root: root(),
        command: publishable(arguments.filter(|argument| argument != "--resume")),
    }
}

fn say_what_comes(plan: &Plan) {
    let time = HumanDuration(plan.estimate());
    let suite = plan.options.suite;
    if plan.contenders.is_empty() {
        eprintln!("{} alone, suite {suite}: about {time}.", construction::NAME);
    } else {
        eprintln!(
            "{} contenders over {} sets of keys, suite {suite}, {} rounds: about {time}.",
            plan.contenders.len(),
            plan.groups.len(),
            plan.options.rounds,
        );
    }
    say_what_is_left_out(plan);
}

/// Reports what is left out: lines of a key file, courses with the user's keys, and contenders with
/// some of the keys.
fn say_what_is_left_out(plan: &Plan) {
    for group in &plan.groups {
        if let KeySet::File(file) = &group.key_set {
            eprintln!(
                "{}: {} distinct keys (repeats left out: {}, empty lines: {}); {} of the shuffled \
                 first half are present, the other half is absent.",
                file.name,
                file.keys.len(),
                file.source.duplicates,
                file.source.empty_lines,
                group.keys
            );
        }
        for (reason, names) in heat::left_out(group, &plan.contenders) {
            eprintln!(
                "Left out with {} {} keys: {} ({reason}).",
                group.keys,
                group.key_set.name(),
                names.join(", ")
            );
        }
    }
    if plan.options.has_own_keys() {
        eprintln!("Left out: the courses and construction, which have keys of their own.");
    }
}

/// Prints all failed rows; only ours make the program fail, not those of peers.
fn say_failures(found: &Found) -> Outcome {
    for skipped in &found.skipped {
        eprintln!("SKIPPED {skipped}");
    }
    let ours = |row: &Row| {
        let mut all = contenders::ALL.iter().map(|contender| contender.info());
        all.any(|info| info.ours && info.name == row.contender)
    };
    // A cell that fails verification is not timed: its own line is enough.
    let failed = found.rows.iter().filter(|row| row.state == State::Failed);
    for row in failed.clone() {
        eprintln!("ERROR {}: {}", row.subject(), row.why);
    }
    let unsolvable = found.trials.iter().filter(|trial| !trial.why.is_empty());
    for trial in unsolvable.clone() {
        eprintln!("ERROR {}", tables::failed_trial(trial));
    }
    if failed.clone().any(ours) || unsolvable.count() > 0 {
        Outcome::OursFailed
    } else {
        Outcome::Good
    }
}

/// The folder of records and pages; the user's own keys have one that git ignores.
fn reports(own_keys: bool) -> PathBuf {
    root().join(if own_keys { OWN_REPORTS } else { "reports" })
}

/// The workspace if cargo runs the program, else the current directory.
fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let above = manifest.and_then(|folder| folder.parent().map(Path::to_owned));
    above.unwrap_or_else(|| PathBuf::from("."))
}

/// A path relative to the current directory.
fn short(path: &Path) -> String {
    let here = env::current_dir().ok();
    let relative = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = relative.unwrap_or_else(|| path.to_owned());
    path.strip_prefix(".").unwrap_or(&path).display().to_string()
}
