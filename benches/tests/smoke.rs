//! The whole program on a thousand keys: every contender is correct, and drawing twice gives the
//! same report.

// Test helpers may fail as tests do; the lint configuration allows it only in test functions.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use amq_bench::construction;
use amq_bench::contender::Ability;
use amq_bench::record::{Row, Trial, Workload};
use amq_bench::registry;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

fn amq_bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_amq-bench"))
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// The same in a workspace of its own.
fn amq_bench_in(workspace: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_amq-bench"))
        .args(arguments)
        .env("CARGO_MANIFEST_DIR", workspace.join("benches"))
        .output()
        .expect("the program starts")
}

/// The same with this as its standard input.
fn amq_bench_fed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_amq-bench"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// 3001 distinct keys, one of them not UTF-8, one repeated, and an empty line.
fn good_keys() -> Vec<u8> {
    let lines = (0..3000u32).flat_map(|key| format!("key {key}\r\n").into_bytes());
    lines.chain(*b"\n\xFF\xFE not UTF-8\nkey 7").collect()
}

/// How often a system error is printed.
fn reasons(output: &Output) -> usize {
    said(output).matches("(os error ").count()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// Every file below a folder, with its contents.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(
                    path.strip_prefix(folder).unwrap().to_owned(),
                    fs::read(&path).unwrap(),
                );
            }
        }
    }
    found
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The contenders measured load by load.
const TABLES: &[&str] = &[
    "cuckoo",
    "cuckoo-windowed",
    "quotient",
    #[cfg(feature = "peers")]
    "cuckoofilter",
    #[cfg(feature = "peers")]
    "scalable-cuckoo",
    #[cfg(feature = "peers")]
    "qfilter",
    #[cfg(feature = "peers")]
    "probabilistic-quotient",
];

/// Workloads of courses that end where they begin.
const COURSES: [Workload; 5] = [
    Workload::LoadInsert,
    Workload::LoadQuery,
    Workload::LoadRemove,
    Workload::Churn,
    Workload::Merge,
];

/// Faults of peers that verification must find: one drops a key when full; the other stores one
/// copy of two keys with the same fingerprint, and so loses both when one is removed.
fn is_known(row: &Row) -> bool {
    let loses_when = match row.contender.as_str() {
        "cuckoofilter" => [Workload::Overfill, Workload::LoadInsert].as_slice(),
        "probabilistic-quotient" => &[Workload::Remove, Workload::LoadRemove, Workload::Churn],
        _ => &[],
    };
    row.error.contains("false negatives") && loses_when.contains(&row.workload)
}

#[test]
fn every_contender_is_right_and_the_report_is_drawn_twice_alike() {
    let dir = tempfile::tempdir().unwrap();
    let records = dir.path().join("records");
    let output = amq_bench(&["measure", "--suite", "smoke", "--records", text(&records)]);
    assert!(output.status.success(), "{}", said(&output));

    let written = files(&records);
    let mut rows: Vec<Row> = Vec::new();
    let mut trials: Vec<Trial> = Vec::new();
    for (path, bytes) in &written {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            !String::from_utf8_lossy(bytes).contains(text(dir.path())),
            "{name} names a place on this machine's disk"
        );
        if name == format!("{}.csv", construction::NAME) {
            let mut reader = csv::Reader::from_reader(bytes.as_slice());
            trials.extend(reader.deserialize::<Trial>().map(Result::unwrap));
        } else if name.ends_with(".csv") {
            let read: Result<Vec<Row>, _> = csv::Reader::from_reader(bytes.as_slice())
                .deserialize()
                .collect();
            rows.extend(read.unwrap());
        }
    }
    for contender in registry::ALL {
        let info = contender.info();
        let name = info.name;
        let can = |ability| info.abilities.contains(&ability);
        let of = |workload| {
            rows.iter()
                .filter(move |row| row.contender == name && row.workload == workload)
                .count()
        };
        let cells = if info.slow { 1 } else { 4 };
        assert!(
            of(Workload::Verify) >= cells,
            "{name} was verified over {cells} key sets"
        );
        assert_eq!(
            of(Workload::Verify),
            of(Workload::Query50),
            "{name} was timed wherever it was verified"
        );
        let removals = if can(Ability::Remove) {
            of(Workload::Verify)
        } else {
            0
        };
        assert_eq!(of(Workload::Remove), removals, "{name} and removal");
        let ended = |row: &Row| {
            row.contender == name && (row.refused_at.is_some() || !row.error.is_empty())
        };
        for course in [Workload::Grow, Workload::Overfill] {
            let stops = if contender.goes(course) { 5 } else { 0 };
            assert!(
                of(course) == stops || rows.iter().any(ended),
                "{name} and {course:?}"
            );
        }
        let merges = contender.goes(Workload::Merge) && name != "scalable-bounded";
        assert_eq!(
            of(Workload::Merge),
            usize::from(merges),
            "{name} and merging"
        );
        let churned = contender.goes(Workload::Churn);
        assert_eq!(
            of(Workload::Churn),
            usize::from(churned),
            "{name} and churn"
        );
        assert_eq!(
            of(Workload::LoadQuery) > 0,
            TABLES.contains(&name),
            "{name} and its slots"
        );
    }
    for row in &rows {
        if !row.error.is_empty() {
            assert!(is_known(row), "{row:?}");
            continue;
        }
        let beyond = matches!(row.workload, Workload::Grow | Workload::Overfill);
        let of_course = beyond || COURSES.contains(&row.workload);
        assert_eq!(row.planned_keys.is_some(), of_course, "{row:?}");
        let is_fact = row.workload == Workload::Verify || row.refused_at.is_some();
        assert_eq!(row.median_ns.is_none(), is_fact, "{row:?}");
        if beyond && row.refused_at.is_none() {
            assert!(row.held_bytes.is_some() && row.fpr_high.is_some());
        }
        let is_changed = matches!(
            row.workload,
            Workload::Remove | Workload::LoadRemove | Workload::Churn | Workload::Merge
        );
        if is_changed {
            assert_eq!(row.false_negatives, Some(0), "{row:?}");
        }
    }

    for bits in [64, 128] {
        let of_width = trials.iter().filter(|trial| trial.row_bits == bits);
        let of_width: Vec<&Trial> = of_width.collect();
        assert!(of_width.len() > 12, "{bits}: {trials:?}");
        for trial in &of_width {
            assert_eq!((trial.error.as_str(), trial.fault()), ("", None));
            assert_eq!((trial.keys, trial.seeds), (1000, Some(10)));
        }
        let ends = [of_width[0], of_width[of_width.len() - 1]];
        let solved = ends.map(|trial| trial.solved.unwrap());
        assert!(solved[0] <= 1 && solved[1] >= 9, "{bits}: {solved:?}");
    }

    let mut pages = Vec::new();
    for name in ["first", "second"] {
        let out = dir.path().join(name);
        let output = amq_bench(&["render", "--records", text(&records), "--out", text(&out)]);
        assert!(output.status.success(), "{}", said(&output));
        pages.push(files(&out));
    }
    let mut plots = vec![
        "rate-past-plan",
        "grow-rate",
        "grow-bits",
        "construction-1000",
    ];
    if !TABLES.is_empty() {
        plots.extend(["insert-by-load", "query-by-load", "remove-by-load"]);
    }
    for plot in plots {
        let is_plot = |path: &PathBuf| path.to_string_lossy().contains(plot);
        assert!(pages[0].keys().any(is_plot), "{plot} is drawn");
    }
    assert!(
        pages[0] == pages[1],
        "two drawings of the same records differ"
    );
    if cfg!(feature = "peers") {
        let lost = |row: &&Row| row.workload == Workload::Churn && !row.error.is_empty();
        assert_eq!(
            rows.iter().filter(lost).count(),
            1,
            "a known fault is found"
        );
    }
}

#[test]
fn a_run_is_resumed_with_the_same_options_and_refused_with_others() {
    let dir = tempfile::tempdir().unwrap();
    let run = |extra: &[&str]| {
        let common = [
            "measure",
            "--suite",
            "smoke",
            "--only",
            "bloom",
            "--records",
            text(dir.path()),
        ];
        amq_bench(&[&common, extra].concat())
    };
    let refused = run(&["--resume"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("no run to resume"),
        "{}",
        said(&refused)
    );
    assert!(run(&["--rounds", "1"]).status.success());
    let before = files(dir.path());
    let resumed = run(&["--rounds", "1", "--resume"]);
    assert!(resumed.status.success(), "{}", said(&resumed));
    let record = |files: &BTreeMap<PathBuf, Vec<u8>>| {
        let (_, bytes) = files
            .iter()
            .find(|(path, _)| path.ends_with("bloom.csv"))
            .unwrap();
        bytes.clone()
    };
    assert_eq!(
        record(&before),
        record(&files(dir.path())),
        "what is measured is not measured again"
    );
    let refused = run(&["--rounds", "2", "--resume"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        said(&refused).contains("--rounds = 1, and now it is 2"),
        "{}",
        said(&refused)
    );
}

#[test]
fn construction_is_tried_alone_and_resumed_where_it_was_left() {
    let dir = tempfile::tempdir().unwrap();
    let run = |extra: &[&str]| {
        let common = [
            "measure",
            "--suite",
            "smoke",
            "--only",
            "construction",
            "--records",
            text(dir.path()),
        ];
        let output = amq_bench(&[&common, extra].concat());
        assert!(output.status.success(), "{}", said(&output));
        output
    };
    run(&[]);
    let record = || {
        let written = files(dir.path());
        let (path, bytes) = written
            .into_iter()
            .find(|(path, _)| path.extension().is_some_and(|end| end == "csv"))
            .unwrap();
        assert!(path.ends_with("construction.csv"));
        (dir.path().join(path), String::from_utf8(bytes).unwrap())
    };
    let (path, whole) = record();
    // Drops the record's last line, and marks a count of the first width with a recognisable value.
    let kept = whole.trim_end().rsplit_once('\n').unwrap().0;
    let first = whole.lines().nth(1).unwrap();
    let mut fields: Vec<String> = first.split(',').map(str::to_owned).collect();
    let (solved, unsolved) = (fields[5].parse::<u64>(), fields[6].parse::<u64>());
    (fields[5], fields[6]) = match (solved.unwrap(), unsolved.unwrap()) {
        (0, unsolved) => ("1".to_owned(), (unsolved - 1).to_string()),
        (solved, unsolved) => ((solved - 1).to_string(), (unsolved + 1).to_string()),
    };
    let mark = |text: &str| text.replacen(first, &fields.join(","), 1);
    let marked = mark(kept);
    assert_ne!(marked, kept);
    fs::write(&path, format!("{marked}\n")).unwrap();
    run(&["--resume"]);
    assert_eq!(record().1, mark(&whole), "what is there is not tried again");
    run(&[]);
    assert_eq!(record().1, whole, "without --resume everything is");
}

#[test]
fn bad_key_files_are_errors_that_name_them_and_a_good_one_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("empty.txt"), b"").unwrap();
    fs::write(path("few.txt"), b"a\nb\n").unwrap();
    for name in ["missing.txt", "", "empty.txt", "few.txt"] {
        let output = amq_bench(&[
            "verify",
            "--suite",
            "smoke",
            "--keys-file",
            text(&path(name)),
        ]);
        assert_eq!(output.status.code(), Some(2), "{name}: {}", said(&output));
        assert!(
            said(&output).contains(text(&path(name))),
            "{name}: {}",
            said(&output)
        );
        let once = usize::from(name == "missing.txt");
        assert_eq!(reasons(&output), once, "{name}: {}", said(&output));
    }
    fs::write(path("good.txt"), good_keys()).unwrap();
    let records = path("records");
    let output = amq_bench(&[
        "measure",
        "--suite",
        "smoke",
        "--rounds",
        "1",
        "--only",
        "bloom,hash-only",
        "--keys-file",
        text(&path("good.txt")),
        "--records",
        text(&records),
    ]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains("3001 distinct keys (repeats left out: 1, empty lines: 1)"),
        "{}",
        said(&output)
    );
    for (name, bytes) in files(&records) {
        let content = String::from_utf8_lossy(&bytes).into_owned();
        assert!(
            !content.contains(text(dir.path())),
            "{}: {content}",
            name.display()
        );
    }
}

#[test]
fn a_key_file_called_dash_is_standard_input_and_verify_says_what_it_left_out() {
    let arguments = [
        "verify",
        "--suite",
        "smoke",
        "--only",
        "bloom",
        "--keys-file",
        "-",
    ];
    let output = amq_bench_fed(&arguments, &good_keys());
    let told = said(&output);
    assert!(output.status.success(), "{told}");
    for part in [
        "stdin: 3001 distinct keys (repeats left out: 1, empty lines: 1); 1000 of",
        "Left out: the courses and construction",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let output = amq_bench_fed(&arguments, b"a\nb\na\n");
    assert_eq!(output.status.code(), Some(2));
    let told = said(&output);
    assert!(
        told.contains("standard input has 2 distinct keys"),
        "{told}"
    );
}

#[test]
fn a_report_of_own_keys_leaves_the_committed_one_alone_and_is_ignored_by_git() {
    let dir = tempfile::tempdir().unwrap();
    let reports = dir.path().join("reports");
    let own = reports.join("own");
    let committed = [
        "README.md",
        "latest/index.html",
        "records/m/2000-01-01/run.toml",
    ];
    for name in committed {
        let path = reports.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "committed").unwrap();
    }
    let before = files(&reports);
    let run = |arguments: &[&str]| {
        let output = amq_bench_in(dir.path(), arguments);
        assert!(output.status.success(), "{}", said(&output));
        let mut all = files(&reports);
        all.retain(|path, _| !path.starts_with("own"));
        assert!(all == before, "{:?}", all.keys());
        files(&own)
    };
    let measure = |option, keys| {
        run(&[
            "--suite", "smoke", "--rounds", "1", "--only", "bloom", option, keys,
        ])
    };
    let keys = dir.path().join("good.txt");
    fs::write(&keys, good_keys()).unwrap();
    let drawn = measure("--keys-file", text(&keys));
    assert!(drawn.contains_key(Path::new("README.md")));
    assert!(drawn.contains_key(Path::new("latest/index.html")));
    // Redrawn by the recorded command, it is the same.
    let (_, record) = drawn
        .iter()
        .find(|(path, _)| path.ends_with("run.toml"))
        .unwrap();
    assert!(String::from_utf8_lossy(record).contains("-- render --records reports/own/records\""));
    fs::remove_dir_all(own.join("latest")).unwrap();
    assert!(run(&["render", "--records", text(&own.join("records"))]) == drawn);
    // Other options: not to be merged with those.
    fs::remove_dir_all(&own).unwrap();
    measure("--keys", "1000");

    let ignored = include_str!("../../.gitignore");
    assert!(ignored.lines().any(|line| line == "/reports/own"));
}

#[test]
fn a_run_that_is_killed_leaves_the_records_of_the_day_and_can_be_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let records = text(dir.path());
    let measure = [
        "measure",
        "--suite",
        "smoke",
        "--rounds",
        "1",
        "--records",
        records,
    ];
    let only = |extra: &[&str]| {
        let output = amq_bench(&[&measure[..], &["--only", "hash-only"], extra].concat());
        assert!(output.status.success(), "{}", said(&output));
    };
    only(&[]);
    let before = files(dir.path());
    let day = dir
        .path()
        .join(before.keys().next().unwrap().parent().unwrap());
    let [unfinished, unfinished_only] =
        ["unfinished", "unfinished-only"].map(|name| day.join(name));

    let mut child = Command::new(env!("CARGO_BIN_EXE_amq-bench"))
        .args(measure)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Waits until the first keys are measured, with all others still to come.
    while !unfinished.join("bloom.csv").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let part = files(&unfinished);
    let mut rest = files(&day);
    rest.retain(|path, _| !path.starts_with("unfinished"));
    assert!(
        rest.into_values().eq(before.into_values()),
        "the day's records are what they were"
    );

    // A run of some contenders joins the day's records, and the killed run survives it.
    only(&[]);
    assert!(files(&unfinished) == part && !unfinished_only.exists());
    // Resuming a run of all contenders takes long, so this run is turned into one of some, with
    // little left to do.
    fs::rename(&unfinished, &unfinished_only).unwrap();
    only(&["--resume"]);
    let after = files(&day);
    assert!(
        after.keys().all(|path| path.components().count() == 1),
        "{:?}",
        after.keys()
    );
    assert_eq!(
        after.get(Path::new("bloom.csv")),
        part.get(Path::new("bloom.csv"))
    );
    assert!(after.contains_key(Path::new("hash-only.csv")));
    assert!(String::from_utf8_lossy(&after[Path::new("run.toml")]).contains("complete = true"));
}

#[test]
fn records_that_cannot_be_written_are_an_error_that_tells_the_reason_once() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = text(file.path());
    let output = amq_bench(&[
        "measure",
        "--suite",
        "smoke",
        "--only",
        "bloom",
        "--records",
        path,
    ]);
    assert_eq!(output.status.code(), Some(2));
    let told = said(&output);
    assert!(told.contains(path) && reasons(&output) == 1, "{told}");
}

#[test]
fn unknown_contenders_are_refused_with_the_known_ones() {
    let output = amq_bench(&["verify", "--suite", "smoke", "--only", "blom"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("bloom, blocked-bloom"),
        "{}",
        said(&output)
    );
    let output = amq_bench(&["verify", "--only", "construction", "--keys", "1000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("leave out --keys"),
        "{}",
        said(&output)
    );
}
