//! Claims that need a measurement.

use super::Settled;
use crate::contender::{Family, Role};
use crate::record::Workload;
use crate::render::data::Data;
use crate::render::number::{asked, grouped, list, three};

/// The claims for which there are records.
pub(super) fn all(data: &Data) -> Vec<Settled> {
    [
        rates_hold(data),
        keys_do_not_matter(data),
        blocks_are_quicker(data),
        counting_is_larger(data),
    ]
    .into_iter()
    .flatten()
    .chain(against_bloom(data))
    .collect()
}

/// Claims about other families' sizes, for our measured filters.
const SIZES: [(&str, &str, Verdict); 3] = [
    (
        "cuckoo",
        "is smaller than a Bloom filter below 3 %",
        |ratio| ratio < 1.0,
    ),
    (
        "cuckoo-windowed",
        "is smaller than a Bloom filter below 3 %",
        |ratio| ratio < 1.0,
    ),
    (
        "quotient",
        "is 10 to 25 % larger than a Bloom filter",
        |ratio| (1.09..1.26).contains(&ratio),
    ),
];

/// Whether a size relative to Bloom's is as claimed.
type Verdict = fn(f64) -> bool;

/// The sizes at every rate of the main comparison, over the bound at their rate; and the ribbon's
/// times.
fn against_bloom(data: &Data) -> Vec<Settled> {
    let Some((set, keys)) = data.main_set().zip(data.main_size()) else {
        return Vec::new();
    };
    let heats = data.heats(set, keys);
    let mut settled = Vec::new();
    for (name, says, verdict) in SIZES {
        let mut holds = true;
        let mut found = Vec::new();
        for heat in &heats {
            let of = |name: &str| heat.entries.iter().find(|entry| entry.name() == name);
            let both = of(name).zip(of(BLOOM));
            let overheads =
                both.and_then(|(own, bloom)| Some((own.best_overhead()?, bloom.best_overhead()?)));
            let Some(((own, bloom), rate)) = overheads.zip(heat.rate) else {
                continue;
            };
            holds &= verdict(own / bloom);
            let (own, bloom) = (three(own), three(bloom));
            found.push(format!(
                "{own} against {bloom} times the bound, asked for {}",
                asked(rate)
            ));
        }
        if !found.is_empty() {
            settled.push(Settled {
                claim: format!("{name} {says}"),
                holds,
                verdict: format!("{} keys: {}", grouped(keys), found.join("; ")),
                by: "records",
            });
        }
    }
    settled.extend(
        ["ribbon", "ribbon-bumped"]
            .into_iter()
            .filter_map(|name| ribbon(data, name)),
    );
    settled
}

/// The classic filter, the reference for comparisons.
const BLOOM: &str = "bloom";

fn ribbon(data: &Data, name: &str) -> Option<Settled> {
    let (set, keys, rate) = (data.main_set()?, data.main_size()?, data.main_rate()?);
    let heats = data.heats(set, keys);
    let heat = heats.iter().find(|heat| heat.rate == Some(rate))?;
    let of = |name: &str| heat.entries.iter().find(|entry| entry.name() == name);
    let (own, bloom) = of(name).zip(of(BLOOM))?;
    let smaller = 1.0 - own.best_overhead()? / bloom.best_overhead()?;
    let times = |workload: Workload| Some(own.median(workload)? / bloom.median(workload)?);
    let (build, query) = (times(Workload::Build)?, times(Workload::Query50)?);
    let as_fast = 1.0 + data.noise().unwrap_or(0.0);
    Some(Settled {
        claim: format!(
            "{name} is 30 % smaller than a Bloom filter, takes three to four times as long to \
             build, and answers as fast"
        ),
        holds: (0.27..0.33).contains(&smaller) && (2.5..4.5).contains(&build) && query <= as_fast,
        verdict: format!(
            "{} keys at {}: {:.0} % smaller at its rate, {} times the build time, {} times the \
             query time (half present)",
            grouped(keys),
            asked(rate),
            smaller * 100.0,
            three(build),
            three(query)
        ),
        by: "records",
    })
}

fn counting_is_larger(data: &Data) -> Option<Settled> {
    let (set, keys, rate) = (data.main_set()?, data.main_size()?, data.main_rate()?);
    let entries = data.answering(set, keys, Some(rate));
    let bits = |name: &str| entries.iter().find(|entry| entry.name() == name)?.bits();
    let times = bits("counting-bloom")? / bits(BLOOM)?;
    Some(Settled {
        claim: "A counting Bloom filter is three to four times as large as a Bloom filter"
            .to_owned(),
        holds: (2.95..4.05).contains(&times),
        verdict: format!("{} times, with 4-bit counters", three(times)),
        by: "records",
    })
}

fn rates_hold(data: &Data) -> Option<Settled> {
    let heats = data.all_heats();
    let ours = || {
        let entries = heats.iter().flat_map(|heat| &heat.entries);
        entries.filter(|entry| entry.facts.ours && entry.facts.role == Role::Filter)
    };
    let all = ours()
        .filter(|entry| entry.predicted().is_some() || entry.error().is_some())
        .count();
    let good = ours().filter(|entry| entry.agrees() == Some(true)).count();
    (all > 0).then(|| Settled {
        claim: "Our own filters have exactly the rate their formula predicts".to_owned(),
        holds: good == all,
        verdict: format!(
            "{good} of {all} cells agree within {} standard deviations",
            data.run.sigmas
        ),
        by: "records",
    })
}

fn keys_do_not_matter(data: &Data) -> Option<Settled> {
    let sets = data.key_sets();
    if sets.len() < 2 {
        return None;
    }
    let heats = data.all_heats();
    let others = || {
        let heats = heats
            .iter()
            .filter(|heat| Some(heat.key_set) != data.main_set());
        heats
            .flat_map(|heat| &heat.entries)
            .filter(|entry| entry.agrees().is_some() && !entry.is_exact())
    };
    let (all, good) = (
        others().count(),
        others()
            .filter(|entry| entry.agrees() == Some(true))
            .count(),
    );
    (all > 0).then(|| Settled {
        claim: "The kind of keys does not change the rate".to_owned(),
        holds: good == all,
        verdict: format!(
            "{good} of {all} cells with other keys ({}) agree with the formula",
            list(&sets[1..])
        ),
        by: "records",
    })
}

fn blocks_are_quicker(data: &Data) -> Option<Settled> {
    let (set, keys, rate) = (data.main_set()?, data.main_size()?, data.main_rate()?);
    let entries = data.answering(set, keys, Some(rate));
    let best = |family: Family| {
        let of_family = entries
            .iter()
            .filter(|entry| entry.facts.family == family && entry.facts.ours);
        let times =
            of_family.filter_map(|entry| Some((entry.median(Workload::Query50)?, entry.bits()?)));
        times.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let ((classic, classic_bits), (block, block_bits)) =
        (best(Family::Classic)?, best(Family::SplitBlock)?);
    Some(Settled {
        claim: "A blocked Bloom filter buys speed with space".to_owned(),
        holds: block < classic * (1.0 - data.noise().unwrap_or(0.0)) && block_bits > classic_bits,
        verdict: format!(
            "{} keys at {}: {} ns against {} ns per query, for {:.1} % more space (ours, half \
             present)",
            grouped(keys),
            asked(rate),
            three(block),
            three(classic),
            (block_bits / classic_bits - 1.0) * 100.0
        ),
        by: "records",
    })
}
