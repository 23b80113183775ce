//! Progress: a bar on a terminal, a line per group elsewhere.
//!
//! The measuring thread moves the bar between passes; a ticker thread would take time from the
//! other core during one.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

const LINE: &str = "{bar:30} {percent:>3} %  {elapsed} gone, {eta} to go  {wide_msg}";

#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for this much estimated work.
    pub(crate) fn new(estimate: Duration) -> Self {
        // The template is a constant; if it were wrong, the default style would do.
        let style = ProgressStyle::with_template(LINE);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        Self { bar: ProgressBar::new(estimate.as_nanos() as u64).with_style(style) }
    }

    pub(crate) fn begin(&self, what: &str) {
        if self.bar.is_hidden() {
            eprintln!("{what}");
        }
        self.now(what);
    }

    pub(crate) fn now(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// This many estimated nanoseconds of work are done.
    pub(crate) fn did(&self, nanoseconds: u64) {
        self.bar.inc(nanoseconds);
    }

    /// This much work was done before the run resumed.
    pub(crate) fn skip(&self, estimate: Duration) {
        self.did(estimate.as_nanos() as u64);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// An average contender's operation, by table size: in the nearest cache, in the last, in memory.
pub(crate) fn nanoseconds(keys: usize, operations: usize) -> u64 {
    let each = match keys {
        0..=200_000 => 20,
        200_001..=2_000_000 => 36,
        2_000_001..=20_000_000 => 70,
        _ => 130,
    };
    each * operations as u64
}
