//! The whole program on a thousand keys, seen from outside: every contender is correct, records
//! survive whatever happens to a run, and every input has an answer.

// Test helpers may fail as tests do; the lint configuration allows it only in test functions.
#![allow(clippy::unwrap_used)]

mod alloc;
mod contenders;
mod diff;
mod keys;

use amq_bench::contenders::ALL;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{available_parallelism, sleep};
use std::time::Duration;
use tempfile::{TempDir, tempdir};

/// A folder of its own, which is the workspace of the programs that run in it.
struct Place(TempDir);

type Files = BTreeMap<PathBuf, Vec<u8>>;

impl Place {
    fn at(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// Starts the program with these words, separated by blanks; `@` is the folder.
    fn start(&self, words: &str) -> Child {
        let folder = self.0.path().to_str().unwrap();
        Command::new(env!("CARGO_BIN_EXE_amq-bench"))
            .args(words.split_whitespace().map(|word| word.replace('@', folder)))
            .env("CARGO_MANIFEST_DIR", self.at("benches"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the program, which ends like this and says all of these; returns all that it says. Two
    /// keys, one of them repeated, are its standard input.
    fn run(&self, words: &str, code: i32, parts: &[&str]) -> String {
        let mut child = self.start(words);
        // A program that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(b"a\nb\na\n");
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        for part in parts {
            assert!(said.contains(part), "{words}: {part}: {said}");
        }
        said
    }

    fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Every file below a folder, with its contents; none names a place on this machine's disk.
    fn files(&self, folder: impl AsRef<Path>) -> Files {
        let (folder, mut found) = (self.at(folder), Files::new());
        let mut open = vec![folder.clone()];
        while let Some(path) = open.pop() {
            if let Ok(entries) = fs::read_dir(&path) {
                open.extend(entries.map(|entry| entry.unwrap().path()));
            } else if let Ok(bytes) = fs::read(&path) {
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(self.0.path().to_str().unwrap()), "{path:?}");
                found.insert(path.strip_prefix(&folder).unwrap().to_owned(), bytes);
            }
        }
        found
    }
}

/// A file of this name, wherever it is, as text.
fn text(files: &Files, name: &str) -> String {
    let (_, bytes) = files.iter().find(|(path, _)| path.ends_with(name)).unwrap();
    String::from_utf8_lossy(bytes).into_owned()
}

/// A line of a CSV file, by column.
type Line = BTreeMap<String, String>;

fn lines(files: &Files, name: &str) -> Vec<Line> {
    let text = text(files, &format!("{name}.csv"));
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().map(Result::unwrap).collect()
}

/// Faults of peers that verification must find: one drops a key when full, and is full by chance
/// before it says so; one stores one copy of two keys with the same fingerprint, and so loses both
/// when one is removed; one, when it has grown, removes a fingerprint from the first table that has
/// it, which may be another key's.
fn is_known(row: &Line) -> bool {
    let (workloads, faults) = match &*row["contender"] {
        "cuckoofilter" => ("overfill load_insert", ["false negative", "inserted "]),
        "probabilistic-quotient" => ("remove churn", ["false negative"; 2]),
        "scalable-cuckoo" => ("remove", ["false negative"; 2]),
        _ => return false,
    };
    workloads.split(' ').any(|workload| workload == row["workload"])
        && faults.iter().any(|fault| row["why"].contains(fault))
}

fn is_good(row: &Line) -> bool {
    match &*row["state"] {
        "measured" => row["why"].is_empty() && ["", "0"].contains(&&*row["false_negatives"]),
        "refused" => !row["refused_at"].is_empty(),
        "failed" => is_known(row),
        "untimed" | "skipped" => !row["why"].is_empty() && row["ns"].is_empty(),
        _ => false,
    }
}

#[test]
fn every_contender_is_right_and_the_report_is_drawn_twice_alike() {
    let place = Place(tempdir().unwrap());
    place.run("measure --suite smoke --records @/records", 0, &["Records: "]);
    let records = place.files("records");
    let about = text(&records, "run.toml");
    assert!(about.contains("complete = true") && about.contains("noise_floor = 0."), "{about}");
    // One core has no threads to compare.
    let several = available_parallelism().is_ok_and(|cores| cores.get() > 1);
    for contender in ALL.iter().filter(|one| several || one.info.only.is_empty()) {
        let name = &contender.info.name;
        let rows = lines(&records, name);
        let is_filter = rows.iter().any(|row| row["workload"] == "query50");
        assert_eq!(is_filter, contender.info.only.is_empty(), "{name}");
        assert!(about.contains(&format!("name = \"{name}\"")));
        for row in &rows {
            assert!(is_good(row), "{row:?}");
            // The passes behind every time are stored.
            for passes in ["passes_ns", "reference_passes_ns"] {
                let stored = row[passes].split_whitespace().count();
                assert!(row["ns"].is_empty() || row["rounds"].parse() == Ok(stored), "{row:?}");
            }
        }
    }
    let holds = |table: &str, is_good: fn(&Line) -> bool| {
        let lines = lines(&records, table);
        assert!(!lines.is_empty() && lines.iter().all(is_good), "{table}: {lines:?}");
    };
    holds("theory", |point| (f64::MIN_POSITIVE..=1.0).contains(&point["fpr"].parse().unwrap()));

    for out in ["first", "second"] {
        let words = format!("render --records @/records --out @/{out}");
        place.run(&words, 0, &["The report: "]);
    }
    let drawn = place.files("first");
    assert!(drawn.contains_key(Path::new("index.html")) && drawn == place.files("second"));

    // Another machine's ratios are drawn beside them, unless it measured in another suite.
    for (suite, is_drawn) in [("smoke", true), ("quick", false)] {
        for (path, bytes) in &records {
            let (old, new) = match path.file_name().and_then(|name| name.to_str()) {
                Some("run.toml") => ("suite = \"smoke\"", format!("suite = \"{suite}\"")),
                Some("machine.toml") => ("cpu = \"", "cpu = \"Elsewhere ".to_owned()),
                _ => ("", String::new()),
            };
            let there = Path::new("records/elsewhere/2001-01-01").join(path.file_name().unwrap());
            let text = String::from_utf8_lossy(bytes);
            assert!(text.contains(old), "{path:?}");
            place.write(there, text.replacen(old, &new, 1));
        }
        place.run("render --records @/records --out @/both", 0, &["The report: "]);
        let page = place.files("both");
        assert_eq!(text(&page, "index.html").contains("Elsewhere "), is_drawn, "{suite}");
    }
    fs::remove_dir_all(place.at("records/elsewhere")).unwrap();

    // The same rows, but for one that failed and a contender that took no part, with another seed.
    let failed = text(&records, "bloom.csv").replacen("y50,measured,", "y50,failed,", 1);
    let seeded = about.replacen("seed = 1", "seed = 2", 1);
    for (path, bytes) in records.iter().filter(|(path, _)| !path.ends_with("cuckoo.csv")) {
        let bytes = match path.file_name().and_then(|name| name.to_str()) {
            Some("bloom.csv") => failed.as_bytes(),
            Some("run.toml") => seeded.as_bytes(),
            _ => bytes,
        };
        place.write(Path::new("other").join(path), bytes);
    }
    place.run("diff @/records @/records", 0, &["moved: 0."]);
    let said = ["query50", "state", "moved: 1.", "seed = 1, then 2.", "Only in OLD: cuckoo, rows:"];
    place.run("diff @/records @/other", 1, &said);
}

#[test]
fn a_killed_run_can_be_resumed() {
    let place = Place(tempdir().unwrap());
    let measure = "measure --suite smoke --records @/records --rounds";
    let some = |extra: &str, code, parts: &[&str]| {
        place.run(&format!("{measure} {extra} --only hash-only"), code, parts);
    };
    some("1 --resume", 2, &["no run to resume"]);
    some("1", 0, &[]);
    let before = place.files("records");
    let day = Path::new("records").join(before.keys().next().unwrap().parent().unwrap());
    // The day has a record, so a run of all contenders makes its second one.
    let second = day.with_file_name(format!("{}-2", day.file_name().unwrap().display()));
    let (unfinished, joined) = (second.join("unfinished"), day.join("unfinished-only"));

    let mut child = place.start(&format!("{measure} 1"));
    // Waits until the first keys are measured, with all others still to come.
    while !place.at(&unfinished).join("bloom.csv").exists() {
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
    some("1", 0, &[]);
    assert!(place.files(&unfinished) == part && !place.at(&joined).exists());
    // Resuming a run of all contenders takes long, so this run is turned into one of some, with
    // little left to do.
    fs::rename(place.at(&unfinished), place.at(&joined)).unwrap();
    some("1 --resume", 0, &[]);
    let resumed = || {
        let mut files = place.files(&day);
        assert!(files.keys().all(|path| path.components().count() == 1), "{:?}", files.keys());
        assert!(text(&files, "run.toml").contains("complete = true"));
        files.remove(Path::new("run.toml"));
        files
    };
    let after = resumed();
    assert_eq!(text(&after, "bloom.csv"), text(&part, "bloom.csv"));
    assert!(!lines(&after, "hash-only").is_empty());
    // What is measured is not measured again, and what is measured otherwise is not mixed with it.
    some("1 --resume", 0, &[]);
    some("2 --resume", 2, &["rounds = 1, and now it is 2"]);
    assert!(resumed() == after);
}

#[test]
fn a_report_of_own_keys_leaves_the_committed_one_alone() {
    let place = Place(tempdir().unwrap());
    for name in ["README.md", "latest/index.html", "records/m/2000-01-01/run.toml"] {
        place.write(Path::new("reports").join(name), "committed");
    }
    // 3001 distinct keys, one of them not UTF-8, one repeated, and an empty line.
    let keys: Vec<u8> = (0..3000).flat_map(|key| format!("key {key}\r\n").into_bytes()).collect();
    let keys = [&*keys, b"\n\xFF\xFE not UTF-8\nkey 7"].concat();
    place.write("data/good.txt", &keys);
    let counts = "3001 distinct keys (repeats left out: 1, empty lines: 1)";
    let used = format!("good.txt: {counts}; 1000 keys inserted, 1501 keys queried as absent");
    let parts = [&*used, " 500 further keys are not used", "Left out: the scenarios"];
    place.run("verify --suite smoke --only bloom --keys-file @/data/good.txt", 0, &parts);

    let before = place.files("reports");
    let run = |words: &str, part| {
        place.run(words, 0, &["The report: ", part]);
        let mut all = place.files("reports");
        all.retain(|path, _| !path.starts_with("own"));
        assert!(all == before, "{:?}", all.keys());
        place.files("reports/own")
    };
    let all = "--suite smoke --rounds 1 --only bloom,hash-only";
    let drawn = run(&format!("{all} --keys-file @/data/good.txt"), counts);
    assert!(drawn.contains_key(Path::new("latest/index.html")));
    // The command finds the keys again.
    assert!(text(&drawn, "README.md").contains("--keys-file data/good.txt`"), "{drawn:?}");
    // Redrawn by the recorded command, it is the same.
    assert!(text(&drawn, "run.toml").contains("-- render --records reports/own/records\""));
    fs::remove_dir_all(place.at("reports/own/latest")).unwrap();
    assert!(run("render --records @/reports/own/records", "") == drawn);
    // Other options: not to be merged with those.
    fs::remove_dir_all(place.at("reports/own")).unwrap();
    run(&format!("{all} --keys 1000"), "");

    let ignored = include_str!("../../../.gitignore");
    assert!(ignored.lines().any(|line| line == "/reports/own"));
}

#[test]
fn what_cannot_be_done_is_an_error_that_tells_the_reason_once() {
    let place = Place(tempdir().unwrap());
    place.write("file", "");
    place.write("one-line.bin", vec![0xFF; 1 << 20]);
    for (words, parts) in [
        ("measure --records @/file", ["/file", "(os error "]),
        ("verify --only blom", ["named blom", "bloom, blocked-bloom"]),
        ("render --records @/none", ["no records in", "/none"]),
        ("diff @/2000-01-01 @/2000-01-02", ["no records in", "2000-01-01"]),
        ("verify --keys-file @/missing", ["/missing cannot be read", "(os error "]),
        ("verify --keys-file @/missing", ["must be a text file", "one key per line"]),
        ("verify --keys-file @/", ["the key file", "Is a directory"]),
        ("verify --keys-file @/file", ["/file", "has 0 distinct keys"]),
        ("verify --keys-file @/one-line.bin", ["/one-line.bin", "has 1 distinct keys"]),
        ("verify --keys-file -", ["standard input has 2 distinct keys", "repeats left out: 1"]),
        ("verify --keys-file x --keys 9", ["cannot be used with", "'--keys-file <FILE>' cannot"]),
    ] {
        let said = place.run(words, 2, &parts);
        assert_eq!(said.matches(parts[1]).count(), 1, "{said}");
    }
    place.run("list", 0, &["contender", "bloom, ", "smoke", "full"]);
}
