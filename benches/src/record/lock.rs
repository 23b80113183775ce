//! The compiled versions, from the lock file: never typed by hand.

use toml::{Table, Value};

/// The workspace's lock file at compile time.
const LOCK_FILE: &str = include_str!("../../../Cargo.lock");

/// Contenders' packages: `fastbloom 0.17.0, foldhash 0.2.0`. The package `std` is the compiler.
pub(super) fn versions(packages: &[&str]) -> String {
    let lock: Table = LOCK_FILE.parse().unwrap_or_default();
    let all = lock.get("package").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of = |&name: &&str| {
        if name == "std" {
            return env!("AMQ_RUSTC").to_owned();
        }
        let of_name = all.iter().filter(|package| package["name"].as_str() == Some(name));
        let versions: Vec<&str> = of_name.filter_map(|of| of["version"].as_str()).collect();
        match versions.as_slice() {
            [] => format!("{name} (unknown version)"),
            versions => format!("{name} {}", versions.join(" and ")),
        }
    };
    packages.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// XXH3-64 of the lock file: equal digests mean equal dependencies.
pub(super) fn digest() -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(LOCK_FILE.as_bytes()))
}

#[test]
fn every_contender_knows_its_version_and_what_is_not_there_is_said_to_be_unknown() {
    for contender in crate::contenders::ALL.iter() {
        let versions = versions(contender.info().packages);
        let known = !versions.contains("unknown") && versions.contains(char::is_numeric);
        assert!(known, "{contender:?}: {versions}");
    }
    assert_eq!(versions(&["no-such-one"]), "no-such-one (unknown version)");
}
