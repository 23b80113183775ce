//! The user's own keys: one a line.
//!
//! A line ends with a newline, with or without a carriage return before it; the last line needs
//! none. Keys are bytes, so any encoding will do. Empty lines are skipped and repeated keys
//! dropped, and both are counted.

use crate::keys::{Arena, Source};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use thiserror::Error;

/// The fewest distinct keys to measure with: a filter of less than a hundred keys tells nothing.
const MIN_KEYS: u64 = 200;

/// The most bytes read. Beyond this the keys, their copies and the filters would not fit in most
/// memories.
const MAX_BYTES: u64 = 4 << 30;

/// Distinct keys from a file.
#[derive(Debug)]
pub struct FileKeys {
    /// The file's name without its folder, so that records reveal no path, or `stdin`.
    pub name: String,
    /// The keys, in the order of their first appearance.
    pub keys: Arena,
    /// The counts: distinct keys, and what was left out.
    pub source: Source,
    /// XXH3-64 of the whole file, so that a resumed run uses the same keys.
    pub digest: u64,
}

/// Why a file yields no keys. Names the file as given, or standard input.
#[derive(Debug, Error)]
#[error("{file} {reason}")]
pub struct KeyFileError {
    file: String,
    reason: Reason,
}

#[derive(Debug, Error)]
enum Reason {
    #[error("cannot be read: {0}. It must be a text file with one key per line")]
    Read(io::Error),
    #[error("is a directory: name a file with one key per line")]
    Directory,
    #[error("is larger than {MAX_BYTES} bytes, the most this reads: take a sample of its lines")]
    TooLarge,
    #[error(
        "has {distinct} distinct keys (repeats left out: {}, empty lines: {}), but at least \
         {MIN_KEYS} are needed: half of them go into the filters, half are queried as absent",
        .counts.duplicates, .counts.empty_lines
    )]
    TooFew { distinct: u64, counts: Source },
}

/// Reads a key file; `-` is standard input.
pub fn read(path: &Path) -> Result<FileKeys, KeyFileError> {
    if path == Path::new("-") {
        let stdin = io::stdin().lock();
        if stdin.is_terminal() {
            eprintln!("Reading keys, one per line, until the end of input (Ctrl-D).");
        }
        return named(read_from(stdin, "stdin"), "standard input".to_owned());
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let found = match File::open(path) {
        Ok(_) if path.is_dir() => Err(Reason::Directory),
        Ok(open) => read_from(open, &name),
        Err(reason) => Err(Reason::Read(reason)),
    };
    named(found, format!("the key file {}", path.display()))
}

fn named<T>(found: Result<T, Reason>, file: String) -> Result<T, KeyFileError> {
    found.map_err(|reason| KeyFileError { file, reason })
}

fn read_from(input: impl Read, name: &str) -> Result<FileKeys, Reason> {
    let mut bytes = Vec::new();
    // Counted while reading: a pipe or a device has no length to look at first.
    let mut input = input.take(MAX_BYTES + 1);
    input.read_to_end(&mut bytes).map_err(Reason::Read)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Reason::TooLarge);
    }
    let (keys, source) = parse(&bytes);
    let distinct = keys.len() as u64;
    if distinct < MIN_KEYS {
        return Err(Reason::TooFew { distinct, counts: source });
    }
    Ok(FileKeys { name: name.to_owned(), keys, source, digest: xxhash_rust::xxh3::xxh3_64(&bytes) })
}

fn parse(bytes: &[u8]) -> (Arena, Source) {
    let mut source = Source::default();
    let mut seen = HashSet::new();
    let mut keys = Arena::default();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let key = line.strip_suffix(b"\r").unwrap_or(line);
        if key.is_empty() {
            source.empty_lines += 1;
        } else if seen.insert(key) {
            keys.push(key);
        } else {
            source.duplicates += 1;
        }
    }
    source.distinct = Some(keys.len() as u64);
    (keys, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_keys_however_they_end_and_whatever_they_are_made_of() {
        for (text, keys, empty_lines, duplicates) in [
            (&b"a\nb\n"[..], &[&b"a"[..], b"b"][..], 0, 0),
            (b"a\r\nb", &[b"a", b"b"], 0, 0),
            (b"a\n\n\r\nb\na\r\n", &[b"a", b"b"], 2, 1),
            (b"\xFF\xFE\n \n", &[b"\xFF\xFE", b" "], 0, 0),
            (b"", &[], 0, 0),
            (b"\n", &[], 1, 0),
        ] {
            let (found, source) = parse(text);
            assert_eq!(found.iter().collect::<Vec<_>>(), keys, "{text:?}");
            let counts = (source.empty_lines, source.duplicates);
            assert_eq!(counts, (empty_lines, duplicates), "{text:?}");
        }
    }
}
