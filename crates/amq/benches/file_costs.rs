//! What files cost: encoding and decoding against copying memory, a view against the owned filter,
//! and the time from a file of a gigabyte to the first answer. Prints two tables and a list.
//!
//! ```console
//! $ cargo bench -p amq --bench file_costs            # some minutes
//! $ cargo bench -p amq --bench file_costs -- --quick # does it run?
//! ```
//!
//! Every number is the best of several runs, on one thread. Run it where nothing else runs.

use amq::{
    AnyFilter, BloomFilter, Budget, Filter, FilterFile, FilterKind, Goal, Key, KeyHash,
    LoadOptions, Table,
};
use memmap2::Mmap;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs of which the best counts.
const RUNS: usize = 7;

/// The sizes of a run.
struct Scale {
    /// Numbers of keys.
    keys: [u64; 2],
    queries: u64,
    /// Bytes of the large file.
    large: u64,
}

const FULL: Scale = Scale { keys: [1_000_000, 10_000_000], queries: 2_000_000, large: 1 << 30 };

const QUICK: Scale = Scale { keys: [1_000, 20_000], queries: 10_000, large: 1 << 24 };

fn main() -> Outcome<()> {
    // Cargo tells a bench that it is one.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let scale = match arguments.next().as_deref() {
        None => FULL,
        Some("--quick") => QUICK,
        Some(other) => return Err(format!("unknown argument {other}; there is --quick").into()),
    };
    let mut rows = Vec::new();
    for keys in scale.keys {
        rows.extend(every_kind(keys, scale.queries)?);
    }
    print_files(&rows);
    print_queries(&rows);
    large_file(scale.large)
}

/// What is measured of one kind at one size.
struct Row {
    kind: &'static str,
    keys: u64,
    file: u64,
    /// Bytes of the file that are not the table's.
    beside: u64,
    encode: Duration,
    decode: Duration,
    open: Duration,
    copy: Duration,
    /// Of the owned filter and of the view: one query, and one of a batch.
    single: [f64; 2],
    batch: [f64; 2],
}

fn every_kind(keys: u64, queries: u64) -> Outcome<Vec<Row>> {
    let hashes: Vec<KeyHash> = (0..keys).map(|key| key.key_hash(0)).collect();
    // Every other query is for a key that is in; in no order that the table knows.
    let scattered = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let asked: Vec<KeyHash> =
        (0..queries).map(|i| (scattered(i) % keys + keys * (i % 2)).key_hash(0)).collect();
    let of_kind = |&kind| measure(made(kind, &hashes)?, keys, &asked);
    AnyFilter::KINDS.iter().map(of_kind).collect()
}

/// A filter of these hashes. A scalable one grows from a hundredth of them, through several stages.
fn made(kind: FilterKind, hashes: &[KeyHash]) -> Outcome<AnyFilter> {
    if !matches!(kind, FilterKind::Scalable | FilterKind::ScalableBlocked) {
        return Ok(AnyFilter::build_hashes(kind, Budget::Fpr(0.01), 0, hashes)?);
    }
    let goal = Goal::fpr((hashes.len() / 100) as u64, 0.01);
    let mut filter = AnyFilter::with_seed(kind, goal, 0)?;
    filter.insert_batch(hashes)?;
    Ok(filter)
}

/// The shortest of several runs.
fn best<R>(mut work: impl FnMut() -> R) -> Duration {
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

fn measure(filter: AnyFilter, keys: u64, asked: &[KeyHash]) -> Outcome<Row> {
    let encode = best(|| filter.to_bytes());
    let bytes = Table::try_from(&filter.to_bytes()?[..])?;
    let (bytes, file) = (&bytes[..], bytes.len() as u64);
    // Into memory that is taken anew, as decoding does.
    let copy = best(|| bytes.to_vec());
    let decode = best(|| AnyFilter::from_bytes(bytes).map(drop));
    let open = best(|| AnyFilter::view(bytes).map(drop));

    let viewed = AnyFilter::view(bytes)?;
    let mut answers = vec![false; asked.len()];
    let mut of_view = vec![false; asked.len()];
    let per_query = |time: Duration| time.as_secs_f64() * 1e9 / asked.len() as f64;
    let single = [
        per_query(best(|| one_by_one(&filter, asked))),
        per_query(best(|| one_by_one(&viewed, asked))),
    ];
    let batch = [
        per_query(best(|| filter.contains_batch(asked, &mut answers).is_ok())),
        per_query(best(|| viewed.contains_batch(asked, &mut of_view).is_ok())),
    ];
    if answers != of_view {
        return Err("a view answers otherwise than its filter".into());
    }
    Ok(Row {
        kind: filter.kind().name(),
        keys,
        file,
        beside: file - filter.size_in_bytes(),
        encode,
        decode,
        open,
        copy,
        single,
        batch,
    })
}

#[inline(never)]
fn one_by_one<F: Filter>(filter: &F, asked: &[KeyHash]) -> usize {
    asked.iter().filter(|&&hash| filter.contains_hash(hash)).count()
}

fn print_files(rows: &[Row]) {
    println!(
        "| kind | keys | file, bytes | beside the table | encode, GB/s | decode | open | memcpy |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in rows {
        let rate = |time: Duration| row.file as f64 / 1e9 / time.as_secs_f64().max(1e-9);
        println!(
            "| {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row.kind,
            row.keys,
            row.file,
            row.beside,
            rate(row.encode),
            rate(row.decode),
            rate(row.open),
            rate(row.copy)
        );
    }
}

fn print_queries(rows: &[Row]) {
    println!("\n| kind | keys | owned, ns | view | ratio | owned in a batch | view | ratio |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for row in rows {
        let [owned, viewed] = row.single;
        let [owned_batch, viewed_batch] = row.batch;
        println!(
            "| {} | {} | {owned:.1} | {viewed:.1} | {:.3} | {owned_batch:.1} | {viewed_batch:.1} | {:.3} |",
            row.kind,
            row.keys,
            viewed / owned,
            viewed_batch / owned_batch
        );
    }
}

/// From a large file to the first answer, with the file in the system's cache.
fn large_file(bytes: u64) -> Outcome<()> {
    let path = std::env::temp_dir().join(format!("amq-file-costs-{}.amq", std::process::id()));
    let written = write_large(&path, bytes).and_then(|()| to_first_answer(&path));
    std::fs::remove_file(&path)?;
    written
}

fn write_large(path: &Path, bytes: u64) -> Outcome<()> {
    let goal = Goal::new(bytes * 8 / 10, Budget::Bytes(bytes));
    let mut filter = BloomFilter::new(goal)?;
    filter.extend(0..100_000u64);
    let start = Instant::now();
    filter.save(path)?;
    println!("\na Bloom filter of {} bytes:", filter.stats().bytes);
    println!("- saved and synced in {:?}", start.elapsed());
    Ok(())
}

fn to_first_answer(path: &Path) -> Outcome<()> {
    let map = || -> Outcome<Mmap> {
        let file = File::open(path)?;
        // SAFETY: nobody changes the file while it is mapped; this program has just written it.
        Ok(unsafe { Mmap::map(&file)? })
    };
    let ways: [(&str, &dyn Fn() -> Outcome<bool>); 4] = [
        ("mapped, header and directory checked", &|| {
            let map = map()?;
            Ok(LoadOptions::new().unchecked_payload().view::<AnyFilter>(&map)?.contains(&17u64))
        }),
        ("mapped, all checked", &|| Ok(AnyFilter::view(&map()?)?.contains(&17u64))),
        ("BloomFilter::load", &|| Ok(BloomFilter::load(path)?.contains(&17u64))),
        ("AnyFilter::load", &|| Ok(AnyFilter::load(path)?.contains(&17u64))),
    ];
    for (way, first_answer) in ways {
        if !first_answer()? {
            return Err(format!("{way}: a key is denied").into());
        }
        println!("- {way}, to the first answer: {:?}", best(first_answer));
    }
    Ok(())
}
