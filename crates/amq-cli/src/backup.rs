//! The file that a run replaces, kept under another name.

use crate::output::is_dash;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file to be kept, if that is wanted: the one that `output` names, or the filter's own.
pub(crate) fn wanted<'a>(
    backup: bool,
    output: Option<&'a Path>,
    filter: &'a Path,
) -> anyhow::Result<Option<&'a Path>> {
    let path = output.unwrap_or(filter);
    if backup && is_dash(path) {
        bail!("--backup: standard output replaces no file");
    }
    Ok(backup.then_some(path))
}

/// Keeps the file as `NAME~`, replacing one that is there. Nothing is done if there is no file.
///
/// A link to the same file, since what follows replaces the name and not the bytes; a copy where a
/// file system has no links. It is made beside its place and renamed: a run that fails here leaves
/// the older backup.
pub(crate) fn keep(path: &Path) -> anyhow::Result<()> {
    // Of a symbolic link, what it leads to.
    let Ok(path) = path.canonicalize() else {
        return Ok(());
    };
    let kept = name(&path);
    let failed = || format!("{}: no backup could be made, so nothing was changed", kept.display());
    if same_file::is_same_file(&path, &kept).unwrap_or(false) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut prefix = OsString::from(".");
    prefix.push(kept.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    let made = builder.prefix(&prefix).suffix(".tmp").make_in(folder, |beside| {
        match fs::hard_link(&path, beside) {
            // The name is taken: another one is tried.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            Err(_) => fs::copy(&path, beside).map(drop),
            linked => linked,
        }
    });
    made.and_then(|made| made.into_temp_path().persist(&kept).map_err(Into::into))
        .with_context(failed)
}

/// `NAME~`.
fn name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("~");
    name.into()
}
