//! All numbers, failed checks, abilities, and other keys.

use super::Found;
use super::data::{Data, Entry, Of, ranked};
use super::number::{asked, digits, keys, list, percent, plain, two};
use super::table::Table;
use crate::record::{Ability, Info, Row, State, Workload};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The times in the table, with their descriptions.
const TIMES: [(&str, Workload); 7] = [
    ("build", Workload::Build),
    ("absent", Workload::Query0),
    ("half", Workload::Query50),
    ("present", Workload::Query100),
    ("batch", Workload::Batch50),
    ("waits", Workload::Dependent50),
    ("remove", Workload::Remove),
];

/// The main rate first, then the other rates and budgets, then more keys.
pub(super) fn numbers(data: &Data) -> Found {
    let main = data.rate();
    let mut cells: Vec<(Of<'_>, u64, String)> = Vec::new();
    for rate in &data.rates {
        cells.push((Of::Rate(&data.set, data.keys, *rate), data.keys, asked(*rate)));
    }
    let budgets = data.verified().filter(|row| row.key_set == data.set);
    let budgets = budgets.filter_map(|row| Some((row.keys, (row.asked_bits? * 1e6) as u64)));
    for (size, bits) in budgets.collect::<BTreeSet<_>>() {
        let bits = bits as f64 / 1e6;
        cells.push((Of::Bits(size, bits), size, format!("{} bits", plain(bits))));
    }
    for size in data.sizes(&data.set).into_iter().filter(|size| *size > data.keys) {
        cells.push((data.with(size), size, asked(main)));
    }
    let mut all: Vec<(Entry<'_>, u64, String)> = Vec::new();
    for (of, size, target) in cells {
        // A filter of a fixed rate appears once per number of keys.
        let is_main = matches!(of, Of::Rate(_, _, rate) if rate == main);
        for entry in data.entries(of) {
            let is_fixed = entry.info.fixed_rate;
            if entry.bits().is_some() && (is_main || !is_fixed) {
                let target = if is_fixed { "fixed".to_owned() } else { target.clone() };
                all.push((entry, size, target));
            }
        }
    }
    let of: BTreeSet<&str> = all.iter().map(|(entry, ..)| entry.name()).collect();
    let finding = format!("{} cells of {} filters, sets and maps.", all.len(), of.len());
    (!all.is_empty()).then(|| (finding, table(data, &all)))
}

fn table(data: &Data, all: &[(Entry<'_>, u64, String)]) -> Markup {
    let mut table = Table::of(all)
        .word("contender", |(of, ..)| match &data.link {
            Some(way) => html! { a href=(format!("{way}/{}.csv", of.name())) { (of.name()) } },
            None => html! { (of.name()) },
        })
        .word("target", |(.., target)| target)
        .word("checks", |(of, ..)| if of.is_wrong { "failed" } else { "passed" })
        .number("keys", |(_, size, _)| Some(keys(*size)))
        .number("bits", |(of, ..)| Some(digits(of.bits()?, 4)))
        .number("least", |(of, ..)| Some(digits(of.octave()?.0, 3)))
        .number("most", |(of, ..)| Some(digits(of.octave()?.1, 3)))
        .number("× bound", |(of, ..)| {
            // A filter that accepts nearly all keys is off the scale.
            Some(format!("{:.2}", of.overhead().filter(|over| *over < 100.0)?))
        })
        .number("peak", |(of, ..)| Some(digits(of.peak_bits()?, 3)))
        .number("rate", |(of, ..)| Some(percent(of.row(Workload::Verify)?.fpr()?)))
        .number("low", |(of, ..)| Some(percent(of.row(Workload::Verify)?.fpr_low?)))
        .number("high", |(of, ..)| Some(percent(of.row(Workload::Verify)?.fpr_high?)));
    for (head, workload) in TIMES {
        table = table.number(head, |(of, ..)| time(of.row(workload)?));
    }
    let wide = asked(data.run.unstable_above);
    table.html(&format!(
        "Bits per key held, and where the size jumps the least and most up to twice as many keys; the \
         peak while building; the measured rate with its 95 % interval; ns per key. Waits: each query \
         depends on the answer before. In italics: the time's 95 % interval is wider than {wide}. \
         Names lead to the records."
    ))
}

/// A time, in italics if its interval is wide.
pub(super) fn time(row: &Row) -> Option<Markup> {
    let (ns, is_wide) = (two(row.ns?), row.unstable == Some(true));
    Some(html! { @if is_wide { span.unsure { (ns) } } @else { (ns) } })
}

pub(super) fn failures(data: &Data) -> Found {
    let failed: Vec<&Row> = data.all().filter(|row| row.state == State::Failed).collect();
    let off: Vec<&Row> = data.all().filter(|row| row.fpr_agrees == Some(false)).collect();
    let judged = data.all().filter(|row| row.fpr_agrees.is_some()).count();
    let names: BTreeSet<&str> = failed.iter().map(|row| row.contender.as_str()).collect();
    let names = match list(&names.into_iter().collect::<Vec<_>>()) {
        names if names.is_empty() => "Every cell passed".to_owned(),
        names => format!("{} cells of {names}", failed.len()),
    };
    let agree = judged - off.len();
    let finding = format!(
        "{names}; {agree} of {judged} measured rates agree with their exact formula within {} \
         standard deviations.",
        plain(data.run.sigmas)
    );
    let table = Table::of(&failed).word("cell", |row| row.subject()).word("why", |row| &row.why);
    let rates = Table::of(&off)
        .word("rate is not the formula's", |row| row.subject())
        .number("measured", |row| row.fpr().map(percent))
        .number("by formula", |row| row.predicted_fpr.map(percent));
    let about = "A filter that gave a wrong answer in any cell is never the best, and stands in no \
                 plot of time against space.";
    Some((
        finding,
        html! {
            @if !failed.is_empty() { (table.html(about)) }
            @if !off.is_empty() { (rates.html("")) }
        },
    ))
}

const ABILITIES: [(&str, Ability); 10] = [
    ("insert", Ability::Insert),
    ("remove", Ability::Remove),
    ("count", Ability::Count),
    ("merge", Ability::Merge),
    ("grow", Ability::Grow),
    ("truncate", Ability::Truncate),
    ("batch", Ability::Batch),
    ("threads insert", Ability::ConcurrentInsert),
    ("values", Ability::Values),
    ("static", Ability::Static),
];

pub(super) fn abilities(data: &Data) -> Found {
    let all: Vec<&Info> = data.compared().collect();
    let mut table = Table::of(&all).word("contender", |info| &info.name);
    table = table.word("version", |info| &info.version);
    for (head, ability) in ABILITIES {
        let can = |info: &Info| info.abilities.contains(&ability);
        table = table.word(head, |info| if can(info) { "yes" } else { "" });
    }
    let ours = all.iter().filter(|info| info.ours).count();
    let finding = format!("{ours} of ours and {} of other authors.", all.len() - ours);
    (!all.is_empty()).then(|| (finding, table.html("")))
}

/// The key sets to compare; a user's file is the only one.
const SETS: [&str; 4] = ["random-u64", "sequential", "strings", "words"];

pub(super) fn other_keys(data: &Data) -> Found {
    let others = data.run.key_set.iter().filter(|set| set.name != data.set);
    let size = others.map(|set| set.present).max()?;
    let mut sets = SETS.to_vec();
    sets.retain(|set| data.sizes(set).contains(&size));
    let of = |set| Of::Rate(set, size, data.rate());
    let (first, others) = sets.split_first()?;
    let all = ranked(data.entries(of(first)), |entry| entry.ns(Workload::Query50));
    let row = |name: &str, set| data.entry(name, of(set))?.row(Workload::Query50);
    let others: Vec<&str> = others.to_vec();
    let mut all: Vec<_> = all.into_iter().map(|(entry, _)| entry).collect();
    all.retain(|of| others.iter().any(|set| row(of.name(), set).is_some()));
    let mut table = Table::of(&all).word("contender", |of| of.name());
    for set in &sets {
        table = table.number(set, |of| time(row(of.name(), set)?));
    }
    let finding = format!("Times of a query of {} keys: {}.", keys(size), list(&sets));
    (!all.is_empty()).then(|| (finding, table.html("ns per query, half of the keys present.")))
}
