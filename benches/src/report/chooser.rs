//! The advisor's answers for the page's chooser: a script looks them up, and a table holds the main
//! ones for readers without it.

use super::data::Data;
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{asked, digits, percent, plain, two};
use super::tables::dash;
use crate::record::Choice;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the words of an ask mean.
const NEEDS: [(&str, &str); 10] = [
    ("static", "all keys known beforehand"),
    ("insert", "keys come one by one"),
    ("insert remove", "insert and remove"),
    ("insert remove count", "insert, remove, count copies"),
    ("insert merge", "insert, merge filters"),
    ("grow", "nobody knows how many: grow"),
    ("grow remove", "grow, and remove"),
    ("bounded", "grow up to this number"),
    ("threads", "several threads insert"),
    ("threads remove", "several threads insert and remove"),
];

fn words(needs: &str) -> &str {
    NEEDS.iter().find(|(known, _)| *known == needs).map_or(needs, |(_, words)| words)
}

/// The section.
pub(super) fn section(data: &Data) -> Section {
    Section::new("chooser", "Choose by your own numbers", found(data))
}

fn found(data: &Data) -> Found {
    let grid = data.topic("grid");
    let packed = pack(&grid)?;
    let refused: Vec<&str> =
        grid.iter().filter(|line| line.rank == 0).map(|line| both(line)).collect();
    let finding = format!(
        "The advisor's answers to {} asks, the same that library and command give; {} have none.",
        packed.answers.len(),
        refused.len()
    );
    let table = Block::Table(main_choices(&grid));
    let mut blocks = vec![Block::Chooser(serde_json::to_string(&packed).ok()?), table];
    if !refused.is_empty() {
        let refused: Vec<&str> = refused.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        blocks.push(Block::Para(Text::from(format!("Refused: {}.", refused.join("; ")))));
    }
    Some((finding, blocks))
}

/// The two demands that conflict, with which a refusal begins.
fn both(refusal: &Choice) -> &str {
    refusal.reason.split(": ").next().unwrap_or_default()
}

/// The best choices for a million keys.
fn main_choices(grid: &[&Choice]) -> Table {
    let target = |choice: &Choice| match (choice.asked_fpr, choice.asked_bits) {
        (Some(rate), _) => asked(rate),
        (_, bits) => dash(bits.map(|bits| format!("{} bits", plain(bits)))),
    };
    let main = grid.iter().filter(|choice| {
        let is_common = choice.asked_fpr == Some(0.01) || choice.asked_bits == Some(8.0);
        choice.keys == 1_000_000 && choice.rank <= 1 && is_common
    });
    let row = |choice: &&Choice| {
        let take = match choice.rank {
            0 => Text::from(both(choice)),
            _ => Text::default().strong(choice.structure.as_str()),
        };
        vec![
            Text::from(words(&choice.needs)),
            Text::from(if choice.cost_ns.is_some() { "time" } else { "memory" }),
            Text::from(target(choice)),
            take,
            Text::from(dash(choice.bits_per_key.map(|bits| digits(bits, 3)))),
            Text::from(dash(choice.fpr.map(percent))),
            Text::from(dash(choice.query_ns.map(two))),
        ]
    };
    let caption = "The advisor's first choices for a million keys, by memory and by time (a false \
                   positive costs 1 µs).";
    let head = ["you need", "first", "asked", "take", "bits/key", "rate", "ns to ask"];
    Table::new(caption, &head, 4, main.map(row).collect())
}

/// The advisor's answers as the script reads them.
#[derive(Default, Debug, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
struct Packed {
    /// A rate, or bits per key.
    targets: Vec<(Option<f64>, Option<f64>)>,
    keys: Vec<u64>,
    /// As they are asked for, and in words.
    needs: Vec<(String, String)>,
    costs: Vec<Option<f64>>,
    /// Names and imports.
    structures: Vec<(String, String)>,
    reasons: Vec<String>,
    choices: Vec<Shown>,
    /// The choices for each ask, best first: costs within needs within keys within targets.
    answers: Vec<Vec<usize>>,
}

/// A structure (none: a refusal), bits per key, rate in percent, ns to ask, ns to build, a reason.
type Shown = (Option<usize>, Option<f64>, Option<f64>, Option<f64>, Option<f64>, Option<usize>);

/// The index of a value, which is added if it is new.
fn index<T: PartialEq>(all: &mut Vec<T>, value: T) -> usize {
    all.iter().position(|old| *old == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

/// A number in so many digits.
fn rounded(number: Option<f64>, to: i32) -> Option<f64> {
    digits(number?, to).parse().ok()
}

impl Packed {
    fn choice(&mut self, choice: &Choice) -> usize {
        let is_choice = choice.rank > 0;
        let reason = if is_choice { choice.reason.as_str() } else { both(choice) };
        let import = choice.import.trim_start_matches("use ").trim_end_matches(';');
        let structure = (choice.structure.clone(), import.to_owned());
        let shown = (
            is_choice.then(|| index(&mut self.structures, structure)),
            rounded(choice.bits_per_key, 3),
            rounded(choice.fpr.map(|fpr| fpr * 100.0), 2),
            rounded(choice.query_ns, 2),
            rounded(choice.insert_ns, 2),
            (!reason.is_empty()).then(|| index(&mut self.reasons, reason.to_owned())),
        );
        index(&mut self.choices, shown)
    }
}

/// All answers of the grid; none if the records have none.
fn pack(grid: &[&Choice]) -> Option<Packed> {
    let mut packed = Packed::default();
    let mut answers = BTreeMap::new();
    for lines in grid.chunk_by(|a, b| a.ask() == b.ask()) {
        let ask = lines[0].ask();
        let needs = (ask.needs.clone(), words(&ask.needs).to_owned());
        let place = [
            index(&mut packed.targets, (ask.fpr, ask.bits)),
            index(&mut packed.keys, ask.keys),
            index(&mut packed.needs, needs),
            index(&mut packed.costs, ask.cost_ns),
        ];
        answers.insert(place, lines.iter().map(|line| packed.choice(line)).collect());
    }
    let (keys, needs, costs) = (packed.keys.len(), packed.needs.len(), packed.costs.len());
    let place = |at: usize| {
        [at / costs / needs / keys, at / costs / needs % keys, at / costs % needs, at % costs]
    };
    let all = 0..packed.targets.len() * keys * needs * costs;
    packed.answers = all.map(|at| answers.remove(&place(at)).unwrap_or_default()).collect();
    (!packed.answers.is_empty()).then_some(packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::choices;
    use crate::record::{Ask, four_digits};
    use amq::choose::choose;

    /// The answer to an ask, as the script finds it.
    fn look_up<'a>(packed: &'a Packed, ask: &Ask) -> Option<Vec<&'a Shown>> {
        let target = packed.targets.iter().position(|known| *known == (ask.fpr, ask.bits))?;
        let keys = packed.keys.iter().position(|known| *known == ask.keys)?;
        let needs = packed.needs.iter().position(|known| known.0 == ask.needs)?;
        let cost = packed.costs.iter().position(|known| *known == ask.cost_ns)?;
        let row = (target * packed.keys.len() + keys) * packed.needs.len() + needs;
        let answer = packed.answers.get(row * packed.costs.len() + cost)?;
        Some(answer.iter().map(|&choice| &packed.choices[choice]).collect())
    }

    /// The page, the library and so the command give the same answer, everywhere.
    #[test]
    fn the_pages_answer_is_the_advisors_at_every_point_of_the_grid() {
        let table = choices::table();
        let grid: Vec<&Choice> = table.iter().filter(|line| line.topic == choices::GRID).collect();
        let text = serde_json::to_string(&pack(&grid).unwrap()).unwrap();
        assert!(text.len() < 90_000, "{} bytes", text.len());
        let packed: Packed = serde_json::from_str(&text).unwrap();
        let mut refused = 0;
        for ask in choices::grid() {
            let shown = look_up(&packed, &ask).unwrap_or_else(|| panic!("{ask:?}"));
            match choose(&choices::workload(&ask)) {
                Ok(answer) => {
                    let want = answer.choices.iter().take(3).map(|choice| {
                        // As the records hold it.
                        let held = |x: f64, to| rounded(Some(four_digits(x)), to);
                        let bits = held(choice.bits_per_key, 3);
                        let rate = rounded(Some(four_digits(choice.fpr) * 100.0), 2);
                        let query = choice.query_ns.and_then(|ns| held(ns, 2));
                        (choice.structure.to_string(), bits, rate, query)
                    });
                    let shown = shown.iter().map(|(structure, bits, rate, query, ..)| {
                        let name = &packed.structures[structure.unwrap()].0;
                        (name.clone(), *bits, *rate, *query)
                    });
                    assert!(want.eq(shown), "{ask:?}");
                }
                Err(error) => {
                    refused += 1;
                    let reason = &packed.reasons[shown[0].5.unwrap()];
                    let is_same = error.to_string().starts_with(reason) && !reason.is_empty();
                    assert!(shown.len() == 1 && shown[0].0.is_none() && is_same, "{ask:?}");
                }
            }
        }
        assert!(refused > 0 && refused < choices::grid().len() / 2, "{refused}");
        assert!(pack(&[]).is_none());
    }

    #[test]
    fn every_need_has_words() {
        assert_eq!(NEEDS.map(|need| need.0), choices::NEEDS);
    }
}
