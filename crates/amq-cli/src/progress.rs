//! Progress bars on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// A bar over this many bytes, or a count of bytes if the total is unknown. Drawn on standard
/// error, and only if that is a terminal.
pub(crate) fn bar(bytes: Option<u64>, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let (bar, template) = match bytes {
        Some(bytes) => (
            ProgressBar::new(bytes),
            "{bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
        ),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes} read, {bytes_per_sec}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// A bar for a run that prints lines as it goes: hidden if they go to the terminal.
pub(crate) fn beside_lines(bytes: Option<u64>, quiet: bool) -> ProgressBar {
    bar(bytes, quiet || std::io::stdout().is_terminal())
}
