//! Golden counts: the same seeds and keys give the same false positives, on every machine, forever.
//!
//! The gate checks that a rate is right; the golden counts show any change: a hash, an index, a
//! plan.

use crate::violation::{Verdict, Violation, same};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

/// Tests run in threads, and each blesses its own lines of the shared file.
static BLESSING: Mutex<()> = Mutex::new(());

/// A cell's counts: the false positives of each filter, or the number of keys after which it
/// refused.
#[derive(Clone, PartialEq, Debug)]
pub enum Counts {
    /// False positives, by seed.
    FalsePositives(Vec<u64>),
    /// The keys at refusal, by seed: there is no rate to measure.
    RefusedAfter(Vec<u64>),
}

/// A variant's golden record, `tests/golden/rates-<name>.txt` in its crate.
#[derive(Clone, Debug)]
pub struct Golden {
    path: PathBuf,
}

impl Golden {
    /// The record of the variant `name` in the crate at `root`.
    pub fn new(root: &str, name: &str) -> Self {
        let path = PathBuf::from(root).join("tests/golden").join(format!("rates-{name}.txt"));
        Self { path }
    }

    /// Compares the counts exactly, or writes them if `AMQ_BLESS=1` is set.
    pub fn compare(&self, cells: &[(&'static str, Counts)]) -> Verdict {
        if std::env::var_os("AMQ_BLESS").is_some_and(|value| value == "1") {
            return self.bless(cells);
        }
        let lines = self.read()?;
        for (cell, counts) in cells {
            let Some(line) = lines.get(*cell) else {
                return Err(self.failure(&format!("has no counts for the cell {cell:?}")));
            };
            let what = format!("golden counts of the cell {cell:?}");
            same(what, text(counts).as_str(), line.as_str())?;
        }
        Ok(())
    }

    fn bless(&self, cells: &[(&'static str, Counts)]) -> Verdict {
        let _only_one = BLESSING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines = self.read()?;
        for (cell, counts) in cells {
            lines.insert((*cell).to_owned(), text(counts));
        }
        let mut file = String::from(
            "# cell: false positives by seed, one million absent keys each (small cells: the sum over all \
             seeds).\n# Written by the tests with AMQ_BLESS=1. A change here is a change of every filter's \
             contents.\n",
        );
        for (cell, counts) in lines {
            file += &format!("{cell}: {counts}\n");
        }
        let folder = self.path.parent().unwrap_or(&self.path);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&self.path, file))
            .map_err(|error| self.failure(&format!("cannot be written: {error}")))
    }

    fn read(&self) -> Result<BTreeMap<String, String>, Violation> {
        let text = match fs::read_to_string(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(|error| self.failure(&format!("cannot be read: {error}")))?,
        };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Ok(lines
            .filter_map(|line| line.split_once(": "))
            .map(|(cell, counts)| (cell.to_owned(), counts.to_owned()))
            .collect())
    }

    fn failure(&self, what: &str) -> Violation {
        Violation::Golden {
            what: format!(
                "the golden record {} {what}; look at the counts, then run the tests once with AMQ_BLESS=1",
                self.path.display()
            ),
        }
    }
}

fn text(counts: &Counts) -> String {
    let (word, counts) = match counts {
        Counts::FalsePositives(counts) => ("", counts),
        Counts::RefusedAfter(counts) => ("refused after ", counts),
    };
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    format!("{word}{}", counts.join(" "))
}
