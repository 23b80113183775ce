//! The table of needs: our best filter and the best other crate, losses included.
//!
//! A row is an entry of [`NEEDS`].

use super::about;
use super::data::{Data, Entry, Of, ranked};
use super::number::{digits, list, percent, two};
use crate::record::{Ability, Workload};
use maud::{Markup, html};
use std::collections::{BTreeMap, BTreeSet};

use Ability::{Insert, Remove, Static};

/// Sizes closer than this tie. (For times the noise floor decides.)
const SPACE_TIE: f64 = 0.005;
/// The number of threads in the row about threads.
const THREADS: u64 = 2;
/// A noise floor of a machine that did other work as well.
const NOISY: f64 = 0.1;

/// The measure.
#[derive(Clone, Copy)]
enum By {
    Bits,
    /// Mean bits per key while it grows.
    Growth,
    Time(Workload),
    /// The time of a scenario with two threads.
    Threads(Workload),
}

struct Need {
    need: &'static str,
    by: By,
    can: &'static [Ability],
}

const NEEDS: [Need; 8] = [
    Need { need: "Fewest bits, all keys known", by: By::Bits, can: &[Static] },
    Need { need: "Fewest bits, keys inserted one by one", by: By::Bits, can: &[Insert] },
    Need { need: "Fewest bits, keys inserted and removed", by: By::Bits, can: &[Insert, Remove] },
    Need { need: "Fewest bits, growing from an unknown number", by: By::Growth, can: &[Insert] },
    Need { need: "Fastest query, all keys known", by: By::Time(Workload::Query50), can: &[Static] },
    Need {
        need: "Fastest query, keys inserted one by one",
        by: By::Time(Workload::Query50),
        can: &[Insert],
    },
    Need { need: "Fastest insert", by: By::Time(Workload::Build), can: &[Insert] },
    Need { need: "Two threads insert", by: By::Threads(Workload::ThreadsInsert), can: &[] },
];

/// The table, and how to measure it alone.
pub(super) struct Needs {
    pub(super) rows: Vec<Row>,
    /// The machines of the other records, in the order of the further ratios.
    pub(super) machines: Vec<String>,
    /// The contenders that exceed the rate, with their own rates.
    exceeding: Vec<String>,
    /// The command that measures only the contenders of the table.
    pub(super) command: String,
    /// The noise floor of the run.
    noise: Option<f64>,
}

#[derive(Clone)]
pub(super) struct Row {
    pub(super) need: &'static str,
    pub(super) unit: &'static str,
    pub(super) ours: Best,
    /// Ours that tie with it.
    pub(super) also: Vec<String>,
    pub(super) other: Option<Best>,
    pub(super) result: Verdict,
    /// Our time over that of the other crate, in the other records.
    pub(super) elsewhere: Vec<Option<f64>>,
}

#[derive(Clone)]
pub(super) struct Best {
    pub(super) name: String,
    pub(super) number: f64,
    pub(super) bits: Option<f64>,
    /// The measure that breaks ties.
    second: f64,
    /// Whether the time's interval is too wide to trust it.
    is_wide: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Verdict {
    Ours,
    Tie,
    Theirs,
    /// No other crate was measured, or can do it.
    Alone,
}

impl Verdict {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Tie => "tie",
            Self::Theirs => "LOSS",
            Self::Alone => "no other",
        }
    }
}

impl Row {
    pub(super) fn ratio(&self) -> Option<f64> {
        Some(self.ours.number / self.other.as_ref()?.number)
    }

    /// Whether a number rests on a time with a wide interval.
    fn is_wide(&self) -> bool {
        self.ours.is_wide || self.other.as_ref().is_some_and(|other| other.is_wide)
    }

    pub(super) fn number(&self, number: f64) -> String {
        if self.unit == "ns" { two(number) } else { digits(number, 3) }
    }
}

impl Need {
    const fn unit(&self) -> &'static str {
        match self.by {
            By::Bits | By::Growth => "bits per key",
            By::Time(_) | By::Threads(_) => "ns",
        }
    }

    /// The contenders with the abilities, at any rate.
    fn able<'a>(&self, data: &'a Data) -> Vec<Entry<'a>> {
        let mut all = match self.by {
            By::Growth => data.entries(Of::Scenario(Workload::Grow)),
            By::Threads(workload) => data.entries(Of::Scenario(workload)),
            _ => data.entries(data.main()),
        };
        all.retain(|of| {
            of.is_filter() && !of.is_wrong && self.can.iter().all(|ability| of.can(*ability))
        });
        all
    }

    fn value(&self, entry: &Entry<'_>) -> Option<(f64, bool)> {
        let row = match self.by {
            By::Bits => return Some((entry.bits()?, false)),
            By::Growth => return Some((entry.growth()?.0, false)),
            By::Time(workload) => entry.row(workload)?,
            By::Threads(_) => entry.rows.iter().find(|row| row.threads == Some(THREADS))?,
        };
        Some((row.ns?, row.unstable == Some(true)))
    }

    /// The measure that breaks ties. In size: the total time of a query, an insert and, where keys
    /// are removed, a removal. In time: the size.
    fn second(&self, entry: &Entry<'_>) -> Option<f64> {
        if !matches!(self.by, By::Bits) {
            return entry.bits();
        }
        let removes = self.can.contains(&Remove);
        let removal = if removes { entry.ns(Workload::Remove)? } else { 0.0 };
        Some(entry.ns(Workload::Query50)? + entry.ns(Workload::Build)? + removal)
    }

    /// The relative difference that is a tie.
    fn tie(&self, data: &Data) -> f64 {
        match self.by {
            By::Bits | By::Growth => SPACE_TIE,
            By::Time(workload) => data.floor(workload),
            By::Threads(workload) => data.floor(workload),
        }
    }

    /// Our best filter with those that tie with it, and the best other crate.
    fn rank(&self, data: &Data) -> (Vec<Best>, Option<Best>) {
        let best = |is_ours: bool| {
            let mut all = self.able(data);
            all.retain(|of| of.info.ours == is_ours && of.keeps(data.rate()));
            let all = ranked(all, |of| Some(self.value(of)?.0));
            let best = all.into_iter().map(|(of, number)| Best {
                name: of.name().to_owned(),
                number,
                bits: of.bits(),
                second: self.second(&of).unwrap_or(f64::INFINITY),
                is_wide: self.value(&of).is_some_and(|(_, is_wide)| is_wide),
            });
            best.collect::<Vec<_>>()
        };
        let mut ours = best(true);
        let least = ours.first().map_or(0.0, |best| best.number);
        ours.retain(|of| of.number <= least * (1.0 + self.tie(data)));
        // The fastest of equally small ones, the smallest of equally fast ones.
        ours.sort_by(|a, b| a.second.total_cmp(&b.second));
        (ours, best(false).into_iter().next())
    }

    fn row(&self, data: &Data, others: &[Data]) -> Option<Row> {
        let (mut ours, other) = self.rank(data);
        let also = ours.split_off(1.min(ours.len())).into_iter().map(|of| of.name).collect();
        let ours = ours.pop()?;
        let tie = 1.0 + self.tie(data);
        let result = match &other {
            None => Verdict::Alone,
            Some(other) if ours.number > other.number * tie => Verdict::Theirs,
            Some(other) if other.number > ours.number * tie => Verdict::Ours,
            Some(_) => Verdict::Tie,
        };
        let elsewhere = others.iter().map(|there| {
            let (ours, other) = self.rank(there);
            Some(ours.first()?.number / other?.number)
        });
        let (need, unit, elsewhere) = (self.need, self.unit(), elsewhere.collect());
        Some(Row { need, unit, ours, also, other, result, elsewhere })
    }
}

pub(super) fn needs(data: &Data, others: &[Data]) -> Needs {
    let rows: Vec<Row> = NEEDS.iter().filter_map(|need| need.row(data, others)).collect();
    let names = rows.iter().flat_map(|row| [Some(&row.ours), row.other.as_ref()]).flatten();
    let names: BTreeSet<&str> = names.map(|best| best.name.as_str()).collect();
    // Twins of the first two, or there would be no ties.
    let twins = ["bloom", "bloom-twin", "blocked-bloom", "blocked-bloom-twin"];
    let names = names.into_iter().chain(twins).collect::<BTreeSet<_>>();
    let only = names.into_iter().collect::<Vec<_>>().join(",");
    let command = super::command(data, &format!("--only {only}"));
    let able = NEEDS.iter().flat_map(|need| need.able(data));
    let exceeding = able
        .filter(|of| !of.keeps(data.rate()))
        .filter_map(|of| Some((of.name().to_owned(), percent(of.fpr()?))));
    let exceeding: BTreeMap<String, String> = exceeding.collect();
    let exceeding = exceeding.iter().map(|(name, rate)| format!("{name} ({rate})")).collect();
    let machines = others.iter().map(about::processor).collect();
    Needs { rows, machines, exceeding, command, noise: data.run.noise_floor }
}

/// How to read the table.
pub(super) fn caption(needs: &Needs) -> String {
    let wide = if needs.rows.iter().any(Row::is_wide) {
        " Numbers in italics rest on a time whose 95 % interval is wider than 5 %."
    } else {
        ""
    };
    let exceeding = match &needs.exceeding[..] {
        [] => String::new(),
        names => format!(" (here {})", list(names)),
    };
    let noisy = match needs.noise {
        Some(noise) if noise > NOISY => format!(
            " Twins differed by up to {}: the machine was busy, so measure again.",
            percent(noise)
        ),
        _ => String::new(),
    };
    format!(
        "Ratio: ours over the other's; above 1 it is marked LOSS, unless it is a tie. \
         A tie is closer than the noise of twins, or 0.5 % of the size. Filters that exceed the \
         rate{exceeding} or gave a wrong answer are left out.{wide}{noisy}"
    )
}

pub(super) fn html(needs: &Needs) -> Markup {
    let italic = |is_wide: bool| is_wide.then_some("unsure");
    html! {
        p { (caption(needs)) }
        div.scroll.needs tabindex="0" {
            table {
                thead { tr {
                    th scope="col" { "need" }
                    th scope="col" { "ours" }
                    th scope="col" { "" }
                    th scope="col" { "best other crate" }
                    th scope="col" { "" }
                    th scope="col" { "unit" }
                    th scope="col" { "ratio" }
                    @for machine in &needs.machines { th scope="col" { "ratio, " (machine) } }
                    th scope="col" { "result" }
                } }
                tbody { @for row in &needs.rows {
                    tr.loss[row.result == Verdict::Theirs] {
                        th scope="row" { (row.need) }
                        td { (row.ours.name) }
                        td.number { span class=[italic(row.ours.is_wide)] { (row.number(row.ours.number)) } }
                        @match &row.other {
                            Some(other) => {
                                td { (other.name) }
                                td.number { span class=[italic(other.is_wide)] { (row.number(other.number)) } }
                            }
                            None => { td { "none" } td.number { "-" } }
                        }
                        td { (row.unit) }
                        td.number {
                            span class=[italic(row.is_wide())] { (row.ratio().map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))) }
                        }
                        @for (machine, ratio) in needs.machines.iter().zip(&row.elsewhere) {
                            td.number data-machine=(machine) { (ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))) }
                        }
                        td { (row.result.words()) }
                    }
                } }
            }
        }
        p { "Measure this table alone: " code { (needs.command) } }
    }
}
