//! The user's own keys, one per line.
//!
//! A line ends with a newline, with or without a carriage return before it; the last line needs
//! none. Keys are bytes of any encoding. Empty lines and repeated keys are dropped and counted.

use crate::error::BenchError;
use crate::scenarios::keys::Arena;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The fewest distinct keys: measuring a filter of fewer than a hundred keys is meaningless.
const MIN_KEYS: u64 = 200;

/// The most bytes read: the keys, their copies and the filters must fit in memory.
const MAX_BYTES: u64 = 4 << 30;

/// A source's counts before keys were taken from it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Source {
    /// Distinct keys it has; `None` if it generates any number.
    pub(crate) distinct: Option<u64>,
    pub(crate) empty_lines: u64,
    /// Repeated keys that were dropped.
    pub(crate) duplicates: u64,
}

#[derive(Debug)]
pub struct FileKeys {
    /// The file's name without its folder, or `stdin`.
    pub(crate) name: String,
    /// In the order of their first appearance.
    pub(crate) keys: Arena,
    /// The numbers of keys and of dropped lines.
    pub(crate) source: Source,
    /// XXH3-64 of the whole file, so that a resumed run uses the same keys.
    pub(crate) digest: u64,
}

/// Reads a key file; `-` is standard input.
pub fn read(path: &Path) -> Result<FileKeys, BenchError> {
    let (found, file) = if path == Path::new("-") {
        let stdin = io::stdin().lock();
        if stdin.is_terminal() {
            eprintln!("Reading keys, one per line, until the end of input (Ctrl-D).");
        }
        (read_from(Ok(stdin), "stdin"), "standard input".to_owned())
    } else {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        (read_from(File::open(path), &name), format!("the key file {}", path.display()))
    };
    found.map_err(|reason| BenchError::KeyFile(file, reason))
}

fn read_from(input: io::Result<impl Read>, name: &str) -> Result<FileKeys, String> {
    let mut bytes = Vec::new();
    // Counted while reading, since a pipe or a device has no known length.
    let read = input.and_then(|input| input.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|reason| {
        format!("cannot be read: {reason}. It must be a text file with one key per line")
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!(
            "is larger than {MAX_BYTES} bytes, the most this reads: take a sample of its lines"
        ));
    }
    let (keys, source) = parse(&bytes);
    let Source { distinct, duplicates, empty_lines } = source;
    match distinct.unwrap_or(0) {
        distinct @ ..MIN_KEYS => Err(format!(
            "has {distinct} distinct keys (repeats left out: {duplicates}, empty lines: \
             {empty_lines}), but at least {MIN_KEYS} are needed: half of them go into the filters, \
             half are queried as absent"
        )),
        _ => Ok(FileKeys { name: name.to_owned(), keys, source, digest: xxh3_64(&bytes) }),
    }
}

fn parse(bytes: &[u8]) -> (Arena, Source) {
    let (mut keys, mut source) = (Vec::new(), Source::default());
    let mut seen = HashSet::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let key = line.strip_suffix(b"\n").unwrap_or(line);
        match key.strip_suffix(b"\r").unwrap_or(key) {
            [] => source.empty_lines += 1,
            key if seen.insert(key) => keys.push(key),
            _ => source.duplicates += 1,
        }
    }
    source.distinct = Some(keys.len() as u64);
    (keys.into_iter().collect(), source)
}
