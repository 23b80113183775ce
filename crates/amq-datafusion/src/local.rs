//! Sources of filter files, and local files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// A source of filter files: [`LocalFiles`], or another one of the host, such as the object stores
/// of its session (`ObjectStoreFiles`, with the feature `object-store`).
pub trait FilterFiles: std::fmt::Debug + Send + Sync {
    /// The first `most` bytes of a file; all of them if it is shorter.
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>>;

    /// How long a header is cached before it is read again to detect a replaced file. The default
    /// is zero, which reads the header once per batch; raise it where that is costly.
    fn believed_for(&self) -> Duration {
        Duration::ZERO
    }
}

/// Files of this machine, or of a shared file system: `/srv/filters/f.amq`, or
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
        // Not a pipe, which would block, nor an endless device.
        if !std::fs::metadata(&path)?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// The path in the local file system; `None` if it is elsewhere.
pub(crate) fn local(path: &str) -> Option<PathBuf> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    (!path.contains("://")).then(|| PathBuf::from(path))
}

/// Whether a path is in a folder, with links resolved if it is local.
pub(crate) fn lies_in(path: &str, folder: &str) -> bool {
    match (local(path), local(folder)) {
        (Some(path), Some(folder)) => match (path.canonicalize(), folder.canonicalize()) {
            (Ok(path), Ok(folder)) => path.starts_with(folder),
            // Reports a missing file as missing rather than not allowed, but only within the
            // folder.
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

/// Whether a path is unambiguous for any URL parser: without escapes, empty parts or `..`.
fn plain(path: &str) -> bool {
    let odd = |c: char| c.is_control() || matches!(c, '%' | '\\' | '?' | '#');
    !path.contains(odd) && path.trim() == path && !climbs(Path::new(path))
}

fn climbs(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}
