//! Asks the advisor what the page's chooser offers, and what the worked examples need, so that
//! page, command and library answer alike.

use super::estimate::four_digits;
use crate::record::{Choice, EngineLine};
use amq_advisor::engines::Engine;
use amq_advisor::{Answer, Keys, KeysBy, Need, Structure, Workload, choose};

/// The numbers of keys that the chooser offers.
const KEYS: [u64; 5] = [100, 10_000, 1_000_000, 100_000_000, 1_000_000_000];
const RATES: [f64; 4] = [0.3, 0.01, 0.001, 1e-6];
const BUDGETS: [f64; 4] = [2.0, 4.0, 8.0, 12.0];
/// What it can be told to do; `workload` says what the words mean.
pub const NEEDS: [&str; 12] = [
    "static",
    "insert",
    "insert remove",
    "insert remove count",
    "insert merge",
    "insert remove merge list",
    "insert forget",
    "grow",
    "grow remove",
    "bounded",
    "threads",
    "threads remove",
];
/// What a false positive costs: nothing is known, or a microsecond, ten lookups in memory.
const COSTS: [Option<f64>; 2] = [None, Some(1000.0)];
const KEPT: usize = 3;

type Say = fn(Workload) -> Workload;

/// What the words mean that are not about the number of keys.
const WORDS: [(&str, Say); 11] = [
    ("remove", |it| it.need(Need::Remove)),
    ("count", |it| it.need(Need::Count { most: 10 }).with_copies(3.0)),
    ("merge", |it| it.need(Need::Merge)),
    ("list", |it| it.need(Need::List)),
    ("forget", |it| it.need(Need::Forget { generations: 8 })),
    ("bounded", |it| it.need(Need::Grow)),
    ("threads", |it| it.need(Need::SharedInsert).with_threads(4)),
    ("values", |it| it.need(Need::Values { bits: 8 })),
    ("static", Workload::built_once),
    ("present", |it| it.with_absent(0.0)),
    ("strangers", |it| it.with_keys_by(KeysBy::Strangers)),
];

pub fn grid() -> Vec<Choice> {
    let rates = RATES.map(|fpr| (Some(fpr), None));
    let budgets = BUDGETS.map(|bits| (None, Some(bits)));
    let mut asks = Vec::new();
    for (fpr, bits) in rates.into_iter().chain(budgets) {
        for keys in KEYS {
            for needs in NEEDS {
                asks.extend(COSTS.map(|cost_ns| ask((GRID, keys, fpr, bits, needs, cost_ns))));
            }
        }
    }
    asks
}

/// Asks that the page works through: the lines of `topics.csv`.
pub fn topics() -> Vec<Choice> {
    let mut lines = csv::Reader::from_reader(&include_bytes!("topics.csv")[..]);
    // A test reads every line.
    let lines = lines.records().flatten();
    lines.filter_map(|line| Some(ask(line.deserialize(None).ok()?))).collect()
}

/// A topic, a number of keys, a rate, bits per key, needs, and the cost of a false positive.
type Line<'a> = (&'a str, u64, Option<f64>, Option<f64>, &'a str, Option<f64>);

fn ask((topic, keys, asked_fpr, asked_bits, needs, cost_ns): Line<'_>) -> Choice {
    let (topic, needs) = (topic.to_owned(), needs.to_owned());
    Choice { topic, keys, asked_fpr, asked_bits, needs, cost_ns, ..Choice::default() }
}

/// An ask in the advisor's words.
pub fn workload(ask: &Choice) -> Workload {
    let has = |word: &str| ask.needs.split(' ').any(|need| need == word);
    let keys = match () {
        () if has("bounded") => Keys::AtMost(ask.keys),
        () if has("grow") => Keys::Unknown { start: ask.keys },
        () => Keys::Exactly(ask.keys),
    };
    let mut workload = Workload::new(keys);
    if let Some(fpr) = ask.asked_fpr {
        workload = workload.with_fpr(fpr);
    }
    if let Some(bits) = ask.asked_bits {
        workload = workload.with_bits_per_key(bits);
    }
    if let Some(cost) = ask.cost_ns {
        workload = workload.with_false_positive_ns(cost).with_queries_per_key(10.0);
    }
    for (_, say) in WORDS.into_iter().filter(|(word, _)| has(word)) {
        workload = say(workload);
    }
    workload
}

/// The advisor's answer to an ask, as lines.
pub fn answer(ask: &Choice) -> Vec<Choice> {
    match choose(&workload(ask)) {
        Ok(answer) => lines(ask, &answer),
        Err(error) => vec![Choice { reason: error.to_string(), ..ask.clone() }],
    }
}

fn lines(ask: &Choice, answer: &Answer) -> Vec<Choice> {
    let is_grid = ask.topic == GRID;
    let line = |structure: String, reason: &str| Choice {
        structure,
        reason: reason.to_owned(),
        ..ask.clone()
    };
    let ranked = answer.choices.iter().take(KEPT).zip(1..).map(|(choice, rank)| Choice {
        rank,
        import: import(choice.structure),
        bytes: Some(choice.bytes),
        bits_per_key: Some(four_digits(choice.bits_per_key)),
        build_bytes: (!is_grid).then_some(choice.build_bytes),
        fpr: Some(four_digits(choice.fpr)),
        insert_ns: choice.insert_ns.map(four_digits),
        query_ns: choice.query_ns.map(four_digits),
        total_ns: choice.cost_ns.filter(|_| !is_grid).map(four_digits),
        // The table of the grid is long: it holds what the chooser shows.
        ..line(choice.structure.to_string(), &why(choice, rank, is_grid))
    });
    // What falls out, and what else to know, is kept for the worked examples alone.
    let out = answer.rejections.iter().map(|out| line(out.structure.to_string(), &out.reason));
    let notes = answer.notes.iter().map(|note| line(NOTE.to_owned(), note));
    ranked.chain(out.chain(notes).filter(|_| !is_grid)).collect()
}

/// What the best is, and beside the chooser, which shows them itself, its numbers.
fn why(choice: &amq_advisor::Choice, rank: u64, is_grid: bool) -> String {
    match (is_grid, rank) {
        (true, 1) => choice.what.clone(),
        (true, _) => String::new(),
        (false, _) => format!("{} {}", choice.what, choice.reason).trim().to_owned(),
    }
}

pub const GRID: &str = "grid";
/// Stands for a structure in lines that say what else to know.
pub const NOTE: &str = "note";

pub fn table() -> Vec<Choice> {
    grid().iter().chain(&topics()).flat_map(answer).collect()
}

/// Every engine's line for a million keys, at 1 % and at 0.1 %.
pub fn engines() -> Vec<EngineLine> {
    let keys = 1_000_000;
    let each = Engine::ALL.into_iter().flat_map(|engine| [(engine, 0.01), (engine, 0.001)]);
    each.map(|(engine, asked_fpr)| {
        let (line, fpr, bits_per_key, caveat) = match engine.setting(keys, asked_fpr) {
            Ok(it) => (it.line, Some(it.fpr), Some(it.bits_per_key), it.caveat),
            Err(error) => (String::new(), None, None, error.to_string()),
        };
        EngineLine { engine: engine.to_string(), keys, asked_fpr, line, fpr, bits_per_key, caveat }
    })
    .collect()
}

fn import(structure: Structure) -> String {
    match structure {
        Structure::ExactSet => "use std::collections::HashSet;".to_owned(),
        Structure::Bitmap | Structure::Nothing => String::new(),
        Structure::Sharded(_) => "use amq::sharded::Sharded;".to_owned(),
        Structure::Rolling(_) => "use amq::rolling::Rolling;".to_owned(),
        _ => format!("use amq::{};", structure.type_name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_topic_is_read_and_has_an_answer() {
        let topics = topics();
        assert_eq!(topics.len() + 1, include_str!("topics.csv").lines().count());
        for ask in topics {
            let first = answer(&ask).remove(0);
            let nothing = first.structure == Structure::Nothing.to_string();
            assert!(first.rank == 1 && first.import.is_empty() == nothing, "{first:?}");
        }
    }
}
