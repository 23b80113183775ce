//! Keys that are fields of lines, compressed files, other encodings, and keys that are made equal.

use crate::room::{Room, have};
use amq::FilterFile;

const TABLE: &str = "id,name\r\n1,\"alice\n smith\"\r\n2,\"b,\"\"c\"\r\n3,carol\r\n";

#[test]
fn a_field_is_the_key_and_the_line_is_printed() {
    let room = Room::new();
    room.write("log", "1\tkey1\tx\n2\tnone\ty\r\n3\tkey7\n");
    room.amq("build -q -o seen.amq --fpr 1e-9 keys.txt").ends(0);
    let run = room.amq("query --field 2 seen.amq log").ends(0);
    assert_eq!(run.text(), "1\tkey1\tx\n3\tkey7\n");
    let run = room.amq("query -v --field 2 seen.amq log").ends(0);
    assert_eq!(run.text(), "2\tnone\ty\r\n");
    let run = room.pipe("query --field 1 -d , seen.amq", "key2,a\nkey2000,b\n").ends(0);
    assert_eq!(run.text(), "key2,a\n");
    // Every command that reads keys.
    room.amq("build -q -o f.amq -k cuckoo --keys 99 --fpr 1e-6 --field 2 log").ends(0);
    assert_eq!(room.amq("query -c f.amq -e key1 -e none -e key7").ends(0).text(), "3\n");
    room.pipe("insert -q f.amq --field 2", "x\tmore\n").ends(0);
    room.pipe("remove -q f.amq --field 2", "x\tnone\n").ends(0);
    assert_eq!(room.amq("query f.amq -e more -e none").ends(0).text(), "more\n");
    let run = room.pipe("dedupe --field 2 -d :", "1:a\n2:b\n3:a\n").ends(0);
    assert_eq!(run.text(), "1:a\n2:b\n");
    // A line without it is told, and what is wrong with the options.
    room.amq("query --field 3 seen.amq log").ends(2);
    let run = room.amq("build -o g.amq --fpr 1% --field 3 log");
    run.refused(&["log:3: \"3\\tkey7\" has no field 3: is --delimiter right?"]);
    room.amq("query --field 0 seen.amq log").refused(&["counted from 1"]);
    room.amq("query --field name seen.amq log").refused(&["needs --csv"]);
    room.amq("query -d , seen.amq log").refused(&["--field"]);
    room.amq("query --field 1 -d ab seen.amq log").refused(&["one character"]);
}

#[test]
fn records_of_csv_are_printed_whole_under_their_header() {
    let room = Room::new();
    room.write("t.csv", TABLE);
    room.amq("build -q -o f.amq --fpr 1e-9 --csv --field name t.csv").ends(0);
    assert_eq!(room.amq("query -c f.amq -e b,\"c -e carol -e name").ends(0).text(), "2\n");
    room.pipe("query -q -0 f.amq", "alice\n smith").ends(0);
    let run = room.amq("query --csv --field name f.amq t.csv").ends(0);
    assert_eq!(run.text(), TABLE);
    let run = room.amq("query -v --csv --field name f.amq t.csv").ends(1);
    assert_eq!(run.text(), "id,name\r\n");
    // By its number there is a header only if that is said.
    assert_eq!(room.amq("query -vc --csv --field 2 f.amq t.csv").ends(0).text(), "1\n");
    room.amq("query -vc --csv --header --field 2 f.amq t.csv").ends(1);
    // Of several files, one header; each has its own order.
    room.write("u.csv", "name,id\ndave,4\ncarol,5\n");
    let run = room.amq("dedupe --csv --field name t.csv u.csv").ends(0);
    assert_eq!(run.text(), format!("{TABLE}dave,4\n"));
    let run = room.amq("query -n --csv --field name f.amq u.csv t.csv").ends(0);
    assert!(run.text().starts_with("name,id\n3:carol,5\n2:1,\"alice\n"), "{run:?}");
    room.amq("query --csv --field nome f.amq t.csv")
        .refused(&["t.csv: there is no field \"nome\"", "\"id\", \"name\""]);
    room.amq("build -o g.amq --fpr 1% --csv --field 3 t.csv").refused(&["t.csv:1:", "no field 3"]);
    let run = room.pipe("query --csv -d tab --field b f.amq", "a\tb\n1\tcarol\n").ends(0);
    assert_eq!(run.text(), "a\tb\n1\tcarol\n");
    // Records longer than a block, and one without an end.
    let long = format!("x,\"{}\"\n", "line\n".repeat(100_000));
    room.write("long.csv", format!("h,n\n{long}y,carol\n"));
    let run = room.amq("query --csv --field n f.amq long.csv").ends(0);
    assert_eq!(run.text(), "h,n\ny,carol\n");
    let run = room.amq("query --csv --field h --max-key-len 1KiB f.amq long.csv");
    assert!(run.ends(2).err.contains("longer than 1,024 bytes"));
}

#[test]
fn compressed_files_are_read_as_they_are_uncompressed() {
    let room = Room::with_filter();
    for (program, option, end) in
        [("gzip", "-c", "gz"), ("bzip2", "-c", "bz2"), ("xz", "-c", "xz"), ("zstd", "-qc", "zst")]
    {
        if !have(program, &["--version"]) {
            continue;
        }
        // Two, one after the other.
        let file = format!("more.{end}");
        room.bash(&format!(
            "(head -700 more.txt | {program} {option}; tail -n +701 more.txt | {program} {option}) \
             > {file}"
        ))
        .ends(0);
        let plain = room.amq("query seen.amq more.txt").ends(0);
        assert_eq!(room.amq(&format!("query seen.amq {file}")).ends(0).out, plain.out, "{end}");
        let run = room.bash(&format!("amq query seen.amq < {file}")).ends(0);
        assert_eq!(run.out, plain.out, "{end}");
        // A part of one is no answer.
        let bytes = room.read(&file);
        room.write("cut", &bytes[..bytes.len() - 20]);
        room.amq("build -o f.amq --fpr 1% cut").refused(&["cut: "]);
        assert!(!room.exists("f.amq"), "{end}");
        room.bash(&format!("cat {file} | {program} {option} > twice")).ends(0);
        room.amq("build -o f.amq --fpr 1% twice").refused(&["compressed twice"]);
        room.amq("query -q --raw --max-key-len 1GiB seen.amq twice");
    }
}

#[test]
fn utf_16_and_marks_are_no_part_of_keys() {
    let room = Room::with_filter();
    let text = "\u{feff}key1\r\nkey\u{e9}\r\nkey2\r\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [little, text.as_bytes().to_vec()] {
        let run = room.pipe("query seen.amq", bytes).ends(0);
        assert_eq!(run.text(), "key1\r\nkey2\r\n");
    }
}

#[test]
fn keys_can_be_made_equal() {
    let room = Room::new();
    room.pipe("build -q -o f.amq --fpr 1e-9 -i --trim", " Stra\u{df}e \nKEY\n").ends(0);
    let run = room.pipe("query -i --trim f.amq", "STRASSE\t\nkey\nother\n").ends(0);
    assert_eq!(run.text(), "STRASSE\t\nkey\n");
    room.pipe("query f.amq", "KEY\n").ends(1);
    let run = room.pipe("dedupe -i", "a\nA\nb\n").ends(0);
    assert_eq!(run.text(), "a\nb\n");
}

#[test]
fn integers_below_zero_are_keys() {
    let room = Room::new();
    room.pipe("build -q -o f.amq --fpr 1e-9 --key-type u64", "-1\n5\n").ends(0);
    assert_eq!(room.amq("query f.amq -e -1 -e -5 -e 5").ends(0).text(), "-1\n5\n");
    // They are the keys of programs.
    let filter = amq::AnyFile::load(room.path("f.amq")).unwrap().of_keys().unwrap();
    assert!(filter.contains(&-1i64) && filter.contains(&-1i32) && !filter.contains(&-2i64));
}
