//! A table that keeps a filter of its keys in a memory map, opened once and queried for every key.
//!
//! ```console
//! $ cargo run -p amq --release --example table
//! ```

use amq::{AnyFilter, Budget, FilterFile, OrMaybe, RibbonFilter, SharedBytes, open_or_maybe};
use memmap2::Mmap;
use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

/// Rows on disk, and beside them the filter of their keys. Without a filter it is slow, not wrong.
struct Table {
    rows: Vec<u64>,
    filter: OrMaybe<AnyFilter<SharedBytes<Mmap>>>,
}

impl Table {
    fn open(rows: Vec<u64>, filter: &Path) -> Self {
        // SAFETY: a table's filter is written once, by a rename, and never changed.
        let map = File::open(filter).and_then(|file| unsafe { Mmap::map(&file) });
        let filter = open_or_maybe(map);
        if let Some(error) = filter.error() {
            println!("no filter: {error}");
        }
        Self { rows, filter }
    }

    /// The row, if there is one, and whether the rows were searched for it.
    fn get(&self, key: u64) -> (Option<usize>, bool) {
        match self.filter.contains(&key) {
            true => (self.rows.binary_search(&key).ok(), true),
            false => (None, false),
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    const KEYS: u64 = 1_000_000;
    let rows: Vec<u64> = (0..KEYS).map(|n| n * 10).collect();
    let path = std::env::temp_dir().join(format!("amq-table-{}.amq", std::process::id()));
    RibbonFilter::build(Budget::Fpr(0.01), &rows)?.save(&path)?;

    for file in [path.as_path(), Path::new("no such file")] {
        let table = Table::open(rows.clone(), file);
        let start = Instant::now();
        let (mut found, mut searches) = (0, 0u32);
        for key in 0..KEYS {
            let (row, searched) = table.get(key);
            found += u32::from(row.is_some());
            searches += u32::from(searched);
        }
        assert_eq!(u64::from(found), KEYS / 10);
        println!("{KEYS} keys, {found} of them in: {searches} searches, {:?}", start.elapsed());
    }
    std::fs::remove_file(&path)?;
    Ok(())
}
