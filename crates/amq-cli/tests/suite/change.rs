//! Filters that are kept, changed and combined.

use crate::room::{KINDS, Room, can, field, is_static, numbered};
use amq::Ability;

#[test]
fn dedupe_prints_what_comes_first_and_remembers_it() {
    let room = Room::new();
    assert_eq!(room.amq("dedupe keys.txt more.txt keys.txt").ends(0).lines(), 1501);
    assert_eq!(room.amq("dedupe -v keys.txt more.txt keys.txt").ends(0).lines(), 1501);
    assert_eq!(room.pipe("dedupe", "b\na\nb\na\nc").ends(0).text(), "b\na\nc\n");
    assert_eq!(room.amq("dedupe --filter f.amq keys.txt").ends(0).lines(), 1001);
    assert_eq!(room.amq("dedupe --filter f.amq more.txt").ends(0).lines(), 500);
    assert_eq!(room.amq("dedupe --filter f.amq more.txt").ends(1).lines(), 0);
    // A key that is none fails the run, and what it printed comes again.
    let old = room.read("f.amq");
    room.pipe("dedupe --filter f.amq --max-key-len 3", "abcd").refused(&["longer than 3"]);
    assert_eq!(room.read("f.amq"), old);
    // Any kind that inserts.
    for kind in KINDS.iter().filter(|kind| !is_static(kind)) {
        let command = format!("dedupe --kind {kind} --keys 2000 keys.txt more.txt keys.txt");
        assert_eq!(room.amq(&command).ends(0).lines(), 1501, "{kind}");
    }
    room.amq("dedupe --kind ribbon --keys 2000 keys.txt").refused(&["ribbon filter cannot insert"]);
    room.amq("dedupe --kind cuckoo keys.txt").refused(&["--keys N"]);
    let run = room.amq("dedupe --stats keys.txt").ends(0);
    assert!(run.err.contains("1,001 lines, 1,001 of them new; on average, at most "), "{run:?}");
}

/// It starts small, and keeps its rate when it has grown.
#[test]
fn what_remembers_two_lines_is_small() {
    let room = Room::new();
    room.pipe("dedupe --filter f.amq", "a\nb\n").ends(0);
    assert!(room.read("f.amq").len() < 5_000, "{}", room.read("f.amq").len());
    room.write("many", numbered(1..=200_000));
    room.amq("dedupe --filter f.amq many").ends(0);
    let info = room.amq("info --json f.amq").ends(0).text();
    let rate: f64 = field(&info, "rate_now").parse().unwrap();
    assert!(rate > 0.0 && rate < 1e-6, "{info}");
    assert_eq!(room.amq("query -vc f.amq many").text(), "0\n");
}

#[test]
fn a_grown_kept_filter_is_resumed_with_its_first_options() {
    let room = Room::new();
    room.write("many", numbered(1..=20_000));
    for kind in ["expandable-quotient", "scalable"] {
        let run = format!("dedupe -F {kind}.amq --kind {kind} --keys 1000 many");
        assert!(room.amq(&run).ends(0).lines() > 19_000);
        assert_eq!(room.amq(&run).ends(1).lines(), 0);
    }
}

#[test]
fn a_kept_filter_is_not_resumed_with_other_options() {
    let room = Room::new();
    room.amq("dedupe -F f.amq --keys 5000 --fpr 0.1% keys.txt").ends(0);
    let old = room.read("f.amq");
    for (options, says) in [
        ("--fpr 1%", "f.amq was made for a rate of 0.100 %, not 1.00 %"),
        ("--keys 6000", "f.amq was made for 5,000 lines, not 6,000"),
        ("--kind scalable", "f.amq is a Bloom filter, not a scalable Bloom one"),
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
    assert!(run.err.contains("more different lines than the 5,000"), "{run:?}");
    assert_eq!(room.read("f.amq"), old);
    room.amq("build -o r.amq --kind ribbon --fpr 1% keys.txt").ends(0);
    room.amq("dedupe -F r.amq more.txt").refused(&["r.amq: a ribbon filter cannot insert"]);
}

#[test]
fn keys_are_inserted_all_or_none() {
    let room = Room::with_filter();
    let run = room.amq("insert seen.amq more.txt").ends(0);
    assert!(run.err.contains("now holds more keys than the 1,001 it was planned for"), "{run:?}");
    assert_eq!(room.amq("query -c seen.amq keys.txt more.txt").text(), "2001\n");
    room.amq("build -o c.amq --kind cuckoo --fpr 1% keys.txt").ends(0);
    room.write("many", numbered(2000..=12_000));
    let old = room.read("c.amq");
    room.amq("insert c.amq many").refused(&["c.amq: nothing was inserted: the filter is full"]);
    assert_eq!(room.read("c.amq"), old);
    // Into another file.
    room.amq("insert c.amq -o d.amq -e new").ends(0);
    assert_eq!(room.read("c.amq"), old);
    room.amq("query -q d.amq -e new").ends(0);
    room.amq("insert c.amq -o d.amq -e new").refused(&["--force"]);
    // Copies are kept, unless asked otherwise.
    room.amq("insert c.amq -e key1 -e key1").ends(0);
    let run = room.amq("insert --unique c.amq -e key1 -e key1").ends(0);
    assert!(run.err.contains("inserted: 0 of 2"), "{run:?}");
    room.amq("build -o r.amq --kind ribbon --fpr 1% keys.txt").ends(0);
    room.amq("insert r.amq -e x").refused(&["built from all its keys at once", "bloom, "]);
}

#[test]
fn keys_are_removed_from_kinds_that_can() {
    let room = Room::new();
    for kind in KINDS {
        room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 1e-6 keys.txt")).ends(0);
        let removes = can(kind, Ability::Remove);
        if !removes {
            room.amq("remove f.amq keys.txt").refused(&["cannot remove", "counting, cuckoo"]);
            continue;
        }
        let run = room.amq("remove f.amq more.txt").ends(0);
        assert!(run.err.contains("removed: 500 of 1,000"), "{kind}: {run:?}");
        assert_eq!(room.amq("query -c f.amq keys.txt").text(), "501\n", "{kind}");
        let old = room.read("f.amq");
        room.amq("remove f.amq -e nobody").ends(1);
        assert_eq!(room.read("f.amq"), old);
    }
}

#[test]
fn filters_of_one_make_are_merged() {
    let room = Room::new();
    // Under a secret seed no result is certain for the kinds that can refuse a key.
    let kinds = KINDS.map(|kind| (kind, "--seed 7"));
    for (kind, seed) in [("bloom", "--secret")].into_iter().chain(kinds) {
        let build = |name: &str, keys: &str, options: &str| {
            let size = "--fpr 1% --keys 3000";
            let command = format!("build -f -o {name} --kind {kind} {size} {options} {keys}");
            room.amq(&command).ends(0);
        };
        build("a.amq", "keys.txt", seed);
        build("b.amq", "more.txt", "--seed-of a.amq");
        build("c.amq", "more.txt", "");
        let run = room.amq("merge -f -o m.amq a.amq b.amq");
        if !can(kind, Ability::Merge) {
            run.refused(&["a.amq and b.amq: ", "cannot be merged"]);
            continue;
        }
        run.ends(0);
        assert_eq!(room.amq("query -c m.amq keys.txt more.txt").text(), "2001\n", "{kind}");
        room.amq("merge -f -o m.amq a.amq c.amq")
            .refused(&["a.amq and c.amq: ", "different seeds"]);
    }
    room.amq("build -f -o a.amq --fpr 1% --keys 3000 keys.txt").ends(0);
    room.amq("build -f -o b.amq --fpr 1% --keys 4000 keys.txt").ends(0);
    room.amq("merge -o n.amq a.amq b.amq").refused(&["the filters differ in size", "same --keys"]);
    room.amq("build -f -o a.amq --bytes 2400 keys.txt").ends(0);
    room.amq("build -f -o b.amq --bytes 4800 keys.txt").ends(0);
    room.amq("merge -o n.amq a.amq b.amq").refused(&["differ in probes", "same --keys"]);
    room.amq("build -f -o b.amq --kind cuckoo --fpr 1% keys.txt").ends(0);
    room.amq("merge -o n.amq a.amq b.amq").refused(&["different kinds"]);
    room.amq("merge -o n.amq a.amq").refused(&["2 values required"]);
    assert!(!room.exists("n.amq"));
    // The first may be replaced.
    room.amq("merge --force -o a.amq a.amq a.amq").ends(0);
    assert_eq!(room.amq("query -c a.amq keys.txt").text(), "1001\n");
}

#[test]
fn the_advice_on_merging_names_flags_that_work() {
    let room = Room::new();
    let build = |name: &str, options: &str| {
        room.amq(&format!("build -q -f -o {name} {options} more.txt")).ends(0);
    };
    build("a.amq", "--bytes 1200 --keys 1000");
    build("b.amq", "--bytes 1800 --keys 1500");
    build("c.amq", "--bytes 1800 --keys 1500 --seed 4");
    for (files, seed) in
        [("a.amq b.amq", false), ("--intersect a.amq b.amq", false), ("a.amq c.amq", true)]
    {
        let run = room.amq(&format!("merge -o m.amq {files}"));
        let sizes = "the filters differ in size: 1,200 bytes here, 1,800 bytes there";
        let run = run.refused(&[sizes, "the same --keys", "the same rate or size"]);
        assert_eq!(run.err.contains("--seed-of"), seed, "{run:?}");
        assert!(!run.err.contains("plan_foldable") && !run.err.contains("multiple"), "{run:?}");
    }
    room.amq("merge --intersect -o m.amq a.amq c.amq").refused(&["different seeds"]);
    // As the advice says.
    build("a.amq", "--bytes 1800 --keys 1500");
    room.amq("merge -o m.amq a.amq b.amq").ends(0);
    build("a.amq", "--bytes 1800 --keys 1500 --seed-of c.amq");
    room.amq("merge -f -o m.amq a.amq c.amq").ends(0);
}

/// The smaller of two filters counts several times in the larger.
#[test]
fn the_rates_of_a_refused_union_are_rounded() {
    let room = Room::new();
    room.write("three.txt", numbered(1..=3000));
    room.amq("build -q -o a.amq --bits-per-key 9.6 --keys 3000 three.txt").ends(0);
    room.amq("build -q -o b.amq --bits-per-key 9.6 --keys 1000 more.txt").ends(0);
    let run =
        room.amq("merge -o m.amq a.amq b.amq").refused(&["false-positive rate of", " %, above"]);
    assert!(!run.err.contains("0.0"), "{run:?}");
}

/// A block is chosen by the hash and the number of blocks: keys would be lost.
/// A bit of the smaller table is set several times in the larger one: bits do not say how many keys
/// there are.
#[test]
fn a_union_of_unlike_sizes_names_no_more_keys_than_its_parts() {
    let room = Room::new();
    for (name, keys, planned) in [("a", 1..=100, 500), ("b", 101..=500, 2000)] {
        room.write("keys.txt", numbered(keys));
        let plan = format!("--kind bloom --bytes {} --keys {planned}", planned * 2);
        room.amq(&format!("build -o {name}.amq {plan} keys.txt")).ends(0);
    }
    let run = room.amq("merge -o both.amq a.amq b.amq").ends(0);
    assert!(run.err.contains("about 500 keys"), "{}", run.err);
}

#[test]
fn blocked_filters_of_unlike_sizes_are_not_intersected() {
    let room = Room::new();
    for kind in ["blocked-bloom", "wide-blocked-bloom"] {
        let build = format!("build -q -f --kind {kind}");
        room.amq(&format!("{build} -o a.amq --bytes 1280 --keys 1001 keys.txt")).ends(0);
        room.amq(&format!("{build} -o b.amq --bytes 2560 --keys 2002 keys.txt")).ends(0);
        for files in ["a.amq b.amq", "b.amq a.amq"] {
            let run = room.amq(&format!("merge --intersect -o m.amq {files}"));
            run.refused(&["the filters differ in size", "the same --keys"]);
        }
        room.amq(&format!("{build} -o b.amq --bytes 1280 --keys 1001 keys.txt")).ends(0);
        room.amq("merge -f --intersect -o n.amq a.amq b.amq").ends(0);
        assert_eq!(room.amq("query -c n.amq keys.txt").text(), "1001\n", "{kind}");
    }
}

#[test]
fn only_counting_becomes_bloom() {
    let room = Room::new();
    let kinds = KINDS.join(",");
    room.amq(&format!("build -o {{kind}}.amq --fpr 1% --kind {kinds} keys.txt")).ends(0);
    for kind in KINDS {
        let run = room.amq(&format!("convert -f {kind}.amq --to bloom -o out.amq"));
        match kind {
            "counting" => drop(run.ends(0)),
            "bloom" => drop(run.refused(&["already"])),
            _ => drop(run.refused(&["only counting to bloom is exact"])),
        }
        if kind != "bloom" {
            room.amq(&format!("convert -f counting.amq --to {kind} -o out.amq"))
                .refused(&["[possible values: bloom]"]);
        }
    }
    room.write("many", numbered(1..=100_000));
    let answers = |name: &str| room.amq(&format!("query {name} many")).ends(0).out;
    assert_eq!(answers("counting.amq"), answers("out.amq"));
    // It is the filter that would have been built.
    assert_eq!(answers("bloom.amq"), answers("out.amq"));
}

#[test]
fn a_filter_becomes_smaller_without_its_keys_or_says_why_not() {
    let room = Room::new();
    let kinds = KINDS.join(",");
    room.amq(&format!("build -o {{kind}}.amq --fpr 1e-4 --kind {kinds} keys.txt")).ends(0);
    for kind in KINDS {
        let run = room.amq(&format!("convert -f {kind}.amq --fpr 2% -o small.amq"));
        if !["ribbon", "fuse", "quotient"].contains(&kind) {
            run.refused(&[&format!("`{kind}` cannot be truncated"), "`ribbon`", "from its keys"]);
            continue;
        }
        run.ends(0);
        assert_eq!(room.amq("query -c small.amq keys.txt").text(), "1001\n", "{kind}");
        // It is the filter that would have been built; a quotient filter has the slots it had.
        if kind != "quotient" {
            room.amq(&format!("build -f -o built.amq --fpr 2% --kind {kind} keys.txt")).ends(0);
            assert!(room.read("small.amq") == room.read("built.amq"), "{kind}");
        }
        for limit in ["--bytes 1500", "--bits-per-key 12"] {
            room.amq(&format!("convert -f {kind}.amq {limit} -o small.amq")).ends(0);
            let run = room.amq("info --json small.amq").ends(0).text();
            assert!(field(&run, "bytes").parse::<u64>().unwrap() <= 1502, "{kind}: {run}");
        }
        let both = ["truncating cannot", "1e-6", "from its keys"];
        room.amq(&format!("convert -f {kind}.amq --fpr 1e-6 -o small.amq")).refused(&both);
        room.amq(&format!("convert -f {kind}.amq --bytes 9 -o small.amq")).refused(&["too few"]);
    }
    room.amq("convert ribbon.amq -o x.amq").refused(&["--fpr"]);
    room.amq("convert ribbon.amq --fpr 1% --bytes 900 -o x.amq").refused(&["cannot be used"]);
    assert!(!room.exists("x.amq"));
    // From standard input to standard output.
    let run = room.pipe("convert - --fpr 2% -o -", room.read("ribbon.amq")).ends(0);
    room.amq("build -f -o built.amq --fpr 2% --kind ribbon keys.txt").ends(0);
    assert!(run.out == room.read("built.amq"));
}
