//! Where output goes, and what happens when it cannot.

use crate::room::{Room, Started, have, numbered};

#[test]
fn what_is_no_regular_file_is_refused() {
    let room = Room::with_filter();
    let build = |output: &str| room.amq(&format!("build --force --fpr 1% keys.txt -o {output}"));
    build("/dev/null").refused(&["/dev/null: this is not a regular file", "-o -"]);
    build("/dev/stdout").refused(&["this is a link"]);
    build(".").refused(&["this is a folder"]);
    build("none/f.amq").refused(&["there is no folder none"]);
    build("keys.txt/f.amq").refused(&[]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("seen.amq", room.path("link.amq")).unwrap();
        std::os::unix::fs::symlink("nowhere", room.path("dangling.amq")).unwrap();
        build("link.amq").refused(&["link.amq: this is a link"]);
        build("dangling.amq").refused(&["dangling.amq: this is a link"]);
        room.bash("mkfifo pipe").ends(0);
        build("pipe").refused(&["pipe: this is not a regular file"]);
        room.amq("insert link.amq more.txt").refused(&["this is a link"]);
        room.amq("dedupe --filter pipe keys.txt").refused(&["this is not a regular file"]);
        room.amq("merge -o pipe seen.amq seen.amq").refused(&["this is not a regular file"]);
    }
}

#[test]
fn a_file_that_exists_is_replaced_only_by_force() {
    let room = Room::with_filter();
    let old = room.read("seen.amq");
    for command in ["build --fpr 1% -o seen.amq more.txt", "merge -o seen.amq seen.amq seen.amq"] {
        room.amq(command).refused(&["seen.amq: the file exists; --force replaces it"]);
        assert_eq!(room.read("seen.amq"), old);
    }
    room.amq("build --force --fpr 1% -o seen.amq more.txt").ends(0);
    assert_ne!(room.read("seen.amq"), old);
    assert_eq!(room.names(), ["keys.txt", "more.txt", "seen.amq"]);
}

#[test]
fn the_output_is_never_one_of_the_inputs() {
    let room = Room::with_filter();
    for command in [
        "build --force --fpr 1% -o keys.txt more.txt keys.txt",
        "build --force --fpr 1% -o ./keys.txt keys.txt",
        "insert seen.amq --force -o keys.txt keys.txt",
        "insert seen.amq seen.amq",
        "dedupe --filter seen.amq seen.amq",
    ] {
        let (keys, seen) = (room.read("keys.txt"), room.read("seen.amq"));
        room.amq(command).refused(&["the output is one of the inputs"]);
        assert_eq!((room.read("keys.txt"), room.read("seen.amq")), (keys, seen));
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    if !std::path::Path::new("/dev/full").exists() {
        println!("SKIPPED: there is no /dev/full");
        return;
    }
    let room = Room::with_filter();
    for command in [
        "query seen.amq keys.txt",
        "query -c seen.amq keys.txt",
        "dedupe keys.txt",
        "info seen.amq",
        "verify seen.amq",
        "plan",
        "man",
        "completions bash",
        "build -o - --fpr 1% keys.txt",
        "--help",
        "build --help",
        "--version",
    ] {
        let run = room.bash(&format!("amq {command} > /dev/full")).ends(2);
        assert!(run.err.contains("No space left"), "{command}: {run:?}");
    }
    // A file that is larger than may be written.
    let run = room.bash("ulimit -f 10; trap '' XFSZ; amq build -o f.amq --bytes 1MB keys.txt");
    run.refused(&["f.amq: File too large"]);
    assert_eq!(room.names(), ["keys.txt", "more.txt", "seen.amq"]);
}

#[test]
fn whoever_has_seen_enough_may_go() {
    let room = Room::with_filter();
    room.write("many.txt", numbered(1..=500_000));
    for command in ["dedupe many.txt", "query -v seen.amq many.txt", "plan -n 1e3,1e4,1e5,1e6"] {
        let run = room.bash(&format!("amq {command} | head -1; exit ${{PIPESTATUS[0]}}")).ends(0);
        assert_eq!((run.lines(), run.err.as_str()), (1, ""), "{command}");
    }
    // A filter that is cut short is no use.
    let run =
        room.bash("amq build -o - --bytes 1MB keys.txt | head -c 1 >x; exit ${PIPESTATUS[0]}");
    assert!(run.ends(2).err.contains("the filter is not whole"));
    // Lines that were not seen must come again.
    room.amq("dedupe --filter lines.amq keys.txt").ends(0);
    let old = room.read("lines.amq");
    let command = "amq dedupe --filter lines.amq many.txt | head -1; exit ${PIPESTATUS[0]}";
    let run = room.bash(command).ends(2);
    assert!(run.err.contains("lines.amq stays as it was"), "{run:?}");
    assert_eq!(room.read("lines.amq"), old);
}

#[test]
fn a_stream_is_the_file() {
    let room = Room::with_filter();
    room.bash("amq build -q -o - --fpr 1% keys.txt > streamed.amq").ends(0);
    assert_eq!(room.read("streamed.amq"), room.read("seen.amq"));
    let run = room.bash("cat seen.amq | amq query -c - keys.txt").ends(0);
    assert_eq!(run.text(), "1001\n");
    room.bash("amq insert -q - more.txt < seen.amq | amq verify -").ends(0);
    let run = room.bash("amq merge -q -o - seen.amq - < seen.amq | amq info -").ends(0);
    assert!(run.text().starts_with("standard input: Bloom filter\n"));
    room.bash("cat seen.amq seen.amq | amq info -").refused(&["follows the end of the filter"]);
}

#[cfg(unix)]
#[test]
fn permissions_are_those_of_the_file_replaced_or_of_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let room = Room::new();
    let mode = |name: &str| room.path(name).metadata().unwrap().permissions().mode() & 0o777;
    room.bash("umask 027; amq build -o f.amq --fpr 1% keys.txt").ends(0);
    assert_eq!(mode("f.amq"), 0o640);
    room.bash("chmod 604 f.amq; amq insert f.amq more.txt").ends(0);
    assert_eq!(mode("f.amq"), 0o604);
}

#[test]
fn two_builds_to_one_output_leave_one_of_them_whole() {
    let room = Room::new();
    room.amq("build -q -o a.amq --fpr 1% keys.txt").ends(0);
    room.amq("build -q -o b.amq --fpr 1% more.txt").ends(0);
    for _ in 0..5 {
        for (force, winners) in [("", 1), ("--force", 2)] {
            let run = |keys: &str| room.start(&format!("build {force} -o c.amq --fpr 1% {keys}"));
            let (first, second) = (run("keys.txt"), run("more.txt"));
            let won = |run: Started| u32::from(run.ends().status == Some(0));
            assert_eq!(won(first) + won(second), winners);
            let file = room.read("c.amq");
            assert!(file == room.read("a.amq") || file == room.read("b.amq"));
            std::fs::remove_file(room.path("c.amq")).unwrap();
        }
    }
    assert_eq!(room.names(), ["a.amq", "b.amq", "keys.txt", "more.txt"]);
}

#[test]
fn inserts_into_one_file_at_the_same_time_are_all_in_it() {
    let room = Room::new();
    room.amq("build -q -o f.amq --kind cuckoo --keys 2000 --fpr 1% -e none").ends(0);
    let insert = |i: u32| room.start(&format!("insert -q f.amq -e one{i} -e two{i}"));
    let started: Vec<Started> = (0..16).map(insert).collect();
    for started in started {
        started.ends().ends(0);
    }
    let keys: String = (0..16).map(|i| format!("one{i}\ntwo{i}\n")).collect();
    assert_eq!(room.pipe("query -c f.amq", keys).ends(0).text(), "32\n");
    assert!(room.amq("info f.amq").text().contains("33 of 2,000 planned"));
}

/// Interrupted while the filter is written: no output, and nothing left beside it.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    for signal in ["INT", "TERM"] {
        let interrupted = (0..10).any(|_| {
            let room = Room::new();
            let run = room.start("build -q -o f.amq --keys 1e8 --bytes 300MB keys.txt");
            // A temporary file is there for as long as it is written and synced.
            let waited = std::time::Instant::now();
            while room.names().len() == 2 && waited.elapsed().as_secs() < 10 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            room.bash(&format!("kill -{signal} {}", run.id()));
            let run = run.ends();
            if run.status == Some(0) {
                return false;
            }
            assert_eq!(run.signal, Some(if signal == "INT" { 2 } else { 15 }));
            assert_eq!(room.names(), ["keys.txt", "more.txt"]);
            true
        });
        assert!(interrupted, "ten runs were too quick for SIG{signal}");
    }
}

/// Killed at its first system call, its second one, and so on: the output is the old file or the
/// new one.
#[test]
fn a_run_killed_at_any_system_call_leaves_the_old_file_or_the_new_one() {
    let probe = ["-qq", "-e", "inject=getpid:retval=7", "true"];
    if !have("strace", &probe) {
        return;
    }
    let room = Room::new();
    room.amq("build -q -o old.amq --fpr 1% keys.txt").ends(0);
    room.amq("build -q -o new.amq --fpr 1% more.txt").ends(0);
    let (old, new) = (room.read("old.amq"), room.read("new.amq"));
    // With --force there is a file before; without, none.
    for (force, before) in [("--force", Some(&old)), ("", None)] {
        let (mut kept, mut replaced) = (0, 0);
        for call in 1.. {
            assert!(call < 2000, "the run does not end");
            let target = room.path("f.amq");
            match before {
                Some(old) => std::fs::write(&target, old).unwrap(),
                None => drop(std::fs::remove_file(&target)),
            }
            let run = room.bash(&format!(
                "strace -qq -o /dev/null -e inject=all:signal=KILL:when={call} \
                 amq build -q {force} -o f.amq --fpr 1% --threads 1 more.txt"
            ));
            let found = std::fs::read(&target).ok();
            if found.as_ref() == Some(&new) {
                replaced += 1;
            } else {
                assert_eq!(found.as_ref(), before, "killed at system call {call}");
                kept += 1;
            }
            if run.status == Some(0) {
                break;
            }
        }
        // It was killed before and after the file was renamed.
        assert!(kept > 20 && replaced > 1, "{kept} and {replaced}");
    }
}
