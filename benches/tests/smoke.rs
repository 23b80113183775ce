//! The whole program on a thousand keys, seen from outside: every contender is correct, records
//! survive whatever happens to a run, and every input has an answer.

// Test helpers may fail as tests do; the lint configuration allows it only in test functions.
#![allow(clippy::unwrap_used)]

use amq_bench::contenders;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A folder of its own, which is the workspace of the programs that run in it.
struct Place(tempfile::TempDir);

type Files = BTreeMap<PathBuf, Vec<u8>>;

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
        Command::new(env!("CARGO_BIN_EXE_amq-bench"))
            .args(words.split_whitespace().map(|word| word.replace('@', folder)))
            .env("CARGO_MANIFEST_DIR", self.at("benches"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs the program, which ends like this and says all of these; returns all that it says.
    fn run_fed(&self, input: &[u8], words: &str, code: i32, parts: &[&str]) -> String {
        let mut child = self.start(words);
        // A program that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert_eq!(output.status.code(), Some(code), "{words}: {said}");
        for part in parts {
            assert!(said.contains(part), "{words}: {part}: {said}");
        }
        said
    }

    fn run(&self, words: &str, code: i32, parts: &[&str]) -> String {
        self.run_fed(b"", words, code, parts)
    }

    fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Every file below a folder, with its contents; none names a place on this machine's disk.
    fn files(&self, folder: &str) -> Files {
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

/// A line of a CSV file, by column.
type Line = BTreeMap<String, String>;

fn lines(folder: &Files, name: &str) -> Vec<Line> {
    let name = format!("{name}.csv");
    let (_, bytes) = folder.iter().find(|(path, _)| path.ends_with(&name)).unwrap();
    let lines: Result<Vec<Line>, _> =
        csv::Reader::from_reader(&**bytes).into_deserialize().collect();
    lines.unwrap()
}

/// 3001 distinct keys, one of them not UTF-8, one repeated, and an empty line.
fn good_keys() -> Vec<u8> {
    let lines = (0..3000u32).flat_map(|key| format!("key {key}\r\n").into_bytes());
    lines.chain(*b"\n\xFF\xFE not UTF-8\nkey 7").collect()
}

/// Faults of peers that verification must find: one drops a key when full, and is full by chance
/// before it says so; the other stores one copy of two keys with the same fingerprint, and so loses
/// both when one is removed.
fn is_known(row: &Line) -> bool {
    let (workloads, faults) = match &*row["contender"] {
        "cuckoofilter" => ("overfill load_insert", ["false negatives", "inserted "]),
        "probabilistic-quotient" => ("remove load_remove churn", ["false negatives"; 2]),
        _ => return false,
    };
    workloads.split(' ').any(|workload| workload == row["workload"])
        && faults.iter().any(|fault| row["why"].contains(fault))
}

#[test]
fn every_contender_is_right_and_the_report_is_drawn_twice_alike() {
    let place = Place::new();
    place.run("measure --suite smoke --records @/records", 0, &["Records: "]);
    let records = place.files("records");
    let (run, bytes) = records.iter().find(|(path, _)| path.ends_with("run.toml")).unwrap();
    let about = String::from_utf8_lossy(bytes);
    assert!(about.contains("complete = true") && about.contains("noise_floor = 0."), "{about}");
    for contender in contenders::ALL.iter() {
        let name = contender.info().name;
        let rows = lines(&records, name);
        let rounds = lines(&records, &format!("{name}.rounds"));
        assert!(rows.iter().any(|row| row["workload"] == "query50"), "{name}");
        assert!(about.contains(&format!("name = \"{name}\"")));
        for row in &rows {
            if !row["ns"].is_empty() {
                let is_of = |(column, value): (&String, &String)| {
                    column.ends_with("ns") || row[column] == *value
                };
                let of: Vec<_> = rounds.iter().filter(|rounds| rounds.iter().all(is_of)).collect();
                let stored = of.iter().map(|of| of["ns"].split(' ').count().to_string());
                assert_eq!(stored.collect::<Vec<_>>(), [row["rounds"].clone()], "{row:?}");
            }
            let good = match &*row["state"] {
                "measured" => {
                    row["why"].is_empty() && ["", "0"].contains(&&*row["false_negatives"])
                }
                "refused" => !row["refused_at"].is_empty(),
                "failed" => is_known(row),
                "untimed" | "skipped" => !row["why"].is_empty() && row["ns"].is_empty(),
                _ => false,
            };
            assert!(good, "{row:?}");
        }
    }
    let holds = |table: &str, is_good: fn(&Line) -> bool| {
        let lines = lines(&records, table);
        assert!(!lines.is_empty() && lines.iter().all(is_good), "{table}: {lines:?}");
    };
    holds("construction", |trial| trial["why"].is_empty() && !trial["solved"].is_empty());
    holds("theory", |point| (f64::MIN_POSITIVE..=1.0).contains(&point["fpr"].parse().unwrap()));
    holds("claims", |claim| !(claim["computed"].clone() + &claim["measured"]).is_empty());
    holds("choices", |choice| choice["rank"] == "0" || !choice["structure"].is_empty());
    holds("engines", |engine| !(engine["line"].clone() + &engine["caveat"]).is_empty());

    for out in ["first", "second"] {
        let words = format!("render --records @/records --out @/{out}");
        place.run(&words, 0, &["The report: "]);
    }
    let drawn = place.files("first");
    assert!(drawn.contains_key(Path::new("index.html")) && drawn == place.files("second"));

    // The same rows, one of them failed, and one missing.
    place.run("diff @/records @/records", 0, &["moved: 0."]);
    for (path, bytes) in &records {
        place.write(Path::new("other").join(path), bytes);
    }
    let bloom = run.with_file_name("bloom.csv");
    let rows =
        String::from_utf8_lossy(&records[&bloom]).replacen("y50,measured,", "y50,failed,", 1);
    let (rows, _) = rows.trim_end().rsplit_once('\n').unwrap();
    place.write(Path::new("other").join(bloom), rows);
    let parts = ["query50", "state   ", "Only in OLD: bloom, rows: 1", "moved: 1."];
    place.run("diff @/records @/other", 1, &parts);
}

#[test]
fn a_run_that_is_killed_leaves_the_records_of_the_day_and_can_be_resumed() {
    let place = Place::new();
    let measure = "measure --suite smoke --records @/records --rounds";
    let some = |extra: &str, code, parts: &[&str]| {
        place.run(&format!("{measure} {extra} --only hash-only,construction"), code, parts);
    };
    some("1 --resume", 2, &["no run to resume"]);
    some("1", 0, &[]);
    let before = place.files("records");
    let day = Path::new("records").join(before.keys().next().unwrap().parent().unwrap());
    let of = |name: &str| day.join(name).to_str().unwrap().to_owned();
    let (unfinished, joined) = (of("unfinished"), of("unfinished-only"));

    let mut child = place.start(&format!("{measure} 1"));
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
    some("1", 0, &[]);
    assert!(place.files(&unfinished) == part && !place.at(&joined).exists());
    // Resuming a run of all contenders takes long, so this run is turned into one of some, with
    // little left to do.
    fs::rename(place.at(&unfinished), place.at(&joined)).unwrap();
    some("1 --resume", 0, &[]);
    let resumed = || {
        let mut files = place.files(of("").as_str());
        assert!(files.keys().all(|path| path.components().count() == 1), "{:?}", files.keys());
        let run = files.remove(Path::new("run.toml")).unwrap();
        assert!(String::from_utf8_lossy(&run).contains("complete = true"));
        files
    };
    let after = resumed();
    assert_eq!(after[Path::new("bloom.csv")], part[Path::new("bloom.csv")]);
    assert!(["hash-only", "construction"].iter().all(|of| !lines(&after, of).is_empty()));
    // What is measured is not measured again, and what is measured otherwise is not mixed with it.
    some("1 --resume", 0, &[]);
    assert!(resumed() == after);
    some("2 --resume", 2, &["rounds = 1, and now it is 2"]);
    assert!(resumed() == after);
}

#[test]
fn a_report_of_own_keys_leaves_the_committed_one_alone_and_is_ignored_by_git() {
    let place = Place::new();
    for name in ["README.md", "latest/index.html", "records/m/2000-01-01/run.toml"] {
        place.write(Path::new("reports").join(name), "committed");
    }
    place.write("good.txt", good_keys());
    let counts = "3001 distinct keys (repeats left out: 1, empty lines: 1)";
    let words = "verify --suite smoke --only bloom --keys-file -";
    let parts = [&format!("stdin: {counts}; 1000 of"), "Left out: the courses"];
    place.run_fed(&good_keys(), words, 0, &parts);

    let before = place.files("reports");
    let run = |words: &str, part| {
        place.run(words, 0, &["The report: ", part]);
        let mut all = place.files("reports");
        all.retain(|path, _| !path.starts_with("own"));
        assert!(all == before, "{:?}", all.keys());
        place.files("reports/own")
    };
    let all = "--suite smoke --rounds 1 --only bloom,hash-only";
    let drawn = run(&format!("{all} --keys-file @/good.txt"), counts);
    assert!(drawn.contains_key(Path::new("latest/index.html")));
    // Redrawn by the recorded command, it is the same.
    let (_, about) = drawn.iter().find(|(path, _)| path.ends_with("run.toml")).unwrap();
    let command = "-- render --records reports/own/records\"";
    assert!(String::from_utf8_lossy(about).contains(command));
    fs::remove_dir_all(place.at("reports/own/latest")).unwrap();
    assert!(run("render --records @/reports/own/records", "") == drawn);
    // Other options: not to be merged with those.
    fs::remove_dir_all(place.at("reports/own")).unwrap();
    run(&format!("{all} --keys 1000"), "");

    let ignored = include_str!("../../.gitignore");
    assert!(ignored.lines().any(|line| line == "/reports/own"));
}

#[test]
fn what_cannot_be_done_is_an_error_that_tells_the_reason_once() {
    let place = Place::new();
    place.write("file", "");
    place.write("few.txt", "a\nb\na\n");
    place.write("one-line.bin", vec![0xFF; 1 << 20]);
    for (words, parts) in [
        ("measure --records @/file", ["/file", "(os error "]),
        ("verify --only blom", ["named blom", "bloom, blocked-bloom"]),
        ("verify --only construction --keys 1000", ["construction", "leave out --keys"]),
        ("render --records @/none", ["no records in", "/none"]),
        ("diff 2000-01-01 2000-01-02", ["no records in", "2000-01-01"]),
        ("verify --keys-file @/missing", ["/missing cannot be read", "(os error "]),
        ("verify --keys-file @/missing", ["must be a text file", "one key per line"]),
        ("verify --keys-file @/", ["the key file", "Is a directory"]),
        ("verify --keys-file @/file", ["/file", "has 0 distinct keys"]),
        ("verify --keys-file @/one-line.bin", ["/one-line.bin", "has 1 distinct keys"]),
        ("verify --keys-file @/few.txt", ["has 2 distinct keys", "repeats left out: 1"]),
        ("verify --keys-file -", ["standard input has 2 distinct keys", "repeats left out: 1"]),
        ("verify --keys-file x --keys 9", ["cannot be used with", "'--keys-file <FILE>' cannot"]),
    ] {
        let said = place.run_fed(b"a\nb\na\n", words, 2, &parts);
        assert_eq!(said.matches(parts[1]).count(), 1, "{said}");
    }
    place.run("list", 0, &["contender", "bloom, ", "construction: ", "smoke", "full"]);
}
