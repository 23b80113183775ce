//! Instructions per operation, counted by valgrind: unlike nanoseconds, they do not wobble.
//!
//! The program runs itself under cachegrind, three times per contender, and subtracts: what a
//! second build adds, and what queries add. Start-up and making the keys cancel out.

use super::verify::{Failure, build};
use crate::contenders::{Contender, Info, Order, Planned};
use crate::keys::{KeySet, Stream};
use crate::record::{Cell, Row, State, Workload};
use amq_core::Budget;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::env;
use std::io;
use std::process::{Child, Command, Stdio};

/// The hidden command that a child carries out.
pub const COMMAND: &str = "count";
const RATE: f64 = 0.01;
/// Queries in a child, half of them for present keys.
const QUERIES: usize = 1 << 16;

/// Whether there is a valgrind to count with.
pub fn is_possible() -> bool {
    let found = Command::new("valgrind").arg("--version").output();
    cfg!(target_os = "linux") && found.is_ok_and(|output| output.status.success())
}

/// What a child does: builds a filter some times over, and queries it if told to. The hits, so that
/// nothing is left out.
pub fn child(
    contender: &Contender,
    keys: usize,
    builds: usize,
    asks: bool,
) -> Result<u64, Failure> {
    let failed = |error: crate::error::BenchError| Failure::Build(error.to_string());
    let made = KeySet::RandomU64.make(keys, QUERIES, 1).map_err(failed)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let stream = Stream::new(&made, QUERIES, 50, &mut rng);
    let (present, queries) = (made.present.view(), stream.keys.view());
    let budget = (!contender.info.fixed_rate).then_some(Budget::Fpr(RATE));
    let order = Order { planned: Planned::Keys, budget, seed: 1 };
    let mut hits = 0;
    for _ in 0..builds {
        let filter = build(contender, present.keys(), &order)?;
        // The last one answers, and each at least once.
        hits = filter.count_hits(queries.keys().between(0, if asks { QUERIES } else { 1 }));
    }
    Ok(hits)
}

/// Counts a contender's instructions per key of a build and per query, half of them for present
/// keys, in children that run beside each other; writes them into its rows.
pub fn count(info: &Info, keys: usize, rows: &mut [Row]) -> io::Result<()> {
    let start = |(builds, asks): (usize, bool)| {
        Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
            .arg(env::current_exe()?)
            .args([COMMAND, &info.name, &keys.to_string(), &builds.to_string()])
            .args(asks.then_some("--asks"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
    };
    let count = |child: io::Result<Child>| {
        let output = child?.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let found = total(&said).filter(|_| output.status.success());
        found.ok_or_else(|| io::Error::other(said.into_owned()))
    };
    let [once, twice, asked] = [(1, false), (2, false), (1, true)].map(start).map(count);
    let once = once?;
    let cell = Cell {
        key_set: KeySet::RandomU64.name().to_owned(),
        keys: keys as u64,
        asked_fpr: (!info.fixed_rate).then_some(RATE),
        ..Cell::default()
    };
    let (build, query) = ((twice? - once) / keys as f64, (asked? - once) / QUERIES as f64);
    for row in rows.iter_mut().filter(|row| row.state == State::Measured && row.cell() == cell) {
        row.instructions = match row.workload {
            Workload::Build => Some(build),
            Workload::Query50 => Some(query),
            _ => None,
        };
    }
    Ok(())
}

/// The total in what cachegrind says: `==12== I   refs:      1,234,567`.
fn total(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("refs:"))?;
    let number: String = line.rsplit(':').next()?.chars().filter(char::is_ascii_digit).collect();
    number.parse().ok()
}

#[test]
fn the_total_is_read_from_what_the_tool_says() {
    let said = "==7== Cachegrind\n==7== \n==7== I   refs:      1,234,567\n";
    assert_eq!(total(said), Some(1_234_567.0));
    assert_eq!(total("valgrind: no such tool"), None);
}

#[test]
fn a_child_builds_and_asks() {
    let bloom = crate::contenders::named("bloom").unwrap();
    let hits = child(bloom, 1000, 2, true).unwrap();
    let half = QUERIES as u64 / 2;
    assert!((half..half + half / 50).contains(&hits), "{hits}");
    assert!(child(bloom, 1000, 1, false).unwrap() <= 1);
}
