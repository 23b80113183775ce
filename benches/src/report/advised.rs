//! Needs that the records do not measure: the advisor's answers.

use super::data::Data;
use super::doc::{Answer, Pick, Text};
use super::names::type_of;
use super::number::{decimal, two};
use crate::record::Choice;

/// Needs that the advisor answers, with the topic of its answer in the records.
pub(super) const ADVISED: &[(&str, &str)] = &[
    ("30 % will do; smallest", "loose"),
    ("100 keys", "keys-100"),
    ("500 keys", "keys-500"),
    ("1,000 keys", "keys-1000"),
    ("Every query is for a key that is in", "present"),
    ("A value for each key (8 bits)", "values"),
    ("Strangers choose the keys", "strangers"),
    ("Several threads insert", "threads"),
    ("Several threads insert and remove", "threads-remove"),
];

/// What the advisor answered.
pub(super) fn advised(data: &Data, need: &str, topic: &str) -> Option<Answer> {
    let lines = data.topic(topic);
    let best = lines.iter().find(|line| line.rank == 1)?;
    let second = lines.iter().find(|line| line.rank == 2);
    let name = |choice: &Choice| match (type_of(&choice.import), choice.structure.as_str()) {
        (name, structure) if name.is_empty() => structure.to_owned(),
        (name, structure) => match structure.strip_prefix("sharded ") {
            Some(kind) => format!("{name} ({kind})"),
            None => name,
        },
    };
    let size = |choice: &Choice| match choice.bytes {
        Some(0) | None => "no memory".to_owned(),
        Some(bytes) => decimal(bytes),
    };
    let mut cost: Vec<String> = Vec::new();
    cost.extend(best.insert_ns.filter(|ns| *ns > 0.0).map(|ns| format!("build {} ns", two(ns))));
    if topic == "strangers" {
        cost.push("secret seed: with_seed(random)".to_owned());
    }
    let krate = best.import.trim_start_matches("use ").split("::").next().unwrap_or_default();
    Some(Answer {
        need: need.to_owned(),
        choose: vec![Pick {
            name: name(best),
            krate: krate.to_owned(),
            import: best.import.clone(),
        }],
        figure: size(best),
        why: brief(best.reason.strip_prefix(&format!("{need}:")).unwrap_or(&best.reason)),
        cost: cost.join("; "),
        runner_up: second.map_or_else(
            || Text::from("no other"),
            |second| Text::default().strong(name(second)).plain(format!(": {}", size(second))),
        ),
    })
}

/// The first sentence, or less if it is long.
fn brief(text: &str) -> String {
    let text = text.trim_start_matches([':', ' ']);
    let sentence = text.split(['.', ':']).next().unwrap_or(text);
    match sentence.split([',', ';']).next() {
        Some(part) if sentence.len() > 50 => part.to_owned(),
        _ => sentence.to_owned(),
    }
}
