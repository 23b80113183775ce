//! Files by path: written whole or not at all.
//!
//! A save writes a temporary file beside its target, named `.amq-<16 hexadecimal digits>.tmp`: as
//! short for any target, so that every name the folder takes can be saved to. It is removed if the
//! save fails. Only a process that is killed, or a machine that stops, in the middle of a save
//! leaves one behind; no later save uses it again, and it can be deleted.

use super::format::HEADER;
use super::header::told_secret;
use crate::Secret;
use crate::index::remix;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Has `write` fill a temporary file beside `path`, syncs it, renames it, and syncs the folder.
/// `secret` is what it writes that is one: a seed or key.
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
        // The first error is the one that tells what happened.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    folder.sync()
}

/// The regular file at a path, or `None` if nothing is there. Links are not followed.
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
/// system allows. Where it does not, nobody gets access who had none: the new group and all others
/// get what both the old group and all others had, and no setuid, setgid or sticky bit is set. The
/// sticky bit is kept where the system takes it, which BSDs do from the superuser alone. Access
/// control lists are not kept.
///
/// If `file` holds a `secret`, permissions are copied only from a file that held the same one,
/// since whoever may read that knows the secret. Otherwise owner and group stay those of the new
/// file, which neither its group nor others can read.
pub fn keep_permissions(file: &File, path: &Path, secret: Option<Secret>) -> io::Result<()> {
    match found(path)? {
        Some(old) => {
            let private = secret.is_some_and(|secret| !tells(path, &old, secret));
            take_over(file, &old, private)
        }
        None => Ok(()),
    }
}

/// Whether the file that was found at a path is one of ours that tells this secret. One that cannot
/// be read does not.
fn tells(path: &Path, found: &Metadata, secret: Secret) -> bool {
    let mut header = [0; HEADER];
    let read = File::open(path).and_then(|mut file| {
        file.read_exact(&mut header)?;
        file.metadata()
    });
    read.is_ok_and(|read| is_same(&read, found)) && told_secret(&header) == Some(secret)
}

/// Whether this is the metadata of one file: a path may lead to another one by now.
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
    // Before the mode, which a change of owner or group would reset.
    let owner = new.uid() == old.uid() || fchown(file, Some(old.uid()), None).is_ok();
    let group = new.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mut mode = old.mode() & 0o7777;
    if !(owner && group) {
        mode &= 0o777;
    }
    if !group {
        // Whoever was in the old group is now one of the others.
        let both = mode >> 3 & mode & 7;
        mode = mode & 0o700 | both << 3 | both;
    }
    if file.metadata()?.mode() & 0o7777 == mode {
        return Ok(());
    }
    let set = |mode| file.set_permissions(fs::Permissions::from_mode(mode));
    match mode & STICKY {
        0 => set(mode),
        // On a file it means nothing: no reason to fail a save where it may not be set.
        _ => set(mode).or_else(|_| set(mode & !STICKY)),
    }
}

#[cfg(not(unix))]
fn take_over(file: &File, old: &Metadata, _private: bool) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

/// The most names that are tried for a temporary file.
const ATTEMPTS: u32 = 1000;

/// The folder that a file is saved in.
struct Folder<'a> {
    path: &'a Path,
    /// What its sync needs: `None` where folders cannot be opened, and where this one may not be
    /// read.
    open: Option<File>,
}

impl<'a> Folder<'a> {
    /// Opened before anything is written: what cannot be done is known while nothing has changed.
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
        // Elsewhere there is no such call.
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

    /// A new file in the folder, under a name that nobody else has. A private one is its owner's
    /// alone.
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

    /// Makes a new name last.
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
