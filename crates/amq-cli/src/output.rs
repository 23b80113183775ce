//! Writes filters: to a file, replaced atomically, or to a stream.

use crate::commands::info;
use crate::exit::note;
use crate::input;
use crate::lock::Wait;
use crate::replace::{Existing, Target};
use crate::stdio::{self, is_dash};
use amq::{AnyFile, FilterFile};
use amq_core::internal::Hashing;
use anyhow::{Context, bail};
use serde_json::Value;
use std::io::{self, IsTerminal};
use std::path::Path;

/// The destination of a filter.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout,
    File {
        target: Target,
        /// Its path as it was given.
        name: String,
    },
}

impl Output {
    /// Refuses an unusable destination before any work is done.
    pub(crate) fn new(path: &Path, existing: Existing) -> anyhow::Result<Self> {
        if is_dash(path) {
            if stdio::stdout()?.is_terminal() {
                bail!("a filter is binary and no use on a terminal: redirect it, or use -o FILE");
            }
            return Ok(Self::Stdout);
        }
        let name = path.display().to_string();
        Ok(Self::File { target: Target::new(path, existing)?, name })
    }

    /// For a run that changes the filter in `file`: that file, or the one given by -o.
    pub(crate) fn of_change(
        file: &Path,
        given: Option<&Path>,
        force: bool,
    ) -> anyhow::Result<Self> {
        match given {
            Some(path) => Self::new(path, Existing::forced(force)),
            None if force => Self::new(file, Existing::Replace),
            None => Self::new(file, Existing::Change),
        }
    }

    /// Keeps a file that is replaced as `NAME~`, if `backup` is set.
    pub(crate) fn keeping(mut self, backup: bool) -> anyhow::Result<Self> {
        match &mut self {
            Self::Stdout if backup => bail!("--backup: standard output replaces no file"),
            Self::Stdout => {}
            Self::File { target, .. } => target.keep(backup),
        }
        Ok(self)
    }

    /// For runs whose output may be one of the filters they read: waits for other runs that change
    /// it, then locks it until this is dropped.
    pub(crate) fn locked(self, wait: Wait) -> anyhow::Result<Self> {
        let mut output = self.waiting(wait);
        if let Self::File { target, name } = &mut output {
            target.lock().with_context(|| name.clone())?;
        }
        Ok(output)
    }

    /// Sets how long to wait for other runs.
    pub(crate) fn waiting(mut self, wait: Wait) -> Self {
        if let Self::File { target, .. } = &mut self {
            target.set_wait(wait);
        }
        self
    }

    /// For a run that may print JSON to standard output.
    pub(crate) fn telling(self, json: bool) -> anyhow::Result<Self> {
        if json && matches!(self, Self::Stdout) {
            bail!("--json: standard output is the filter's already: write that to a file");
        }
        Ok(self)
    }

    /// Prints the fields of `amq info --json` and `more`.
    pub(crate) fn tell(&self, file: &AnyFile, more: Value) -> anyhow::Result<()> {
        let mut told = info::in_json(&self.name(), input::header(file)?, file);
        if let (Some(told), Value::Object(more)) = (told.as_object_mut(), more) {
            told.extend(more);
        }
        stdio::Text::print(&format!("{told}\n"))
    }

    /// Removes the file that this run created.
    pub(crate) fn remove(&self) {
        if let Self::File { target, .. } = self {
            target.remove();
        }
    }

    /// Whether there was a file, now locked against other runs.
    pub(crate) fn is_locked(&self) -> bool {
        matches!(self, Self::File { target, .. } if target.is_locked())
    }

    /// Refuses an output that is one of the inputs, which could cut reading short or lose keys.
    pub(crate) fn not_among<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<()> {
        let Self::File { target, name } = self else {
            return Ok(());
        };
        for input in inputs {
            if same_file::is_same_file(target.path(), input).unwrap_or(false) {
                bail!("{name}: the output is one of the inputs");
            }
        }
        Ok(())
    }

    /// Its name in a report.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".into(),
            Self::File { name, .. } => name.clone(),
        }
    }

    /// Writes the filter, with its seed or secret key if its file contained it. On failure the file
    /// stays as it was. Only the owner can read a file with a secret.
    pub(crate) fn write(&self, filter: &impl FilterFile) -> anyhow::Result<()> {
        match self {
            Self::Stdout => {
                let mut to = io::BufWriter::with_capacity(1 << 16, stdio::stdout()?.lock());
                // A closed pipe is an error here: a filter that is cut short is useless.
                let written = filter.write_to(&mut to);
                written.context("standard output: the filter is not whole")
            }
            Self::File { target, name } => {
                let secret = filter.contents(Hashing::Seed)?.told_secret();
                let written = target.write(secret, |file| {
                    filter.write_to(io::BufWriter::with_capacity(1 << 16, file))
                });
                written.with_context(|| name.clone())
            }
        }
    }

    /// Prints a note if the file contains the secret key.
    pub(crate) fn note_secret(&self, filter: &AnyFile) {
        if matches!(filter, AnyFile::Keyed(_, info) if !info.withheld) {
            note("the secret key is in the file: keep the file secret, too");
        }
    }
}
