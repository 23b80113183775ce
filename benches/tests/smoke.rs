//! The whole program on a thousand keys: every contender is correct, records survive whatever
//! happens to a run, and every input has an answer.

// Test helpers may fail as tests do; the lint configuration allows it only in test functions.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use amq_bench::contenders;
use amq_bench::record::{Claim, Point, Records, Row, State, Table, Trial, Workload};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// How the program ended, and all that it printed.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    said: String,
}

impl Ran {
    /// It ended like this, and said all of these.
    fn ended(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.said);
        for part in parts {
            assert!(self.said.contains(part), "{part}: {}", self.said);
        }
    }
}

/// A folder of its own, which is the workspace of the programs that run in it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Starts the program with these words, separated by blanks; `@` is the folder.
    fn start(&self, words: &str) -> Child {
        let folder = self.0.path().to_str().unwrap();
        let words = words.split_whitespace().map(|word| word.replace('@', folder));
        Command::new(env!("CARGO_BIN_EXE_amq-bench"))
            .args(words)
            .env("CARGO_MANIFEST_DIR", self.at("benches"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn run_fed(&self, words: &str, input: &[u8]) -> Ran {
        let mut child = self.start(words);
        // A program that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        Ran { code: output.status.code(), said: String::from_utf8_lossy(&said).into_owned() }
    }

    fn run(&self, words: &str) -> Ran {
        self.run_fed(words, b"")
    }

    /// Every file below a folder, with its contents.
    fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let (folder, mut found) = (self.at(folder), BTreeMap::new());
        let mut open = vec![folder.clone()];
        while let Some(next) = open.pop() {
            for path in fs::read_dir(next).into_iter().flatten().map(|entry| entry.unwrap().path())
            {
                if path.is_dir() {
                    open.push(path);
                } else {
                    let name = path.strip_prefix(&folder).unwrap().to_owned();
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    /// No record names a place on this machine's disk.
    fn names_no_path(&self, folder: &str) {
        let path = self.0.path().to_str().unwrap();
        for (name, bytes) in self.files(folder) {
            assert!(!String::from_utf8_lossy(&bytes).contains(path), "{name:?}");
        }
    }
}

/// 3001 distinct keys, one of them not UTF-8, one repeated, and an empty line.
fn good_keys() -> Vec<u8> {
    let lines = (0..3000u32).flat_map(|key| format!("key {key}\r\n").into_bytes());
    lines.chain(*b"\n\xFF\xFE not UTF-8\nkey 7").collect()
}

/// Faults of peers that verification must find: one drops a key when full, and is full by chance
/// before it says so; the other stores one copy of two keys with the same fingerprint, and so loses
/// both when one is removed.
fn is_known(row: &Row) -> bool {
    let loses_when = match row.contender.as_str() {
        "cuckoofilter" => [Workload::Overfill, Workload::LoadInsert].as_slice(),
        "probabilistic-quotient" => &[Workload::Remove, Workload::LoadRemove, Workload::Churn],
        _ => &[],
    };
    let known = match row.contender.as_str() {
        "cuckoofilter" => ["false negatives", "inserted "].as_slice(),
        _ => &["false negatives"],
    };
    loses_when.contains(&row.workload) && known.iter().any(|fault| row.why.contains(fault))
}

fn filled<T: Table>(records: &Records) -> Vec<T> {
    let table: Vec<T> = records.table().unwrap();
    assert!(!table.is_empty(), "{}.csv is empty", T::NAME);
    table
}

#[test]
fn every_contender_is_right_and_the_report_is_drawn_twice_alike() {
    let place = Place::new();
    place.run("measure --suite smoke --records @/records").ended(0, &["Records: "]);
    place.names_no_path("records");
    let records = Records::newest(&place.at("records"), None).unwrap();
    let run = records.run().unwrap().unwrap();
    assert!(run.complete && !run.clock.is_empty() && run.noise_floor.is_some(), "{run:?}");
    assert_eq!(run.contender.len(), contenders::ALL.len());
    for facts in &run.contender {
        let name = &facts.name;
        let (rows, rounds) = (records.rows(name).unwrap(), records.rounds(name).unwrap());
        assert!(rows.iter().any(|row| row.workload == Workload::Query50), "{name}");
        assert!(!facts.import.is_empty(), "{name} names what to import");
        for row in &rows {
            if row.ns.is_some() {
                let of: Vec<_> = rounds.iter().filter(|rounds| rounds.is_of(row)).collect();
                let stored: Vec<u64> = of.iter().map(|of| of.ns.len() as u64).collect();
                assert_eq!(Some(stored), row.rounds.map(|rounds| vec![rounds]), "{row:?}");
            }
            let good = match row.state {
                State::Measured => row.why.is_empty() && row.false_negatives.unwrap_or(0) == 0,
                State::Refused => row.refused_at.is_some(),
                State::Failed => is_known(row),
                State::Untimed | State::Skipped => !row.why.is_empty() && row.ns.is_none(),
            };
            assert!(good, "{row:?}");
        }
    }
    let trials: Vec<Trial> = filled(&records);
    assert!(trials.iter().all(|trial| trial.why.is_empty()), "{trials:?}");
    let points: Vec<Point> = filled(&records);
    assert!(points.iter().all(|point| point.fpr > 0.0 && point.fpr <= 1.0), "{points:?}");
    let claims: Vec<Claim> = filled(&records);
    assert!(claims.iter().all(|claim| claim.computed.or(claim.measured).is_some()), "{claims:?}");

    for out in ["first", "second"] {
        let words = format!("render --records @/records --out @/{out}");
        place.run(&words).ended(0, &["The report: "]);
    }
    let drawn = place.files("first");
    assert!(drawn.contains_key(Path::new("index.html")) && drawn == place.files("second"));

    // The same rows, one of them slower, and one missing.
    let words = |old, new| format!("diff @/{old} @/{new}");
    place.run(&words("records", "records")).ended(0, &["moved: 0."]);
    let other = Records::of_day(&place.at("other"), "m", "2000-01-01");
    for facts in &run.contender {
        other.write_rows(&facts.name, &records.rows(&facts.name).unwrap()).unwrap();
    }
    other.write_run(&run).unwrap();
    let mut rows = other.rows("bloom").unwrap();
    rows.pop().unwrap();
    let timed = rows.iter_mut().find(|row| row.ns.is_some()).unwrap();
    timed.ns = timed.ns.map(|ns| ns * 100.0);
    (timed.ratio_low, timed.ratio_high) = (Some(99.0), Some(101.0));
    let subject = timed.subject();
    other.write_rows("bloom", &rows).unwrap();
    let parts = [&subject, "+9900.0 %", "Only in OLD: bloom, rows: 1", "moved: 1."];
    place.run(&words("records", "other")).ended(1, &parts);
    place.run(&words("records", "none")).ended(2, &["no records in", "none"]);
}

#[test]
fn a_run_is_resumed_with_the_same_options_and_refused_with_others() {
    let place = Place::new();
    for only in ["bloom", "construction"] {
        let run = |extra| {
            let words = format!("measure --suite smoke --only {only} --records @/{only} {extra}");
            place.run(&words)
        };
        run("--resume").ended(2, &["no run to resume"]);
        run("--rounds 1").ended(0, &[]);
        let before = place.files(only);
        run("--rounds 1 --resume").ended(0, &[]);
        let mut after = place.files(only);
        after.retain(|path, _| path.extension().is_some_and(|extension| extension == "csv"));
        for (path, bytes) in &after {
            assert!(before[path] == *bytes, "{path:?} is measured and not measured again");
        }
        assert!(after.keys().any(|path| path.ends_with(format!("{only}.csv"))));
        run("--rounds 2 --resume").ended(2, &["rounds = 1, and now it is 2"]);
    }
}

#[test]
fn a_run_that_is_killed_leaves_the_records_of_the_day_and_can_be_resumed() {
    let place = Place::new();
    let measure = "measure --suite smoke --rounds 1 --records @/records";
    let only = |extra: &str| {
        place.run(&format!("{measure} --only hash-only {extra}")).ended(0, &[]);
    };
    only("");
    let before = place.files("records");
    let day = before.keys().next().unwrap().parent().unwrap().to_owned();
    let day = Path::new("records").join(day);
    let [unfinished, some] = ["unfinished", "unfinished-only"].map(|name| {
        let path = day.join(name);
        path.to_str().unwrap().to_owned()
    });

    let mut child = place.start(measure);
    // Waits until the first keys are measured, with all others still to come.
    let begun = place.at(&unfinished).join("bloom.csv");
    while !begun.exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let part = place.files(&unfinished);
    let mut rest = place.files("records");
    rest.retain(|path, _| path.components().count() == 3);
    assert!(rest == before, "the day's records are what they were");

    // A run of some contenders joins the day's records, and the killed run survives it.
    only("");
    assert!(place.files(&unfinished) == part && !place.at(&some).exists());
    // Resuming a run of all contenders takes long, so this run is turned into one of some, with
    // little left to do.
    fs::rename(place.at(&unfinished), place.at(&some)).unwrap();
    only("--resume");
    let after = place.files(day.to_str().unwrap());
    assert!(after.keys().all(|path| path.components().count() == 1), "{:?}", after.keys());
    let file = |name: &str| after.get(Path::new(name)).unwrap();
    assert_eq!(file("bloom.csv"), &part[Path::new("bloom.csv")]);
    assert!(String::from_utf8_lossy(file("run.toml")).contains("complete = true"));
    assert!(!file("hash-only.csv").is_empty());
}

#[test]
fn bad_key_files_are_errors_that_name_them_and_good_ones_are_measured() {
    let place = Place::new();
    fs::write(place.at("empty.txt"), b"").unwrap();
    fs::write(place.at("few.txt"), b"a\nb\na\n").unwrap();
    fs::write(place.at("good.txt"), good_keys()).unwrap();
    let verify = "verify --suite smoke --only bloom --keys-file";
    for (name, why, reasons) in [
        ("missing.txt", "one key per line", 1),
        ("", "is a directory", 0),
        ("empty.txt", "has 0 distinct keys", 0),
        ("few.txt", "has 2 distinct keys (repeats left out: 1", 0),
    ] {
        let ran = place.run(&format!("{verify} @/{name}"));
        ran.ended(2, &[place.at(name).to_str().unwrap(), why]);
        assert_eq!(ran.said.matches("(os error ").count(), reasons, "{}", ran.said);
    }
    let few = place.run_fed(&format!("{verify} -"), b"a\nb\na\n");
    few.ended(2, &["standard input has 2 distinct keys"]);
    let stdin = place.run_fed(&format!("{verify} -"), &good_keys());
    let counts = "3001 distinct keys (repeats left out: 1, empty lines: 1)";
    stdin.ended(0, &[&format!("stdin: {counts}; 1000 of"), "Left out: the courses"]);
    let words = "measure --suite smoke --rounds 1 --only bloom,hash-only --records @/records";
    place.run(&format!("{words} --keys-file @/good.txt")).ended(0, &[counts]);
    place.names_no_path("records");
}

#[test]
fn a_report_of_own_keys_leaves_the_committed_one_alone_and_is_ignored_by_git() {
    let place = Place::new();
    for name in ["README.md", "latest/index.html", "records/m/2000-01-01/run.toml"] {
        let path = place.at("reports").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "committed").unwrap();
    }
    fs::write(place.at("good.txt"), good_keys()).unwrap();
    let before = place.files("reports");
    let run = |words: &str| {
        place.run(words).ended(0, &["The report: "]);
        let mut all = place.files("reports");
        all.retain(|path, _| !path.starts_with("own"));
        assert!(all == before, "{:?}", all.keys());
        place.files("reports/own")
    };
    let all = "--suite smoke --rounds 1 --only bloom";
    let drawn = run(&format!("{all} --keys-file @/good.txt"));
    assert!(drawn.contains_key(Path::new("latest/index.html")));
    // Redrawn by the recorded command, it is the same.
    let record = drawn.iter().find(|(path, _)| path.ends_with("run.toml")).unwrap();
    let command = "-- render --records reports/own/records\"";
    assert!(String::from_utf8_lossy(record.1).contains(command));
    fs::remove_dir_all(place.at("reports/own/latest")).unwrap();
    assert!(run("render --records @/reports/own/records") == drawn);
    // Other options: not to be merged with those.
    fs::remove_dir_all(place.at("reports/own")).unwrap();
    run(&format!("{all} --keys 1000"));

    let ignored = include_str!("../../.gitignore");
    assert!(ignored.lines().any(|line| line == "/reports/own"));
}

#[test]
fn what_cannot_be_done_is_an_error_that_tells_the_reason_once() {
    let place = Place::new();
    fs::write(place.at("file"), b"").unwrap();
    for (words, parts) in [
        ("measure --suite smoke --only bloom --records @/file", ["/file", "(os error "]),
        ("verify --suite smoke --only blom", ["named blom", "bloom, blocked-bloom"]),
        ("verify --only construction --keys 1000", ["construction", "leave out --keys"]),
        ("render --records @/none", ["no records in", "/none"]),
        ("diff 2000-01-01 2000-01-02", ["no records in", "2000-01-01"]),
    ] {
        let ran = place.run(words);
        ran.ended(2, &parts);
        assert_eq!(ran.said.matches(parts[1]).count(), 1, "{}", ran.said);
    }
    place.run("list").ended(0, &["contender", "bloom, ", "construction: ", "smoke", "full"]);
}
