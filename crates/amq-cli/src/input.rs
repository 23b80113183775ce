//! Loads filters.

use crate::exit;
use crate::form::Form;
#[cfg(unix)]
use crate::key_file::quoted;
use crate::numbers::grouped;
use crate::stdio::{self, is_dash};
use amq::format::{FileInfo, HEADER, HashedBy};
use amq::{
    AnyFile, AnyFilter, Budget, DecodeError, FilterFile, FilterKind, LoadOptions, ReadError,
    Secret, SipKey,
};
use anyhow::{Context, anyhow, bail};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// Loads a filter from a file or, for `-`, from standard input, and checks it completely. `key` is
/// the secret key of a file that omits it.
pub(crate) fn load(path: &Path, key: Option<SipKey>) -> anyhow::Result<AnyFile> {
    Ok(load_with(path, key.map(Secret::Key), None, plain)?.1)
}

/// Loads as much of a filter as fits a smaller budget, in no more memory than that.
pub(crate) fn load_within(
    path: &Path,
    key: Option<SipKey>,
    budget: Budget,
) -> anyhow::Result<AnyFile> {
    Ok(load_with(path, key.map(Secret::Key), Some(budget), plain)?.1)
}

/// Loads a filter to be merged with others. If its key is wrong, no --key-file may fit all of them:
/// the error says so.
pub(crate) fn load_to_merge(path: &Path, key: Option<SipKey>) -> anyhow::Result<AnyFile> {
    let explain = |error| match error {
        ReadError::Decode(DecodeError::OtherKey) => anyhow!(
            "its keys are not hashed under the key of --key-file, as those of all filters must be to \
             be merged: give the key file that fits all of them, or build those under another secret \
             key again, from their keys"
        ),
        ReadError::Decode(DecodeError::NotKeyed) => anyhow!(
            "its keys are hashed under a seed, and no such filter can be merged with one under a \
             secret key: leave --key-file out if all are under a seed, or build one again, from its \
             keys"
        ),
        other => plain(other),
    };
    Ok(load_with(path, key.map(Secret::Key), None, explain)?.1)
}

/// Loads a filter for inspection, even if its file omits the seed or key, and its header.
pub(crate) fn look(path: &Path) -> anyhow::Result<(FileInfo, AnyFile)> {
    load_with(path, Some(Secret::Unknown), None, plain)
}

/// `explain` turns a read error into this command's, with its way out.
fn load_with(
    path: &Path,
    secret: Option<Secret>,
    budget: Option<Budget>,
    explain: fn(ReadError) -> anyhow::Error,
) -> anyhow::Result<(FileInfo, AnyFile)> {
    let mut options = LoadOptions::new();
    if let Some(secret) = secret {
        options = options.secret(secret);
    }
    if let Some(budget) = budget {
        options = options.budget(budget);
    }
    let name = name(path);
    if is_dash(path) {
        let stdin = stdio::stdin()?;
        if stdin.is_terminal() {
            bail!("a filter is binary and cannot be typed: redirect it, or name its file");
        }
        return whole(stdin.lock(), options, explain).with_context(|| name);
    }
    let found = fs::metadata(path).with_context(|| name.clone())?;
    if found.is_dir() {
        bail!("{name}: this is a folder, not a filter");
    }
    if found.is_file() {
        // A regular file's length bounds the memory needed.
        let load = || {
            let file: AnyFile = options.load(path)?;
            let mut header = Vec::new();
            File::open(path)?.take(HEADER as u64).read_to_end(&mut header)?;
            let info = FileInfo::of(&header)?;
            if info.hashed_by == HashedBy::Key && !info.withheld {
                warn_if_public(path, &found);
            }
            Ok((info, file))
        };
        return load().map_err(explain).map_err(|error| hinted(error, path)).with_context(|| name);
    }
    let file = File::open(path).with_context(|| name.clone())?;
    whole(io::BufReader::with_capacity(1 << 16, file), options, explain).with_context(|| name)
}

/// Adds to an error what the file is instead of a filter, if known.
fn hinted(error: anyhow::Error, path: &Path) -> anyhow::Error {
    let program = Form::of_file(path).and_then(Form::decompressor);
    match program.filter(|_| matches!(error.downcast_ref(), Some(DecodeError::Magic))) {
        Some(program) => {
            let how = format!("this is compressed: {program} {} > FILE", path.display());
            error.context(how)
        }
        None => error,
    }
}

/// Warns if a file with a secret key in it is readable by other users.
#[cfg(unix)]
fn warn_if_public(path: &Path, found: &fs::Metadata) {
    use std::os::unix::fs::PermissionsExt;

    let mode = found.permissions().mode() & 0o777;
    if mode & 0o044 != 0 {
        exit::note(&format!(
            "warning: {}: it contains its secret key, and users other than its owner can read it (its mode is \
             {mode:03o}): chmod 600 {}; and if someone may have read it, build it under a new key",
            path.display(),
            quoted(path)
        ));
    }
}

#[cfg(not(unix))]
fn warn_if_public(_: &Path, _: &fs::Metadata) {}

/// Loads a filter to look up keys. Refuses one whose keys were hashed by its caller.
pub(crate) fn load_for_keys(path: &Path, key: Option<SipKey>) -> anyhow::Result<AnyFile> {
    match load(path, key)? {
        AnyFile::Hashes(_) => bail!(
            "{}: its keys were hashed by the program that made it, and the file does not say how: \
             only that program can look up keys in it, or insert more",
            name(path)
        ),
        file => Ok(file),
    }
}

/// Its name in an error.
pub(crate) fn name(path: &Path) -> String {
    if is_dash(path) { "standard input".into() } else { path.display().to_string() }
}

/// The most specific error, with this command's way out.
pub(crate) fn plain(error: ReadError) -> anyhow::Error {
    match error {
        ReadError::Io(error) => error.into(),
        ReadError::Decode(DecodeError::KeyWithheld) => anyhow!(
            "its keys are hashed under a secret key, which it does not contain: give --key-file"
        ),
        ReadError::Decode(DecodeError::OtherKey) => anyhow!(
            "the key of --key-file is not the one that its keys are hashed under: give that one"
        ),
        ReadError::Decode(DecodeError::NotKeyed | DecodeError::Prehashed) => {
            anyhow!("its keys are not hashed under a secret key: leave --key-file out")
        }
        ReadError::Decode(DecodeError::SeedWithheld) => anyhow!(
            "it omits the seed that its keys are hashed with: only the program that made it can look up \
             keys in it, or insert more"
        ),
        ReadError::Decode(
            error @ DecodeError::UnsupportedKind { found: FilterKind::Interleaved },
        ) => {
            let way = "it has a bin for each of many sets: amq info says how many, and amq bins query asks them";
            anyhow::Error::new(error).context(way)
        }
        ReadError::Decode(error) => error.into(),
        other => other.into(),
    }
}

/// Reads one filter; anything after it is an error.
fn whole(
    mut reader: impl Read,
    options: LoadOptions,
    explain: fn(ReadError) -> anyhow::Error,
) -> anyhow::Result<(FileInfo, AnyFile)> {
    let mut header = Vec::new();
    reader.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    let mut again = (&*header).chain(&mut reader);
    let file: AnyFile = options.read_from(&mut again).map_err(explain)?;
    match reader.read(&mut [0])? {
        0 => Ok((FileInfo::of(&header)?, file)),
        _ => Err(Followed.into()),
    }
}

/// The stream continues after the filter.
#[derive(Debug)]
pub(crate) struct Followed;

impl std::fmt::Display for Followed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "there are bytes after the end of the filter: are these two files, one after the other?",
        )
    }
}

impl std::error::Error for Followed {}

/// The budget of a filter, as its header says (FORMAT.md: the budget's kind at byte 56, its value
/// at 64). `None` if its parameters were given.
pub(crate) fn budget(filter: &AnyFilter) -> Option<Budget> {
    let header = begun(|to| filter.write_to(to));
    let word = |at: usize| header[at..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    let value = word(64)?;
    match word(56)? {
        1 => Some(Budget::Fpr(f64::from_bits(value))),
        2 => Some(Budget::BitsPerKey(f64::from_bits(value))),
        3 => Some(Budget::Bytes(value)),
        _ => None,
    }
}

/// The header of a filter's file.
pub(crate) fn header(file: &AnyFile) -> anyhow::Result<FileInfo> {
    Ok(FileInfo::of(&begun(|to| file.write_to(to)))?)
}

/// The header that `write` begins with.
fn begun(write: impl FnOnce(&mut [u8]) -> io::Result<()>) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    // Fails after the header, as there is no room for the rest.
    let _ = write(&mut header);
    header
}

/// A budget in words.
pub(crate) fn budget_text(budget: Budget) -> String {
    match budget {
        Budget::Fpr(fpr) => format!("a rate of {}", crate::numbers::rate_text(fpr)),
        Budget::BitsPerKey(bits) => format!("{bits} bits per key"),
        Budget::Bytes(bytes) => format!("{} bytes", grouped(bytes)),
    }
}
