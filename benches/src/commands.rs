//! What the commands do.

use crate::cli::{Cli, Command, Measure, Render, Subject};
use crate::construction;
use crate::error::BenchError;
use crate::heat::NOT_TIMED;
use crate::machine::Machine;
use crate::measure::{self, Found, Plan, Request};
use crate::record::{Row, Workload};
use crate::registry;
use crate::render;
use crate::run::publishable;
use crate::store::Records;
use crate::tables;
use anyhow::Result;
use std::env;
use std::path::{Path, PathBuf};

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// All went well.
    Good,
    /// One of our own filters has error rows.
    OursFailed,
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
            draw(&newest(options)?, options.out.as_deref())?;
            Ok(Outcome::Good)
        }
        Some(Command::Verify(subject)) => verify(subject),
        Some(Command::List) => {
            print!("{}", tables::contenders());
            Ok(Outcome::Good)
        }
    }
}

fn measure(options: &Measure) -> Result<(Records, Outcome)> {
    let request = request(&options.subject, options.rounds);
    let plan = Plan::new(&request)?;
    let folder = options
        .records
        .clone()
        .unwrap_or_else(|| root().join("reports/records"));
    let machine = Machine::this().name;
    let records = if options.resume {
        Records::newest(&folder, Some(&machine))
            .ok_or(BenchError::NothingToResume { path: folder })?
    } else {
        Records::of_day(&folder, &machine, &measure::today())
    };
    say_what_comes(&plan);
    let found = measure::run(&request, &plan, &records, options.resume)?;
    let outcome = say_failures(&found);
    println!("Records: {}", short(records.folder()));
    Ok((records, outcome))
}

fn verify(subject: &Subject) -> Result<Outcome> {
    let request = request(subject, Some(0));
    let plan = Plan::new(&request)?;
    let found = measure::verify_only(&plan)?;
    print!("{}", tables::verified(&found.rows));
    print!("{}", tables::tried(&found.trials));
    Ok(say_failures(&found))
}

fn newest(options: &Render) -> Result<Records> {
    let folder = options
        .records
        .clone()
        .unwrap_or_else(|| root().join("reports/records"));
    let machine = Machine::this().name;
    let records =
        Records::newest(&folder, Some(&machine)).or_else(|| Records::newest(&folder, None));
    Ok(records.ok_or(BenchError::NoRecords { path: folder })?)
}

fn draw(records: &Records, out: Option<&Path>) -> Result<()> {
    let out = out.map_or_else(|| root().join("reports/latest"), Path::to_owned);
    let rendered = render::render(records.folder(), &out)?;
    println!("{}", rendered.table.trim_end());
    println!("\nThe report: {}", short(&rendered.page));
    Ok(())
}

fn request(subject: &Subject, rounds: Option<u64>) -> Request {
    let arguments = || env::args().skip(1);
    Request {
        suite: subject.suite,
        only: subject.only.clone(),
        keys_file: subject.keys_file.clone(),
        keys: subject.keys.clone(),
        rounds,
        seed: subject.seed,
        root: root(),
        command: publishable(arguments().filter(|argument| argument != "--resume")),
        render_command: publishable(["render".to_owned()].into_iter()),
    }
}

fn say_what_comes(plan: &Plan) {
    if plan.contenders.is_empty() {
        eprintln!(
            "{} alone, suite {}: about {}.",
            construction::NAME,
            plan.options.suite,
            tables::minutes(plan.estimate())
        );
        return;
    }
    eprintln!(
        "{} contenders over {} sets of keys, suite {}, {} rounds: about {}.",
        plan.contenders.len(),
        plan.groups.len(),
        plan.options.suite,
        plan.options.rounds,
        tables::minutes(plan.estimate())
    );
    for group in &plan.groups {
        if let crate::keysets::KeySet::File(file) = &group.key_set {
            eprintln!(
                "{}: {} distinct keys ({} repeated ones and {} empty lines left out); {} of the shuffled first half are present, \
                 the other half is absent.",
                file.name,
                file.keys.len(),
                file.source.duplicates,
                file.source.empty_lines,
                group.keys
            );
        }
    }
}

/// Prints the error rows; peers' too, but only ours make the program fail.
fn say_failures(found: &Found) -> Outcome {
    let ours = |row: &Row| {
        let mut all = registry::ALL.iter().map(|contender| contender.info());
        all.any(|info| info.ours && info.name == row.contender)
    };
    let failed: Vec<&Row> = found
        .rows
        .iter()
        .filter(|row| !row.error.is_empty())
        .collect();
    // Where verification failed, nothing was timed: one line is enough.
    for row in failed
        .iter()
        .filter(|row| row.workload == Workload::Verify || !row.error.starts_with(NOT_TIMED))
    {
        eprintln!("ERROR {}", tables::failure(row));
    }
    let unsolvable = found.trials.iter().filter(|trial| !trial.error.is_empty());
    for trial in unsolvable.clone() {
        eprintln!("ERROR {}", tables::failed_trial(trial));
    }
    if failed.iter().any(|row| ours(row)) || unsolvable.count() > 0 {
        Outcome::OursFailed
    } else {
        Outcome::Good
    }
}

/// The workspace, if cargo runs the program; else where one stands.
fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let above = manifest.and_then(|folder| folder.parent().map(Path::to_owned));
    above.unwrap_or_else(|| PathBuf::from("."))
}

/// A path as one would type it from here.
fn short(path: &Path) -> String {
    let here = env::current_dir().ok();
    let relative = here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let path = relative.unwrap_or_else(|| path.to_owned());
    path.strip_prefix(".")
        .unwrap_or(&path)
        .display()
        .to_string()
}
