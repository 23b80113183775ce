//! Files that get their name once they are complete.
//!
//! On most file systems, Linux can create a file without a name, which vanishes if the run is
//! killed. Elsewhere it is called `.amq-` and random letters from the start. To replace a file,
//! both need such a name: renaming can replace a file, linking cannot.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tempfile::{Builder, TempPath};

/// A file that is removed unless it gets a name.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: File,
    /// Its temporary name, if any.
    name: Option<TempPath>,
}

impl Temporary {
    /// A private file is readable only by its owner until its mode is set: it holds a secret, or
    /// may replace a private file.
    pub(crate) fn new(folder: &Path, private: bool) -> io::Result<Self> {
        match unnamed::create(folder, private)? {
            Some(file) => Ok(Self { file, name: None }),
            None => Self::named(folder, private),
        }
    }

    fn named(folder: &Path, private: bool) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        if private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let _ = private;
        let (file, name) = named(folder, |path| options.open(path))?;
        Ok(Self { file, name: Some(name) })
    }

    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file a new name. If the name is taken, another can be tried.
    pub(crate) fn name_new(&mut self, path: &Path) -> io::Result<()> {
        let Some(name) = self.name.take() else {
            return unnamed::link(&self.file, path);
        };
        name.persist_noclobber(path).map_err(|refused| {
            self.name = Some(refused.path);
            refused.error
        })
    }

    /// Gives the file the name of another file, which it replaces.
    pub(crate) fn replace(mut self, path: &Path) -> io::Result<()> {
        let name = match self.name.take() {
            Some(name) => name,
            None => named(folder(path), |name| unnamed::link(&self.file, name))?.1,
        };
        name.persist(path).map_err(|refused| refused.error)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        drop(self.name.take());
        set_unfinished(None);
    }
}

/// The folder that contains a file.
pub(crate) fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates something under an unused name.
pub(crate) fn named<T>(
    folder: &Path,
    mut make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<(T, TempPath)> {
    let mut builder = Builder::new();
    builder.prefix(".amq-").suffix(".tmp").rand_bytes(12);
    let made = builder.make_in(folder, |name| {
        // Locked until the file exists: a signal ends the run either before that or with its
        // removal.
        let mut unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        *unfinished = Some(name.to_owned());
        make(name)
    })?;
    Ok(made.into_parts())
}

/// The name of this run's temporary file, to be removed if the run is interrupted.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

fn set_unfinished(path: Option<&Path>) {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = path.map(Path::to_owned);
}

/// Removes the temporary file; for when a signal ends the run.
pub(crate) fn remove_unfinished() {
    let unfinished = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(path) = &*unfinished {
        let _ = fs::remove_file(path);
    }
    // Never unlocked, so that no other file is created before the process ends.
    std::mem::forget(unfinished);
}

#[cfg(target_os = "linux")]
mod unnamed {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    /// A file without a name; `None` where the file system has none.
    pub(super) fn create(folder: &Path, private: bool) -> io::Result<Option<File>> {
        let mode = Mode::from_raw_mode(if private { 0o600 } else { 0o666 });
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match open(folder, flags, mode) {
            Ok(file) => {
                let file = File::from(file);
                // Naming it needs /proc.
                Ok(path(&file).symlink_metadata().is_ok().then_some(file))
            }
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn path(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}

#[cfg(not(target_os = "linux"))]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn create(_folder: &Path, _private: bool) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Never called: on these systems every file has a name.
    pub(super) fn link(_file: &File, _name: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// With unnamed files, and without.
    const WAYS: [fn(&Path, bool) -> io::Result<Temporary>; 2] = [Temporary::new, Temporary::named];

    #[test]
    fn a_temporary_file_gets_a_new_name_or_that_of_another() {
        for way in WAYS {
            let room = tempfile::tempdir().unwrap();
            let target = room.path().join("f");
            let mut first = way(room.path(), true).unwrap();
            first.file().write_all(b"first").unwrap();
            first.name_new(&target).unwrap();
            drop(first);
            assert_eq!(fs::read(&target).unwrap(), b"first");
            let mut second = way(room.path(), true).unwrap();
            second.file().write_all(b"second").unwrap();
            let refused = second.name_new(&target).unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(fs::read(&target).unwrap(), b"first");
            second.replace(&target).unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"second");
            assert_eq!(names(room.path()), ["f"]);
        }
    }

    #[test]
    fn what_gets_no_name_leaves_nothing() {
        for way in WAYS {
            let room = tempfile::tempdir().unwrap();
            drop(way(room.path(), true).unwrap());
            assert!(names(room.path()).is_empty());
            let folder = room.path().join("folder");
            fs::create_dir(&folder).unwrap();
            way(room.path(), true).unwrap().replace(&folder).unwrap_err();
            assert_eq!(names(room.path()), ["folder"]);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_has_files_without_a_name() {
        let room = tempfile::tempdir().unwrap();
        let file = Temporary::new(room.path(), false).unwrap();
        if file.name.is_some() {
            println!("SKIPPED: this file system has no files without a name");
            return;
        }
        assert!(names(room.path()).is_empty());
    }
}
