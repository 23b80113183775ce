//! A log-structured store on disk, with a filter file beside each sorted file.
//!
//! ```console
//! $ cargo run -p amq --release --example lsm -- 1000000
//! ```
//!
//! Writes go to a table in memory. A full table becomes a sorted file (a *run*) that never changes;
//! four runs of a level are merged into one of the next. A key may be in any run, so a read without
//! filters reads a block of each, newest first, until it finds the key. A filter beside each run
//! answers "not here" from a memory map, and saves the block.
//!
//! The example runs two workloads with each kind of filter and with none: one that mostly reads,
//! and one that mostly merges. It prints the blocks read and saved, the bytes of the filter files,
//! and the share of the writing time that building them took.

use amq::{AnyFilter, Budget, DEFAULT_SEED, Filter, FilterFile, FilterKind, KeyHash, SharedBytes};
use memmap2::Mmap;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The rate of every filter.
const RATE: f64 = 0.01;
/// Runs of a level that are merged into one of the next.
const FAN: usize = 4;
/// Bytes of a record: a key of 8 and a value.
const RECORD: usize = 100;
/// Bytes read at once, of which whole records fill the most.
const BLOCK: usize = 4096;
const RECORDS_PER_BLOCK: usize = BLOCK / RECORD;

type Value = [u8; RECORD - 8];

/// A filter in its file, through a memory map.
fn mapped(path: &Path) -> Outcome<AnyFilter<SharedBytes<Mmap>>> {
    // SAFETY: runs and their filters are never changed once they are written.
    let map = unsafe { Mmap::map(&File::open(path)?)? };
    Ok(AnyFilter::view_shared(Arc::new(map))?)
}

/// A sorted file, the first key of each of its blocks, and its filter.
struct Run {
    path: PathBuf,
    data: File,
    first_keys: Vec<u64>,
    filter: Option<AnyFilter<SharedBytes<Mmap>>>,
}

impl Run {
    fn filter_path(&self) -> PathBuf {
        self.path.with_extension("amq")
    }

    /// Reads the one block that may hold `key`, and searches it.
    fn search(&self, key: u64) -> io::Result<Option<Value>> {
        let Some(block) = self.first_keys.partition_point(|&first| first <= key).checked_sub(1)
        else {
            return Ok(None);
        };
        let mut bytes = [0; BLOCK];
        let mut file = &self.data;
        file.seek(SeekFrom::Start((block * BLOCK) as u64))?;
        file.read_exact(&mut bytes)?;
        let mut records = bytes.chunks_exact(RECORD);
        Ok(records.find(|r| r[..8] == key.to_be_bytes()).map(|r| value_of(&r[8..])))
    }

    /// Every record, in order.
    fn records(&self) -> io::Result<impl Iterator<Item = io::Result<(u64, Value)>>> {
        let mut file = BufReader::with_capacity(1 << 18, File::open(&self.path)?);
        let mut block = [0; BLOCK];
        let mut next = RECORDS_PER_BLOCK;
        Ok(std::iter::from_fn(move || {
            if next == RECORDS_PER_BLOCK {
                match file.read_exact(&mut block) {
                    Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return None,
                    Err(e) => return Some(Err(e)),
                    Ok(()) => next = 0,
                }
            }
            let record = &block[next * RECORD..(next + 1) * RECORD];
            next += 1;
            let key = u64::from_be_bytes(record[..8].try_into().ok()?);
            // The last block is padded with zeros, and 0 is no key.
            (key != 0).then(|| Ok((key, value_of(&record[8..]))))
        }))
    }
}

fn value_of(bytes: &[u8]) -> Value {
    let mut value = [0; RECORD - 8];
    value.copy_from_slice(bytes);
    value
}

/// What happened, and how long it took.
#[derive(Default)]
struct Tally {
    gets: u64,
    reading: Duration,
    blocks_read: u64,
    blocks_saved: u64,
    read_in_vain: u64,
    writing: Duration,
    building: Duration,
}

struct Store {
    folder: tempfile::TempDir,
    kind: Option<FilterKind>,
    table: BTreeMap<u64, Value>,
    table_size: usize,
    /// The runs of each level, oldest first.
    levels: Vec<Vec<Run>>,
    written: u64,
    tally: Tally,
}

impl Store {
    fn new(kind: Option<FilterKind>, table_size: usize) -> io::Result<Self> {
        Ok(Self {
            folder: tempfile::tempdir()?,
            kind,
            table: BTreeMap::new(),
            table_size,
            levels: vec![Vec::new()],
            written: 0,
            tally: Tally::default(),
        })
    }

    fn put(&mut self, key: u64, value: Value) -> Outcome<()> {
        self.table.insert(key, value);
        if self.table.len() < self.table_size {
            return Ok(());
        }
        let start = Instant::now();
        let table = std::mem::take(&mut self.table);
        let run = self.write(table.into_iter().map(Ok))?;
        self.levels[0].push(run);
        self.merge()?;
        self.tally.writing += start.elapsed();
        Ok(())
    }

    /// Merges each full level into one run of the next.
    fn merge(&mut self) -> Outcome<()> {
        for level in 0.. {
            if self.levels[level].len() < FAN {
                return Ok(());
            }
            let runs = std::mem::take(&mut self.levels[level]);
            let sources = runs.iter().map(Run::records).collect::<Result<Vec<_>, _>>()?;
            let merged = self.write(newest_of(sources))?;
            for run in runs {
                std::fs::remove_file(&run.path)?;
                if run.filter.is_some() {
                    std::fs::remove_file(run.filter_path())?;
                }
            }
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
            }
            self.levels[level + 1].push(merged);
        }
        Ok(())
    }

    /// Writes sorted records as a run, and the filter of their keys beside it.
    fn write(&mut self, records: impl Iterator<Item = io::Result<(u64, Value)>>) -> Outcome<Run> {
        self.written += 1;
        let path = self.folder.path().join(format!("{}.run", self.written));
        let mut file = BufWriter::with_capacity(1 << 18, File::create(&path)?);
        let (mut first_keys, mut hashes) = (Vec::new(), Vec::new());
        for record in records {
            let (key, value) = record?;
            if hashes.len() % RECORDS_PER_BLOCK == 0 {
                if !hashes.is_empty() {
                    file.write_all(&[0; BLOCK % RECORD])?;
                }
                first_keys.push(key);
            }
            file.write_all(&key.to_be_bytes())?;
            file.write_all(&value)?;
            hashes.push(KeyHash::of(&key, DEFAULT_SEED));
        }
        let partly = hashes.len() - (first_keys.len() - 1) * RECORDS_PER_BLOCK;
        file.write_all(&[0; BLOCK][partly * RECORD..])?;
        file.into_inner()?.sync_all()?;

        let mut run = Run { data: File::open(&path)?, path, first_keys, filter: None };
        if let Some(kind) = self.kind {
            let start = Instant::now();
            // Sized to the keys of this run. All share a seed, so that a read hashes its key once.
            let filter = AnyFilter::build_hashes(kind, Budget::Fpr(RATE), DEFAULT_SEED, &hashes)?;
            self.tally.building += start.elapsed();
            filter.save(run.filter_path())?;
            run.filter = Some(mapped(&run.filter_path())?);
        }
        Ok(run)
    }

    fn get(&mut self, key: u64) -> Outcome<Option<Value>> {
        let start = Instant::now();
        let found = self.search(key);
        self.tally.gets += 1;
        self.tally.reading += start.elapsed();
        Ok(found?)
    }

    fn search(&mut self, key: u64) -> io::Result<Option<Value>> {
        if let Some(value) = self.table.get(&key) {
            return Ok(Some(*value));
        }
        let hash = KeyHash::of(&key, DEFAULT_SEED);
        for run in self.levels.iter().flat_map(|level| level.iter().rev()) {
            if run.filter.as_ref().is_some_and(|filter| !filter.contains_hash(hash)) {
                self.tally.blocks_saved += 1;
                continue;
            }
            self.tally.blocks_read += 1;
            if let Some(value) = run.search(key)? {
                return Ok(Some(value));
            }
            self.tally.read_in_vain += 1;
        }
        Ok(None)
    }

    fn runs(&self) -> impl Iterator<Item = &Run> {
        self.levels.iter().flatten()
    }

    fn report(&self) -> Outcome<()> {
        let Tally { gets, reading, blocks_read, blocks_saved, read_in_vain, writing, building } =
            &self.tally;
        let mut bytes = 0;
        for run in self.runs().filter(|run| run.filter.is_some()) {
            bytes += std::fs::metadata(run.filter_path())?.len();
        }
        println!(
            "{:22} {:>12} {:>9} {:>12} {:>12} {:>12} {:>8.2} {:>8.1}",
            self.kind.map_or("no filters", FilterKind::name),
            bytes,
            self.runs().count(),
            blocks_read,
            read_in_vain,
            blocks_saved,
            reading.as_secs_f64() * 1e6 / (*gets).max(1) as f64,
            100.0 * building.as_secs_f64() / writing.as_secs_f64(),
        );
        Ok(())
    }
}

/// Merges sorted runs, oldest first; of equal keys the newest counts.
fn newest_of<R: Iterator<Item = io::Result<(u64, Value)>>>(
    runs: Vec<R>,
) -> impl Iterator<Item = io::Result<(u64, Value)>> {
    let mut runs: Vec<_> = runs.into_iter().map(Iterator::peekable).collect();
    std::iter::from_fn(move || {
        // An error comes first of all, as key 0.
        let key_of = |record: &io::Result<(u64, Value)>| record.as_ref().map_or(0, |r| r.0);
        let least = runs.iter_mut().filter_map(|run| run.peek().map(key_of)).min()?;
        let mut newest = None;
        for run in &mut runs {
            newest = run.next_if(|record| key_of(record) == least).or(newest);
        }
        newest
    })
}

/// The n-th of keys that come in no order. Never 0, since an odd multiplier maps only 0 to it.
fn key(n: u64) -> u64 {
    (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn value(n: u64) -> Value {
    let mut value = [0; RECORD - 8];
    value[..8].copy_from_slice(&n.to_le_bytes());
    value
}

/// `keys` keys written once; then twice as many reads, of present and absent keys in turn.
fn mostly_reads(store: &mut Store, keys: u64) -> Outcome<()> {
    for n in 0..keys {
        store.put(key(n), value(n))?;
    }
    for n in 0..keys {
        assert_eq!(store.get(key(n))?, Some(value(n)), "key {n} was lost");
        assert_eq!(store.get(key(keys + n))?, None);
    }
    Ok(())
}

/// A quarter as many keys, each written four times; a read for every ten writes.
fn mostly_merges(store: &mut Store, writes: u64) -> Outcome<()> {
    let keys = writes / 4;
    for n in 0..writes {
        store.put(key(n % keys), value(n))?;
        if n % 10 == 9 {
            // The newest value of a key already written.
            let asked = n / 10 * 7919 % (n + 1).min(keys);
            let newest = asked + (n - asked) / keys * keys;
            assert_eq!(store.get(key(asked))?, Some(value(newest)), "key {asked} is stale");
        }
    }
    Ok(())
}

fn main() -> Outcome<()> {
    let keys = std::env::args().nth(1).map_or(Ok(20_000), |n| n.parse())?;
    let table_size = (keys as usize / 50).max(100);
    let kinds = [
        FilterKind::Bloom,
        FilterKind::BlockedBloom,
        FilterKind::Cuckoo,
        FilterKind::Quotient,
        FilterKind::Ribbon,
    ];
    type Workload = fn(&mut Store, u64) -> Outcome<()>;
    let workloads: [(&str, Workload); 2] =
        [("mostly reads", mostly_reads), ("mostly merges", mostly_merges)];
    for (name, workload) in workloads {
        println!("{name}: {keys} writes of {RECORD} bytes, filters at {:.0} %", 100.0 * RATE);
        println!(
            "{:22} {:>12} {:>9} {:>12} {:>12} {:>12} {:>8} {:>8}",
            "", "filter bytes", "runs", "blocks read", "in vain", "saved", "us/read", "build %"
        );
        for kind in std::iter::once(None).chain(kinds.map(Some)) {
            let mut store = Store::new(kind, table_size)?;
            workload(&mut store, keys)?;
            store.report()?;
        }
        println!();
    }
    println!(
        "in vain: blocks without the key; build %: building filters, of all writing and merging"
    );
    Ok(())
}
