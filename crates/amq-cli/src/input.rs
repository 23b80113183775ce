//! Filters as input.

use crate::numbers::grouped;
use crate::output::is_dash;
use crate::stdio;
use amq::{AnyFile, AnyFilter, Budget, ReadError};
use anyhow::{Context, bail};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// Loads a filter from a file or, for `-`, from standard input. All of it is checked.
pub(crate) fn load(path: &Path) -> anyhow::Result<AnyFile> {
    let name = name(path);
    if is_dash(path) {
        let stdin = stdio::stdin()?;
        if stdin.is_terminal() {
            bail!("a filter is binary and cannot be typed: redirect it, or name its file");
        }
        return whole(stdin.lock()).with_context(|| name);
    }
    let found = fs::metadata(path).with_context(|| name.clone())?;
    if found.is_dir() {
        bail!("{name}: this is a folder, not a filter");
    }
    if found.is_file() {
        // Its length is known, and so is the memory that it takes.
        return AnyFile::load(path).map_err(plain).with_context(|| name);
    }
    let file = File::open(path).with_context(|| name.clone())?;
    whole(io::BufReader::with_capacity(1 << 16, file)).with_context(|| name)
}

/// Loads a filter to look keys up in: one whose keys the caller hashed is refused.
pub(crate) fn load_for_keys(path: &Path) -> anyhow::Result<AnyFilter> {
    match load(path)? {
        AnyFile::Keys(filter, _) => Ok(filter),
        AnyFile::Keyed(..) => bail!("{}: its keys are hashed under a secret key", name(path)),
        AnyFile::Hashes(_) => bail!(
            "{}: its keys were hashed by the program that made it, and the file does not say how: \
             only that program can ask it for keys, or give it more",
            name(path)
        ),
    }
}

/// Its name in an error.
pub(crate) fn name(path: &Path) -> String {
    if is_dash(path) { "standard input".into() } else { path.display().to_string() }
}

/// The most specific error.
fn plain(error: ReadError) -> anyhow::Error {
    match error {
        ReadError::Io(error) => error.into(),
        ReadError::Decode(error) => error.into(),
        other => other.into(),
    }
}

/// One filter, and nothing after it.
fn whole(mut reader: impl Read) -> anyhow::Result<AnyFile> {
    let filter = AnyFile::read_from(&mut reader).map_err(plain)?;
    match reader.read(&mut [0])? {
        0 => Ok(filter),
        _ => bail!(
            "something follows the end of the filter: is this two files, one after the other?"
        ),
    }
}

/// The budget of a filter, as its header says (FORMAT.md: the budget's kind at byte 56, its value
/// at 64). `None` if its parameters were given.
pub(crate) fn budget(filter: &AnyFilter) -> Option<Budget> {
    let mut header = Header::default();
    // The writer is full after the header, which is all that is wanted.
    let _ = filter.write_to(&mut header);
    let word = |at: usize| {
        let bytes = header.0.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let value = word(64)?;
    match word(56)? {
        1 => Some(Budget::Fpr(f64::from_bits(value))),
        2 => Some(Budget::BitsPerKey(f64::from_bits(value))),
        3 => Some(Budget::Bytes(value)),
        _ => None,
    }
}

/// A writer that takes the header and refuses the rest.
#[derive(Default)]
struct Header(Vec<u8>);

impl io::Write for Header {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = 192usize.saturating_sub(self.0.len()).min(bytes.len());
        self.0.extend_from_slice(&bytes[..room]);
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A budget in words.
pub(crate) fn budget_text(budget: Budget) -> String {
    match budget {
        Budget::Fpr(fpr) => format!("a rate of {}", crate::numbers::rate_text(fpr)),
        Budget::BitsPerKey(bits) => format!("{bits} bits per key"),
        Budget::Bytes(bytes) => format!("{} bytes", grouped(bytes)),
    }
}
