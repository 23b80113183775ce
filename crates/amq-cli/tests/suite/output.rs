//! Where output goes, and what happens when it cannot.

use crate::room::{Room, Started, have, numbered};

#[test]
fn what_is_no_regular_file_is_refused() {
    let room = Room::with_filter();
    let build = |output: &str| room.amq(&format!("build --force --fpr 1% keys.txt -o {output}"));
    build("/dev/null").refused(&["/dev/null: this is not a regular file", "-o -"]);
    build("/dev/stdout").refused(&["/dev/stdout: to write to standard output, use -o -"]);
    build(".").refused(&["this is a folder"]);
    build("none/f.amq").refused(&["there is no folder none"]);
    build("keys.txt/f.amq").refused(&[]);
    #[cfg(unix)]
    {
        room.bash("ln -s nowhere dangling.amq; ln -s pipe link; mkfifo pipe").ends(0);
        build("dangling.amq").refused(&["dangling.amq: a link to nowhere: No such file"]);
        build("pipe").refused(&["pipe: this is not a regular file"]);
        build("link").refused(&["link: this is not a regular file"]);
        room.amq("insert dangling.amq more.txt").refused(&["a link to nowhere"]);
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
        "engines --keys 1e6",
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
    for command in ["dedupe many.txt", "query -v seen.amq many.txt", "engines --keys 1e6"] {
        let run = room.bash(&format!("amq {command} | head -1; exit ${{PIPESTATUS[0]}}")).ends(0);
        assert_eq!((run.lines(), run.err.as_str()), (1, ""), "{command}");
    }
    // A filter that is cut short is no use.
    let run = room.bash(
        "amq build -o - --keys 1e6 --bytes 1MB keys.txt | head -c 1 >x; exit ${PIPESTATUS[0]}",
    );
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
    room.bash("cat seen.amq seen.amq | amq info -")
        .refused(&["there are bytes after the end of the filter"]);
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

/// Ended while the filter is written: no output, and nothing left beside it.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let signals = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9), ("XFSZ", 25)];
    // What is ignored here, as by `nohup`, every run that is started from here ignores, too.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
    for (signal, number) in signals {
        if ignored >> (number - 1) & 1 == 1 {
            eprintln!("SKIPPED: SIG{signal}, which is ignored here");
            continue;
        }
        let interrupted = (0..10).any(|_| {
            let room = Room::new();
            let run = room.start("build -q -o f.amq --keys 1e8 --bytes 300MB keys.txt");
            // The file without a name is there for as long as it is written and synced.
            let open = |file: std::io::Result<std::fs::DirEntry>| {
                let to = file.and_then(|file| file.path().read_link());
                to.is_ok_and(|to| to.starts_with(room.path("")))
            };
            let files = || std::fs::read_dir(format!("/proc/{}/fd", run.id()));
            while files().is_ok_and(|mut files| !files.any(open)) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            room.bash(&format!("kill -{signal} {}", run.id()));
            let run = run.ends();
            if run.status == Some(0) {
                return false;
            }
            assert_eq!(run.signal, Some(number));
            assert_eq!(room.names(), ["keys.txt", "more.txt"]);
            true
        });
        assert!(interrupted, "ten runs were too quick for SIG{signal}");
    }
}

/// Killed at each of its system calls: the output is the old file or the new one.
#[test]
fn a_run_killed_at_any_call_leaves_the_old_or_the_new_file() {
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
        let trace = |options: &str| {
            match before {
                Some(old) => room.write("f.amq", old),
                None => drop(std::fs::remove_file(room.path("f.amq"))),
            }
            let run = format!("amq build -q {force} -o f.amq --fpr 1% --threads 1 more.txt");
            room.bash(&format!("strace -qq -o trace {options} {run}"))
        };
        trace("").ends(0);
        let calls = String::from_utf8(room.read("trace")).unwrap();
        let mut counts = std::collections::BTreeMap::new();
        for name in calls.lines().filter_map(|line| Some(line.split_once('(')?.0)) {
            *counts.entry(name).or_insert(0) += 1;
        }
        let (mut kept, mut replaced) = (0, 0);
        // strace counts each of them by itself.
        for (name, count) in counts {
            for when in 1..=count {
                let run = trace(&format!("-e inject={name}:signal=KILL:when={when}"));
                let found = std::fs::read(room.path("f.amq")).ok();
                if found.as_ref() == Some(&new) {
                    replaced += u32::from(run.status != Some(0));
                } else {
                    // One that waits less for its threads makes fewer calls, and is not killed.
                    assert_ne!(run.status, Some(0), "{name} {when}");
                    assert_eq!(found.as_ref(), before, "killed at {name} {when}");
                    kept += 1;
                }
            }
        }
        assert!(kept > 20 && replaced > 2, "{kept} and {replaced}");
        let names = room.names();
        let left: Vec<&String> = names.iter().filter(|name| name.starts_with('.')).collect();
        if cfg!(target_os = "linux") {
            // Only a file that takes the place of another has a name before.
            let most = if before.is_some() { 2 } else { 0 };
            assert!(left.len() <= most, "{left:?}");
        }
        left.iter().for_each(|name| std::fs::remove_file(room.path(name)).unwrap());
    }
}

/// As grep and sort: what the caller has closed is no /dev/null.
#[cfg(unix)]
#[test]
fn a_closed_descriptor_is_an_error_and_one_on_dev_null_is_not() {
    let room = Room::with_filter();
    for command in ["build -o f.amq --fpr 1%", "query seen.amq", "dedupe", "insert seen.amq"] {
        let run = room.bash(&format!("amq {command} <&-"));
        run.refused(&["standard input is closed"]);
        let run = room.bash(&format!("amq {command} </dev/null"));
        assert_ne!(run.status, Some(2), "{command}: {run:?}");
    }
    room.bash("amq info - <&-").refused(&["standard input is closed"]);
    let old = room.read("seen.amq");
    for command in [
        "dedupe --filter d.amq keys.txt",
        "query seen.amq keys.txt",
        "query -c seen.amq keys.txt",
        "build -o - --fpr 1% keys.txt",
        "insert seen.amq -o - keys.txt",
        "info seen.amq",
        "engines --keys 1e6",
        "man",
        "completions bash",
        "--help",
        "--version",
    ] {
        room.bash(&format!("amq {command} >&-")).refused(&["standard output is closed"]);
        room.bash(&format!("amq {command} >/dev/null")).ends(0);
        // As Python's DEVNULL.
        room.bash(&format!("amq {command} <>/dev/null >&0 2>&0; exit $?"));
    }
    assert_eq!(room.read("seen.amq"), old);
    // Nothing is to be printed.
    room.bash("amq query -q seen.amq -e key1 >&-").ends(0);
    room.bash("amq build -f -o f.amq --fpr 1% keys.txt <&- >&-").ends(0);
    assert_eq!(room.bash("amq query -c f.amq keys.txt 2>&-").ends(0).text(), "1001\n");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_filter_is_followed() {
    let room = Room::with_filter();
    room.bash("mkdir folder; ln -s ../seen.amq folder/link; ln -s link folder/second").ends(0);
    room.amq("insert -q folder/second -e mallory").ends(0);
    room.amq("query -q seen.amq -e mallory").ends(0);
    room.amq("build -o folder/link --fpr 1% more.txt").refused(&["folder/link: the file exists"]);
    room.amq("build -q -f -o folder/link --fpr 1% more.txt").ends(0);
    room.amq("query -q seen.amq -e mallory").ends(1);
    assert!(room.path("folder/link").is_symlink() && !room.path("seen.amq").is_symlink());
    assert_eq!(room.names(), ["folder", "keys.txt", "more.txt", "seen.amq"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_filter_is_changed_only_by_force() {
    let room = Room::with_filter();
    room.amq("build -q -o live.amq --kind cuckoo --fpr 1% keys.txt").ends(0);
    room.amq("dedupe -F lines.amq keys.txt").ends(0);
    room.bash("chmod 444 *.amq").ends(0);
    for (command, file) in [
        ("insert seen.amq -e mallory", "seen.amq"),
        ("remove live.amq -e key1", "live.amq"),
        ("dedupe -F lines.amq more.txt", "lines.amq"),
    ] {
        let old = room.read(file);
        room.amq(command).refused(&[file, "the file is read-only"]);
        assert_eq!(room.read(file), old);
    }
    room.amq("insert -q -f seen.amq -e mallory").ends(0);
    room.amq("query -q seen.amq -e mallory").ends(0);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &room.path("seen.amq").metadata().unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o444);
}

#[cfg(unix)]
#[test]
fn a_changed_filter_keeps_its_owner_and_names_broken_links() {
    use std::os::unix::fs::MetadataExt;
    let room = Room::with_filter();
    room.bash("ln seen.amq other.amq").ends(0);
    let old = room.read("seen.amq");
    let run = room.amq("insert seen.amq -e mallory").ends(0);
    assert!(
        run.err.contains("seen.amq: 1 hard link to the old file keeps the old filter"),
        "{run:?}"
    );
    assert_eq!(room.read("other.amq"), old);
    if room.bash("chown 12345:54321 seen.amq").status != Some(0) {
        println!("SKIPPED: only root can give files away");
        return;
    }
    room.amq("insert -q seen.amq -e eve").ends(0);
    let found = room.path("seen.amq").metadata().unwrap();
    assert_eq!((found.uid(), found.gid()), (12345, 54321));
}

/// Temporary names are short.
#[test]
fn the_longest_name_can_be_written_and_replaced() {
    let room = Room::new();
    let name = "n".repeat(255);
    room.amq(&format!("build -q -o {name} --fpr 1% keys.txt")).ends(0);
    room.amq(&format!("insert -q {name} more.txt")).ends(0);
    assert_eq!(room.names(), ["keys.txt", "more.txt", name.as_str()]);
}

/// As grep refuses: the file would grow as it is read.
#[test]
fn lines_are_not_printed_into_the_file_that_they_are_read_from() {
    let room = Room::with_filter();
    let old = room.read("keys.txt");
    for command in [
        "query seen.amq keys.txt >> keys.txt",
        "query seen.amq more.txt keys.txt >> keys.txt",
        "query seen.amq < keys.txt >> keys.txt",
        "dedupe keys.txt >> ./keys.txt",
    ] {
        let run = room.bash(&format!("amq {command}"));
        run.refused(&["this is also the output: write to another file"]);
        assert_eq!(room.read("keys.txt"), old, "{command}");
    }
    room.bash("amq query seen.amq < /dev/null > /dev/null").ends(1);
}
