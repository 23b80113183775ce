//! Which filter? For each need: the best by the records or by the advisor's answer, why, what it
//! costs, and the runner-up.

use super::advised::{ADVISED, advised};
use super::cost::{cost, growth};
use super::data::{Data, Entry, Target};
use super::doc::{Answer, Block, Text};
use super::names::{pick, type_name};
use super::number::{asked, decimal, digits, keys, list, percent, two};
use crate::record::{Ability, Family, Workload};

/// Sizes closer than this are equal.
pub(super) const SPACE_TIE: f64 = 0.005;
/// Names of ties that a row has room for.
const TIES: usize = 1;
/// A rate that is enough to halve the work.
const LOOSE: f64 = 0.3;
/// Beyond so many keys a size of its own.
const MANY: u64 = 100_000_000;

/// What decides.
#[derive(Clone, Copy, PartialEq, Debug)]
enum By {
    Bits,
    /// The size of the file.
    Bytes,
    Rate,
    Time(Workload),
    /// Mean bits over a cycle of growth.
    Growth,
}

/// A need that the records answer.
struct Need<'a> {
    need: String,
    by: By,
    entries: Vec<Entry<'a>>,
    fits: fn(&Entry<'_>) -> bool,
}

/// The table, its rule, and what these records cannot answer.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let (mut answers, mut missing) = (Vec::new(), Vec::new());
    let mut take = |need: String, answer: Option<Answer>| match answer {
        Some(answer) => answers.push(answer),
        None => missing.push(need),
    };
    for need in needs(data) {
        let answer = measured(data, &need);
        take(need.need, answer);
    }
    let is_measured = |topic: &str| topic == "loose" && data.rates().contains(&LOOSE);
    for (need, topic) in ADVISED.iter().filter(|(_, topic)| !is_measured(topic)) {
        take((*need).to_owned(), advised(data, need, topic));
    }
    take("No false positive at all".to_owned(), exact(data));
    let floor = data.floor(Workload::Query50);
    let noise = match floor {
        0.0 => "the noise was not measured, so no times are called equal".to_owned(),
        floor => format!("times within the noise ({}) are ties", percent(floor)),
    };
    let rule = format!(
        "{} keys ({}) at {} unless a row says otherwise; {noise}, and so are sizes within {}. Of \
         equally small filters the faster is named, of equally fast ones the smaller. ns is per \
         key, hashing included.",
        keys(data.keys),
        data.set,
        asked(data.rate()),
        asked(SPACE_TIE)
    );
    let mut blocks = vec![Block::Answers(answers), Block::Para(Text::from(rule))];
    if !missing.is_empty() {
        let missing = missing.join("; ");
        blocks.push(Block::Para(Text::from(format!("Not in these records: {missing}."))));
    }
    blocks
}

fn needs(data: &Data) -> Vec<Need<'_>> {
    let (rate, low) = (data.rate(), 0.001);
    let at = |rate| {
        data.main_entries(rate)
            .into_iter()
            .filter(move |entry| entry.keeps(rate))
            .collect::<Vec<_>>()
    };
    let need =
        |need: &str, by, entries: Vec<_>, fits| Need { need: need.to_owned(), by, entries, fits };
    let any = |_: &Entry<'_>| true;
    let inserts = |entry: &Entry<'_>| entry.can(Ability::Insert);
    let removes = |entry: &Entry<'_>| entry.can(Ability::Insert) && entry.can(Ability::Remove);
    let counts = |entry: &Entry<'_>| entry.can(Ability::Count) && !entry.is(Family::Cuckoo);
    let time = By::Time;
    let course = |workload| -> Vec<Entry<'_>> {
        data.course(workload).into_iter().filter(|entry| entry.keeps(rate)).collect()
    };
    let mut all = vec![
        need("All keys known beforehand; smallest", By::Bits, at(rate), any),
        need("Keys come one by one; smallest", By::Bits, at(rate), inserts),
        need("Fastest to ask", time(Workload::Query50), at(rate), any),
        need("Fastest to ask, keys one by one", time(Workload::Query50), at(rate), inserts),
        need("Fastest when the next question waits", time(Workload::Dependent50), at(rate), any),
        need("Many questions at once", time(Workload::Batch50), at(rate), any),
        need("Fastest to build", time(Workload::Build), at(rate), any),
        need("Insert and remove; smallest", By::Bits, at(rate), removes),
        need("Keys expire: fastest to replace one", time(Workload::Churn), at(rate), removes),
        need("Count copies of a key; smallest", By::Bits, at(rate), counts),
        need("Nobody knows how many keys; smallest", By::Growth, course(Workload::Grow), inserts),
        need("0.1 %, keys one by one; smallest", By::Bits, at(low), inserts),
        need("0.1 %, a list to download", By::Bytes, at(low), any),
    ];
    let size = data.budget_keys();
    let of = match size == data.keys {
        true => String::new(),
        false => format!(" ({} keys)", keys(size)),
    };
    for bits in [2.0, 4.0, 8.0] {
        let entries = data.entries(&data.set, size, Target::Bits(bits));
        all.push(need(&format!("A budget of {bits} bits a key{of}"), By::Rate, entries, any));
    }
    if data.rates().contains(&LOOSE) {
        all.push(need("30 % will do; smallest", By::Bits, at(LOOSE), any));
    }
    if data.sizes(&data.set).contains(&MANY) {
        let large = || {
            let entries = data.entries(&data.set, MANY, Target::Rate(rate)).into_iter();
            entries.filter(|entry| entry.keeps(rate)).collect::<Vec<_>>()
        };
        all.push(need("100 million keys; smallest", By::Bits, large(), any));
        all.push(need("100 million keys; fastest to ask", time(Workload::Query50), large(), any));
    }
    all
}

fn value(data: &Data, entry: &Entry<'_>, by: By) -> Option<f64> {
    match by {
        By::Bits | By::Bytes => entry.bits(),
        By::Rate => entry.fpr(),
        By::Growth => growth(data, entry.name()).map(|(mean, _, _)| mean),
        // Without a batch interface, queries run one by one.
        By::Time(Workload::Batch50) if !entry.can(Ability::Batch) => entry.ns(Workload::Query50),
        By::Time(Workload::Churn) => {
            let courses = data.course(Workload::Churn).into_iter();
            courses
                .filter(|course| course.name() == entry.name())
                .find_map(|course| course.ns(Workload::Churn))
        }
        By::Time(workload) => entry.ns(workload),
    }
}

/// The best, what it ties with, and the next.
fn measured(data: &Data, need: &Need<'_>) -> Option<Answer> {
    let fits = need.entries.iter().filter(|entry| entry.is_filter() && (need.fits)(entry));
    let mut ranked: Vec<(&Entry<'_>, f64)> =
        fits.filter_map(|entry| Some((entry, value(data, entry, need.by)?))).collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())));
    let least = ranked.first()?.1;
    let slack = match need.by {
        By::Time(workload) => data.floor(workload),
        By::Rate => 0.02,
        _ => SPACE_TIE,
    };
    let (mut ties, rest): (Vec<_>, Vec<_>) =
        ranked.into_iter().partition(|(_, value)| *value <= least * (1.0 + slack));
    settle(data, need.by, &mut ties);
    let ((best, number), tied) = ties.split_first()?;
    let runner_up = match (rest.first(), tied.first()) {
        (Some((entry, number)), _) => {
            let name = type_name(data, entry.facts);
            Text::default().strong(name).plain(format!(
                ": {}{}",
                figure(entry, need.by, *number),
                behind(*number, least)
            ))
        }
        (None, Some(_)) => Text::from("only those it ties with"),
        (None, None) => Text::from("no other"),
    };
    let mut choose = vec![pick(data, best.facts)];
    choose.extend(tied.iter().take(TIES).map(|(entry, _)| pick(data, entry.facts)));
    let mut why = why(best, need.by);
    if tied.len() > TIES {
        let more: Vec<&str> = tied[TIES..].iter().map(|(entry, _)| entry.name()).collect();
        why += &match more[..] {
            [one] => format!("; {one} ties, too"),
            _ => format!("; {} more tie", more.len()),
        };
    }
    Some(Answer {
        need: need.need.clone(),
        choose,
        figure: figure(best, need.by, *number),
        why,
        cost: cost(data, best),
        runner_up,
    })
}

/// How far a number is behind the least.
fn behind(number: f64, least: f64) -> String {
    match number / least {
        ratio if !ratio.is_finite() => String::new(),
        ratio if ratio >= 2.0 => format!(", {} times", two(ratio)),
        ratio => format!(", {:.0} % more", (ratio - 1.0) * 100.0),
    }
}

/// Orders ties: those in space by time, the others by space; what ties in both by building time.
fn settle(data: &Data, by: By, ties: &mut [(&Entry<'_>, f64)]) {
    let (second, slack): (fn(&Entry<'_>) -> Option<f64>, f64) = match by {
        By::Time(_) => (|entry| entry.bits(), SPACE_TIE),
        _ => (|entry| entry.ns(Workload::Query50), data.floor(Workload::Query50)),
    };
    let least = ties.iter().filter_map(|(entry, _)| second(entry)).fold(f64::INFINITY, f64::min);
    let is_behind = |entry: &Entry<'_>| second(entry).is_none_or(|x| x > least * (1.0 + slack));
    let build = |entry: &Entry<'_>| entry.ns(Workload::Build).unwrap_or(f64::INFINITY);
    ties.sort_by(|(a, _), (b, _)| {
        is_behind(a).cmp(&is_behind(b)).then(build(a).total_cmp(&build(b)))
    });
}

/// The deciding number.
fn figure(entry: &Entry<'_>, by: By, number: f64) -> String {
    match by {
        By::Bits => match entry.octave() {
            Some((low, high)) => format!("{} to {} bits, by size", digits(low, 3), digits(high, 3)),
            None => format!("{} bits", digits(number, if number < 10.0 { 3 } else { 4 })),
        },
        By::Bytes => decimal((number * entry.keys() as f64 / 8.0) as u64),
        By::Rate => percent(number),
        By::Time(_) => format!("{} ns", two(number)),
        By::Growth => {
            format!("{} bits on average", digits(number, 3))
        }
    }
}

/// The other numbers.
fn why(entry: &Entry<'_>, by: By) -> String {
    let bits = entry.bits().map(|bits| format!("{} bits", digits(bits, 3)));
    let over = entry.overhead().map(|over| format!("{over:.2} × bound"));
    let rate = entry.fpr().map(percent);
    let query = entry.ns(Workload::Query50).map(|ns| format!("{} ns to ask", two(ns)));
    let parts = match by {
        By::Time(_) => [bits, over, rate],
        By::Rate => [bits, query, None],
        By::Growth => [rate, query, None],
        By::Bits | By::Bytes => [over, query, rate],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn exact(data: &Data) -> Option<Answer> {
    let entries = data.main_entries(data.rate());
    let set = entries.iter().find(|entry| entry.is(Family::Exact) && entry.bits().is_some())?;
    let query =
        set.ns(Workload::Query50).map_or_else(String::new, |ns| format!(", {} ns to ask", two(ns)));
    Some(Answer {
        need: "No false positive at all".to_owned(),
        choose: vec![pick(data, set.facts)],
        figure: figure(set, By::Bits, set.bits()?),
        why: format!("only the keys themselves have none{query}"),
        cost: cost(data, set),
        runner_up: Text::from("no filter"),
    })
}

/// The main answers in a sentence, for the terminal.
pub(super) fn summary(blocks: &[Block]) -> String {
    let answers = blocks.iter().find_map(|block| match block {
        Block::Answers(answers) => Some(answers),
        _ => None,
    });
    let line = |answer: &Answer| {
        let names: Vec<&str> = answer.choose.iter().map(|pick| pick.name.as_str()).collect();
        format!("{}: {} ({})", answer.need, list(&names), answer.figure)
    };
    answers
        .map_or_else(String::new, |answers| answers.iter().map(line).collect::<Vec<_>>().join("\n"))
}
