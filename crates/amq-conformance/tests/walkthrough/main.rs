//! The README's walk-through, run: a filter of a third party under the suite.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

mod fingerprints;
mod frozen;

use amq_conformance::{by_inserting, rate};
use fingerprints::Fingerprints;

#[test]
fn the_rate_is_right_over_64_seeds() {
    let cell = rate::ONE_IN_100.with_seeds(64);
    rate::a_filter_errs_as_often_as_predicted(by_inserting::<Fingerprints>, cell);
}

/// The filter has at most a hundred lines of code, and all code in the README is in these files
/// or in `tests/suite/faithful.rs`, line for line.
#[test]
fn the_readme_quotes_what_is_tested() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let filter = read("tests/walkthrough/fingerprints.rs");
    let code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    assert!(filter.lines().filter(code).count() <= 100);
    let others = ["walkthrough/frozen", "walkthrough/main", "suite/main", "suite/faithful"];
    let sources = filter + &others.map(|name| read(&format!("tests/{name}.rs"))).concat();
    let readme = read("README.md");
    let mut quoted = 0;
    for block in readme.split("```rust").skip(1) {
        let code = block.split_once('\n').unwrap().1.split("```").next().unwrap();
        assert!(sources.contains(code.trim()), "not in the tests:\n{code}");
        quoted += 1;
    }
    assert!(quoted >= 8, "{quoted}");
}
