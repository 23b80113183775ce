//! The commands.

mod diff;
mod say;
mod tables;

use crate::cli::{Cli, Command, Measure, Newest, Subject};
use crate::contenders;
use crate::error::BenchError;
use crate::measure::{self, Plan, Request, fit, instructions, twins};
use crate::record::{Machine, OWN_REPORTS, Records, Run, publishable, today, write_atomically};
use crate::report;
use anyhow::Result;
use diff::Side;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Carries out the command line. The exit code is a failure if one of our own filters has failed
/// rows, or if rows of two records differ by more than noise.
pub fn run(cli: &Cli) -> Result<ExitCode> {
    let good = match &cli.command {
        None => {
            let (records, good) = measure(&cli.measure)?;
            draw(&records, cli.out.as_deref())?;
            good
        }
        Some(Command::Measure(options)) => measure(options)?.1,
        Some(Command::Render { from, out }) => {
            draw(&newest(from)?, out.as_deref())?;
            true
        }
        Some(Command::Verify(subject)) => verify(subject)?,
        Some(Command::Fit(from)) => fit(&newest(from)?)?,
        Some(Command::Diff { old, new }) => compare(old, new)?,
        Some(Command::Twins(from)) => {
            print!("{}", twins::table(&newest(from)?)?);
            true
        }
        Some(Command::Count { contender, keys, builds, asks }) => {
            // Prints the hits, so that nothing is left out.
            for contender in contenders::choose(std::slice::from_ref(contender), &[])? {
                println!("{}", instructions::child(contender, *keys, *builds, *asks)?);
            }
            true
        }
        Some(Command::List) => {
            print!("{}", tables::contenders());
            true
        }
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The records, and whether our own filters are right.
fn measure(options: &Measure) -> Result<(Records, bool)> {
    let request = request(&options.subject, options.rounds, options.instructions);
    let plan = Plan::new(&request)?;
    let folder = options.records.clone();
    let folder = folder.unwrap_or_else(|| reports(plan.options.has_own_keys()).join("records"));
    let machine = Machine::this().name;
    let records = if options.resume {
        Records::newest_to_resume(&folder, &machine, !request.only.is_empty())
            .ok_or(BenchError::NothingToResume { path: folder })?
    } else {
        Records::of_day(&folder, &machine, &today())
    };
    say::what_comes(&plan);
    let found = measure::run(&request, &plan, &records, options.resume)?;
    let good = say::failures(&found);
    println!("Records: {}", short(records.folder()));
    Ok((records, good))
}

fn verify(subject: &Subject) -> Result<bool> {
    let plan = Plan::new(&request(subject, Some(0), false))?;
    say::what_is_left_out(&plan);
    let found = measure::verify_only(&plan)?;
    let told = [tables::verified(&found.rows), tables::tried(&found.trials)];
    println!("{}", told.join("\n").trim());
    Ok(say::failures(&found))
}

/// Writes the advisor's table of times.
fn fit(records: &Records) -> Result<bool> {
    let (name, path) = (short(records.folder()), fit::path(&root()));
    write_atomically(&path, fit::table(records, &name)?.as_bytes())?;
    println!("{} from {name}", short(&path));
    Ok(true)
}

/// Prints which rows of two records differ by more than noise; whether none does.
fn compare(old: &str, new: &str) -> Result<bool> {
    let machine = Machine::this().name;
    let side = |name: &str| {
        let of_day = Records::of_date(&reports(false).join("records"), &machine, name);
        Side::read(&of_day.map_or_else(|| newest_in(Path::new(name)), Ok)?)
    };
    let (text, moved) = diff::diff(&side(old)?, &side(new)?);
    print!("{text}");
    Ok(!moved)
}

fn draw(records: &Records, out: Option<&Path>) -> Result<()> {
    let own = |run: Run| run.options.has_own_keys();
    let reports = reports(records.run()?.is_some_and(own));
    let out = out.map_or_else(|| reports.join("latest"), Path::to_owned);
    let (page, answers) = report::render(records, &out)?;
    println!("{answers}\n\nThe report: {}", short(&page));
    Ok(())
}

fn newest(from: &Newest) -> Result<Records, BenchError> {
    let folder = from.records.clone();
    newest_in(&folder.unwrap_or_else(|| reports(false).join("records")))
}

fn newest_in(folder: &Path) -> Result<Records, BenchError> {
    let found = Records::newest(folder, Some(&Machine::this().name));
    found.ok_or_else(|| BenchError::NoRecords { path: folder.to_owned() })
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

/// A path relative to the current directory or to the workspace.
fn short(path: &Path) -> String {
    let bases = [env::current_dir().unwrap_or_default(), root()];
    let mut short = bases.iter().filter_map(|base| path.strip_prefix(base).ok());
    short.next().unwrap_or(path).display().to_string()
}
