//! Keys that were never put in, removed or asked for in the wrong way.

use crate::room::{KINDS, Room, numbered};
use amq::FilterFile;

#[test]
fn a_list_with_many_strangers_removes_nothing() {
    let room = Room::new();
    room.write("in", numbered(1..=20_000));
    room.write("out", numbered(100_001..=120_000));
    for kind in KINDS.iter().filter(|kind| kind.contains("counting") || kind.contains("cuckoo")) {
        room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 1% in")).ends(0);
        let old = room.read("f.amq");
        // Some 150 to 200 strangers look present.
        let run = room.amq("remove f.amq out");
        run.refused(&["f.amq: nothing was removed: 19,", "look present", "--allow-strangers"]);
        room.amq("remove f.amq in out -o g.amq").refused(&["--allow-strangers"]);
        assert_eq!(room.read("f.amq"), old, "{kind}");
        assert!(!room.exists("g.amq"));
        // A few are no reason: nine runs in ten like this do no harm.
        let run = room.amq("remove f.amq -e key1 -e key2 -e stranger").ends(0);
        assert!(run.err.contains("removed: 2 of 3") && run.err.contains("1 was certainly not in"));
        // All strangers, and certainly so: nothing to refuse.
        room.amq("remove f.amq -e stranger").ends(1);
        let run = room.amq("remove -q --allow-strangers f.amq out").ends(0);
        assert!(run.err.contains("were certainly not in; about "), "{run:?}");
        let lost = room.amq("query -vc f.amq in").text().trim().parse::<u32>().unwrap();
        assert!(lost > 50, "{kind}: {lost}");
    }
    // At a rate of one in a million as many strangers hide none.
    room.amq("build -f -o f.amq --kind cuckoo --fpr 1e-6 in").ends(0);
    room.amq("remove f.amq -e key1").ends(0);
    let run = room.amq("remove f.amq in out").ends(0);
    assert!(run.err.contains("removed: 19,999 of 40,000"), "{run:?}");
}

#[test]
fn the_file_before_is_kept_on_wish() {
    let room = Room::new();
    room.amq("build -o f.amq --kind cuckoo --fpr 1% --keys 2000 keys.txt").ends(0);
    let first = room.read("f.amq");
    room.amq("insert --backup f.amq -e new").ends(0);
    let second = room.read("f.amq");
    assert!(first != second && room.read("f.amq~") == first);
    room.amq("remove --backup f.amq -e new -e key1").ends(0);
    assert_eq!(room.read("f.amq~"), second);
    // Into another file: that one, if it is there.
    room.amq("insert --backup -o g.amq f.amq -e new").ends(0);
    assert!(!room.exists("g.amq~"));
    let third = room.read("g.amq");
    room.amq("insert --backup -f -o g.amq f.amq -e newer").ends(0);
    assert_eq!(room.read("g.amq~"), third);
    // Nothing is replaced, nothing is kept.
    std::fs::remove_file(room.path("f.amq~")).unwrap();
    room.amq("remove --backup f.amq -e nobody").ends(1);
    assert!(!room.exists("f.amq~"));
    // No backup, no change.
    let old = room.read("f.amq");
    std::fs::create_dir(room.path("f.amq~")).unwrap();
    room.amq("insert --backup f.amq -e x")
        .refused(&["f.amq: no backup ", "f.amq~ can be made, so nothing was changed"]);
    assert_eq!(room.read("f.amq"), old);
    room.bash("amq insert --backup - -e x < f.amq").refused(&["--backup: standard output"]);
    let names = ["f.amq", "f.amq~", "g.amq", "g.amq~", "keys.txt", "more.txt"];
    assert_eq!(room.names(), names);
}

#[test]
fn keys_of_another_type_are_told_from_keys_that_are_not_in() {
    let room = Room::new();
    let numbers = |range: std::ops::Range<u32>| -> String {
        range.map(|number| format!("{number}\n")).collect()
    };
    room.write("n", numbers(0..5_000));
    room.amq("build -o numbers.amq --key-type u64 --fpr 1% n").ends(0);
    room.amq("build -o lines.amq --fpr 1% n").ends(0);
    room.amq("build -o exact.amq --kind cuckoo --key-type u64 --fpr 1e-6 n").ends(0);
    for name in ["numbers.amq", "lines.amq", "exact.amq"] {
        // As older versions wrote it: it does not say how its keys were encoded.
        let path = room.path(name);
        amq::AnyFilter::load(&path).unwrap().save(&path).unwrap();
    }
    let says = |run: crate::room::Run, part: &str| {
        assert!(run.err.contains("warning: ") && run.err.contains(part), "{run:?}");
        assert_eq!(run.err.lines().count(), 1, "{run:?}");
    };
    let with = "if it was built with --key-type u64, ask with it, too";
    says(room.amq("query -c exact.amq n").ends(1), with);
    says(room.amq("query -q exact.amq n").ends(1), with);
    says(room.amq("query -vc exact.amq n").ends(0), with);
    says(room.amq("query -c numbers.amq n").ends(0), with);
    says(room.pipe("query -c exact.amq", numbers(0..101)).ends(1), "denies all 101 keys");
    says(room.amq("query -c lines.amq --key-type u64 n").ends(0), "ask without --key-type u64");
    let run = room.amq("remove exact.amq n").ends(1);
    assert!(run.err.contains(with), "{run:?}");
    let digests: String = (0..500u32).map(|i| format!("ab{i:04x}\n")).collect();
    room.write("digests", &digests);
    for (name, options) in [("text.amq", ""), ("hex.amq", "--key-type hex")] {
        room.amq(&format!("build -o {name} {options} --kind cuckoo --fpr 1e-6 digests")).ends(0);
        amq::AnyFilter::load(room.path(name)).unwrap().save(room.path(name)).unwrap();
    }
    let run = room.amq("query -c text.amq --key-type hex digests").ends(1);
    says(run, "if it was built from lines of text, ask without --key-type hex");
    says(room.amq("query -c hex.amq digests").ends(1), "if it was built with --key-type hex");
    // No reason: a hundred lines, other lines, lines that are in, an empty filter.
    let quiet = |run: crate::room::Run| assert_eq!(run.err, "");
    quiet(room.pipe("query -c exact.amq", numbers(0..100)));
    quiet(room.pipe("query -c exact.amq", numbers(0..1000) + "x\n"));
    quiet(room.pipe("query -c exact.amq", "\n".repeat(1000)));
    quiet(room.amq("query -c lines.amq n"));
    quiet(room.amq("query -c hex.amq --key-type hex digests"));
    quiet(room.amq("query -c text.amq digests"));
    quiet(room.pipe("query -c lines.amq", numbers(4_950..9_000)));
    quiet(room.amq("query -c numbers.amq --key-type u64 n"));
    room.pipe("build -q -o empty.amq --fpr 1%", "").ends(0);
    quiet(room.amq("query -c empty.amq n"));
}
