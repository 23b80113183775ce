//! The page from small hand-made records.

use super::data::Data;
use super::doc::{Answer, Block};
use super::{answer, document, render};
use crate::measure::choices;
use crate::record::{
    Ability, ContenderFacts, Family, Noise, Options, Records, Role, Row, Run, State, Suite,
    Workload,
};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const KEYS: u64 = 1_000_000;

fn facts(name: &str, family: Family, abilities: &[Ability]) -> ContenderFacts {
    ContenderFacts {
        name: name.to_owned(),
        family,
        role: Role::Filter,
        ours: name.starts_with("my"),
        crate_name: "kit".to_owned(),
        version: "kit 1.0.0".to_owned(),
        import: format!("use kit::{name};"),
        analysis: String::new(),
        abilities: abilities.to_vec(),
        takes_rate: true,
        takes_bits: false,
        twin_of: None,
        command: "measure".to_owned(),
    }
}

/// A row of a filter of so many bits a key, and so many nanoseconds.
fn row(name: &str, set: &str, workload: Workload, bits: u64, ns: f64) -> Row {
    let is_verified = workload == Workload::Verify;
    Row {
        contender: name.to_owned(),
        key_set: set.to_owned(),
        keys: KEYS,
        asked_fpr: Some(0.01),
        workload,
        held_bytes: is_verified.then_some(bits * KEYS / 8),
        peak_build_bytes: is_verified.then_some(bits * KEYS / 8),
        absent_queries: is_verified.then_some(100_000),
        false_positives: is_verified.then_some(990),
        fpr_low: is_verified.then_some(0.0093),
        fpr_high: is_verified.then_some(0.0105),
        predicted_fpr: is_verified.then_some(0.01),
        predicted_fpr_sd: is_verified.then_some(1e-5),
        fpr_agrees: is_verified.then_some(true),
        ns: (!is_verified).then_some(ns),
        ..Row::default()
    }
}

fn rows(name: &str, set: &str, bits: u64, ns: f64) -> Vec<Row> {
    let timed = [Workload::Build, Workload::Query0, Workload::Query50, Workload::Query100];
    let timed = timed.into_iter().chain([Workload::Dependent50]);
    let all = [Workload::Verify].into_iter().chain(timed);
    all.map(|workload| row(name, set, workload, bits, ns)).collect()
}

/// Writes a record of these contenders in a folder like the workspace's.
fn record(all: &[(ContenderFacts, Vec<Row>)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let records = Records::of_day(&dir.path().join("records"), "m", "2026-01-01");
    let options = Options::new(Suite::Quick, 3, 1, None, Path::new("."));
    let contenders = all.iter().map(|(facts, _)| facts.clone()).collect();
    let mut run = Run::new("measure", options, contenders);
    run.date = "2026-01-01".to_owned();
    (run.complete, run.options.profile, run.options.git) = (true, "release".to_owned(), None);
    let workloads = [Workload::Build, Workload::Query50, Workload::Dependent50];
    run.noise =
        workloads.map(|workload| Noise { workload, pairs: 9, median: 0.01, floor: 0.05 }).to_vec();
    (run.noise_floor, run.noise_median) = (Some(0.05), Some(0.01));
    for (facts, rows) in all {
        records.write_rows(&facts.name, rows).unwrap();
    }
    records.write_run(&run).unwrap();
    dir
}

fn folder(dir: &TempDir) -> std::path::PathBuf {
    dir.path().join("records/m/2026-01-01")
}

/// The page and the README.
fn drawn(dir: &TempDir) -> (String, String) {
    let out = dir.path().join("latest");
    render(&folder(dir), &out).unwrap();
    let read = |path| fs::read_to_string(path).unwrap();
    (read(out.join("index.html")), read(dir.path().join("README.md")))
}

fn answers(dir: &TempDir) -> Vec<Answer> {
    let blocks = answer::blocks(&Data::read(&folder(dir)).unwrap());
    let answers = blocks.into_iter().find_map(|block| match block {
        Block::Answers(answers) => Some(answers),
        _ => None,
    });
    answers.unwrap()
}

fn answer_to<'a>(answers: &'a [Answer], need: &str) -> &'a Answer {
    answers.iter().find(|answer| answer.need == need).unwrap_or_else(|| panic!("{need}"))
}

/// Four filters: two fast ones within the noise, a small static one, and one that jumps in size.
fn four() -> Vec<(ContenderFacts, Vec<Row>)> {
    let insert = [Ability::Insert, Ability::Remove];
    let mut jumps = rows("Jumps", "random-u64", 19, 20.0);
    jumps[0].held_bytes_octave_low = Some(10 * KEYS / 8);
    jumps[0].held_bytes_octave_high = Some(20 * KEYS / 8);
    vec![
        (facts("myFast", Family::SplitBlock, &insert[..1]), rows("myFast", "random-u64", 11, 5.0)),
        (facts("Quick", Family::SplitBlock, &insert[..1]), rows("Quick", "random-u64", 12, 4.9)),
        (facts("Small", Family::Ribbon, &[Ability::Static]), rows("Small", "random-u64", 7, 13.0)),
        (facts("Jumps", Family::Quotient, &insert), jumps),
    ]
}

#[test]
fn the_least_wins_ties_go_to_the_smaller_and_jumps_are_given_as_a_range() {
    let answers = answers(&record(&four()));
    let names = |need: &str| -> Vec<String> {
        let answer = answer_to(&answers, need);
        answer.choose.iter().map(|pick| pick.name.clone()).collect()
    };
    assert_eq!(names("All keys known beforehand; smallest"), ["Small"]);
    // 5.0 and 4.9 ns are within the noise of 5 %: the smaller is named first.
    assert_eq!(names("Fastest to ask"), ["myFast", "Quick"]);
    assert_eq!(names("Keys come one by one; smallest"), ["myFast"]);
    let removes = answer_to(&answers, "Insert and remove; smallest");
    assert_eq!(
        (removes.choose[0].name.as_str(), removes.figure.as_str()),
        ("Jumps", "10.0 to 20.0 bits, by size")
    );
    let small = answer_to(&answers, "All keys known beforehand; smallest");
    assert!(small.cost.contains("build 13 ns") && small.cost.contains("static"));
    assert_eq!(small.choose[0].import, "use kit::Small;");
}

#[test]
fn growth_is_judged_by_its_mean_and_only_by_those_that_keep_the_rate() {
    let grown = |name: &str, bits: [u64; 4], false_positives: u64| {
        let stop = |(keys, bits): (u64, u64)| Row {
            keys,
            planned_keys: Some(80_000),
            held_bytes: Some(bits * keys / 8),
            absent_queries: Some(100_000),
            false_positives: Some(false_positives),
            ..row(name, "random-u64", Workload::Grow, 0, 50.0)
        };
        let stops = [10_000, 20_000, 40_000, 80_000].into_iter().zip(bits);
        let mut all = rows(name, "random-u64", 20, 30.0);
        all.extend(stops.map(stop));
        (facts(name, Family::Scalable, &[Ability::Insert, Ability::Grow]), all)
    };
    // Where growth stopped, Steady is larger; over the cycle it is smaller.
    let all = [
        grown("Steady", [99, 16, 16, 16], 900),
        grown("Lucky", [9, 30, 30, 12], 900),
        grown("Lax", [9, 9, 9, 9], 3000),
    ];
    let answers = answers(&record(&all));
    let answer = answer_to(&answers, "Nobody knows how many keys; smallest");
    assert_eq!(answer.choose[0].name, "Steady");
    assert_eq!(answer.figure, "16.0 bits on average");
    let lucky = format!("{:?}", answer.runner_up);
    assert!(lucky.contains("Lucky") && lucky.contains("24.0 bits"), "{lucky}");
}

#[test]
fn the_page_is_the_same_twice_needs_no_network_and_keeps_its_limits() {
    let dir = record(&four());
    let records = Records::newest(&folder(&dir), None).unwrap();
    records.write_table(&choices::table()).unwrap();
    records.write_table(&choices::engines()).unwrap();
    let (page, readme) = drawn(&dir);
    assert_eq!((page.clone(), readme.clone()), drawn(&dir));
    assert!(page.len() <= 400_000, "{} bytes", page.len());
    assert!(readme.lines().count() <= 300);
    // An SVG's name space is no address to fetch from.
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    for word in ["http:", "https:", "src=", "@import", "url(", "fetch("] {
        assert!(!outside.contains(word), "{word}");
    }
    let pictures = page.matches("<svg").count();
    assert!(pictures > 4 && page.matches("role=\"img\" aria-label=\"").count() == pictures);
    assert!(!page.contains("aria-label=\"\""));
    for plot in ["time-by-space", "rate-by-bits"] {
        assert!(readme.contains(&format!("](latest/{plot}.svg)")), "{plot}");
        assert!(dir.path().join(format!("latest/{plot}.svg")).is_file());
    }
    assert!(page.contains("href=\"../records/m/2026-01-01/Small.csv\""));
    // No two elements share a name, or the script would take one for the other.
    let mut names: Vec<&str> =
        page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    // Every need stands in the table and on a card.
    for answer in answers(&dir) {
        let need = maud::html! { (answer.need) }.into_string();
        assert!(page.matches(&format!(">{need}<")).count() >= 2, "{need}");
    }
    assert!(
        answer_to(&answers(&dir), "A value for each key (8 bits)").choose[0].name == "RibbonMap"
    );
}

#[test]
fn a_key_files_name_stays_a_name() {
    let hostile = "<img src=x onerror=alert(1)>|`a`](b)";
    let (page, readme) = drawn(&record(&[(
        facts("Only", Family::Classic, &[Ability::Insert]),
        rows("Only", hostile, 10, 9.0),
    )]));
    assert!(page.contains("&lt;img src=x") && !page.contains("<img"));
    assert!(!readme.contains("<img") && readme.contains("\\|\\`a\\`\\](b)"));
}

#[test]
fn what_was_not_measured_or_failed_is_said_and_nothing_panics() {
    // Nothing at all, a failed cell alone, and a contender without any row.
    let failed = Row {
        state: State::Failed,
        why: "a false negative".to_owned(),
        ..row("Bad", "random-u64", Workload::Verify, 0, 0.0)
    };
    let bad = (
        facts("Bad", Family::Cuckoo, &[]),
        vec![Row { held_bytes: None, absent_queries: None, ..failed }],
    );
    let cases: [Vec<_>; 3] = [vec![], vec![bad], vec![(facts("None", Family::Fuse, &[]), vec![])]];
    for all in &cases {
        let (page, readme) = drawn(&record(all));
        assert!(page.contains("Not in these records"), "{all:?}");
        assert!(readme.contains("No plots") && !page.contains("NaN"), "{all:?}");
    }
    let (page, _) = drawn(&record(&cases[1]));
    assert!(
        page.contains("Failed cells: 1, of Bad") && page.contains("Bad at 1 %: a false negative")
    );
    // A failed cell beside measured ones is a hollow cross in the plots.
    let mut two = four();
    two.truncate(1);
    let few = Row {
        keys: 1000,
        state: State::Failed,
        why: "refused".to_owned(),
        ns: None,
        ..row("myFast", "random-u64", Workload::Verify, 0, 0.0)
    };
    two[0].1.extend([
        few,
        Row { keys: 100_000, ..row("myFast", "random-u64", Workload::Query50, 0, 7.0) },
    ]);
    two[0].1.push(Row { keys: 100_000, ..row("myFast", "random-u64", Workload::Verify, 9, 0.0) });
    let dir = record(&two);
    assert!(document(&Data::read(&folder(&dir)).unwrap()).is_ok());
}
