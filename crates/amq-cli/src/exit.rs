//! The end of a run: its exit status, and messages on standard error.

use std::io;
use std::process::ExitCode;

/// How a command ended if it did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// Status 0: it is done, or something was found.
    Done,
    /// Status 1: nothing was found.
    Nothing,
    /// Status 2: a failure that has been reported.
    Told,
}

impl Outcome {
    pub(crate) const fn found(any: bool) -> Self {
        if any { Self::Done } else { Self::Nothing }
    }
}

/// Standard output was closed by its reader, as by `head`. Not an error for text.
#[derive(Debug)]
pub(crate) struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("standard output was closed before all was written")
    }
}

impl std::error::Error for Closed {}

/// An error in writing to standard output.
pub(crate) fn stdout_error(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Closed.into(),
        _ => anyhow::Error::new(error).context("standard output"),
    }
}

/// The exit status of a run; reports errors on standard error.
pub(crate) fn status(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Nothing) => ExitCode::from(1),
        Ok(Outcome::Told) => ExitCode::from(2),
        // The reader of the output has seen enough.
        Err(error) if error.is::<Closed>() => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(2)
        }
    }
}

/// Prints an error and its causes on one line.
pub(crate) fn complain(error: &anyhow::Error) {
    // A failure here cannot be reported anywhere.
    let _ = write_line(&format!("amq: {error:#}"));
}

/// Prints a remark that is not an error.
pub(crate) fn note(text: &str) {
    let _ = write_line(&format!("amq: {text}"));
}

fn write_line(text: &str) -> io::Result<()> {
    use io::Write;
    writeln!(io::stderr().lock(), "{text}")
}
