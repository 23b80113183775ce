//! Worked choices, and the lines of other engines.

use super::data::Data;
use super::doc::{Block, Found, Table, Text};
use super::number::{asked, decimal, digits, keys, percent, two};
use crate::record::Choice;
use serde::Deserialize;

/// A worked choice; `texts.toml` says what its parts mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    topic: String,
    title: String,
    story: String,
    sum: String,
    times: f64,
}

impl Example {
    /// The arithmetic over an answer.
    fn sum(&self, choice: &Choice) -> String {
        let numbers = [
            ("{bits}", choice.bits_per_key.map(|bits| digits(bits, 4))),
            ("{size}", choice.bytes.map(decimal)),
            ("{rate}", choice.fpr.map(percent)),
            ("{ask}", choice.query_ns.map(two)),
            ("{build}", choice.insert_ns.map(two)),
            ("{wrong}", choice.fpr.map(|fpr| two(fpr * self.times))),
            ("{busy}", choice.insert_ns.map(|ns| percent(ns * self.times / 1e9))),
        ];
        let shown = |sum: String, (name, number): &(&str, Option<String>)| {
            sum.replace(name, number.as_deref().unwrap_or("-"))
        };
        numbers.iter().fold(self.sum.clone(), shown)
    }
}

pub(super) fn worked(data: &Data) -> Found {
    let (mut blocks, mut first) = (Vec::new(), None);
    for example in &data.texts.example {
        let lines = data.topic(&example.topic);
        let Some(best) = lines.iter().find(|line| line.rank == 1) else {
            continue;
        };
        first.get_or_insert_with(|| format!("{}: {}", example.title, best.structure));
        let text = Text::default()
            .strong(&example.title)
            .plain(format!(". {} {} Take: ", example.story, example.sum(best)))
            .strong(&best.structure)
            .plain(" ")
            .code(&best.import)
            .plain(format!(" {}", best.reason));
        blocks.push(Block::Text(text));
    }
    let (count, all, first) = (blocks.len(), data.texts.example.len(), first?);
    Some((format!("{count} of {all} examples with their arithmetic; {first}."), blocks))
}

pub(super) fn engines(data: &Data) -> Found {
    let refused = data.engines.iter().filter(|line| line.line.is_empty()).count();
    let found = format!(
        "{} lines for {} keys, each with the rate that it really gives, or why there is none \
         ({refused}).",
        data.engines.len(),
        keys(data.engines.first()?.keys)
    );
    let table = Table::of(&data.engines)
        .word("engine", |line| &line.engine)
        .word("asked", |line| asked(line.asked_fpr))
        .word("line", |line| match line.line.as_str() {
            "" => Text::from("none"),
            text => Text::default().code(text),
        })
        .word("to know", |line| &line.caveat)
        .number("gives", |line| line.fpr.map(percent))
        .number("bits/key", |line| line.bits_per_key.map(|bits| digits(bits, 3)));
    Some((found, vec![table.block("")]))
}
