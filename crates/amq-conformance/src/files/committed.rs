//! Golden files: what was once written is written and read the same, on every machine, forever.

use super::ways::{FileFilter, decode, encoded};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::index::remix;
use amq_core::{Key, KeyHash, Prehashed};
use std::fs;
use std::path::PathBuf;

/// The first absent key of the stream that golden files are asked for, and how many are asked.
const STREAM: u64 = 1_000_000;
const ASKED: u64 = 100_000;

/// The committed file `tests/golden/<name>.amq` of a filter in one state: it is the file that
/// `filter` is written as, the filter that is read from it is `filter`, the keys `0..keys` are in
/// it, and of the stream `1_000_000, 1_000_001, ...` it answers `true` first for the keys that
/// `<name>.txt` names.
pub fn golden<F: FileFilter>(root: &str, name: &str, keys: u64, filter: &F) -> Verdict {
    let (seed, bytes) = (filter.seed(), encoded(filter)?);
    let read = decode::<F>(&bytes, None).map_err(Violation::refused(name))?;
    ensure(read == *filter, name, "read as another filter", "the same")?;
    let found = |key: u64| read.contains_hash(key.key_hash(seed));
    recorded(root, name, &bytes, &format!("seed: {seed}"), keys, &found)
}

/// As `golden`, for a prehashed filter, whose hashes are [`remix`]`(key, 0)`.
pub fn golden_prehashed<F: FileFilter>(
    root: &str,
    name: &str,
    keys: u64,
    filter: &Prehashed<F>,
) -> Verdict {
    let bytes = F::encode_prehashed(filter, false).map_err(Violation::refused("encoding"))?;
    let read = F::decode_prehashed(&bytes).map_err(Violation::refused(name))?;
    ensure(read == *filter, name, "read as another filter", "the same")?;
    let found = |key| read.contains_hash(callers_hash(key));
    recorded(root, name, &bytes, "hashed by the caller: remix(key, 0)", keys, &found)
}

/// The hash of a key in a golden file of a prehashed filter.
pub const fn callers_hash(key: u64) -> KeyHash {
    KeyHash::new(remix(key, 0))
}

/// Compares a committed file with what was recorded, under the key hashing given.
fn recorded(
    root: &str,
    name: &str,
    bytes: &[u8],
    by: &str,
    keys: u64,
    found: &dyn Fn(u64) -> bool,
) -> Verdict {
    let stream = (STREAM..STREAM + ASKED).filter(|&key| found(key));
    let first: Vec<String> = stream.take(20).map(|key| key.to_string()).collect();
    let record =
        format!("{by}\nkeys: 0..{keys}\nfalse positives from {STREAM} on: {}\n", first.join(" "));
    committed(root, name, bytes, &record)?;
    match (0..keys).find(|&key| !found(key)) {
        None => Ok(()),
        Some(key) => Err(Violation::Lost { what: format!("key {key} of the golden file {name}") }),
    }
}

/// The committed file `tests/golden/<name>.amq` has these bytes, and `<name>.txt` this text, which
/// says what the file holds and answers.
///
/// With `AMQ_BLESS=1` both files are written, unless another file of the same layout revision is
/// there: a changed layout needs a new revision.
pub fn committed(root: &str, name: &str, bytes: &[u8], record: &str) -> Verdict {
    let folder = PathBuf::from(root).join("tests/golden");
    let (file, text) = (folder.join(format!("{name}.amq")), folder.join(format!("{name}.txt")));
    let failure = |what: &str| Violation::Golden { what: format!("{}: {what}", file.display()) };
    let before = fs::read(&file).ok();
    if std::env::var_os("AMQ_BLESS").is_some_and(|value| value == "1") {
        // Byte 17 is the layout's revision.
        if before.is_some_and(|before| before != bytes && before.get(17) == bytes.get(17)) {
            return Err(failure(
                "another file of the same layout revision; give the layout a new one",
            ));
        }
        return fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&file, bytes))
            .and_then(|()| fs::write(&text, record))
            .map_err(|error| failure(&error.to_string()));
    }
    let before = before.ok_or_else(|| failure("not there; run the tests once with AMQ_BLESS=1"))?;
    ensure(before == bytes, name, "another file than the committed one", "the same")?;
    let text = fs::read_to_string(&text).map_err(|error| failure(&error.to_string()))?;
    same(format!("answers of {name}"), record, text.as_str())
}
