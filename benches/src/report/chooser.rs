//! The advisor's answers for the page's chooser, packed: a script looks them up, and a table holds
//! the main ones for readers without it.

use super::data::Data;
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{asked, digits, percent, plain, two};
use crate::record::{Ask, Choice};

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

/// The section.
pub(super) fn section(data: &Data) -> Section {
    Section::new("chooser", "Choose by your own numbers", found(data))
}

fn found(data: &Data) -> Found {
    let packed = pack(&data.choices)?;
    let asks = packed.matches('\n').count().saturating_sub(FRONT) * packed_width(&packed);
    let finding =
        format!("The advisor's answers to {asks} asks, the same that library and command give.");
    Some((finding, vec![Block::Chooser(packed), Block::Table(main_choices(data))]))
}

/// How many asks a line has.
fn packed_width(packed: &str) -> usize {
    packed.lines().last().map_or(0, |line| line.split('\t').count())
}

/// The best choices for a million keys.
fn main_choices(data: &Data) -> Table {
    let target = |choice: &Choice| match (choice.asked_fpr, choice.asked_bits) {
        (Some(rate), _) => asked(rate),
        (_, Some(bits)) => format!("{} bits", plain(bits)),
        _ => String::new(),
    };
    let main = data.topic("grid").into_iter().filter(|choice| {
        let is_common = choice.asked_fpr == Some(0.01) || choice.asked_bits == Some(8.0);
        choice.keys == 1_000_000 && choice.rank <= 1 && is_common
    });
    let row = |choice: &Choice| {
        let need = NEEDS
            .iter()
            .find(|need| need.0 == choice.needs)
            .map_or(choice.needs.as_str(), |need| need.1);
        let first = if choice.cost_ns.is_some() { "time" } else { "memory" };
        let or = |value: Option<String>| Text::from(value.unwrap_or_else(|| "-".to_owned()));
        vec![
            Text::from(need),
            Text::from(first),
            Text::from(target(choice)),
            match choice.rank {
                0 => Text::from("nothing"),
                _ => Text::default().strong(choice.structure.as_str()),
            },
            or(choice.bits_per_key.map(|bits| digits(bits, 3))),
            or(choice.fpr.map(percent)),
            or(choice.query_ns.map(two)),
        ]
    };
    let caption = "The advisor's first choices for a million keys, by memory and by time (a false positive costs 1 µs).";
    let head = ["you need", "first", "asked", "take", "bits/key", "rate", "ns to ask"];
    Table::new(caption, &head, 4, main.map(row).collect())
}

/// Lines before the answers: keys, targets, needs, costs, structures, reasons, and answers that
/// repeat.
const FRONT: usize = 7;

/// The index of a value, which is added if it is new.
fn index<T: PartialEq>(all: &mut Vec<T>, value: T) -> usize {
    all.iter().position(|old| *old == value).unwrap_or_else(|| {
        all.push(value);
        all.len() - 1
    })
}

/// A target as the page writes it: `r` and a rate, or `b` and bits.
fn target(ask: &Ask) -> String {
    match (ask.fpr, ask.bits) {
        (Some(rate), _) => format!("r{rate}"),
        (_, Some(bits)) => format!("b{bits}"),
        _ => String::new(),
    }
}

/// One of an answer's choices: structure, bits per key, rate in percent, ns to ask, ns to build,
/// reason; `!` and a reason where there is none.
fn shown(choice: &Choice, structures: &mut Vec<String>, reasons: &mut Vec<String>) -> String {
    let reason = match choice.reason.as_str() {
        "" => String::new(),
        // A refusal begins with the two demands that conflict.
        text if choice.rank == 0 => {
            let first = text.split(": ").next().unwrap_or(text);
            index(reasons, first.replace(['\t', '\n'], " ")).to_string()
        }
        text => index(reasons, text.replace(['\t', '\n'], " ")).to_string(),
    };
    if choice.rank == 0 {
        return format!("!{reason}");
    }
    let import = choice.import.trim_start_matches("use ").trim_end_matches(';');
    let structure = index(structures, format!("{}|{import}", choice.structure));
    let or = |value: Option<f64>, show: fn(f64) -> String| value.map(show).unwrap_or_default();
    let rate = |fpr: f64| digits(fpr * 100.0, 2);
    format!(
        "{structure}:{}:{}:{}:{}:{reason}",
        or(choice.bits_per_key, |bits| digits(bits, 3)),
        or(choice.fpr, rate),
        or(choice.query_ns, two),
        or(choice.insert_ns, two)
    )
}

/// All answers of the grid; none if the records have none.
///
/// Text in lines and tabs: the lists of [`FRONT`], then a line per target and number of keys with
/// an answer per need and cost, as its place in the list of answers.
pub(super) fn pack(choices: &[Choice]) -> Option<String> {
    let grid: Vec<&Choice> = choices.iter().filter(|choice| choice.topic == "grid").collect();
    let (mut sizes, mut targets, mut needs, mut costs) = (vec![], vec![], vec![], vec![]);
    let (mut structures, mut reasons, mut answers) = (vec![], vec![], vec![]);
    let mut places = std::collections::BTreeMap::new();
    for of_ask in grid.chunk_by(|a, b| a.ask() == b.ask()) {
        let ask = of_ask[0].ask();
        let place = [
            index(&mut targets, target(&ask)),
            index(&mut sizes, ask.keys.to_string()),
            index(&mut needs, ask.needs),
            index(&mut costs, ask.cost_ns.map(plain).unwrap_or_default()),
        ];
        let answer: Vec<String> =
            of_ask.iter().map(|choice| shown(choice, &mut structures, &mut reasons)).collect();
        places.insert(place, index(&mut answers, answer.join(";")));
    }
    if places.is_empty() {
        return None;
    }
    let words = |needs: &[String]| {
        let word = |need: &String| {
            NEEDS
                .iter()
                .find(|known| known.0 == need)
                .map_or(need.clone(), |known| format!("{need}|{}", known.1))
        };
        needs.iter().map(word).collect::<Vec<_>>()
    };
    let mut lines = [
        sizes.clone(),
        targets.clone(),
        words(&needs),
        costs.clone(),
        structures,
        reasons,
        answers,
    ]
    .map(|list| list.join("\t"))
    .to_vec();
    for target in 0..targets.len() {
        for size in 0..sizes.len() {
            let places = &places;
            let of = (0..needs.len()).flat_map(|need| {
                (0..costs.len()).map(move |cost| {
                    let place = places.get(&[target, size, need, cost]);
                    place.map(ToString::to_string).unwrap_or_default()
                })
            });
            lines.push(of.collect::<Vec<_>>().join("\t"));
        }
    }
    Some(lines.join("\n"))
}

/// The packed answer to an ask, as the script finds it: each choice's parts.
#[cfg(test)]
pub(super) fn look_up(packed: &str, ask: &Ask) -> Option<Vec<Vec<String>>> {
    let lines: Vec<Vec<&str>> = packed.lines().map(|line| line.split('\t').collect()).collect();
    let at = |line: usize, value: &str| {
        lines[line].iter().position(|known| known.split('|').next() == Some(value))
    };
    let cost = ask.cost_ns.map(plain).unwrap_or_default();
    let (size, target) = (at(0, &ask.keys.to_string())?, at(1, &target(ask))?);
    let (need, cost) = (at(2, &ask.needs)?, at(3, &cost)?);
    let row = &lines[FRONT + target * lines[0].len() + size];
    let answer = lines[6][row[need * lines[3].len() + cost].parse::<usize>().ok()?];
    let choice = |choice: &str| {
        let mut parts: Vec<String> = choice.split(':').map(str::to_owned).collect();
        if let Some(structure) =
            parts[0].parse::<usize>().ok().and_then(|index| lines[4].get(index))
        {
            parts[0] = structure.split('|').next().unwrap_or_default().to_owned();
        }
        parts
    };
    Some(answer.split(';').map(choice).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::choices;
    use crate::record::four_digits;
    use amq::choose::choose;

    /// The page, the library and so the command give the same answer, everywhere.
    #[test]
    fn the_pages_answer_is_the_advisors_at_every_point_of_the_grid() {
        let table = choices::table();
        let packed = pack(&table).unwrap();
        assert!(packed.len() < 90_000, "{} bytes", packed.len());
        let mut refused = 0;
        for ask in choices::grid() {
            let shown = look_up(&packed, &ask).unwrap_or_else(|| panic!("{ask:?}"));
            match choose(&choices::workload(&ask)) {
                Ok(answer) => {
                    let want = answer.choices.iter().take(3).map(|choice| {
                        // As the records hold it.
                        let number =
                            |x: Option<f64>| x.map(four_digits).map(two).unwrap_or_default();
                        vec![
                            choice.structure.to_string(),
                            digits(four_digits(choice.bits_per_key), 3),
                            digits(four_digits(choice.fpr) * 100.0, 2),
                            number(choice.query_ns),
                        ]
                    });
                    assert!(want.eq(shown.iter().map(|parts| parts[..4].to_vec())), "{ask:?}");
                }
                Err(_) => {
                    refused += 1;
                    assert!(shown.len() == 1 && shown[0][0].starts_with('!'), "{ask:?}");
                }
            }
        }
        assert!(refused > 0 && refused < choices::grid().len() / 2, "{refused}");
        assert_eq!(pack(&[]), None);
    }

    #[test]
    fn every_need_has_words() {
        assert_eq!(NEEDS.map(|need| need.0), choices::NEEDS);
    }
}
