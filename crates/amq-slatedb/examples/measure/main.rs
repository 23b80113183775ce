//! Measures the policies beside the built-in one: bytes of filters, and reads of absent keys.
//!
//! ```console
//! $ cargo run --release --example measure                       # a million keys, in memory
//! $ cargo run --release --example measure -- 10000000 /tmp/dir  # in files
//! ```
//!
//! Each policy gets a database of its own with the same keys in the same tables. It prints a table.

mod cache;
mod database;
mod keys;
mod store;

use amq_conformance::memory::{Counting as Allocator, peak_of};
use amq_slatedb::AmqFilterPolicy;
use bytes::Bytes;
use cache::{Sharing, cache};
use database::{Loaded, Policies};
use slatedb::db_cache::DbCache;
use slatedb::object_store::ObjectStore;
use slatedb::object_store::memory::InMemory;
use slatedb::object_store::throttle::{ThrottleConfig, ThrottledStore};
use slatedb::{BloomFilterPolicy, Db, FilterPolicy, RowEntry, ValueDeletable};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Counting;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Bits per key of the built-in policy as SlateDB sets it.
const BUILT_IN_BITS: u32 = 10;

/// The built-in policy's rate: measured here, too, as the share of wrong answers.
const BUILT_IN_RATE: f64 = 0.0084;

/// What a GET takes while gets are timed: less than of an object store, so that it ends soon.
const GET_TIME: Duration = Duration::from_millis(2);

/// Absent keys that are timed.
const TIMED: u64 = 2000;

/// Numbers of absent keys begin here.
const ABSENT: u64 = 1 << 40;

/// What is measured of a policy.
struct Row {
    name: &'static str,
    loaded: Loaded,
    /// GETs of absent keys with all filters cached.
    cached: Reads,
    /// With a cache of 60 % of the built-in policy's filters, for filters and indexes.
    short: Reads,
    /// With such a cache for filters alone.
    apart: Reads,
    build_bits: f64,
}

/// Reads of absent keys.
struct Reads {
    keys: u64,
    gets: u64,
    bytes: u64,
    /// Of one at a time, with GETs of [`GET_TIME`].
    p50: Duration,
    p99: Duration,
}

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let keys: u64 = args.next().map_or(Ok(1_000_000), |arg| arg.parse())?;
    let folder = args.next();
    let place = if folder.is_some() { "in files" } else { "in memory" };

    let policies: [(&'static str, Arc<dyn FilterPolicy>); 4] = [
        ("built-in, 10 bits", Arc::new(BloomFilterPolicy::new(BUILT_IN_BITS))),
        ("amq, its rate", Arc::new(AmqFilterPolicy::fpr(BUILT_IN_RATE)?)),
        ("amq, 9.9 bits", Arc::new(AmqFilterPolicy::bits_per_key(9.9)?)),
        (
            "amq, 9.9 bits, 6 in the cache",
            Arc::new(AmqFilterPolicy::bits_per_key(9.9)?.with_cached_bits_per_key(6.0)?),
        ),
    ];
    let mut rows: Vec<Row> = Vec::new();
    for (name, policy) in policies {
        let build_bits = build_bits(&*policy, keys)?;
        let base: Arc<dyn ObjectStore> = match &folder {
            None => Arc::new(InMemory::new()),
            Some(folder) => {
                let folder = format!("{folder}/{}", rows.len());
                std::fs::create_dir_all(&folder)?;
                Arc::new(object_store::local::LocalFileSystem::new_with_prefix(folder)?)
            }
        };
        let policies: Policies = vec![policy];
        let throttled = Arc::new(ThrottledStore::new(base, ThrottleConfig::default()));
        let store = Counting::new(throttled.clone());
        let reads = |cache, absent| reads(&store, &throttled, &policies, cache, (keys, absent));
        let loaded = database::load(&store, &policies, keys).await?;
        eprintln!("{name}: loaded, {} filter bytes", loaded.filter_bytes);
        // Filters and indexes take far less than the rows.
        let ample = cache(keys * 100, Sharing::Indexes);
        let cached = reads(ample, keys).await?;
        eprintln!("{name}: {} GETs of {} absent keys", cached.gets, cached.keys);
        let built_in = rows.first().map_or(loaded.filter_bytes, |row| row.loaded.filter_bytes);
        let absent = keys.min(100_000);
        let short = cache(built_in * 6 / 10, Sharing::Indexes);
        let short = reads(short, absent).await?;
        let apart = cache(built_in * 6 / 10, Sharing::Nothing);
        let apart = reads(apart, absent).await?;
        eprintln!("{name}: {} and {} GETs of {absent} in short caches", short.gets, apart.gets);
        rows.push(Row { name, loaded, cached, short, apart, build_bits });
        if let Some(folder) = &folder {
            std::fs::remove_dir_all(format!("{folder}/{}", rows.len() - 1))?;
        }
    }
    print(&rows, keys, place);
    Ok(())
}

/// Looks up `absent` keys that are not in the database.
async fn reads(
    store: &Arc<Counting>,
    throttled: &ThrottledStore<Arc<dyn ObjectStore>>,
    policies: &Policies,
    cache: Arc<dyn DbCache>,
    (keys, absent): (u64, u64),
) -> Result<Reads, Box<dyn Error>> {
    let db = database::open(store, policies, cache).await?;
    // Loads the filters and indexes of all tables, as far as there is room.
    for number in 0..2000 {
        let number = number * (keys / 2000);
        assert!(db.get(keys::key(number)).await?.is_some(), "key {number} is lost");
    }
    let (gets, bytes) = store.gets();
    let half = absent / 2;
    let tasks =
        [0..half, half..absent].map(|numbers| tokio::spawn(all_absent(db.clone(), numbers)));
    for task in tasks {
        task.await??;
    }
    let (after, bytes_after) = store.gets();
    throttled.config_mut(|config| config.wait_get_per_call = GET_TIME);
    let mut times = Vec::new();
    for number in absent..absent + TIMED.min(absent) {
        let key = keys::key(ABSENT + number);
        let started = Instant::now();
        db.get(key).await?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    throttled.config_mut(|config| config.wait_get_per_call = Duration::ZERO);
    db.close().await?;
    Ok(Reads {
        keys: absent,
        gets: after - gets,
        bytes: bytes_after - bytes,
        p50: times[times.len() / 2],
        p99: times[times.len() * 99 / 100],
    })
}

async fn all_absent(db: Arc<Db>, numbers: std::ops::Range<u64>) -> Result<(), slatedb::Error> {
    for number in numbers {
        let found = db.get(keys::key(ABSENT + number)).await?;
        assert!(found.is_none(), "key {number} was never written");
    }
    Ok(())
}

/// Peak memory in bits per key while the filter of one table of all keys is built.
fn build_bits(policy: &dyn FilterPolicy, keys: u64) -> Result<f64, String> {
    let row = |number: u64| RowEntry {
        key: Bytes::from(keys::key(number)),
        value: ValueDeletable::Tombstone,
        seq: 0,
        create_ts: None,
        expire_ts: None,
    };
    let (_, peak) = peak_of(|| {
        let mut builder = policy.builder();
        (0..keys).for_each(|number| builder.add_entry(&row(number)));
        builder.build()
    });
    Ok(peak as f64 * 8.0 / keys as f64)
}

fn print(rows: &[Row], keys: u64, place: &str) {
    let built_in = &rows[0];
    let line = |title: &str, cell: &dyn Fn(&Row) -> String| {
        let cells: Vec<String> = rows.iter().map(cell).collect();
        println!("| {title} | {} |", cells.join(" | "));
    };
    println!("{keys} keys {place}, {} tables\n", built_in.loaded.tables);
    line("", &|row| row.name.to_owned());
    line("---", &|_| "---".to_owned());
    line("filter bytes", &|row| row.loaded.filter_bytes.to_string());
    line("of the built-in's", &|row| {
        percent(row.loaded.filter_bytes, built_in.loaded.filter_bytes)
    });
    for (title, reads) in [
        ("all filters cached", (|row| &row.cached) as fn(&Row) -> &Reads),
        ("cache of 60 % with indexes", |row| &row.short),
        ("cache of 60 % for filters alone", |row| &row.apart),
    ] {
        line(&format!("{title}: absent keys"), &|row| reads(row).keys.to_string());
        line("GETs", &|row| reads(row).gets.to_string());
        line("built-in's GETs over these", &|row| {
            format!("{:.2}", reads(built_in).gets as f64 / reads(row).gets.max(1) as f64)
        });
        line("MB read", &|row| format!("{:.1}", reads(row).bytes as f64 / 1e6));
        line("p50 with GETs of 2 ms (noisy)", &|row| {
            format!("{:.1} us", reads(row).p50.as_secs_f64() * 1e6)
        });
        line("p99 with GETs of 2 ms (noisy)", &|row| {
            format!("{:.1} us", reads(row).p99.as_secs_f64() * 1e6)
        });
    }
    line("flush CPU (noisy)", &|row| format!("{:.1} s", row.loaded.flush_cpu));
    line("compaction CPU (noisy)", &|row| format!("{:.1} s", row.loaded.compaction_cpu));
    line("build memory, bits per key", &|row| format!("{:.0}", row.build_bits));
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}
