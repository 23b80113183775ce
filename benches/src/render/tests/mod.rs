//! Whole reports, drawn from made-up records.

mod beyond;
mod construction;
mod courses;
mod made;

use super::data::Data;
use super::{document, render};
use crate::contender::{Ability, Family};
use crate::keysets::Source;
use crate::record::{Cell, Row, Workload};
use crate::run::{ContenderFacts, KeySetFacts};
use crate::suite::Suite;
use made::{Made, TIMED, facts, rows};
use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let made = Made::usual();
    let first = made.drawn();
    let before = files(&made.dir.path().join("latest"));
    assert_eq!(first, made.drawn());
    assert_eq!(before, files(&made.dir.path().join("latest")));
    assert!(before.len() > 5);
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let (page, readme, _) = Made::usual().drawn();
    for attribute in [
        "src=\"http",
        "href=\"http",
        "src=\"//",
        "url(",
        "@import",
        "<script",
        "<link",
    ] {
        assert!(!page.contains(attribute), "{attribute}");
    }
    assert!(page.matches("<svg ").count() > 4);
    assert!(readme.contains("](latest/rate-by-bits.svg)"));
    assert!(
        page.contains("href=\"../records/m/2000-01-01/bloom.csv\""),
        "a link to the records"
    );
    assert!(readme.contains("(records/m/2000-01-01/bloom.csv)"));
}

#[test]
fn every_plot_has_words_for_those_who_cannot_see_it_and_both_colour_schemes() {
    let made = Made::usual();
    let (_, readme, _) = made.drawn();
    let latest = made.dir.path().join("latest");
    let data = Data::read(&made.records()).unwrap();
    let document = document(&data).unwrap();
    let figures = document.figures();
    assert!(figures.len() >= 6, "{}", figures.len());
    for figure in figures {
        assert!(
            figure.svg.contains("<title ")
                && figure.svg.contains("<desc ")
                && figure.svg.contains("role=\"img\"")
        );
        assert!(
            figure.alt.len() > 80 && figure.caption.len() > 40,
            "{}",
            figure.slug
        );
        assert!(readme.contains(&format!("latest/{}.svg", figure.slug)));
        let file = fs::read_to_string(latest.join(format!("{}.svg", figure.slug))).unwrap();
        assert!(file.contains("prefers-color-scheme:dark") && file.contains("</svg>"));
        // Every colour has a class.
        assert!(
            !file.contains("#01FE") && !file.contains("#02FE") && !file.contains("#03FE"),
            "{}",
            figure.slug
        );
    }
}

#[test]
fn hostile_names_stay_text() {
    let name = "<script>alert(1)<|script>|x";
    let set = "<img src=x>|`y`";
    let made = Made::new().with(
        facts(name, Family::Classic),
        rows(name, set, 1000, 0.01, 10.0),
    );
    let (page, readme, table) = made.drawn();
    for text in [&page, &readme] {
        assert!(
            !text.contains("<script>") && !text.contains("<img src"),
            "{text}"
        );
    }
    assert!(page.contains("&lt;script&gt;"));
    for line in readme
        .lines()
        .filter(|line| line.contains("script") && line.starts_with('|'))
    {
        let bars = line.replace("\\|", "").matches('|').count();
        assert!([5, 11, 12].contains(&bars), "{bars} in {line}");
    }
    assert!(table.contains("<script>"));
}

#[test]
fn nothing_measured_is_no_report_but_no_panic_either() {
    assert!(render(Path::new("/nowhere/at/all"), Path::new("/nowhere/latest")).is_err());
    let (page, _, _) = Made::new().drawn();
    assert!(page.contains("no answer") && !page.contains("<svg"));
    let made = Made::new().with(facts("bloom", Family::Classic), Vec::new());
    assert!(!made.drawn().0.contains("<svg"));
}

#[test]
fn one_filter_at_one_size_and_rate_is_drawn_as_far_as_it_goes() {
    let (page, _, table) = Made::new()
        .with(
            facts("bloom", Family::Classic),
            rows("bloom", "my keys.txt", 500, 0.01, 10.0),
        )
        .drawn();
    assert!(page.contains("id=\"verdict\"") && page.contains("id=\"query-by-share\""));
    assert!(page.contains("needs at least two numbers of keys"));
    assert!(!page.contains("id=\"query-by-size\""));
    assert!(table.contains("500 keys, my keys.txt, asked for 1 %"));
}

#[test]
fn a_filter_without_a_choice_of_rate_alone_is_drawn_too() {
    let mut fixed = rows("fuse", "random-u64", 1000, 1.0 / 256.0, 5.0);
    fixed.iter_mut().for_each(|row| row.asked_fpr = None);
    let fuse = ContenderFacts {
        takes_rate: false,
        abilities: vec![Ability::Static],
        ..facts("fuse", Family::Fuse)
    };
    let (page, _, table) = Made::new().with(fuse, fixed).drawn();
    assert!(page.contains("id=\"rate-by-bits\"") && table.contains("fuse"));
}

#[test]
fn failed_cells_are_errors_in_tables_and_crosses_in_plots() {
    let cell = Cell {
        key_set: "random-u64".to_owned(),
        keys: 100_000,
        planned_keys: None,
        asked_fpr: Some(0.01),
    };
    let failed: Vec<Row> = [Workload::Verify]
        .into_iter()
        .chain(TIMED)
        .map(|workload| Row::failed("broken", &cell, workload, "3 of 9 keys | forgotten"))
        .collect();
    let made = Made::usual().with(facts("broken", Family::Cuckoo), failed);
    let (page, readme, table) = made.drawn();
    assert!(page.contains("<strong>ERROR</strong>") && page.contains("One cell failed"));
    assert!(readme.contains("3 of 9 keys \\| forgotten"));
    assert!(table.contains("ERROR broken: 3 of 9 keys | forgotten"));
    // No failed contender is recommended.
    let answer = page.split("id=\"machine\"").next().unwrap();
    assert!(!answer.contains("<code>broken</code>"));
    let data = Data::read(&made.records()).unwrap();
    let document = document(&data).unwrap();
    let crosses = |slug: &str| {
        let figures = document.figures();
        let figure = figures.iter().find(|figure| figure.slug == slug).unwrap();
        // Sixteen corners and the first one again.
        let outline = |line: &&str| line.contains("s-cuckoo") && line.matches(',').count() == 17;
        figure.svg.lines().filter(outline).count()
    };
    assert_eq!(
        (
            crosses("verdict"),
            crosses("query-by-size"),
            crosses("rate-by-bits")
        ),
        (1, 1, 1)
    );
}

#[test]
fn ties_are_marked_in_every_table() {
    let (page, readme, table) = Made::usual().drawn();
    // 10.3 is within 5 % of 10.
    assert!(page.contains("= 10.3") && readme.contains("= 10.3"));
    assert!(
        table.contains("*10.0") && table.contains("=10.3"),
        "{table}"
    );
    assert!(page.contains("a tie with"), "the answer says so as well");
    let mut made = Made::usual();
    made.run.noise_floor = None;
    let (page, _, table) = made.drawn();
    assert!(!table.contains("=10.3") && page.contains("no tie is marked"));
}

#[test]
fn more_than_eight_filters_are_shared_out_among_plots() {
    let mut made = Made::new();
    for index in 0..12 {
        let name = format!("filter-{index}");
        let facts = ContenderFacts {
            ours: index < 3,
            ..facts(&name, Family::Cuckoo)
        };
        made = made.with(
            facts,
            rows(&name, "random-u64", 1000, 0.01, 10.0 + f64::from(index)),
        );
    }
    let (page, _, _) = made.drawn();
    for slug in [
        "rate-by-bits-amq",
        "rate-by-bits-peers1",
        "rate-by-bits-peers2",
    ] {
        assert!(page.contains(&format!("id=\"{slug}\"")), "{slug}");
    }
}

#[test]
fn more_than_eight_of_our_own_are_one_of_each_family_and_the_others() {
    let families = [Family::Classic, Family::Cuckoo, Family::Ribbon];
    let mut made = Made::new();
    for index in 0..9 {
        let name = format!("filter-{index}");
        made = made.with(
            facts(&name, families[index % 3]),
            rows(&name, "random-u64", 1000, 0.01, 10.0 + index as f64),
        );
    }
    let (_, readme, _) = made.drawn();
    let shown = |slug: &str| {
        let line = readme.lines().find(|line| line.ends_with(slug)).unwrap();
        let shown = &line[line.find("Shown: ").unwrap()..];
        shown[..shown.find(']').unwrap()].to_owned()
    };
    assert_eq!(
        shown("rate-by-bits-amq.svg)"),
        "Shown: filter-0, filter-1, filter-2."
    );
    assert!(shown("rate-by-bits-amq-more.svg)").ends_with("filter-7, filter-8."));
}

#[test]
fn smoke_runs_unfinished_runs_and_commands_are_said_as_they_are() {
    let mut made = Made::usual();
    made.run.options.suite = Suite::Smoke;
    made.run.complete = false;
    made.run.command = "cargo run -- measure --keys-file '<b>.txt'".to_owned();
    made.run.key_set = vec![KeySetFacts {
        name: "words".to_owned(),
        about: "words & more".to_owned(),
        present: 100_000,
        absent: 1,
        queries: 1,
        source: Source::default(),
    }];
    let (page, readme, _) = made.drawn();
    assert!(page.contains("times mean nothing") && page.contains("was not finished"));
    assert!(page.contains("--keys-file '&lt;b&gt;.txt'") && page.contains("words &amp; more"));
    assert!(readme.contains("    cargo run -- measure --keys-file '<b>.txt'"));
}

#[test]
fn a_filter_that_misses_its_rate_is_not_recommended_and_the_page_says_so() {
    let mut bad = rows("loose", "random-u64", 1000, 0.01, 1.0);
    bad[0].held_bytes = Some(100);
    bad[0].predicted_fpr = Some(0.02);
    let (page, ..) = Made::usual()
        .with(facts("loose", Family::Cuckoo), bad.clone())
        .drawn();
    let answer = |page: &str| page.split("id=\"machine\"").next().unwrap().to_owned();
    // It was not measured at the main size, which is another one.
    assert!(!answer(&page).contains("loose"));
    let (page, ..) = Made::new()
        .with(facts("loose", Family::Cuckoo), bad)
        .with(
            facts("bloom", Family::Classic),
            rows("bloom", "random-u64", 1000, 0.01, 10.0),
        )
        .drawn();
    assert!(answer(&page).contains("loose at 1"));
    assert!(!answer(&page).contains("<code>loose</code>"));
}
