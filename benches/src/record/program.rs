//! This program in a record: its code, the compared versions, its command line.

use std::borrow::Cow;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml::{Table, Value};

/// The reports of the user's own keys, in the workspace.
pub const OWN_REPORTS: &str = "reports/own";

/// The command that runs this program.
pub(super) const PROGRAM: &str = "cargo run --release -p amq-bench";

/// The workspace's lock file at compile time.
const LOCK_FILE: &str = include_str!("../../../Cargo.lock");

/// XXH3-64 of the lock file: equal digests mean equal dependencies.
pub(super) fn lock_digest() -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(LOCK_FILE.as_bytes()))
}

/// Packages with their versions in the lock file: `fastbloom 0.17.0, foldhash 0.2.0`. The package
/// `std` is the compiler.
pub(super) fn versions(packages: &[String]) -> String {
    let lock: Table = LOCK_FILE.parse().unwrap_or_default();
    let all = lock.get("package").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of = |name: &String| {
        let of_name = all.iter().filter(|package| package["name"].as_str() == Some(name.as_str()));
        let versions: Vec<&str> = of_name.filter_map(|of| of["version"].as_str()).collect();
        match versions.as_slice() {
            [] if name == "std" => env!("AMQ_RUSTC").to_owned(),
            [] => format!("{name} (unknown version)"),
            versions => format!("{name} {}", versions.join(" and ")),
        }
    };
    packages.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// The compiled commit. Like `git describe --always --dirty`, but new records do not make the code
/// dirty.
pub(super) fn git_describe() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let commit = git(&["describe", "--always"]).filter(|commit| !commit.is_empty())?;
    let code = ["status", "--porcelain", "--", "Cargo.toml", "Cargo.lock", "crates", "benches"];
    let dirty = if git(&code)?.is_empty() { "" } else { "-dirty" };
    Some(commit + dirty)
}

/// The workspace if cargo runs the program, else the current directory.
pub fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let above = package.and_then(|folder| folder.parent().map(Path::to_owned));
    above.unwrap_or_else(|| PathBuf::from("."))
}

/// The date, in UTC.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// A word quoted for a shell; that fails only for a zero byte, which no argument contains.
fn quoted(word: &str) -> Cow<'_, str> {
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

/// The command line that repeats the measurement. Of paths to elsewhere it has only the last
/// component, since records are published; those of the user's own keys are not, and their paths
/// are whole, so that the command can be copied: relative to the workspace if they are in it.
pub fn repeating(arguments: impl Iterator<Item = String>) -> String {
    let home = env::var("HOME").unwrap_or_default();
    written(arguments, &[(&root().to_string_lossy(), ""), (&home, "\"$HOME\"/")])
}

/// The command line, with folders as they are written.
fn written(arguments: impl Iterator<Item = String>, folders: &[(&str, &str)]) -> String {
    let arguments: Vec<String> = arguments.filter(|argument| argument != "--resume").collect();
    let is_own = arguments.iter().any(|argument| argument.starts_with("--keys"));
    let word = |argument: &String| {
        let option = argument.find('=').filter(|_| argument.starts_with("--"));
        let (option, value) = argument.split_at(option.map_or(0, |end| end + 1));
        let below = folders.iter().find_map(|(folder, written)| {
            let path = value.strip_prefix(folder)?.strip_prefix('/')?;
            (!folder.is_empty()).then(|| format!("{written}{}", quoted(path)))
        });
        let value = match below {
            Some(value) if is_own => value,
            _ if is_own || is_below_here(value) => quoted(value).into_owned(),
            _ => quoted(value.rsplit(['/', '\\']).next().unwrap_or(value)).into_owned(),
        };
        option.to_owned() + &value
    };
    let words = arguments.iter().map(word).collect::<Vec<_>>().join(" ");
    let from = ["-", "--keys-file=-"].iter().any(|word| arguments.iter().any(|it| it == word));
    let from = if from { " < KEYS" } else { "" };
    if words.is_empty() { PROGRAM.to_owned() } else { format!("{PROGRAM} -- {words}{from}") }
}

/// A path below the current folder, which says nothing about the machine.
fn is_below_here(path: &str) -> bool {
    !path.starts_with(['/', '~']) && !path.contains(['\\', ':']) && !path.contains("..")
}

#[test]
fn published_commands_name_no_place_own_ones_can_be_copied() {
    let folders = [("/home/me/amq", ""), ("/home/me", "\"$HOME\"/"), ("", "")];
    let of = |words: &str| written(words.split('|').map(str::to_owned), &folders);
    let command = of("measure|--resume|--records=/tmp/x|--only|bloom");
    assert_eq!(command, format!("{PROGRAM} -- measure --records=x --only bloom"));
    assert_eq!(written(std::iter::empty(), &folders), PROGRAM);
    let command = of("measure|--records|reports/full/records");
    assert_eq!(command, format!("{PROGRAM} -- measure --records reports/full/records"));
    let own = [
        ("--keys-file|data/my keys.txt", "--keys-file 'data/my keys.txt'"),
        ("--keys-file=../keys|--records|/tmp/x", "--keys-file=../keys --records /tmp/x"),
        ("--keys-file|/home/me/my keys.txt", "--keys-file \"$HOME\"/'my keys.txt'"),
        ("--keys-file=/home/me/amq/target/k", "--keys-file=target/k"),
        ("--keys-file=/home/me/k", "--keys-file=\"$HOME\"/k"),
        ("--keys-file|/home/meg/k", "--keys-file /home/meg/k"),
        ("--keys-file|-", "--keys-file - < KEYS"),
        ("--keys|1000,2000|--out|/tmp/y", "--keys '1000,2000' --out /tmp/y"),
    ];
    for (words, shown) in own {
        assert_eq!(of(&format!("measure|{words}")), format!("{PROGRAM} -- measure {shown}"));
    }
}

#[test]
fn every_contender_knows_its_version_or_says_unknown() {
    for contender in crate::contenders::ALL.iter() {
        let versions = versions(&contender.info.packages);
        let known = !versions.contains("unknown") && versions.contains(char::is_numeric);
        assert!(known, "{contender:?}: {versions}");
    }
    assert_eq!(versions(&["no-such-one".to_owned()]), "no-such-one (unknown version)");
}
