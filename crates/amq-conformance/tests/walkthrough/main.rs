//! The README's walk-through, run: a filter of a third party under the suite.

// Helpers of tests may fail as tests do; the configuration allows it only in the test functions
// themselves.
#![allow(clippy::unwrap_used)]

mod filter;
mod frozen;

use amq_conformance::memory::Counting;
use amq_conformance::{by_inserting, rate};
use filter::{Params, Partitioned};
use frozen::Frozen;

#[global_allocator]
static COUNTING: Counting = Counting;

amq_conformance::suite!(
    laws: Partitioned => [empty, build, merge],
    out_of_range [Params { slice: 1, slices: 3 }, Params { slice: 100, slices: 65 }]
);
amq_conformance::suite!(laws_of_static: Frozen => [build]);
amq_conformance::memory!(laws_of_memory: Partitioned => [empty, build, merge]);

#[test]
fn the_rate_is_right_over_64_seeds() {
    let cell = rate::ONE_IN_100.with_seeds(64);
    rate::a_filter_errs_as_often_as_predicted(by_inserting::<Partitioned>, cell);
}

/// Whatever the README quotes is in these files, line for line.
#[test]
fn the_readme_quotes_what_is_tested() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
    let sources = ["filter", "frozen", "main"]
        .map(|name| read(&format!("tests/walkthrough/{name}.rs")))
        .concat();
    let readme = read("README.md");
    let mut quoted = 0;
    for block in readme.split("```rust").skip(1) {
        let code = block.split_once('\n').unwrap().1.split("```").next().unwrap();
        assert!(sources.contains(code.trim()), "not in tests/walkthrough:\n{code}");
        quoted += 1;
    }
    assert!(quoted >= 8, "{quoted}");
}
