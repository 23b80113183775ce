//! The advisor's answers for the page's chooser: a script looks them up, and a table holds the main
//! ones for readers without it.

use super::data::Data;
use super::doc::{Block, Found, Table, Text};
use super::number::{asked, digits, percent, plain, two};
use crate::record::Choice;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn found(data: &Data) -> Found {
    let grid = data.topic("grid");
    let uses = &data.texts.uses;
    let packed = packed(&grid, uses)?;
    let refused = || grid.iter().filter(|line| line.rank == 0).map(|line| both(line));
    let found = format!(
        "The advisor's answers to {} asks, the same that library and command give; {} have none.",
        packed["answers"].as_object()?.len(),
        refused().count()
    );
    let refused = Text::list(refused().collect::<BTreeSet<_>>());
    let script = Block::Chooser(packed.to_string());
    Some((found, vec![script, main_choices(&grid, uses), Block::Text(refused)]))
}

/// What the words of an ask mean.
type Uses = BTreeMap<String, String>;

fn words<'a>(needs: &'a str, uses: &'a Uses) -> &'a str {
    uses.get(needs).map_or(needs, String::as_str)
}

/// The two demands that conflict, with which a refusal begins.
fn both(refusal: &Choice) -> &str {
    refusal.reason.split(": ").next().unwrap_or_default()
}

/// The best choices for a million keys.
fn main_choices(grid: &[&Choice], uses: &Uses) -> Block {
    let mut main = grid.to_vec();
    main.retain(|choice| {
        let is_common = choice.asked_fpr == Some(0.01) || choice.asked_bits == Some(8.0);
        choice.keys == 1_000_000 && choice.rank <= 1 && is_common
    });
    let bits = |choice: &Choice| Some(format!("{} bits", plain(choice.asked_bits?)));
    let table = Table::of(&main)
        .word("you need", |choice| words(&choice.needs, uses))
        .word("first", |choice| if choice.cost_ns.is_some() { "time" } else { "memory" })
        .word("asked", |choice| choice.asked_fpr.map(asked).or(bits(choice)).unwrap_or_default())
        .word("take", |choice| match choice.rank {
            0 => Text::from(both(choice)),
            _ => Text::default().strong(&choice.structure),
        })
        .number("bits/key", |choice| choice.bits_per_key.map(|bits| digits(bits, 3)))
        .number("rate", |choice| choice.fpr.map(percent))
        .number("ns to ask", |choice| choice.query_ns.map(two));
    table.block(
        "The advisor's first choices for a million keys, by memory and by time (a false positive \
         costs 1 µs); below, what no filter offers.",
    )
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
    for lines in grid.chunk_by(|a, b| a.ask() == b.ask()) {
        let ask = lines[0];
        let place = [
            at("targets", json!([ask.asked_fpr, ask.asked_bits])),
            at("keys", json!(ask.keys)),
            at("needs", json!([ask.needs, words(&ask.needs, uses)])),
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

#[cfg(test)]
mod tests {
    use super::super::data::Texts;
    use super::*;
    use crate::measure::choices;
    use crate::record::four_digits;
    use amq::choose::choose;

    /// The page, the library and so the command give the same answer, everywhere.
    #[test]
    fn the_pages_answer_is_the_advisors_at_every_point_of_the_grid() {
        let table = choices::table();
        let grid: Vec<&Choice> = table.iter().filter(|line| line.topic == choices::GRID).collect();
        let texts: Texts = toml::from_str(include_str!("texts.toml")).unwrap();
        let packed = packed(&grid, &texts.uses).unwrap();
        assert!(packed.to_string().len() < 90_000, "{} bytes", packed.to_string().len());
        // A choice's name, bits per key, rate in percent and ns to ask; or what is refused.
        let number = |value, to| rounded(Some(four_digits(value)), to);
        let wanted = |of: &amq::choose::Choice| {
            let rate = rounded(Some(four_digits(of.fpr) * 100.0), 2);
            let ns = of.query_ns.and_then(|ns| number(ns, 2));
            json!([of.structure.to_string(), number(of.bits_per_key, 3), rate, ns])
        };
        let of = |list: &str, at: &Value| &packed[list][at.as_u64().unwrap() as usize];
        let shown = |choice: &Value| match of("choices", choice) {
            refusal if refusal[0].is_null() => of("reasons", &refusal[5]).clone(),
            choice => json!([of("structures", &choice[0])[0], choice[1], choice[2], choice[3]]),
        };
        let mut refused = 0;
        for ask in choices::grid() {
            let words = &texts.uses[&ask.needs];
            let place = [
                ("targets", json!([ask.fpr, ask.bits])),
                ("keys", json!(ask.keys)),
                ("needs", json!([ask.needs, words])),
                ("costs", json!(ask.cost_ns)),
            ];
            let at = |(list, value): (&str, Value)| {
                let mut all = packed[list].as_array().unwrap().iter();
                all.position(|known| *known == value).unwrap().to_string()
            };
            let place = place.map(at).join(",");
            let want = match choose(&choices::workload(&ask)) {
                Ok(best) => best.choices.iter().take(3).map(wanted).collect(),
                Err(error) => {
                    refused += 1;
                    vec![json!(error.to_string().split(": ").next())]
                }
            };
            let found = packed["answers"][&place].as_array().unwrap().iter();
            assert_eq!(found.map(shown).collect::<Vec<_>>(), want, "{ask:?}");
        }
        assert!(refused > 0 && refused < choices::grid().len() / 2, "{refused}");
        assert!(super::packed(&[], &texts.uses).is_none());
    }
}
