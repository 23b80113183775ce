//! How many more slots than keys a standard ribbon needs, in numbers.

use super::data::{Data, Line};
use super::document::{Block, Spans, Table};
use super::number::{digits, grouped, tick};
use super::numbers::dash;
use crate::construction::NAME;
use crate::record::Trial;

const TITLE: &str = "Construction: how many more slots than keys a standard ribbon needs";

/// The share that counts as enough: nine seeds of ten.
pub(super) const ENOUGH: (u64, u64) = (9, 10);

/// The share of seeds that left room for all keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Seeds tried.
    pub(super) seeds: u64,
    /// Those that left room.
    pub(super) solved: u64,
    /// Their share's 95 % interval.
    pub(super) low: f64,
    /// Its upper end.
    pub(super) high: f64,
}

impl Share {
    /// A trial's result; `None` if it failed.
    pub(super) fn of(trial: &Trial) -> Option<Self> {
        Some(Self {
            seeds: trial.seeds.filter(|&seeds| seeds > 0)?,
            solved: trial.solved?,
            low: trial.solved_low?,
            high: trial.solved_high?,
        })
    }

    /// In [0, 1].
    pub(super) fn mean(&self) -> f64 {
        self.solved as f64 / self.seeds as f64
    }

    fn is_enough(&self) -> bool {
        self.solved * ENOUGH.1 >= self.seeds * ENOUGH.0
    }
}

/// Slots beyond the keys, over the keys.
pub(super) fn overhead(trial: &Trial) -> f64 {
    trial.slots as f64 / trial.keys as f64 - 1.0
}

/// An overhead in words, exact, since it is not measured.
pub(super) fn exactly(overhead: f64) -> String {
    format!("{} %", tick(overhead * 100.0))
}

/// Whether a trial has the slots that filters are built with.
pub(super) const fn is_built(trial: &Trial) -> bool {
    trial.slots == trial.built_slots
}

impl Line<'_> {
    /// The least overhead from which on enough seeds leave room at every overhead tried: with few
    /// seeds, a smaller one may pass by chance.
    pub(super) fn enough(&self) -> Option<(&Trial, Share)> {
        let all = self.trials.iter().rev();
        let shares = all.map_while(|trial| Some((*trial, Share::of(trial)?)));
        shares.take_while(|(_, share)| share.is_enough()).last()
    }

    /// The overhead that filters are built with.
    pub(super) fn built(&self) -> Option<(&Trial, Share)> {
        let trial = self.trials.iter().find(|trial| is_built(trial))?;
        Some((trial, Share::of(trial)?))
    }

    /// The last overhead tried.
    pub(super) fn last(&self) -> f64 {
        self.trials.last().map_or(f64::NAN, |trial| overhead(trial))
    }
}

/// Both tables, collapsible.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let lines = data.lines();
    if lines.is_empty() {
        return Vec::new();
    }
    let about = "Each system of equations was tried with several seeds; the share is that of the \
                 seeds that left room for every key. A filter of many keys consists of systems of \
                 some tens of thousands of keys each, and a system without room takes its next \
                 seed.";
    let mut blocks = vec![
        Block::Para(Spans::from(about)),
        least(&lines),
        every(&lines),
    ];
    let failures = reasons(&lines);
    if !failures.is_empty() {
        blocks.push(Block::List(failures));
    }
    vec![Block::Details {
        summary: TITLE.to_owned(),
        blocks,
    }]
}

/// The name of the record for each system with an error.
pub(super) fn failed(data: &Data) -> Vec<&'static str> {
    let lines = data.lines();
    let trials = lines.iter().flat_map(|line| &line.trials);
    trials
        .filter(|trial| !trial.error.is_empty())
        .map(|_| NAME)
        .collect()
}

/// A row per number of keys: the overhead that is enough, and the filters'.
fn least(lines: &[Line<'_>]) -> Block {
    let row = |line: &Line<'_>| {
        let mut cells = sizes(line);
        for found in [line.enough(), line.built()] {
            let at = |(trial, _): (&Trial, Share)| Spans::from(exactly(overhead(trial)));
            cells.push(found.map_or_else(dash, at));
            cells.push(found.map_or_else(dash, |(_, share)| shared(share)));
        }
        cells
    };
    let head = [
        "rows",
        "keys",
        "enough for nine seeds of ten",
        "share (95 %)",
        "filters go by",
        "share (95 %)",
    ];
    Block::Table(Table {
        caption: "The least overhead tried from which on nine seeds of ten left room, and the one \
                  filters use, before rounding up to whole blocks"
            .to_owned(),
        head: head.map(str::to_owned).to_vec(),
        words: 1,
        rows: lines.iter().map(row).collect(),
    })
}

/// A row for each system.
fn every(lines: &[Line<'_>]) -> Block {
    let row = |line: &Line<'_>, trial: &Trial| {
        let mut cells = sizes(line);
        let own = Spans::from(exactly(overhead(trial)));
        cells.push(if is_built(trial) {
            own.aside(" (filters)")
        } else {
            own
        });
        cells.push(Spans::from(grouped(trial.slots)));
        match Share::of(trial) {
            Some(share) => cells.extend([
                Spans::from(grouped(share.seeds)),
                Spans::from(grouped(share.solved)),
                shared(share),
            ]),
            None => cells.extend([Spans::default().strong("ERROR"), dash(), dash()]),
        }
        cells
    };
    let of_line = |line: &Line<'_>| -> Vec<Vec<Spans>> {
        line.trials.iter().map(|trial| row(line, trial)).collect()
    };
    let head = [
        "rows",
        "keys",
        "overhead",
        "slots",
        "seeds tried",
        "left room",
        "share (95 %)",
    ];
    Block::Table(Table {
        caption: "Every number of slots tried".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        words: 1,
        rows: lines.iter().flat_map(of_line).collect(),
    })
}

fn sizes(line: &Line<'_>) -> Vec<Spans> {
    vec![
        Spans::from(format!("{} bits", line.row_bits)),
        Spans::from(grouped(line.keys)),
    ]
}

fn shared(share: Share) -> Spans {
    let [low, high] = [share.low, share.high].map(|end| digits(end, 3));
    Spans::from(digits(share.mean(), 3)).aside(format!(" ({low}–{high})"))
}

/// Why there are no numbers, each reason once.
fn reasons(lines: &[Line<'_>]) -> Vec<Spans> {
    let mut reasons: Vec<(u64, &str)> = Vec::new();
    for trial in lines.iter().flat_map(|line| &line.trials) {
        let reason = (trial.row_bits, trial.error.as_str());
        if !trial.error.is_empty() && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let words = reasons.into_iter();
    words
        .map(|(bits, reason)| {
            Spans::default()
                .strong("ERROR ")
                .text(format!("rows of {bits} bits: {reason}"))
        })
        .collect()
}
