//! Golden files: they are written and read identically on every machine and in every version.

use super::ways::{FileFilter, LOAD, encoded};
use crate::fail::OrFail;
use crate::golden::blessing;
use amq_core::index::remix;
use amq_core::{FilterFile, Key, KeyHash, Prehashed};
use std::fs;
use std::path::PathBuf;

/// The first key of the stream of absent keys that golden files are queried for, and its length.
const STREAM: u64 = 1_000_000;
const ASKED: u64 = 100_000;

/// The committed file `tests/golden/<name>.amq` of a filter in one state: it is the file that
/// `filter` is written as, the filter that is read from it is `filter`, the keys `0..keys` are in
/// it, and of the stream `1_000_000, 1_000_001, ...` it answers `true` first for the keys that
/// `<name>.txt` names.
pub fn golden<F: FileFilter>(root: &str, name: &str, keys: u64, filter: &F) {
    let (seed, bytes) = (filter.seed(), encoded(filter));
    let read = F::decode(&bytes, LOAD).or_fail(name);
    assert!(read == *filter, "{name} is read as another filter");
    let found = |key: u64| read.contains_hash(key.key_hash(seed));
    recorded(root, name, &bytes, &format!("seed: {seed}"), keys, &found);
}

/// As `golden`, for a prehashed filter, whose hashes are [`remix`]`(key, 0)`.
pub fn golden_prehashed<F: FileFilter>(root: &str, name: &str, keys: u64, filter: &Prehashed<F>) {
    let bytes = filter.to_bytes().or_fail("encoding");
    let read = LOAD.from_bytes::<Prehashed<F>>(&bytes).or_fail(name);
    assert!(read == *filter, "{name} is read as another filter");
    let found = |key| read.contains_hash(callers_hash(key));
    recorded(root, name, &bytes, "hashed by the caller: remix(key, 0)", keys, &found);
}

/// The hash of a key in a golden file of a prehashed filter.
pub const fn callers_hash(key: u64) -> KeyHash {
    KeyHash::new(remix(key, 0))
}

/// Compares a committed file with its record, under the given hashing of keys.
fn recorded(
    root: &str,
    name: &str,
    bytes: &[u8],
    by: &str,
    keys: u64,
    found: &dyn Fn(u64) -> bool,
) {
    let stream = (STREAM..STREAM + ASKED).filter(|&key| found(key));
    let first: Vec<String> = stream.take(20).map(|key| key.to_string()).collect();
    let record =
        format!("{by}\nkeys: 0..{keys}\nfalse positives from {STREAM} on: {}\n", first.join(" "));
    committed(root, name, bytes, &record);
    let lost = (0..keys).find(|&key| !found(key));
    assert_eq!(lost, None, "false negative: a key of the golden file {name}");
}

/// The committed file `tests/golden/<name>.amq` has these bytes, and `<name>.txt` this text, which
/// describes its contents and answers.
///
/// With `AMQ_BLESS=1` both files are written, unless another file of the same layout revision is
/// there: a changed layout needs a new revision.
pub fn committed(root: &str, name: &str, bytes: &[u8], record: &str) {
    let folder = PathBuf::from(root).join("tests/golden");
    let (file, text) = (folder.join(format!("{name}.amq")), folder.join(format!("{name}.txt")));
    let path = file.display().to_string();
    let before = fs::read(&file).ok();
    if blessing() {
        // Byte 17 is the layout's revision.
        let same = |before: Vec<u8>| before != bytes && before.get(17) == bytes.get(17);
        assert!(!before.is_some_and(same), "{path} is another file of the same layout revision");
        fs::create_dir_all(&folder).or_fail(&path);
        fs::write(&file, bytes).or_fail(&path);
        fs::write(&text, record).or_fail(&path);
        return;
    }
    let before = before.unwrap_or_else(|| panic!("{path}: run the tests once with AMQ_BLESS=1"));
    assert!(before == bytes, "{path} is another file than is written now");
    assert_eq!(record, fs::read_to_string(&text).or_fail(&path), "answers of {name}");
}
