//! What is built, what is asked of it, and what is refused.

use crate::room::{KINDS, Room, can, field, numbered};
use amq::Ability;

/// No key is denied, and of absent ones about as many are printed as asked for.
#[test]
fn every_kind_is_built_saved_and_asked() {
    let room = Room::new();
    room.write("keys", numbered(1..=20_000));
    room.write("absent", numbered(1_000_001..=1_100_000));
    let kinds = KINDS.join(",");
    room.amq(&format!("build -o {{kind}}.amq --fpr 1% --kind {kinds} keys")).ends(0);
    for kind in KINDS {
        assert_eq!(room.amq(&format!("query -c {kind}.amq keys")).text(), "20000\n", "{kind}");
        assert_eq!(room.amq(&format!("query -v {kind}.amq keys")).ends(1).text(), "");
        let info = room.amq(&format!("info --json {kind}.amq")).ends(0).text();
        let rate: f64 = field(&info, "rate_now").parse().unwrap();
        assert!(info.contains(&format!("\"kind\":\"{kind}\"")), "{info}");
        let said: f64 =
            room.amq(&format!("query -c {kind}.amq absent")).text().trim().parse().unwrap();
        // The file is fixed: five standard deviations, on both sides.
        let (mean, sd) = (1e5 * rate, (1e5 * rate * (1.0 - rate)).sqrt());
        assert!((said - mean).abs() < 5.0 * sd, "{kind}: {said} of {mean} and {sd}");
        let not = room.amq(&format!("query -vc {kind}.amq absent")).text();
        assert_eq!(not.trim().parse::<f64>().unwrap() + said, 1e5);
    }
}

#[test]
fn one_size_in_several_spellings_gives_one_file() {
    let room = Room::new();
    let build = |options: &str| {
        room.amq(&format!("build -q -f -o f.amq {options} keys.txt")).ends(0);
        room.read("f.amq")
    };
    let one = build("--fpr 0.01");
    for rate in ["1%", "1e-2", "1/100"] {
        assert_eq!(build(&format!("--fpr {rate}")), one, "{rate}");
    }
    let million = build("--fpr 1% --keys 1000000");
    for number in ["1e6", "1_000_000", "1M", "1000k"] {
        assert_eq!(build(&format!("--fpr 1% -n {number}")), million, "{number}");
    }
    assert_eq!(build("--bytes 4KiB"), build("--bytes 4096"));
    assert!(build("--bytes 4096").len() <= 4096 + 512);
    assert_eq!(build("--fpr 1% --kind split-block"), build("--fpr 1% --kind blocked-bloom"));
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
        ("--fpr 1% --keys 0", "more keys than the 0 of --keys"),
        ("--fpr 1% --keys 1.5", "not a whole number"),
        ("--fpr 1% --keys 1,000", "write 1000 or 1_000, without commas"),
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
        ("--fpr 1% --kind blom", "possible values: bloom, blocked-bloom, "),
        ("--fpr 1% --threads 0", "write a whole number from 1 to 256"),
        ("--fpr 1% --threads 1k", "write a whole number from 1 to 256"),
        ("--bytes 1,000", "write 1000 or 1_000, without commas"),
        ("--bytes 1M", "1MiB, where MiB is 2^20 bytes, or 1MB"),
        ("--bytes many", "not a size: write 4096, 64KiB, 1.5GB or 1e9"),
        ("--fpr 1% --kind bloom,ribbon", "write {kind} in the name"),
        ("", "required"),
    ] {
        let command = format!("build -o f.amq {options} keys.txt");
        room.amq(&command).refused(&[says]);
        assert_eq!(room.names(), ["keys.txt", "more.txt"]);
    }
    room.amq("build -o - --fpr 1% --kind bloom,ribbon keys.txt").refused(&["takes one"]);
    room.amq("build --fpr 1% keys.txt").refused(&["--output"]);
    room.amq("nonsense").refused(&["unrecognized subcommand"]);
    room.amq("").refused(&["Usage: amq"]);
}

#[test]
fn kinds_that_do_not_grow_refuse_more_keys_than_planned() {
    let room = Room::new();
    for kind in KINDS {
        let command = format!("build -o f.amq --fpr 1% --kind {kind} --keys 500 keys.txt");
        if kind.starts_with("scalable") || kind.starts_with("expandable") {
            // Which is what they are for.
            room.amq(&command).ends(0);
            std::fs::remove_file(room.path("f.amq")).unwrap();
            continue;
        }
        room.amq(&command).refused(&["500", "keys"]);
    }
    assert!(!room.exists("f.amq"));
    // As many as planned are taken; for a Bloom filter repeated ones are one.
    room.amq("build -o f.amq --fpr 1% --keys 1001 keys.txt keys.txt").ends(0);
    room.amq("build -o g.amq --fpr 1% --keys 1001 --kind cuckoo keys.txt").ends(0);
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
            run.refused(&["key is in", "--unique takes each key once"]);
        }
        room.amq(&format!("{command} --unique")).ends(0);
        assert_eq!(room.amq("query f.amq -e key").text(), "key\n");
    }
}

/// However it is built: with the number of keys known or not, at once or from the temporary file.
#[test]
fn kinds_that_remove_keep_a_copy_for_each_line() {
    let room = Room::new();
    room.write("n", numbered(1..=6000));
    // One that grows has room for copies, too.
    let copies = |kind: &&str| can(kind, Ability::Remove) && *kind != "expandable-quotient";
    for kind in KINDS.into_iter().filter(copies) {
        for (options, copies) in [
            ("", 2),
            ("--keys 30000", 2),
            ("--memory 250KB", 2),
            ("--unique", 1),
            ("--unique --keys 30000", 1),
        ] {
            let build = format!("build -q -f -o f.amq --kind {kind} --fpr 1% {options}");
            let run = room.amq(&format!("{build} n n"));
            if kind.contains("cuckoo") && copies == 2 && !options.contains("keys") {
                // Two copies of every key crowd buckets more than as many different keys.
                run.refused(&["no slot left", "--unique", "a larger --keys"]);
                continue;
            }
            run.ends(0);
            let info = room.amq("info --json f.amq").ends(0).text();
            assert_eq!(field(&info, "keys"), (copies * 6000).to_string(), "{kind} {options}");
            // Every copy can be taken out.
            for left in (0..copies).rev() {
                room.amq("remove -q f.amq n").ends(0);
                let found = room.amq("query -c f.amq n").text();
                let want = if left > 0 { "6000\n" } else { "0\n" };
                assert_eq!(found, want, "{kind} {options}");
            }
        }
    }
}

/// The hashes go to a temporary file: the result is the same.
#[test]
fn little_memory_makes_the_same_filter_or_says_how_much() {
    let room = Room::new();
    room.write("many", numbered(1..=100_000));
    room.amq("build -q -o a.amq --fpr 1% many").ends(0);
    room.amq("build -q -o b.amq --fpr 1% many --memory 400KB").ends(0);
    room.amq("build -q -o c.amq --fpr 1% many --keys 100000").ends(0);
    assert_eq!(room.read("a.amq"), room.read("b.amq"));
    assert_eq!(room.read("a.amq"), room.read("c.amq"));
    room.amq("build -o d.amq --fpr 1% many --memory 50KB")
        .refused(&["a Bloom filter of these keys takes ", "--memory allows 50.0 kB"]);
    room.amq("build -o d.amq --fpr 1% many --memory 500KB --kind ribbon")
        .refused(&["a ribbon filter of these keys takes", "blocked-bloom"]);
    room.amq("build -o d.amq --fpr 1% --keys 1e12 keys.txt").refused(&["takes 1.20 TB"]);
    assert!(!room.exists("d.amq"));
}

#[test]
fn a_damaged_filter_gives_no_answers() {
    let room = Room::with_filter();
    let whole = room.read("seen.amq");
    let mut damaged: Vec<(Vec<u8>, &str)> = vec![
        (Vec::new(), "cut short"),
        (whole[..1].to_vec(), "cut short"),
        (whole[..100].to_vec(), "it has 100 bytes, and the header alone has 192"),
        (whole[..whole.len() - 1].to_vec(), "cut short"),
        ([&whole[..], b"x"].concat(), "the end of the filter"),
        ([&whole[..], &whole].concat(), "the end of the filter"),
        (b"key1\nkey2\n".to_vec(), "not an amq file"),
        (vec![0; 4096], "not an amq file"),
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
    room.amq("query none.amq keys.txt").refused(&["none.amq: No such file"]);
    room.amq("query . keys.txt").refused(&["this is a folder, not a filter"]);
    // What never ends is not read to its end.
    room.amq("info /dev/zero").refused(&["/dev/zero: not an amq file"]);
    assert!(!room.exists("x.amq"));
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
    room.amq("query -qc seen.amq keys.txt").refused(&["cannot be used with"]);
}

/// A script that counts its lines first need not care whether there are any.
#[test]
fn no_keys_are_planned_as_one() {
    let room = Room::new();
    room.write("none", "");
    for kind in KINDS {
        let run = room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 1% --keys 0 none"));
        assert!(run.ends(0).err.contains("there were no keys"), "{kind}");
        room.amq("query f.amq keys.txt").ends(1);
    }
}
