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
pub const MIN_KEYS: u64 = 200;

/// The most bytes read. Beyond this the keys, their copies and the filters would not fit in most
/// memories.
pub const MAX_BYTES: u64 = 4 << 30;

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

/// Why a file yields no keys. Each error names the file as given, or standard input.
#[derive(Debug, Error)]
pub enum KeyFileError {
    /// It could not be opened or read.
    #[error("{file} cannot be read: {reason}. It must be a text file with one key per line")]
    Read {
        /// Which file.
        file: String,
        /// The system's reason.
        reason: io::Error,
    },
    /// It is a directory.
    #[error("{file} is a directory: name a file with one key per line")]
    Directory {
        /// Which file.
        file: String,
    },
    /// It is too large.
    #[error("{file} is larger than {limit} bytes, the most this reads: take a sample of its lines")]
    TooLarge {
        /// Which file.
        file: String,
        /// The limit.
        limit: u64,
    },
    /// It has too few distinct keys.
    #[error(
        "{file} has {distinct} distinct keys (repeats left out: {duplicates}, empty lines: \
         {empty_lines}), but at least {MIN_KEYS} are needed: half of them go into the filters, \
         half are queried as absent"
    )]
    TooFew {
        /// Which file.
        file: String,
        /// How many there are.
        distinct: u64,
        /// Repeated keys.
        duplicates: u64,
        /// Empty lines.
        empty_lines: u64,
    },
}

/// Reads a key file; `-` is standard input.
pub fn read(path: &Path) -> Result<FileKeys, KeyFileError> {
    if path == Path::new("-") {
        let stdin = io::stdin().lock();
        if stdin.is_terminal() {
            eprintln!("Reading keys, one per line, until the end of input (Ctrl-D).");
        }
        return read_from(stdin, "standard input".to_owned(), "stdin");
    }
    let file = format!("the key file {}", path.display());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match File::open(path) {
        Ok(_) if path.is_dir() => Err(KeyFileError::Directory { file }),
        Ok(open) => read_from(open, file, &name),
        Err(reason) => Err(KeyFileError::Read { file, reason }),
    }
}

fn read_from(input: impl Read, file: String, name: &str) -> Result<FileKeys, KeyFileError> {
    let mut bytes = Vec::new();
    // Counted while reading: a pipe or a device has no length to look at first.
    if let Err(reason) = input.take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        return Err(KeyFileError::Read { file, reason });
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(KeyFileError::TooLarge {
            file,
            limit: MAX_BYTES,
        });
    }
    let (keys, source) = parse(&bytes);
    let distinct = keys.len() as u64;
    if distinct < MIN_KEYS {
        return Err(KeyFileError::TooFew {
            file,
            distinct,
            duplicates: source.duplicates,
            empty_lines: source.empty_lines,
        });
    }
    Ok(FileKeys {
        name: name.to_owned(),
        keys,
        source,
        digest: xxhash_rust::xxh3::xxh3_64(&bytes),
    })
}

fn parse(bytes: &[u8]) -> (Arena, Source) {
    let mut source = Source::default();
    let mut seen = HashSet::new();
    let mut keys = Arena::default();
    // Text after the last newline is a line only if it is not empty.
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = text.split(|&byte| byte == b'\n');
    for line in lines.take(if bytes.is_empty() { 0 } else { usize::MAX }) {
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
    use std::io::Write;

    fn parsed(text: &[u8]) -> (Vec<Vec<u8>>, u64, u64) {
        let (keys, source) = parse(text);
        (
            keys.iter().map(<[u8]>::to_vec).collect(),
            source.empty_lines,
            source.duplicates,
        )
    }

    #[test]
    fn lines_are_keys_however_they_end_and_whatever_they_are_made_of() {
        let ab = vec![b"a".to_vec(), b"b".to_vec()];
        assert_eq!(parsed(b"a\nb\n"), (ab.clone(), 0, 0));
        assert_eq!(parsed(b"a\r\nb"), (ab.clone(), 0, 0));
        assert_eq!(parsed(b"a\n\n\r\nb\na\r\n"), (ab, 2, 1));
        assert_eq!(
            parsed(b"\xFF\xFE\n \n"),
            (vec![b"\xFF\xFE".to_vec(), b" ".to_vec()], 0, 0)
        );
        assert_eq!(parsed(b""), (vec![], 0, 0));
        assert_eq!(parsed(b"\n"), (vec![], 1, 0));
    }

    #[test]
    fn files_that_cannot_be_measured_with_say_why() {
        let dir = tempfile::tempdir().unwrap();
        let missing = read(&dir.path().join("no-such-file"))
            .unwrap_err()
            .to_string();
        assert!(
            missing.contains("no-such-file") && missing.contains("one key per line"),
            "{missing}"
        );
        assert!(matches!(
            read(dir.path()),
            Err(KeyFileError::Directory { .. })
        ));
        let mut file = tempfile::NamedTempFile::new().unwrap();
        assert!(matches!(
            read(file.path()),
            Err(KeyFileError::TooFew { distinct: 0, .. })
        ));
        for key in 0..MIN_KEYS {
            writeln!(file, "{key}").unwrap();
        }
        let keys = read(file.path()).unwrap();
        assert_eq!(keys.source.distinct, Some(MIN_KEYS));
        assert!(!keys.name.contains('/'));
    }
}
