//! Which of many sets may hold a key.

use crate::room::{Room, field, numbered};
use amq::{Budget, FilterFile, InterleavedBloomFilter, Key};

fn days() -> Room {
    let room = Room::new();
    for (name, keys) in [("mon", 1..=600), ("tue", 501..=1000), ("wed", 2001..=2100)] {
        room.write(name, numbered(keys));
    }
    room.amq("bins build -q -o days.amq --fpr 1e-7 mon tue wed").ends(0);
    room
}

#[test]
fn a_key_is_in_the_bins_of_its_files() {
    let room = days();
    let ask = |rest: &str| room.amq(&format!("bins query days.amq {rest}"));
    assert_eq!(ask("key1").ends(0).text(), "mon\n");
    assert_eq!(ask("key550").ends(0).text(), "mon\ntue\n");
    assert_eq!(ask("none").ends(1).text(), "");
    assert_eq!(
        ask("key550 key2001 none").ends(0).text(),
        "key550\tmon\nkey550\ttue\nkey2001\twed\n"
    );
    assert_eq!(ask("--all key1 key550").ends(0).text(), "mon\n");
    assert_eq!(ask("--all key1 key2001").ends(1).text(), "");
    assert_eq!(ask("--count key550").ends(0).text(), "2\n");
    assert_eq!(ask("--count key550 none").ends(0).text(), "key550\t2\nnone\t0\n");
    assert_eq!(ask("--all --count key600 key501").ends(0).text(), "2\n");
    let run = room.pipe("bins query days.amq", "key1\r\nkey700").ends(0);
    assert_eq!(run.text(), "key1\tmon\nkey700\ttue\n");
}

#[test]
fn keys_are_folded_and_trimmed_as_by_query() {
    let room = Room::new();
    room.write("names", " Alice \nBOB\nStraße\n");
    room.amq("bins build -q -i --trim -o folded.amq --fpr 1e-7 names").ends(0);
    room.amq("build -q -i --trim -o one.amq --fpr 1e-7 names").ends(0);
    for (options, found) in [("-i --trim", 5), ("--ignore-case", 2), ("--trim", 3), ("", 0)] {
        let asked = "ALICE\n  bob\nSTRASSE\n alice\nbob \n";
        let (bins, one) = (
            room.pipe(&format!("bins query {options} folded.amq"), asked),
            room.pipe(&format!("query {options} one.amq"), asked),
        );
        // The key is printed as it was given.
        let bins = bins.text();
        let keys: String = bins.lines().map(|line| line.replace("\tnames", "\n")).collect();
        assert_eq!(keys, one.text(), "{options}");
        assert_eq!(bins.lines().count(), found, "{options}");
    }
    let all = room.amq("bins query --all -i --trim folded.amq ALICE Bob").ends(0);
    assert_eq!(all.text(), "names\n");
    let help = room.amq("bins query --help").ends(0).text();
    assert!(help.contains("-i, --ignore-case") && help.contains("--trim"), "{help}");
}

#[test]
fn bins_are_counted_and_refused_where_a_filter_is_wanted() {
    let room = days();
    let text = room.amq("info days.amq").ends(0).text();
    assert!(text.starts_with("days.amq: interleaved Bloom filter\n"), "{text}");
    assert!(text.contains("  bins         3\n") && text.contains("600 keys, mon"), "{text}");
    let json = room.amq("info --json days.amq").ends(0).text();
    assert_eq!((field(&json, "bins"), field(&json, "keys")), ("3", "1200"));
    assert_eq!(room.amq("verify days.amq").ends(0).text(), "days.amq: 3 bins: whole\n");
    room.amq("query days.amq mon").refused(&["amq bins query"]);
    let mut bytes = room.read("days.amq");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    room.write("bad.amq", &bytes);
    room.amq("bins query --verify bad.amq key1").refused(&["bad.amq", "payload is damaged"]);
    room.amq("info bad.amq").refused(&["payload is damaged"]);
    room.amq("verify bad.amq").ends(2);
    room.write("cut.amq", &bytes[..500]);
    room.amq("bins query cut.amq key1").refused(&["cut short"]);
}

/// A lookup reads eight rows, so the damage elsewhere is not noticed.
#[test]
fn a_mapped_file_is_asked_by_its_rows_alone() {
    let room = days();
    let filter = InterleavedBloomFilter::load(room.path("days.amq")).unwrap();
    let hash = "key550".key_hash(filter.seed());
    let rows = filter.row_range(hash);
    let mut bytes = room.read("days.amq");
    // The table comes first, and the key's rows are a small part of it.
    assert!(rows.end - rows.start < bytes.len() as u64 / 3);
    for (index, byte) in
        bytes.iter_mut().enumerate().skip(512).take(filter.size_in_bytes() as usize)
    {
        if !rows.contains(&(index as u64)) {
            *byte = 0;
        }
    }
    room.write("bad.amq", &bytes);
    assert_eq!(room.amq("bins query bad.amq key550").ends(0).text(), "mon\ntue\n");
    assert_eq!(room.amq("bins query bad.amq key1").ends(1).text(), "");
    room.amq("bins query --verify bad.amq key550").refused(&["payload is damaged"]);
    // What comes from a stream is read whole.
    room.pipe("bins query - key550", &bytes).refused(&["payload is damaged"]);
    room.pipe("bins query - key550", room.read("days.amq")).ends(0);
    // The header and the directory are always checked.
    bytes[100] ^= 1;
    room.write("bad.amq", &bytes);
    room.amq("bins query bad.amq key550").refused(&["bad.amq"]);
}

#[test]
fn a_single_bin_is_one_bin() {
    let room = Room::new();
    room.write("one", "a key\n");
    let text = room.amq("bins build -o one.amq one").ends(0).err;
    assert!(text.contains("1 key in 1 bin,"), "{text}");
    assert_eq!(room.amq("verify one.amq").ends(0).text(), "one.amq: 1 bin: whole\n");
    assert!(room.amq("info one.amq").text().contains("  largest bin  1 key, one\n"));
}

/// As the file of any filter does.
#[test]
fn a_file_of_bins_records_the_type_of_its_keys() {
    let room = Room::new();
    room.write("numbers", "5\n-7\n");
    room.write("digests", "ff00\n");
    room.write("empty", "");
    room.amq("bins build -q -o n.amq --key-type u64 numbers").ends(0);
    room.amq("bins build -q -o hex.amq --key-type hex digests").ends(0);
    room.amq("bins build -q -o text.amq numbers").ends(0);
    room.amq("bins build -q -o none.amq empty").ends(0);
    for key in ["5", "-- -7", "--verify 5", "--key-type u64 5", "--all 5"] {
        assert_eq!(room.amq(&format!("bins query n.amq {key}")).ends(0).text(), "numbers\n");
    }
    assert_eq!(room.pipe("bins query - 5", room.read("n.amq")).ends(0).text(), "numbers\n");
    assert_eq!(room.amq("bins query hex.amq FF00").ends(0).text(), "digests\n");
    assert_eq!(room.amq("bins query text.amq 5").ends(0).text(), "numbers\n");
    // The errors are those of amq query.
    room.amq("build -q -o one.amq --fpr 1% --key-type u64 numbers").ends(0);
    for asked in ["text", "hex"] {
        let ours = room.amq(&format!("bins query n.amq --key-type {asked} 5")).refused(&[]).err;
        let theirs = room.amq(&format!("query one.amq --key-type {asked} -e 5")).refused(&[]).err;
        assert_eq!(ours, theirs.replace("one.amq", "n.amq"));
    }
    room.amq("bins query text.amq --key-type u64 5").refused(&["leave --key-type u64 out"]);
    // A filter without keys contradicts nothing.
    room.amq("bins query none.amq --key-type u64 5").ends(1);
    let json = room.amq("info --json n.amq").ends(0).text();
    assert_eq!(field(&json, "encoding"), "\"integers\"");
    assert!(room.amq("info --json none.amq").text().contains("\"encoding\":null"));
    let text = room.amq("info n.amq").text();
    assert!(text.contains("  keys are     integers: ask with --key-type u64\n"), "{text}");
}

/// A file that another program saved, and that does not record the type.
#[test]
fn bins_whose_type_is_not_recorded_are_asked_for_text() {
    let room = Room::new();
    let filter = InterleavedBloomFilter::build(Budget::Fpr(0.001), &[["5"]]).unwrap();
    filter.save(room.path("old.amq")).unwrap();
    assert_eq!(room.amq("bins query old.amq 5").ends(0).text(), "0\n");
    room.amq("bins query old.amq --key-type u64 5").ends(1);
    assert!(room.amq("info old.amq").text().contains("  keys are     not said\n"));
}

/// The number of bytes in a text such as `takes 3.40 MB while`.
fn bytes_after(text: &str, word: &str) -> f64 {
    let mut words = text.split_once(word).unwrap().1.split_whitespace();
    let number: f64 = words.next().unwrap().parse().unwrap();
    let units = ["B", "kB", "MB", "GB"];
    let unit = words.next().unwrap().trim_end_matches([':', ',']);
    number * 1000f64.powi(units.iter().position(|&it| it == unit).unwrap() as i32)
}

/// A large file among many small ones, whose bins all have its size.
#[test]
fn memory_is_limited_and_the_error_names_ways_out_that_work() {
    let room = Room::new();
    room.write("large", numbered(1..=30_000));
    room.write("large2", numbered(1..=29_000));
    let small: Vec<String> = (0..100).map(|i| format!("small{i}")).collect();
    for name in &small {
        room.write(name, "a key\n");
    }
    let small = small.join(" ");
    let all = format!("large {small} large2");
    let build = |memory: &str, files: &str| {
        room.amq(&format!("bins build -f -q -o b.amq --memory {memory} {files}"))
    };
    let error = build("4MB", &all).refused(&[
        "interleaved Bloom filter of these keys takes ",
        "while it is built, and --memory allows 4.00 MB: allow more, take a higher rate",
        "large, 30,000 keys",
        "build 2 files of bins: of the 2 largest files of keys, and of the other 100",
    ]);
    assert!(!room.exists("b.amq"));
    // What it names suffices, and less does not.
    let takes = bytes_after(&error.err, "takes ");
    build(&format!("{:.0}", takes * 1.01), &all).ends(0);
    build(&format!("{:.0}", takes * 0.99), &all).refused(&["--memory allows"]);
    build("4MB", "large large2").ends(0);
    build("4MB", &small).ends(0);
    // Without unlike sizes there is nothing to divide.
    let alike = build("1MB", "large large2").refused(&["--memory allows 1.00 MB"]);
    assert!(!alike.err.contains("files of bins"), "{alike:?}");
    // Hashes alone are refused while keys are read.
    build("200kB", &all).refused(&["the hashes of these keys take more", "--memory allows 200 kB"]);
    // The default is that of amq build.
    let help = room.amq("bins build --help").ends(0).text();
    assert!(help.contains("--memory <SIZE>") && help.contains("[default: 1GiB]"), "{help}");
}

#[test]
fn what_is_no_set_of_bins_is_refused() {
    let room = days();
    room.amq("bins build -o days.amq mon").refused(&["days.amq"]);
    room.amq("bins build -o new.amq -e key").refused(&["give their names"]);
    room.amq("bins build -o new.amq missing").refused(&["missing"]);
    room.amq("bins build -o mon -f mon").refused(&["mon: the output is one of the inputs"]);
    room.amq("build -q -o bloom.amq --fpr 1% mon").ends(0);
    room.amq("bins query bloom.amq key1").refused(&["holds a Bloom filter"]);
    assert!(!room.exists("new.amq"));
    // Integers, an empty file, and a seed.
    room.write("empty", "");
    room.write("numbers", "5\n7\n");
    room.amq("bins build -q -f -o n.amq --key-type u64 --seed 9 empty numbers").ends(0);
    let run = room.amq("bins query --key-type u64 n.amq 5").ends(0);
    assert_eq!(run.text(), "numbers\n");
}

/// A missing file, and keys that look like options. Bins are asked for keys without -e.
#[test]
fn hints_about_keys_are_those_of_bins() {
    let room = Room::new();
    let missing = room.amq("bins build -o new.amq nofile").refused(&["nofile: No such file"]);
    assert!(!missing.err.contains("-e nofile"), "{missing:?}");
    assert!(!room.amq("bins build --help").ends(0).text().contains("--key <KEY>"));
    room.write("numbers", "5\n-7\n");
    room.write("options", "-x\n");
    room.amq("bins build -q -o n.amq --key-type u64 numbers").ends(0);
    room.amq("bins build -q -o o.amq options").ends(0);
    assert_eq!(room.amq("bins query n.amq -7").ends(0).text(), "numbers\n");
    let hint = "a key that begins with a dash follows '--': amq bins query FILTER -- -x";
    room.amq("bins query o.amq -x").refused(&[hint]);
    room.amq("bins query o.amq -e x").refused(&["the keys follow the filter"]);
    room.amq("bins query o.amq --cont x").refused(&["'--count'"]);
    assert_eq!(room.amq("bins query o.amq -- -x").ends(0).text(), "options\n");
}

/// A bin counts the keys that were new to it, and misses those that were false positives.
#[test]
fn the_report_says_which_count_is_that_of_lines() {
    let room = Room::new();
    let report = room.amq("bins build -o b.amq --fpr 30% keys.txt keys.txt").ends(0).err;
    let json = room.amq("info --json b.amq").ends(0).text();
    let counted: u64 = field(&json, "keys").parse().unwrap();
    assert!((1700..2002).contains(&counted), "{counted}");
    let (whole, part) = (counted / 1000, counted % 1000);
    let says = format!("at least {whole},{part:03} different of 2,002 keys in 2 bins");
    assert!(report.contains(&says), "{report}");
    let text = room.amq("info b.amq").text();
    assert!(text.contains(&format!("  keys         counted {whole},{part:03}\n")), "{text}");
}

#[test]
fn control_characters_in_names_are_escaped() {
    let room = Room::new();
    let sets = [["key1"], ["key2"]];
    let mut filter = InterleavedBloomFilter::build(Budget::Fpr(0.001), &sets).unwrap();
    filter.set_names(["été\u{1b}[31m\nforged", "b"]).unwrap();
    filter.save(room.path("days.amq")).unwrap();
    let text = room.amq("bins query days.amq key1").ends(0).text();
    assert_eq!(text, "été\\u{1b}[31m\\nforged\n");
    assert!(!room.amq("info days.amq").ends(0).text().contains('\u{1b}'));
}
