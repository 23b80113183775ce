//! Other key sets: does the rate hold, and do the times change?

use super::data::Data;
use super::document::{Block, Spans, Table};
use super::entry::Entry;
use super::number::{asked, grouped, three};
use crate::record::Workload;

/// A table of all key sets at a size they share, if there is more than one.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let sets = data.key_sets();
    let Some((&main, others)) = sets.split_first() else {
        return Vec::new();
    };
    let shared = |keys: &u64| others.iter().any(|set| data.sizes(set).contains(keys));
    let sizes: Vec<u64> = data.sizes(main).into_iter().filter(shared).collect();
    let Some(&keys) = sizes.last() else {
        return vec![Block::Para(Spans::from(
            "Other keys: there is only one key set, or no other was measured with as many keys as \
             the main one.",
        ))];
    };
    let rate = data.main_rate();
    let of = |set, name: &str| -> Option<Entry<'_>> {
        let entries = data
            .heats(set, keys)
            .into_iter()
            .flat_map(|heat| heat.entries);
        entries
            .filter(|entry| entry.name() == name)
            .find(|entry| !entry.facts.takes_rate || entry.asked() == rate)
    };
    let sets: Vec<&str> = sets
        .iter()
        .copied()
        .filter(|set| data.sizes(set).contains(&keys))
        .collect();
    let mut head = vec!["contender".to_owned()];
    head.extend(sets.iter().map(|set| format!("rate / formula, {set}")));
    head.extend(sets.iter().map(|set| format!("query ns, {set}")));
    let (mut cells, mut misses, mut rows) = (0, Vec::new(), Vec::new());
    for facts in data.filters() {
        let mut row = vec![Spans::default().code(&facts.name)];
        for set in &sets {
            let entry = of(set, &facts.name);
            let judged = entry.as_ref().filter(|entry| !entry.is_exact());
            if let Some(agrees) = judged.and_then(Entry::agrees) {
                cells += 1;
                if !agrees {
                    misses.push(format!("{} with {set}", facts.name));
                }
            }
            row.push(entry.map_or_else(|| Spans::from("–"), |entry| ratio(&entry)));
        }
        for set in &sets {
            let time = of(set, &facts.name).and_then(|entry| entry.time(Workload::Query50));
            row.push(Spans::from(time.map_or_else(
                || "–".to_owned(),
                |time| {
                    format!(
                        "{}{}",
                        three(time.median),
                        if time.unstable { " ?" } else { "" }
                    )
                },
            )));
        }
        rows.push(row);
    }
    let verdict = match (cells, misses.as_slice()) {
        (0, _) => String::new(),
        (_, []) => format!(
            "The rate does not depend on the kind of keys: all {cells} cells agree with the formula. "
        ),
        (_, misses) => format!(
            "The rate differs from the formula's for {}. ",
            super::number::list(misses)
        ),
    };
    let about = data
        .run
        .key_set
        .iter()
        .filter(|facts| facts.present == keys && sets.contains(&facts.name.as_str()));
    let about = about.map(|facts| {
        Spans::default()
            .code(&facts.name)
            .text(format!(": {}", facts.about))
    });
    vec![
        Block::Subheading("Other keys".to_owned()),
        Block::Para(Spans::from(format!(
            "{verdict}Times differ by the cost of reading and hashing a key, which is part of \
             every time here.",
        ))),
        Block::Table(Table {
            caption: format!(
                "{} keys{}; half of the queries are for present keys",
                grouped(keys),
                rate.map_or_else(String::new, |rate| format!(", asked for {}", asked(rate)))
            ),
            head,
            words: 1,
            rows,
        }),
        Block::List(about.collect()),
    ]
}

fn ratio(entry: &Entry<'_>) -> Spans {
    if entry.error().is_some() {
        return Spans::default().strong("ERROR");
    }
    let over = entry
        .predicted()
        .or(entry.asked())
        .filter(|&rate| rate > 0.0);
    match (entry.joint_rate(), over) {
        (Some(rate), Some(over)) => Spans::from(format!("{:.3}", rate.mean / over)).aside(format!(
            " ({:.3}–{:.3})",
            rate.low / over,
            rate.high / over
        )),
        _ => Spans::from("–"),
    }
}
