//! What tells about filters: info, plans, advice, timings, the manual.

use crate::room::{KINDS, Room, field, have};
use amq::{Abilities, FilterFile, FilterKind};
use serde_json::{Value, json};
use std::fs;

#[test]
fn verify_tells_the_whole_from_the_damaged() {
    let room = Room::with_filter();
    let run = room.amq("verify seen.amq").ends(0);
    assert!(
        run.text().starts_with("seen.amq: bloom, ") && run.text().ends_with(": whole\n"),
        "{run:?}"
    );
    let mut bytes = room.read("seen.amq");
    bytes[400] ^= 1;
    room.write("bad.amq", bytes);
    let run = room.amq("verify bad.amq seen.amq").ends(2);
    assert!(run.err.contains("bad.amq: the payload is damaged"), "{run:?}");
    assert_eq!(run.lines(), 1);
    room.amq("verify -q seen.amq").ends(0);
    // One of the library's alone is no damage.
    let goal = amq::Goal::fpr(100, 0.01);
    let sharded = amq::sharded::Sharded::<amq::BloomFilter>::new(goal, 2).unwrap();
    sharded.save(room.path("shards.amq")).unwrap();
    let unread = "not read, so not checked: 1 of ";
    let run = room.amq("verify shards.amq seen.amq").ends(2);
    assert!(run.err.contains(&format!("{unread}2 files")), "{run:?}");
    assert!(!run.err.contains("damaged"), "{run:?}");
    let run = room.amq("verify shards.amq bad.amq seen.amq").ends(2);
    assert!(run.err.contains("damaged, or not a filter: 1 of 3 files; not read"), "{run:?}");
}

#[test]
fn a_filter_of_callers_hashes_refuses_keys_and_says_why() {
    let room = Room::with_filter();
    let made = |name: &str, hash: u64| {
        let goal = amq::Goal::fpr(100, 0.01);
        let mut filter = amq::Prehashed::<amq::CuckooFilter>::new(goal).unwrap();
        filter.insert_hash(amq::KeyHash::new(hash)).unwrap();
        room.write(name, filter.to_bytes().unwrap());
    };
    made("by.amq", 1 << 60);
    made("too.amq", 1 << 61);
    let before = room.read("by.amq");
    for command in [
        "query by.amq more.txt",
        "query -v by.amq more.txt",
        "insert by.amq more.txt",
        "remove by.amq more.txt",
        "build -o new.amq --fpr 1% --seed-of by.amq keys.txt",
    ] {
        let run = room.amq(command).ends(2);
        assert!(run.out.is_empty(), "{run:?}");
        let why = "by.amq: its keys were hashed by the program that made it";
        assert!(run.err.contains(why), "{run:?}");
    }
    assert_eq!(room.read("by.amq"), before);
    let text = room.amq("info by.amq").ends(0).text();
    assert!(text.contains("that of the program that made the filter"), "{text}");
    let text = room.amq("info --json by.amq").ends(0).text();
    assert_eq!(field(&text, "seed"), "null");
    room.amq("verify -q by.amq").ends(0);
    room.amq("merge -q -o both.amq by.amq too.amq").ends(0);
    let text = room.amq("info both.amq").ends(0).text();
    assert!(text.contains("2 of ") && text.contains("that of the program"), "{text}");
    let own = amq::CuckooFilter::new(amq::Goal::fpr(100, 0.01)).unwrap();
    room.write("own.amq", FilterFile::to_bytes(&own).unwrap());
    let run = room.amq("merge -q -o no.amq by.amq own.amq").ends(2);
    let why = "the filters hash keys in different ways";
    assert!(run.err.contains(why), "{run:?}");
}

#[test]
fn info_says_what_a_filter_is_and_keeps_its_secret() {
    let room = Room::with_filter();
    let text = room.amq("info seen.amq").ends(0).text();
    for part in
        ["seen.amq: Bloom filter\n", "asked for    a rate of 1.00 %\n", "seed         public"]
    {
        assert!(text.contains(part), "{text}");
    }
    room.amq("build -q -o s.amq --fpr 1% --seed 0xdeadbeef keys.txt").ends(0);
    for option in ["", "--json"] {
        let text = room.amq(&format!("info s.amq {option}")).ends(0).text();
        assert!(
            !text.contains("3735928559") && !text.to_lowercase().contains("deadbeef"),
            "{text}"
        );
        assert!(text.contains("secret"), "{text}");
    }
    room.amq("build -q -o t.amq --bits-per-key 9.5 --secret keys.txt").ends(0);
    room.amq("build -q -o u.amq --bits-per-key 9.5 --secret keys.txt").ends(0);
    assert_ne!(room.read("t.amq"), room.read("u.amq"));
    let json = room.amq("info --json t.amq u.amq seen.amq").ends(0).text();
    assert_eq!(json.lines().count(), 3);
    assert_eq!(field(&json, "bits_per_key"), "9.5}".trim_end_matches('}'));
    assert!(json.lines().all(|line| line.starts_with("{\"file\":") && line.ends_with("}}")));
    room.pipe("build -q -o empty.amq --fpr 1%", "").ends(0);
    let json = room.amq("info --json empty.amq").ends(0).text();
    assert_eq!(field(&json, "keys"), "0");
}

#[test]
fn bits_per_key_of_a_union_are_those_of_its_different_keys() {
    let room = Room::new();
    let lines = |keys: std::ops::Range<u32>| keys.map(|key| format!("{key}\n")).collect::<String>();
    room.pipe("build -q -o a.amq --fpr 1%", lines(0..10_000)).ends(0);
    room.pipe("build -q -o b.amq --fpr 1%", lines(2_000..12_000)).ends(0);
    room.amq("merge -q -o both.amq a.amq b.amq").ends(0);
    let json = room.amq("info --json both.amq").ends(0).text();
    let number = |name| field(&json, name).parse::<f64>().unwrap();
    // 20,000 were counted, and 12,000 are different.
    assert!((19_900.0..=20_000.0).contains(&number("keys")));
    let bits = 8.0 * number("bytes") / 12_000.0;
    assert!((number("bits_per_key") / bits - 1.0).abs() < 0.02, "{json}");
    let text = room.amq("info both.amq").ends(0).text();
    assert!(
        text.contains(&format!("{:.2} bits per different key", number("bits_per_key"))),
        "{text}"
    );
}

#[test]
fn choose_ranks_gives_reasons_and_names_what_conflicts() {
    let room = Room::new();
    let text = room.amq("choose --keys 1e6 --fpr 1% --static").ends(0).text();
    assert!(text.lines().nth(1).unwrap().starts_with("ribbon "), "{text}");
    assert!(text.ends_with("amq build -o FILE --kind ribbon --fpr 0.01 KEYS\n"), "{text}");
    // The library gives the same answer: the page's own vignette.
    let json = room.amq("choose --keys 1e6 --fpr 1% --static --json").ends(0).text();
    assert_eq!(field(&json, "structure"), "\"ribbon\"", "{json}");
    room.amq("choose --keys 1e6 --bits-per-key 2 --need remove --fpr 1%").refused(&[
        "no filter offers both a false-positive rate of 1 % and at most 2 bits per key",
        "drop \"a false-positive rate of 1 %\" and take",
    ]);
    room.amq("choose --fpr 1%").refused(&["--keys <N>|--unknown-from <N>"]);
    room.amq("choose --keys 5 --unknown-from 6").refused(&["cannot be used with"]);
    room.amq("choose --keys -5").refused(&["cannot be negative"]);
    room.amq("choose --keys 5 --absent 2").refused(&["a share is from 0 to 1"]);
    room.amq("choose --keys 5 --false-positive 20").refused(&["say which unit"]);
    room.amq("choose --keys 5 --queries-per-key 0").refused(&["positive"]);
    // Every query present: no filter at all.
    let json = room.amq("choose --keys 1e6 --absent 0 --json").ends(0).text();
    assert_eq!(field(&json, "structure"), "\"none\"", "{json}");
    for need in ["remove", "list", "merge", "grow", "shared-insert", "files"] {
        let json = room.amq(&format!("choose --keys 1e6 --json --need {need}")).ends(0).text();
        assert!(json.starts_with("{\"choices\":[{"), "{need}: {json}");
    }
    for option in ["--count 3", "--values 8 --static", "--strangers", "--threads 4", "--lookup 1us"]
    {
        room.amq(&format!("choose --keys 1e6 {option}")).ends(0);
    }
}

#[test]
fn completions_and_manual_name_every_command() {
    let room = Room::new();
    let help = room.amq("--help").ends(0).text();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands: Vec<&str> = commands
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|&name| name != "help")
        .collect();
    assert!(commands.len() >= 13, "{commands:?}");
    // All commands, and the values of --kind: those of build, and those of dedupe, which inserts.
    let inserts = |kind: &str| Abilities::of(FilterKind::from_id(kind).unwrap()).insert;
    let least = |kind: &str| if inserts(kind) { 2 } else { 1 };
    for shell in ["bash", "zsh", "fish"] {
        let text = room.amq(&format!("completions {shell}")).ends(0).text();
        assert!(commands.iter().all(|name| text.contains(name)), "{shell}");
        assert!(KINDS.iter().all(|kind| text.matches(kind).count() >= least(kind)), "{shell}");
        assert!(!text.contains("ribbon-bumped"), "{shell} shows hidden names");
    }
    let typed = "source <(amq completions bash); COMP_WORDS=(amq build --kind expa); COMP_CWORD=3;
        _amq amq expa --kind; echo ${COMPREPLY[@]}";
    assert_eq!(room.bash(typed).ends(0).text(), "expandable-quotient\n");
    // The scripts of these shells ask the program.
    for (shell, asks) in [
        ("powershell", "AMQ_COMPLETE=powershell amq --"),
        ("elvish", "_CLAP_IFS=$'\\n' _CLAP_COMPLETE_INDEX=3 AMQ_COMPLETE=elvish amq --"),
    ] {
        let text = room.amq(&format!("completions {shell}")).ends(0).text();
        assert!(text.contains("AMQ_COMPLETE") && text.contains("amq --"), "{shell}: {text}");
        let told = room.bash(&format!("{asks} amq build --kind ''")).ends(0).text();
        assert!(KINDS.iter().all(|kind| told.contains(kind)), "{shell}: {told}");
        let told = room.bash(&format!("{asks} amq build --kind bloom,expa")).ends(0).text();
        // The name, and what it is.
        assert_eq!(told.split('\t').next(), Some("bloom,expandable-quotient"), "{shell}");
    }
    room.bash("bash -n <(amq completions bash)").ends(0);
    room.amq("man --dir pages/man1").ends(0);
    for name in &commands {
        let page = fs::read_to_string(room.path(format!("pages/man1/amq-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&format!("amq\\-{name}")), "{page}");
        let synopsis = page.split(".SH SYNOPSIS\n").nth(1).unwrap().lines().next().unwrap();
        for option in ["seed", "kind", "memory", "threads", "fpr", "key"] {
            let bare = [format!("{option}]"), format!("{option}\\fR]")];
            assert!(bare.iter().all(|bare| !synopsis.contains(bare)), "no value: {synopsis}");
        }
        // Emphasis of Markdown is none here; roff's own string is.
        assert!(!page.replace("\\*(Aq", "'").contains('*'), "{page}");
        assert_eq!(room.amq(&format!("man {name}")).ends(0).text(), page);
        if have("groff", &["--version"]) {
            let run =
                room.bash(&format!("groff -man -Tutf8 -ww pages/man1/amq-{name}.1 > /dev/null"));
            assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
        }
    }
    room.amq("man nonsense").refused(&["there is no command nonsense"]);
}

/// A terminal has 80 columns unless somebody has made it wider.
#[test]
fn tables_and_sentences_fit_80_columns() {
    let room = Room::new();
    for command in [
        "choose --keys 1e6",
        "choose --keys 1e6 --static --fpr 0.3%",
        "choose --keys 1e7 --threads 8 --need remove",
        "choose --unknown-from 1000 --fpr 1e-6",
        "choose --keys 1e6 --values 8 --static",
    ] {
        let text = room.amq(command).ends(0).text();
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        let told = |line: &&str| line.starts_with("To build");
        assert!(long.iter().all(told), "amq {command}: {long:?}");
    }
}

/// Names of earlier versions, of the report, and words in another order are read with a note.
#[test]
fn old_names_of_kinds_still_work_and_name_the_new_ones() {
    let room = Room::new();
    for (old, new) in [
        ("bumped-ribbon", "ribbon"),
        ("ribbon-bumped", "ribbon"),
        ("standard-ribbon", "ribbon"),
        ("ribbon-narrow", "ribbon"),
        ("RIBBON-WIDE", "ribbon"),
        ("ribbon-bumped-wide", "ribbon"),
        ("cuckoo-windowed", "windowed-cuckoo"),
        ("blocked-scalable", "scalable-blocked"),
        ("split-block", "blocked-bloom"),
        ("counting-bloom", "counting"),
    ] {
        let run = room.amq(&format!("build -q -f -o f.amq --fpr 1% --kind {old} keys.txt")).ends(0);
        assert_eq!(run.err, format!("amq: {old} filters are --kind {new} now\n"));
        let info = room.amq("info --json f.amq").ends(0).text();
        assert_eq!(field(&info, "kind"), format!("\"{new}\""));
        let run = room.amq(&format!("build -q -f -o f.amq --fpr 1% --kind {new} keys.txt")).ends(0);
        assert_eq!(run.err, "", "{new}");
    }
    let run = room.amq("build -q -f -o f.amq --fpr 1% --kind Bloom keys.txt").ends(0);
    assert_eq!(run.err, "", "only the case is another");
    room.amq("build -o f.amq --fpr 1% --kind ribon keys.txt").refused(&["ribon", "'ribbon'"]);
    let run = room.amq("build --help").ends(0).text();
    assert!(KINDS.iter().all(|kind| run.contains(&format!("- {kind}:"))), "{run}");
}

/// What `choose` names can be given to --kind, and means the same.
#[test]
fn choose_and_build_have_the_same_names_for_kinds() {
    let room = Room::new();
    let text = room.amq("choose --keys 4001 --static --json").ends(0).text();
    let json: Value = serde_json::from_str(&text).unwrap();
    let choices = json["choices"].as_array().unwrap().iter();
    let names: Vec<&str> = choices.filter_map(|choice| choice["structure"].as_str()).collect();
    assert_eq!(names.len(), KINDS.len(), "{text}");
    for name in names {
        assert!(KINDS.contains(&name), "{name}");
        room.amq(&format!("build -q -f -o f.amq --fpr 1% --kind {name} keys.txt")).ends(0);
        let info = room.amq("info --json f.amq").ends(0).text();
        assert_eq!(field(&info, "kind"), format!("\"{name}\""));
    }
}

#[test]
fn json_has_what_a_script_wants() {
    let room = Room::with_filter();
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let run = room.amq("query --json seen.amq keys.txt more.txt").ends(0);
    let told = read(&run.text());
    assert_eq!((&told["asked"], &told["filter"]), (&json!(2001), &json!("seen.amq")));
    let denied = room.amq("query -vc seen.amq keys.txt more.txt").text();
    assert_eq!(told["denied"].to_string(), denied.trim());
    assert_eq!(told["found"].as_u64().unwrap() + told["denied"].as_u64().unwrap(), 2001);
    let rate = told["rate"].as_f64().unwrap();
    assert!((0.009..0.011).contains(&rate), "{told}");
    // The same numbers whatever is looked for; the status is that of the lines.
    let inverted = room.amq("query -v --json seen.amq keys.txt more.txt").ends(0);
    assert_eq!(read(&inverted.text()), told);
    room.amq("query --json seen.amq -e nobody").ends(1);
    room.amq("query -v --json seen.amq -e key1").ends(1);
    let run = room.amq("query --json -c seen.amq keys.txt").ends(2);
    assert!(run.err.contains("cannot be used with"), "{run:?}");
    assert!(read(&run.text())["error"].as_str().unwrap().contains("cannot be used with"));

    let run = room.amq("verify --json seen.amq keys.txt").ends(2);
    let lines: Vec<Value> = run.text().lines().map(read).collect();
    assert_eq!((&lines[0]["whole"], &lines[0]["kind"]), (&json!(true), &json!("bloom")));
    assert_eq!((&lines[1]["whole"], &lines[1]["file"]), (&json!(false), &json!("keys.txt")));
    assert!(lines[1]["error"].as_str().unwrap().contains("not an amq file"), "{run:?}");
    assert!(run.err.contains("damaged, or not a filter: 1 of 2 files"), "{run:?}");
}

#[test]
fn long_runs_show_how_far_they_are_on_a_terminal_alone() {
    if !have("script", &["--version"]) {
        return;
    }
    let room = Room::with_filter();
    let on_terminal = |command: &str| {
        room.bash(&format!("script -qec '(sleep 0.6; cat keys.txt) | {command}' /dev/null")).text()
    };
    for command in ["amq query seen.amq", "amq dedupe", "amq build -f -o f.amq --fpr 1%"] {
        let text = on_terminal(&format!("{command} > out.txt"));
        assert!(text.contains(" read, "), "{command}: {text}");
        // Neither among lines that are printed on the terminal, nor in a file.
        if !command.contains("build") {
            assert_eq!(room.read("out.txt"), room.read("keys.txt"), "{command}");
            assert!(!on_terminal(command).contains(" read, "), "{command}");
        }
        let text = on_terminal(&format!("{command} > out.txt 2> err.txt"));
        assert!(!text.contains(" read, "), "{command}: {text}");
        assert!(!room.read("err.txt").contains(&b'\r'), "{command}");
    }
}

/// What a mistake is answered with names the way out.
#[test]
fn mistakes_are_told_what_was_meant() {
    let room = Room::with_filter();
    let tip = "'-fpr' is a row of short options; the long one is '--fpr'";
    room.amq("build -o f.amq -fpr 1% keys.txt").refused(&[tip]);
    room.amq("choose -fpr=1%").refused(&[tip]);
    room.amq("build -o f.amq -keys 10 --fpr 1% keys.txt").refused(&["the long one is '--keys'"]);
    // What is no long option gets no tip.
    let run = room.amq("query -vx seen.amq keys.txt").ends(2);
    assert!(!run.err.contains("row of short options"), "{run:?}");
    room.amq("insert none.amq -e x")
        .refused(&["none.amq: there is no such filter", "amq build -o none.amq"]);
    room.amq("build -o f.amq --keys 1e10 --bytes 2GiB keys.txt")
        .refused(&["allow more, or take fewer bytes"]);
    room.amq("build -o f.amq --keys 1e9 --bits-per-key 99 keys.txt")
        .refused(&["take fewer bits per key"]);
    room.amq("build -o f.amq --fpr 1% --keys 1e11 keys.txt").refused(&["take a higher rate"]);
    room.amq("build -o /dev/stdout --fpr 1% keys.txt").refused(&["use -o -"]);
    let grow = "an expandable quotient filter";
    room.amq("build -q -o e.amq --kind expandable-quotient --fpr 1% keys.txt").ends(0);
    room.amq("convert e.amq --to bloom -o f.amq").refused(&[grow]);
    room.amq("dedupe -F e.amq --kind bloom keys.txt").refused(&[grow]);
    let run = room.amq("dedupe --kind ribbon keys.txt").ends(2);
    assert!(run.err.contains("scalable, scalable-blocked, expandable-quotient"), "{run:?}");
    assert!(!run.err.contains("--keys"), "{run:?}");
}
