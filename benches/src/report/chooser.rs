//! The advisor's answers for the page's chooser: a script looks them up, and a table holds the main
//! ones for readers without it.

use super::data::Data;
use super::doc::{Block, Found, Table, Text};
use super::number::{asked, digits, percent, plain, two};
use super::tables::dash;
use crate::record::Choice;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn found(data: &Data) -> Found {
    let grid = data.topic("grid");
    let uses = &data.texts.uses;
    let packed = pack(&grid, uses)?;
    let refused = || grid.iter().filter(|line| line.rank == 0).map(|line| both(line));
    let (asks, none) = (packed.answers.len(), refused().count());
    let found = format!(
        "The advisor's answers to {asks} asks, the same that library and command give; {none} have none."
    );
    let script = Block::Chooser(serde_json::to_string(&packed).ok()?);
    let none = refused().collect::<BTreeSet<_>>().into_iter().map(Text::from);
    Some((
        found,
        vec![script, Block::Table(main_choices(&grid, uses)), Block::List(none.collect())],
    ))
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
fn main_choices(grid: &[&Choice], uses: &Uses) -> Table {
    let main = grid.iter().filter(|choice| {
        let is_common = choice.asked_fpr == Some(0.01) || choice.asked_bits == Some(8.0);
        choice.keys == 1_000_000 && choice.rank <= 1 && is_common
    });
    let row = |choice: &&Choice| {
        let bits = choice.asked_bits.map(|bits| format!("{} bits", plain(bits)));
        let take = match choice.rank {
            0 => Text::from(both(choice)),
            _ => Text::default().strong(&choice.structure),
        };
        let first = if choice.cost_ns.is_some() { "time" } else { "memory" };
        vec![
            Text::from(words(&choice.needs, uses)),
            Text::from(first),
            Text::from(dash(choice.asked_fpr.map(asked).or(bits))),
            take,
            Text::from(dash(choice.bits_per_key.map(|bits| digits(bits, 3)))),
            Text::from(dash(choice.fpr.map(percent))),
            Text::from(dash(choice.query_ns.map(two))),
        ]
    };
    let caption = "The advisor's first choices for a million keys, by memory and by time (a false \
                   positive costs 1 µs); below, what no filter offers.";
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
fn pack(grid: &[&Choice], uses: &Uses) -> Option<Packed> {
    let mut packed = Packed::default();
    let mut answers = BTreeMap::new();
    // An ask's lines are its first choice, or its refusal, and what ranks below.
    for lines in grid.chunk_by(|_, next| next.rank > 1) {
        let ask = lines[0];
        let needs = (ask.needs.clone(), words(&ask.needs, uses).to_owned());
        let place = [
            index(&mut packed.targets, (ask.asked_fpr, ask.asked_bits)),
            index(&mut packed.keys, ask.keys),
            index(&mut packed.needs, needs),
            index(&mut packed.costs, ask.cost_ns),
        ];
        answers.insert(place, lines.iter().map(|line| packed.choice(line)).collect());
    }
    let [keys, needs, costs] = [packed.keys.len(), packed.needs.len(), packed.costs.len()];
    for at in 0..packed.targets.len() * keys * needs * costs {
        let (row, cost) = (at / costs, at % costs);
        let place = [row / needs / keys, row / needs % keys, row % needs, cost];
        packed.answers.push(answers.remove(&place).unwrap_or_default());
    }
    (!packed.answers.is_empty()).then_some(packed)
}

#[cfg(test)]
mod tests {
    use super::super::data::Texts;
    use super::*;
    use crate::measure::choices;
    use crate::record::four_digits;
    use amq::choose::choose;

    /// The answer to an ask, as the script finds it.
    fn look_up<'a>(packed: &'a Packed, ask: &Choice) -> Option<&'a [usize]> {
        let target =
            packed.targets.iter().position(|known| *known == (ask.asked_fpr, ask.asked_bits))?;
        let keys = packed.keys.iter().position(|known| *known == ask.keys)?;
        let needs = packed.needs.iter().position(|(known, _)| *known == ask.needs)?;
        let cost = packed.costs.iter().position(|known| *known == ask.cost_ns)?;
        let row = (target * packed.keys.len() + keys) * packed.needs.len() + needs;
        packed.answers.get(row * packed.costs.len() + cost).map(Vec::as_slice)
    }

    /// A choice's name, bits per key, rate in percent and ns to ask, as the records hold them.
    fn shown_as(choice: &amq::choose::Choice) -> (String, Option<f64>, Option<f64>, Option<f64>) {
        let bits = rounded(Some(four_digits(choice.bits_per_key)), 3);
        let rate = rounded(Some(four_digits(choice.fpr) * 100.0), 2);
        let ns = rounded(choice.query_ns.map(four_digits), 2);
        (choice.structure.to_string(), bits, rate, ns)
    }

    /// The page, the library and so the command give the same answer, everywhere.
    #[test]
    fn the_pages_answer_is_the_advisors_at_every_point_of_the_grid() {
        let table = choices::table();
        let grid: Vec<&Choice> = table.iter().filter(|line| line.topic == choices::GRID).collect();
        let texts: Texts = toml::from_str(include_str!("texts.toml")).unwrap();
        let text = serde_json::to_string(&pack(&grid, &texts.uses).unwrap()).unwrap();
        assert!(text.len() < 90_000, "{} bytes", text.len());
        let packed: Packed = serde_json::from_str(&text).unwrap();
        assert!(packed.needs.iter().all(|(need, words)| need != words), "{:?}", packed.needs);
        let mut refused = 0;
        for ask in choices::grid() {
            let shown = look_up(&packed, &ask).unwrap_or_else(|| panic!("{ask:?}"));
            let shown = shown.iter().map(|&choice| match packed.choices[choice] {
                (Some(at), bits, rate, ns, ..) => (packed.structures[at].0.clone(), bits, rate, ns),
                (None, .., why) => (packed.reasons[why.unwrap()].clone(), None, None, None),
            });
            let best = choose(&choices::workload(&ask)).map(|answer| answer.choices);
            let want = match best {
                Ok(best) => best.iter().take(3).map(shown_as).collect(),
                Err(error) => {
                    refused += 1;
                    let both = error.to_string().split(": ").next().unwrap().to_owned();
                    vec![(both, None, None, None)]
                }
            };
            assert_eq!(shown.collect::<Vec<_>>(), want, "{ask:?}");
        }
        assert!(refused > 0 && refused < choices::grid().len() / 2, "{refused}");
        assert!(pack(&[], &texts.uses).is_none());
    }
}
