//! Which filter should I choose? For each need: the best filter by the records, why, and the
//! runner-up.
//!
//! Every row follows a stated rule; differences within the noise are ties, and space decides a tie.

mod growing;
mod needs;

use super::data::Data;
use super::document::{Block, Spans, Table};
use super::entry::Entry;
use super::number::{asked, digits, grouped, percent, three};
use super::numbers::SPACE_TIE;
use crate::contender::Ability;
use crate::record::Workload;
use needs::{By, Need, needs};

/// The table, its rules, and the needs that these records cannot answer.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let Some((set, keys)) = data.main_set().zip(data.main_size()) else {
        return vec![Block::Warning(Spans::from(
            "There are no records yet, so there is no answer.",
        ))];
    };
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for need in needs(data) {
        let mut fitting: Vec<Entry<'_>> = data
            .answering(set, keys, need.rate)
            .into_iter()
            .filter(|entry| (need.fits)(entry))
            .collect();
        fitting.retain(|entry| value(entry, need.by).is_some());
        match row(data, &need, &fitting) {
            Some(row) => rows.push(row),
            None => missing.push(need.need.clone()),
        }
    }
    match growing::row(data) {
        Some(row) => rows.push(row),
        None => missing.push(growing::NEED.to_owned()),
    }
    rows.extend(exact(data, set, keys));
    let noise = data.noise().map_or_else(
        || "the noise floor was not measured, so no times are called equal".to_owned(),
        |noise| {
            format!(
                "times closer than the noise floor ({}) are ties",
                percent(noise)
            )
        },
    );
    let rate = data.main_rate().map_or_else(String::new, |rate| {
        format!(" that keep {} (unless another rate is named)", asked(rate))
    });
    let mut blocks = vec![
        Block::Para(Spans::from(format!(
            "Among the contenders measured here with {} keys ({set}){rate}. Each row goes by its \
             own need: fewest bits per key, or fewest nanoseconds; {noise}, and so are sizes \
             closer than {}. A tie in size goes to the faster filter, a tie in time to the \
             smaller, a tie in both to the one built faster. Peers compete on the same terms.",
            grouped(keys),
            asked(SPACE_TIE),
        ))),
        Block::Table(Table {
            caption: String::new(),
            head: ["you need", "choose", "why", "runner-up"]
                .map(str::to_owned)
                .to_vec(),
            words: 4,
            rows,
        }),
    ];
    let worse = worse_than_asked(data, set, keys);
    if !worse.is_empty() {
        blocks.push(Block::Para(Spans::from(format!(
            "Excluded wherever their rate exceeds the one asked for by more than a hundredth of \
             it: {}.",
            worse.join(", ")
        ))));
    }
    if !missing.is_empty() {
        blocks.push(Block::Para(Spans::from(format!(
            "Omitted, since no filter in these records can do it: {}.",
            missing.join("; ").to_lowercase()
        ))));
    }
    blocks
}

/// Filters whose rate is above their target.
fn worse_than_asked(data: &Data, set: &str, keys: u64) -> Vec<String> {
    let mut worse = Vec::new();
    for heat in data.heats(set, keys) {
        for entry in heat.entries.iter().filter(|entry| entry.error().is_none()) {
            if let Some(rate) = entry.asked().filter(|&rate| !entry.keeps(rate)) {
                worse.push(format!("{} at {}", entry.name(), asked(rate)));
            }
        }
    }
    worse
}

fn value(entry: &Entry<'_>, by: By) -> Option<f64> {
    match by {
        By::Space => entry.bits(),
        By::Time(workload) => entry.median(asked_of(entry, workload)),
    }
}

fn row(data: &Data, need: &Need, fitting: &[Entry<'_>]) -> Option<Vec<Spans>> {
    let tie = match need.by {
        By::Space => SPACE_TIE,
        By::Time(_) => data.noise().unwrap_or(0.0),
    };
    let mut ranked: Vec<(&Entry<'_>, f64)> = fitting
        .iter()
        .filter_map(|entry| Some((entry, value(entry, need.by)?)))
        .collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())));
    let least = ranked.first()?.1;
    let (mut ties, rest): (Vec<_>, Vec<_>) = ranked
        .into_iter()
        .partition(|(_, value)| *value <= least * (1.0 + tie));
    // Ties in space go to the faster, ties in time to the smaller, and ties in both to the one
    // built faster.
    let slack = match need.by {
        By::Space => data.noise().unwrap_or(0.0),
        By::Time(_) => SPACE_TIE,
    };
    let second = |entry: &Entry<'_>| match need.by {
        By::Space => entry.median(Workload::Query50),
        By::Time(_) => entry.bits(),
    };
    let least = ties
        .iter()
        .filter_map(|(entry, _)| second(entry))
        .fold(f64::INFINITY, f64::min);
    ties.sort_by(|a, b| {
        let behind =
            |entry: &Entry<'_>| second(entry).is_none_or(|second| second > least * (1.0 + slack));
        let build = |entry: &Entry<'_>| entry.median(Workload::Build).unwrap_or(f64::INFINITY);
        behind(a.0)
            .cmp(&behind(b.0))
            .then(build(a.0).total_cmp(&build(b.0)))
            .then_with(|| a.0.name().cmp(b.0.name()))
    });
    let ((best, _), tied) = ties.split_first()?;
    let mut choose = Spans::default().code(best.name());
    if !tied.is_empty() {
        let names: Vec<&str> = tied.iter().map(|(entry, _)| entry.name()).collect();
        choose = choose.aside(match need.by {
            By::Space => ", as small as ",
            By::Time(_) => ", a tie with ",
        });
        choose = choose.codes(&names);
    }
    let next = match (rest.first(), tied.first()) {
        (Some((entry, _)), _) => runner_up(entry, best, need.by),
        (None, Some(_)) => Spans::from("only those it ties with"),
        (None, None) => Spans::from("no other here"),
    };
    let mut why = facts(best, need.by);
    if let Some((rate, predicted)) = need
        .rate
        .zip(best.predicted())
        .filter(|(rate, predicted)| *predicted > rate * 1.0001)
    {
        why.push_str(&format!(
            "; its formula gives {} %, slightly above the {} asked for",
            digits(predicted * 100.0, 4),
            asked(rate)
        ));
    }
    if !best.can(Ability::Insert) {
        why.push_str("; takes no more keys once built");
    }
    if !need.also.is_empty() {
        why.push_str(&format!("; {}", need.also));
    }
    Some(vec![
        Spans::from(need.need.as_str()),
        choose,
        Spans::from(why),
        next,
    ])
}

/// Without a batch interface, queries run one by one.
fn asked_of(entry: &Entry<'_>, workload: Workload) -> Workload {
    match workload {
        Workload::Batch50 if !entry.can(Ability::Batch) => Workload::Query50,
        workload => workload,
    }
}

/// A filter's numbers, the deciding one first.
fn facts(entry: &Entry<'_>, by: By) -> String {
    let space = entry.bits().map(|bits| {
        let overhead = entry.best_overhead().map_or_else(String::new, |overhead| {
            format!(" ({overhead:.2} times the bound)")
        });
        format!("{} bits per key{overhead}", digits(bits, 4))
    });
    let rate = entry
        .rate()
        .map(|rate| format!("measured rate {}", percent(rate.mean)));
    let time = |workload: Workload| {
        entry.time(workload).map(|time| {
            format!(
                "{} ns {}{}",
                three(time.median),
                unit(workload),
                if time.unstable { " (unstable)" } else { "" }
            )
        })
    };
    let parts = match by {
        By::Space => [space, rate, time(Workload::Query50)],
        By::Time(workload) => [time(asked_of(entry, workload)), space, rate],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn unit(workload: Workload) -> &'static str {
    match workload {
        Workload::Verify => "",
        Workload::Build => "per key built",
        Workload::Query0 => "per query, all absent",
        Workload::Query50 => "per query, half present",
        Workload::Query100 => "per query, all present",
        Workload::Batch50 => "per query in batches, half present",
        Workload::Remove => "per key removed",
        Workload::Grow => "per key inserted while it grows",
        Workload::Overfill | Workload::LoadInsert => "per key inserted",
        Workload::LoadQuery => "per query, half present",
        Workload::LoadRemove => "per key removed",
        Workload::Churn => "per key replaced",
        Workload::Merge => "per key of the other",
    }
}

/// The runner-up, and how far it is behind.
fn runner_up(entry: &Entry<'_>, best: &Entry<'_>, by: By) -> Spans {
    let Some((own, least)) = value(entry, by)
        .zip(value(best, by))
        .filter(|(_, least)| *least > 0.0)
    else {
        return Spans::default().code(entry.name());
    };
    let number = match by {
        By::Space => format!("{} bits", digits(own, 4)),
        By::Time(workload) if asked_of(entry, workload) != workload => {
            format!("{} ns, one by one", three(own))
        }
        By::Time(_) => format!("{} ns", three(own)),
    };
    let more = (own / least - 1.0) * 100.0;
    let behind = if more < 100.0 {
        format!("{number}, {more:.0} % more")
    } else {
        format!("{number}, {} times", three(own / least))
    };
    Spans::default()
        .code(entry.name())
        .text(format!(": {behind}"))
}

/// The cost of exact answers.
fn exact(data: &Data, set: &str, keys: u64) -> Option<Vec<Spans>> {
    let all = data.answering(set, keys, data.main_rate());
    let mut exact: Vec<&Entry<'_>> = all
        .iter()
        .filter(|entry| entry.is_exact() && entry.bits().is_some())
        .collect();
    exact.sort_by(|a, b| a.bits().unwrap_or(0.0).total_cmp(&b.bits().unwrap_or(0.0)));
    let (&entry, others) = exact.split_first()?;
    let bits = entry.bits()?;
    let smallest = all
        .iter()
        .filter(|entry| !entry.is_exact())
        .filter_map(Entry::bits)
        .reduce(f64::min);
    let times = smallest.map_or_else(String::new, |smallest| {
        format!(", {} times the smallest filter", three(bits / smallest))
    });
    let query = entry
        .median(Workload::Query50)
        .map_or_else(String::new, |time| {
            format!("; {} ns per query, half present", three(time))
        });
    Some(vec![
        Spans::from("No false positive at all"),
        Spans::default().code(entry.name()),
        Spans::from(format!(
            "Every filter has some; this stores the keys themselves: {} bits per \
             key{times}{query}",
            digits(bits, 4)
        )),
        others.first().map_or_else(
            || Spans::from("no other here"),
            |other| Spans::default().code(other.name()),
        ),
    ])
}
