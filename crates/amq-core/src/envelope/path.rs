//! Files by path: written whole or not at all.

use super::read::read_sure;
use super::{Opened, Restore, Streaming, Written};
use crate::{DecodeError, ReadError};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes the filter to a temporary file beside `path`, syncs it, renames it, and syncs the folder:
/// after a crash there is the old file or the new one. What is neither absent nor a regular file is
/// refused: a device, a FIFO, a link.
pub fn save<F: Written>(filter: &F, path: &Path, withhold_seed: bool) -> io::Result<()> {
    if let Ok(found) = fs::symlink_metadata(path) {
        if !found.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the path is not that of a regular file: a filter replaces what was there, and does not \
                 replace folders, devices, FIFOs or links",
            ));
        }
    }
    let (temporary, mut file) = temporary_beside(path)?;
    let written = super::write(filter, &mut file, withhold_seed)
        .and_then(|()| file.flush())
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one that tells what happened.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_folder(path)
}

/// A new file in the same folder, under a name that nobody else has.
fn temporary_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the path has no file name"))?;
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(std::format!(".{}.{count}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Makes the new name last. Folders can be opened for this on Unix only; elsewhere there is no such
/// call.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Reads the filter in a file, which must hold nothing else.
pub fn load<F>(path: &Path, seed: Option<u64>) -> Result<F, ReadError>
where
    F: for<'a> Restore<Over<Streaming<'a, BufReader<File>>> = F>,
{
    load_as(path, seed, |opened, source| F::restore(opened, source))
}

/// The same where `restore` decides what becomes of the file.
pub fn load_as<T>(
    path: &Path,
    seed: Option<u64>,
    restore: impl FnOnce(&Opened<'_>, Streaming<'_, BufReader<File>>) -> Result<T, DecodeError>,
) -> Result<T, ReadError> {
    let file = File::open(path)?;
    let held = file.metadata()?.len();
    // For header and directory; a large read goes past the buffer.
    let mut reader = BufReader::with_capacity(1 << 12, file);
    let (filter, length) = read_sure(&mut reader, held, seed, u64::MAX, restore)?;
    match reader.read(&mut [0])? {
        0 => Ok(filter),
        _ => Err(DecodeError::Trailing { bytes: held.saturating_sub(length) }.into()),
    }
}
