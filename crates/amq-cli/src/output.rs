//! Filters as output: a file that is replaced whole or not at all, or a stream.

use crate::exit;
use amq::AnyFilter;
use anyhow::{Context, anyhow, bail};
use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Where a filter goes.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout,
    File {
        path: PathBuf,
        /// Whether a file that is there may be replaced.
        replace: bool,
    },
}

/// Whether this means standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Output {
    /// Refuses what cannot be written, before any work is done.
    pub(crate) fn new(path: &Path, replace: bool) -> anyhow::Result<Self> {
        if is_dash(path) {
            if io::stdout().is_terminal() {
                bail!("a filter is binary and no use on a terminal: redirect it, or use -o FILE");
            }
            return Ok(Self::Stdout);
        }
        let name = path.display();
        if let Some(found) = found(path)? {
            regular(path, &found)?;
            if !replace {
                bail!("{name}: the file exists; --force replaces it");
            }
        } else {
            let folder = folder(path);
            let is_folder = fs::metadata(folder).is_ok_and(|found| found.is_dir());
            if path.file_name().is_none() || !is_folder {
                bail!("{name}: there is no folder {}", folder.display());
            }
        }
        Ok(Self::File { path: path.to_owned(), replace })
    }

    /// Refuses an output that is one of the inputs: reading would be cut short, or keys lost.
    pub(crate) fn not_among<'a>(
        &self,
        inputs: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<()> {
        let Self::File { path, .. } = self else {
            return Ok(());
        };
        for input in inputs {
            if same_file::is_same_file(path, input).unwrap_or(false) {
                bail!("{}: the output is one of the inputs", path.display());
            }
        }
        Ok(())
    }

    /// Its name in a report.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".into(),
            Self::File { path, .. } => path.display().to_string(),
        }
    }

    /// Writes the filter. A file is written beside its place, synced, and renamed.
    pub(crate) fn write(&self, filter: &AnyFilter) -> anyhow::Result<()> {
        match self {
            Self::Stdout => {
                let mut to = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
                // A filter that was cut short is no use, so that this is an error.
                let written = filter.write_to(&mut to).and_then(|()| to.flush());
                written.context("standard output: the filter is not whole")
            }
            Self::File { path, replace } => {
                let replaced = replace_file(path, *replace, |file| {
                    let mut to = io::BufWriter::with_capacity(1 << 16, file);
                    filter.write_to(&mut to)?;
                    to.flush()
                });
                replaced.with_context(|| path.display().to_string())
            }
        }
    }
}

/// What is at a path, not following a link; `None` if nothing is.
fn found(path: &Path) -> anyhow::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

fn regular(path: &Path, found: &Metadata) -> anyhow::Result<()> {
    let name = path.display();
    let kind = found.file_type();
    if kind.is_symlink() {
        bail!(
            "{name}: this is a link, and writing would replace the link: give the file's own path"
        );
    }
    if kind.is_dir() {
        bail!("{name}: this is a folder");
    }
    if !kind.is_file() {
        bail!("{name}: this is not a regular file; to write to a device or a pipe, use -o - and >");
    }
    Ok(())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The temporary file of this run, if there is one. It is removed when the run is interrupted.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn set_unfinished(path: Option<&Path>) {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = path.map(Path::to_owned);
}

/// Removes the temporary file; for when a signal ends the run.
pub(crate) fn remove_unfinished() {
    // Held to the end, so that no other file is begun.
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = &*unfinished {
        let _ = fs::remove_file(path);
    }
}

/// Writes a file under another name, syncs it and renames it: whatever happens, `path` is the old
/// file or the new one. Without `replace`, a file that has come into being since is an error.
fn replace_file(
    path: &Path,
    replace: bool,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().ok_or_else(|| anyhow!("no file name"))?);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    let temporary = builder.make_in(folder(path), |beside| {
        // Known before it exists: a signal in between finds nothing to remove.
        set_unfinished(Some(beside));
        File::create_new(beside)
    })?;
    let done = (|| {
        write(temporary.as_file())?;
        // What replaces a file keeps its permissions; a new one has those that `create` gives.
        if let Ok(old) = fs::metadata(path) {
            temporary.as_file().set_permissions(old.permissions())?;
        }
        temporary.as_file().sync_all()?;
        // It may have become a link or a device since the run began.
        if let Some(found) = found(path)? {
            regular(path, &found)?;
        }
        if replace {
            temporary.persist(path).map_err(|error| error.error)?;
        } else {
            temporary.persist_noclobber(path).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => {
                    anyhow!("another run has made this file in the meantime")
                }
                _ => error.error.into(),
            })?;
        }
        sync_folder(folder(path))?;
        anyhow::Ok(())
    })();
    set_unfinished(None);
    done
}

/// Makes the new name last. Folders can be opened for this on Unix only.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Standard output for text, in blocks.
pub(crate) struct Text(io::StdoutLock<'static>);

impl Text {
    pub(crate) fn new() -> Self {
        Self(io::stdout().lock())
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.0.write_all(bytes).map_err(exit::stdout_error)
    }

    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        self.0.flush().map_err(exit::stdout_error)
    }

    /// Prints a whole text and flushes it.
    pub(crate) fn print(text: &str) -> anyhow::Result<()> {
        let mut to = Self::new();
        to.write(text.as_bytes())?;
        to.flush()
    }
}
