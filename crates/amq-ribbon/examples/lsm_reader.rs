//! Reading from a log-structured store: sorted runs, the newest first, each with a filter.
//!
//! A key may be in any run, so a read without filters searches them all until it finds the key. A
//! filter answers *not here* without the search, wrong once in 256.
//!
//! ```console
//! $ cargo run --release --example lsm_reader
//! ```

use amq_ribbon::{Budget, BuildError, DEFAULT_SEED, Filter, KeyHash, RibbonFilter};
use std::collections::BTreeMap;
use std::error::Error;

/// What was in memory when it was full: sorted by key, never changed again.
struct Run {
    entries: Vec<(String, u64)>,
    filter: RibbonFilter,
}

impl Run {
    fn new(table: BTreeMap<String, u64>) -> Result<Self, BuildError> {
        let entries: Vec<_> = table.into_iter().collect();
        // Sized to the keys: 8.1 bits each. All runs share the default seed, so that a read hashes
        // its key once.
        let keys = entries.iter().map(|(key, _)| key);
        let filter = RibbonFilter::build(Budget::Fpr(1.0 / 256.0), keys)?;
        Ok(Self { entries, filter })
    }

    /// In a real store, a read from disk.
    fn search(&self, key: &str) -> Option<u64> {
        let found = self.entries.binary_search_by(|(k, _)| k.as_str().cmp(key));
        found.ok().map(|i| self.entries[i].1)
    }
}

/// The store: a table in memory, and the runs that it was written to.
#[derive(Default)]
struct Store {
    table: BTreeMap<String, u64>,
    runs: Vec<Run>,
}

/// Runs that were searched, and those that a filter saved searching.
#[derive(Default)]
struct Reads {
    done: u64,
    saved: u64,
}

impl Store {
    const TABLE: usize = 20_000;

    fn put(&mut self, key: String, value: u64) -> Result<(), BuildError> {
        self.table.insert(key, value);
        if self.table.len() == Self::TABLE {
            self.runs.push(Run::new(std::mem::take(&mut self.table))?);
        }
        Ok(())
    }

    fn get(&self, key: &str, reads: &mut Reads) -> Option<u64> {
        if let Some(&value) = self.table.get(key) {
            return Some(value);
        }
        let hash = KeyHash::of(key, DEFAULT_SEED);
        for run in self.runs.iter().rev() {
            if !run.filter.contains_hash(hash) {
                reads.saved += 1;
                continue;
            }
            reads.done += 1;
            if let Some(value) = run.search(key) {
                return Some(value);
            }
        }
        None
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut store = Store::default();
    for i in 0..210_000u64 {
        store.put(format!("user:{}", i * 7919 % 500_000), i)?;
    }
    for (i, run) in store.runs.iter().enumerate() {
        println!("run {i}: {}", run.filter.stats());
    }
    for (what, keys) in [("present", 0..100_000u64), ("absent", 500_000..600_000)] {
        let (mut reads, mut found) = (Reads::default(), 0);
        for i in keys {
            let key = format!("user:{}", i * 7919 % 500_000 + i / 500_000 * 500_000);
            found += u64::from(store.get(&key, &mut reads).is_some());
        }
        let Reads { done, saved } = reads;
        println!("100000 {what} keys: {found} found, {done} runs searched, {saved} saved");
        assert_eq!(found, if what == "present" { 100_000 } else { 0 });
        assert!(saved > 5 * done);
    }
    Ok(())
}
