//! What `diff` calls moved: beyond the noise and the intervals, either way.

use super::Place;
use std::collections::BTreeMap;
use tempfile::tempdir;

const RUN: &str = r#"
schema = 3
date = "2000-01-01"
command = ""
render_command = ""
seconds = 1.0
complete = true
clock = ""
noise_floor = 0.05
unstable_above = 0.05
sigmas = 4.0
[options]
suite = "quick"
rounds = 1
seed = 1
keys = []
rustc = ""
target = ""
profile = ""
rustflags = ""
target_features = ""
lock_xxh3 = ""
[[contender]]
name = "cuckoo"
"#;

type Change = (&'static str, &'static str);

/// Writes a record of one row, with these columns changed.
fn record(place: &Place, name: &str, changes: &[Change]) {
    let row: [Change; 18] = [
        ("contender", "cuckoo"),
        ("key_set", "any"),
        ("keys", "1000"),
        ("workload", "verify"),
        ("state", "measured"),
        ("why", ""),
        ("held_bytes", "1200"),
        ("peak_build_bytes", "2000"),
        ("absent_queries", "10000"),
        ("false_positives", "100"),
        ("fpr_low", "0.008"),
        ("fpr_high", "0.012"),
        ("ns", "10"),
        ("reference", "bloom"),
        ("ratio_low", "0.9"),
        ("ratio_high", "1.1"),
        ("passes_ns", ""),
        ("reference_passes_ns", ""),
    ];
    let row: BTreeMap<_, _> = row.iter().chain(changes).copied().collect();
    let join = |words: Vec<&str>| words.join(",");
    let lines = [join(row.keys().copied().collect()), join(row.values().copied().collect())];
    place.write(format!("{name}/run.toml"), RUN);
    place.write(format!("{name}/cuckoo.csv"), lines.join("\n"));
}

#[test]
fn what_moved_is_beyond_the_floor_and_the_intervals_either_way() {
    let place = Place(tempdir().unwrap());
    record(&place, "old", &[]);
    let time = |ns, low, high| vec![("ns", ns), ("ratio_low", low), ("ratio_high", high)];
    let rate = |low| vec![("false_positives", "130"), ("fpr_low", low), ("fpr_high", "0.015")];
    for (changes, moves) in [
        (vec![], None),
        (time("10.4", "1.2", "1.3"), None),
        (time("10.6", "1.2", "1.3"), Some(["+6.0 %", "ns"])),
        (time("10.6", "1.0", "1.3"), None),
        (time("9.6", "0.7", "0.8"), None),
        (time("9.4", "0.7", "0.8"), Some(["-6.0 %", "ns"])),
        (time("9.4", "0.7", "0.9"), None),
        (vec![("ns", "10.6"), ("reference", "")], Some(["+6.0 %", "ns"])),
        (rate("0.0119"), None),
        (rate("0.0121"), Some(["+30.0 %", "rate"])),
        (vec![("held_bytes", "1194")], Some(["-0.5 %", "bytes"])),
        (vec![("peak_build_bytes", "2019")], None),
        (vec![("peak_build_bytes", "1960")], Some(["-2.0 %", "peak bytes"])),
        (vec![("state", "failed"), ("why", "lost")], Some(["", "state"])),
    ] {
        record(&place, "new", &changes);
        let [change, what] = moves.unwrap_or_default();
        let count = format!("Rows in both: 1; moved: {}.", u8::from(moves.is_some()));
        let said = place.run("diff @/old @/new", i32::from(moves.is_some()), &[&count]);
        let line = said.lines().last().unwrap_or_default();
        let is_said = line.trim_start().starts_with(change) && line.contains(&format!(" {what} "));
        assert!(moves.is_none() || is_said, "{changes:?}: {said}");
    }
}

#[test]
fn without_twins_times_are_not_compared() {
    let place = Place(tempdir().unwrap());
    for name in ["old", "new"] {
        record(&place, name, &[]);
        place.write(format!("{name}/run.toml"), RUN.replace("noise_floor = 0.05\n", ""));
    }
    place.run(
        "diff @/old @/new",
        2,
        &["the record of 2000-01-01 has no twins", "bloom,bloom-twin"],
    );
}
