//! Claims that take a measurement.

use super::Settled;
use crate::contender::{Family, Role};
use crate::record::Workload;
use crate::render::data::Data;
use crate::render::number::{asked, grouped, list, three};

/// Those for which there are records.
pub(super) fn all(data: &Data) -> Vec<Settled> {
    [
        rates_hold(data),
        keys_do_not_matter(data),
        blocks_are_quicker(data),
    ]
    .into_iter()
    .flatten()
    .collect()
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
        claim: "Our own filters have exactly the rate that their formula promises".to_owned(),
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
            "{} keys at {}: {} ns against {} ns a query, for {:.1} % more space (ours, half of the keys present)",
            grouped(keys),
            asked(rate),
            three(block),
            three(classic),
            (block_bits / classic_bits - 1.0) * 100.0
        ),
        by: "records",
    })
}
