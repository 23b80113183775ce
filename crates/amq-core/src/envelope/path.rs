//! Atomic saving to a path.
//!
//! A save writes a temporary file beside its target, named `.amq-<16 hexadecimal digits>.tmp`: its
//! length does not depend on the target, so every valid name can be saved to. It is removed if the
//! save fails. Only a killed process or a crash during a save leaves one behind; no later save uses
//! it again, and it can be deleted.

use super::format::HEADER;
use super::header::told_secret;
use crate::Secret;
use crate::index::remix;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Calls `write` with a temporary file beside `path`, syncs it, renames it, and syncs the folder.
/// `secret` is the seed or secret key that the file contains, if any.
pub(super) fn save(
    path: &Path,
    secret: Option<Secret>,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let replaced = found(path)?;
    let folder = Folder::of(path)?;
    let (temporary, file) = folder.temporary(secret.is_some() || replaced.is_some())?;
    let written = write(&file)
        .and_then(|()| keep_permissions(&file, path, secret))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // Report the first error, not one of the cleanup.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    folder.sync()
}

/// The metadata of the regular file at a path, or `None` if there is none. Does not follow links.
fn found(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(Some(found)),
        Ok(_) => Err(io::Error::new(
            ErrorKind::InvalidInput,
            "the path is not that of a regular file: a filter replaces what was there, and does not \
             replace folders, devices, FIFOs or links",
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives `file` the permissions of the regular file at `path`, which it is about to replace. Does
/// nothing if there is none.
///
/// On Unix these are the mode, the owner and the group. Owner and group are kept as far as the
/// system allows. Where it does not, access is not widened: the new group and all others get the
/// permissions that both the old group and all others had, and no setuid, setgid or sticky bit is
/// set. The sticky bit is kept where the system allows it; BSDs allow it to the superuser only.
/// Access control lists are not kept.
///
/// If `file` contains a `secret`, permissions are copied only from a file that contained the same
/// one, because its readers know the secret already. Otherwise the new file's owner and group stay,
/// and neither the group nor others can read it.
pub fn keep_permissions(file: &File, path: &Path, secret: Option<Secret>) -> io::Result<()> {
    match found(path)? {
        Some(old) => {
            let private = secret.is_some_and(|secret| !tells(path, &old, secret));
            take_over(file, &old, private)
        }
        None => Ok(()),
    }
}

/// Whether the file found at a path is a filter's file with this secret; `false` if it cannot be
/// read.
fn tells(path: &Path, found: &Metadata, secret: Secret) -> bool {
    let mut header = [0; HEADER];
    let read = File::open(path).and_then(|mut file| {
        file.read_exact(&mut header)?;
        file.metadata()
    });
    read.is_ok_and(|read| is_same(&read, found)) && told_secret(&header) == Some(secret)
}

/// Whether both are metadata of the same file: the path may have been replaced meanwhile.
#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The bit of a mode that some systems let only the superuser set on a file.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

#[cfg(unix)]
fn take_over(file: &File, old: &Metadata, private: bool) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let new = file.metadata()?;
    if private {
        return file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o700));
    }
    // Before setting the mode: changing the owner or group can reset it.
    let owner = new.uid() == old.uid() || fchown(file, Some(old.uid()), None).is_ok();
    let group = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mut mode = old.mode() & 0o7777;
    if !(owner && group) {
        mode &= 0o777;
    }
    if !group {
        // Members of the old group now count as others.
        let both = mode >> 3 & mode & 7;
        mode = mode & 0o700 | both << 3 | both;
    }
    if file.metadata()?.mode() & 0o7777 == mode {
        return Ok(());
    }
    let set = |mode| file.set_permissions(fs::Permissions::from_mode(mode));
    match mode & STICKY {
        0 => set(mode),
        // The sticky bit has no effect on files, so failing to set it is not an error.
        _ => set(mode).or_else(|_| set(mode & !STICKY)),
    }
}

#[cfg(not(unix))]
fn take_over(file: &File, old: &Metadata, _private: bool) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// The most names tried for a temporary file.
const ATTEMPTS: u32 = 1000;

/// The folder that a file is saved in.
struct Folder<'a> {
    path: &'a Path,
    /// The open folder, for syncing; `None` if folders cannot be opened, or this one may not be
    /// read.
    open: Option<File>,
}

impl<'a> Folder<'a> {
    /// Opens the folder before anything is written, so that errors occur before anything changes.
    fn of(file: &'a Path) -> io::Result<Self> {
        let no_name = "the path has no file name at its end";
        let no_name = || io::Error::new(ErrorKind::InvalidInput, no_name);
        let name = file.file_name().ok_or_else(no_name)?;
        // `a/` and `a/.` have the file name `a`, and mean a folder.
        if !file.as_os_str().as_encoded_bytes().ends_with(name.as_encoded_bytes()) {
            return Err(no_name());
        }
        let path = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // Other systems cannot sync folders.
        if !cfg!(unix) {
            return Ok(Self { path, open: None });
        }
        match File::open(path) {
            Ok(open) => Ok(Self { path, open: Some(open) }),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                Ok(Self { path, open: None })
            }
            Err(error) => Err(error),
        }
    }

    /// Creates a file in the folder with an unused name; if `private`, readable by its owner only.
    fn temporary(&self, private: bool) -> io::Result<(PathBuf, File)> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let _ = private;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let process = remix(now as u64, std::process::id().into());
        let mut attempts = 0;
        loop {
            let unique = remix(process, COUNT.fetch_add(1, Ordering::Relaxed) as u64);
            let temporary = self.path.join(std::format!(".amq-{unique:016x}.tmp"));
            match options.open(&temporary) {
                Ok(file) => return Ok((temporary, file)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempts < ATTEMPTS => {
                    attempts += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Syncs the folder, so that the new name survives a crash.
    fn sync(&self) -> io::Result<()> {
        let Some(open) = &self.open else {
            return Ok(());
        };
        open.sync_all().map_err(|error| {
            let what = "the file is saved, but its folder could not be synced, so that a crash of \
                        the system may undo it";
            io::Error::new(error.kind(), std::format!("{what}: {error}"))
        })
    }
}
