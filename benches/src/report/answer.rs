//! Which filter? For each need the best by the records or by the advisor's answer, why, what it
//! costs, and the runner-up.

use super::advice::asked_of_advisor;
use super::doc::Answer;
use super::needs::{ANSWER_TIE, Need, behind};
use super::prelude::*;
use amq_advisor::Choice;

/// Names that a row has room for.
const SHOWN: usize = 2;

/// The table, its rule, and what these records cannot answer.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let (mut answers, mut missing) = (Vec::new(), Vec::new());
    for mut need in data.texts.need.clone() {
        if need.bits.is_some() && data.budget_keys != data.keys {
            need.need += &format!(" ({} keys)", keys(data.budget_keys));
        }
        match measured(data, &need).or_else(|| advised(&need)) {
            Some(answer) => answers.push(answer),
            None => missing.push(need.need),
        }
    }
    let noise = match data.floor(Workload::Query50) {
        0.0 => "the noise was not measured, so no times are called equal".to_owned(),
        floor => format!("times within the noise ({}) are ties", percent(floor)),
    };
    let (what, space) = (data.what(), asked(ANSWER_TIE));
    let rule = format!(
        "{what} unless a row says otherwise; {noise}, and so are sizes within {space}. Of equally \
         small filters the one is named that takes less time for an insert and a query together, of \
         equally fast ones the smaller. ns is per key, hashing included."
    );
    let mut blocks = vec![Block::Answers(answers), Block::text(rule)];
    if !missing.is_empty() {
        let missing = format!("Not in these records: {}.", missing.join("; "));
        blocks.push(Block::text(missing));
    }
    blocks
}

/// The best by the records, what it ties with, and the next.
fn measured(data: &Data, need: &Need) -> Option<Answer> {
    let [best, rest] = need.rank(data, data.keys)?;
    let first = best.first()?;
    let runner_up = match rest.first() {
        Some(next) => {
            let figure = need.figure(next) + &behind(next.1, first.1);
            Text::default().strong(type_name(data, next.0.facts)).plain(format!(": {figure}"))
        }
        None if best.len() > 1 => Text::from("only those it ties with"),
        None => Text::from("no other"),
    };
    let mut why = need.why(&first.0);
    match best.get(SHOWN..).unwrap_or_default() {
        [] => {}
        [one] => why += &format!("; {} ties, too", one.0.name()),
        more => why += &format!("; {} more tie", more.len()),
    }
    let pick = |facts: &Info| (type_name(data, facts), facts.import.clone());
    Some(Answer {
        need: need.need.clone(),
        choose: best.iter().take(SHOWN).map(|(entry, _)| pick(entry.facts)).collect(),
        figure: need.figure(first),
        why,
        cost: cost(data, &first.0, &need.note),
        runner_up,
    })
}

/// What the advisor answers to a need that the records do not measure.
fn advised(need: &Need) -> Option<Answer> {
    let answer = asked_of_advisor(need.ask.as_deref()?)?;
    let best = answer.best();
    let name = |of: &Choice| match (of.structure.type_name(), of.structure.kind()) {
        (name, _) if name.is_empty() => of.structure.to_string(),
        (name, _) => name,
    };
    let size = |of: &Choice| match of.bytes {
        0 => "no memory".to_owned(),
        bytes => decimal(bytes),
    };
    let why = best.reason.split(". ").next().unwrap_or_default().trim_end_matches('.');
    let build = best.insert_ns.filter(|ns| *ns > 0.0).map(|ns| format!("build {} ns", two(ns)));
    Some(Answer {
        need: need.need.clone(),
        choose: vec![(name(best), best.structure.import())],
        figure: size(best),
        why: why.to_owned(),
        cost: parts([build, Some(need.note.clone())]),
        runner_up: answer.choices.get(1).map_or_else(
            || Text::from("no other"),
            |second| Text::default().strong(name(second)).plain(format!(": {}", size(second))),
        ),
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
    let build = entry.ns(Workload::Build).or_else(|| of.ns(Workload::Build)).map(|ns| {
        let peak = of.peak_bits().zip(of.bits()).filter(|(peak, bits)| *peak > 2.0 * bits);
        let peak = peak.map_or_else(String::new, |(peak, _)| format!(" in {peak:.0} bits a key"));
        format!("build {} ns{peak}", two(ns))
    });
    let grown = data.entry(entry.name(), Of::Course("grow"));
    let later = if entry.can(Ability::Static) || !entry.can(Ability::Insert) {
        Some("static".to_owned())
    } else if let Some((_, low, high)) = grown.and_then(|grown| grown.growth()) {
        Some(format!("{} to {} bits as it grows", digits(low, 3), digits(high, 3)))
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
        return Some(format!("full at {share:.2} × its plan"));
    }
    let is_double = |row: &&&Row| row.planned_keys.is_some_and(|planned| row.keys == 2 * planned);
    let fpr = rows.iter().find(is_double)?.fpr()?;
    Some(format!("{} at twice the keys", percent(fpr)))
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

/// The last word of an import: `use amq_bloom::BloomFilter;` imports a `BloomFilter`.
fn type_of(import: &str) -> &str {
    let path = import.split(" as ").next().unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default().trim_start_matches('{');
    last.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The main answers in a sentence each, for the terminal.
pub(super) fn summary<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let answers = blocks.filter_map(|block| match block {
        Block::Answers(answers) => Some(answers),
        _ => None,
    });
    let line = |answer: &Answer| {
        let names: Vec<&str> = answer.choose.iter().map(|(name, _)| name.as_str()).collect();
        format!("{}: {} ({})", answer.need, list(&names), answer.figure)
    };
    answers.flatten().map(line).collect::<Vec<_>>().join("\n")
}
