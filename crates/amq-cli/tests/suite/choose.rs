//! `amq choose` answers what the library's `choose` does.
use crate::room::{Room, numbered};
use amq_advisor::{Answer, First, Keys, KeysBy, Need, Workload, choose};
use serde_json::Value;

/// Options, and the same said to the library.
fn asks() -> Vec<(&'static str, Workload)> {
    let million = || Workload::new(Keys::AtMost(1_000_000));
    let at_most = || Workload::new(Keys::AtMost(10_000_000));
    vec![
        ("--keys 1e6", million()),
        ("--at-most 1e6", million()),
        ("--keys 1e6 --fpr 1% --static", million().with_fpr(0.01).built_once()),
        ("--keys 500 --fpr 30%", Workload::new(Keys::AtMost(500)).with_fpr(0.3)),
        (
            "--keys 1e7 --need remove,files --bits-per-key 16 --absent 90%",
            at_most().need(Need::Remove).need(Need::Files).with_bits_per_key(16.0).with_absent(0.9),
        ),
        (
            "--keys 1e6 --bits-per-key 10 --static --false-positive 20us --queries-per-key 10",
            million()
                .with_bits_per_key(10.0)
                .built_once()
                .with_false_positive_ns(20_000.0)
                .with_queries_per_key(10.0),
        ),
        (
            "--unknown-from 1000 --fpr 1/1000",
            Workload::new(Keys::Unknown { start: 1000 }).with_fpr(0.001),
        ),
        (
            "--keys 1e7 --count 10 --lookup 5us --strangers --bytes 20MB",
            at_most()
                .need(Need::Count { most: 10 })
                .with_lookup_ns(5_000.0)
                .with_keys_by(KeysBy::Strangers)
                .with_bytes(20_000_000),
        ),
        (
            "--keys 1e7 --need shared-insert,merge --threads 8",
            at_most().need(Need::SharedInsert).need(Need::Merge).with_threads(8),
        ),
        (
            "--keys 1e6 --values 8 --key-bytes 20 --static",
            million().need(Need::Values { bits: 8 }).with_key_bytes(20).built_once(),
        ),
        ("--keys 1e6 --absent 0", million().with_absent(0.0)),
        (
            "--keys 1e7 --count 10 --copies 3 --need remove --first time",
            at_most()
                .need(Need::Remove)
                .need(Need::Count { most: 10 })
                .with_copies(3.0)
                .with_first(First::Time),
        ),
        ("--keys 1e7 --forget", at_most().need(Need::Forget { generations: 8 })),
        (
            "--keys 1e6 --static --changes 5000 --key-bytes 30",
            million().built_once().with_changes(5000).with_key_bytes(30),
        ),
        ("--keys 1e6 --integers-below 3e6", million().with_integers_below(3_000_000)),
        ("--keys 1_000_000 --integers-below 2^64", million().with_integers_below(u64::MAX)),
        (
            "--keys 10^6 --fpr 2^-9 --filters 2^10 --bytes 2^31 --count 1e2",
            million()
                .with_fpr(1.0 / 512.0)
                .with_filters(1024)
                .with_bytes(1 << 31)
                .need(Need::Count { most: 100 }),
        ),
        (
            "--keys 1e6 --values 8 --fpr 0.1% --static",
            million().need(Need::Values { bits: 8 }).with_fpr(0.001).built_once(),
        ),
        (
            "--keys 1e3 --filters 500 --values 8 --static",
            Workload::new(Keys::AtMost(1000))
                .with_filters(500)
                .need(Need::Values { bits: 8 })
                .built_once(),
        ),
    ]
}

/// What the command says of an answer, in JSON.
fn told(answer: &Answer) -> Vec<Value> {
    // Read back from text, as the command's is.
    let one = |choice: &amq_advisor::Choice| {
        serde_json::json!({
            "bytes": choice.bytes,
            "bits_per_key": choice.bits_per_key,
            "build_bytes": choice.build_bytes,
            "fpr": choice.rate(),
            "check_bits": choice.check_bits(),
            "grown": choice.grown.map(|growth| {
                serde_json::json!({
                    "mean": growth.mean,
                    "least": growth.least,
                    "most": growth.most,
                })
            }),
            "insert_ns": choice.insert_ns,
            "query_ns": choice.query_ns,
            "remove_ns": choice.remove_ns,
            "tail_ns": choice.tail_ns,
            "type": choice.structure.type_name(),
            "cost_ns": choice.cost_ns,
            "reckoned": choice.reckoned,
            "what": choice.what,
            "code": choice.code,
            "reason": choice.reason,
        })
    };
    let text = Value::from_iter(answer.choices.iter().map(one)).to_string();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_command_answers_as_the_library_does() {
    let room = Room::new();
    for (options, workload) in asks() {
        let answer = choose(&workload);
        let run = room.amq(&format!("choose --json {options}"));
        let Ok(answer) = answer else {
            let said = answer.unwrap_err().to_string();
            let run = run.ends(2);
            assert!(run.err.contains(&said), "{options}: {said}");
            let json: Value = serde_json::from_str(&run.text()).unwrap();
            assert_eq!(json["error"], said, "{options}");
            continue;
        };
        let json: Value = serde_json::from_str(&run.ends(0).text()).unwrap();
        let mut choices = json["choices"].as_array().unwrap().clone();
        assert_eq!(choices.len(), answer.choices.len(), "{options}");
        for (choice, (told, of_library)) in
            choices.iter_mut().zip(told(&answer).iter().zip(&answer.choices))
        {
            let name = choice.as_object_mut().unwrap().remove("structure").unwrap();
            assert_eq!(choice, told, "{options}");
            assert_eq!(name, of_library.structure.id(), "{options}");
        }
        let rejected = json["rejections"].as_array().unwrap();
        assert_eq!(rejected.len(), answer.rejections.len(), "{options}");
        for (told, of_library) in rejected.iter().zip(&answer.rejections) {
            assert_eq!(told["reason"], of_library.reason.as_str(), "{options}");
        }
        assert_eq!(json["notes"], serde_json::json!(answer.notes), "{options}");
        let exact = answer.exact.iter().zip(json["exact"].as_array().unwrap());
        for (form, told) in exact {
            assert_eq!(told["structure"], form.structure.id(), "{options}");
            assert_eq!(told["bytes"], form.bytes, "{options}");
        }
    }
}

/// What to ask for the first page's rows, and the type that each names.
const FIRST_PAGE: [(&str, &str); 8] = [
    ("BloomFilter", "--keys 1e6 --fpr 1%"),
    ("BlockedBloomFilter", "--keys 1e6 --fpr 1% --first time"),
    ("RibbonFilter", "--keys 1e6 --fpr 1% --static"),
    ("CuckooFilter", "--keys 1e6 --need remove --first time"),
    ("QuotientFilter", "--keys 1e6 --need remove,merge,list"),
    ("ExpandableQuotientFilter", "--unknown-from 1e5 --fpr 1%"),
    ("CountingBloomFilter", "--keys 1e6 --count 10"),
    ("AtomicBlockedBloomFilter", "--keys 1e6 --need shared-insert --threads 8 --first time"),
];

/// Needs without a row, whose answer stands in another row or in the text.
const UNLISTED: [(&str, &str); 8] = [
    ("QuotientFilter", "--keys 1e6 --need grow"),
    ("RibbonFilter", "--keys 1e6 --bits-per-key 2 --static"),
    ("BlockedBloomFilter", "--keys 1e7 --fpr 1% --absent 10% --first time"),
    ("WindowedCuckooFilter", "--keys 1e6 --need remove"),
    ("CountingBloomFilter", "--keys 1e6 --count 5 --forget 7"),
    ("", "--keys 1e6 --count 100"),
    ("Sharded", "--keys 1e6 --need shared-insert,remove --threads 8"),
    ("RibbonFilter", "--keys 1e6 --fpr 0.1% --static"),
];

fn page(path: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// The cells of a page's rows that end in a question for the command; what is asked is the last.
fn asked_rows(page: &str) -> Vec<Vec<&str>> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains("`--"));
    rows.map(|line| {
        let mut cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        *cells.last_mut().unwrap() = cells.last().unwrap().trim_matches('`');
        cells
    })
    .collect()
}

/// The first word in backticks.
fn quoted(cell: &str) -> String {
    cell.split('`').nth(1).unwrap_or_default().to_owned()
}

/// Every question of the pages that has an answer, with the type that comes first: none where no
/// filter does.
pub(crate) fn rows() -> Vec<(String, String)> {
    let choosing = page("crates/amq/CHOOSING.md");
    let choosing = asked_rows(&choosing).into_iter().filter_map(|cells| match cells[..] {
        [_, take, _, ask] => Some((quoted(take), ask.to_owned())),
        _ => None,
    });
    let others = FIRST_PAGE.iter().chain(&UNLISTED);
    others.map(|&(named, ask)| (named.to_owned(), ask.to_owned())).chain(choosing).collect()
}

#[test]
fn the_pages_name_what_the_command_answers() {
    let room = Room::new();
    let rows = rows();
    assert!(rows.len() >= 35, "{}", rows.len());
    for (named, options) in rows {
        let run = room.amq(&format!("choose --json {options}")).ends(0);
        let json: Value = serde_json::from_str(&run.text()).unwrap();
        let first = &json["choices"][0];
        let of_type = first["type"].as_str().unwrap();
        let of_type = of_type.split('<').next().unwrap();
        assert_eq!(of_type, named, "{options}: {first}");
    }
    // The first page's rows are those asked above, in their order.
    let page = page("README.md");
    let table = page.lines().filter(|line| line.starts_with("| ") && line.contains("](crates/"));
    assert_eq!(table.map(quoted).collect::<Vec<_>>(), FIRST_PAGE.map(|(named, _)| named));
}

/// A reader compares rows, and does not read them.
#[test]
fn the_page_on_choosing_is_short() {
    let page = page("crates/amq/CHOOSING.md");
    let rows = asked_rows(&page);
    assert!((20..=28).contains(&rows.len()), "{} rows", rows.len());
    for cells in rows {
        let (_, said) = cells.split_last().unwrap();
        let words: usize = said.iter().map(|cell| cell.split_whitespace().count()).sum();
        assert!(words <= 30, "{words} words: {said:?}");
    }
}

/// Sizes and rates that a row names are those of the answer.
#[test]
fn the_numbers_of_the_page_on_choosing_are_the_answers() {
    let room = Room::new();
    let page = page("crates/amq/CHOOSING.md");
    let answers = |ask: &str| -> Vec<Value> {
        let run = room.amq(&format!("choose --json {ask}")).ends(0);
        let json: Value = serde_json::from_str(&run.text()).unwrap();
        json["choices"].as_array().unwrap().clone()
    };
    let of = |ask: &str, id: &str| {
        let all = answers(ask);
        all.iter().find(|of| of["structure"] == id).unwrap().clone()
    };
    let bits = |of: &Value| format!("{:.1} ", of["bits_per_key"].as_f64().unwrap());
    let percent =
        |of: &Value, digits: usize| format!("{:.digits$} %", of["fpr"].as_f64().unwrap() * 100.0);
    let row = |ask: &str| {
        let end = format!("| `{ask}` |");
        page.lines().find(|line| line.ends_with(&end)).unwrap().to_owned()
    };
    for ask in [
        "--keys 1e6 --static --fpr 0.4% --bits-per-key 9.1 --first time",
        "--keys 1e6 --fpr 0.1% --static --changes 100000",
        "--keys 1e6 --fpr 0.1%",
        "--keys 1e6 --need remove --copies 2",
        "--keys 1e6 --forget 7",
        "--keys 1e6 --need shared-insert --threads 8",
    ] {
        let said = bits(&answers(ask)[0]);
        assert!(row(ask).contains(&said), "{ask}: {said}");
    }
    let ask = "--keys 1e6 --static --fpr 0.4% --bits-per-key 9.1 --first time";
    assert!(row(ask).contains(&percent(&answers(ask)[0], 2)));
    let ask = "--keys 3e5 --static --bytes 523904";
    assert!(row(ask).contains(&percent(&answers(ask)[0], 4)));
    assert!(row(ask).contains(&percent(&of(ask, "bloom"), 2)));
    let ask = "--keys 1e6 --fpr 0.1%";
    assert!(row(ask).contains(&bits(&of(ask, "bloom"))));
    let ask = "--keys 12 --filters 1e6 --fpr 1%";
    for (id, said) in [("bloom", "16 bytes for 12 keys"), ("scalable", "filter needs 24")] {
        assert!(said.contains(&of(ask, id)["bytes"].to_string()) && row(ask).contains(said));
    }
    // A level of a tenth of the keys, at a tenth of the rate.
    let ask = "--keys 1e5 --fpr 0.1% --static";
    let more = [ask, "--keys 1e6 --fpr 1% --static"]
        .map(|ask| answers(ask)[0]["bits_per_key"].as_f64().unwrap());
    assert!(row(ask).contains(&format!("{:.1} more bits", more[0] - more[1])), "{more:?}");
    let [long, middle, short] = ["0.1%", "1%", "10%"]
        .map(|fpr| answers(&format!("--keys 1e6 --static --fpr {fpr}"))[0]["bits_per_key"].clone())
        .map(|bits| format!("{:.1}", bits.as_f64().unwrap()));
    let ladder = format!("keeps {long}, {middle} or {short} of its bits per key");
    assert!(row("--keys 1e6 --static --fpr 0.01% --need truncate").contains(&ladder), "{ladder}");
    let ask = "--keys 1e6 --count 10 --copies 3";
    let of_copy = answers(ask)[0]["bits_per_key"].as_f64().unwrap() / 3.0;
    assert!(row(ask).contains(&format!("{of_copy:.1} bits per copy")), "{of_copy}");
    let grown = bits(&answers("--keys 1e6 --need grow")[0]);
    assert!(page.contains(&format!("needs {grown}bits per key at the end")), "{grown}");
    let ask = "--keys 1e6 --need remove --first tail";
    let tail = |id| of(ask, id)["tail_ns"].as_f64().unwrap() / 1000.0;
    assert!(row(ask).contains(&format!("{:.1} µs", tail("quotient"))));
    assert!(row(ask).contains(&format!("Filter`, {:.0} µs.", tail("windowed-cuckoo"))));
}

/// What a thousand sets take, of which three pages speak, is what the command says of them.
#[test]
fn the_numbers_of_many_sets_are_the_answers() {
    let room = Room::new();
    let run = room.amq("choose --json --keys 1e4 --filters 1000 --need which-set").ends(2);
    let json: Value = serde_json::from_str(&run.text()).unwrap();
    let said = json["instead"][0]["take"].as_str().unwrap();
    let bits: Vec<&str> =
        said.split(" bits per key").map(|text| text.rsplit(' ').next().unwrap()).collect();
    let [filter, map, _] = bits[..] else { panic!("{said}") };
    for (path, of_map, of_filter) in [
        (
            "crates/amq/CHOOSING.md",
            "# bits per key return one candidate",
            "of # bits per key return about",
        ),
        (
            "crates/amq-interleaved/README.md",
            "in # bits per key. An",
            "filter of # bits per key also",
        ),
        ("crates/amq-interleaved/src/lib.rs", "takes # bits per key", "At # bits per key an"),
    ] {
        let text = page(path).replace("//!", "");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for (words, bits) in [(of_map, map), (of_filter, filter)] {
            let words = words.replace('#', bits);
            assert!(text.contains(&words), "{path}: {words}");
        }
    }
}

/// The worked choice adds up, and is what the command answers.
#[test]
fn the_worked_choice_is_that_of_the_command() {
    let room = Room::new();
    let page = page("crates/amq/CHOOSING.md");
    let (_, worked) = page.split_once("## A worked choice").unwrap();
    let commands: Vec<&str> = worked.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let [choose, build] = commands[..] else { panic!("{commands:?}") };
    let ask = choose.strip_prefix("amq ").unwrap();
    let answer = |ask: &str| -> Value {
        serde_json::from_str(&room.amq(&format!("{ask} --json")).ends(0).text()).unwrap()
    };
    let json = answer(ask);
    let best = &json["choices"][0];
    let number = |of: &Value, name: &str| of[name].as_f64().unwrap();
    assert_eq!(best["type"], "RibbonFilter");
    assert!(worked.contains("none is removed: `RibbonFilter`"));
    let kind = best["structure"].as_str().unwrap();
    let goal = amq::Goal::fpr(1_000_000, 0.01);
    let plan = amq::AnyFilter::plan(kind.parse().unwrap(), goal).unwrap();
    let bloom = json["choices"].as_array().unwrap().iter().find(|of| of["structure"] == "bloom");
    let bloom = number(bloom.unwrap(), "fpr");
    // In ns per query.
    let absent = 0.9 * 100_000.0;
    let [rate, bits] = [number(best, "fpr"), number(best, "bits_per_key")];
    assert_eq!(number(&json, "without_ns"), absent);
    let worked = worked.split_whitespace().collect::<Vec<_>>().join(" ");
    let [plan_bits, plan_bytes] = [plan.bits_per_key(), plan.bytes as f64];
    for said in [
        format!("0.9 × 100 µs = {} µs per query", absent / 1000.0),
        format!("{plan_bits:.2} bits per key, {:.0} kB", plan_bytes / 1000.0),
        format!("90 µs × 1 % = {} ns per query", absent * 0.01),
        format!("{bits:.2} bits per key, {:.2} MB", number(best, "bytes") / 1e6),
        format!("the rate is {:.4} %. False positives cost {:.1} ns", rate * 100.0, absent * rate),
        format!("{} kB and saves {:.1} ns", 1_000_000 / 8 / 1000, absent * rate / 2.0),
        format!("reaches {:.3} %: false positives cost {:.0} ns", bloom * 100.0, absent * bloom),
    ] {
        assert!(worked.contains(&said), "{said}");
    }
    assert!(number(best, "query_ns") > absent * rate / 2.0);
    assert_eq!(
        build,
        json["build"].as_str().unwrap().replace("FILE", "run.amq").replace("KEYS", "keys.txt")
    );
    assert_eq!(room.bash(build).status, Some(0));
}

#[test]
fn what_no_filter_does_is_said_in_the_words_of_the_page() {
    let room = Room::new();
    let choosing = page("crates/amq/CHOOSING.md");
    let rows = asked_rows(&choosing);
    for ask in [
        "--keys 1e6 --need range",
        "--keys 1e6 --need reconcile",
        "--keys 1e4 --filters 1000 --need which-set",
    ] {
        let row = rows.iter().find(|row| row.last() == Some(&ask)).unwrap();
        let [wanted, take, _] = row[..] else { panic!("{row:?}") };
        // The page has the beginning of the answer.
        let run = room.amq(&format!("choose {ask}")).ends(2);
        let of = if ask.contains("which-set") { "a single set" } else { "this family" };
        let said = format!("no filter of {of} {wanted}: take {take}");
        assert!(run.err.contains(&said), "{said}: {}", run.err);
    }
}

/// A program that asks in JSON is answered in JSON, whatever the answer.
#[test]
fn what_has_no_answer_is_told_in_json_with_the_same_facts() {
    let room = Room::new();
    let told = |options: &str| {
        let run = room.amq(&format!("choose --json {options}")).ends(2);
        let json: Value = serde_json::from_str(&run.text()).unwrap();
        assert_eq!(run.err, format!("amq: {}\n", json["error"].as_str().unwrap()), "{options}");
        assert!(run.err.len() > 20, "{options}");
        json
    };
    let conflict = told("--keys 1e6 --fpr 1% --bits-per-key 8 --need remove");
    let demands = ["removing keys", "a false-positive rate of 1 %", "at most 8 bits per key"];
    assert_eq!(conflict["demands"], serde_json::json!(demands));
    let ways = conflict["ways_out"].as_array().unwrap();
    assert_eq!(ways.len(), 2, "{conflict}");
    for way in ways {
        let without = format!("drop {} and take", way["without"]);
        assert!(conflict["error"].as_str().unwrap().contains(&without), "{without}: {conflict}");
        assert!(way["choice"]["bytes"].as_u64().unwrap() > 0, "{way}");
    }
    let beyond = told("--keys 1e6 --need range,reconcile --changes 50 --fpr 0.1%");
    let needs: Vec<_> = beyond["instead"].as_array().unwrap().iter().collect();
    assert_eq!([&needs[0]["need"], &needs[1]["need"]], ["range", "reconcile"]);
    assert_eq!((&needs[0]["bytes"], &needs[1]["bytes"]), (&5_758_554.into(), &400.into()));
    let both = told("--unknown-from 100 --static");
    assert_eq!(both["demands"].as_array().unwrap().len(), 2, "{both}");
    assert_eq!(told("--keys 0")["demands"], serde_json::json!(["keys"]));
    // Where the command line itself is wrong, too, for any command.
    for (line, said) in [
        ("choose --keys 1e6 --fpr 0 --json", "strictly between 0 and 1"),
        ("choose --json --keys 1e6 --fprr 1%", "--fprr"),
        ("choose --json", "--keys"),
        ("choose --json --keys 1e6 --need delete", "a similar value exists: 'remove'"),
        ("choose --json --keys 1e6 --need forget", "that is an option: '--forget'"),
        ("choose --json --keys 1e6 --bytes 8bit", "not a size"),
        ("info --json --bogus", "--bogus"),
    ] {
        let run = room.amq(line).ends(2);
        let json: Value = serde_json::from_str(&run.text()).unwrap();
        let error = json["error"].as_str().unwrap();
        assert!(error.contains(said) && run.err.contains(said), "{line}: {run:?}");
    }
    assert_eq!(room.amq("choose --fpr 0").ends(2).text(), "");
}

/// What is printed is what one can run: every key is in the filter then, however often it comes.
#[test]
fn the_line_that_builds_the_first_works_as_it_stands() {
    const KEYS: u32 = 8000;
    let room = Room::new();
    room.write("KEY", "0f".repeat(16));
    room.bash("chmod 600 KEY");
    let (mut run, mut unique) = (0, 0);
    for keys in ["--keys 8000", "--unknown-from 8000"] {
        for (use_of, copies) in [
            ("", 1),
            ("--static", 1),
            ("--static --copies 3", 3),
            ("--copies 3", 3),
            ("--need remove --copies 20", 20),
            ("--need remove,merge", 1),
            ("--need merge --static", 1),
            ("--need grow --copies 2", 2),
            ("--count 5 --need remove", 5),
            ("--count 14 --copies 2", 2),
            ("--strangers --need remove", 1),
        ] {
            for target in ["--fpr 0.1%", "--bits-per-key 15", "--bytes 60kB"] {
                for first in ["", "--first time", "--first tail"] {
                    let options = format!("{keys} {use_of} {target} {first}");
                    let answer = room.amq(&format!("choose --json {options}"));
                    let json: Value = serde_json::from_str(&answer.text()).unwrap();
                    let Some(line) = json["build"].as_str() else { continue };
                    room.write("KEYS", numbered(1..=KEYS).repeat(copies));
                    let line = line.replacen(" -o ", " -q -f -o ", 1);
                    let built = room.amq(line.strip_prefix("amq ").unwrap());
                    assert_eq!(built.status, Some(0), "{options}: {line}\n{}", built.err);
                    let key = if line.contains("--key-file") { "--key-file KEY" } else { "" };
                    let found = room.amq(&format!("query -c {key} FILE KEYS")).ends(0).text();
                    assert_eq!(found, format!("{}\n", KEYS as usize * copies), "{options}");
                    (run, unique) = (run + 1, unique + usize::from(line.contains(" --unique ")));
                }
            }
        }
    }
    assert!(run > 110 && unique > 20, "{run} {unique}");
}

/// What is built as told takes the keys that were planned, and parts of it merge.
#[test]
fn the_line_that_builds_the_first_plans_for_the_keys_asked() {
    let room = Room::new();
    let line = |options: &str| {
        let words = room.amq(&format!("choose {options}")).ends(0).text();
        let json = room.amq(&format!("choose --json {options}")).ends(0).text();
        let told: Value = serde_json::from_str(&json).unwrap();
        let build = told["build"].as_str().map(str::to_owned);
        let shown = words.lines().find_map(|line| line.strip_prefix("To build the first: amq "));
        assert_eq!(shown.map(|line| format!("amq {line}")), build, "{options}");
        build.unwrap_or_default()
    };
    let build = line("--keys 20000 --fpr 0.1% --need merge,remove");
    assert!(build.contains("--kind quotient --fpr 0.001 --keys 20000"), "{build}");
    for (file, keys) in [("few.amq", "keys.txt"), ("more.amq", "more.txt")] {
        let told = build.replace("FILE", file).replace("KEYS", keys);
        room.amq(told.strip_prefix("amq ").unwrap()).ends(0);
    }
    room.amq("merge -q -o all.amq few.amq more.amq").ends(0);
    assert_eq!(room.amq("query all.amq keys.txt more.txt").ends(0).lines(), 2001);
    // There is room for the rest of those that were planned.
    room.bash("seq 1 17000 > rest.txt");
    room.amq("insert -q all.amq rest.txt").ends(0);
    let copies = line("--keys 20000 --count 5 --copies 1.5");
    assert!(copies.contains("--keys 30000"), "{copies}");
    assert!(!line("--keys 20000 --fpr 0.1% --static").contains("--keys"));
    assert!(line("--keys 1e9 --fpr 1% --static").contains(" --memory 18GB "));
    assert_eq!(line("--keys 20000 --values 8 --static"), "");
    // The command builds at full size.
    assert_eq!(line("--keys 1e6 --fpr 1% --need grow"), "");
    let told = |options: &str| room.amq(&format!("choose --keys 20000 {options}")).ends(0).text();
    let shared = told("--fpr 1% --need shared-insert,files,remove --threads 2");
    let code = "The first in Rust:\n  use amq::{Goal, WindowedCuckooFilter, sharded::Sharded};\n  let \
                filter = Sharded::<WindowedCuckooFilter>::new(Goal::fpr(20000, 0.01), 8)?;\n";
    assert!(shared.ends_with(code), "{shared}");
    let map = told("--values 8 --static");
    assert!(
        map.ends_with("  use amq::RibbonMap;\n  let map = RibbonMap::build(8, pairs)?;\n"),
        "{map}"
    );
}

/// A size is the table's; the file is larger by what the answer says, and fits if that is left
/// free.
#[test]
fn the_file_that_the_answers_line_builds_has_its_size() {
    let room = Room::new();
    let mut larger = 0;
    for keys in [2000u32, 8000, 85_000] {
        room.write("KEYS", numbered(1..=keys));
        for use_of in ["--static", "", "--need remove", "--first time", "--need remove,merge,list"]
        {
            for bits in [3, 7, 12] {
                let size = u64::from(keys * bits / 8);
                let built = |bytes: u64| {
                    let ask = format!("choose --json --keys {keys} --bytes {bytes} {use_of}");
                    let json: Value = serde_json::from_str(&room.amq(&ask).text()).unwrap();
                    let line = json["build"].as_str()?.replacen("amq build", "build -q -f", 1);
                    room.amq(&line).ends(0);
                    let notes = json["notes"].to_string();
                    let more = notes.split_once("A file has up to ").map(|(_, rest)| {
                        let mut words = rest.split(' ');
                        let number: f64 = words.next().unwrap().parse().unwrap();
                        let unit = if words.next() == Some("kB") { 1000.0 } else { 1.0 };
                        (number * unit) as u64
                    });
                    Some((room.read("FILE").len() as u64, more))
                };
                let Some((file, more)) = built(size) else { continue };
                if file > size {
                    let more = more.unwrap_or_else(|| panic!("{keys} {size} {use_of}: {file}"));
                    let Some((less, _)) = size.checked_sub(more).and_then(built) else { continue };
                    assert!(less <= size, "{keys} {size} {use_of}: {less}");
                    larger += 1;
                }
            }
        }
    }
    assert!(larger > 20, "{larger}");
    let told = room.amq("choose --keys 85000 --static --bytes 128kB").ends(0).text();
    assert!(told.contains("A file has up to 1.15 kB more than its table"), "{told}");
    assert!(!room.amq("choose --keys 85000 --static").text().contains("A file has up to"));
}

#[test]
fn the_help_says_what_each_need_is_and_what_numbers_count() {
    let help = Room::new().amq("choose --help").ends(0).text();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for (word, about, _) in Need::WORDS {
        assert!(help.contains(&format!("{word}: {}", about.to_lowercase())), "{word}: {help}");
    }
    for said in [
        "list the hashes it stores, not the keys",
        "The most bytes of the tables of all filters together, without file headers",
        "one of N periods at a time: the last N - 1 are remembered whole",
        "1000000, 1_000_000 or 1e6; with --forget, in all periods together",
        "for filters to be merged, --keys is the union's",
    ] {
        assert!(help.contains(said), "{said}: {help}");
    }
}

/// What a reader has in front of him: a screen of help, and a few lines of answer.
#[test]
fn help_and_answers_are_short() {
    let room = Room::new();
    let help = room.amq("choose --help").ends(0).text();
    assert!(help.lines().count() <= 60, "{}", help.lines().count());
    let long = ["1e6 --fpr 1%", "30e6 --fpr 0.1%"]
        .map(|keys| (String::new(), format!("--keys {keys} --need remove --strangers")));
    for (_, options) in rows().into_iter().chain(long) {
        let text = room.amq(&format!("choose {options}")).ends(0).text();
        let words = text.split_whitespace().count();
        let rows = text.lines().skip(1).take_while(|line| !line.is_empty()).count();
        assert!(words <= 120 && rows <= 5, "{words} words, {rows} rows: {options}\n{text}");
    }
}
