//! The compiled versions, from the lock file: never typed by hand.

use serde::Deserialize;

/// The workspace's lock file at compile time.
const LOCK_FILE: &str = include_str!("../../Cargo.lock");

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// Contenders' packages: `fastbloom 0.17.0, foldhash 0.2.0`. The package `std` is the compiler.
pub fn versions(packages: &[&str]) -> String {
    let lock: Option<Lock> = toml::from_str(LOCK_FILE).ok();
    let version = |name: &str| -> String {
        if name == "std" {
            return env!("AMQ_RUSTC").to_owned();
        }
        let packages = lock
            .as_ref()
            .map(|lock| lock.package.as_slice())
            .unwrap_or_default();
        let found: Vec<&str> = packages
            .iter()
            .filter(|package| package.name == name)
            .map(|package| package.version.as_str())
            .collect();
        match found.as_slice() {
            [] => format!("{name} (unknown version)"),
            versions => format!("{name} {}", versions.join(" and ")),
        }
    };
    packages
        .iter()
        .map(|name| version(name))
        .collect::<Vec<_>>()
        .join(", ")
}

/// XXH3-64 of the lock file: equal digests mean equal dependencies.
pub fn digest() -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(LOCK_FILE.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_knows_its_version() {
        for contender in crate::registry::ALL {
            let info = contender.info();
            let versions = versions(info.packages);
            assert!(!versions.contains("unknown"), "{}: {versions}", info.name);
            assert!(
                versions.contains(|c: char| c.is_ascii_digit()),
                "{}: {versions}",
                info.name
            );
        }
    }

    #[test]
    fn a_package_that_is_not_there_is_said_to_be_unknown() {
        assert_eq!(
            versions(&["no-such-package"]),
            "no-such-package (unknown version)"
        );
    }
}
