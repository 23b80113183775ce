//! Replaces files atomically.

#[cfg(target_os = "linux")]
use crate::attributes;
use crate::backup;
use crate::exit::note;
use crate::lock::{Locked, Wait};
use crate::temporary::{Temporary, folder};
use amq::Secret;
use anyhow::{Context, anyhow, bail};
use std::cell::RefCell;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// A regular file to be replaced or created.
#[derive(Debug)]
pub(crate) struct Target {
    /// The path of the file itself, with links resolved.
    path: PathBuf,
    /// Whether an existing file may be replaced.
    replace: bool,
    /// Whether the replaced file is kept as `NAME~`.
    backup: bool,
    /// Held since before this run read the file, if it does.
    lock: RefCell<Option<Locked>>,
    wait: Wait,
}

/// What may be done to an existing file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Existing {
    Keep,
    Replace,
    /// Replace it, but not if it is read-only.
    Change,
}

impl Existing {
    /// By whether --force was given.
    pub(crate) const fn forced(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

impl Target {
    /// Follows links. Refuses an unusable path before any work is done.
    pub(crate) fn new(path: &Path, existing: Existing) -> anyhow::Result<Self> {
        let name = path.display();
        if ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|out| path == Path::new(out))
        {
            bail!("{name}: to write to standard output, use -o -");
        }
        let (path, found) = follow(path)?;
        match (found, existing) {
            (None, _) => {
                let folder = folder(&path);
                let is_folder = fs::metadata(folder).is_ok_and(|found| found.is_dir());
                if path.file_name().is_none() || !is_folder {
                    bail!("{name}: there is no folder {}", folder.display());
                }
            }
            (Some(_), Existing::Keep) => bail!("{name}: the file exists; --force replaces it"),
            (Some(found), Existing::Change) if is_read_only(&path, &found) => {
                bail!("{name}: the file is read-only: make it writable, or write another one")
            }
            (Some(_), _) => {}
        }
        Ok(Self {
            path,
            replace: existing != Existing::Keep,
            backup: false,
            lock: RefCell::default(),
            wait: Wait::default(),
        })
    }

    /// Waits until no other run changes the file, then locks it until this is dropped. For runs
    /// that also read the file: otherwise a change made in between would be lost.
    pub(crate) fn lock(&mut self) -> anyhow::Result<()> {
        let lock = if self.replace { Locked::wait(&self.path, self.wait)? } else { None };
        self.lock = lock.into();
        Ok(())
    }

    /// Sets how long to wait for other runs.
    pub(crate) const fn set_wait(&mut self, wait: Wait) {
        self.wait = wait;
    }

    /// Removes the file, which this run created and locked, unless another program has changed it.
    pub(crate) fn remove(&self) {
        if self.lock.borrow().as_ref().is_some_and(|lock| lock.check().is_ok()) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Sets whether a replaced file is kept.
    pub(crate) const fn keep(&mut self, backup: bool) {
        self.backup = backup;
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there was a file to lock.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.borrow().is_some()
    }

    /// Writes a temporary file in the same folder, syncs it, and renames it: whatever happens, the
    /// old file or the new one is there. Without `replace`, a file that has appeared since is an
    /// error. A locked name stays locked. `secret` is the secret that is written, if any: then only
    /// the owner can read the file, unless the replaced file contained the same one.
    pub(crate) fn write(
        &self,
        secret: Option<Secret>,
        write: impl FnOnce(&File) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let folder = folder(&self.path);
        // Opened before anything is changed. An unreadable folder cannot be synced: after a crash,
        // the old file may still be there.
        let opened = if cfg!(unix) { File::open(folder).ok() } else { None };
        let temporary = Temporary::new(folder, secret.is_some() || self.path.exists())?;
        write(temporary.file())?;
        self.publish(temporary, secret)?;
        if let Some(Err(error)) = opened.map(|folder| folder.sync_all()) {
            note(&format!(
                "{}: it is written and in its place, but its folder cannot be synced ({error}): if the \
                 machine fails now, the old state may come back",
                self.path.display()
            ));
        }
        Ok(())
    }

    fn publish(&self, mut temporary: Temporary, secret: Option<Secret>) -> anyhow::Result<()> {
        let held = self.lock.take();
        if let Some(lock) = held {
            lock.check()?;
            let next = Locked::new(temporary.file(), &self.path)?;
            self.put(temporary, secret)?;
            self.lock.replace(Some(next));
            return Ok(());
        }
        temporary.file().sync_all()?;
        loop {
            match temporary.name_new(&self.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                named => return Ok(named?),
            }
            if !self.replace {
                bail!("another run has made this file in the meantime");
            }
            // Otherwise a run that is changing the file could put the old one back.
            if let Some(_lock) = Locked::wait(&self.path, self.wait)? {
                return self.put(temporary, secret);
            }
            if self.path.is_symlink() {
                bail!("this has become a link to nothing in the meantime");
            }
        }
    }

    /// Replaces an existing file; keeps its owner and permissions, unless a new secret is written.
    fn put(&self, temporary: Temporary, secret: Option<Secret>) -> anyhow::Result<()> {
        // The path may have become a device since the run began.
        let old = fs::symlink_metadata(&self.path)?;
        regular(&self.path, &old)?;
        // The access control list first: setting the mode then sets its mask.
        #[cfg(target_os = "linux")]
        let kept = attributes::copy(&self.path, temporary.file())?;
        amq_core::internal::keep_permissions(temporary.file(), &self.path, secret)?;
        #[cfg(target_os = "linux")]
        kept.close(&self.path, temporary.file())?;
        temporary.file().sync_all()?;
        if self.backup {
            backup::keep(&self.path)?;
        }
        temporary.replace(&self.path)?;
        remark(&self.path, &old);
        Ok(())
    }
}

/// The resolved path of a file, and its metadata; `None` if there is no file.
fn follow(path: &Path) -> anyhow::Result<(PathBuf, Option<Metadata>)> {
    let name = || path.display().to_string();
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((path.into(), None)),
        Err(error) => return Err(error).with_context(name),
    };
    let mut own = path.to_owned();
    if found.is_symlink() {
        own = fs::canonicalize(path).map_err(|error| {
            let to = fs::read_link(path).unwrap_or_default();
            anyhow!("{}: a link to {}: {error}", name(), to.display())
        })?;
    }
    let found = fs::metadata(&own).with_context(name)?;
    regular(path, &found)?;
    Ok((own, Some(found)))
}

fn regular(path: &Path, found: &Metadata) -> anyhow::Result<()> {
    let name = path.display();
    if found.is_dir() {
        bail!("{name}: this is a folder");
    }
    if !found.is_file() {
        bail!("{name}: this is not a regular file; to write to a device or a pipe, use -o - and >");
    }
    Ok(())
}

/// Whether a file has no write permission, or this user may not write to it.
fn is_read_only(path: &Path, found: &Metadata) -> bool {
    let denied = || {
        let opened = File::options().write(true).open(path);
        opened.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    };
    found.permissions().readonly() || denied()
}

/// Notes the side effects of replacing a file.
#[cfg(unix)]
fn remark(path: &Path, old: &Metadata) {
    use std::os::unix::fs::MetadataExt;
    let name = path.display();
    match old.nlink() {
        0 | 1 => {}
        2 => note(&format!("{name}: 1 hard link to the old file keeps the old filter")),
        links => {
            let others = links - 1;
            note(&format!("{name}: {others} hard links to the old file keep the old filter"));
        }
    }
    match fs::metadata(path) {
        Ok(new) if new.uid() != old.uid() => {
            note(&format!("{name}: its owner is user {} now, and was {}", new.uid(), old.uid()));
        }
        _ => {}
    }
}

#[cfg(not(unix))]
fn remark(_path: &Path, _old: &Metadata) {}
