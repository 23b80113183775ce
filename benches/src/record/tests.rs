//! Records round-trip, damage is reported, and an interrupted run loses nothing.

use super::*;
use std::fs;

fn row(contender: &str) -> Row {
    let (key_set, asked_fpr) = ("random-u64".to_owned(), Some(1.0 / 256.0));
    let cell = Cell { key_set, keys: 1000, asked_fpr, ..Cell::default() };
    Row::new(contender, &cell, Workload::Dependent50)
}

fn run() -> Run {
    Run::new("measure", Options::of_program(), Vec::new())
}

#[test]
fn what_is_written_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let records = Records::of_day(dir.path(), "m", "2000-01-01");
    assert_eq!(records.rows("other").unwrap(), []);
    let mut measured = row("bloom");
    (measured.ns, measured.unstable, measured.hits) = (Some(0.1 + 0.2), Some(false), Some(7));
    (measured.asked_bits, measured.reference) = (Some(8.5), Some("bloom".to_owned()));
    measured.passes_ns = "12.35 0.1 1000000000".to_owned();
    let mut of_a_scenario = row("bloom").without(State::Failed, "a, \"quoted\"\nreason");
    (of_a_scenario.workload, of_a_scenario.planned_keys) = (Workload::Grow, Some(9));
    let rows = [measured, of_a_scenario];
    records.write_table("bloom", &rows).unwrap();
    assert_eq!(records.rows("bloom").unwrap(), rows);

    let (run, machine) = (run(), Machine::this());
    records.write_run(&run).unwrap();
    records.write_machine(&machine).unwrap();
    assert_eq!((records.run().unwrap(), records.machine().unwrap()), (Some(run), Some(machine)));
}

#[test]
fn every_column_is_explained() {
    fn columns(line: impl serde::Serialize) -> String {
        let mut csv = csv::Writer::from_writer(Vec::new());
        csv.serialize(line).unwrap();
        String::from_utf8(csv.into_inner().unwrap()).unwrap().lines().next().unwrap().to_owned()
    }
    let all = include_str!("../../../reports/RECORDS.md");
    for table in [columns(Row::default()), columns(Point::default())] {
        let missing = table.split(',').find(|column| !all.contains(&format!("`{column}`")));
        assert_eq!(missing, None, "{table}");
    }
}

#[test]
fn no_two_rows_of_a_cell_have_one_subject() {
    let mut rows = vec![row("bloom"); 10];
    rows[1].keys = 1;
    rows[2].planned_keys = Some(1000);
    rows[3].asked_fpr = None;
    rows[4].asked_bits = Some(0.5);
    rows[5].load = Some(0.5);
    rows[6].workload = Workload::Churn;
    rows[7].key_set = "words".to_owned();
    rows[8].state = State::Refused;
    rows[9].threads = Some(2);
    let mut subjects: Vec<String> = rows.iter().map(Row::subject).collect();
    assert_eq!(subjects[0], "bloom, 1000 random-u64 keys at 0.00390625, dependent50");
    subjects.sort();
    subjects.dedup();
    assert_eq!(subjects.len(), rows.len());
}

#[test]
fn damaged_files_are_errors_that_name_them_and_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let records = Records::of_day(dir.path(), "m", "2000-01-01");
    records.write_table("bloom", &[row("bloom")]).unwrap();
    let path = records.folder().join("bloom.csv");
    let text = fs::read_to_string(&path).unwrap();
    for damaged in [&text[..text.len() - 20], &text.replace("dependent50", "x"), "a\nb\n"] {
        fs::write(&path, damaged).unwrap();
        let told = records.rows("bloom").unwrap_err().to_string();
        assert!(told.contains("bloom.csv") && told.contains("--only"), "{told}");
    }
    for (text, why) in [
        ("schema = 3\ndate = 7", "measure again"),
        ("date = \"2000-01-01\"", "edition 1 "),
        ("schema = 4", "edition 4 "),
    ] {
        fs::write(records.folder().join("run.toml"), text).unwrap();
        let told = records.run().unwrap_err().to_string();
        assert!(told.contains("run.toml") && told.contains(why), "{told}");
    }
}

#[test]
fn a_run_replaces_that_of_the_day_when_it_is_finished() {
    let dir = tempfile::tempdir().unwrap();
    let day = Records::of_day(dir.path(), "m", "2000-01-01");
    for name in ["bloom", "cuckoo"] {
        day.write_table(name, &[row(name)]).unwrap();
    }
    write_atomically(&day.folder().join("notes.txt"), b"mine").unwrap();
    let names = |records: &Records| {
        let of = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(records.folder()).unwrap().flatten().map(of).collect();
        names.sort();
        names.join(" ")
    };
    let found = |only| Records::newest_to_resume(dir.path(), "m", only);

    // A merged run begins with copies; leftovers of another run are gone.
    let joined = day.unfinished(true);
    joined.write_table("left", &[row("left")]).unwrap();
    joined.start_from(Some(&day)).unwrap();
    assert_eq!(names(&joined), "bloom.csv cuckoo.csv");
    joined.write_run(&run()).unwrap();
    assert_eq!([found(false), found(true)], [None, Some(day.clone())]);
    assert_eq!(Records::newest_to_resume(dir.path(), "other", true), None);

    let whole = day.unfinished(false);
    whole.start_from(None).unwrap();
    assert_eq!(names(&whole), "");
    let changed = [row("bloom"), row("bloom")];
    whole.write_table("bloom", &changed).unwrap();
    whole.write_run(&run()).unwrap();
    assert_eq!((found(false), Records::newest(dir.path(), None)), (Some(day.clone()), None));
    assert_eq!(day.rows("bloom").unwrap(), [row("bloom")]);
    whole.replace(&day).unwrap();
    assert_eq!(names(&day), "bloom.csv notes.txt run.toml unfinished-only");
    assert_eq!(day.rows("bloom").unwrap(), changed);
    assert_eq!(Records::newest(dir.path(), None), Some(day));
}

#[test]
fn a_second_record_of_a_day_leaves_the_first_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let begin = |only| Records::for_run(dir.path(), "m", "2000-01-01", only);
    for number in 1..=11 {
        let day = begin(false);
        // An interrupted run is begun again in the same place.
        day.unfinished(false).write_run(&run()).unwrap();
        assert_eq!(begin(false), day);
        let rows = vec![row("bloom"); number];
        day.unfinished(false).write_table("bloom", &rows).unwrap();
        day.unfinished(false).replace(&day).unwrap();
        // Some contenders are merged into the last one.
        assert_eq!(begin(true), day);
        assert_eq!(Records::newest(dir.path(), Some("m")), Some(day));
    }
    for (name, rows) in [("2000-01-01", 1), ("2000-01-01-2", 2), ("2000-01-01-11", 11)] {
        let record = Records::of_day(dir.path(), "m", name);
        assert_eq!(record.rows("bloom").unwrap().len(), rows, "{name}");
    }
    let later = Records::of_day(dir.path(), "m", "2000-01-02");
    assert_eq!(Records::for_run(dir.path(), "m", "2000-01-02", true), later);
    later.write_run(&run()).unwrap();
    assert_eq!(Records::newest(dir.path(), Some("m")), Some(later));
}

#[test]
fn the_newest_day_is_found_wherever_one_starts_to_look() {
    let dir = tempfile::tempdir().unwrap();
    let at = |day: &str| dir.path().join(day);
    for day in ["a/2001-01-01", "b/2000-12-31", "b/2000-01-01", "c/2000-01-01"] {
        write_atomically(&at(day).join("run.toml"), b"").unwrap();
    }
    // Each machine's, the one first that is in both folders.
    write_atomically(&at("full/b/2000-02-02/run.toml"), b"").unwrap();
    fs::create_dir(at("full/d")).unwrap();
    let machines = Records::of_machines(&[dir.path().to_owned(), at("full")]);
    let machines = machines.iter().filter(|records| !records.is_empty());
    let folders: Vec<Vec<_>> =
        machines.map(|all| all.iter().map(|one| one.folder().to_owned()).collect()).collect();
    let days = [&["b/2000-12-31", "full/b/2000-02-02"][..], &["a/2001-01-01"], &["c/2000-01-01"]];
    assert_eq!(folders, days.map(|days| days.iter().map(|day| at(day)).collect::<Vec<_>>()));
    for (found, expected) in [
        (Records::newest(dir.path(), None), Some("a/2001-01-01")),
        (Records::newest(dir.path(), Some("b")), Some("b/2000-12-31")),
        (Records::newest(dir.path(), Some("d")), Some("a/2001-01-01")),
        (Records::newest(&at("b/2000-01-01"), None), Some("b/2000-01-01")),
        (Records::newest(&at("b"), None), Some("b/2000-12-31")),
        (Records::newest(&at("none"), None), None),
    ] {
        assert_eq!(found.map(|records| records.folder().to_owned()), expected.map(at));
    }
    let others = Records::of_day(dir.path(), "b", "2000-01-01").newest_of_other_machines();
    let others: Vec<_> = others.iter().map(|one| one.folder().to_owned()).collect();
    assert_eq!(others, ["a/2001-01-01", "c/2000-01-01"].map(at));
}
