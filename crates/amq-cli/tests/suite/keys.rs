//! Keys in every shape they come in.

use crate::room::{Room, have, numbered};
use amq::FilterFile;
use std::fmt::Write as _;
use std::io::{BufRead, Write};

/// A filter of these bytes answers these with these.
#[track_caller]
fn answers(options: &str, keys: &[u8], asked: &[u8], printed: &[u8]) {
    let room = Room::new();
    room.pipe(&format!("build -o f.amq --fpr 1e-9 {options}"), keys).ends(0);
    let status = i32::from(printed.is_empty());
    let run = room.pipe(&format!("query f.amq {options}"), asked).ends(status);
    assert_eq!(run.out, printed, "{}", run.text());
}

#[test]
fn lines_are_printed_as_they_are() {
    answers("", b"a\nb\n", b"b\nc\na\n", b"b\na\n");
    // Without a last line feed.
    answers("", b"a\nb", b"c\nb", b"b\n");
    // CRLF and LF are one key.
    answers("", b"a\r\nb\n", b"a\nb\r\nc\r\n", b"a\nb\r\n");
    answers("--keep-cr", b"a\r\n", b"a\na\r\n", b"a\r\n");
    // An empty line is the empty key.
    answers("", b"a\n\n", b"\nb\n\n", b"\n\n");
    answers("", b"a\n", b"\n", b"");
    // Bytes that are no UTF-8.
    answers("", b"\xff\xff\n\x80\n", b"\xff\xff\n\xff\n\x80\n", b"\xff\xff\n\x80\n");
    answers("--raw", b"\xff\xfe\n\x80\n", b"\xff\xfe\n\xff\n\x80\n", b"\xff\xfe\n\x80\n");
    // No keys at all.
    answers("", b"", b"a\n", b"");
}

#[test]
fn keys_that_end_at_nul_may_hold_line_feeds() {
    answers("-0", b"a\nb\0c\r\0", b"c\r\0a\0a\nb", b"c\r\0a\nb\0");
}

#[test]
fn numbers_and_hexadecimals_are_keys_by_value() {
    answers("--key-type u64", b"42\n7\n", b"042\n8\n7\r\n", b"042\n7\r\n");
    answers("--key-type hex", b"DEADbeef\n", b"deadbeef\nDEADBEEE\n", b"deadbeef\n");
    // A number is not its digits.
    let room = Room::new();
    room.pipe("build -o f.amq --fpr 1e-9 --key-type u64", "42\n").ends(0);
    amq::AnyFilter::load(room.path("f.amq")).unwrap().save(room.path("g.amq")).unwrap();
    room.pipe("query g.amq", "42\n").ends(1);
    // But a file that says what its keys are is asked for that.
    room.pipe("query f.amq", "42\n").ends(0);
}

#[test]
fn a_line_that_is_no_key_is_named_and_nothing_is_written() {
    let room = Room::new();
    for bad in ["+5", "0x10", "1e3", "", " 7", "18446744073709551616", "1.0"] {
        room.write("n.txt", format!("1\n2\n{bad}\n4\n"));
        let quoted = format!("n.txt:3: \"{bad}\" is not a whole number");
        room.amq("build -o f.amq --fpr 1% --key-type u64 n.txt").refused(&[&quoted]);
    }
    // The line is counted in its own file, and over more than one block.
    let mut many = String::new();
    for i in 0..200_000 {
        writeln!(many, "{i}").unwrap();
    }
    room.write("many.txt", &many);
    room.write("n.txt", many.clone() + "abc\n");
    for threads in ["1", "3"] {
        let command = "build -o f.amq --fpr 1% --key-type u64 many.txt n.txt --threads";
        room.amq(&format!("{command} {threads}"))
            .refused(&["n.txt:200001: \"abc\" is not a whole number"]);
    }
    room.write("n.txt", "abc\n");
    room.amq("build -o f.amq --fpr 1% --key-type hex n.txt")
        .refused(&["n.txt:1: \"abc\" is not an even number of hexadecimal digits"]);
    assert!(!room.exists("f.amq"));
}

#[test]
fn a_line_without_end_is_refused_in_bounded_memory() {
    let room = Room::with_filter();
    let endless = "yes | tr -d '\\n' | (ulimit -v 4000000; amq";
    for command in ["build -o f.amq --fpr 1%)", "query seen.amq)", "dedupe)", "insert seen.amq)"] {
        room.bash(&format!("{endless} {command}")).refused(&[
            "the key that begins with \"yyyy",
            "longer than 1,048,576 bytes",
            "--max-key-len",
        ]);
    }
    // The same line if it is allowed, and the limit itself.
    let long = "x".repeat(3_000_000);
    room.pipe("build -o f.amq --fpr 1e-9 --max-key-len 3MB", &long).ends(0);
    let run = room.pipe("query f.amq --max-key-len 3MB", format!("{long}\r\nxx\n")).ends(0);
    assert_eq!(run.out.len(), 3_000_002);
    room.pipe("build -o g.amq --fpr 1% --max-key-len 2999999B", &long)
        .refused(&["longer than 2,999,999 bytes"]);
    room.pipe("build -o g.amq --fpr 1% --max-key-len 3", "abc\nabcd\n")
        .refused(&["begins with \"abcd\""]);
    room.pipe("build -o g.amq --fpr 1% --max-key-len 3", "abc\r\nabc").ends(0);
    room.amq("build -o h.amq --fpr 1% --max-key-len 2GiB keys.txt").refused(&["at most 1GiB"]);
}

#[test]
fn unreadable_key_files_are_named_before_anything_is_done() {
    let room = Room::with_filter();
    std::fs::create_dir(room.path("folder")).unwrap();
    for command in ["build -o f.amq --fpr 1%", "query seen.amq", "dedupe", "insert seen.amq"] {
        room.amq(&format!("{command} keys.txt none.txt")).refused(&["none.txt: No such file"]);
        room.amq(&format!("{command} folder")).refused(&["folder: this is a folder"]);
    }
    room.amq("query seen.amq alice").refused(&["a key itself is -e alice"]);
    std::fs::write(room.path("closed.txt"), "a\n").unwrap();
    room.bash("chmod 0 closed.txt");
    if std::fs::read(room.path("closed.txt")).is_ok() {
        println!("SKIPPED: no permission; whoever runs this may read everything");
    } else {
        room.amq("query seen.amq closed.txt").refused(&["closed.txt: Permission denied"]);
    }
    assert!(!room.exists("f.amq"));
}

#[test]
fn keys_can_be_given_on_the_command_line() {
    let room = Room::with_filter();
    assert_eq!(room.amq("query seen.amq -e key7 -e alice").ends(0).text(), "key7\nalice\n");
    room.amq("query seen.amq -e -v").ends(1);
    room.amq("query seen.amq -e key7 keys.txt").refused(&["cannot be used with"]);
    room.bash("amq query seen.amq -e $'a\\nb'").refused(&["needs -0"]);
}

#[test]
fn several_files_are_read_one_after_the_other() {
    let room = Room::new();
    room.write("a.txt", "a");
    room.write("b.txt", "b\nc");
    let run = room.pipe("dedupe a.txt - b.txt", "x\na\n").ends(0);
    assert_eq!(run.text(), "a\nx\nb\nc\n");
    room.pipe("dedupe - -", "x\n").refused(&["standard input can be read once only"]);
    room.pipe("query -", "x\n").refused(&["standard input can be read once only"]);
    // Process substitution is a pipe, which can be opened once only.
    assert_eq!(room.bash("amq dedupe <(echo a; echo b) <(echo b)").ends(0).text(), "a\nb\n");
}

/// Blocks are hashed on several threads; what comes out does not tell.
#[test]
fn answers_come_in_the_order_of_the_lines_on_any_threads() {
    let room = Room::new();
    room.write("many.txt", numbered(1..=300_000));
    let mut files = Vec::new();
    for threads in [1, 2, 7] {
        let build = format!("build -f -o f.amq --fpr 1% many.txt --threads {threads}");
        room.amq(&build).ends(0);
        files.push(room.read("f.amq"));
        let run = room.amq(&format!("query f.amq many.txt --threads {threads}")).ends(0);
        assert_eq!(run.out, room.read("many.txt"));
    }
    assert!(files.iter().all(|file| *file == files[0]));
}

/// What comes slowly is answered at once, not when the input ends.
#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    let room = Room::with_filter();
    for command in ["dedupe", "query seen.amq", "query seen.amq --threads 1"] {
        let mut run = room.piped(command);
        let (mut input, mut output) = run.pipes();
        for i in 1..=20 {
            writeln!(input, "key{i}").unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, format!("key{i}\n"), "{command}");
        }
        drop(input);
        run.ends().ends(0);
    }
}

/// A run that is over ends, even if its input is still open.
#[test]
fn a_run_does_not_wait_for_input_that_it_does_not_need() {
    let room = Room::with_filter();
    for (command, first, status) in [
        ("query -q seen.amq", "key1\n", 0),
        ("query seen.amq --max-key-len 3", "key1\n", 2),
        ("dedupe --key-type u64", "key1\n", 2),
    ] {
        let mut run = room.piped(command);
        let (mut input, _output) = run.pipes();
        input.write_all(first.as_bytes()).unwrap();
        // The input stays open: a run that waits for its end is killed.
        assert_eq!(run.ends().status, Some(status), "{command}");
        drop(input);
    }
}

#[test]
fn a_terminal_as_input_is_told_what_is_expected() {
    if !have("script", &["--version"]) {
        return;
    }
    let room = Room::with_filter();
    let run = room.bash("echo key5 | script -qec 'amq query seen.amq' /dev/null");
    assert!(run.text().contains("reading keys from the terminal"), "{run:?}");
    let run = room.bash("script -qec 'amq build -o - --fpr 1% keys.txt' /dev/null").ends(2);
    assert!(run.text().contains("no use on a terminal"), "{run:?}");
    let run = room.bash("script -qec 'amq info -' /dev/null < /dev/null").ends(2);
    assert!(run.text().contains("cannot be typed"), "{run:?}");
}
