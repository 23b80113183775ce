//! The advisor's answers for the page's chooser: a script looks them up, and a table holds the main
//! ones for readers without it.

use super::data::Data;
use super::doc::{Block, Found, Table, Text};
use super::number::{asked, digits, percent, plain, two};
use crate::record::Choice;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn found(data: &Data) -> Found {
    let grid = data.topic("grid");
    let uses = &data.texts.uses;
    let packed = Packed::new(&grid, uses)?;
    let refused = || grid.iter().filter(|line| line.rank == 0).map(|line| both(line));
    let found = format!(
        "The advisor's answers to {} asks, the same that library and command give; {} have none.",
        packed.answers.len(),
        refused().count()
    );
    let script = Block::Chooser(serde_json::to_string(&packed).ok()?);
    let refused = Text::list(refused().collect::<BTreeSet<_>>());
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
    /// The choices for each ask, by its place in the lists: `target,keys,need,cost`.
    answers: BTreeMap<String, Vec<usize>>,
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
    /// All answers of the grid; none if the records have none.
    fn new(grid: &[&Choice], uses: &Uses) -> Option<Self> {
        let mut packed = Self::default();
        for lines in grid.chunk_by(|a, b| a.ask() == b.ask()) {
            let ask = lines[0].ask();
            let needs = (ask.needs.clone(), words(&ask.needs, uses).to_owned());
            let place = [
                index(&mut packed.targets, (ask.fpr, ask.bits)),
                index(&mut packed.keys, ask.keys),
                index(&mut packed.needs, needs),
                index(&mut packed.costs, ask.cost_ns),
            ];
            let choices = lines.iter().map(|line| packed.choice(line)).collect();
            packed.answers.insert(place.map(|at| at.to_string()).join(","), choices);
        }
        (!packed.answers.is_empty()).then_some(packed)
    }

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

#[cfg(test)]
mod tests {
    use super::super::data::Texts;
    use super::*;
    use crate::measure::choices;
    use crate::record::{Ask, four_digits};
    use amq::choose::choose;

    /// The answer to an ask, as the script finds it.
    fn look_up<'a>(packed: &'a Packed, ask: &Ask) -> &'a [usize] {
        let target = packed.targets.iter().position(|known| *known == (ask.fpr, ask.bits));
        let keys = packed.keys.iter().position(|known| *known == ask.keys);
        let needs = packed.needs.iter().position(|(known, _)| *known == ask.needs);
        let cost = packed.costs.iter().position(|known| *known == ask.cost_ns);
        let place = [target, keys, needs, cost].map(|at| at.unwrap().to_string());
        &packed.answers[&place.join(",")]
    }

    /// The page, the library and so the command give the same answer, everywhere.
    #[test]
    fn the_pages_answer_is_the_advisors_at_every_point_of_the_grid() {
        let table = choices::table();
        let grid: Vec<&Choice> = table.iter().filter(|line| line.topic == choices::GRID).collect();
        let texts: Texts = toml::from_str(include_str!("texts.toml")).unwrap();
        let text = serde_json::to_string(&Packed::new(&grid, &texts.uses).unwrap()).unwrap();
        assert!(text.len() < 90_000, "{} bytes", text.len());
        let packed: Packed = serde_json::from_str(&text).unwrap();
        assert!(packed.needs.iter().all(|(need, words)| need != words), "{:?}", packed.needs);
        // A choice's name, bits per key, rate in percent and ns to ask; or what is refused.
        let number = |value, to| rounded(Some(four_digits(value)), to);
        let wanted = |of: &amq::choose::Choice| {
            let rate = rounded(Some(four_digits(of.fpr) * 100.0), 2);
            let ns = of.query_ns.and_then(|ns| number(ns, 2));
            (of.structure.to_string(), number(of.bits_per_key, 3), rate, ns)
        };
        let mut refused = 0;
        for ask in choices::grid() {
            let shown = look_up(&packed, &ask).iter().map(|&choice| match packed.choices[choice] {
                (Some(at), bits, rate, ns, ..) => (packed.structures[at].0.clone(), bits, rate, ns),
                (None, .., why) => (packed.reasons[why.unwrap()].clone(), None, None, None),
            });
            let want = match choose(&choices::workload(&ask)) {
                Ok(best) => best.choices.iter().take(3).map(wanted).collect(),
                Err(error) => {
                    refused += 1;
                    let both = error.to_string().split(": ").next().unwrap().to_owned();
                    vec![(both, None, None, None)]
                }
            };
            assert_eq!(shown.collect::<Vec<_>>(), want, "{ask:?}");
        }
        assert!(refused > 0 && refused < choices::grid().len() / 2, "{refused}");
        assert!(Packed::new(&[], &texts.uses).is_none());
    }
}
