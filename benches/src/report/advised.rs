//! Needs that the records do not measure: the advisor's answers.

use super::answer::Need;
use super::data::Data;
use super::doc::{Answer, Pick, Text};
use super::names::type_of;
use super::number::{decimal, two};
use crate::record::Choice;

/// What the advisor answered.
pub(super) fn advised(data: &Data, need: &Need) -> Option<Answer> {
    let lines = data.topic(need.topic.as_deref()?);
    let of_rank = |rank| lines.iter().find(|line| line.rank == rank);
    let best = of_rank(1)?;
    let build = best.insert_ns.filter(|ns| *ns > 0.0).map(|ns| format!("build {} ns", two(ns)));
    let note = Some(need.note.clone()).filter(|note| !note.is_empty());
    // The import names the crate.
    let pick = Pick { name: name(best), krate: String::new(), import: best.import.clone() };
    Some(Answer {
        need: need.need.clone(),
        choose: vec![pick],
        figure: size(best),
        why: brief(best.reason.strip_prefix(&format!("{}:", need.need)).unwrap_or(&best.reason)),
        cost: build.into_iter().chain(note).collect::<Vec<_>>().join("; "),
        runner_up: of_rank(2).map_or_else(
            || Text::from("no other"),
            |second| Text::default().strong(name(second)).plain(format!(": {}", size(second))),
        ),
    })
}

fn name(choice: &Choice) -> String {
    let (name, structure) = (type_of(&choice.import), choice.structure.as_str());
    match (name.is_empty(), structure.strip_prefix("sharded ")) {
        (true, _) => structure.to_owned(),
        (false, Some(kind)) => format!("{name} ({kind})"),
        (false, None) => name,
    }
}

fn size(choice: &Choice) -> String {
    match choice.bytes {
        Some(0) | None => "no memory".to_owned(),
        Some(bytes) => decimal(bytes),
    }
}

/// The first part of the first sentence.
fn brief(text: &str) -> String {
    text.trim_start().split(['.', ':', ';', ',']).next().unwrap_or(text).to_owned()
}
