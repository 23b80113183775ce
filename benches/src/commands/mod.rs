//! The commands.

mod diff;
mod say;

use crate::cli::{Cli, Command, Measure, Request};
use crate::error::BenchError;
use crate::measure::{self, Plan};
use crate::record::{Machine, OWN_REPORTS, Records, Run, root, today, write_atomically};
use crate::report::{self, times};
use anyhow::Result;
use diff::Side;
use std::env;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command line. The exit code is a failure if one of our own filters has failed rows, or
/// if rows of two records differ by more than noise.
pub fn run(cli: &Cli) -> Result<ExitCode> {
    let mut good = true;
    match &cli.command {
        None => {
            let (records, is_right) = measure(&cli.measure)?;
            let all = with_other_machines(records)?;
            draw(&all, cli.out.as_deref())?;
            good = is_right;
        }
        Some(Command::Measure(options)) => good = measure(options)?.1,
        Some(Command::Render { records, out }) => {
            let usual = [reports(false).join("records")];
            let folders = if records.is_empty() { &usual[..] } else { records };
            let records = match folders {
                [folder] if !Records::is_one(folder) => with_other_machines(newest(folder)?)?,
                folders => folders.iter().map(|folder| newest(folder)).collect::<Result<_, _>>()?,
            };
            draw(&records, out.as_deref())?;
        }
        Some(Command::Verify(request)) => good = verify(request)?,
        Some(Command::Times) => times()?,
        Some(Command::Diff { old, new }) => good = compare(old, new)?,
        Some(Command::List) => stdout().write_all(say::contenders().as_bytes())?,
    }
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The records, and whether our own filters are right.
fn measure(options: &Measure) -> Result<(Records, bool)> {
    let request = &options.request;
    let plan = Plan::new(request, options.rounds)?;
    let folder = options.records.clone();
    let folder = folder.unwrap_or_else(|| reports(plan.options.has_own_keys()).join("records"));
    let machine = Machine::this().name;
    let records = if options.resume {
        Records::newest_to_resume(&folder, &machine, !request.only.is_empty())
            .ok_or(BenchError::NothingToResume { path: folder })?
    } else {
        Records::for_run(&folder, &machine, &today(), !request.only.is_empty())
    };
    say::what_comes(&plan);
    let found = measure::run(request, &plan, &records, options.resume)?;
    let good = say::failures(&found);
    println!("Records: {}", short(records.folder()));
    Ok((records, good))
}

fn verify(request: &Request) -> Result<bool> {
    let plan = Plan::new(request, Some(0))?;
    say::what_is_left_out(&plan);
    let found = measure::verify_only(&plan)?;
    stdout().write_all(say::verified(&found).as_bytes())?;
    Ok(say::failures(&found))
}

/// From each machine's newest records of the quick and the full suite.
fn times() -> Result<()> {
    let folders = ["records", "full/records"].map(|name| reports(false).join(name));
    let table = times::tables(&Records::of_machines(&folders), &root())?;
    println!("{}", short(&times::path(&root())));
    Ok(write_atomically(&times::path(&root()), table.as_bytes())?)
}

/// Prints which rows of two records differ by more than noise; whether none does.
fn compare(old: &Path, new: &Path) -> Result<bool> {
    let side = |folder| Side::read(&newest(folder)?);
    let (text, moved) = diff::diff(&side(old)?, &side(new)?)?;
    stdout().write_all(text.as_bytes())?;
    Ok(!moved)
}

/// Draws the first record, with ratios of the others.
fn draw(records: &[Records], out: Option<&Path>) -> Result<()> {
    let [records, others @ ..] = records else { return Ok(()) };
    let own = |run: Run| run.options.has_own_keys();
    let reports = reports(records.run()?.is_some_and(own));
    let out = out.map_or_else(|| reports.join("latest"), Path::to_owned);
    let (page, answers) = report::render(records, others, &out)?;
    println!("{answers}\n\nThe report: {}", short(&page));
    Ok(())
}

/// These records, and beside them the newest of every other machine in the same folder that
/// measured the same keys in the same suite.
fn with_other_machines(first: Records) -> Result<Vec<Records>> {
    let of = |run: Run| (run.options.suite, run.options.keys, run.options.keys_file_xxh3);
    let measured = first.run()?.map(of);
    let mut all = vec![first];
    for records in all[0].newest_of_other_machines() {
        if records.run()?.map(of) == measured {
            all.push(records);
        }
    }
    Ok(all)
}

fn newest(folder: &Path) -> Result<Records, BenchError> {
    let found = Records::newest(folder, Some(&Machine::this().name));
    found.ok_or(BenchError::NoRecords { path: folder.to_owned() })
}

/// The folder of records and pages; for the user's own keys, one that git ignores.
fn reports(own_keys: bool) -> PathBuf {
    root().join(if own_keys { OWN_REPORTS } else { "reports" })
}

/// A path relative to the current directory or to the workspace.
fn short(path: &Path) -> String {
    let bases = [env::current_dir().unwrap_or_default(), root()];
    let mut short = bases.iter().filter_map(|base| path.strip_prefix(base).ok());
    short.next().unwrap_or(path).display().to_string()
}
