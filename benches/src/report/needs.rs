//! The needs of `texts.toml`, and who meets them best.

use super::prelude::*;
use serde::Deserialize;

/// Sizes closer than this are equal in a table.
pub(super) const SPACE_TIE: f64 = 0.005;
/// Sizes closer than this are equal in an answer, as they are to the advisor.
pub(super) const ANSWER_TIE: f64 = 0.03;
/// Of equal ones, times for a key and a query of it that are closer than this.
pub(super) const TIME_TIE: f64 = 0.1;
/// Rates closer than this are equal.
const RATE_TIE: f64 = 0.02;

/// What decides.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum By {
    Bits,
    /// The size of the file.
    Bytes,
    Rate,
    /// Mean bits over a cycle of growth.
    Growth,
    #[serde(untagged)]
    Time(Workload),
}

/// Needs that belong together; `texts.toml` says what their parts mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Needs {
    pub(super) title: String,
    #[serde(default)]
    pub(super) folded: bool,
    pub(super) need: Vec<Need>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Need {
    pub(super) need: String,
    pub(super) by: Option<By>,
    #[serde(default)]
    can: Vec<Ability>,
    rate: Option<f64>,
    pub(super) bits: Option<f64>,
    family: Option<Family>,
    pub(super) ask: Option<String>,
    #[serde(default)]
    pub(super) note: String,
}

impl Need {
    /// Who meets it.
    fn candidates<'a>(&self, data: &'a Data) -> Vec<Entry<'a>> {
        let rate = self.rate.unwrap_or_else(|| data.rate());
        let mut all = match (self.by, self.bits) {
            (Some(By::Growth), _) => data.entries(Of::Course("grow")),
            (_, Some(bits)) => data.entries(Of::Bits(data.budget_keys, bits)),
            // Else those of a fixed rate would be alone.
            _ if self.rate.is_some_and(|rate| !data.rates.contains(&rate)) => Vec::new(),
            _ => data.entries(Of::Rate(&data.set, data.keys, rate)),
        };
        let is_wanted = |entry: &Entry<'_>| match self.family {
            Some(family) => entry.is(family),
            None => entry.is_filter() || self.can.contains(&Ability::Values),
        };
        all.retain(|entry| {
            is_wanted(entry)
                && !entry.is_wrong
                && self.can.iter().all(|ability| entry.can(*ability))
                && (self.bits.is_some() || !entry.is_filter() || entry.keeps(rate))
        });
        all
    }

    fn value(&self, data: &Data, entry: &Entry<'_>) -> Option<f64> {
        match self.by? {
            By::Bits | By::Bytes => entry.bits(),
            By::Rate => entry.fpr(),
            By::Growth => Some(entry.growth()?.0),
            // Without a batch interface, queries run one by one.
            By::Time(Workload::Batch50) if !entry.can(Ability::Batch) => {
                entry.ns(Workload::Query50)
            }
            By::Time(course @ Workload::Course(CourseName(name))) => {
                data.entry(entry.name(), Of::Course(name))?.ns(course)
            }
            By::Time(workload) => entry.ns(workload),
        }
    }

    pub(super) fn figure(&self, (entry, number): &Ranked<'_>) -> String {
        match (self.by, entry.octave()) {
            (Some(By::Bits), Some((low, high))) => {
                format!("{} to {} bits per key, by size", digits(low, 3), digits(high, 3))
            }
            (Some(By::Bytes), _) => decimal((number * entry.keys() as f64 / 8.0) as u64),
            (Some(By::Rate), _) => percent(*number),
            (Some(By::Time(workload)), _) => {
                format!("{} ns{}", two(*number), entry.doubt(workload))
            }
            (Some(By::Growth), _) => format!("{} bits per key on average", digits(*number, 3)),
            _ => format!("{} bits per key", digits(*number, if *number < 10.0 { 3 } else { 4 })),
        }
    }

    pub(super) fn why(&self, entry: &Entry<'_>) -> String {
        let bits = entry.bits().map(|bits| format!("{} bits per key", digits(bits, 3)));
        let over = entry.overhead().map(|over| format!("{over:.2} × bound"));
        // An absent key of a map has a value, not a wrong answer.
        let rate = entry.fpr().filter(|_| !entry.can(Ability::Values));
        let rate = rate.map(|fpr| format!("rate {}", percent(fpr)));
        let asking = Workload::Query50;
        let query =
            entry.ns(asking).map(|ns| format!("{} ns{} per query", two(ns), entry.doubt(asking)));
        let parts = match self.by {
            Some(By::Time(_)) => [bits, over, rate],
            Some(By::Rate) => [bits, query, None],
            Some(By::Growth) => [rate, query, None],
            _ => [over, query, rate],
        };
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Who meets it: the best with what ties with it, and the rest.
    pub(super) fn rank<'a>(&self, data: &'a Data) -> Option<[Vec<Ranked<'a>>; 2]> {
        let mut all = ranked(self.candidates(data), |entry| self.value(data, entry));
        let slack = match self.by? {
            By::Time(workload) => data.floor(workload),
            By::Rate => RATE_TIE,
            _ => ANSWER_TIE,
        };
        let most = all.first()?.1 * (1.0 + slack);
        let rest = all.split_off(all.partition_point(|(_, number)| *number <= most));
        self.settle(&mut all);
        Some([all, rest])
    }

    /// Orders ties: those in space by the time of all that is done to a key, the others by space;
    /// what ties in both by building time.
    fn settle(&self, ties: &mut [Ranked<'_>]) {
        let removes = self.can.contains(&Ability::Remove);
        let time = |entry: &Entry<'_>| {
            let removal = if removes { entry.ns(Workload::Remove)? } else { 0.0 };
            Some(entry.ns(Workload::Query50)? + entry.ns(Workload::Build)? + removal)
        };
        let by_size = matches!(self.by, Some(By::Time(_)));
        let second = |entry: &Entry<'_>| if by_size { entry.bits() } else { time(entry) };
        let slack = if by_size { ANSWER_TIE } else { TIME_TIE };
        let least =
            ties.iter().filter_map(|(entry, _)| second(entry)).fold(f64::INFINITY, f64::min);
        let is_behind = |entry: &Entry<'_>| second(entry).is_none_or(|x| x > least * (1.0 + slack));
        let build = |entry: &Entry<'_>| entry.ns(Workload::Build).unwrap_or(f64::INFINITY);
        ties.sort_by(|(a, _), (b, _)| {
            is_behind(a).cmp(&is_behind(b)).then(build(a).total_cmp(&build(b)))
        });
    }
}

pub(super) fn behind(number: f64, least: f64) -> String {
    match number / least {
        ratio if !ratio.is_finite() => String::new(),
        ratio if ratio >= 2.0 => format!(", {} times", two(ratio)),
        ratio => format!(", {:.0} % more", (ratio - 1.0) * 100.0),
    }
}
