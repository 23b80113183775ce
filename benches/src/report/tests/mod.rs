//! The page from small hand-made records.

mod committed;
mod front_page;

use super::doc::{Answer, Group};
use super::prelude::*;
use super::{answer, html, readme, render};
use Ability::{Grow, Insert, Remove, Static, Values};
use pulldown_cmark::{Event, Options as Extensions, Parser};
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
        workload: Workload::course("grow"),
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
    let mut run = Run::new("measure", options, facts);
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
    let read = |path| fs::read_to_string(path).unwrap().replace('\u{a0}', " ");
    [out.join("index.html"), dir.path().join("README.md")].map(read)
}

fn answers(records: &Records) -> Vec<Answer> {
    let blocks = answer::blocks(&Data::read(records).unwrap(), &[]).into_iter();
    let groups = blocks.filter_map(|block| match block {
        Block::Answers(group) => Some(group.answers),
        _ => None,
    });
    groups.flatten().collect()
}

/// Wherever a document can hold words.
fn everywhere(word: &str) -> Text {
    let text = Text::from(word).plain(" ").strong(word).plain(" ").code(word).link(word, word);
    let table = Table::of(&[0, 1]).word(word, |_| word).word("", |_| text.clone());
    let choose = vec![(word.to_owned(), word.to_owned()); 2];
    let [need, why, cost] = [0; 3].map(|_| word.to_owned());
    let (figure, runner_up) = (String::new(), Text::default().strong(word));
    let ask = Some(word.to_owned());
    let answers = vec![Answer { need, choose, figure, why, cost, runner_up, ask }];
    let blocks = [
        Block::Answers(Group { title: word.to_owned(), folded: true, answers }),
        Block::list([text.clone(), Text::from(word)]),
        Block::note(word),
        Block::text(text.clone()),
        table.block(text),
    ];
    blocks.iter().map(|block| block.written("")).collect()
}

#[test]
fn hostile_words_stay_words() {
    let letters = ["\\", "|", "`", "*", "<", "\n", " ", "a", ""];
    let three = |a| letters.map(|b| letters.map(|c| format!("{a}{b}{c}")));
    let short = letters.into_iter().flat_map(three).flatten();
    let long = [SET, "<script>alert(1)</script>", "&lt; _a_", "1. a", "http://a.b", "a\r\nb[a](b)"];
    let tags = |page: &str| page.replace("<!---->", "").matches('<').count();
    let harmless = tags(&html::markup(everywhere("a")).into_string());
    for word in short.chain(long.map(str::to_owned)).filter(|word| !word.trim().is_empty()) {
        let text = everywhere(&word);
        let markdown = readme::markdown(&text).unwrap_or_else(|error| panic!("{word:?} {error}"));
        let back = Parser::new_ext(&markdown, Extensions::ENABLE_TABLES).map(Event::into_static);
        let page = html::markup(text).into_string();
        let again = html::markup(Text(back.collect())).into_string();
        assert_eq!(again, page, "{word:?} {markdown}");
        assert_eq!(tags(&page), harmless, "{word:?} {page}");
    }
}

#[test]
fn the_least_wins_ties_go_to_the_smaller_and_what_varies_is_judged_by_its_mean() {
    let answers = answers(&record(&all()).1);
    for (need, names, figure, else_or_cost) in [
        ("The fewest bits", vec!["Small"], "7.00 bits", "13 ns to build; nothing can"),
        // 5.0 and 4.9 ns are within the noise of 5 %: the smaller is named first.
        ("The least time per query", vec!["myFast", "Quick"], "5.0 ns", "Jumps: 20 ns, 4.0 times"),
        ("Remove keys; the fewest bits", vec!["Jumps"], "10.0 to 20.0 bits, by size", "no other"),
        ("A value of 8 bits for each key", vec!["Map"], "8.00 bits", "some value, too"),
        ("Nobody knows how many; the fewest bits", vec!["Steady"], "16.0 bits on average", "Lucky"),
    ] {
        let answer = answers.iter().find(|answer| answer.need.starts_with(need)).unwrap();
        let found: Vec<&str> = answer.choose.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((found, &*answer.figure.replace(" per key", "")), (names, figure), "{need}");
        let import = |name| format!("use kit::{{{name}, Hash}};");
        assert!(answer.choose.iter().all(|(name, line)| *line == import(name)));
        let rest = format!("{}; {}", html::markup(answer.runner_up.clone()).0, answer.cost);
        let rest = rest
            .replace("<strong>", "")
            .replace("</strong>", "")
            .replace('\u{a0}', " ")
            .replace(" per key", "");
        assert!(rest.contains(else_or_cost), "{need}: {rest}");
    }
}

#[test]
fn an_answer_that_is_another_on_another_machine_is_marked() {
    let here = record(&all());
    // There the two fast ones are slow; all sizes are the same.
    let mut others = all();
    for row in others[..2].iter_mut().flat_map(|(_, rows)| rows) {
        row.ns = row.ns.map(|ns| ns * 40.0);
    }
    let there = record(&others);
    for (other, differs) in [(&here, false), (&there, true)] {
        let out = here.0.path().join("beside");
        render(&here.1, std::slice::from_ref(&other.1), &out).unwrap();
        let page = fs::read_to_string(out.join("index.html")).unwrap().replace('\u{a0}', " ");
        let is_marked = |need: &str| {
            let row = page.split_once(&format!(">{need}</a></th>")).unwrap().1;
            let row = row.split("</tr>").next().unwrap();
            row.contains("<strong>\u{2260} an unknown processor, ")
                && row.contains("</strong> Jumps (20 ns)")
        };
        assert!(page.contains("answers differ by the records of an unknown processor"), "{page}");
        assert_eq!(is_marked("The least time per query"), differs);
        assert_eq!(page.contains(" 0 of "), !differs, "{page}");
        assert!(!is_marked("The fewest bits"));
    }
}

#[test]
fn the_page_needs_no_network_keeps_its_limits_and_says_what_the_records_say() {
    let record = record(&all());
    let [page, readme] = drawn(&record);
    assert!(page.len() <= 700_000, "{} bytes", page.len());
    assert!(readme.lines().count() <= 300 && readme.contains("\\|\\`a\\`\\](b)"));
    // An SVG's name space is no address to fetch from.
    let outside = page.replace("http://www.w3.org/2000/svg", "").replace("&lt;img src=x", "");
    let text = readme.replace("\\<img", "");
    for word in ["http:", "https:", "src=", "@import", "url(", "fetch(", "aria-label=\"\"", "<img"]
    {
        assert!(!outside.contains(word) && (word != "<img" || !text.contains(word)), "{word}");
    }
    let pictures = page.matches("<svg").count();
    let said = ["img", "group"].map(|role| format!("role=\"{role}\" aria-label=\""));
    let said: usize = said.iter().map(|role| page.matches(role).count()).sum();
    assert!(pictures > 4 && said == pictures, "{pictures} {said}");
    for plot in ["time-by-space", "rate-by-bits"] {
        assert!(readme.contains(&format!("](latest/{plot}.svg)")), "{plot}");
        assert!(record.0.path().join(format!("latest/{plot}.svg")).is_file());
    }
    // No two elements share a name, or the script would take one for the other.
    let names = || page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    assert_eq!(names().collect::<BTreeSet<_>>().len(), names().count());
    // Every need stands in a table, and what is planned in the unit of what was measured.
    for Answer { need, why, .. } in answers(&record.1) {
        assert!(!why.contains("lower bound"), "{need}: {why}");
        let need = maud::html! { (need) }.into_string();
        assert!(page.contains(&format!(">{need}<")), "{need}");
    }
    for part in [
        "href=\"../records/m/2026-01-01/Small.csv\"",
        "<strong>HashSet</strong><br><code>use std::collections::HashSet;</code>",
        "6 of 6 examples with their arithmetic",
        "<form id=\"ask\" hidden",
        "<script id=\"advisor\" type=\"application/gzip\">H4sI",
        "CF.RESERVE key 8388608 BUCKETSIZE 1",
        // The main size stays, although there are larger ones.
        "|`a`](b)), 1 % unless a row says otherwise",
        "1 %, 10 million keys</td>",
        "myFast: cannot be made with 2 bits per key (1 million keys)",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // The script has templates of its own.
    let page = page.split("<script").next().unwrap();
    for unfilled in ["{bits}", "{size}", "{rate}", "{ask}", "{build}", "{wrong}", "{busy}"] {
        assert!(!page.contains(unfilled), "{unfilled}");
    }
}

/// The smallest and quickest of all is not named if it lost a key, wherever that was.
#[test]
fn a_filter_that_gave_a_wrong_answer_is_never_the_best() {
    for (why, is_wrong) in
        [("build refused: no seed solved it", false), ("1 false negatives among its keys", true)]
    {
        let mut first = contender("First", Family::Ribbon, &[Static], 5, 1.0);
        let cell = rows("First", 1000, 5, 1.0).swap_remove(0);
        first.1.push(cell.without(State::Failed, why));
        let record = record(&all().into_iter().chain([first]).collect::<Vec<_>>());
        let best = &answers(&record.1)[0].choose[0].0;
        assert_eq!(best.starts_with("Small"), is_wrong, "{best}");
        let [_, readme] = drawn(&record);
        for (said, only_if) in [
            ("|First †|", true),
            ("Left out for a failed check: First.", true),
            ("|First|**1.00 ns**|**1.00 ns**|**0.75", false),
        ] {
            assert_eq!(readme.contains(said), is_wrong == only_if, "{said}: {readme}");
        }
        let mut plots = readme.lines().filter(|line| line.starts_with("![ns per query"));
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
        assert!(page.contains("Not in these records"));
        let shown = page.split("<script").next().unwrap();
        assert!(readme.contains("No plot:") && !shown.contains("NaN"), "{all:?}");
        for said in ["Failed checks: 1, of Bad.", "at 0.01, verify: a false negative"] {
            let is_there = all.iter().any(|(_, rows)| !rows.is_empty());
            assert_eq!(page.contains(said), is_there, "{said}");
        }
    }
    // A failed cell beside measured ones is a hollow cross in the plots.
    let mut fast = all().swap_remove(0);
    fast.1.extend(rows("myFast", 100_000, 9, 7.0));
    fast.1.extend::<Vec<Row>>(failed(rows("myFast", 1000, 0, 0.0)));
    drawn(&record(&[fast]));
}
