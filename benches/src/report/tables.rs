//! Who can do what, all numbers, and other keys.

use super::curves::who;
use super::prelude::*;
use std::collections::BTreeSet;

pub(super) fn abilities(data: &Data) -> Found {
    let all: Vec<&Info> = data.compared().collect();
    let most = all.iter().map(|facts| facts.abilities.len()).max()?;
    let best = all.iter().filter(|facts| facts.abilities.len() == most);
    let best = list(&best.map(|facts| facts.name.as_str()).collect::<Vec<_>>());
    let of = data.texts.abilities.len();
    let mut table = Table::of(&all).word("contender", |facts| &facts.name);
    table = table.word("version", |facts| &facts.version);
    for (head, ability) in &data.texts.abilities {
        let can = |facts: &Info| facts.abilities.contains(ability);
        table = table.word(head, |facts| if can(facts) { "yes" } else { "" });
    }
    Some((format!("{best} can do the most: {most} of {of} things each."), vec![table.block("")]))
}

/// How many cells keep to their formula, and those that do not.
pub(super) fn rates(data: &Data) -> Found {
    let judged: Vec<&Row> = data.all().filter(|row| row.fpr_agrees.is_some()).collect();
    let off: Vec<&Row> =
        judged.iter().copied().filter(|row| row.fpr_agrees == Some(false)).collect();
    let sigmas = plain(data.run.sigmas);
    let found = data.say("rates", &[&(judged.len() - off.len()), &judged.len(), &sigmas]);
    let table = Table::of(&off)
        .word("contender", |row| &row.contender)
        .word("cell", |row| row.subject())
        .number("measured", |row| row.fpr().map(percent))
        .number("by formula", |row| row.predicted_fpr.map(percent));
    let none = Block::text("There is none that does not.");
    let blocks = if off.is_empty() { none } else { table.block("Those that do not:") };
    (!judged.is_empty()).then(|| (found, vec![blocks]))
}

/// The main rate first, then the other rates, then more keys.
pub(super) fn numbers(data: &Data) -> Found {
    let main = data.rate();
    let more = data.sizes(&data.set).into_iter().filter(|size| *size > data.keys);
    let cells = data.rates.iter().map(|rate| (data.keys, *rate));
    let cells = cells.chain(more.map(|size| (size, main)));
    let why = |row: &Row| format!("{}: {}", row.subject(), row.why);
    let failed = data.all().filter(|row| row.state == State::Failed);
    let (mut all, mut failed) = (Vec::new(), failed.map(why).collect::<Vec<_>>());
    for (size, rate) in cells {
        let with = match size == data.keys {
            true => String::new(),
            false => format!(", {} keys", keys(size)),
        };
        // A filter of a fixed rate stands once, with the main one.
        let mut entries = data.entries(Of::Rate(&data.set, size, rate));
        entries.retain(|entry| rate == main || !entry.facts.fixed_rate);
        for entry in entries {
            let of = asked(rate) + &with;
            let of = if entry.facts.fixed_rate { format!("fixed{with}") } else { of };
            all.push((entry, of));
        }
    }
    let of: BTreeSet<&str> = all.iter().map(|(entry, _)| entry.name()).collect();
    let (count, of, what) = (all.len(), of.len(), data.what());
    let rest = if of < data.compared().count() { "; others have courses only" } else { "" };
    let found =
        format!("{count} rows of {of} contenders ({what}){rest}. Names lead to the records.");
    let refuses = |bits| {
        who(&data.entries(Of::Bits(data.budget_keys, bits)), |row| row.state == State::Skipped)
    };
    let refused = data.needs().filter_map(|need| Some((need.bits?, refuses(need.bits?)?)));
    failed.extend(refused.map(|(bits, names)| {
        let keys = keys(data.budget_keys);
        format!("{names}: cannot be made with {} bits per key ({keys} keys)", plain(bits))
    }));
    let mut blocks = vec![table(data, &all)];
    if !failed.is_empty() {
        let title = Text::from("Without numbers:");
        blocks.extend([Block::text(title), Block::list(failed)]);
    }
    (count > 0).then_some((found, blocks))
}

/// What reads and hashes keys, and looks nothing up.
const HASHING: &str = "hash-only";

/// The numbers of entries, each with what it was asked for.
fn table(data: &Data, all: &[(Entry<'_>, String)]) -> Block {
    let name = |entry: &Entry<'_>| match &data.link {
        Some(way) => Text::default().link(entry.name(), &format!("{way}/{}.csv", entry.name())),
        None => Text::from(entry.name()),
    };
    let mut table = Table::of(all)
        .word("contender", |(of, _)| of.marked(name(of)))
        .word("target", |(_, asked)| asked)
        .number("bits/key", |(of, _)| match of.octave() {
            Some((low, high)) => Some(format!("{}–{}", digits(low, 3), digits(high, 3))),
            None => Some(digits(of.bits()?, 4)),
        })
        .number("× bound", |(of, _)| Some(format!("{:.2}", of.overhead()?)))
        .number("measured rate", |(of, _)| {
            let row = of.row(Workload::Verify)?;
            let mark = if row.fpr_agrees == Some(false) { " !" } else { "" };
            Some(percent(row.fpr()?) + mark)
        })
        .number("95 % interval", |(of, _)| {
            let row = of.row(Workload::Verify)?;
            let [low, high] = [row.fpr_low?, row.fpr_high?].map(|rate| digits(rate * 100.0, 3));
            Some(format!("{low} to {high}"))
        })
        .number("peak bits/key", |(of, _)| Some(digits(of.peak_bits()?, 3)));
    for (head, workload) in &data.texts.times {
        table = table.number(head, |(of, _)| of.time(*workload));
    }
    table = table.number("net", |(of, _)| {
        let hashing = data.floor_entry(HASHING, of.keys())?;
        Some(two((of.ns(Workload::Query50)? - hashing.ns(Workload::Query50)?).max(0.0)))
    });
    table.block(data.say("numbers", &[&asked(data.run.unstable_above)]))
}

/// The sets that are compared; a user's file is alone.
const SETS: [&str; 4] = ["random-u64", "sequential", "strings", "words"];

pub(super) fn other_keys(data: &Data) -> Found {
    let others = data.run.key_set.iter().filter(|set| set.name != data.set);
    let size = others.map(|set| set.present).max()?;
    let mut sets = SETS.to_vec();
    sets.retain(|set| data.sizes(set).contains(&size));
    let of = |set| Of::Rate(set, size, data.rate());
    let ns = |name: &str, set| data.entry(name, of(set))?.ns(Workload::Query50);
    let (first, others) = sets.split_first()?;
    let all = data.entries(of(first)).into_iter().filter_map(|entry| {
        let (name, base) = (entry.name(), entry.ns(Workload::Query50)?);
        let all = others.iter().filter_map(|set| Some((ns(name, set)? / base, name, *set)));
        all.max_by(|a, b| a.0.total_cmp(&b.0))
    });
    let all: Vec<_> = all.collect();
    let (ratio, name, set) = all.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let found =
        format!("With other keys, {set} slow {name} most: {ratio:.2} times the time per query.");
    let mut table = Table::of(&all).word("contender", |(_, name, _)| *name);
    for set in &sets {
        table = table.number(set, |(_, name, _)| ns(name, set).map(two));
    }
    Some((found, vec![table.block(format!("ns per query, half present, {} keys.", keys(size)))]))
}
