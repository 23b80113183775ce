//! Several runs at once that change one file: what one has written, the other keeps.

use crate::room::{Room, Started};

/// Starts all runs at once; each must end well, and say nothing.
fn together(room: &Room, runs: &[&str]) {
    let started: Vec<Started> = runs.iter().map(|run| room.start(run)).collect();
    for (run, started) in runs.iter().zip(started) {
        let ended = started.ends().ends(0);
        assert!(ended.err.is_empty(), "{run}: {ended:?}");
    }
}

/// A filter of a megabyte takes a while to read and to write.
const BIG: &str = "build -q -f --keys 800000 --fpr 1%";

/// Whoever reads a filter and replaces it, by whichever name, keeps others from it in between.
#[test]
fn keys_of_runs_at_the_same_time_are_all_in_the_file() {
    let room = Room::new();
    room.amq(&format!("{BIG} -o g.amq more.txt")).ends(0);
    room.bash("mkdir folder; ln -s ../f.amq folder/link.amq").ends(0);
    // Each adds its keys to f.amq, whatever it calls it.
    let ways: [(&str, &[&str]); 6] = [
        ("insert -q f.amq -e one", &["one"]),
        ("merge -q -f -o f.amq f.amq g.amq", &["key700", "key1500"]),
        ("insert -q f.amq -f -o f.amq -e two", &["two"]),
        ("insert -q folder/link.amq -e three", &["three"]),
        ("merge -q -f -o folder/link.amq g.amq folder/../f.amq", &["key600", "key1501"]),
        ("dedupe -F f.amq four.txt", &["four"]),
    ];
    room.write("four.txt", "four\n");
    room.write("g-only", "");
    room.amq("insert -q g.amq -e key1501").ends(0);
    let mut lost = Vec::new();
    for round in 0..108 {
        room.amq(&format!("{BIG} -o f.amq -e none")).ends(0);
        let (first, second) = (round % ways.len(), (round / ways.len() + 1) % ways.len());
        let runs = [ways[first], ways[second], ways[(round / 7) % ways.len()]];
        let commands: Vec<&str> = runs.iter().map(|run| run.0).collect();
        let started: Vec<Started> = commands.iter().map(|run| room.start(run)).collect();
        for started in started {
            // Another dedupe may have printed the line.
            let ended = started.ends();
            assert!(matches!(ended.status, Some(0 | 1)), "{commands:?}: {ended:?}");
        }
        let keys: Vec<&str> = runs.iter().flat_map(|run| run.1).copied().chain(["none"]).collect();
        let asked = room.pipe("query -c f.amq", keys.join("\n")).ends(0).text();
        if asked.trim() != keys.len().to_string() {
            lost.push(commands.join(" & "));
        }
    }
    assert!(lost.is_empty(), "{} of 108 rounds lost keys: {lost:#?}", lost.len());
}

#[test]
fn no_build_is_lost_while_another_run_reads_and_writes() {
    let room = Room::new();
    for _ in 0..20 {
        room.amq(&format!("{BIG} -o f.amq -e old")).ends(0);
        let build = format!("{BIG} -o f.amq keys.txt");
        together(&room, &["insert -q f.amq -e new", &build]);
        // Either order: the build's keys, and perhaps the new one; never the old one again.
        assert_eq!(room.amq("query -c f.amq keys.txt").ends(0).text(), "1001\n");
        room.amq("query -q f.amq -e old").ends(1);
    }
}

#[test]
fn inserts_into_one_file_at_the_same_time_are_all_in_it() {
    let room = Room::new();
    room.amq("build -q -o f.amq --kind cuckoo --keys 2000 --fpr 1% -e none").ends(0);
    let inserts: Vec<String> =
        (0..100).map(|i| format!("insert -q f.amq -e one{i} -e two{i}")).collect();
    together(&room, &inserts.iter().map(String::as_str).collect::<Vec<_>>());
    let keys: String = (0..100).map(|i| format!("one{i}\ntwo{i}\n")).collect();
    assert_eq!(room.pipe("query -c f.amq", keys).ends(0).text(), "200\n");
    assert!(room.amq("info f.amq").text().contains("201 of 2,000 planned"));
}

/// A program that knows of no locks has moved another file into the place.
#[cfg(unix)]
#[test]
fn a_file_replaced_by_another_program_is_not_overwritten() {
    let room = Room::with_filter();
    let mut run = room.piped("insert seen.amq -q");
    let (mut input, _output) = run.pipes();
    std::io::Write::write_all(&mut input, b"mallory\n").unwrap();
    // The lock is held once the filter is loaded; a run that had not begun would take the new file.
    while room.bash("flock -n seen.amq true").status == Some(0) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    room.bash("cp seen.amq other; mv other seen.amq").ends(0);
    let other = room.read("seen.amq");
    drop(input);
    let ended = run.ends();
    assert_eq!(ended.status, Some(2), "{ended:?}");
    assert!(ended.err.contains("another program has replaced or removed this file"), "{ended:?}");
    assert_eq!(room.read("seen.amq"), other);
}

/// While a run waits for the lock, its file becomes something else; or files cannot be opened.
#[cfg(unix)]
#[test]
fn no_lock_is_waited_for_in_vain() {
    for (becomes, says) in [
        ("ln -s none seen.amq", "link to nothing"),
        ("mkfifo seen.amq", "not a regular file"),
        ("mkdir seen.amq", "not a regular file"),
    ] {
        for command in ["insert seen.amq -e a", "build -f -o seen.amq --fpr 1% -e a"] {
            let room = Room::with_filter();
            let run = room.bash(&format!(
                "flock seen.amq sleep 0.4 & sleep 0.1; (sleep 0.1; rm seen.amq; {becomes}) & \
                 amq {command}; status=$?; wait; exit $status"
            ));
            // An insert finds its filter gone; whatever it finds, the run ends and says so.
            let run = run.ends(2);
            assert!(run.err.contains(says) || command.starts_with("insert"), "{command}: {run:?}");
        }
    }
    let room = Room::with_filter();
    for most in 4..12 {
        for command in ["insert seen.amq -e a", "build -f -o seen.amq --fpr 1% keys.txt"] {
            let run = room.bash(&format!("ulimit -n {most}; exec amq {command}"));
            assert!(!run.err.contains("another program"), "{run:?}");
            assert!(matches!(run.status, Some(0 | 2)), "{most}: {run:?}");
        }
    }
}
