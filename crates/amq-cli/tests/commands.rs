//! What each command does, and what it refuses.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod room;

use room::{Room, have, numbered};
use std::fs;

const KINDS: [&str; 13] = [
    "bloom",
    "blocked-bloom",
    "counting",
    "blocked-counting",
    "scalable",
    "scalable-blocked",
    "cuckoo",
    "windowed-cuckoo",
    "quotient",
    "ribbon",
    "ribbon-narrow",
    "ribbon-standard",
    "ribbon-wide",
];

const STATIC: [&str; 4] = ["ribbon", "ribbon-narrow", "ribbon-standard", "ribbon-wide"];

/// No key is denied, and of absent ones about as many are printed as asked for.
#[test]
fn every_kind_is_built_saved_and_asked() {
    let room = Room::new();
    room.write("keys", numbered(1..=20_000));
    room.write("absent", numbered(1_000_001..=1_100_000));
    let kinds = KINDS.join(",");
    room.amq(&format!(
        "build -o {{kind}}.amq --fpr 1% --kind {kinds} keys"
    ))
    .ends(0);
    for kind in KINDS {
        assert_eq!(
            room.amq(&format!("query -c {kind}.amq keys")).text(),
            "20000\n",
            "{kind}"
        );
        assert_eq!(
            room.amq(&format!("query -v {kind}.amq keys"))
                .ends(1)
                .text(),
            ""
        );
        let info = room.amq(&format!("info --json {kind}.amq")).ends(0).text();
        let rate: f64 = field(&info, "rate_now").parse().unwrap();
        assert!(info.contains(&format!("\"kind\":\"{kind}\"")), "{info}");
        let said: f64 = room
            .amq(&format!("query -c {kind}.amq absent"))
            .text()
            .trim()
            .parse()
            .unwrap();
        // The file is fixed: five standard deviations, on both sides.
        let (mean, sd) = (1e5 * rate, (1e5 * rate * (1.0 - rate)).sqrt());
        assert!(
            (said - mean).abs() < 5.0 * sd,
            "{kind}: {said} of {mean} and {sd}"
        );
        let not = room.amq(&format!("query -vc {kind}.amq absent")).text();
        assert_eq!(not.trim().parse::<f64>().unwrap() + said, 1e5);
    }
}

/// The text of a field in a line of JSON.
fn field<'a>(json: &'a str, name: &str) -> &'a str {
    let (_, rest) = json.split_once(&format!("\"{name}\":")).unwrap();
    rest.split([',', '}']).next().unwrap()
}

#[test]
fn one_size_in_several_spellings_gives_one_file() {
    let room = Room::new();
    let build = |options: &str| {
        room.amq(&format!("build -q -f -o f.amq {options} keys.txt"))
            .ends(0);
        room.read("f.amq")
    };
    let one = build("--fpr 0.01");
    for rate in ["1%", "1e-2", "1/100"] {
        assert_eq!(build(&format!("--fpr {rate}")), one, "{rate}");
    }
    let million = build("--fpr 1% --keys 1000000");
    for number in ["1e6", "1_000_000"] {
        assert_eq!(build(&format!("--fpr 1% -n {number}")), million, "{number}");
    }
    assert_eq!(build("--bytes 4KiB"), build("--bytes 4096"));
    assert!(build("--bytes 4096").len() <= 4096 + 512);
    assert_eq!(
        build("--fpr 1% --kind split-block"),
        build("--fpr 1% --kind blocked-bloom")
    );
}

#[test]
fn what_is_no_number_is_refused_by_name() {
    let room = Room::new();
    for (options, says) in [
        ("--fpr 0", "strictly between 0 and 1"),
        ("--fpr 1", "strictly between 0 and 1"),
        ("--fpr -5", "strictly between 0 and 1"),
        ("--fpr nan", "not a rate"),
        ("--fpr x%", "not a rate"),
        ("--fpr 1e-300", "hash"),
        ("--fpr 1% --keys -5", "cannot be negative"),
        ("--fpr 1% --keys 0x10", "in decimal"),
        ("--fpr 1% --keys 0", "at least 1"),
        ("--fpr 1% --keys 1.5", "not a whole number"),
        ("--fpr 1% --keys 1e30", "2^64 - 1"),
        ("--fpr 1% --keys 1e19", ""),
        ("--bytes 64M", "MiB is 2^20 bytes"),
        ("--bytes 0", "at least 1 byte"),
        ("--bits-per-key 0", "positive"),
        ("--bits-per-key inf", "positive"),
        ("--fpr 1% --bytes 100", "cannot be used with"),
        ("--fpr 1% --bits-per-key 9", "cannot be used with"),
        ("--fpr 1% --seed 1 --secret", "cannot be used with"),
        ("--fpr 1% --seed -1", "whole number"),
        ("--fpr 1% --kind blom", "the kinds are bloom, "),
        ("--fpr 1% --threads 0", "0 is not in 1..=256"),
        ("--fpr 1% --kind bloom,ribbon", "write {kind} in the name"),
        ("", "required"),
    ] {
        let command = format!("build -o f.amq {options} keys.txt");
        room.amq(&command).refused(&[says]);
        assert_eq!(room.names(), ["keys.txt", "more.txt"]);
    }
    room.amq("build -o - --fpr 1% --kind bloom,ribbon keys.txt")
        .refused(&["takes one"]);
    room.amq("build --fpr 1% keys.txt").refused(&["--output"]);
    room.amq("nonsense").refused(&["unrecognized subcommand"]);
    room.amq("").refused(&["Usage: amq"]);
}

#[test]
fn more_keys_than_planned_are_refused_by_every_kind() {
    let room = Room::new();
    for kind in KINDS {
        let command = format!("build -o f.amq --fpr 1% --kind {kind} --keys 500 keys.txt");
        if kind.starts_with("scalable") {
            // Which is what they are for.
            room.amq(&command).ends(2);
            continue;
        }
        room.amq(&command).refused(&["500", "keys"]);
    }
    assert!(!room.exists("f.amq"));
    // As many as planned are taken; for a Bloom filter repeated ones are one.
    room.amq("build -o f.amq --fpr 1% --keys 1001 keys.txt keys.txt")
        .ends(0);
    room.amq("build -o g.amq --fpr 1% --keys 1001 --kind cuckoo keys.txt")
        .ends(0);
    room.amq("build -o h.amq --fpr 1% --keys 1001 --kind ribbon --unique keys.txt keys.txt")
        .ends(0);
}

#[test]
fn one_key_many_times_has_a_way_out() {
    let room = Room::new();
    room.write("same", "key\n".repeat(100_000));
    for kind in KINDS {
        let command = format!("build -f -o f.amq --fpr 1% --kind {kind} same");
        let run = room.amq(&command);
        if run.status != Some(0) {
            run.refused(&["key is in", "Insert each key once"]);
        }
        room.amq(&format!("{command} --unique")).ends(0);
        assert_eq!(room.amq("query f.amq -e key").text(), "key\n");
    }
}

/// The hashes go to a temporary file: the result is the same.
#[test]
fn little_memory_gives_the_same_filter_or_says_how_much_it_takes() {
    let room = Room::new();
    room.write("many", numbered(1..=100_000));
    room.amq("build -q -o a.amq --fpr 1% many").ends(0);
    room.amq("build -q -o b.amq --fpr 1% many --memory 400KB")
        .ends(0);
    room.amq("build -q -o c.amq --fpr 1% many --keys 100000")
        .ends(0);
    assert_eq!(room.read("a.amq"), room.read("b.amq"));
    assert_eq!(room.read("a.amq"), room.read("c.amq"));
    room.amq("build -o d.amq --fpr 1% many --memory 50KB")
        .refused(&[
            "a Bloom filter of these keys takes ",
            "--memory allows 50.0 kB",
        ]);
    room.amq("build -o d.amq --fpr 1% many --memory 500KB --kind ribbon")
        .refused(&[
            "a bumped ribbon filter of these keys takes",
            "blocked-bloom",
        ]);
    room.amq("build -o d.amq --fpr 1% --keys 1e12 keys.txt")
        .refused(&["takes 1.20 TB"]);
    assert!(!room.exists("d.amq"));
}

#[test]
fn a_damaged_filter_gives_no_answers() {
    let room = Room::with_filter();
    let whole = room.read("seen.amq");
    let mut damaged: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), "cut short"),
        (whole[..1].to_vec(), "cut short"),
        (whole[..100].to_vec(), "cut short"),
        (whole[..whole.len() - 1].to_vec(), "cut short"),
        ([&whole[..], b"x"].concat(), "follows the end"),
        ([&whole[..], &whole].concat(), "follows the end"),
        (b"key1\nkey2\n".to_vec(), "not a filter"),
        (vec![0; 4096], "not a filter"),
    ];
    for at in (0..whole.len()).step_by(61) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        damaged.push((bytes, ""));
    }
    for (bytes, says) in damaged {
        room.write("bad.amq", &bytes);
        for command in [
            "query bad.amq keys.txt",
            "query -v bad.amq keys.txt",
            "info bad.amq",
            "insert bad.amq keys.txt",
            "merge -o x.amq seen.amq bad.amq",
            "convert bad.amq --to bloom -o x.amq",
            "dedupe --filter bad.amq keys.txt",
            "remove bad.amq keys.txt",
        ] {
            room.amq(command).refused(&["bad.amq", says]);
        }
        assert_eq!(room.read("bad.amq"), bytes);
        room.amq("verify seen.amq bad.amq").ends(2);
    }
    room.amq("query none.amq keys.txt")
        .refused(&["none.amq: No such file"]);
    room.amq("query . keys.txt")
        .refused(&["this is a folder, not a filter"]);
    // What never ends is not read to its end.
    room.amq("info /dev/zero")
        .refused(&["/dev/zero: this is not a filter"]);
    assert!(!room.exists("x.amq"));
}

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
    assert!(
        run.err.contains("bad.amq: the payload is damaged"),
        "{run:?}"
    );
    assert_eq!(run.lines(), 1);
    room.amq("verify -q seen.amq").ends(0);
}

#[test]
fn query_answers_as_grep_does() {
    let room = Room::with_filter();
    room.write("none.txt", "nobody\nno one\n");
    // Every key that is in, and the false positives among the 500 that are not.
    let probably = room.amq("query seen.amq more.txt").ends(0).lines();
    assert!((500..530).contains(&probably), "{probably}");
    let both = room.amq("query seen.amq more.txt keys.txt").ends(0);
    assert_eq!(both.lines(), probably + 1001);
    let not = room.amq("query -v seen.amq more.txt").ends(0);
    assert_eq!(not.lines(), 1000 - probably);
    assert_eq!(room.amq("query -c seen.amq none.txt").ends(1).text(), "0\n");
    assert_eq!(room.amq("query -q seen.amq keys.txt").ends(0).text(), "");
    assert_eq!(room.amq("query -q seen.amq none.txt").ends(1).text(), "");
    assert_eq!(room.amq("query -qv seen.amq keys.txt").ends(1).text(), "");
    room.amq("query -qc seen.amq keys.txt")
        .refused(&["cannot be used with"]);
}

#[test]
fn dedupe_prints_what_comes_first_and_remembers_it() {
    let room = Room::new();
    assert_eq!(
        room.amq("dedupe keys.txt more.txt keys.txt")
            .ends(0)
            .lines(),
        1501
    );
    assert_eq!(
        room.amq("dedupe -v keys.txt more.txt keys.txt")
            .ends(0)
            .lines(),
        1501
    );
    assert_eq!(
        room.pipe("dedupe", "b\na\nb\na\nc").ends(0).text(),
        "b\na\nc\n"
    );
    assert_eq!(
        room.amq("dedupe --filter f.amq keys.txt").ends(0).lines(),
        1001
    );
    assert_eq!(
        room.amq("dedupe --filter f.amq more.txt").ends(0).lines(),
        500
    );
    assert_eq!(
        room.amq("dedupe --filter f.amq more.txt").ends(1).lines(),
        0
    );
    // A key that is none fails the run, and what it printed comes again.
    let old = room.read("f.amq");
    room.pipe("dedupe --filter f.amq --max-key-len 3", "abcd")
        .refused(&["longer than 3"]);
    assert_eq!(room.read("f.amq"), old);
    // Any kind that inserts.
    for kind in KINDS.iter().filter(|kind| !STATIC.contains(kind)) {
        let command = format!("dedupe --kind {kind} --keys 2000 keys.txt more.txt keys.txt");
        assert_eq!(room.amq(&command).ends(0).lines(), 1501, "{kind}");
    }
    room.amq("dedupe --kind ribbon --keys 2000 keys.txt")
        .refused(&["ribbon filter cannot insert"]);
    room.amq("dedupe --kind cuckoo keys.txt")
        .refused(&["--keys N"]);
    let run = room.amq("dedupe --stats keys.txt").ends(0);
    assert!(
        run.err
            .contains("1,001 lines, 1,001 of them new; fewer than 1 "),
        "{run:?}"
    );
}

#[test]
fn a_kept_filter_is_not_resumed_with_other_options() {
    let room = Room::new();
    room.amq("dedupe -F f.amq --keys 5000 --fpr 0.1% keys.txt")
        .ends(0);
    let old = room.read("f.amq");
    for (options, says) in [
        (
            "--fpr 1%",
            "f.amq was made for a rate of 0.100 %, not 1.00 %",
        ),
        ("--keys 6000", "f.amq was made for 5,000 lines, not 6,000"),
        (
            "--kind scalable",
            "f.amq is a Bloom filter, not a scalable Bloom one",
        ),
        ("--seed 7", "f.amq has another seed"),
        ("--secret", "f.amq has another seed"),
    ] {
        room.amq(&format!("dedupe -F f.amq {options} more.txt"))
            .refused(&[says, "leave the option out"]);
        assert_eq!(room.read("f.amq"), old);
    }
    let same = "dedupe -F f.amq --keys 5000 --fpr 1/1000 --kind bloom --seed 0 more.txt";
    assert_eq!(room.amq(same).ends(0).lines(), 500);
    // A filter of fixed size says when it is full, and stays as it was.
    room.write("many", numbered(10_000..=20_000));
    let old = room.read("f.amq");
    let run = room.amq("dedupe -F f.amq many").ends(2);
    assert!(
        run.err.contains("more different lines than the 5,000"),
        "{run:?}"
    );
    assert_eq!(room.read("f.amq"), old);
    room.amq("build -o r.amq --kind ribbon --fpr 1% keys.txt")
        .ends(0);
    room.amq("dedupe -F r.amq more.txt")
        .refused(&["r.amq: a bumped ribbon filter cannot insert"]);
}

#[test]
fn keys_are_inserted_all_or_none() {
    let room = Room::with_filter();
    let run = room.amq("insert seen.amq more.txt").ends(0);
    assert!(
        run.err
            .contains("now holds more keys than the 1,001 it was planned for"),
        "{run:?}"
    );
    assert_eq!(
        room.amq("query -c seen.amq keys.txt more.txt").text(),
        "2001\n"
    );
    room.amq("build -o c.amq --kind cuckoo --fpr 1% keys.txt")
        .ends(0);
    room.write("many", numbered(2000..=12_000));
    let old = room.read("c.amq");
    room.amq("insert c.amq many")
        .refused(&["c.amq: nothing was inserted: the filter is full"]);
    assert_eq!(room.read("c.amq"), old);
    // Into another file.
    room.amq("insert c.amq -o d.amq -e new").ends(0);
    assert_eq!(room.read("c.amq"), old);
    room.amq("query -q d.amq -e new").ends(0);
    room.amq("insert c.amq -o d.amq -e new")
        .refused(&["--force"]);
    // Copies are kept, unless asked otherwise.
    room.amq("insert c.amq -e key1 -e key1").ends(0);
    let run = room.amq("insert --unique c.amq -e key1 -e key1").ends(0);
    assert!(run.err.contains("inserted: 0 of 2"), "{run:?}");
    room.amq("build -o r.amq --kind ribbon --fpr 1% keys.txt")
        .ends(0);
    room.amq("insert r.amq -e x")
        .refused(&["built from all its keys at once", "bloom, "]);
}

#[test]
fn keys_are_removed_from_kinds_that_can() {
    let room = Room::new();
    for kind in KINDS {
        room.amq(&format!(
            "build -f -o f.amq --kind {kind} --fpr 1e-6 keys.txt"
        ))
        .ends(0);
        let removes = matches!(
            kind,
            "counting" | "blocked-counting" | "cuckoo" | "windowed-cuckoo" | "quotient"
        );
        if !removes {
            room.amq("remove f.amq keys.txt")
                .refused(&["cannot remove", "counting, cuckoo"]);
            continue;
        }
        let run = room.amq("remove f.amq more.txt").ends(0);
        assert!(run.err.contains("removed: 500 of 1,000"), "{kind}: {run:?}");
        assert_eq!(
            room.amq("query -c f.amq keys.txt").text(),
            "501\n",
            "{kind}"
        );
        let old = room.read("f.amq");
        room.amq("remove f.amq -e nobody").ends(1);
        assert_eq!(room.read("f.amq"), old);
    }
}

#[test]
fn filters_of_one_make_are_merged() {
    let room = Room::new();
    for kind in KINDS {
        let build = |name: &str, keys: &str, options: &str| {
            let size = "--fpr 1% --keys 3000";
            let command = format!("build -f -o {name} --kind {kind} {size} {options} {keys}");
            room.amq(&command).ends(0);
        };
        build("a.amq", "keys.txt", "--secret");
        build("b.amq", "more.txt", "--seed-of a.amq");
        build("c.amq", "more.txt", "");
        let run = room.amq("merge -f -o m.amq a.amq b.amq");
        if STATIC.contains(&kind) {
            run.refused(&["a.amq and b.amq: ", "cannot be merged"]);
            continue;
        }
        run.ends(0);
        assert_eq!(
            room.amq("query -c m.amq keys.txt more.txt").text(),
            "2001\n",
            "{kind}"
        );
        room.amq("merge -f -o m.amq a.amq c.amq")
            .refused(&["a.amq and c.amq: ", "different seeds"]);
    }
    room.amq("build -f -o a.amq --fpr 1% --keys 3000 keys.txt")
        .ends(0);
    room.amq("build -f -o b.amq --fpr 1% --keys 4000 keys.txt")
        .ends(0);
    room.amq("merge -o n.amq a.amq b.amq")
        .refused(&["the filters differ in"]);
    room.amq("build -f -o b.amq --kind cuckoo --fpr 1% keys.txt")
        .ends(0);
    room.amq("merge -o n.amq a.amq b.amq")
        .refused(&["different kinds"]);
    room.amq("merge -o n.amq a.amq")
        .refused(&["2 values required"]);
    assert!(!room.exists("n.amq"));
    // The first may be replaced.
    room.amq("merge --force -o a.amq a.amq a.amq").ends(0);
    assert_eq!(room.amq("query -c a.amq keys.txt").text(), "1001\n");
}

#[test]
fn only_counting_becomes_bloom() {
    let room = Room::new();
    let kinds = KINDS.join(",");
    room.amq(&format!(
        "build -o {{kind}}.amq --fpr 1% --kind {kinds} keys.txt"
    ))
    .ends(0);
    for kind in KINDS {
        for to in KINDS {
            let run = room.amq(&format!("convert -f {kind}.amq --to {to} -o out.amq"));
            match (kind, to) {
                ("counting", "bloom") => drop(run.ends(0)),
                _ if kind == to => drop(run.refused(&["already"])),
                _ => drop(run.refused(&["exact is only counting to bloom"])),
            }
        }
    }
    room.write("many", numbered(1..=100_000));
    let answers = |name: &str| room.amq(&format!("query {name} many")).ends(0).out;
    assert_eq!(answers("counting.amq"), answers("out.amq"));
    // It is the filter that would have been built.
    assert_eq!(answers("bloom.amq"), answers("out.amq"));
}

#[test]
fn info_says_what_a_filter_is_and_keeps_its_secret() {
    let room = Room::with_filter();
    let text = room.amq("info seen.amq").ends(0).text();
    for part in [
        "seen.amq: Bloom filter\n",
        "asked for    a rate of 1.00 %\n",
        "seed         public",
    ] {
        assert!(text.contains(part), "{text}");
    }
    room.amq("build -q -o s.amq --fpr 1% --seed 0xdeadbeef keys.txt")
        .ends(0);
    for option in ["", "--json", "--picture"] {
        let text = room.amq(&format!("info s.amq {option}")).ends(0).text();
        assert!(
            !text.contains("3735928559") && !text.to_lowercase().contains("deadbeef"),
            "{text}"
        );
        assert!(text.contains("secret"), "{text}");
    }
    room.amq("build -q -o t.amq --bits-per-key 9.5 --secret keys.txt")
        .ends(0);
    room.amq("build -q -o u.amq --bits-per-key 9.5 --secret keys.txt")
        .ends(0);
    assert_ne!(room.read("t.amq"), room.read("u.amq"));
    let json = room.amq("info --json t.amq u.amq seen.amq").ends(0).text();
    assert_eq!(json.lines().count(), 3);
    assert_eq!(field(&json, "bits_per_key"), "9.5}".trim_end_matches('}'));
    assert!(
        json.lines()
            .all(|line| line.starts_with("{\"file\":") && line.ends_with("}}"))
    );
    room.pipe("build -q -o empty.amq --fpr 1%", "").ends(0);
    let json = room.amq("info --json empty.amq").ends(0).text();
    assert_eq!(field(&json, "keys"), "0");
}

#[test]
fn pictures_show_how_full_tables_are() {
    let room = Room::new();
    let kinds = KINDS.join(",");
    room.amq(&format!(
        "build -o {{kind}}.amq --fpr 1% --kind {kinds} keys.txt"
    ))
    .ends(0);
    for kind in KINDS {
        let text = room
            .amq(&format!("info --picture {kind}.amq"))
            .ends(0)
            .text();
        let drawn = text
            .lines()
            .any(|line| line.starts_with("  |") && line.ends_with('|'));
        assert_eq!(drawn, !STATIC.contains(&kind), "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 160),
            "{text}"
        );
    }
}

#[test]
fn plans_are_what_is_built() {
    let room = Room::new();
    let plans = room
        .amq("plan --keys 1001 --fpr 1%,0.1% --json")
        .ends(0)
        .text();
    assert_eq!(plans.lines().count(), 2 * KINDS.len());
    for plan in plans.lines().filter(|line| field(line, "fpr") == "0.01") {
        let kind = field(plan, "kind").trim_matches('"');
        room.amq(&format!(
            "build -f -o f.amq --kind {kind} --fpr 1% keys.txt"
        ))
        .ends(0);
        let info = room.amq("info --json f.amq").text();
        let [planned, built]: [u64; 2] =
            [plan, &info].map(|json| field(json, "bytes").parse().unwrap());
        assert!(
            built <= planned && built * 10 >= planned * 9,
            "{kind}: {built} of {planned}"
        );
    }
    let text = room
        .amq("plan --keys 1e6,1e9 --fpr 1% --kind bloom,ribbon")
        .ends(0)
        .text();
    assert!(text.contains("1,000,000,000 keys at"), "{text}");
    assert!(
        text.lines()
            .any(|line| line.starts_with("bloom") && line.contains("9.59")),
        "{text}"
    );
    // What a kind cannot do is a dash, or an error of its own.
    let text = room.amq("plan --keys 1e18 --fpr 1e-9").ends(0).text();
    assert!(text.contains(" - "), "{text}");
    let json = room
        .amq("plan --keys 1e18 --fpr 1e-9 --json")
        .ends(0)
        .text();
    assert!(json.contains("\"error\":"), "{json}");
}

#[test]
fn bench_verifies_every_kind_and_puts_it_into_a_table() {
    let room = Room::new();
    let text = room.amq("bench keys.txt more.txt").ends(0).text();
    assert!(
        text.starts_with("2,001 keys, 1,501 of them different;"),
        "{text}"
    );
    for kind in KINDS {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(kind));
        assert_eq!(line.unwrap().matches('%').count(), 2, "{text}");
    }
    let text = room
        .amq("bench --limit 100 --kind bloom --fpr 1/1000 keys.txt")
        .ends(0)
        .text();
    assert!(
        text.starts_with("100 keys, 100 of them different;"),
        "{text}"
    );
    room.pipe("bench", "").refused(&["there are no keys"]);
}

#[test]
fn choose_ranks_gives_reasons_and_names_what_conflicts() {
    let room = Room::new();
    let text = room
        .amq("choose --keys 1e6 --fpr 1% --static")
        .ends(0)
        .text();
    assert!(
        text.lines().nth(1).unwrap().contains("bumped ribbon"),
        "{text}"
    );
    assert!(
        text.ends_with("amq build -o FILE --kind ribbon --fpr 0.01 KEYS\n"),
        "{text}"
    );
    // The library gives the same answer: the page's own vignette.
    let json = room
        .amq("choose --keys 1e6 --fpr 1% --static --json")
        .ends(0)
        .text();
    assert_eq!(field(&json, "structure"), "\"ribbon\"", "{json}");
    room.amq("choose --keys 1e6 --bits-per-key 2 --need remove --fpr 1%")
        .refused(&[
            "no filter offers both a false-positive rate of 1 % and at most 2 bits per key",
            "without a false-positive rate of 1 % there is",
        ]);
    room.amq("choose --fpr 1%")
        .refused(&["--keys <N>|--at-most <N>|--unknown-from <N>"]);
    room.amq("choose --keys 5 --at-most 6")
        .refused(&["cannot be used with"]);
    room.amq("choose --keys -5")
        .refused(&["cannot be negative"]);
    room.amq("choose --keys 5 --absent 2")
        .refused(&["a share is from 0 to 1"]);
    room.amq("choose --keys 5 --false-positive 20")
        .refused(&["say which unit"]);
    room.amq("choose --keys 5 --queries-per-key 0")
        .refused(&["positive"]);
    // Every query present: no filter at all.
    let json = room
        .amq("choose --keys 1e6 --absent 0 --json")
        .ends(0)
        .text();
    assert_eq!(field(&json, "structure"), "\"none\"", "{json}");
    for need in ["remove", "list", "merge", "grow", "shared-insert", "files"] {
        let json = room
            .amq(&format!("choose --at-most 1e6 --json --need {need}"))
            .ends(0)
            .text();
        assert!(json.starts_with("{\"choices\":[{"), "{need}: {json}");
    }
    for option in [
        "--count 3",
        "--values 8 --static",
        "--strangers",
        "--threads 4",
        "--lookup 1us",
    ] {
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
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains(&format!("amq\\-{name}")),
            "{page}"
        );
        assert_eq!(room.amq(&format!("man {name}")).ends(0).text(), page);
        if have("groff", &["--version"]) {
            let run = room.bash(&format!(
                "groff -man -Tutf8 -ww pages/man1/amq-{name}.1 > /dev/null"
            ));
            assert_eq!((run.status, run.err.as_str()), (Some(0), ""));
        }
    }
    room.amq("man nonsense")
        .refused(&["there is no command nonsense"]);
}
