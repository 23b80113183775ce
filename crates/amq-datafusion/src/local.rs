//! Where filters are read from, and the files of this machine.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Where filters are read from. [`LocalFiles`] unless the host has something else, such as the
/// object stores of its session (`ObjectStoreFiles`, with the feature `object-store`).
pub trait FilterFiles: std::fmt::Debug + Send + Sync {
    /// The first `most` bytes of a file; all of them if it is shorter.
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>>;

    /// For how long the header of a file is believed before it is read again, to see whether the
    /// file was replaced. Not at all unless it is costly: the header is read once a batch then.
    fn believed_for(&self) -> Duration {
        Duration::ZERO
    }
}

/// Files of this machine, or of a file system it shares with others: `/srv/filters/f.amq`, or
/// `file:///srv/filters/f.amq`, without escapes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LocalFiles;

impl FilterFiles for LocalFiles {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let path = local(path).ok_or_else(|| {
            io::Error::other(
                "this host reads local files only: it names the session's object stores with \
                 ContainsFile::from_files(ObjectStoreFiles)",
            )
        })?;
        // Not a pipe, which would be waited for, nor a device without end.
        if !std::fs::metadata(&path)?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The path in the file system; `None` if it is in another one.
pub(crate) fn local(path: &str) -> Option<PathBuf> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    (!path.contains("://")).then(|| PathBuf::from(path))
}

/// Whether a path, after all links are followed if it is a local one, lies in a folder.
pub(crate) fn lies_in(path: &str, folder: &str) -> bool {
    match (local(path), local(folder)) {
        (Some(path), Some(folder)) => match (path.canonicalize(), folder.canonicalize()) {
            (Ok(path), Ok(folder)) => path.starts_with(folder),
            // What is not there is told apart from what is not allowed, but only within the folder.
            (Err(_), _) => !climbs(&path) && path.starts_with(folder),
            _ => false,
        },
        (None, None) => {
            let rest = path.strip_prefix(folder.trim_end_matches('/'));
            plain(path) && rest.is_some_and(|rest| rest.starts_with('/'))
        }
        _ => false,
    }
}

/// Whether every reader of URLs takes a path for what it looks like: none unescapes a part of it,
/// drops one, or climbs.
fn plain(path: &str) -> bool {
    let odd = |c: char| c.is_control() || matches!(c, '%' | '\\' | '?' | '#');
    !path.contains(odd) && path.trim() == path && !climbs(Path::new(path))
}

fn climbs(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}
