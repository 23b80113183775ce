//! Who can do what, all numbers, other keys, and the claims.

use super::data::{Data, Entry, Target};
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{asked, digits, grouped, keys, list, percent, two};
use crate::record::{Ability, ContenderFacts, Verdict, Workload};

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Vec<Section> {
    vec![
        Section::new("abilities", "Who can do what", abilities(data)).in_readme(),
        Section::new("numbers", "All numbers", numbers(data)),
        Section::new("keys", "Other keys", other_keys(data)),
        Section::new("claims", "Claims checked", claims(data)).in_readme(),
    ]
}

fn abilities(data: &Data) -> Found {
    let columns: [(Ability, &str); 8] = [
        (Ability::Insert, "insert"),
        (Ability::Remove, "remove"),
        (Ability::Count, "count"),
        (Ability::Merge, "merge"),
        (Ability::Grow, "grow"),
        (Ability::Batch, "batch"),
        (Ability::ConcurrentInsert, "threads insert"),
        (Ability::Static, "static"),
    ];
    let row = |facts: &ContenderFacts| {
        let can = columns.iter().map(|(ability, _)| {
            Text::from(if facts.abilities.contains(ability) { "yes" } else { "" })
        });
        let first = [Text::from(facts.name.as_str()), Text::from(facts.version.as_str())];
        first.into_iter().chain(can).collect()
    };
    let rows: Vec<Vec<Text>> = data.filters().map(row).collect();
    let most = data
        .filters()
        .max_by_key(|facts| (facts.abilities.len(), std::cmp::Reverse(&facts.name)))?;
    let found =
        format!("{} can do most: {} of {}.", most.name, most.abilities.len(), columns.len());
    let head: Vec<&'static str> =
        ["contender", "version"].into_iter().chain(columns.iter().map(|column| column.1)).collect();
    Some((found, vec![Block::Table(Table::new("", &head, 10, rows))]))
}

/// Where a contender's record is, if it is published with the page.
fn record_of(data: &Data, name: &str) -> Text {
    match &data.link {
        Some(folder) => Text::default().link(name, format!("{folder}/{name}.csv")),
        None => Text::from(name),
    }
}

/// Rows that the page has room for; the records have all.
const MOST_ROWS: usize = 60;

fn numbers(data: &Data) -> Found {
    let workloads = [
        (Workload::Build, "build"),
        (Workload::Query0, "absent"),
        (Workload::Query50, "half"),
        (Workload::Query100, "present"),
        (Workload::Batch50, "batch"),
        (Workload::Dependent50, "waits"),
        (Workload::Remove, "remove"),
    ];
    let mut head = vec![
        "contender",
        "asked",
        "bits/key",
        "× bound",
        "measured rate",
        "95 % interval",
        "peak bits",
    ];
    head.extend(workloads.iter().map(|workload| workload.1));
    let mut rates = data.rates();
    let near = |rate: &f64| (rate.ln() - data.rate().ln()).abs();
    rates.sort_by(|a, b| near(a).total_cmp(&near(b)));
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for (index, rate) in rates.into_iter().enumerate() {
        if rows.len() > MOST_ROWS {
            break;
        }
        let title = asked(rate);
        for entry in data.main_entries(rate) {
            // A filter of a fixed rate stands once, with the first one.
            if index > 0 && !entry.facts.takes_rate {
                continue;
            }
            failed.extend(entry.failure().map(|why| format!("{} at {title}: {why}", entry.name())));
            rows.push(number_row(data, &entry, &title, &workloads));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let found = format!(
        "{} rows of {} contenders, {} keys ({}); names lead to the records, which have all.",
        rows.len(),
        data.filters().count(),
        keys(data.keys),
        data.set
    );
    let caption = format!(
        "ns per key; ? where the rounds scatter by more than {}; ! where the rate is not the formula's.",
        percent(data.run.unstable_above)
    );
    let mut blocks = vec![Block::Table(Table::new(caption, &head, 2, rows))];
    if !failed.is_empty() {
        blocks.push(Block::Para(Text::from("Failed cells have no numbers:")));
        blocks.push(Block::List(failed.into_iter().map(Text::from).collect()));
    }
    Some((found, blocks))
}

fn number_row(
    data: &Data,
    entry: &Entry<'_>,
    title: &str,
    workloads: &[(Workload, &str)],
) -> Vec<Text> {
    let fixed = if entry.facts.takes_rate { title.to_owned() } else { "fixed".to_owned() };
    let mut row = vec![record_of(data, entry.name()), Text::from(fixed)];
    if entry.failure().is_some() && entry.bits().is_none() {
        row.push(Text::default().strong("ERROR"));
        row.resize(7 + workloads.len(), Text::default());
        return row;
    }
    let verify = entry.row(Workload::Verify);
    let or = |value: Option<String>| Text::from(value.unwrap_or_else(|| "-".to_owned()));
    let rate = verify.and_then(|row| {
        let mark = if row.fpr_agrees == Some(false) { " !" } else { "" };
        Some(percent(row.fpr()?) + mark)
    });
    let interval = verify.and_then(|row| {
        let (low, high) = row.fpr_low.zip(row.fpr_high)?;
        Some(format!("{} to {}", digits(low * 100.0, 3), digits(high * 100.0, 3)))
    });
    row.extend([
        or(entry.octave().map_or_else(
            || entry.bits().map(|bits| digits(bits, 4)),
            |(low, high)| Some(format!("{}–{}", digits(low, 3), digits(high, 3))),
        )),
        or(entry.overhead().map(|over| format!("{over:.2}"))),
        or(rate),
        or(interval),
        or(entry.peak_bits().map(|bits| digits(bits, 3))),
    ]);
    let time = |workload: Workload| {
        let row = entry.row(workload)?;
        let unstable = if row.unstable == Some(true) { "?" } else { "" };
        Some(two(row.ns?) + unstable)
    };
    row.extend(workloads.iter().map(|(workload, _)| or(time(*workload))));
    row
}

fn other_keys(data: &Data) -> Found {
    let mut sets: Vec<(&str, u64)> = data
        .run
        .key_set
        .iter()
        .map(|set| (set.name.as_str(), set.present))
        .filter(|(name, _)| *name != data.set)
        .collect();
    sets.dedup_by_key(|set| set.0);
    let present = sets.iter().map(|set| set.1).max()?;
    let own = data.sizes(&data.set).contains(&present).then_some((data.set.as_str(), present));
    let sets: Vec<(&str, u64)> = own.into_iter().chain(sets).collect();
    let target = Target::Rate(data.rate());
    let mut rows = Vec::new();
    let mut worst: (f64, &str, &str) = (0.0, "", "");
    for facts in data.filters() {
        let entries = sets.iter().map(|(set, keys)| data.entry(&facts.name, set, *keys, target));
        let times: Vec<Option<f64>> = entries.map(|entry| entry?.ns(Workload::Query50)).collect();
        if times.iter().flatten().count() < 2 {
            continue;
        }
        if let Some(Some(base)) = times.first() {
            for (time, (set, _)) in times.iter().zip(&sets) {
                let ratio = time.map_or(0.0, |time| time / base);
                if ratio > worst.0 {
                    worst = (ratio, &facts.name, set);
                }
            }
        }
        let text = |time: &Option<f64>| Text::from(time.map_or_else(|| "-".to_owned(), two));
        rows.push(
            std::iter::once(Text::from(facts.name.as_str()))
                .chain(times.iter().map(text))
                .collect(),
        );
    }
    if rows.is_empty() {
        return None;
    }
    let names: Vec<&str> = sets.iter().map(|set| set.0).collect();
    let found = format!(
        "ns per query with other keys: {} is slowed most by {} ({:.2} times).",
        worst.1, worst.2, worst.0
    );
    let caption = format!(
        "ns per query, half present, {} keys. Columns in order: {}.",
        grouped(present),
        list(&names)
    );
    let head: Vec<&'static str> = ["contender", "first", "second", "third", "fourth", "fifth"]
        .into_iter()
        .take(1 + names.len())
        .collect();
    rows.iter_mut().for_each(|row: &mut Vec<Text>| row.truncate(head.len()));
    Some((found, vec![Block::Table(Table::new(caption, &head, 1, rows))]))
}

fn claims(data: &Data) -> Found {
    if data.claims.is_empty() {
        return None;
    }
    let count =
        |verdict: Verdict| data.claims.iter().filter(|claim| claim.verdict == verdict).count();
    let found = format!(
        "Of {} claims {} hold, {} do not, and {} depend on what is meant.",
        data.claims.len(),
        count(Verdict::Holds),
        count(Verdict::DoesNot),
        count(Verdict::Depends)
    );
    let number = |value: Option<f64>, unit: &str| {
        let number = |value: f64| {
            let shown = if value.abs() >= 1e-3 || value == 0.0 {
                digits(value, 4)
            } else {
                format!("{value:.2e}")
            };
            format!("{shown} {unit}").trim().to_owned()
        };
        Text::from(value.map_or_else(|| "-".to_owned(), number))
    };
    let row = |claim: &crate::record::Claim| {
        vec![
            Text::from(claim.claim.as_str()),
            Text::default().strong(claim.verdict.to_string()),
            Text::from(claim.detail.as_str()),
            number(claim.computed, &claim.unit),
            number(claim.measured, &claim.unit),
        ]
    };
    let head = ["claim", "verdict", "in truth", "by formula", "measured"];
    let rows = data.claims.iter().map(row).collect();
    Some((found, vec![Block::Table(Table::new("", &head, 3, rows))]))
}
