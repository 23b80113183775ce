//! Claims about times: from a run's rows.

use super::claim;
use crate::record::{Claim, Row, Verdict, Workload};

const RIBBONS: &[&str] = &["ribbon", "ribbon-bumped"];

pub(super) fn all(rows: &[Row]) -> Vec<Claim> {
    let build = ratio(
        rows,
        "ribbon-build",
        "A ribbon filter takes three to four times as long to build as a Bloom filter",
        (RIBBONS, Workload::Build),
        |ratio| (2.5..4.5).contains(&ratio),
    );
    let query = ratio(
        rows,
        "ribbon-query",
        "A ribbon filter answers as fast as a Bloom filter",
        (RIBBONS, Workload::Query50),
        |ratio| ratio <= 1.1,
    );
    let blocks = ratio(
        rows,
        "blocked-speed",
        "A blocked Bloom filter buys speed with space",
        (&["blocked-bloom"], Workload::Query50),
        |ratio| ratio <= 0.9,
    );
    [build, query, blocks].into_iter().flatten().collect()
}

/// A claim about times over a Bloom filter's: settled at every number of random keys, at 1 %.
fn ratio(
    rows: &[Row],
    id: &str,
    text: &str,
    (names, workload): (&[&str], Workload),
    good: impl Fn(f64) -> bool,
) -> Option<Claim> {
    let ours = |row: &&Row| row.key_set == "random-u64" && row.asked_fpr == Some(0.01);
    let timed = rows.iter().filter(ours);
    let timed: Vec<&Row> = timed.filter(|row| row.workload == workload).collect();
    let mut found = Vec::new();
    for row in timed.iter().filter(|row| names.contains(&&*row.contender)) {
        let bloom = |other: &&&Row| other.contender == "bloom" && other.keys == row.keys;
        let bloom = timed.iter().find(bloom).and_then(|bloom| bloom.ns);
        let ratio = row.ns.zip(bloom).map(|(own, bloom)| own / bloom);
        found.extend(ratio.map(|ratio| (row.keys, &*row.contender, ratio)));
    }
    found.sort_unstable_by_key(|&(keys, name, _)| (keys, name));
    let (_, _, largest) = found.iter().rfind(|(_, name, _)| *name == names[0])?;
    let true_ones = found.iter().filter(|(.., ratio)| good(*ratio)).count();
    let verdict = match true_ones {
        0 => Verdict::DoesNot,
        all if all == found.len() => Verdict::Holds,
        _ => Verdict::Depends,
    };
    let list = found.iter().map(|(keys, name, ratio)| format!("{name} {ratio:.2} at {keys} keys"));
    let detail = list.collect::<Vec<_>>().join("; ");
    Some(claim(id, text, (None::<f64>, *largest, "times bloom's time"), verdict, detail))
}
