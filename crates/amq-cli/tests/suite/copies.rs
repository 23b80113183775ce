//! Lines that come again, and how many keys are said to be in.

use crate::room::{KINDS, Room, can, field, is_static, numbered};
use amq::Ability;

/// The number behind the name, in `amq info --json`.
fn told(room: &Room, file: &str, name: &str) -> f64 {
    field(&room.amq(&format!("info --json {file}")).ends(0).text(), name).parse().unwrap()
}

#[test]
fn an_empty_filter_has_zero_keys_and_not_minus_zero() {
    let room = Room::new();
    room.write("none", "");
    for kind in ["bloom", "blocked-bloom", "wide-blocked-bloom"] {
        room.amq(&format!("build -o e.amq -f --kind {kind} --fpr 1% --keys 1000 none")).ends(0);
        let text = room.amq("info --json e.amq").ends(0).text();
        assert_eq!(field(&text, "keys_by_bits"), "0.0", "{kind}");
    }
}

/// A thousand keys ten times each. Kinds that cannot remove have no use for copies.
#[test]
fn a_filter_is_as_large_as_its_different_keys() {
    let room = Room::new();
    room.write("once", numbered(1..=1000));
    room.write("ten", numbered(1..=1000).repeat(10));
    for kind in KINDS {
        let build = |options: &str| {
            room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 1% {options}"))
        };
        build("once").ends(0);
        let bytes = told(&room, "f.amq", "bytes");
        let run = build("ten");
        let copies = can(kind, Ability::Remove);
        if copies && !kind.contains("cuckoo") {
            let said = "1,000 different of 10,000 lines: --unique takes each once";
            assert!(run.ends(0).err.contains(said), "{kind}");
            assert!(told(&room, "f.amq", "bytes") > 4.0 * bytes, "{kind}");
        } else if copies {
            run.refused(&["--unique takes each key once"]);
        } else {
            let run = run.ends(0);
            assert!(run.err.contains("1,000 different of 10,000 keys"), "{kind}: {run:?}");
            assert_eq!(told(&room, "f.amq", "bytes"), bytes, "{kind}");
            assert_eq!(told(&room, "f.amq", "planned"), 1000.0, "{kind}");
        }
        build("--unique ten").ends(0);
        assert_eq!(told(&room, "f.amq", "bytes"), bytes, "{kind}");
        // No copy counts against the number of keys where none matters.
        if is_static(kind) {
            build("--keys 1000 ten").ends(0);
            build("--keys 999 ten").refused(&["there are more keys than the 999"]);
        }
    }
    // The rate is the one asked for, not a hundredth of it.
    build_and_rate(&room, "bloom", "ten", 0.009..0.0111);
    build_and_rate(&room, "ribbon", "ten", 0.009..0.0111);
}

#[track_caller]
fn build_and_rate(room: &Room, kind: &str, keys: &str, rates: std::ops::Range<f64>) {
    room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 1% {keys}")).ends(0);
    let rate = told(room, "f.amq", "rate_now");
    assert!(rates.contains(&rate), "{kind}: {rate}");
}

/// With hashes in the temporary file the number is an upper bound: the rate is kept for certain.
#[test]
fn copies_in_the_temporary_file_are_counted_nearly() {
    let room = Room::new();
    room.write("many", numbered(1..=50_000).repeat(4));
    for kind in ["bloom", "blocked-bloom", "scalable"] {
        let command = format!("build -f -o f.amq --kind {kind} --fpr 1% --memory 400KB many");
        let run = room.amq(&command).ends(0);
        assert!(run.err.contains(" different of 200,000 keys"), "{run:?}");
        let planned = told(&room, "f.amq", "planned");
        assert!((50_000.0..54_500.0).contains(&planned), "{kind}: {planned}");
        assert!(told(&room, "f.amq", "rate_now") <= 0.01, "{kind}");
        assert_eq!(room.amq("query -vc f.amq many").text(), "0\n");
    }
    // A ribbon needs all hashes in memory: they are counted.
    room.amq("build -f -o f.amq --kind ribbon --fpr 1% --memory 4MB many").ends(0);
    assert_eq!(told(&room, "f.amq", "planned"), 50_000.0);
    // About as many where copies are kept.
    let run = room.amq("build -f -o f.amq --kind quotient --fpr 1% --memory 1MB many").ends(0);
    assert!(run.err.contains(" different of 200,000 lines"), "{run:?}");
    assert_eq!(told(&room, "f.amq", "keys"), 200_000.0);
}

/// Kinds that keep copies get them, whatever other kinds are built of the same lines.
#[test]
fn kinds_with_and_without_copies_are_built_of_the_same_lines() {
    let room = Room::new();
    room.write("two", numbered(1..=1000).repeat(2));
    let kinds = "bloom,quotient,ribbon";
    room.amq(&format!("build -o {{kind}}.amq --fpr 1% --kind {kinds} two")).ends(0);
    assert_eq!(told(&room, "quotient.amq", "keys"), 2000.0);
    assert_eq!(told(&room, "bloom.amq", "planned"), 1000.0);
    assert_eq!(told(&room, "ribbon.amq", "keys"), 1000.0);
}

#[test]
fn a_build_of_nothing_warns() {
    let room = Room::new();
    for options in ["", "-q", "--keys 10", "--kind ribbon"] {
        let run = room.pipe(&format!("build -f -o f.amq --fpr 1% {options}"), "").ends(0);
        assert!(run.err.contains("there were no keys"), "{options}: {run:?}");
    }
}

#[test]
fn no_more_keys_are_claimed_than_are_in() {
    let room = Room::new();
    room.write("n", numbered(1..=1000));
    room.write("more", numbered(1..=10_000));
    room.amq("build -o f.amq --fpr 1% --keys 1000 n").ends(0);
    // The same filter twice has no more keys than once.
    let run = room.amq("merge -o m.amq f.amq f.amq").ends(0);
    assert!(!run.err.contains("2,000"), "{run:?}");
    assert!(run.err.contains("bloom, about "), "{run:?}");
    let text = room.amq("info m.amq").ends(0).text();
    assert!(text.contains("keys         about "), "{text}");
    let by_bits = told(&room, "m.amq", "keys_by_bits");
    assert!((950.0..1050.0).contains(&by_bits), "{by_bits}");
    room.write("few", numbered(1..=10));
    let over = "now holds more keys than the 1,000 it was planned for";
    let run = room.amq("insert m.amq few").ends(0);
    assert!(!run.err.contains(over), "{run:?}");
    room.amq("build -o s.amq --kind scalable --fpr 1% --keys 1000 n").ends(0);
    let run = room.amq("merge -o m.amq -f s.amq s.amq").ends(0);
    assert!(run.err.contains("scalable, at most 2,000 keys"), "{run:?}");
    // Overfull: the filter counts half of the keys, and they are not left unmentioned.
    let run = room.amq("insert f.amq more").ends(0);
    assert!(run.err.contains("inserted: 10,000 keys, at least "), "{run:?}");
    assert!(run.err.contains(over), "{run:?}");
    let by_bits = told(&room, "f.amq", "keys_by_bits");
    assert!((9_000.0..12_000.0).contains(&by_bits), "{by_bits}");
    assert!(told(&room, "f.amq", "keys") < 6_000.0);
    let text = room.amq("info f.amq").ends(0).text();
    assert!(text.contains("keys         about "), "{text}");
    let text = room.pipe("build -o one.amq --fpr 1%", "a").ends(0).err;
    assert!(text.contains("bloom, 1 key, "), "{text}");
    let text = room.pipe("dedupe --stats", "a").ends(0).err;
    assert!(text.contains("1 line, ") && text.contains(" 1 key held"), "{text}");
}

#[test]
fn kinds_that_grow_take_more_keys_than_they_were_made_for() {
    let room = Room::new();
    // A quotient filter does not unless it is told to.
    for kind in KINDS.iter().filter(|&&kind| can(kind, Ability::Grow) && kind != "quotient") {
        for options in ["", "--unique"] {
            let build = format!("build -f -o f.amq --kind {kind} --fpr 1% --keys 10 {options}");
            room.amq(&format!("{build} keys.txt")).ends(0);
            assert_eq!(room.amq("query -c f.amq keys.txt").text(), "1001\n", "{kind}");
            assert!(told(&room, "f.amq", "rate_now") <= 0.01, "{kind}");
        }
    }
}
