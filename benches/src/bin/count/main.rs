//! Counts the instructions of each type's operations, and compares them with the committed counts.
//!
//! ```console
//! $ alias count='cargo run --release -p amq-bench --no-default-features --bin count --'
//! $ count                          # fails if a count rose by more than 2 %
//! $ count CuckooFilter/            # only what begins so
//! $ count --bless [CuckooFilter/]  # writes benches/instructions.txt
//! $ count --time OLD NEW [BEGIN]   # times two builds of this program in turn
//! ```
//!
//! Exit codes: 0 within the limits, 1 outside them, 2 an error, 3 counts cannot be compared here.

mod operations;

use anyhow::{Context, Result, ensure};
use operations::{KEYS, ONE, Operations};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::num::NonZero;
use std::process::{Command, ExitCode};
use std::time::Instant;
use std::{env, fs, thread};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/instructions.txt");
/// The limits of the rise of a count and a time.
const COUNT_LIMIT: f64 = 1.02;
const TIME_LIMIT: f64 = 1.03;
const ABOUT: &str = "\
# Instructions of each operation, counted by callgrind and written by `count --bless` of amq-bench:
# per key of 50,000, or per call of new, from_bytes and view. Valgrind has no AVX-512, so the library
# runs its code for AVX2. It simulates no cache, no branch prediction and no prefetching, and counts a
# vector instruction as one. The next line says what the counts were written with.
";

/// The function that callgrind counts, without preparation and freeing.
#[inline(never)]
fn measured(run: &mut dyn FnMut() -> usize) -> usize {
    black_box(run())
}

/// Prepares an operation and runs it several times. Returns its number of keys, and the least time
/// in nanoseconds.
fn run(name: &str, times: u32) -> Result<(usize, u128)> {
    let (mut keys, mut least) = (0, u128::MAX);
    for _ in 0..times {
        let found = Operations::all(Some(name)).found;
        let mut operation = found.with_context(|| format!("there is no {name}"))?;
        let start = Instant::now();
        let returned = measured(&mut operation.run);
        least = least.min(start.elapsed().as_nanos());
        let may = &operation.may_return;
        ensure!(may.contains(&returned), "{name} returned {returned}, which is not in {may:?}");
        keys = if *may == ONE { 1 } else { KEYS };
    }
    Ok((keys, least))
}

/// Parses the output of a child in the mode `--run`.
fn ran(mut command: Command, name: &str, times: u32) -> Result<(f64, f64, String)> {
    // The environment is on the stack, and can change its alignment.
    command.env_clear().args(["--run", name, &times.to_string()]);
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{name}: {said}");
    let printed = String::from_utf8(output.stdout)?;
    let (keys, time) = printed.trim().split_once(' ').context("no times")?;
    Ok((keys.parse()?, time.parse()?, said))
}

/// Instructions per key, or of a single call.
fn count(name: &str) -> Result<f64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg("--toggle-collect=count::measured*").arg(env::current_exe()?);
    let (keys, _, said) = ran(valgrind, name, 1)?;
    let total =
        said.lines().find_map(|line| line.split_once("Collected : ")).context(said.clone())?;
    let total: f64 = total.1.trim().parse()?;
    ensure!(total > 0.0, "{name}: valgrind did not see the function `measured`");
    Ok(total / keys)
}

/// The conditions that counts depend on, besides the library.
fn built_with() -> String {
    #[cfg(target_arch = "x86_64")]
    let vectors = if std::is_x86_feature_detected!("avx2") { "AVX2" } else { "no AVX2" };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "no AVX2";
    format!("# {}, {}, {vectors}", env!("AMQ_RUSTC"), env!("AMQ_TARGET"))
}

/// The committed counts, and what they were built with.
fn committed() -> (String, BTreeMap<String, f64>) {
    let text = fs::read_to_string(FILE).unwrap_or_default();
    let built_with = text.lines().rfind(|line| line.starts_with('#')).unwrap_or_default();
    let count = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.trim().parse().ok()?))
    };
    (built_with.to_owned(), text.lines().filter_map(count).collect())
}

fn names(begin: &str) -> Result<Vec<String>> {
    let mut names = Operations::all(None).names;
    names.retain(|name| name.starts_with(begin));
    ensure!(!names.is_empty(), "no operation begins with {begin}");
    Ok(names)
}

/// A row of a table. Whether the ratio is within the limit.
fn row(name: &str, old: f64, new: f64, limit: f64) -> bool {
    let is_within = new <= old * limit;
    let mark = match is_within {
        true => "",
        false if old.is_nan() => "  NEW",
        false => "  TOO MUCH",
    };
    println!("{name:<46} {old:>11.2} {new:>11.2} {:>7.3}{mark}", new / old);
    is_within
}

fn counts(begin: &str, bless: bool) -> Result<ExitCode> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        eprintln!("there is no valgrind to count with");
        return Ok(ExitCode::from(3));
    }
    let (known, mut old) = committed();
    if known != built_with() && !(bless && begin.is_empty()) {
        eprintln!("counts cannot be compared: this is\n{}\nand they are of\n{known}", built_with());
        return Ok(ExitCode::from(3));
    }
    let names = names(begin)?;
    let mut new = BTreeMap::new();
    for some in names.chunks(thread::available_parallelism().map_or(1, NonZero::get)) {
        thread::scope(|scope| {
            let threads: Vec<_> = some.iter().map(|name| scope.spawn(|| count(name))).collect();
            for (name, thread) in some.iter().zip(threads) {
                let counted = thread.join().ok().context("a thread ended")?;
                new.insert(name.clone(), counted?);
            }
            anyhow::Ok(())
        })?;
    }
    let mut failed = 0;
    for (name, &new) in &new {
        failed += u32::from(!row(name, *old.get(name).unwrap_or(&f64::NAN), new, COUNT_LIMIT));
    }
    for name in old.keys().filter(|name| name.starts_with(begin) && !new.contains_key(*name)) {
        println!("{name} is no more");
        failed += 1;
    }
    if bless {
        old.retain(|name, _| !name.starts_with(begin));
        old.extend(new);
        let rows: String = old.iter().map(|(name, count)| format!("{name} {count:.2}\n")).collect();
        fs::write(FILE, format!("{ABOUT}{}\n{rows}", built_with()))?;
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} counted, {failed} too much or without a counterpart", new.len());
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// Times two builds alternately. Slow operations are timed again, at most three times.
fn times(old: &str, new: &str, begin: &str) -> Result<ExitCode> {
    let mut failed = 0;
    for name in names(begin)? {
        let (mut least_old, mut least_new) = (f64::MAX, f64::MAX);
        for series in 0..4 {
            for _ in 0..8 {
                let (keys, time, _) = ran(Command::new(old), &name, 5)?;
                least_old = least_old.min(time / keys);
                let (keys, time, _) = ran(Command::new(new), &name, 5)?;
                least_new = least_new.min(time / keys);
            }
            if least_new <= least_old * TIME_LIMIT || series == 3 {
                break;
            }
        }
        failed += u32::from(!row(&name, least_old, least_new, TIME_LIMIT));
    }
    println!("{failed} too slow");
    Ok(ExitCode::from(u8::from(failed > 0)))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["--run", name, times] => times.parse().map_err(Into::into).and_then(|times| {
            let (keys, time) = run(name, times)?;
            println!("{keys} {time}");
            Ok(ExitCode::SUCCESS)
        }),
        ["--time", old, new] => times(old, new, ""),
        ["--time", old, new, begin] => times(old, new, begin),
        ["--bless"] => counts("", true),
        ["--bless", begin] => counts(begin, true),
        [] => counts("", false),
        [begin] if !begin.starts_with('-') => counts(begin, false),
        _ => Err(anyhow::anyhow!("usage: count [--bless] [BEGIN] | --time OLD NEW [BEGIN]")),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}
