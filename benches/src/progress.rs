//! Progress: a bar on a terminal, a line per group elsewhere.
//!
//! The measuring thread updates the bar between passes; a ticker thread would use another core
//! during a pass.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

const LINE: &str = "{bar:30} {percent:>3} %  {elapsed} gone, {eta} to go  {wide_msg}";

/// A bar for this much estimated work; it counts nanoseconds.
pub(crate) fn bar(estimate: Duration) -> ProgressBar {
    // The template is a constant; if it were invalid, the default style would be used.
    let style = ProgressStyle::with_template(LINE);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(estimate.as_nanos() as u64).with_style(style)
}

pub(crate) fn begin(bar: &ProgressBar, what: &str) {
    if bar.is_hidden() {
        eprintln!("{what}");
    }
    bar.set_message(what.to_owned());
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
