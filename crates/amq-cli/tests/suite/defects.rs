//! What went wrong in the hands of operators: each test failed on the program before.

use crate::room::{KINDS, Room, field, have, numbered};
use amq::{Abilities, Ability, FilterKind};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text.lines().next().unwrap_or_default()).unwrap()
}

/// An access control list: user 1234 may read and write, the file's group may not.
#[cfg(target_os = "linux")]
const LIST: [u8; 44] = {
    let mut list = [0xff; 44];
    let entries = [(1, 6), (2, 6), (4, 0), (0x10, 6), (0x20, 0)];
    (list[0], list[1], list[2], list[3]) = (2, 0, 0, 0);
    let mut i = 0;
    while i < entries.len() {
        let at = 4 + 8 * i;
        (list[at], list[at + 1]) = (entries[i].0, 0);
        (list[at + 2], list[at + 3]) = (entries[i].1, 0);
        i += 1;
    }
    (list[16], list[17], list[18], list[19]) = (0xd2, 0x04, 0, 0);
    list
};

#[cfg(target_os = "linux")]
#[test]
fn a_change_keeps_access_control_lists_and_attributes() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};
    use std::os::unix::fs::MetadataExt;

    const NAME: &str = "system.posix_acl_access";
    let room = Room::with_filter();
    let path = room.path("seen.amq");
    if setxattr(&path, NAME, &LIST, XattrFlags::empty()).is_err()
        || setxattr(&path, "user.owner", b"ops", XattrFlags::empty()).is_err()
    {
        println!("SKIPPED: this file system has no access control lists or attributes");
        return;
    }
    let mode = || path.metadata().unwrap().mode() & 0o777;
    let before = mode();
    let mut value = [0; 100];
    for command in ["insert -q seen.amq -e x", "build -q -f -o seen.amq --fpr 1% keys.txt"] {
        room.amq(command).ends(0);
        let length = getxattr(&path, NAME, &mut value).unwrap();
        assert_eq!(value[..length], LIST, "{command}");
        let length = getxattr(&path, "user.owner", &mut value).unwrap();
        assert_eq!(&value[..length], b"ops", "{command}");
        assert_eq!(mode(), before, "{command}");
    }
    // A folder's default list is not for a file that had none.
    let folder = room.path("folder");
    std::fs::create_dir(&folder).unwrap();
    room.amq("build -q -o folder/f.amq --fpr 1% keys.txt").ends(0);
    setxattr(&folder, "system.posix_acl_default", &LIST, XattrFlags::empty()).unwrap();
    room.amq("insert -q folder/f.amq -e x").ends(0);
    assert!(getxattr(room.path("folder/f.amq"), NAME, &mut value).is_err());
}

#[test]
fn a_union_that_is_too_full_says_so() {
    let room = Room::new();
    room.write("a", numbered(1..=1000));
    room.write("b", numbered(1001..=2000));
    for name in ["a", "b"] {
        room.amq(&format!("build -q -o {name}.amq --fpr 1% --keys 1000 {name}")).ends(0);
    }
    let run = room.amq("merge -o ab.amq a.amq b.amq").ends(0);
    assert!(
        run.err.contains("more keys than the 1,000 it was planned for, and errs at 1"),
        "{run:?}"
    );
    let run = room.amq("merge -o aa.amq a.amq a.amq").ends(0);
    assert!(!run.err.contains("planned for"), "{run:?}");
}

#[test]
fn lines_and_integers_are_not_united() {
    let room = Room::new();
    room.amq("build -q -o a.amq --fpr 1% --keys 9 -e 1").ends(0);
    room.amq("build -q -o b.amq --fpr 1% --keys 9 --key-type u64 -e 1").ends(0);
    room.amq("merge -o ab.amq a.amq b.amq").refused(&["text or bytes", "integers", "query -F"]);
    assert!(!room.exists("ab.amq"));
    // What holds no keys holds none of another type.
    room.pipe("build -q -o none.amq --fpr 1% --keys 9 --key-type u64", "").ends(0);
    room.amq("merge -q -o an.amq a.amq none.amq").ends(0);
}

#[test]
fn a_filter_is_no_file_of_keys() {
    let room = Room::with_filter();
    room.write("other.amq", room.read("seen.amq"));
    let old = room.read("seen.amq");
    for command in [
        "insert seen.amq other.amq",
        "build -o f.amq --fpr 1% keys.txt other.amq",
        "query seen.amq other.amq",
        "remove seen.amq other.amq",
        "dedupe other.amq",
    ] {
        room.amq(command).refused(&["other.amq: this is a filter", "amq merge"]);
    }
    let run = room.pipe("build -o f.amq --fpr 1%", &old).refused(&["this is a filter"]);
    assert!(run.err.contains("standard input"), "{run:?}");
    assert_eq!((room.exists("f.amq"), room.read("seen.amq")), (false, old));
    let first = "the filter comes first";
    room.amq("query keys.txt seen.amq").refused(&["seen.amq", "keys.txt", first]);
    // Unless it is what is wanted.
    room.amq("build -q -o f.amq --fpr 1% --raw other.amq").ends(0);
    // The other way round.
    if have("gzip", &["--version"]) {
        room.bash("gzip -k seen.amq").ends(0);
        room.amq("query seen.amq.gz keys.txt").refused(&["this is compressed: gzip -dc"]);
    }
}

/// A program that writes into the file itself.
#[cfg(unix)]
#[test]
fn a_file_written_to_by_another_program_is_not_overwritten() {
    let room = Room::with_filter();
    room.amq("build -q -o other --fpr 1% more.txt").ends(0);
    let mut run = room.piped("insert seen.amq -q");
    let (mut input, _output) = run.pipes();
    std::io::Write::write_all(&mut input, b"mallory\n").unwrap();
    while room.bash("flock -n seen.amq true").status == Some(0) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    room.bash("cp other seen.amq").ends(0);
    drop(input);
    let ended = run.ends();
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert!(ended.err.contains("has written to this file in the meantime"), "{ended:?}");
    assert_eq!(room.read("seen.amq"), room.read("other"));
}

#[test]
fn several_first_runs_of_dedupe_share_one_filter() {
    let room = Room::new();
    let started: Vec<_> =
        (0..8).map(|_| room.start("dedupe -F new.amq keys.txt more.txt")).collect();
    let mut printed = 0;
    for started in started {
        let run = started.ends();
        assert!(matches!(run.status, Some(0 | 1)), "{run:?}");
        assert!(run.err.is_empty(), "{run:?}");
        printed += run.lines();
    }
    assert_eq!(printed, 1501);
    // One that fails leaves nothing.
    room.pipe("dedupe -F f.amq --max-key-len 3", "abcd").refused(&["longer than 3"]);
    assert!(!room.exists("f.amq"));
}

#[test]
fn a_file_that_is_not_there_is_not_damaged() {
    let room = Room::with_filter();
    let run = room.amq("info --json nosuch seen.amq").ends(2);
    assert_eq!(json(&run.text())["file"], "nosuch");
    assert!(json(&run.text())["error"].as_str().unwrap().contains("nosuch"));
    assert_eq!(run.lines(), 2);
    for command in ["query --json nosuch keys.txt", "insert --json nosuch -e a"] {
        let run = room.amq(command).ends(2);
        assert!(json(&run.text())["error"].as_str().unwrap().contains("nosuch"), "{run:?}");
    }
    room.write("cut.amq", &room.read("seen.amq")[..500]);
    let run = room.amq("verify --json nosuch . cut.amq keys.txt seen.amq").ends(2);
    let whole: Vec<Value> = run.text().lines().map(|line| json(line)["whole"].clone()).collect();
    let (no, yes) = (Value::Bool(false), Value::Bool(true));
    assert_eq!(whole, [Value::Null, Value::Null, no.clone(), no, yes]);
    assert!(run.err.contains("damaged, or not a filter: 2 of 5 files; not read, so"), "{run:?}");
    let run = room.amq("verify nosuch").ends(2);
    assert!(!run.err.contains("damaged"), "{run:?}");
}

#[test]
fn a_kind_that_is_named_twice_is_built_once() {
    let room = Room::new();
    let run = room.amq("build -o {kind}.amq --fpr 1% -k bloom,cuckoo,bloom keys.txt").ends(0);
    assert_eq!(run.err.lines().count(), 2, "{run:?}");
    assert!(room.exists("bloom.amq") && room.exists("cuckoo.amq"));
}

#[test]
fn what_is_stuck_is_not_said_to_be_removed() {
    let room = Room::new();
    for kind in ["counting", "blocked-counting"] {
        room.write("copies", "key1\n".repeat(20));
        room.amq(&format!("build -q -f -o f.amq -k {kind} --fpr 1% --keys 1000 copies")).ends(0);
        room.amq("insert -q f.amq -e key2").ends(0);
        let run = room.amq("remove f.amq -e key1 -e key2").ends(0);
        assert!(run.err.contains("removed: 1 of 2"), "{run:?}");
        assert!(
            run.err.contains("1 key cannot be removed") && run.err.contains("stuck"),
            "{run:?}"
        );
        room.amq("query -q f.amq -e key1").ends(0);
        room.amq("query -q f.amq -e key2").ends(1);
    }
}

#[test]
fn kinds_of_fixed_size_refuse_more_lines_than_they_are_for() {
    let room = Room::new();
    for kind in KINDS {
        let of: FilterKind = kind.parse().unwrap();
        let grows = Abilities::of(of).grow && of != FilterKind::Quotient;
        if !Abilities::of(of).insert || grows {
            continue;
        }
        let run = room.amq(&format!("dedupe -n 100 -F {kind}.amq -k {kind} keys.txt")).ends(2);
        assert!(run.err.contains("more different lines than the 100"), "{kind}: {run:?}");
        assert!(!room.exists(&format!("{kind}.amq")));
    }
}

/// The file is in place, so that the run has done what it was asked.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_synced_is_a_note() {
    if !have("strace", &["-f", "-e", "trace=none", "true"]) {
        return;
    }
    let room = Room::with_filter();
    let inject = "strace -f -o /dev/null -e trace=fsync -e inject=fsync:error=EIO:when=2";
    let run = room.bash(&format!("{inject} amq insert -q seen.amq -e mallory")).ends(0);
    assert!(run.err.contains("it is written and in its place, but its folder"), "{run:?}");
    room.amq("query -q seen.amq -e mallory").ends(0);
}

#[test]
fn texts_are_true() {
    let room = Room::new();
    // The table of abilities decides who is named.
    for (command, ability) in [("insert", Ability::Insert), ("merge", Ability::Merge)] {
        let help = room.amq(&format!("{command} --help")).ends(0).text().to_lowercase();
        for kind in KINDS {
            let cannot = !Abilities::of(kind.parse().unwrap()).has(ability);
            let says = help.split("\n\n").any(|part| {
                let mut words = part.split(|c: char| !c.is_alphanumeric() && c != '-');
                words.any(|word| word == kind)
                    && (part.contains("cannot") || part.contains("no further"))
            });
            assert_eq!(says, cannot, "{command}: {kind}");
        }
    }
    let run = room.amq("convert --help").ends(0).text();
    assert!(run.contains("A ribbon, fuse or quotient filter"), "{run}");
    // Which bits are set is chance: the rate asked for is that of all filters on average.
    let rates = |seed: u32| {
        let run =
            room.amq(&format!("build -f -o f.amq --fpr 1% --keys 1001 --seed {seed} keys.txt"));
        run.ends(0).err
    };
    let reports: Vec<String> = (0..20).map(rates).collect();
    for report in &reports {
        let info = room.amq("info --json f.amq").ends(0).text();
        assert!(field(&info, "rate_now").parse::<f64>().is_ok());
        let (_, rate) = report.split_once("rate ").unwrap();
        let percent: f64 = rate.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(percent > 1.0, rate.contains("(1.00 % on average)"), "{report}");
    }
    assert!(reports.iter().any(|report| report.contains("on average")), "{reports:?}");
    room.amq("build -o g.amq --bytes 1 -k cuckoo --keys 1e6 keys.txt")
        .refused(&["1 byte is too few"]);
}

#[test]
fn manual_pages_have_the_sections_that_readers_look_for() {
    let room = Room::new();
    let help = room.amq("--help").ends(0).text();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    for name in names.into_iter().filter(|&name| name != "help") {
        let page = room.amq(&format!("man {name}")).ends(0).text();
        for section in ["EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SEE ALSO"] {
            assert!(page.contains(&format!(".SH {section}\n")), "{name}: {section}: {page}");
        }
        assert!(!page.contains("EXTRA"), "{page}");
        // Examples stay as they are.
        let (_, examples) = page.split_once(".SH EXAMPLES\n.nf\n$ amq ").unwrap();
        let (examples, _) = examples.split_once("\n.fi").unwrap();
        assert!(!examples.replace("\\-", "").contains('-'), "{examples}");
    }
}

#[test]
fn tips_do_not_mislead() {
    let room = Room::with_filter();
    for (alias, name) in
        [("add", "insert"), ("delete", "remove"), ("union", "merge"), ("check", "verify")]
    {
        let help = room.amq(&format!("{alias} --help")).ends(0).text();
        assert!(help.contains(&format!("amq {name} ")), "{help}");
    }
    assert!(room.amq("stats seen.amq").ends(0).text().starts_with("seen.amq: Bloom"));
    assert_eq!(room.amq("contains seen.amq -e alice").ends(0).text(), "alice\n");
    for list in ["list seen.amq", "dump seen.amq"] {
        let run = room.amq(list).refused(&["does not hold its keys"]);
        assert!(!run.err.contains("insert"), "{run:?}");
    }
    let run = room.amq("query seen.amq -o out.txt keys.txt").refused(&["redirect it with >"]);
    assert!(!run.err.contains("-- -o"), "{run:?}");
    let run = room.amq("merge -o f.amq --field 2 seen.amq seen.amq");
    let run = run.refused(&["build, insert, remove, query and dedupe take keys from a field"]);
    assert!(!run.err.contains("--filter"), "{run:?}");
}

/// A quote that is never closed would make one key of all that follows.
#[test]
fn an_open_quote_is_an_error_and_an_empty_record_is_none() {
    let room = Room::with_filter();
    for text in ["1,\"key5\n2,key6\n", "1,key5\n2,\"key6"] {
        let run = room.pipe("query --csv --field 2 seen.amq", text).ends(2);
        assert!(run.err.contains("standard input: a quote in the last record, \""), "{run:?}");
        room.pipe("build -o f.amq --fpr 1% --csv --field 2", text).refused(&["is not closed"]);
    }
    for end in ["\n", "\r\n"] {
        let text = ["id,name", "1,key5", "", "2,\"key6\"", "", ""].join(end);
        let run = room.pipe("query --csv --field name seen.amq", &text).ends(0);
        assert_eq!(run.text(), ["id,name", "1,key5", "", "2,\"key6\"", ""].join(end));
        assert_eq!(room.pipe("query -c --csv --field name seen.amq", &text).text(), "2\n");
        let run = room.pipe("query --json --csv --field 1 seen.amq", format!("\"\"{end}"));
        assert_eq!(field(&run.text(), "asked"), "1");
    }
}

/// Of several filters, which are mapped: cut short, or written to, by `cp` for example.
#[cfg(unix)]
#[test]
fn a_filter_that_changes_while_it_is_asked_gives_no_answer() {
    use std::io::{BufRead, Write};
    let room = Room::with_filter();
    room.amq("build -q -o other --fpr 1% more.txt").ends(0);
    for (change, says) in [
        (": > mapped", "a filter's file was cut short while it was queried"),
        (
            "cp other mapped",
            "mapped: another program has written to this file while it was queried",
        ),
    ] {
        room.bash("cp seen.amq mapped").ends(0);
        let mut run = room.piped("query -F mapped -F seen.amq");
        let (mut input, mut output) = run.pipes();
        input.write_all(b"key1\n").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "key1\n");
        room.bash(change).ends(0);
        input.write_all(b"key2\n").unwrap();
        drop(input);
        let ended = run.ends().ends(2);
        assert!(ended.err.contains(says), "{ended:?}");
    }
}

#[test]
fn full_filters_are_not_compared_and_a_metric_is_told_once() {
    let room = Room::with_filter();
    room.amq("build -q -o full.amq --bytes 8 keys.txt --keys 1").ends(2);
    room.amq("build -q -o full.amq --bytes 64 -e x").ends(0);
    room.amq("insert -q full.amq keys.txt").ends(0);
    room.amq("compare full.amq full.amq").refused(&["all bits of a Bloom filter are set"]);
    let once = room.amq("info --prometheus seen.amq").ends(0).out;
    assert_eq!(room.amq("info --prometheus seen.amq seen.amq").ends(0).out, once);
}
