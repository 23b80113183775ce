//! Golden counts: the same seeds and keys give the same false positives on every machine and in
//! every version.
//!
//! The gate checks that a rate is right; the golden counts show any change: a hash, an index, a
//! plan.

use crate::fail::OrFail;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Tests run in threads, and each blesses its own lines of the shared file.
static BLESSING: Mutex<()> = Mutex::new(());

const HEAD: &str = "\
# cell: false positives by seed, one million absent keys each (small cells: the sum over all \
seeds).
# Written by the tests with AMQ_BLESS=1. A change here is a change of every filter's contents.
";

/// Whether to write records instead of comparing with them.
pub(crate) fn blessing() -> bool {
    std::env::var_os("AMQ_BLESS").is_some_and(|value| value == "1")
}

/// A variant's golden record, `tests/golden/rates-<name>.txt` in its crate.
#[derive(Clone, Debug)]
pub struct Golden {
    path: PathBuf,
}

impl Golden {
    /// The record of the variant `name` in the crate at `root`.
    pub fn new(root: &str, name: &str) -> Self {
        Self { path: PathBuf::from(root).join(format!("tests/golden/rates-{name}.txt")) }
    }

    /// Compares a cell's counts exactly, or writes them if `AMQ_BLESS=1` is set.
    pub fn compare(&self, cell: &str, counts: &str) {
        let path = self.path.display().to_string();
        if blessing() {
            let _only_one = BLESSING.lock().unwrap_or_else(PoisonError::into_inner);
            let mut lines = self.lines();
            lines.insert(cell.to_owned(), counts.to_owned());
            let lines = lines.iter().map(|(cell, counts)| format!("{cell}: {counts}\n"));
            fs::create_dir_all(self.path.with_file_name("")).or_fail(&path);
            fs::write(&self.path, HEAD.to_owned() + &lines.collect::<String>()).or_fail(&path);
            return;
        }
        let lines = self.lines();
        let golden = lines.get(cell).map(String::as_str);
        assert!(
            golden == Some(counts),
            "{cell}: {counts:?}, and in the golden record {golden:?}. If the new counts are right, \
             run the tests once with AMQ_BLESS=1, which writes {path}"
        );
    }

    fn lines(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter_map(|line| line.split_once(": "))
            .map(|(cell, counts)| (cell.to_owned(), counts.to_owned()))
            .collect()
    }
}
