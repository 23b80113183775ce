//! Which filter? For each need of `texts.toml`: the best by the records or by the advisor's
//! answer, why, what it costs, and the runner-up.

use super::advised::advised;
use super::cost::{cost, growth};
use super::data::{Data, Entry, Target};
use super::doc::{Answer, Block, Text};
use super::names::{pick, type_name};
use super::number::{asked, decimal, digits, keys, list, percent, two};
use crate::record::{Ability, Family, Workload};
use serde::Deserialize;

/// Sizes closer than this are equal.
pub(super) const SPACE_TIE: f64 = 0.005;
/// Rates closer than this are equal.
const RATE_TIE: f64 = 0.02;
/// Names of ties that a row has room for.
const TIES: usize = 1;

/// What decides.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum By {
    Bits,
    /// The size of the file.
    Bytes,
    Rate,
    /// Mean bits over a cycle of growth.
    Growth,
    #[serde(untagged)]
    Time(Workload),
}

/// A row of the table; `texts.toml` says what its parts mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Need {
    pub(super) need: String,
    by: Option<By>,
    #[serde(default)]
    can: Vec<Ability>,
    rate: Option<f64>,
    pub(super) bits: Option<f64>,
    family: Option<Family>,
    not: Option<Family>,
    pub(super) topic: Option<String>,
    #[serde(default)]
    pub(super) note: String,
}

/// An entry and the number that decides.
pub(super) type Ranked<'a> = (Entry<'a>, f64);

/// The table, its rule, and what these records cannot answer.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let (mut answers, mut missing) = (Vec::new(), Vec::new());
    for mut need in data.texts.need.clone() {
        if need.bits.is_some() && data.budget_keys() != data.keys {
            need.need += &format!(" ({} keys)", keys(data.budget_keys()));
        }
        match measured(data, &need).or_else(|| advised(data, &need)) {
            Some(answer) => answers.push(answer),
            None => missing.push(need.need),
        }
    }
    let noise = match data.floor(Workload::Query50) {
        0.0 => "the noise was not measured, so no times are called equal".to_owned(),
        floor => format!("times within the noise ({}) are ties", percent(floor)),
    };
    let (what, space) = (data.what(), asked(SPACE_TIE));
    let rule = format!(
        "{what} unless a row says otherwise; {noise}, and so are sizes within {space}. Of equally \
         small filters the faster is named, of equally fast ones the smaller. ns is per key, \
         hashing included."
    );
    let mut blocks = vec![Block::Answers(answers), Block::Para(Text::from(rule))];
    if !missing.is_empty() {
        let missing = format!("Not in these records: {}.", missing.join("; "));
        blocks.push(Block::Para(Text::from(missing)));
    }
    blocks
}

impl Need {
    /// Whether the records answer it with each number of keys.
    pub(super) fn is_of_any_size(&self) -> bool {
        let is_course = matches!(self.by, None | Some(By::Growth | By::Time(Workload::Churn)));
        !is_course && self.rate.is_none() && self.bits.is_none()
    }

    /// Who meets it with so many keys.
    fn candidates<'a>(&self, data: &'a Data, keys: u64) -> Vec<Entry<'a>> {
        let rate = self.rate.unwrap_or_else(|| data.rate());
        let mut all = match (self.by, self.bits) {
            (Some(By::Growth), _) => data.course(Workload::Grow),
            (_, Some(bits)) => data.entries(&data.set, data.budget_keys(), Target::Bits(bits)),
            // Else those of a fixed rate would be alone.
            _ if self.rate.is_some_and(|rate| !data.rates().contains(&rate)) => Vec::new(),
            _ => data.entries(&data.set, keys, Target::Rate(rate)),
        };
        let is_wanted = |entry: &Entry<'_>| match self.family {
            Some(family) => entry.is(family),
            None => entry.is_filter() || self.can.contains(&Ability::Values),
        };
        all.retain(|entry| {
            is_wanted(entry)
                && self.not.is_none_or(|family| !entry.is(family))
                && self.can.iter().all(|ability| entry.can(*ability))
                && (self.bits.is_some() || !entry.is_filter() || entry.keeps(rate))
        });
        all
    }

    fn value(&self, data: &Data, entry: &Entry<'_>) -> Option<f64> {
        match self.by? {
            By::Bits | By::Bytes => entry.bits(),
            By::Rate => entry.fpr(),
            By::Growth => growth(data, entry.name()).map(|(mean, _, _)| mean),
            // Without a batch interface, queries run one by one.
            By::Time(Workload::Batch50) if !entry.can(Ability::Batch) => {
                entry.ns(Workload::Query50)
            }
            By::Time(Workload::Churn) => {
                data.course_of(Workload::Churn, entry.name())?.ns(Workload::Churn)
            }
            By::Time(workload) => entry.ns(workload),
        }
    }

    /// The deciding number.
    pub(super) fn figure(&self, (entry, number): &Ranked<'_>) -> String {
        match (self.by, entry.octave()) {
            (Some(By::Bits), Some((low, high))) => {
                format!("{} to {} bits, by size", digits(low, 3), digits(high, 3))
            }
            (Some(By::Bytes), _) => decimal((number * entry.keys() as f64 / 8.0) as u64),
            (Some(By::Rate), _) => percent(*number),
            (Some(By::Time(_)), _) => format!("{} ns", two(*number)),
            (Some(By::Growth), _) => format!("{} bits on average", digits(*number, 3)),
            _ => format!("{} bits", digits(*number, if *number < 10.0 { 3 } else { 4 })),
        }
    }

    /// The other numbers.
    fn why(&self, entry: &Entry<'_>) -> String {
        let bits = entry.bits().map(|bits| format!("{} bits", digits(bits, 3)));
        let over = entry.overhead().map(|over| format!("{over:.2} × bound"));
        let rate = entry.fpr().map(percent);
        let query = entry.ns(Workload::Query50).map(|ns| format!("{} ns to ask", two(ns)));
        let parts = match self.by {
            Some(By::Time(_)) => [bits, over, rate],
            Some(By::Rate) => [bits, query, None],
            Some(By::Growth) => [rate, query, None],
            _ => [over, query, rate],
        };
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Who meets a need with so many keys: the best with what ties with it, and the rest.
pub(super) fn rank<'a>(
    data: &'a Data,
    need: &Need,
    keys: u64,
) -> Option<(Vec<Ranked<'a>>, Vec<Ranked<'a>>)> {
    let of = need.candidates(data, keys).into_iter();
    let mut all: Vec<Ranked<'_>> =
        of.filter_map(|entry| need.value(data, &entry).map(|number| (entry, number))).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())));
    let slack = match need.by? {
        By::Time(workload) => data.floor(workload),
        By::Rate => RATE_TIE,
        _ => SPACE_TIE,
    };
    let most = all.first()?.1 * (1.0 + slack);
    let rest = all.split_off(all.partition_point(|(_, number)| *number <= most));
    settle(data, need.by?, &mut all);
    Some((all, rest))
}

/// Orders ties: those in space by time, the others by space; what ties in both by building time.
fn settle(data: &Data, by: By, ties: &mut [Ranked<'_>]) {
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

/// The best by the records, what it ties with, and the next.
fn measured(data: &Data, need: &Need) -> Option<Answer> {
    let (best, rest) = rank(data, need, data.keys)?;
    let (first, tied) = best.split_first()?;
    let runner_up = match rest.first() {
        Some(next) => Text::default().strong(type_name(data, next.0.facts)).plain(format!(
            ": {}{}",
            need.figure(next),
            behind(next.1, first.1)
        )),
        None if !tied.is_empty() => Text::from("only those it ties with"),
        None => Text::from("no other"),
    };
    let mut why = need.why(&first.0);
    match tied.get(TIES..).unwrap_or_default() {
        [] => {}
        [one] => why += &format!("; {} ties, too", one.0.name()),
        more => why += &format!("; {} more tie", more.len()),
    }
    let shown = best.iter().take(1 + TIES);
    Some(Answer {
        need: need.need.clone(),
        choose: shown.map(|(entry, _)| pick(data, entry.facts)).collect(),
        figure: need.figure(first),
        why,
        cost: cost(data, &first.0, &need.note),
        runner_up,
    })
}

/// How far a number is behind another.
pub(super) fn behind(number: f64, least: f64) -> String {
    match number / least {
        ratio if !ratio.is_finite() => String::new(),
        ratio if ratio >= 2.0 => format!(", {} times", two(ratio)),
        ratio => format!(", {:.0} % more", (ratio - 1.0) * 100.0),
    }
}

/// The main answers in a sentence, for the terminal.
pub(super) fn summary(blocks: &[Block]) -> String {
    let answers = blocks.iter().find_map(|block| match block {
        Block::Answers(answers) => Some(answers.as_slice()),
        _ => None,
    });
    let line = |answer: &Answer| {
        let names: Vec<&str> = answer.choose.iter().map(|pick| pick.name.as_str()).collect();
        format!("{}: {} ({})", answer.need, list(&names), answer.figure)
    };
    answers.unwrap_or_default().iter().map(line).collect::<Vec<_>>().join("\n")
}
