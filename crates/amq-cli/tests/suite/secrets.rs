//! Secret keys, which come in files.

use crate::room::{KINDS, Room, can, is_static};
use amq::{Ability, CuckooFilter, FilterFile, Keyed, SaveOptions, SipKey};

const KEY: &str = "00112233445566778899aAbBcCdDeEfF\n";
const OTHER: &str = "00112233445566778899aabbccddeefe";

/// A room with two secret keys.
fn with_keys() -> Room {
    let room = Room::new();
    for (name, key) in [("k", KEY), ("other", OTHER)] {
        room.write(name, key);
        private(&room, name, 0o600);
    }
    room
}

#[cfg(unix)]
fn private(room: &Room, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;

    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(room.path(name), mode).unwrap();
}

#[cfg(not(unix))]
fn private(_: &Room, _: &str, _: u32) {}

#[test]
fn no_output_replaces_the_key_file() {
    let room = with_keys();
    room.amq("build -o f.amq --kind quotient --fpr 1% --key-file k keys.txt").ends(0);
    for command in [
        "build -f -o k --fpr 1% --key-file k keys.txt",
        "insert -f -o k f.amq --key-file k -e x",
        "remove -f -o k f.amq --key-file k -e x",
        "merge -f -o k --key-file k f.amq f.amq",
        "convert -f -o k --key-file k f.amq",
        "dedupe --filter k --key-file k --fpr 1% --keys 10 keys.txt",
    ] {
        let run = room.amq(command);
        assert_eq!(run.status, Some(2), "{command}: {run:?}");
        assert_eq!(room.read("k"), KEY.as_bytes(), "{command}");
    }
}

#[test]
fn a_key_file_holds_a_key_and_nothing_else() {
    let room = with_keys();
    let digits = KEY.trim_end();
    for (text, said) in [
        (String::new(), "it holds 0 bytes"),
        (digits[1..].into(), "it holds 31 bytes"),
        (format!("{digits}{}GARBAGE", " ".repeat(32)), "it holds 71 bytes"),
        (format!("{digits}{}", " ".repeat(5000)), "it holds more than 4,096 bytes"),
    ] {
        room.write("k", &text);
        private(&room, "k", 0o600);
        room.amq("build -f -o f.amq --fpr 1% --key-file k keys.txt").refused(&["k: ", said]);
        assert_eq!(room.read("k"), text.as_bytes());
    }
    std::fs::write(room.path("k"), (200..232).collect::<Vec<u8>>()).unwrap();
    room.amq("build -f -o f.amq --fpr 1% --key-file k keys.txt")
        .refused(&["it holds 32 bytes, not all of them hexadecimal digits"]);
    room.write("k", format!("{}\n{digits}\n", "\n".repeat(40)));
    room.amq("build -f -o f.amq --fpr 1% --key-file k keys.txt").ends(0);
    room.amq("build -f -o f.amq --fpr 1% --key-file no;ne keys.txt")
        .refused(&["there is no such key file", "> 'no;ne')"]);
}

#[test]
fn a_keyed_filter_of_every_kind_needs_its_key() {
    let room = with_keys();
    for kind in KINDS {
        room.amq(&format!("build -f -o f.amq --kind {kind} --fpr 0.1% --key-file k keys.txt"))
            .ends(0);
        let run = room.amq("query -c --key-file k f.amq keys.txt").ends(0);
        assert_eq!(run.text(), "1001\n", "{kind}");
        let strangers = room.amq("query -c --key-file k f.amq more.txt").ends(0);
        assert!((500..520).contains(&strangers.text().trim().parse::<u32>().unwrap()), "{kind}");
        let bytes = room.read("f.amq");
        let key: Vec<u8> = (0..16).map(|i| i * 0x11).collect();
        assert!(!bytes.windows(8).any(|part| part == &key[..8] || part == &key[8..]), "{kind}");

        let missing = ["f.amq: ", "give --key-file"];
        let wrong = ["f.amq: ", "the key of --key-file is not the one"];
        room.amq("query f.amq keys.txt").refused(&missing);
        room.amq("query --key-file other f.amq keys.txt").refused(&wrong);
        room.amq("merge -o no.amq f.amq f.amq").refused(&missing);
        room.amq("verify f.amq").ends(0);
        if !is_static(kind) {
            room.amq("insert f.amq -e new").refused(&missing);
            room.amq("insert --key-file other f.amq -e new").refused(&wrong);
            assert_eq!(room.read("f.amq"), bytes, "{kind}");
            room.amq("insert --key-file k f.amq -e new").ends(0);
            room.amq("query -q --key-file k f.amq -e new").ends(0);
            room.amq("query f.amq keys.txt").refused(&missing);
        }
        if can(kind, Ability::Remove) {
            room.amq("remove f.amq -e new").refused(&missing);
            room.amq("remove --key-file k f.amq -e new").ends(0);
        }
        if can(kind, Ability::Merge) {
            room.amq(&format!(
                "build -f -o g.amq --kind {kind} --fpr 1% --keys 3000 --key-file k keys.txt"
            ))
            .ends(0);
            room.amq(&format!(
                "build -f -o h.amq --kind {kind} --fpr 1% --keys 3000 --key-file k more.txt"
            ))
            .ends(0);
            room.amq("merge -f -o gh.amq g.amq h.amq --key-file k").ends(0);
            let run = room.amq("query -c --key-file k gh.amq more.txt").ends(0);
            assert_eq!(run.text(), "1000\n", "{kind}");
            room.amq("query gh.amq more.txt").refused(&["give --key-file"]);
        }
    }
    room.amq("build -f -o c.amq --kind counting --fpr 1% --key-file k keys.txt").ends(0);
    room.amq("convert c.amq --to bloom -o b.amq --key-file k").ends(0);
    let run = room.amq("query -c --key-file k b.amq keys.txt").ends(0);
    assert_eq!(run.text(), "1001\n");
}

#[test]
fn a_key_that_others_can_read_is_refused_with_the_way_out() {
    let room = with_keys();
    let build = "build -f -o f.amq --fpr 1% --key-file";
    #[cfg(unix)]
    for mode in [0o640, 0o604, 0o666, 0o660, 0o610] {
        private(&room, "k", mode);
        let says =
            ["k: users other than its owner have access", &format!("{mode:03o}"), "chmod 600 k"];
        room.amq(&format!("{build} k keys.txt")).refused(&says);
        assert!(!room.exists("f.amq"));
    }
    private(&room, "k", 0o400);
    room.amq(&format!("{build} k keys.txt")).ends(0);
    room.amq(&format!("{build} nowhere keys.txt")).refused(&[
        "nowhere: there is no such key file",
        "(umask 077; od -An -N16 -tx1 /dev/urandom",
    ]);
    for bad in
        ["", "0", &OTHER[1..], &format!("{OTHER}0"), &OTHER.replace('0', "g"), &KEY.repeat(2)]
    {
        room.write("bad", bad);
        private(&room, "bad", 0o600);
        room.amq(&format!("{build} bad keys.txt"))
            .refused(&["bad: no secret key: it holds ", "a secret key is 32 hexadecimal digits"]);
    }
}

/// What the error tells to run makes a key that is taken.
#[cfg(unix)]
#[test]
fn a_key_is_made_as_the_error_says() {
    let room = with_keys();
    let run = room.amq("build -o f.amq --fpr 1% --key-file new keys.txt").refused(&["umask"]);
    let command = run.err.split("to make one: ").nth(1).unwrap().trim().to_owned();
    room.bash(&command).ends(0);
    room.amq("build -o f.amq --fpr 1% --key-file new keys.txt").ends(0);
    room.amq("query -q --key-file new f.amq -e alice").ends(0);
}

#[test]
fn a_key_file_goes_with_keyed_filters_alone_and_with_no_seed() {
    let room = with_keys();
    room.amq("build -o seeded.amq --fpr 1% keys.txt").ends(0);
    room.amq("build -o keyed.amq --fpr 1% --key-file k keys.txt").ends(0);
    room.amq("query --key-file k seeded.amq -e alice").refused(&["leave --key-file out"]);
    room.amq("merge -o m.amq seeded.amq keyed.amq --key-file k").refused(&["leave --key-file out"]);
    for seed in ["--seed 7", "--secret", "--seed-of seeded.amq"] {
        room.amq(&format!("build -o f.amq --fpr 1% --key-file k {seed} keys.txt"))
            .refused(&["cannot be used with"]);
    }
    room.amq("build -o f.amq --fpr 1% --seed-of keyed.amq keys.txt")
        .refused(&["keyed.amq: ", "give that key by --key-file, and leave --seed-of out"]);
}

/// What reads it second would find nothing, and say nothing of it.
#[cfg(unix)]
#[test]
fn standard_input_is_not_both_the_secret_and_the_keys() {
    let room = with_keys();
    room.amq("build -o f.amq --fpr 1% --key-file k keys.txt").ends(0);
    for stdin in ["/dev/stdin", "/dev/fd/0"] {
        for command in [
            "build -f -o f.amq --fpr 1%",
            "query f.amq",
            "insert f.amq -",
            "remove f.amq",
            "dedupe",
            "query - keys.txt",
            "query f.amq /dev/stdin",
            "merge -f -o f.amq f.amq -",
            "convert -f -o f.amq - --to bloom",
        ] {
            room.bash(&format!("cat k keys.txt | amq {command} --key-file {stdin}"))
                .refused(&["standard input can be read once only"]);
        }
        room.bash(&format!("cat k | amq query -c f.amq --key-file {stdin} keys.txt")).ends(0);
        room.bash(&format!("cat k | amq query f.amq --key-file {stdin} -e key7")).ends(0);
    }
    // In a regular file, too, whose line would become a key.
    room.bash("amq build -f -o f.amq --fpr 1% --key-file k < k")
        .refused(&["standard input can be read once only"]);
    room.amq("query f.amq --key-file - keys.txt")
        .refused(&["--key-file -: standard input is not read for it", "or /dev/stdin"]);
}

#[test]
fn lines_are_deduplicated_under_a_key_from_run_to_run() {
    let room = with_keys();
    let first = room.amq("dedupe -F seen.amq --key-file k keys.txt").ends(0);
    assert_eq!(first.lines(), 1001);
    room.amq("dedupe -F seen.amq keys.txt").refused(&["give --key-file"]);
    room.amq("dedupe -F seen.amq --key-file other keys.txt").refused(&["is not the one"]);
    let again = room.amq("dedupe -F seen.amq --key-file k more.txt").ends(0);
    assert_eq!(again.lines(), 500);
    room.amq("query -q --key-file k seen.amq -e key1500").ends(0);
    // From a pipe it can be read once.
    #[cfg(unix)]
    room.bash("amq dedupe -F seen.amq --key-file <(cat k) -e key1").ends(1);
}

/// A program may save a filter with its key. Nobody else may have it, so it stays there.
#[test]
fn a_key_in_the_filter_stays_in_it() {
    let room = Room::new();
    let goal = amq::Goal::fpr(100, 1e-6);
    let mut filter = Keyed::<CuckooFilter>::new(goal, SipKey::new([7; 16])).unwrap();
    filter.insert("alice").unwrap();
    filter.save(room.path("f.amq")).unwrap();
    // With the key given, too: then it must be that one, and is not taken out.
    room.write("k", "07".repeat(16));
    room.write("other", OTHER);
    private(&room, "k", 0o600);
    private(&room, "other", 0o600);
    let in_it = "the secret key is in the file: keep the file secret, too";
    for run in [
        room.amq("insert f.amq -e bob"),
        room.amq("insert f.amq --key-file k -e dave"),
        room.amq("remove f.amq --key-file k -e dave"),
        room.amq("insert -o g.amq f.amq -e eve"),
        room.amq("merge -f -o g.amq g.amq f.amq"),
    ] {
        assert!(run.ends(0).err.contains(in_it));
    }
    assert_eq!(room.amq("dedupe -F f.amq -e bob -e carol").ends(0).text(), "carol\n");
    room.amq("remove f.amq -e bob").ends(0);
    room.amq("insert f.amq --key-file other -e x").refused(&["is not the one"]);
    let filter = Keyed::<CuckooFilter>::load(room.path("f.amq")).unwrap();
    assert!(filter.contains("alice") && filter.contains("carol") && !filter.contains("bob"));
    assert_eq!(mode(&room, "f.amq"), 0o600);
    assert_eq!(mode(&room, "g.amq"), 0o600);
    let told = room.amq("info f.amq").ends(0).text();
    assert!(told.contains("a secret key, which is in the file: keep the file secret"), "{told}");

    // Whoever can read it has it.
    #[cfg(unix)]
    for (mode, warned) in [(0o644, true), (0o640, true), (0o604, true), (0o600, false)] {
        private(&room, "f.amq", mode);
        for command in
            ["query f.amq -e bob", "info f.amq", "verify f.amq", "insert -q f.amq -e zoe"]
        {
            let says = format!(
                "f.amq: it contains its secret key, and users other than its owner can read it \
                                (its mode is {mode:03o}): chmod 600 f.amq"
            );
            let run = room.amq(command);
            assert_eq!(run.err.contains(&says), warned, "{command}: {run:?}");
        }
    }

    // In a union it is only if it was in all of them.
    SaveOptions::new().without_secret().save(&filter, room.path("without.amq")).unwrap();
    room.amq("merge -o h.amq f.amq without.amq --key-file k").ends(0);
    assert!(room.amq("info h.amq").ends(0).text().contains("which is not in the file"));
    room.amq("insert without.amq --key-file k -e frank").ends(0);
    assert!(Keyed::<CuckooFilter>::load(room.path("without.amq")).is_err());
}

/// The mode of a file, whatever this system has for one.
fn mode(room: &Room, name: &str) -> u32 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::mode(&room.path(name).metadata().unwrap()) & 0o777;
    #[cfg(not(unix))]
    return if room.exists(name) { 0o600 } else { 0 };
}

#[cfg(unix)]
#[test]
fn a_filter_with_a_secret_in_it_is_its_owners_alone() {
    let room = with_keys();
    room.bash("umask 022; amq build -o secret.amq --fpr 1% --secret keys.txt").ends(0);
    room.bash("umask 022; amq build -o public.amq --fpr 1% keys.txt").ends(0);
    room.bash("umask 022; amq build -o keyed.amq --fpr 1% --key-file k keys.txt").ends(0);
    let modes = ["secret.amq", "public.amq", "keyed.amq"].map(|name| mode(&room, name));
    assert_eq!(modes, [0o600, 0o644, 0o644]);
    // The mode of a file without a secret was not chosen for one with a secret.
    room.amq("build -f -o public.amq --fpr 1% --secret keys.txt").ends(0);
    room.amq("build -f -o keyed.amq --fpr 1% --seed 7 keys.txt").ends(0);
    assert_eq!(["public.amq", "keyed.amq"].map(|name| mode(&room, name)), [0o600; 2]);
    // That of one with a secret was.
    private(&room, "secret.amq", 0o640);
    room.amq("insert secret.amq -e x").ends(0);
    assert_eq!(mode(&room, "secret.amq"), 0o640);
    // For that secret, not for a new one.
    private(&room, "secret.amq", 0o644);
    room.amq("build -f -o secret.amq --fpr 1% --secret keys.txt").ends(0);
    assert_eq!(mode(&room, "secret.amq"), 0o600);
    room.bash("umask 022; amq insert -o other.amq secret.amq -e x").ends(0);
    assert_eq!(mode(&room, "other.amq"), 0o600);
}

#[test]
fn a_secret_key_on_the_command_line_is_not_repeated() {
    let room = Room::new();
    let key = KEY.trim_end();
    for given in [key.to_owned(), format!("0x{key}"), key[..20].to_owned()] {
        let run = room.amq(&format!("build -o f.amq --fpr 1% --key-file={given} keys.txt"));
        let run = run.refused(&["takes the path of a file", "do not use that key again", "umask"]);
        assert!(!run.err.to_lowercase().contains(&key[..16].to_lowercase()), "{run:?}");
    }
    // A file may have any name.
    room.write(key, KEY);
    private(&room, key, 0o600);
    room.amq(&format!("build -o f.amq --fpr 1% --key-file {key} keys.txt")).ends(0);
}

#[test]
fn a_key_of_zeros_is_refused() {
    let room = Room::new();
    room.write("zeros", "0".repeat(32));
    private(&room, "zeros", 0o600);
    room.amq("build -o f.amq --fpr 1% --key-file zeros keys.txt")
        .refused(&["zeros: this secret key is all zeros", "to make one: "]);
    assert!(!room.exists("f.amq"));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_waited_for_as_long_as_somebody_may_write_to_it() {
    let room = with_keys();
    room.bash("mkfifo -m 600 pipe").ends(0);
    let begun = std::time::Instant::now();
    room.amq("build -o f.amq --fpr 1% --key-file pipe keys.txt")
        .refused(&["pipe: nothing was written to this pipe for 3 seconds"]);
    assert!(begun.elapsed().as_secs() < 30);
    let build = "amq build -f -o f.amq --fpr 1% keys.txt --key-file";
    room.bash(&format!("(sleep 1; cat k > pipe) & {build} pipe")).ends(0);
    // Somebody who has to find the key first.
    room.bash(&format!("{build} <(sleep 4; cat k)")).ends(0);
    room.bash(&format!("{build} <(head -c 10 k; sleep 1; tail -c +11 k)")).ends(0);
    room.amq("query -q --key-file k f.amq -e alice").ends(0);
}

/// Each advice leads on: none leads back.
#[test]
fn filters_under_two_secrets_are_not_merged_and_say_what_to_do() {
    let room = with_keys();
    let build = "build --fpr 1% --keys 3000 keys.txt";
    room.amq(&format!("{build} -o one.amq --key-file k")).ends(0);
    room.amq(&format!("{build} -o two.amq --key-file other")).ends(0);
    room.amq(&format!("{build} -o seeded.amq")).ends(0);
    let apart = ["fits all of them", "build those under another secret key again, from their keys"];
    let merge = "merge -o m.amq";
    room.amq(&format!("{merge} one.amq two.amq")).refused(&["one.amq: ", "give --key-file"]);
    room.amq(&format!("{merge} one.amq two.amq --key-file k")).refused(&[
        "two.amq: ",
        apart[0],
        apart[1],
    ]);
    room.amq(&format!("{merge} one.amq two.amq --key-file other")).refused(&[
        "one.amq: ",
        apart[0],
        apart[1],
    ]);
    let seeded =
        ["seeded.amq: its keys are hashed under a seed", "or build one again, from its keys"];
    room.amq(&format!("{merge} seeded.amq one.amq")).refused(&["one.amq: ", "give --key-file"]);
    room.amq(&format!("{merge} seeded.amq one.amq --key-file k")).refused(&seeded);
    room.amq(&format!("{merge} one.amq seeded.amq --key-file k")).refused(&seeded);
    assert!(!room.exists("m.amq"));
}

#[test]
fn a_filter_tells_its_hash_and_its_encoding_without_its_key() {
    let room = with_keys();
    room.write("n", "1\n2\n3\n");
    room.amq("build -o keyed.amq --fpr 1% --key-file k --key-type u64 n").ends(0);
    let told = room.amq("info keyed.amq").ends(0).text();
    for part in ["SipHash-1-3 under a secret key, which is not in the file", "integers"] {
        assert!(told.contains(part), "{told}");
    }
    let told: serde_json::Value =
        serde_json::from_str(&room.amq("info --json keyed.amq").ends(0).text()).unwrap();
    assert_eq!(told["hash"], "siphash-1-3");
    assert_eq!((told["withheld"].as_bool(), told["seed"].is_null()), (Some(true), true));
    assert_eq!((&told["encoding"], &told["keys"]), (&"integers".into(), &3.into()));
    room.amq("build -o seeded.amq --fpr 1% --secret keys.txt").ends(0);
    let told = room.amq("info seeded.amq").ends(0).text();
    assert!(told.contains("XXH3-64 under a seed\n") && told.contains("text or bytes"), "{told}");
    let told: serde_json::Value =
        serde_json::from_str(&room.amq("info --json seeded.amq").ends(0).text()).unwrap();
    assert_eq!((&told["hash"], &told["withheld"]), (&"xxh3-64".into(), &false.into()));
    assert_eq!((&told["encoding"], &told["seed"]), (&"bytes".into(), &"secret".into()));
}
