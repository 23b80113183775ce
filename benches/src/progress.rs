//! How far it is: a bar on a terminal, a line per group elsewhere.
//!
//! The bar is moved by the thread that measures, between two passes; a thread that ticks by itself
//! would take time from the other core in the middle of one.

use crate::record::Workload;
use crate::timing::{MIN_BUILD_OPERATIONS, TIMED};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Where a run stands.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for so much estimated work.
    pub fn new(estimate: Duration) -> Self {
        let bar = ProgressBar::new(u64::try_from(estimate.as_nanos()).unwrap_or(u64::MAX));
        // The template is a constant; were it wrong, the default style does as well.
        if let Ok(style) = ProgressStyle::with_template(
            "{bar:30} {percent:>3} %  {elapsed} gone, {eta} to go  {wide_msg}",
        ) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// A bar that shows nothing.
    pub fn hidden() -> Self {
        Self {
            bar: ProgressBar::hidden(),
        }
    }

    /// A new part of the work begins.
    pub fn begin(&self, what: &str) {
        if self.bar.is_hidden() {
            eprintln!("{what}");
        }
        self.now(what);
    }

    /// Says what is being done now.
    pub fn now(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// One contender was verified over this many seeds.
    pub fn did_verify(&self, keys: usize, absent: usize) {
        self.bar.inc(nanoseconds(keys, 2 * (2 * keys + absent)));
    }

    /// One timed pass was done.
    pub fn did_pass(&self, workload: Workload, keys: usize, queries: usize) {
        self.bar.inc(pass(workload, keys, queries));
    }

    /// So many estimated nanoseconds of work were done.
    pub fn did(&self, nanoseconds: u64) {
        self.bar.inc(nanoseconds);
    }

    /// Work that a resumed run finds done.
    pub fn skip(&self, estimate: Duration) {
        self.bar
            .inc(u64::try_from(estimate.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// How long one contender takes in one cell, roughly.
pub fn estimate(
    keys: usize,
    absent: usize,
    queries: usize,
    rounds: u64,
    removes: bool,
) -> Duration {
    let verify = nanoseconds(keys, 2 * (2 * keys + absent));
    let round: u64 = TIMED
        .iter()
        .filter(|&&workload| workload != Workload::Remove || removes)
        .map(|&workload| pass(workload, keys, queries))
        .sum();
    Duration::from_nanos(verify + (rounds + 1) * round)
}

fn pass(workload: Workload, keys: usize, queries: usize) -> u64 {
    match workload {
        // Inserts cost about twice a query.
        Workload::Build => nanoseconds(keys, 2 * keys.max(MIN_BUILD_OPERATIONS)),
        // Built, and half of it taken out.
        Workload::Remove => nanoseconds(keys, 3 * keys.max(MIN_BUILD_OPERATIONS)),
        _ => nanoseconds(keys, queries),
    }
}

/// An operation of the average contender, by the size of its table: in the nearest cache, in the
/// last, in memory.
pub fn nanoseconds(keys: usize, operations: usize) -> u64 {
    let each = match keys {
        0..=200_000 => 20,
        200_001..=2_000_000 => 36,
        2_000_001..=20_000_000 => 70,
        _ => 130,
    };
    each * operations as u64
}
