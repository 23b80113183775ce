//! Worked choices, and the lines of other engines.

use super::data::Data;
use super::doc::{Block, Found, Table, Text};
use super::number::{asked, decimal, digits, keys, percent, two};
use super::tables::dash;
use crate::record::{Choice, EngineLine};
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
        let or = |value: Option<f64>, show: fn(f64) -> String| dash(value.map(show));
        let busy = choice.insert_ns.map(|ns| ns * self.times / 1e9);
        let numbers = [
            ("{bits}", or(choice.bits_per_key, |bits| digits(bits, 4))),
            ("{size}", dash(choice.bytes.map(decimal))),
            ("{rate}", or(choice.fpr, percent)),
            ("{ask}", or(choice.query_ns, two)),
            ("{build}", or(choice.insert_ns, two)),
            ("{wrong}", or(choice.fpr.map(|fpr| fpr * self.times), two)),
            ("{busy}", or(busy, percent)),
        ];
        numbers.iter().fold(self.sum.clone(), |sum, (name, number)| sum.replace(name, number))
    }
}

pub(super) fn worked(data: &Data) -> Found {
    let (mut blocks, mut names) = (Vec::new(), Vec::new());
    for example in &data.texts.example {
        let lines = data.topic(&example.topic);
        let Some(best) = lines.iter().find(|line| line.rank == 1) else {
            continue;
        };
        names.push(format!("{}: {}", example.title, best.structure));
        let text = Text::default()
            .strong(example.title.as_str())
            .plain(format!(". {} {} Take: ", example.story, example.sum(best)))
            .strong(best.structure.as_str())
            .plain(" ")
            .code(best.import.as_str())
            .plain(format!(" {}", best.reason));
        blocks.push(Block::Para(text));
    }
    let (count, all) = (names.len(), data.texts.example.len());
    Some((format!("{count} of {all} examples with their arithmetic; {}.", names.first()?), blocks))
}

pub(super) fn engines(data: &Data) -> Found {
    let first = data.engines.first()?;
    let row = |line: &EngineLine| {
        let setting = match line.line.as_str() {
            "" => Text::from("none"),
            text => Text::default().code(text),
        };
        vec![
            Text::from(line.engine.as_str()),
            Text::from(asked(line.asked_fpr)),
            setting,
            Text::from(line.caveat.as_str()),
            Text::from(dash(line.fpr.map(percent))),
            Text::from(dash(line.bits_per_key.map(|bits| digits(bits, 3)))),
        ]
    };
    let refused = data.engines.iter().filter(|line| line.line.is_empty()).count();
    let found = format!(
        "{} lines for {} keys, each with the rate that it really gives, or why there is none ({refused}).",
        data.engines.len(),
        keys(first.keys)
    );
    let head = ["engine", "asked", "line", "to know", "gives", "bits/key"];
    let rows = data.engines.iter().map(row).collect();
    Some((found, vec![Block::Table(Table::new("", &head, 4, rows))]))
}
