//! Only one run at a time changes a file.

use anyhow::bail;
use same_file::Handle;
use std::fs::{File, TryLockError};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

/// A file that only this run may replace: others wait until this is dropped.
#[derive(Debug)]
pub(crate) struct Locked {
    path: PathBuf,
    file: Handle,
}

impl Locked {
    /// Waits for the file at `path`; `None` if there is none. The file is replaced when it changes,
    /// not written to, so whoever has waited looks again whether it is still the one.
    pub(crate) fn wait(path: &Path) -> anyhow::Result<Option<Self>> {
        loop {
            let file = match open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            if !file.metadata()?.is_file() {
                bail!("this is not a regular file any more");
            }
            lock(&file, path)?;
            let locked = Self { path: path.to_owned(), file: Handle::from_file(file)? };
            if locked.is_still_there()? {
                return Ok(Some(locked));
            }
        }
    }

    /// Refuses to go on if a program that does not lock has replaced or removed the file.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if !self.is_still_there()? {
            bail!("another program has replaced or removed this file in the meantime");
        }
        Ok(())
    }

    fn is_still_there(&self) -> io::Result<bool> {
        match open(&self.path).and_then(Handle::from_file) {
            Ok(present) => Ok(present == self.file),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
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

fn lock(file: &File, path: &Path) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            if io::stderr().is_terminal() {
                let name = path.display();
                crate::exit::note(&format!(
                    "{name}: waiting for another run to finish changing it"
                ));
            }
            file.lock()
        }
        // A file system without locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(()),
    }
}
