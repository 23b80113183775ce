//! The page from small hand-made records.

mod committed;
mod front_page;

use super::data::Data;
use super::render;
use crate::record::*;
use Ability::{Grow, Insert, Remove, Static, Values};
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;

const KEYS: u64 = 1_000_000;
/// A key file's name that is not to become a part of the page.
const SET: &str = "<img src=x onerror=alert(1)>|`a`](b)";

type Contender = (Info, Vec<Row>);

type Can = &'static [Ability];

/// A contender with a filter of so many bits a key, and so many nanoseconds in all workloads.
fn contender(name: &'static str, family: Family, can: Can, bits: u64, ns: f64) -> Contender {
    let facts = Info {
        name: name.to_owned(),
        family,
        ours: name.starts_with("my"),
        import: format!("use kit::{{{name}, Hash}};"),
        abilities: can.to_vec(),
        ..Info::default()
    };
    (facts, rows(name, KEYS, bits, ns))
}

fn rows(name: &str, keys: u64, bits: u64, ns: f64) -> Vec<Row> {
    let verify = Row {
        contender: name.to_owned(),
        key_set: SET.to_owned(),
        keys,
        asked_fpr: Some(0.01),
        held_bytes: Some(bits * keys / 8),
        peak_build_bytes: Some(bits * keys / 8),
        absent_queries: Some(100_000),
        false_positives: Some(990),
        fpr_low: Some(0.0093),
        fpr_high: Some(0.0105),
        predicted_fpr: Some(0.01),
        fpr_agrees: Some(true),
        ..Row::default()
    };
    use Workload::{Build, Dependent50, Query0, Query50, Query100};
    let timed = [Build, Query50, Query0, Query100, Dependent50];
    let timed = timed.map(|workload| Row { workload, ns: Some(ns), ..verify.clone() });
    std::iter::once(verify.clone()).chain(timed).collect()
}

/// A filter that stopped to grow at four numbers of keys.
fn grown(name: &'static str, bits: [u64; 4], false_positives: u64) -> Contender {
    let mut all = contender(name, Family::Scalable, &[Insert, Grow], 30, 30.0);
    all.1.extend([10_000, 20_000, 40_000, 80_000].into_iter().zip(bits).map(|(keys, bits)| Row {
        planned_keys: Some(80_000),
        workload: Workload::Grow,
        false_positives: Some(false_positives),
        fpr_agrees: None,
        ..rows(name, keys, bits, 0.0).swap_remove(0)
    }));
    all
}

/// Two fast filters within the noise, a small static one, one that jumps in size, a map, and some
/// that grow.
fn all() -> Vec<Contender> {
    let mut fast = contender("myFast", Family::SplitBlock, &[Insert], 11, 5.0);
    let skipped = Row { asked_bits: Some(2.0), asked_fpr: None, ..fast.1[0].clone() };
    fast.1.push(skipped.without(State::Skipped, "too few bytes"));
    let mut quick = contender("Quick", Family::SplitBlock, &[Insert], 12, 4.9);
    quick.1.extend(rows("Quick", 10 * KEYS, 12, 40.0));
    let mut small = contender("Small", Family::Ribbon, &[Static], 7, 13.0);
    small.1.extend(rows("Small", 10 * KEYS, 7, 30.0));
    let mut jumps = contender("Jumps", Family::Quotient, &[Insert, Remove], 19, 20.0);
    jumps.1[0].held_bytes_octave_low = Some(10 * KEYS / 8);
    jumps.1[0].held_bytes_octave_high = Some(20 * KEYS / 8);
    let mut map = contender("Map", Family::Ribbon, &[Static, Values], 8, 12.0);
    (map.0.role, map.0.fixed_rate) = (Role::Map, true);
    // Where growth stopped, Steady is larger; over the cycle it is smaller. Lax breaks its rate.
    let steady = grown("Steady", [99, 16, 16, 16], 900);
    let lucky = grown("Lucky", [9, 30, 30, 12], 900);
    vec![fast, quick, small, jumps, map, steady, lucky, grown("Lax", [9, 9, 9, 9], 3000)]
}

/// Writes a record of these contenders in a folder like the workspace's.
fn record(all: &[Contender]) -> (TempDir, Records) {
    let dir = tempfile::tempdir().unwrap();
    let records = Records::of_day(&dir.path().join("records"), "m", "2026-01-01");
    let options = Options { suite: Suite::Quick, rounds: 3, seed: 1, ..Options::of_program() };
    let facts = all.iter().map(|(facts, _)| facts.clone()).collect();
    let command = "cargo run --release -p amq-bench -- measure --suite quick";
    let mut run = Run::new(command, options, facts);
    run.date = "2026-01-01".to_owned();
    (run.complete, run.options.profile, run.options.git) = (true, "release".to_owned(), None);
    run.noise = vec![Noise { workload: Workload::Build, pairs: 9, median: 0.01, floor: 0.05 }];
    (run.noise_floor, run.noise_median) = (Some(0.05), Some(0.01));
    for (facts, rows) in all {
        records.write_table(&facts.name, rows).unwrap();
    }
    records.write_run(&run).unwrap();
    (dir, records)
}

/// The page and the README.
fn drawn((dir, records): &(TempDir, Records)) -> [String; 2] {
    let out = dir.path().join("latest");
    render(records, &[], &out).unwrap();
    let read = |path| fs::read_to_string(path).unwrap();
    [out.join("index.html"), dir.path().join("README.md")].map(read)
}

/// The words of a page that a reader sees, folded or not, without scripts, tables and what is said
/// of pictures.
fn shown(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((text, tag)) = rest.split_once('<') {
        out += text;
        out.push(' ');
        let name = tag.split([' ', '>']).next().unwrap();
        let skipped = ["script", "style", "table", "svg", "title"];
        let end = match skipped.contains(&name) {
            true => format!("</{name}>"),
            false => ">".to_owned(),
        };
        rest = tag.split_once(&end).map_or("", |(_, rest)| rest);
    }
    out + rest
}

fn row<'a>(readme: &'a str, need: &str) -> &'a str {
    readme.lines().find(|line| line.starts_with(&format!("| {need} |"))).unwrap()
}

#[test]
fn the_least_wins_and_losses_and_ties_are_marked() {
    let [_, readme] = drawn(&record(&all()));
    for (need, line) in [
        (
            "Fewest bits, keys inserted one by one",
            "myFast | 11.0 | Quick | 12.0 | bits per key | 0.92 | ours",
        ),
        // 5.0 and 4.9 ns are within the noise of 5 %.
        ("Fastest query, keys inserted one by one", "myFast | 5.0 | Quick | 4.9 | ns | 1.02 | tie"),
    ] {
        assert!(row(&readme, need).contains(line), "{readme}");
    }
    assert!(readme.contains("exceed the rate (here Lax (3.00 %))"), "{readme}");
    // A need that none of ours meets has no row.
    assert!(!readme.contains("| Fewest bits, all keys known"), "{readme}");
    let mut slow = all();
    slow[0].1.iter_mut().for_each(|row| row.ns = row.ns.map(|ns| ns * 3.0));
    let [page, readme] = drawn(&record(&slow));
    let line = row(&readme, "Fastest query, keys inserted one by one");
    assert!(line.contains("myFast | 15 | Quick | 4.9 | ns | 3.06 | **LOSS**"), "{line}");
    assert!(
        page.contains("<tr class=\"loss\">") && page.contains("Quick (fastest query"),
        "{line}"
    );
}

#[test]
fn the_page_needs_no_network_and_says_what_the_records_say() {
    let record = record(&all());
    let [page, readme] = drawn(&record);
    assert!(page.len() <= 700_000, "{} bytes", page.len());
    // An SVG's name space and the icon are no addresses to fetch from.
    let outside = page.replace("http://www.w3.org/2000/svg", "").replace("&lt;img src=x", "");
    for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "aria-label=\"\"", "<img"]
    {
        assert!(!outside.contains(word), "{word}");
    }
    assert!(readme.contains("\\<img src=x onerror=alert(1)\\>\\|\\`a\\`\\](b)"), "{readme}");
    let pictures = page.matches("<svg ").count();
    let said = ["img", "group"].map(|role| format!("role=\"{role}\" aria-label=\""));
    let said: usize = said.iter().map(|role| page.matches(role).count()).sum();
    assert!(pictures > 4 && said == pictures, "{pictures} {said}");
    for plot in ["time-by-space", "rate-by-bits"] {
        assert!(readme.contains(&format!("](latest/{plot}.svg)")), "{plot}");
        let svg = fs::read_to_string(record.0.path().join(format!("latest/{plot}.svg"))).unwrap();
        assert!(svg.starts_with("<svg ") && !svg.contains("NaN"), "{plot}");
    }
    // No two elements share a name, or the script would take one for the other.
    let names = || page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    for part in [
        "href=\"../records/m/2026-01-01/Small.csv\"",
        "<form id=\"ask\" hidden",
        "<script id=\"advisor\" type=\"application/gzip\">H4sI",
        "rel=\"icon\"",
        // What measures it again draws it, too.
        "<code>cargo run --release -p amq-bench -- --suite quick</code>",
        // The main size stays, although there are larger ones.
        "1 million keys (&lt;img",
        "10 million</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Rows of other numbers of keys than the user's are no part of a page.
#[test]
fn a_page_of_own_keys_has_their_numbers_alone() {
    let own = |name, family| {
        let (facts, _) = contender(name, family, &[Insert], 10, 5.0);
        (facts, rows(name, 150_000, 10, 5.0))
    };
    let all = [own("myFast", Family::SplitBlock), own("Quick", Family::Classic)];
    let [page, _] = drawn(&record(&all));
    let text = shown(&page);
    assert!(text.contains("150,000 keys") && !text.contains("million keys"), "{text}");
    let numbers = page.split_once("id=\"numbers\"").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(numbers.matches("<td>150,000</td>").count(), 2, "{numbers}");
}

/// The smallest and quickest of all is not named if it lost a key, wherever that was.
#[test]
fn a_filter_that_gave_a_wrong_answer_is_never_the_best() {
    for (why, is_wrong) in
        [("build refused: no seed solved it", false), ("1 false negatives among its keys", true)]
    {
        let mut first = contender("First", Family::SplitBlock, &[Insert], 5, 1.0);
        let cell = rows("First", 1000, 5, 1.0).swap_remove(0);
        first.1.push(cell.without(State::Failed, why));
        let [page, readme] = drawn(&record(&all().into_iter().chain([first]).collect::<Vec<_>>()));
        let line = row(&readme, "Fewest bits, keys inserted one by one");
        assert_eq!(line.contains("First"), !is_wrong, "{line}");
        assert!(readme.contains("failed a check: First."), "{readme}");
        assert!(page.contains(why), "{why}");
        let mut plots = readme.lines().filter(|line| line.contains("](latest/time-by-space.svg)"));
        assert_eq!(plots.any(|alt| alt.contains("First")), !is_wrong);
    }
}

#[test]
fn what_was_not_measured_or_failed_is_said_and_nothing_panics() {
    // Nothing at all, a contender without any row, and a failed cell alone.
    let failed = |mut rows: Vec<Row>| {
        rows.truncate(1);
        (rows[0].held_bytes, rows[0].absent_queries) = (None, None);
        rows.into_iter().map(|row| row.without(State::Failed, "a false negative")).collect()
    };
    let bad = contender("Bad", Family::Cuckoo, &[], 0, 0.0);
    let bad: Contender = (bad.0, failed(bad.1));
    for all in [vec![], vec![(bad.0.clone(), vec![])], vec![bad]] {
        let [page, readme] = drawn(&record(&all));
        let text = page.split("<script").next().unwrap();
        assert!(readme.contains("No plot:") && !text.contains("NaN"), "{all:?}");
        let is_there = all.iter().any(|(_, rows)| !rows.is_empty());
        assert_eq!(page.contains("a false negative"), is_there);
        assert_eq!(readme.contains("failed a check: Bad."), is_there);
    }
    // A failed cell beside measured ones is a cross in the plots.
    let mut fast = all().swap_remove(0);
    fast.1.extend(rows("myFast", 100_000, 9, 7.0));
    fast.1.extend::<Vec<Row>>(failed(rows("myFast", 1000, 0, 0.0)));
    let [page, _] = drawn(&record(&[fast]));
    assert!(page.contains("failed bits per key"), "no cross");
}

#[test]
fn two_machines_ratios_stand_beside_each_other() {
    let here = record(&all());
    let mut others = all();
    others[0].1.iter_mut().for_each(|row| row.ns = row.ns.map(|ns| ns * 2.0));
    let there = record(&others);
    let out = here.0.path().join("beside");
    render(&here.1, std::slice::from_ref(&there.1), &out).unwrap();
    let readme = fs::read_to_string(out.join("README.md")).unwrap();
    assert!(readme.contains("| ratio | ratio, an unknown processor | result |"), "{readme}");
    assert!(
        row(&readme, "Fastest query, keys inserted one by one").contains("| 1.02 | 2.04 | tie |")
    );
}

/// A ladder of four rates and times for two numbers of sets: both are drawn, with their tables, and
/// who answers for many sets takes no part in anything else.
#[test]
fn truncated_filters_and_many_sets_have_their_plots() {
    let mut small = contender("Small", Family::Ribbon, &[Static, Ability::Truncate], 7, 13.0);
    small.1.extend([(1e-1, 4), (1e-2, 7)].map(|(rate, bits)| Row {
        workload: Workload::Truncate,
        planned_keys: Some(KEYS),
        asked_fpr: Some(rate),
        ..rows("Small", KEYS, bits, 1.0).swap_remove(0)
    }));
    let of_sets = |name, ns| {
        let mut one = contender(name, Family::SplitBlock, &[Static], 15, 0.0);
        (one.0.ours, one.0.many_sets, one.1) = (true, true, Vec::new());
        for keys in [8_192, 1_048_576] {
            let mut rows = rows(name, keys, 15, ns);
            rows.push(Row { workload: Workload::Batch50, ..rows[2].clone() });
            one.1.extend(rows.into_iter().map(|row| Row { key_set: "random-u64".into(), ..row }));
        }
        one
    };
    let sets = ["interleaved", "blocked-bloom-loop", "row-reads"].into_iter().zip([2.0, 50.0, 1.0]);
    let sets = sets.map(|(name, ns)| of_sets(name, ns));
    let all: Vec<_> = all().into_iter().chain([small]).chain(sets).collect();
    let [page, readme] = drawn(&record(&all));
    for part in [
        "One filter at 10 % and 1 %: Small in 4.00 and 7.00 bits per key, a ladder of Bloom filters \
         in 4.79 and 9.59.",
        "Of 8,192 sets a key is looked up in 2.0 ns one by one and 2.0 ns in batches, by a loop over \
         as many filters in 50 ns.",
        "<th scope=\"row\">64</th>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(readme.contains("myFast") && !readme.contains("interleaved"), "{readme}");
}

#[test]
fn every_word_of_the_families_can_be_read() {
    let all: toml::Table = include_str!("../families.toml").parse().unwrap();
    let all = all["family"].as_array().unwrap();
    assert_eq!(all.len(), 8);
    for family in all {
        let why = family["why"].as_str().unwrap();
        assert_eq!(why.matches(". ").count() + 1, 3, "{why}");
    }
    let data = Data::default();
    assert!(super::families::families(&data).is_empty());
}
