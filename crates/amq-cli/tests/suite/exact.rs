//! `dedupe --exact`, against a set of all lines.

use crate::room::{AMQ, Room, have, numbered};
use std::collections::HashSet;

/// Each line the first time, with its end.
fn firsts(text: &[u8]) -> Vec<u8> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if seen.insert(line.strip_suffix(b"\r").unwrap_or(line)) {
            out.extend_from_slice(line);
            out.push(b'\n');
        }
    }
    out
}

/// Little enough for several levels of parts.
const TINY: &str = "dedupe --exact --memory 64KiB";

/// So many lines, of which about one in `share` is new, in an order without order.
fn lines(number: u64, share: u64) -> Vec<u8> {
    let mut text = Vec::new();
    for i in 0..number {
        let mixed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        text.extend_from_slice(format!("line {}\n", mixed % (number / share + 1)).as_bytes());
    }
    text
}

#[test]
fn the_answer_is_that_of_a_set_for_every_number_of_lines() {
    let room = Room::new();
    for number in [0, 1, 7, 8, 100, 20_000, 1_000_000] {
        for share in [1, 3, 1000].into_iter().filter(|&share| number < 1_000_000 || share != 3) {
            let text = lines(number, share);
            let want = firsts(&text);
            let status = i32::from(number == 0);
            room.write("in", &text);
            for command in [TINY, "dedupe --exact"] {
                let run = room.amq(&format!("{command} in")).ends(status);
                assert!(run.out == want, "{command}: {number} {share}");
                assert!(run.err.is_empty(), "{run:?}");
            }
            assert!(room.pipe(TINY, &text).ends(status).out == want, "{number} {share}");
            if number > 8 {
                let run = room.amq(&format!("{TINY} -v --zero in")).ends(0);
                let repeated = text.iter().filter(|&&byte| byte == b'\n').count()
                    - want.iter().filter(|&&byte| byte == b'\n').count();
                assert_eq!(run.lines(), repeated, "{number} {share}");
            }
        }
    }
    assert_eq!(room.names(), ["in", "keys.txt", "more.txt"]);
}

/// The repeated lines are those that `awk` finds, in their order.
#[test]
fn repeated_lines_are_printed_in_their_order() {
    let room = Room::new();
    room.write("in", lines(200_000, 2));
    let want = room.bash("LC_ALL=C awk 'seen[$0]++' in").ends(0).out;
    for command in [TINY, "dedupe --exact"] {
        assert!(room.amq(&format!("{command} -v in")).ends(0).out == want, "{command}");
    }
}

#[test]
fn equal_and_empty_and_long_lines_are_no_different() {
    let room = Room::new();
    let long = "x".repeat(3 << 20);
    let texts: [Vec<u8>; 6] = [
        "same line\n".repeat(500_000).into(),
        "\n".repeat(500_000).into(),
        (numbered(1..=9000) + "\n\n" + &numbered(5000..=20_000) + "\nlast").into(),
        (numbered(1..=9000) + &numbered(1..=9000) + "key1").into(),
        format!("{long}\n{}{long}y\n{long}\n{long}y\n", numbered(1..=9000)).into(),
        format!("{}{long}1\n{long}2\n{long}1\r\nkey3\r\n", numbered(1..=9000)).into(),
    ];
    for (at, text) in texts.iter().enumerate() {
        room.write("in", text);
        for command in [TINY, "dedupe --exact"] {
            let run = room.amq(&format!("{command} --max-key-len 4MiB in")).ends(0);
            // A line keeps its end, whatever that is.
            let without = |text: &[u8]| String::from_utf8_lossy(text).replace('\r', "");
            assert!(without(&run.out) == without(&firsts(text)), "{at}: {command}");
        }
    }
}

/// The key decides, and the whole line is printed.
#[test]
fn keys_are_those_of_dedupe() {
    let room = Room::new();
    let mut table = String::from("id,name\n");
    for i in 0..30_000 {
        table += &format!("{i},\"Name {}\n, x\"\n", i % 20_000);
    }
    room.write("table.csv", &table);
    let mut spelled = String::new();
    for i in 0..30_000 {
        let key = i % 20_000;
        spelled += &match i % 3 {
            0 => format!("  KEY{key}\tx\n"),
            1 => format!("key{key}  \ty\n"),
            _ => format!("Key{key}\tz\n"),
        };
    }
    room.write("spelled", &spelled);
    let numbers: String =
        (0..30_000).map(|i| format!("{:0width$}\n", i % 20_000, width = 5 + i % 4)).collect();
    room.write("numbers", &numbers);
    let hex = (0..30_000).map(|i| match i % 2 {
        0 => format!("{:08x}\n", i % 20_000),
        _ => format!("{:08X}\n", i % 20_000),
    });
    room.write("hex", hex.collect::<String>());
    room.write("nul", numbers.replace('\n', "\0"));
    for options in [
        "--csv --field name table.csv",
        "--csv --field 2 --header table.csv",
        "--field 1 -i --trim spelled",
        "--key-type u64 numbers",
        "--key-type hex hex",
        "-0 nul",
        "-i spelled",
    ] {
        // With a rate at which it drops none of so few.
        let want = room.amq(&format!("dedupe --fpr 1e-12 {options}")).ends(0);
        assert!(want.lines() >= 20_000 || options.contains("-0"), "{options}");
        for command in [TINY, "dedupe --exact"] {
            let run = room.amq(&format!("{command} {options}")).ends(0);
            assert!(run.out == want.out, "{command} {options}");
            let inverted = room.amq(&format!("{command} -v --zero {options}")).ends(0);
            let want = room.amq(&format!("dedupe -v --zero --fpr 1e-12 {options}")).ends(0);
            assert!(inverted.out == want.out, "{command} -v {options}");
        }
    }
    let run = room.amq(&format!("{TINY} -s -i --trim --field 1 spelled")).ends(0);
    assert_eq!(run.err, "amq: 30,000 lines, 20,000 of them new\n");
}

#[test]
fn options_of_a_filter_have_no_meaning() {
    let room = Room::new();
    for option in ["-F f.amq", "--fpr 1%", "--keys 9", "--kind bloom", "--seed 5", "--forget 5"] {
        room.amq(&format!("dedupe --exact {option} keys.txt")).refused(&["cannot be used with"]);
    }
    room.amq("dedupe --temporary-folder . keys.txt").refused(&["--exact"]);
}

/// Runs do not meet in a folder, and leave nothing there, however they end.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_in_the_folder() {
    use std::io::Write;
    let room = Room::new();
    std::fs::create_dir(room.path("tmp")).unwrap();
    room.write("in", lines(300_000, 2));
    let want = firsts(&room.read("in"));
    let command = format!("{TINY} --temporary-folder tmp");
    let runs: Vec<_> = (0..3).map(|_| room.start(&format!("{command} in"))).collect();
    for run in runs {
        assert!(run.ends().ends(0).out == want);
    }
    let left = || std::fs::read_dir(room.path("tmp")).unwrap().count();
    assert_eq!(left(), 0);
    // What ignores a signal, such as nohup, makes its children ignore it.
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    let ignored = u64::from_str_radix(ignored, 16).unwrap();
    for (signal, number) in [("TERM", 15), ("INT", 2), ("KILL", 9), ("HUP", 1)] {
        if ignored >> (number - 1) & 1 == 1 {
            continue;
        }
        let mut run = room.piped(&command);
        let (mut input, output) = run.pipes();
        let reader =
            std::thread::spawn(move || std::io::copy(&mut { output }, &mut std::io::sink()));
        input.write_all(&room.read("in")).unwrap();
        // It has parts by now.
        let parts = format!("/proc/{}/fd", run.id());
        let has_parts = || std::fs::read_dir(&parts).unwrap().count() > 33;
        while !has_parts() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        room.bash(&format!("kill -{signal} {}", run.id())).ends(0);
        assert_eq!(run.ends().signal, Some(number));
        reader.join().unwrap().unwrap();
        assert_eq!(left(), 0, "{signal}");
    }
}

#[test]
fn a_folder_that_takes_no_files_is_refused_before_lines_come() {
    let room = Room::new();
    for folder in ["nosuch", "keys.txt"] {
        room.amq(&format!("{TINY} --temporary-folder {folder} keys.txt")).refused(&[
            "temporary files in",
            folder,
            "--temporary-folder names another",
        ]);
    }
    #[cfg(unix)]
    room.bash(&format!("TMPDIR=/nosuch amq {TINY} keys.txt")).refused(&["/nosuch"]);
}

/// A full disk is an error, wherever it comes.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let room = Room::new();
    room.write("in", lines(50_000, 1));
    // As of files of more than so many blocks of 1 KiB.
    for blocks in [1, 8, 20] {
        let run =
            room.bash(&format!("trap '' XFSZ; ulimit -f {blocks}; amq {TINY} in | cat")).ends(2);
        assert!(run.err.contains("temporary files in"), "{blocks}: {run:?}");
    }
    if !have("strace", &["-f", "-e", "trace=none", "true"]) {
        return;
    }
    for call in ["write", "read"] {
        // After those of the loader.
        for when in [60, 300] {
            let error = if call == "write" { "ENOSPC" } else { "EIO" };
            let inject = format!("-e trace={call} -e inject={call}:error={error}:when={when}+");
            let run = room.bash(&format!("strace -f -o /dev/null {inject} {AMQ} {TINY} in > out"));
            assert_eq!(run.status, Some(2), "{call} {when}: {run:?}");
            assert!(!run.err.contains("panicked"), "{run:?}");
        }
    }
}

/// Each line is read once: the answer is that of the lines that were there.
#[cfg(unix)]
#[test]
fn a_file_that_changes_meanwhile_gives_a_consistent_answer() {
    let room = Room::new();
    let text = lines(400_000, 2);
    for change in ["head -c 1000000 in > in2; cat in2 >> in", ": > in", "head -c 1000 in > in"] {
        room.write("in", &text);
        room.write("out", "");
        let run = room
            .bash(&format!("amq {TINY} in > out & until [ -s out ]; do :; done; {change}; wait $!"))
            .ends(0);
        assert!(run.err.is_empty(), "{run:?}");
        let out = room.read("out");
        assert!(firsts(&out) == out, "{change}: a line came twice");
        let all = firsts(&[&text[..], &room.read("in")].concat());
        let all: HashSet<&[u8]> = all.split(|&byte| byte == b'\n').collect();
        // The last line may be cut where the file ended.
        let unknown = out.split(|&byte| byte == b'\n').filter(|line| !all.contains(line)).count();
        assert!(unknown <= 1, "{change}: {unknown}");
    }
}

/// What is new is printed at once as long as all lines are in memory.
#[test]
fn lines_that_fit_into_memory_are_printed_as_they_come() {
    use std::io::{BufRead, Write};
    let mut run = Room::new().piped("dedupe --exact");
    let (mut input, mut output) = run.pipes();
    for line in ["one\n", "two\n"] {
        input.write_all(b"one\n").unwrap();
        input.write_all(line.as_bytes()).unwrap();
        let mut printed = String::new();
        output.read_line(&mut printed).unwrap();
        assert_eq!(printed, line);
    }
    drop(input);
    run.ends().ends(0);
}
