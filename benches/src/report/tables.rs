//! Who can do what, all numbers, other keys, and the claims.

use super::data::{Data, Entry, Target};
use super::doc::{Block, Found, Table, Text};
use super::number::{asked, digits, keys, list, percent, plain, two};
use crate::record::{Ability, Claim, ContenderFacts, Verdict, Workload};

/// A hyphen where there is nothing.
pub(super) fn dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "-".to_owned())
}

const ABILITIES: [(Ability, &str); 9] = [
    (Ability::Insert, "insert"),
    (Ability::Remove, "remove"),
    (Ability::Count, "count"),
    (Ability::Merge, "merge"),
    (Ability::Grow, "grow"),
    (Ability::Batch, "batch"),
    (Ability::ConcurrentInsert, "threads insert"),
    (Ability::Values, "values"),
    (Ability::Static, "static"),
];

pub(super) fn abilities(data: &Data) -> Found {
    let row = |facts: &ContenderFacts| {
        let can = |(ability, _): &(Ability, &str)| facts.abilities.contains(ability);
        let can = ABILITIES.iter().map(|each| if can(each) { "yes" } else { "" });
        [facts.name.as_str(), &facts.version].into_iter().chain(can).map(Text::from).collect()
    };
    let most = data.compared().rev().max_by_key(|facts| facts.abilities.len())?;
    let (count, all) = (most.abilities.len(), ABILITIES.len());
    let head = ["contender", "version"].into_iter().chain(ABILITIES.map(|(_, name)| name));
    let head: Vec<&str> = head.collect();
    let table = Table::new("", &head, head.len(), data.compared().map(row).collect());
    Some((format!("{} can do most: {count} of {all}.", most.name), vec![Block::Table(table)]))
}

/// Rows after which there is no room for other rates; the records have all.
const MOST_ROWS: usize = 60;

/// A column's head and its cells.
type Column = (&'static str, fn(&Entry<'_>) -> Option<String>);

const COLUMNS: [Column; 12] = [
    ("bits/key", |entry| match entry.octave() {
        Some((low, high)) => Some(format!("{}–{}", digits(low, 3), digits(high, 3))),
        None => Some(digits(entry.bits()?, 4)),
    }),
    ("× bound", |entry| Some(format!("{:.2}", entry.overhead()?))),
    ("measured rate", |entry| {
        let row = entry.row(Workload::Verify)?;
        let mark = if row.fpr_agrees == Some(false) { " !" } else { "" };
        Some(percent(row.fpr()?) + mark)
    }),
    ("95 % interval", |entry| {
        let row = entry.row(Workload::Verify)?;
        let (low, high) = (row.fpr_low? * 100.0, row.fpr_high? * 100.0);
        Some(format!("{} to {}", digits(low, 3), digits(high, 3)))
    }),
    ("peak bits", |entry| Some(digits(entry.peak_bits()?, 3))),
    ("build", |entry| time(entry, Workload::Build)),
    ("absent", |entry| time(entry, Workload::Query0)),
    ("half", |entry| time(entry, Workload::Query50)),
    ("present", |entry| time(entry, Workload::Query100)),
    ("batch", |entry| time(entry, Workload::Batch50)),
    ("waits", |entry| time(entry, Workload::Dependent50)),
    ("remove", |entry| time(entry, Workload::Remove)),
];

fn time(entry: &Entry<'_>, workload: Workload) -> Option<String> {
    let row = entry.row(workload)?;
    Some(two(row.ns?) + if row.unstable == Some(true) { "?" } else { "" })
}

/// The main rate first, then more keys, then the other rates.
pub(super) fn numbers(data: &Data) -> Found {
    let main = data.rate();
    let more = data.sizes(&data.set).into_iter().filter(|size| *size > data.keys);
    let cells = std::iter::once((data.keys, main)).chain(more.map(|size| (size, main)));
    let cells = cells.chain(data.rates().into_iter().skip(1).map(|rate| (data.keys, rate)));
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    for (size, rate) in cells {
        if rate != main && rows.len() > MOST_ROWS {
            break;
        }
        let with = match size == data.keys {
            true => String::new(),
            false => format!(", {} keys", keys(size)),
        };
        // A filter of a fixed rate stands once, with the main one.
        let is_new = |entry: &Entry<'_>| rate == main || entry.facts.takes_rate;
        let all = data.entries(&data.set, size, Target::Rate(rate)).into_iter();
        for entry in all.filter(is_new) {
            let (name, of) = (entry.name(), asked(rate) + &with);
            failed.extend(entry.failure().map(|why| format!("{name} at {of}: {why}")));
            rows.push(row(data, &entry, &of, &with));
        }
    }
    let (count, all, what) = (rows.len(), data.compared().count(), data.what());
    let found = format!("{count} rows of {all} contenders ({what}); names lead to the records.");
    let scatter = percent(data.run.unstable_above);
    let caption = format!(
        "ns per key; ? where the rounds scatter by more than {scatter}; ! where the rate is not the formula's."
    );
    let head = ["contender", "asked"].into_iter().chain(COLUMNS.map(|(name, _)| name));
    let head: Vec<&str> = head.collect();
    if rows.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::Table(Table::new(caption, &head, 2, rows))];
    for (title, lines) in [
        ("Failed cells have no numbers:", failed),
        ("No filter exists of so few bits a key:", refused(data)),
    ] {
        if !lines.is_empty() {
            blocks.push(Block::Para(Text::from(title)));
            blocks.push(Block::List(lines.into_iter().map(Text::from).collect()));
        }
    }
    Some((found, blocks))
}

fn row(data: &Data, entry: &Entry<'_>, asked: &str, with: &str) -> Vec<Text> {
    let name = match &data.link {
        Some(folder) => {
            Text::default().link(entry.name(), format!("{folder}/{}.csv", entry.name()))
        }
        None => Text::from(entry.name()),
    };
    let asked = if entry.facts.takes_rate { asked.to_owned() } else { format!("fixed{with}") };
    let mut row = vec![name, Text::from(asked)];
    if entry.failure().is_some() && entry.bits().is_none() {
        row.push(Text::default().strong("ERROR"));
        row.resize(2 + COLUMNS.len(), Text::default());
    } else {
        row.extend(COLUMNS.iter().map(|(_, cell)| Text::from(dash(cell(entry)))));
    }
    row
}

/// Who has no filter of the page's budgets.
fn refused(data: &Data) -> Vec<String> {
    let size = data.budget_keys();
    let line = |bits: f64| {
        let mut all = data.entries(&data.set, size, Target::Bits(bits));
        all.retain(|entry| entry.bits().is_none() && entry.failure().is_none());
        let names: Vec<&str> = all.iter().map(Entry::name).collect();
        let (bits, size) = (plain(bits), keys(size));
        (!names.is_empty()).then(|| format!("{bits}, for {size} keys: {}", list(&names)))
    };
    data.texts.need.iter().filter_map(|need| need.bits).filter_map(line).collect()
}

/// The sets that are compared; a user's file is alone.
const SETS: [&str; 4] = ["random-u64", "sequential", "strings", "words"];

pub(super) fn other_keys(data: &Data) -> Found {
    let others = data.run.key_set.iter().filter(|set| set.name != data.set);
    let size = others.map(|set| set.present).max()?;
    let mut sets = SETS.to_vec();
    sets.retain(|set| data.sizes(set).contains(&size));
    let target = Target::Rate(data.rate());
    let (mut rows, mut slowed) = (Vec::new(), Vec::new());
    for entry in data.entries(sets.first()?, size, target) {
        let of = |set: &&str| data.entry(entry.name(), set, size, target)?.ns(Workload::Query50);
        let times: Vec<Option<f64>> = sets.iter().map(of).collect();
        let [Some(base), rest @ ..] = &times[..] else { continue };
        let slowest =
            sets[1..].iter().zip(rest).filter_map(|(set, time)| Some((time.as_ref()? / base, set)));
        let Some((ratio, set)) = slowest.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        slowed.push((ratio, entry.name(), *set));
        let times = times.iter().map(|time| dash(time.map(two)));
        rows.push(std::iter::once(entry.name().to_owned()).chain(times).map(Text::from).collect());
    }
    let (ratio, name, set) = slowed.into_iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let found =
        format!("ns per query with other keys: {name} is slowed most by {set} ({ratio:.2} times).");
    let caption = format!("ns per query, half present, {} keys.", keys(size));
    sets.insert(0, "contender");
    Some((found, vec![Block::Table(Table::new(caption, &sets, 1, rows))]))
}

pub(super) fn claims(data: &Data) -> Found {
    let count =
        |verdict: Verdict| data.claims.iter().filter(|claim| claim.verdict == verdict).count();
    let found = format!(
        "Of {} claims {} hold, {} do not, and {} depend on what is meant.",
        data.claims.len(),
        count(Verdict::Holds),
        count(Verdict::DoesNot),
        count(Verdict::Depends)
    );
    let row = |claim: &Claim| {
        let number = |value: Option<f64>| {
            let shown = value.map(|value| match value.abs() {
                size if size >= 1e-3 || size == 0.0 => digits(value, 4),
                _ => format!("{value:.2e}"),
            });
            let shown = shown.map(|shown| format!("{shown} {}", claim.unit).trim().to_owned());
            Text::from(dash(shown))
        };
        vec![
            Text::from(claim.claim.as_str()),
            Text::default().strong(claim.verdict.to_string()),
            Text::from(claim.detail.as_str()),
            number(claim.computed),
            number(claim.measured),
        ]
    };
    let head = ["claim", "verdict", "in truth", "by formula", "measured"];
    let rows: Vec<Vec<Text>> = data.claims.iter().map(row).collect();
    (!rows.is_empty()).then(|| (found, vec![Block::Table(Table::new("", &head, 3, rows))]))
}
