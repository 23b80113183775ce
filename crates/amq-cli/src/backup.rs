//! The file that a run replaces, kept under another name.

use crate::temporary::{folder, named};
use anyhow::Context;
use std::fs;
use std::io;
use std::path::Path;

/// Keeps the file as `NAME~`, replacing an older backup.
///
/// A hard link, since the run then replaces the name and not the bytes; a copy where the file
/// system has no links. It is made under another name and renamed: a run that fails here keeps the
/// older backup.
pub(crate) fn keep(path: &Path) -> anyhow::Result<()> {
    let mut kept = path.as_os_str().to_owned();
    kept.push("~");
    let kept = Path::new(&kept);
    let failed = || format!("no backup {} can be made, so nothing was changed", kept.display());
    // Left by a run that was killed after its backup.
    if same_file::is_same_file(path, kept).unwrap_or(false) {
        return Ok(());
    }
    if kept.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory)).with_context(failed);
    }
    let made = named(folder(path), |beside| match fs::hard_link(path, beside) {
        // The name is taken: try another.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => fs::copy(path, beside).map(drop),
        linked => linked,
    });
    let ((), name) = made.with_context(failed)?;
    name.persist(kept).map_err(|refused| refused.error).with_context(failed)
}
