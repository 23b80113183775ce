//! Several filters in one query, filters that are kept while lines come, and monitors.

use crate::room::{Room, field, have, numbered};
use serde_json::Value;

fn three() -> Room {
    let room = Room::new();
    for (name, keys) in [("a", 1..=600), ("b", 501..=1000), ("c", 2001..=2100)] {
        room.write(name, numbered(keys));
        room.amq(&format!("build -q -o {name}.amq --fpr 1e-9 {name}")).ends(0);
    }
    room
}

const ALL: &str = "-F a.amq -F b.amq -F c.amq";

#[test]
fn several_filters_are_asked_at_once() {
    let room = three();
    let ask = |options: &str| room.amq(&format!("query {ALL} {options}"));
    let keys = "-e key1 -e key550 -e key2050 -e none";
    assert_eq!(ask(keys).ends(0).text(), "key1\nkey550\nkey2050\n");
    assert_eq!(ask(&format!("--any -v {keys}")).ends(0).text(), "none\n");
    let run = room.amq(&format!("query --all -F a.amq -F b.amq {keys}")).ends(0);
    assert_eq!(run.text(), "key550\n");
    let run = ask(&format!("-H {keys}")).ends(0);
    assert_eq!(run.text(), "a.amq:key1\na.amq:key550\nb.amq:key550\nc.amq:key2050\n");
    assert_eq!(ask("-l -e key550 -e none").ends(0).text(), "a.amq\nb.amq\n");
    assert_eq!(ask("-l -e none").ends(1).text(), "");
    assert_eq!(ask("-c -H a b").ends(0).text(), "a.amq:700\nb.amq:600\nc.amq:0\n");
    assert_eq!(ask("-c a b c").ends(0).text(), "1200\n");
    let run = ask("--json a").ends(0).text();
    let found: Vec<&str> = run.lines().map(|line| field(line, "found")).collect();
    assert_eq!(found, ["600", "100", "0"]);
    // Under seeds of their own, a secret key, and with keys of two types.
    room.amq("build -q -o s.amq --fpr 1e-9 --seed 7 b").ends(0);
    room.amq("build -q -o n.amq --fpr 1e-9 --key-type u64 -e 5").ends(0);
    let run = room.amq("query -H -F a.amq -F s.amq -e key550 -e key1000").ends(0);
    assert_eq!(run.text(), "a.amq:key550\ns.amq:key550\ns.amq:key1000\n");
    room.amq("query -F a.amq -F n.amq -e 5").refused(&["keys of different types"]);
    room.amq("query -F a.amq -F nosuch -e 5").refused(&["nosuch"]);
    room.amq("query -F a.amq -F keys.txt -e 5").refused(&["keys.txt: not an amq file"]);
    room.amq("query -F a.amq keys.txt -e 5").refused(&["not both"]);
}

/// Fifty filters of which a key reads a few pages: they are not loaded.
#[cfg(target_os = "linux")]
#[test]
fn many_filters_cost_what_is_read_of_them() {
    if !have("strace", &["-f", "-e", "trace=none", "true"]) {
        return;
    }
    let room = Room::new();
    let mut names = String::new();
    for i in 0..10 {
        room.amq(&format!("build -q -o {i}.amq --fpr 1% --keys 1e6 -e key{i}")).ends(0);
        names += &format!(" -F {i}.amq");
    }
    let ask = format!("strace -f -o trace -e trace=read,pread64 amq query -l{names} -e key7");
    assert_eq!(room.bash(&ask).ends(0).text(), "7.amq\n");
    let trace = String::from_utf8(room.read("trace")).unwrap();
    let read: u64 =
        trace.lines().filter_map(|line| line.rsplit_once("= ")?.1.trim().parse::<u64>().ok()).sum();
    // One filter has more bytes.
    assert!(read < 300_000, "{read}");
}

#[test]
fn each_key_can_get_a_line() {
    let room = three();
    let print = |words: &str| {
        room.amq(&format!("query --print {words} a.amq -e key1 -e none")).ends(0).text()
    };
    assert_eq!(print("yes,no"), "yes\nno\n");
    assert_eq!(print("1,0,key"), "1\tkey1\n0\tnone\n");
    room.amq("query --print yes a.amq -e key1").refused(&["two words"]);
    let run = room.amq("query -H --print +,- -F a.amq -F b.amq -e key1").ends(0);
    assert_eq!(run.text(), "a.amq:+\nb.amq:-\n");
    room.write("two", "none\nkey1\n");
    let run = room.amq("query -n a.amq two keys.txt").ends(0).text();
    assert!(run.starts_with("2:key1\n1:key1\n2:key2\n"), "{run}");
}

#[cfg(unix)]
#[test]
fn a_signal_saves_what_has_been_printed() {
    use std::io::{BufRead, Write};
    let room = Room::new();
    for (signal, number) in [("TERM", 15), ("INT", 2)] {
        let mut run = room.piped("dedupe -F f.amq");
        let (mut input, mut output) = run.pipes();
        input.write_all(format!("{signal}\n").as_bytes()).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{signal}\n"));
        room.bash(&format!("kill -{signal} {}", run.id())).ends(0);
        let ended = run.ends();
        assert_eq!(ended.signal, Some(number), "{ended:?}");
        room.amq(&format!("query -q f.amq -e {signal}")).ends(0);
    }
}

#[cfg(unix)]
#[test]
fn a_filter_is_saved_while_lines_come_and_stays_locked() {
    use std::io::{BufRead, Write};
    let room = Room::new();
    let mut run = room.piped("dedupe -F f.amq --save-every 1ms");
    let (mut input, mut output) = run.pipes();
    for i in 0..3 {
        input.write_all(format!("key{i}\n").as_bytes()).unwrap();
        output.read_line(&mut String::new()).unwrap();
        while room.amq(&format!("query -q f.amq -e key{i}")).status != Some(0) {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        room.amq("insert --no-wait f.amq -e x").refused(&["f.amq: another run is changing"]);
    }
    // Even if it is killed, what was saved is there.
    room.bash(&format!("kill -KILL {}", run.id())).ends(0);
    assert_eq!(run.ends().signal, Some(9));
    assert_eq!(room.pipe("dedupe -F f.amq", "key0\nkey2\nkey9\n").ends(0).text(), "key9\n");
}

#[test]
fn lines_are_forgotten_after_so_many_others() {
    let room = Room::new();
    room.write("many", numbered(1..=10_000));
    let run = room.amq("dedupe --forget 1000 --fpr 1e-6 many many").ends(0);
    assert_eq!(run.lines(), 20_000);
    let run = room.amq("dedupe --forget 10000 --fpr 1e-6 many many").ends(0);
    assert_eq!(run.lines(), 10_000);
    room.amq("dedupe --forget 5 -F f.amq many").refused(&["cannot be used with"]);
    // It would have remembered one line all the same.
    room.amq("dedupe --forget 0 many").refused(&["'0' for '--forget <N>': must be at least 1"]);
}

/// Its help and completions list no kind that it refuses.
#[test]
fn kinds_that_insert_nothing_are_not_offered_for_lines() {
    let room = Room::new();
    let listed = |command: &str| {
        let help = room.amq(&format!("{command} -h")).ends(0).text();
        let (_, kinds) = help.split_once("--kind <KIND>").unwrap();
        let (_, kinds) = kinds.split_once("values: ").unwrap();
        let kinds = kinds.split_once(']').unwrap().0.replace(char::is_whitespace, "");
        kinds.split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    let (all, lines) = (listed("build"), listed("dedupe"));
    assert!(all.len() == amq::AnyFilter::KINDS.len() && lines.len() == all.len() - 2, "{lines:?}");
    room.write("some", numbered(1..=3));
    for kind in all {
        let run = room.amq(&format!("dedupe --keys 10 --kind {kind} some"));
        match lines.contains(&kind) {
            true => assert_eq!(run.ends(0).lines(), 3, "{kind}"),
            false => drop(run.refused(&["cannot insert lines as they come"])),
        }
    }
}

#[test]
fn dedupe_has_a_limit_of_memory_and_a_status_for_scripts() {
    let room = Room::new();
    room.write("many", numbered(1..=100_000));
    // However many threads there could be.
    room.amq("dedupe --memory 20MiB --threads 256 many").ends(0);
    let run = room.amq("dedupe --memory 64KiB many").ends(2);
    assert!(run.err.contains("--memory allows 65.5 kB, of which 65.5 kB are for"), "{run:?}");
    room.amq("dedupe --memory 16MB many").ends(0);
    room.pipe("dedupe", "").ends(1);
    room.pipe("dedupe --zero", "").ends(0);
    let run = room.amq("dedupe --help").ends(0).text();
    assert!(run.contains("or with --zero"), "{run}");
}

/// Whatever the lines are, and whether it ends well or not.
#[cfg(target_os = "linux")]
#[test]
fn dedupe_takes_no_more_memory_than_it_may() {
    let time = "/usr/bin/time";
    if !have(time, &["-f", "%M", "true"]) {
        return;
    }
    let room = Room::new();
    let long = |i: usize| format!("{i:0width$}\n", width = 20_000 + i % 50);
    room.write("many", numbered(1..=1_500_000));
    room.write("short", "\n1\n2\n\n".repeat(1_000_000));
    room.write("long", (0..2000).map(long).collect::<String>());
    for (memory, mib) in [("12MiB", 12), ("20MiB", 20)] {
        for lines in ["many", "short", "long"] {
            for how in
                ["", "--exact", "-F f.amq --threads 256", "--forget 100000", "-n 1e6 --fpr 1e-9"]
            {
                let run = format!("dedupe --memory {memory} {how} {lines}");
                let ran = room.bash(&format!("{time} -f %M -o peak amq {run} > /dev/null"));
                assert!(matches!(ran.status, Some(0..=2)), "{run}: {ran:?}");
                let peak = String::from_utf8(room.read("peak")).unwrap();
                let peak: u64 = peak.lines().last().unwrap().parse().unwrap();
                assert!(peak <= mib << 10, "{run}: {peak} KiB {ran:?}");
            }
        }
    }
}

#[test]
fn monitors_get_a_status_and_metrics() {
    let room = Room::new();
    room.amq("build -q -o f.amq --fpr 1% --keys 500 keys.txt -k blocked-bloom").ends(2);
    room.amq("build -q -o f.amq --fpr 1% --keys 1001 keys.txt").ends(0);
    room.amq("info --max-rate 2% --max-load 95% f.amq").ends(0);
    let run = room.amq("info --max-rate 0.1% f.amq").ends(1);
    assert!(run.err.contains("above the 0.100 % of --max-rate"), "{run:?}");
    let run = room.amq("info --max-load 10% f.amq").ends(1);
    assert!(run.err.contains("above the 10.0 % of --max-load"), "{run:?}");
    room.amq("info --max-rate 0.1% f.amq nosuch").ends(2);
    let run = room.amq("info --prometheus f.amq nosuch").ends(2).text();
    for line in [
        "# TYPE amq_keys gauge",
        "amq_readable{file=\"f.amq\"} 1",
        "amq_readable{file=\"nosuch\"} 0",
        "amq_planned_keys{file=\"f.amq\",kind=\"bloom\"} 1001",
    ] {
        assert!(run.lines().any(|is| is == line), "{line}: {run}");
    }
}

#[test]
fn what_changes_files_tells_programs_what_it_has_done() {
    let room = Room::new();
    let tell = |command: &str| -> Value {
        let run = room.amq(command).ends(0);
        assert_eq!((run.lines(), run.err.as_str()), (1, ""), "{command}");
        serde_json::from_str(&run.text()).unwrap()
    };
    let told = tell("build --json -o f.amq -k cuckoo --fpr 1% --keys 5000 keys.txt");
    assert_eq!((&told["read"], &told["kind"]), (&1001.into(), &"cuckoo".into()));
    let told = tell("insert --json f.amq -e one -e two");
    assert_eq!((&told["inserted"], &told["keys"]), (&2.into(), &1003.into()));
    assert_eq!(tell("remove --json f.amq -e one")["removed"], 1);
    assert_eq!(tell("merge --json -o g.amq f.amq f.amq")["merged"], 2);
    tell("build --json -o c.amq -k counting --fpr 1% keys.txt");
    assert_eq!(tell("convert --json c.amq --to bloom -o b.amq")["kind"], "bloom");
    room.amq("insert --json f.amq -o - -e x").ends(2);
}

#[cfg(unix)]
#[test]
fn a_wait_for_another_run_is_told_and_has_a_limit() {
    let room = Room::with_filter();
    let insert = "amq insert -q seen.amq -e x";
    // Held until the run says that it waits.
    let run = room.bash(&format!(
        "exec 9< seen.amq; flock 9; {insert} 2> said 9<&- & \
         until grep -q waiting said; do sleep 0.05; done; exec 9<&-; wait $!"
    ));
    run.ends(0);
    let said = String::from_utf8(room.read("said")).unwrap();
    assert_eq!(said, "amq: seen.amq: waiting for another run to finish changing it\n");
    room.amq("query -q seen.amq -e x").ends(0);
    // Held until it has given up.
    for options in ["--no-wait", "--wait 100ms"] {
        let run = room.bash(&format!("exec 9< seen.amq; flock 9; {insert} {options} 9<&-")).ends(2);
        assert!(run.err.contains("seen.amq: another run is changing this file"), "{run:?}");
    }
    room.bash(&format!("flock seen.amq sleep 0.1 & {insert} --wait 1min; s=$?; wait; exit $s"))
        .ends(0);
}

/// 600 and 500 keys, of which 100 are common: within the interval in 19 of 20 comparisons, or more.
#[test]
fn two_filters_are_compared() {
    let room = three();
    let compare = |options: &str| -> Value {
        let build = |name: &str| format!("build -q -f -o {name}2 {options} --keys 1000 {name}");
        for name in ["a", "b"] {
            room.amq(&build(name)).ends(0);
        }
        serde_json::from_str(&room.amq("compare --json a2 b2").ends(0).text()).unwrap()
    };
    let known = [("first", 600), ("second", 500), ("both", 100), ("only_first", 500)];
    let mut outside = 0;
    for kind in ["bloom", "blocked-bloom", "wide-blocked-bloom"] {
        for seed in 0..10 {
            let told = compare(&format!("--fpr 1% -k {kind} --seed {seed}"));
            for (name, keys) in known {
                let [least, most] = ["least", "most"].map(|end| told[name][end].as_u64().unwrap());
                assert!(most - least < 120, "{kind}: {told}");
                outside += u32::from(!(least..=most).contains(&keys));
            }
        }
    }
    assert!(outside <= 6, "{outside} of 120");
    let told = compare("--fpr 1e-9 -k quotient");
    for (name, keys) in known {
        assert_eq!(told[name]["keys"].as_f64(), Some(keys as f64), "{told}");
        assert_eq!((&told[name]["least"], &told[name]["most"]), (&keys.into(), &keys.into()));
    }
    assert!(room.amq("compare a2 b2").ends(0).text().contains("100 keys in both\n"));
    room.amq("compare a2 a.amq").refused(&["a2 and a.amq: their kinds or sizes differ"]);
    room.amq("build -q -f -o b2 --fpr 1e-9 -k quotient --seed 5 --keys 1000 b").ends(0);
    room.amq("compare a2 b2").refused(&["different seeds"]);
    room.amq("build -q -f -o a2 --fpr 1% -k cuckoo --keys 1000 a").ends(0);
    room.amq("compare a2 a2").refused(&["cuckoo filters cannot be compared"]);
}

#[test]
fn an_intersection_keeps_the_keys_of_both() {
    let room = three();
    for kind in ["bloom", "blocked-bloom", "wide-blocked-bloom"] {
        for name in ["a", "b"] {
            let build = format!("build -q -f -o {name}2 -k {kind} --fpr 1e-6 --keys 1000 {name}");
            room.amq(&build).ends(0);
        }
        room.amq("merge -q -f --intersect -o both a2 b2").ends(0);
        let found: u32 = room.amq("query -c both a b").ends(0).text().trim().parse().unwrap();
        // 100 keys in both files.
        assert!((200..220).contains(&found), "{kind}: {found}");
        room.write("common", numbered(501..=600));
        assert_eq!(room.amq("query -c both common").ends(0).text(), "100\n");
    }
    room.amq("build -q -o q --fpr 1% -k quotient --keys 1000 a").ends(0);
    room.amq("merge --intersect -o r q q").refused(&["have no intersection"]);
}
