//! What tells about filters: info, plans, advice, timings, the manual.

use crate::room::{KINDS, Room, STATIC, field, have};
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
}

#[test]
fn a_filter_of_the_callers_hashes_is_asked_for_no_key_and_says_why() {
    let room = Room::with_filter();
    let made = |name: &str, hash: u64| {
        let filter = amq::CuckooFilter::new(amq::Goal::fpr(100, 0.01)).unwrap();
        let mut filter = filter.hashed_by_caller();
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
    assert!(text.contains("none, keys are hashed by the caller"), "{text}");
    let text = room.amq("info --json by.amq").ends(0).text();
    assert_eq!(field(&text, "seed"), "null");
    room.amq("verify -q by.amq").ends(0);
    room.amq("merge -q -o both.amq by.amq too.amq").ends(0);
    let text = room.amq("info both.amq").ends(0).text();
    assert!(text.contains("2 of ") && text.contains("hashed by the caller"), "{text}");
    let own = amq::CuckooFilter::new(amq::Goal::fpr(100, 0.01)).unwrap();
    room.write("own.amq", own.to_bytes().unwrap());
    let run = room.amq("merge -q -o no.amq by.amq own.amq").ends(2);
    let why = "hashed by the caller (hash 2) here, by XXH3 under a seed (hash 1) there";
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
    for option in ["", "--json", "--picture"] {
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
fn pictures_show_how_full_tables_are() {
    let room = Room::new();
    let kinds = KINDS.join(",");
    room.amq(&format!("build -o {{kind}}.amq --fpr 1% --kind {kinds} keys.txt")).ends(0);
    for kind in KINDS {
        let text = room.amq(&format!("info --picture {kind}.amq")).ends(0).text();
        let drawn = text.lines().any(|line| line.starts_with("  |") && line.ends_with('|'));
        assert_eq!(drawn, !STATIC.contains(&kind), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 160), "{text}");
    }
}

#[test]
fn plans_are_what_is_built() {
    let room = Room::new();
    let plans = room.amq("plan --keys 1001 --fpr 1%,0.1% --json").ends(0).text();
    assert_eq!(plans.lines().count(), 2 * KINDS.len());
    for plan in plans.lines().filter(|line| field(line, "fpr") == "0.01") {
        let kind = field(plan, "kind").trim_matches('"');
        room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 1% keys.txt")).ends(0);
        let info = room.amq("info --json f.amq").text();
        let [planned, built]: [u64; 2] =
            [plan, &info].map(|json| field(json, "bytes").parse().unwrap());
        assert!(built <= planned && built * 10 >= planned * 9, "{kind}: {built} of {planned}");
    }
    let text = room.amq("plan --keys 1e6,1e9 --fpr 1% --kind bloom,ribbon").ends(0).text();
    assert!(text.contains("1,000,000,000 keys at"), "{text}");
    assert!(text.lines().any(|line| line.starts_with("bloom") && line.contains("9.59")), "{text}");
    // A comma parts numbers, and no thousands: what could be either is refused.
    let count = |options: &str| {
        room.amq(&format!("plan --fpr 1% --kind bloom --json {options}")).ends(0).lines()
    };
    assert_eq!(count("--keys 1k,10M,1e6"), 3);
    assert_eq!(count("--keys 100 --keys 200"), 2);
    room.amq("plan --keys 1,000").refused(&["Write 1_000 for one", "--keys 1 --keys 000"]);
    room.amq("plan --keys 100,200").refused(&["--keys 100 --keys 200"]);
    // What a kind cannot do is a dash, or an error of its own.
    let text = room.amq("plan --keys 1e18 --fpr 1e-9").ends(0).text();
    assert!(text.contains(" - "), "{text}");
    let json = room.amq("plan --keys 1e18 --fpr 1e-9 --json").ends(0).text();
    assert!(json.contains("\"error\":"), "{json}");
}

#[test]
fn bench_verifies_every_kind_and_puts_it_into_a_table() {
    let room = Room::new();
    let text = room.amq("bench keys.txt more.txt").ends(0).text();
    assert!(text.starts_with("2,001 keys, 1,501 of them different;"), "{text}");
    for kind in KINDS {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(kind));
        assert_eq!(line.unwrap().matches('%').count(), 2, "{text}");
    }
    let text = room.amq("bench --limit 100 --kind bloom --fpr 1/1000 keys.txt").ends(0).text();
    assert!(text.starts_with("100 keys, 100 of them different;"), "{text}");
    room.pipe("bench", "").refused(&["there are no keys"]);
}

#[test]
fn choose_ranks_gives_reasons_and_names_what_conflicts() {
    let room = Room::new();
    let text = room.amq("choose --keys 1e6 --fpr 1% --static").ends(0).text();
    assert!(text.lines().nth(1).unwrap().contains("bumped ribbon"), "{text}");
    assert!(text.ends_with("amq build -o FILE --kind ribbon --fpr 0.01 KEYS\n"), "{text}");
    // The library gives the same answer: the page's own vignette.
    let json = room.amq("choose --keys 1e6 --fpr 1% --static --json").ends(0).text();
    assert_eq!(field(&json, "structure"), "\"ribbon\"", "{json}");
    room.amq("choose --keys 1e6 --bits-per-key 2 --need remove --fpr 1%").refused(&[
        "no filter offers both a false-positive rate of 1 % and at most 2 bits per key",
        "without a false-positive rate of 1 % there is",
    ]);
    room.amq("choose --fpr 1%").refused(&["--keys <N>|--at-most <N>|--unknown-from <N>"]);
    room.amq("choose --keys 5 --at-most 6").refused(&["cannot be used with"]);
    room.amq("choose --keys -5").refused(&["cannot be negative"]);
    room.amq("choose --keys 5 --absent 2").refused(&["a share is from 0 to 1"]);
    room.amq("choose --keys 5 --false-positive 20").refused(&["say which unit"]);
    room.amq("choose --keys 5 --queries-per-key 0").refused(&["positive"]);
    // Every query present: no filter at all.
    let json = room.amq("choose --keys 1e6 --absent 0 --json").ends(0).text();
    assert_eq!(field(&json, "structure"), "\"none\"", "{json}");
    for need in ["remove", "list", "merge", "grow", "shared-insert", "files"] {
        let json = room.amq(&format!("choose --at-most 1e6 --json --need {need}")).ends(0).text();
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
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = room.amq(&format!("completions {shell}")).ends(0).text();
        assert!(commands.iter().all(|name| text.contains(name)), "{shell}");
    }
    room.bash("bash -n <(amq completions bash)").ends(0);
    room.amq("man --dir pages/man1").ends(0);
    for name in &commands {
        let page = fs::read_to_string(room.path(format!("pages/man1/amq-{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&format!("amq\\-{name}")), "{page}");
        assert_eq!(room.amq(&format!("man {name}")).ends(0).text(), page);
        if have("groff", &["--version"]) {
            let run =
                room.bash(&format!("groff -man -Tutf8 -ww pages/man1/amq-{name}.1 > /dev/null"));
            assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
        }
    }
    room.amq("man nonsense").refused(&["there is no command nonsense"]);
}
