//! Claims that introductions repeat, each settled by formula and by measurement when a run is made.
//!
//! Sizes and rates are measured here, with filters of the run's number of keys; what needs times
//! comes from the run's rows. The verdict follows from the figures beside it. A new claim is an
//! entry in `claims.csv` and a line in `settle`.

mod bloom;
mod families;
mod ground;

use crate::record::{Claim, Row, Verdict, Workload};
use amq_ribbon::RibbonFilter;
use ground::{Ground, Settled};
use std::ops::Range;

/// All claims. `keys` is how many keys the filters are measured with, and a fifth of how many
/// absent ones they are asked for; claims for whose times `rows` has no measurement are left out.
pub fn settled(rows: &[Row], keys: usize, seed: u64) -> Vec<Claim> {
    let ground = Ground::new(keys.max(1000), seed);
    let list = csv::Reader::from_reader(&include_bytes!("claims.csv")[..]);
    let all = list.into_deserialize().flatten().filter_map(|(id, claim, unit): (String, _, _)| {
        let (computed, measured, verdict, detail) = settle(&id, &ground, rows)?;
        Some(Claim { id, claim, computed, measured, unit, verdict, detail })
    });
    all.collect()
}

fn settle(id: &str, ground: &Ground, rows: &[Row]) -> Option<Settled> {
    match id {
        "bloom-halving" => bloom::step(ground, 0.7, 0.5),
        "bloom-decade" => bloom::step(ground, 4.8, 0.1),
        "bloom-overfilled" => bloom::overfilled(ground),
        "bloom-megabytes" => bloom::sizes(ground, 1_000_000, &bloom::SIZES[1..3], bloom::tenths),
        "bloom-sizes" => bloom::sizes(ground, 1_000_000, &bloom::SIZES, bloom::tenths),
        "bloom-billion" => bloom::sizes(ground, 1_000_000_000, &[(0.1, 15.0, 10)], f64::ceil),
        "bloom-counted" => bloom::counted(ground),
        "counting-overflow" => bloom::counters(ground),
        "counting-size" => bloom::size_of_counting(ground),
        "cuckoo-size" => families::cuckoo(ground),
        "quotient-size" => families::quotient(ground),
        "ribbon-size" => families::ribbon::<RibbonFilter>(ground, "ribbon"),
        "ribbon-build" => timed(rows, &["ribbon"], Workload::Build, 2.95..4.05),
        "ribbon-query" => timed(rows, &["ribbon"], Workload::Query50, 0.0..1.1),
        "blocked-speed" => timed(rows, &["blocked-bloom"], Workload::Query50, 0.0..0.9),
        _ => None,
    }
}

/// A claim about times over a Bloom filter's: settled at every number of random keys, at 1 %.
fn timed(rows: &[Row], names: &[&str], workload: Workload, good: Range<f64>) -> Option<Settled> {
    let of = |row: &&Row| {
        row.key_set == "random-u64" && row.asked_fpr == Some(0.01) && row.workload == workload
    };
    let time = |name: &str, keys: u64| {
        rows.iter().filter(of).find(|row| row.contender == name && row.keys == keys)?.ns
    };
    let mut found = Vec::new();
    for row in rows.iter().filter(of).filter(|row| names.contains(&&*row.contender)) {
        let ratio = row.ns.zip(time("bloom", row.keys)).map(|(own, bloom)| own / bloom);
        found.extend(ratio.map(|ratio| (row.keys, &*row.contender, ratio)));
    }
    found.sort_unstable_by_key(|&(keys, name, _)| (keys, name));
    let (_, _, largest) = *found.iter().rfind(|(_, name, _)| *name == names[0])?;
    let verdict = match found.iter().filter(|(.., ratio)| good.contains(ratio)).count() {
        0 => Verdict::DoesNot,
        all if all == found.len() => Verdict::Holds,
        _ => Verdict::Depends,
    };
    let list = found.chunk_by(|a, b| a.0 == b.0).map(|of| {
        let each = of.iter().map(|(_, name, ratio)| format!("{name} {ratio:.2}"));
        format!("at {} keys {}", of[0].0, each.collect::<Vec<_>>().join(", "))
    });
    let detail = format!("times bloom's time: {}", list.collect::<Vec<_>>().join("; "));
    Some((None, Some(largest), verdict, detail))
}

#[cfg(test)]
mod tests;
