//! Locks that let only one run at a time change a file.

use crate::exit::note;
use crate::numbers;
use anyhow::bail;
use clap::Args;
use same_file::Handle;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// What to do while another run changes the file.
#[derive(Args, Clone, Copy, Default, Debug)]
#[command(next_help_heading = "Other runs")]
pub(crate) struct Wait {
    /// Fail at once if another run is changing the file. The default is to wait for it
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,

    /// Wait at most this long for other runs: 500ms, 10s, 5min
    #[arg(long, value_name = "TIME", value_parser = numbers::duration)]
    wait: Option<Duration>,
}

impl Wait {
    fn limit(self) -> Option<Duration> {
        if self.no_wait { Some(Duration::ZERO) } else { self.wait }
    }
}

/// A file that only this run may replace: others wait until this is dropped.
#[derive(Debug)]
pub(crate) struct Locked {
    path: PathBuf,
    file: Handle,
    stamp: Stamp,
}

/// Size and time of change, which differ after a program has written to a file.
pub(crate) type Stamp = (u64, Option<SystemTime>);

pub(crate) fn stamp(file: &File) -> io::Result<Stamp> {
    let found = file.metadata()?;
    Ok((found.len(), found.modified().ok()))
}

impl Locked {
    /// Waits for the file at `path`; `None` if there is none. A changed file is a new file under
    /// the same name, so after waiting this checks that it still has the right one.
    pub(crate) fn wait(path: &Path, wait: Wait) -> anyhow::Result<Option<Self>> {
        loop {
            let file = match open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            if !file.metadata()?.is_file() {
                bail!("this is not a regular file any more");
            }
            lock(&file, path, wait)?;
            let locked = Self::of(file, path)?;
            if locked.present()?.is_some() {
                return Ok(Some(locked));
            }
        }
    }

    /// Locks a new file, complete but still unnamed, that is about to get this path.
    pub(crate) fn new(file: &File, path: &Path) -> anyhow::Result<Self> {
        lock(file, path, Wait::default())?;
        Self::of(file.try_clone()?, path)
    }

    fn of(file: File, path: &Path) -> anyhow::Result<Self> {
        let stamp = stamp(&file)?;
        Ok(Self { path: path.to_owned(), file: Handle::from_file(file)?, stamp })
    }

    /// Fails if a program that does not lock has replaced, removed or changed the file.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match self.present()? {
            None => {
                bail!("another program has replaced or removed this file in the meantime")
            }
            Some(found) if stamp(found.as_file())? != self.stamp => {
                bail!("another program has written to this file in the meantime: run this again")
            }
            Some(_) => Ok(()),
        }
    }

    /// The file, if it is still there.
    fn present(&self) -> io::Result<Option<Handle>> {
        match open(&self.path).and_then(Handle::from_file) {
            Ok(present) => Ok(Some(present).filter(|present| *present == self.file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Opens a file without waiting for a writer, in case it has become a FIFO.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.open(path)
}

/// How long a run waits before it prints a note.
const SILENCE: Duration = Duration::from_secs(1);

/// The interval of attempts until then, or until the limit.
const PAUSE: Duration = Duration::from_millis(10);

fn lock(file: &File, path: &Path, wait: Wait) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            // A file system without locks.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
            Err(TryLockError::WouldBlock) => {}
        }
        let waited = begun.elapsed();
        match wait.limit() {
            Some(limit) if waited >= limit => bail!(
                "another run is changing this file: try again when it has finished, or give --wait a \
                 longer time"
            ),
            // Wait in the system's queue.
            None if told => return Ok(file.lock()?),
            _ => {}
        }
        if waited >= SILENCE && !told {
            note(&format!("{}: waiting for another run to finish changing it", path.display()));
            told = true;
            continue;
        }
        std::thread::sleep(PAUSE);
    }
}
