//! Filters that say how their keys were encoded.

use crate::room::{Room, numbered};
use amq::{AnyFilter, FilterFile};

#[test]
fn the_file_says_the_type_of_keys_and_others_are_refused() {
    let room = Room::new();
    room.write("n", (0..500).map(|n| format!("{n}\n")).collect::<String>());
    room.amq("build -o numbers.amq --kind cuckoo --fpr 1e-6 --key-type u64 n").ends(0);
    room.amq("build -o lines.amq --kind cuckoo --fpr 1e-6 n").ends(0);
    for filter in ["numbers.amq", "lines.amq"] {
        let run = room.amq(&format!("query -c {filter} n")).ends(0);
        assert_eq!((run.text(), run.err), ("500\n".into(), String::new()), "{filter}");
    }
    let integers = ["numbers.amq: its keys are integers", "leave --key-type out"];
    let bytes = ["lines.amq: its keys are text or bytes", "leave --key-type u64 out"];
    let lines =
        ["lines.amq: its keys are text or bytes exactly as in a line", "leave --key-type out"];
    for command in ["query", "insert", "remove"] {
        room.amq(&format!("{command} numbers.amq --key-type text -e 7")).refused(&integers);
        room.amq(&format!("{command} numbers.amq --key-type hex -e 77")).refused(&integers);
        room.amq(&format!("{command} lines.amq --key-type u64 -e 7")).refused(&bytes);
        room.amq(&format!("{command} lines.amq --key-type hex -e 38")).refused(&lines);
    }
    room.amq("insert numbers.amq -e 500").ends(0);
    room.amq("query -q numbers.amq --key-type u64 -e 500").ends(0);
    room.amq("insert numbers.amq -e text").refused(&["not a whole number"]);
    room.amq("remove lines.amq -e 7").ends(0);

    // The number of different keys does not matter, what they are does.
    room.amq("dedupe -F d.amq --key-type u64 n").ends(0);
    assert_eq!(room.amq("dedupe -F d.amq n").ends(1).lines(), 0);
    room.amq("dedupe -F d.amq --key-type text n").refused(&["its keys are integers"]);
}

#[test]
fn keys_in_hexadecimal_are_looked_up_as_their_bytes() {
    let room = Room::new();
    room.write("digests", "00ff\nDEADBEEF\n");
    room.amq("build -o f.amq --kind cuckoo --fpr 1e-6 --key-type hex digests").ends(0);
    assert_eq!(room.amq("query -c f.amq digests").ends(0).text(), "2\n");
    room.amq("query -q f.amq -e deadbeef").ends(0);
    let text = ["f.amq: its keys are bytes, given in hexadecimal digits", "leave --key-type out"];
    for command in ["query", "insert", "remove"] {
        room.amq(&format!("{command} f.amq --key-type text -e deadbeef")).refused(&text);
        let run = room.amq(&format!("{command} f.amq --key-type u64 -e 7"));
        run.refused(&["f.amq: its keys are text or bytes", "leave --key-type u64 out"]);
    }
    room.amq("insert f.amq -e 1234").ends(0);
    room.amq("query -q f.amq --key-type hex -e 1234").ends(0);
    assert!(room.amq("info f.amq").ends(0).text().contains("bytes in hexadecimal digits"));
    let told = room.amq("info --json f.amq").ends(0).text();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap()["encoding"], "hex");
}

/// As SQL makes them.
#[test]
fn filters_of_dates_and_of_instants_say_what_to_ask_them() {
    let room = Room::new();
    let golden =
        |name: &str| format!("{}/../amq/tests/golden/{name}.amq", env!("CARGO_MANIFEST_DIR"));
    let (dates, instants) = (golden("keys-dates"), golden("keys-instants"));
    room.write("n", "0\n1\n299\n");
    let days = ["its keys are dates", "--key-type u64"];
    for asked in ["", "--key-type text", "--key-type hex"] {
        room.amq(&format!("query -c {dates} {asked} n")).refused(&days);
    }
    assert_eq!(room.amq(&format!("query -c {dates} --key-type u64 n")).ends(0).text(), "3\n");
    let no_line = ["its keys are instants, which lines cannot express", "(seconds, nanoseconds)"];
    for asked in ["", "--key-type text", "--key-type hex", "--key-type u64"] {
        room.amq(&format!("query -c {instants} {asked} n")).refused(&no_line);
    }
    for (file, id, words) in
        [(dates, "dates", "ask for days since 1970"), (instants, "instants", "in SQL")]
    {
        assert!(room.amq(&format!("info {file}")).ends(0).text().contains(words));
        let told = room.amq(&format!("info --json {file}")).ends(0).text();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&told).unwrap()["encoding"], id);
    }
}

#[test]
fn a_filter_of_mixed_keys_says_so() {
    let room = Room::new();
    room.write("n", "1\n2\n3\n");
    let build = "build --fpr 1e-6 --keys 2000 --kind cuckoo -o";
    room.amq(&format!("{build} text.amq keys.txt")).ends(0);
    room.amq(&format!("{build} numbers.amq --key-type u64 n")).ends(0);
    let merge = "merge -o both.amq text.amq numbers.amq";
    room.amq(merge).refused(&["text.amq and numbers.amq: the keys of one are text", "integers"]);
    // A program can.
    let load = |name: &str| amq::AnyFile::load(room.path(name)).unwrap();
    let mut both = load("text.amq");
    both.merge(&load("numbers.amq")).unwrap();
    let mut bytes = Vec::new();
    both.write_to(&mut bytes).unwrap();
    room.write("both.amq", bytes);
    let told = room.amq("info both.amq").ends(0).text();
    assert!(told.contains("of several types"), "{told}");
    room.amq("query both.amq -e 1").refused(&["say which these are, with --key-type"]);
    room.amq("query -q both.amq --key-type u64 -e 1").ends(0);
    room.amq("query -q both.amq --key-type text -e 1").ends(1);
    room.amq("query -q both.amq --key-type text -e alice").ends(0);
}

#[test]
fn an_empty_filter_takes_the_type_of_its_first_keys() {
    let room = Room::new();
    let build = "build -f --kind bloom --fpr 1e-6 --keys 2000 -o";
    room.write("n", "1\n2\n3\n");
    let keys_are = |name: &str, what: &str| {
        let told = room.amq(&format!("info {name}")).ends(0).text();
        assert!(told.contains(what), "{name}: {told}");
    };
    for options in ["", "--unique"] {
        room.pipe(&format!("{build} empty.amq {options}"), "").ends(0);
        keys_are("empty.amq", "not said");
    }
    // No keys say nothing.
    room.pipe("insert empty.amq", "").ends(0);
    keys_are("empty.amq", "not said");
    room.amq("insert empty.amq -o f.amq --key-type u64 n").ends(0);
    keys_are("f.amq", "integers");
    assert_eq!(room.amq("query -c f.amq n").ends(0).text(), "3\n");
    // What the command line said of no keys holds until it says otherwise.
    room.pipe(&format!("{build} typed.amq --key-type u64"), "").ends(0);
    room.amq("insert typed.amq -o g.amq n").ends(0);
    keys_are("g.amq", "integers");
    room.amq("insert typed.amq -o h.amq --key-type text n").ends(0);
    keys_are("h.amq", "text or bytes");
    for merged in ["empty.amq f.amq", "f.amq empty.amq"] {
        room.amq(&format!("merge -f -o both.amq {merged}")).ends(0);
        keys_are("both.amq", "integers");
    }
    room.pipe("dedupe -F d.amq", "").ends(1);
    keys_are("d.amq", "not said");
    assert_eq!(room.amq("dedupe -F d.amq --key-type u64 n").ends(0).lines(), 3);
    keys_are("d.amq", "integers");
}

#[test]
fn a_file_of_an_older_version_says_nothing_and_is_read() {
    let room = Room::new();
    room.write("n", numbered(1..=3));
    room.amq("build -o f.amq --fpr 1e-6 n").ends(0);
    // The library does not say how keys were encoded unless it is told.
    AnyFilter::load(room.path("f.amq")).unwrap().save(room.path("f.amq")).unwrap();
    let told = room.amq("info f.amq").ends(0).text();
    assert!(told.contains("not said"), "{told}");
    room.amq("query -q f.amq -e key1").ends(0);
    room.amq("query -q f.amq --key-type u64 -e 1").ends(1);
    // More keys do not make it known, unless there were none.
    room.amq("insert f.amq -e more").ends(0);
    assert!(room.amq("info f.amq").ends(0).text().contains("not said"));
    room.pipe("build -f -o f.amq --fpr 1% --keys 100", "").ends(0);
    AnyFilter::load(room.path("f.amq")).unwrap().save(room.path("f.amq")).unwrap();
    room.amq("insert f.amq --key-type u64 -e 7").ends(0);
    assert!(room.amq("info f.amq").ends(0).text().contains("integers"));
    room.amq("query -q f.amq -e 7").ends(0);
}
