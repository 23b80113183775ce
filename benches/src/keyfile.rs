//! The user's own keys: one a line.
//!
//! A line ends with a newline, with or without a carriage return before it; the last line needs none. Keys are bytes, so
//! any encoding will do. Empty lines are skipped and repeated keys dropped, and both are counted.

use crate::keys::Arena;
use crate::keysets::Source;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The fewest distinct keys that can be measured with: a filter of less than a hundred keys says nothing.
pub const MIN_KEYS: u64 = 200;

/// The most bytes that are read. Beyond it the keys, their copies and the filters would not fit in most memories.
pub const MAX_BYTES: u64 = 4 << 30;

/// Distinct keys out of a file.
#[derive(Debug)]
pub struct FileKeys {
    /// The file's name, without its folder: records name no place on anybody's disk.
    pub name: String,
    /// The keys, in the order of their first appearance.
    pub keys: Arena,
    /// How many there are, and what was left out.
    pub source: Source,
    /// XXH3-64 of the whole file, so that a resumed run is of the same keys.
    pub digest: u64,
}

/// Why a file gave no keys.
#[derive(Debug, Error)]
pub enum KeyFileError {
    /// It could not be opened or read.
    #[error(
        "the key file {path} cannot be read: {source}. It must be a text file with one key a line"
    )]
    Read {
        /// The path as it was given.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is a directory.
    #[error("the key file {path} is a directory: name a file in it, with one key a line")]
    Directory {
        /// The path as it was given.
        path: PathBuf,
    },
    /// It is larger than can be measured with.
    #[error(
        "the key file {path} has more than {limit} bytes, the most that are read: take a sample of its lines"
    )]
    TooLarge {
        /// The path as it was given.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// It has too few distinct keys.
    #[error(
        "the key file {path} has {distinct} distinct keys ({duplicates} repeated ones and {empty_lines} empty lines were \
         left out), and at least {MIN_KEYS} are needed: half of them go into the filters, half are asked for in vain"
    )]
    TooFew {
        /// The path as it was given.
        path: PathBuf,
        /// How many there are.
        distinct: u64,
        /// Repeated keys.
        duplicates: u64,
        /// Empty lines.
        empty_lines: u64,
    },
}

/// Reads a key file.
pub fn read(path: &Path) -> Result<FileKeys, KeyFileError> {
    let failed = |source| KeyFileError::Read {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(KeyFileError::Directory {
            path: path.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    // Counted while reading: a pipe or a device has no length to look at first.
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(KeyFileError::TooLarge {
            path: path.to_owned(),
            limit: MAX_BYTES,
        });
    }
    let (keys, source) = parse(&bytes);
    let distinct = keys.len() as u64;
    if distinct < MIN_KEYS {
        return Err(KeyFileError::TooFew {
            path: path.to_owned(),
            distinct,
            duplicates: source.duplicates,
            empty_lines: source.empty_lines,
        });
    }
    Ok(FileKeys {
        name: path.file_name().map_or_else(
            || "keys".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        ),
        keys,
        source,
        digest: xxhash_rust::xxh3::xxh3_64(&bytes),
    })
}

fn parse(bytes: &[u8]) -> (Arena, Source) {
    let mut source = Source::default();
    let mut seen = HashSet::new();
    let mut keys = Arena::default();
    // What follows the last newline is a line only if there is something.
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
            missing.contains("no-such-file") && missing.contains("one key a line"),
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
