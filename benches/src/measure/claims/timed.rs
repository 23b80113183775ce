//! Claims that need the times and rates of a run: from its rows.

use super::{Figures, claim, holds};
use crate::record::{Claim, Row, State, Verdict, Workload};

/// The rate at which filters are compared, and the keys.
const RATE: f64 = 0.01;
const KEY_SET: &str = "random-u64";

pub(super) fn all(rows: &[Row]) -> Vec<Claim> {
    let all = [
        ratio(
            rows,
            "ribbon-build",
            "A ribbon filter takes three to four times as long to build as a Bloom filter",
            (&["ribbon", "ribbon-bumped"], Workload::Build),
            |ratio| (2.5..4.5).contains(&ratio),
        ),
        ratio(
            rows,
            "ribbon-query",
            "A ribbon filter answers as fast as a Bloom filter",
            (&["ribbon", "ribbon-bumped"], Workload::Query50),
            |ratio| ratio <= 1.1,
        ),
        ratio(
            rows,
            "blocked-speed",
            "A blocked Bloom filter buys speed with space",
            (&["blocked-bloom"], Workload::Query50),
            |ratio| ratio <= 0.9,
        ),
        agreement(
            rows,
            "rates",
            "Our own filters have the rate that their formula predicts, on random keys",
            |row| row.key_set == KEY_SET,
        ),
        agreement(
            rows,
            "kinds-of-keys",
            "The kind of keys does not change the rate",
            |row| row.key_set != KEY_SET,
        ),
    ];
    all.into_iter().flatten().collect()
}

/// A claim about times over a Bloom filter's: settled at every number of keys that was measured.
fn ratio(
    rows: &[Row],
    id: &str,
    text: &str,
    (names, workload): (&[&str], Workload),
    good: impl Fn(f64) -> bool,
) -> Option<Claim> {
    let time = |name: &str, keys: u64| {
        let of = |row: &&Row| {
            (row.contender == name && row.keys == keys && row.key_set == KEY_SET)
                && (row.workload == workload && row.asked_fpr == Some(RATE))
        };
        rows.iter().find(of)?.ns
    };
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.keys).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut found = Vec::new();
    for keys in sizes {
        for name in names {
            let both = time(name, keys).zip(time("bloom", keys));
            found.extend(both.map(|(own, bloom)| (*name, keys, own / bloom)));
        }
    }
    let (_, _, last) = found.iter().rev().find(|(name, ..)| *name == names[0])?;
    let true_ones = found.iter().filter(|(.., ratio)| good(*ratio)).count();
    let list = found.iter().map(|(name, keys, ratio)| format!("{name} {ratio:.2} at {keys} keys"));
    Some(claim(
        id,
        text,
        Figures {
            computed: None,
            measured: Some(*last),
            unit: "times bloom's time",
        },
        match true_ones {
            0 => Verdict::DoesNot,
            all if all == found.len() => Verdict::Holds,
            _ => Verdict::Depends,
        },
        list.collect::<Vec<_>>().join("; "),
    ))
}

/// A claim that measured rates agree with the formula: over all cells of ours that have one.
fn agreement(rows: &[Row], id: &str, text: &str, of: impl Fn(&Row) -> bool) -> Option<Claim> {
    let facts = rows.iter().filter(|row| row.workload == Workload::Verify && of(row));
    let ours: Vec<&Row> = facts
        .filter(|row| crate::contenders::ALL.iter().any(|one| is_ours(&one.info(), row)))
        .filter(|row| row.fpr_agrees.is_some() || row.state == State::Failed)
        .collect();
    let good = ours.iter().filter(|row| row.fpr_agrees == Some(true)).count();
    let share = |part: usize| part as f64 * 100.0 / ours.len() as f64;
    (!ours.is_empty()).then(|| {
        claim(
            id,
            text,
            super::figures(100.0, share(good), "% of the cells agree"),
            holds(good == ours.len()),
            format!("{good} of {} cells agree within the error of the count", ours.len()),
        )
    })
}

fn is_ours(info: &crate::contenders::Info, row: &Row) -> bool {
    info.ours && info.name == row.contender
}
