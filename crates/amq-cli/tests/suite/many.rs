//! Many of whatever there can be several of: files, and keys that come to more than memory.

use crate::room::{Room, Run};

/// What a command does with keys that all are in `seen.amq`, and how it ends.
const READERS: [(&str, &str, i32); 6] = [
    ("build", "-o seen.amq --fpr 1% -q -f", 0),
    ("query", "seen.amq -c", 0),
    ("dedupe", "", 0),
    ("insert", "live.amq -q -o new.amq -f", 0),
    ("remove", "live.amq -q -o new.amq -f", 0),
    ("build", "-o once.amq --fpr 1% --unique -q -f", 0),
];

/// A block goes from hand to hand; there are a few, and files beyond their number used to find none
/// left, and to wait for ever.
#[test]
fn any_number_of_threads_reads_all_files_to_the_end() {
    let room = Room::with_filter();
    room.amq("build -q -o live.amq --kind counting --keys 1e5 --fpr 1% keys.txt").ends(0);
    let mut count = 0;
    for files in [1, 7, 8, 100, 2000] {
        let names: Vec<String> = (0..files).map(|i| format!("{files}-{i}")).collect();
        for (i, name) in names.iter().enumerate() {
            // Every third file is empty, another third does not end in a line feed.
            let text = match i % 3 {
                0 => format!("key{}\nkey{}\n", i % 1000 + 1, (i + 1) % 1000 + 1),
                1 => String::new(),
                _ => format!("key{}", i % 1000 + 1),
            };
            room.write(name, text);
        }
        let keys = (files / 3 + usize::from(files % 3 > 0)) * 2 + files / 3;
        room.amq(&format!("build -q -f -o seen.amq --fpr 1% {}", names.join(" "))).ends(0);
        for threads in 1..=8 {
            // With the most files, a few numbers of threads will do.
            if files == 2000 && ![1, 2, 8].contains(&threads) {
                continue;
            }
            for (command, options, status) in READERS {
                let line = format!("{command} {options} --threads {threads} {}", names.join(" "));
                let run = room.amq(&line).ends(status);
                if command == "query" {
                    assert_eq!(run.text(), format!("{keys}\n"), "{files} files");
                }
                count += 1;
            }
        }
    }
    assert_eq!(count, (4 * 8 + 3) * 6);
}

#[test]
fn every_file_is_read_in_its_turn() {
    let room = Room::new();
    let names: Vec<String> = (0..100).map(|i| format!("f{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        room.write(name, format!("line {i}\n\nlast {i}"));
    }
    let run = room.amq(&format!("dedupe {}", names.join(" "))).ends(0);
    let want: String = (0..100)
        .map(|i| format!("line {i}\n{}last {i}\n", if i == 0 { "\n" } else { "" }))
        .collect();
    assert_eq!(run.text(), want);
}

/// Whatever memory the system gives, a run ends well or with an error.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_is_refused_is_an_error() {
    let room = Room::new();
    let keys: String = (0..200_000).map(|i| format!("{i}\n")).collect();
    room.write("many.txt", &keys);
    room.amq("build -q -o many.amq --fpr 1% many.txt").ends(0);
    // Below what the program itself takes the loader fails.
    let enough = |kib: u32| -> bool {
        room.bash(&format!("ulimit -v {kib}; amq --version")).status == Some(0)
    };
    let least = (1..100).map(|i| i * 1000).find(|&kib| enough(kib)).unwrap();
    // When the last small piece of memory is gone, Rust itself or libc ends the process.
    let thread = |err: &str| err.contains("failed to allocate an alternative stack");
    let small = |err: &str| {
        thread(err)
            || err.contains("failed to register TLS destructor")
            || err.split("memory allocation of ").nth(1).is_some_and(|it| {
                let bytes = it.split(' ').next().and_then(|number| number.parse().ok());
                bytes.is_some_and(|bytes: u64| bytes < 4096)
            })
    };
    let (mut refused, mut done, mut ended) = (0, 0, 0);
    for kib in (least + 1000..least + 16_000).step_by(1000) {
        for command in [
            "build -q -f -o f.amq --fpr 1%",
            "build -q -f -o f.amq --fpr 1% --kind ribbon",
            "dedupe",
            "query many.amq",
        ] {
            let run: Run = room.bash(&format!("ulimit -v {kib}; amq {command} many.txt"));
            // The standard library panics where a new thread gets no stack for its signals.
            assert!(thread(&run.err) || !run.err.contains("panicked"), "{kib}: {run:?}");
            match run.status {
                Some(0) => done += 1,
                Some(2) => refused += 1,
                _ if small(&run.err) => ended += 1,
                _ => panic!("{kib} KiB, {command}: {:?}, {}", run.status, run.err),
            }
        }
    }
    assert!(refused > 3 && done > 3 && ended < 3, "{refused}, {done} and {ended}");
}
