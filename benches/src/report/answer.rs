//! Which filter? For each need the best by the records or by the advisor's answer, why, what it
//! costs, and the runner-up; in groups by the questions that people have.

use super::about;
use super::advice::asked_of_advisor;
use super::doc::{Answer, Group};
use super::needs::{ANSWER_TIE, By, Need, TIME_TIE, behind};
use super::prelude::*;
use amq_advisor::Choice;

/// Names that a row has room for.
const SHOWN: usize = 2;

/// The rule, the groups, and what these records cannot answer.
pub(super) fn blocks(data: &Data, others: &[Data]) -> Vec<Block> {
    let (mut missing, mut compared, mut changed) = (Vec::new(), 0, 0);
    let groups = data.texts.group.iter().map(|group| {
        let mut answers = Vec::new();
        for need in &group.need {
            let found = marked(data, others, need);
            compared += usize::from(found.is_some());
            changed += usize::from(found.as_ref().is_some_and(|(_, differs)| *differs));
            match found.map(|(answer, _)| answer).or_else(|| advised(need)) {
                Some(answer) => answers.push(answer),
                None => missing.push(need.need.as_str()),
            }
        }
        Block::Answers(Group { title: group.title.clone(), folded: group.folded, answers })
    });
    let mut blocks: Vec<Block> = groups.collect();
    if !others.is_empty() {
        let places = list(&others.iter().map(about::place).collect::<Vec<_>>());
        let found = format!("{changed} of {compared} answers differ by the records of {places}");
        blocks.insert(0, Block::note(&format!("{found}, marked {DIFFERENT}.")));
    }
    blocks.insert(0, Block::text(rule(data)));
    if !missing.is_empty() {
        blocks.push(Block::text(format!("Not in these records: {}.", missing.join("; "))));
    }
    blocks
}

/// How to read the answers.
fn rule(data: &Data) -> String {
    let noise = match data.run.noise_floor {
        None => "times never, since the noise was not measured",
        Some(_) => "so do times within the noise of their workload",
    };
    let [space, close, wide] = [ANSWER_TIE, TIME_TIE, data.run.unstable_above].map(asked);
    data.say("rule", &[&data.what(), &data.run.options.rounds, &wide, &space, &noise, &close])
}

/// The answer of these records, with a mark where another machine's have nothing in common with
/// it; and whether any does.
fn marked(data: &Data, others: &[Data], need: &Need) -> Option<(Answer, bool)> {
    let (mut answer, mut differs) = (measured(data, need)?, false);
    for (other, there) in others.iter().filter_map(|other| Some((other, measured(other, need)?))) {
        if there.choose.iter().any(|one| answer.choose.contains(one)) {
            continue;
        }
        let names: Vec<&str> = there.choose.iter().map(|(name, _)| name.as_str()).collect();
        let mark = format!("{DIFFERENT} {}:", about::place(other));
        let there = format!(" {} ({})", list(&names), there.figure);
        answer.runner_up = answer.runner_up.plain("; ").strong(mark).plain(there);
        differs = true;
    }
    Some((answer, differs))
}

/// Marks what another machine's records answer otherwise.
const DIFFERENT: &str = "\u{2260}";

/// The best by the records, what it ties with, and the next.
fn measured(data: &Data, need: &Need) -> Option<Answer> {
    let [best, rest] = need.rank(data)?;
    let first = best.first()?;
    let runner_up = match rest.first() {
        Some(next) => {
            let figure = need.figure(next) + &behind(next.1, first.1);
            Text::default().strong(type_name(data, next.0.facts)).plain(format!(": {figure}"))
        }
        None if best.len() > 1 => Text::from("only those it ties with"),
        None => Text::from("no other was measured"),
    };
    let mut why = need.why(&first.0);
    let more: Vec<&str> = best.iter().skip(SHOWN).map(|(entry, _)| entry.name()).collect();
    if !more.is_empty() {
        why += &format!("; tied with {}", list(&more));
    }
    let pick = |facts: &Info| (type_name(data, facts), import(facts));
    let size = match need.by? {
        By::Time(course @ Workload::Course(CourseName(name))) => {
            data.entry(first.0.name(), Of::Course(name)).and_then(|of| Some(of.row(course)?.keys))
        }
        By::Growth => first.0.rows.iter().map(|row| row.keys).max(),
        _ => need.bits.map(|_| data.budget_keys),
    };
    let size = size.filter(|size| *size != data.keys);
    let size = size.map(|size| format!(" ({} keys)", keys(size)));
    Some(Answer {
        need: need.need.clone() + &size.unwrap_or_default(),
        choose: best.iter().take(SHOWN).map(|(entry, _)| pick(entry.facts)).collect(),
        figure: need.figure(first),
        why,
        cost: cost(data, &first.0, &need.note),
        runner_up,
        ask: need.ask.clone(),
    })
}

/// What the advisor answers to a need that the records do not measure.
fn advised(need: &Need) -> Option<Answer> {
    let answer = asked_of_advisor(need.ask.as_deref()?)?;
    let best = answer.best();
    let size = |of: &Choice| match of.bytes {
        0 => "no memory".to_owned(),
        bytes => format!("~{}", decimal(bytes)),
    };
    let why = best.reason.split(". ").next().unwrap_or_default().trim_end_matches('.');
    // In the unit of the measured rows.
    let bound = why.find(" % above the lower bound").and_then(|at| why[..at].rfind(", "));
    let why = match bound.map(|at| &why[..at]) {
        Some(why) if best.fpr > 0.0 && best.fpr < 1.0 => {
            let over = best.bits_per_key / -best.fpr.log2();
            format!("{why}; {over:.2} × bound, rate {}", percent(best.fpr))
        }
        _ => why.to_owned(),
    };
    let is_static = need.ask.as_ref().is_some_and(|ask| ask.contains("static"));
    let built = if is_static { "build; nothing can be added" } else { "insert" };
    let build = best.insert_ns.filter(|ns| *ns > 0.0);
    let build = build.map(|ns| format!("~{} ns per key to {built}", two(ns)));
    let runner_up = answer.choices.get(1).map_or_else(
        || Text::from("no other"),
        |second| {
            Text::default().strong(second.structure.title()).plain(format!(": {}", size(second)))
        },
    );
    Some(Answer {
        need: need.need.clone(),
        choose: vec![(best.structure.title(), best.structure.import())],
        figure: size(best),
        why,
        cost: parts([build, Some(need.note.clone())]),
        runner_up,
        ask: need.ask.clone(),
    })
}

fn parts(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts = parts.into_iter().flatten().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("; ")
}

/// What comes with a filter, and a note.
fn cost(data: &Data, entry: &Entry<'_>, note: &str) -> String {
    let plain = data.entry(entry.name(), data.main());
    let of = plain.as_ref().unwrap_or(entry);
    let built = if entry.can(Ability::Static) { "build" } else { "insert" };
    let timed = if entry.ns(Workload::Build).is_some() { entry } else { of };
    let build = timed.ns(Workload::Build).map(|ns| {
        let peak = of.peak_bits().zip(of.bits()).filter(|(peak, bits)| *peak > 2.0 * bits);
        let peak =
            peak.map_or_else(String::new, |(peak, _)| format!(", {peak:.0} bits at the peak"));
        format!("{} ns{} per key to {built}{peak}", two(ns), timed.doubt(Workload::Build))
    });
    let grown = data.entry(entry.name(), Of::Course("grow"));
    let later = if entry.can(Ability::Static) || !entry.can(Ability::Insert) {
        Some("nothing can be added".to_owned())
    } else if let Some((_, low, high)) = grown.and_then(|grown| grown.growth()) {
        Some(format!("{} to {} bits per key as it grows", digits(low, 3), digits(high, 3)))
    } else {
        beyond_plan(data, entry.name())
    };
    parts([build, later, Some(note.to_owned())])
}

/// What becomes of keys beyond the plan.
fn beyond_plan(data: &Data, name: &str) -> Option<String> {
    let rows = data.entry(name, Of::Course("overfill"))?.rows;
    if let Some(row) = rows.iter().find(|row| row.state == State::Refused) {
        let share = row.refused_at? as f64 / row.planned_keys?.max(1) as f64;
        return Some(match share {
            ..1.005 => "refuses more keys than planned".to_owned(),
            _ => format!("full at {share:.2} times the planned keys"),
        });
    }
    let is_double = |row: &&&Row| row.planned_keys.is_some_and(|planned| row.keys == 2 * planned);
    let fpr = rows.iter().find(is_double)?.fpr()?;
    Some(format!("{:.0} % false positives with twice the planned keys", fpr * 100.0))
}

/// A contender's type; with its name in the records, where several contenders have the type or it
/// is another crate's.
fn type_name(data: &Data, facts: &Info) -> String {
    let name = type_of(&facts.import);
    let is_shared = data.filters().filter(|other| type_of(&other.import) == name).count() > 1;
    match name {
        "" => facts.name.clone(),
        _ if is_shared || (!facts.ours && facts.name != name) => format!("{name} ({})", facts.name),
        _ => name.to_owned(),
    }
}

/// Ours from the one crate that has all of them.
fn import(facts: &Info) -> String {
    match (facts.ours, facts.import.strip_prefix("use amq_")) {
        (true, Some(_)) => format!("use amq::{};", type_of(&facts.import)),
        _ => facts.import.clone(),
    }
}

/// The last word of an import: `use amq_bloom::BloomFilter;` imports a `BloomFilter`.
pub(super) fn type_of(import: &str) -> &str {
    let path = import.split(" as ").next().unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default().trim_start_matches('{');
    last.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The main answers in a sentence each, for the terminal.
pub(super) fn summary<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let groups = blocks.filter_map(|block| match block {
        Block::Answers(group) if !group.folded => Some(group),
        _ => None,
    });
    let line = |answer: &Answer| {
        let names: Vec<&str> = answer.choose.iter().map(|(name, _)| name.as_str()).collect();
        format!("  {}: {} ({})", answer.need, list(&names), answer.figure)
    };
    let group = |group: &Group| {
        std::iter::once(group.title.clone()).chain(group.answers.iter().map(line)).collect()
    };
    groups.map(group).map(|lines: Vec<String>| lines.join("\n")).collect::<Vec<_>>().join("\n")
}
