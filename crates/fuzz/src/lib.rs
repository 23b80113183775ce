//! The bodies of the fuzz targets. Each target calls one function here, so that tests can, too:
//! `tests/seeds.rs` runs the committed golden files through them.
//!
//! | target | input | must hold |
//! | --- | --- | --- |
//! | `decode` | any bytes | an error or a filter; memory within the file's length and 64 KiB |
//! | `forge` | a file; its envelope is made right first | whatever is read stands every later operation |
//! | `operations` | a sequence of operations on a filter of any kind | it agrees with a map of copies |
//! | `statics` | keys for a static filter or a map | every key is in, every value is right |
//!
//! `tests/readers.rs` also passes forged files to the reader in Python: both must refuse the same
//! files and give the same answers. It needs Python with the package `xxhash`.

pub mod decode;
mod extras;
pub mod forge;
pub mod later;
mod limited;
pub mod moves;
pub mod parts;
pub mod statics;
pub mod subject;

use amq::{Filter, KeyHash};
use std::path::{Path, PathBuf};

/// The committed golden files of all crates, in order.
pub fn golden_files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = std::fs::read_dir(crates).expect("the crates' folder");
    let files = folders.flatten().flat_map(|entry| {
        let golden = std::fs::read_dir(entry.path().join("tests/golden"));
        golden.into_iter().flatten().flatten().map(|file| file.path())
    });
    let is_file = |path: &PathBuf| path.extension().is_some_and(|end| end == "amq");
    let mut golden: Vec<PathBuf> = files.filter(is_file).collect();
    golden.sort();
    golden
}

/// Bytes aligned to 64.
#[derive(Debug)]
pub struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// A copy of these bytes.
    pub fn new(bytes: &[u8]) -> Self {
        let mut held = vec![0; bytes.len() + 64];
        let start = held.as_ptr().align_offset(64);
        held[start..start + bytes.len()].copy_from_slice(bytes);
        Self { bytes: held, start, len: bytes.len() }
    }

    /// The copy.
    pub fn get(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }
}

/// Hashes to look up: those of the golden files' keys under their seeds, and others.
pub fn hashes() -> [KeyHash; 96] {
    core::array::from_fn(|i| {
        let i = i as u64;
        match i % 3 {
            0 => KeyHash::of(&i, 0),
            1 => KeyHash::of(&i, 7),
            _ => KeyHash::new((u64::MAX / 31).wrapping_mul(i / 3)),
        }
    })
}

/// Queries a filter in every way; the answers must agree and be consistent.
pub fn ask(filter: &dyn Filter) -> Vec<bool> {
    let hashes = hashes();
    let single: Vec<bool> = hashes.iter().map(|&h| filter.contains_hash(h)).collect();
    let mut batch = vec![false; hashes.len()];
    filter.contains_batch(&hashes, &mut batch).expect("as many answers as hashes");
    assert_eq!(batch, single, "a batch answers differently");
    let stats = filter.stats();
    assert!((0.0..=1.0).contains(&stats.expected_fpr), "{stats}");
    assert!((0.0..=1.0).contains(&filter.load_factor()), "{stats}");
    assert!(!stats.to_string().is_empty());
    single
}
