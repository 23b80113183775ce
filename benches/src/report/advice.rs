//! What the advisor answers to the worked choices and to needs that the records do not measure; and
//! the lines of other engines.

use super::prelude::*;
use amq_advisor::engines::{Engine, Setting};
use amq_advisor::{Answer, Choice};
use serde::Deserialize;

/// The advisor's answer to a question in the words of the page's form.
pub(super) fn asked_of_advisor(question: &str) -> Option<Answer> {
    amq_page::answered(question).ok()
}

/// A worked choice; `texts.toml` says what its parts mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    ask: String,
    title: String,
    story: String,
    sum: String,
    times: f64,
}

impl Example {
    /// The arithmetic over an answer.
    fn sum(&self, choice: &Choice) -> String {
        let numbers = [
            ("{bits}", Some(digits(choice.bits_per_key, 4))),
            ("{size}", Some(decimal(choice.bytes))),
            ("{rate}", Some(percent(choice.fpr))),
            ("{ask}", choice.query_ns.map(two)),
            ("{build}", choice.insert_ns.map(two)),
            ("{wrong}", Some(counted(choice.fpr * self.times))),
            ("{busy}", choice.insert_ns.map(|ns| percent(ns * self.times / 1e9))),
        ];
        let shown = |sum: String, (name, number): &(&str, Option<String>)| {
            sum.replace(name, number.as_deref().unwrap_or("-"))
        };
        numbers.iter().fold(self.sum.clone(), shown)
    }
}

/// A number of things: large ones in hundreds, with commas.
fn counted(number: f64) -> String {
    if number < 1000.0 { two(number) } else { keys((number / 100.0).round() as u64 * 100) }
}

pub(super) fn worked(data: &Data) -> Found {
    let (mut blocks, mut first) = (Vec::new(), None);
    for example in &data.texts.example {
        let Some(answer) = asked_of_advisor(&example.ask) else { continue };
        let best = answer.best();
        first.get_or_insert_with(|| format!("{}: {}", example.title, best.structure.title()));
        let text = Text::default()
            .strong(&example.title)
            .plain(format!(". {} {} Take: ", example.story, example.sum(best)))
            .strong(best.structure.title())
            .plain(" ")
            .code(&best.structure.import())
            .plain(format!(" {} {} ", best.what, best.reason))
            .link("Ask with other numbers.", &format!("#{}", example.ask));
        blocks.push(Block::text(text));
    }
    let (count, all, first) = (blocks.len(), data.texts.example.len(), first?);
    Some((format!("{count} of {all} examples with their arithmetic, such as: {first}."), blocks))
}

/// What stands between backticks is code.
fn with_code(text: &str) -> Text {
    let parts = text.split('`').enumerate();
    parts.fold(Text::default(), |text, (index, part)| match index % 2 {
        0 => text.plain(part),
        _ => text.code(part),
    })
}

/// The number of keys that engines are asked about.
const ENGINE_KEYS: u64 = 1_000_000;

pub(super) fn engines() -> Found {
    let each = Engine::ALL.into_iter().flat_map(|engine| [(engine, 0.01), (engine, 0.001)]);
    let all = each.map(|(engine, fpr)| (engine, fpr, engine.setting(ENGINE_KEYS, fpr)));
    let all: Vec<_> = all.collect();
    let refused = all.iter().filter(|(.., setting)| setting.is_err()).count();
    let found = format!(
        "{} settings for {} engines and {} keys, each with the rate it really gives; of the targets \
         asked for, {refused} cannot be reached.",
        all.len() - refused,
        Engine::ALL.len(),
        keys(ENGINE_KEYS)
    );
    let number = |of: fn(&Setting) -> f64, digits: fn(f64) -> String| {
        move |(.., setting): &(Engine, f64, Result<Setting, _>)| {
            setting.as_ref().ok().map(|it| digits(of(it)))
        }
    };
    let table = Table::of(&all)
        .word("engine", |(engine, ..)| engine.to_string())
        .word("target", |(_, fpr, _)| asked(*fpr))
        .word("line", |(.., setting)| match setting {
            Ok(it) => Text::default().code(&it.line),
            Err(_) => Text::from("none"),
        })
        .word("to know", |(.., setting)| match setting {
            Ok(it) => with_code(&it.caveat),
            Err(error) => with_code(&error.to_string()),
        })
        .number("gives", number(|it| it.fpr, percent))
        .number("bits/key", number(|it| it.bits_per_key, |bits| digits(bits, 3)));
    Some((found, vec![table.block("")]))
}
