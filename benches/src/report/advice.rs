//! What the advisor answers to what the page's chooser asks, which a script looks up, and to the
//! worked choices; and the lines of other engines.

use super::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn chooser(data: &Data) -> Found {
    let grid = data.topic("grid");
    let uses = &data.texts.uses;
    let packed = packed(&grid, uses)?;
    let refused = || grid.iter().filter(|line| line.rank == 0).map(|line| both(line));
    let found = format!(
        "The advisor's answers to {} asks, the same that library and command give; {} have none.",
        packed["answers"].as_object()?.len(),
        refused().count()
    );
    let refused = Block::list(refused().collect::<BTreeSet<_>>());
    let script = Block::Chooser(packed.to_string());
    let without = Text::from("The command ").code("amq choose");
    let without =
        without.plain(" answers the same; the first table has the commonest needs. None:");
    Some((found, vec![script, Block::text(without), refused]))
}

/// What the words of an ask mean.
type Uses = BTreeMap<String, String>;

/// The two demands that conflict, with which a refusal begins.
fn both(refusal: &Choice) -> &str {
    refusal.reason.split(": ").next().unwrap_or_default()
}

/// The index of a value, which is added if it is new.
fn index(all: &mut Vec<Value>, value: Value) -> usize {
    all.iter().position(|old| *old == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

/// A number in so many digits.
fn rounded(number: Option<f64>, to: i32) -> Option<f64> {
    digits(number?, to).parse().ok()
}

/// All answers of the grid as the script reads them; none if the records have none. Each ask, by
/// its places in the lists of what can be asked for, has its choices, best first.
fn packed(grid: &[&Choice], uses: &Uses) -> Option<Value> {
    let (mut lists, mut answers) = (BTreeMap::<&str, Vec<Value>>::new(), Map::new());
    let mut at = |list, value| index(lists.entry(list).or_default(), value);
    // An ask's lines are its first choice, or its refusal, and what ranks below.
    for lines in grid.chunk_by(|_, next| next.rank > 1) {
        let ask = lines[0];
        let place = [
            at("targets", json!([ask.asked_fpr, ask.asked_bits])),
            at("keys", json!(ask.keys)),
            at("needs", json!([ask.needs, uses.get(&ask.needs).unwrap_or(&ask.needs)])),
            at("costs", json!(ask.cost_ns)),
        ];
        let choices = lines.iter().map(|choice| {
            let is_choice = choice.rank > 0;
            let reason = if is_choice { choice.reason.as_str() } else { both(choice) };
            let import = choice.import.trim_start_matches("use ").trim_end_matches(';');
            let structure = json!([choice.structure, import]);
            let shown = json!([
                is_choice.then(|| at("structures", structure)),
                rounded(choice.bits_per_key, 3),
                rounded(choice.fpr.map(|fpr| fpr * 100.0), 2),
                rounded(choice.query_ns, 2),
                rounded(choice.insert_ns, 2),
                (!reason.is_empty()).then(|| at("reasons", json!(reason))),
            ]);
            at("choices", shown)
        });
        let choices: Value = choices.collect();
        answers.insert(place.map(|at| at.to_string()).join(","), choices);
    }
    let mut packed = json!(lists);
    packed["answers"] = json!(answers);
    (!answers.is_empty()).then_some(packed)
}

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
        blocks.push(Block::text(text));
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

#[cfg(test)]
mod tests {
    use super::super::data::Texts;
    use super::*;
    use crate::measure::choices;

    /// The table is what the library and so the command answer.
    #[test]
    fn the_script_finds_the_advisors_answer_at_every_point_of_the_grid() {
        let table = choices::table();
        let grid: Vec<&Choice> = table.iter().filter(|line| line.topic == choices::GRID).collect();
        let texts: Texts = toml::from_str(include_str!("texts.toml")).unwrap();
        let packed = packed(&grid, &texts.uses).unwrap();
        assert!(packed.to_string().len() < 90_000, "{} bytes", packed.to_string().len());
        let at = |list: &str, at: &Value| &packed[list][at.as_u64().unwrap() as usize];
        let shown = |choice: &Value| match at("choices", choice) {
            refusal if refusal[0].is_null() => at("reasons", &refusal[5]).clone(),
            choice => json!([at("structures", &choice[0])[0], choice[1], choice[2], choice[3]]),
        };
        let wanted = |line: &&Choice| {
            let [bits, ns] =
                [(line.bits_per_key, 3), (line.query_ns, 2)].map(|(x, to)| rounded(x, to));
            let rate = rounded(line.fpr.map(|fpr| fpr * 100.0), 2);
            if line.rank == 0 { json!(both(line)) } else { json!([line.structure, bits, rate, ns]) }
        };
        let mut asks = 0;
        for lines in grid.chunk_by(|_, next| next.rank > 1) {
            let ask = lines[0];
            let place = [
                ("targets", json!([ask.asked_fpr, ask.asked_bits])),
                ("keys", json!(ask.keys)),
                ("needs", json!([ask.needs, texts.uses[&ask.needs]])),
                ("costs", json!(ask.cost_ns)),
            ];
            let place = place.map(|(list, value)| {
                let mut all = packed[list].as_array().unwrap().iter();
                all.position(|known| *known == value).unwrap().to_string()
            });
            let found = packed["answers"][&place.join(",")].as_array().unwrap().iter().map(shown);
            let wanted = lines.iter().map(wanted);
            assert_eq!(found.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{ask:?}");
            asks += 1;
        }
        assert_eq!(asks, choices::grid().len());
        assert!(super::packed(&[], &texts.uses).is_none());
    }
}
