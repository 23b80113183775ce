//! A process is killed while it flushes or compacts, fifty times: no acknowledged key is lost.

use crate::support::key;
use amq_slatedb::AmqFilterPolicy;
use object_store::local::LocalFileSystem;
use slatedb::config::{CompactionWorkerOptions, CompactorOptions, Settings};
use slatedb::{CompactorBuilder, Db, Filter, FilterBuilder, FilterPolicy, RowEntry, WriteBatch};
use std::env;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

const KILLS: u64 = 50;
const BATCH: u64 = 100;

/// Where the process is killed, in turn.
const WHERE: [&str; 4] = ["flush begins", "flush ends", "compaction begins", "compaction ends"];

/// The environment of the process that is killed: its folder, and the number of its first key.
const FOLDER: &str = "AMQ_SLATEDB_CRASH_FOLDER";
const FIRST: &str = "AMQ_SLATEDB_CRASH_FIRST";

/// Our policy, which says on the output when the writing of a table begins, and when only its
/// filter and footer are missing.
struct Announcing(AmqFilterPolicy, &'static str);

impl Announcing {
    fn new(work: &'static str) -> Arc<Self> {
        Arc::new(Self(AmqFilterPolicy::fpr(0.01).unwrap(), work))
    }
}

impl FilterPolicy for Announcing {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn builder(&self) -> Box<dyn FilterBuilder> {
        println!("{} begins", self.1);
        Box::new(AnnouncingBuilder(self.0.builder(), self.1))
    }

    fn decode(&self, data: &[u8]) -> Arc<dyn Filter> {
        self.0.decode(data)
    }

    fn estimate_size(&self, num_keys: usize) -> usize {
        self.0.estimate_size(num_keys)
    }
}

struct AnnouncingBuilder(Box<dyn FilterBuilder>, &'static str);

impl FilterBuilder for AnnouncingBuilder {
    fn add_entry(&mut self, entry: &RowEntry) {
        self.0.add_entry(entry);
    }

    fn build(&mut self) -> Arc<dyn Filter> {
        println!("{} ends", self.1);
        self.0.build()
    }
}

/// Tables of some hundred keys, all with filters, which are compacted at once.
fn settings() -> (Settings, CompactorOptions) {
    let millis = Duration::from_millis;
    let worker = CompactionWorkerOptions {
        compactions_poll_interval: millis(10),
        heartbeat_interval: millis(50),
        min_filter_keys: 1,
        max_sst_size: 64 << 10,
        ..CompactionWorkerOptions::default()
    };
    let options = CompactorOptions {
        poll_interval: millis(10),
        commit_compacted_interval: millis(10),
        worker_heartbeat_timeout: millis(200),
        worker: Some(worker),
        ..CompactorOptions::default()
    };
    let settings = Settings {
        flush_interval: Some(millis(2)),
        manifest_poll_interval: millis(20),
        l0_sst_size_bytes: 16 << 10,
        min_filter_keys: 1,
        compactor_options: None,
        ..Settings::default()
    };
    (settings, options)
}

fn store(folder: &Path) -> Arc<LocalFileSystem> {
    Arc::new(LocalFileSystem::new_with_prefix(folder).unwrap())
}

/// The process that is killed: it writes batches, and says which are durable.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the test below"]
async fn writes_until_it_is_killed() {
    let (Ok(folder), Ok(first)) = (env::var(FOLDER), env::var(FIRST)) else { return };
    let store = store(Path::new(&folder));
    let (settings, options) = settings();
    let db = Db::builder("db", store.clone())
        .with_settings(settings)
        .with_filter_policies(vec![Announcing::new("flush")])
        .build()
        .await
        .unwrap();
    // Apart from the database, whose own compactor would use the policy of its flushes.
    let compactor = CompactorBuilder::new("db", store)
        .with_options(options)
        .with_filter_policies(vec![Announcing::new("compaction")])
        .build();
    tokio::spawn(async move { compactor.run().await });
    let first: u64 = first.parse().unwrap();
    let writing = async {
        for batch in 0.. {
            let from = first + batch * BATCH;
            let mut rows = WriteBatch::new();
            (from..from + BATCH).for_each(|number| rows.put(key(number), number.to_string()));
            db.write(rows).await.unwrap().await_durable().await.unwrap();
            println!("acknowledged {}", batch + 1);
        }
    };
    // It should be killed long before.
    let _ = tokio::time::timeout(Duration::from_secs(20), writing).await;
    std::process::exit(1);
}

/// Lets the process write from `first` on, kills it at the place, and returns the numbers of the
/// keys that it said are durable.
fn killed(folder: &Path, first: u64, place: &str, delay: Duration) -> Range<u64> {
    let mut process = Command::new(env::current_exe().unwrap())
        .args(["crash::writes_until_it_is_killed", "--exact", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut batches = 0;
    let mut note = |line: &str| {
        if let Some((_, number)) = line.split_once("acknowledged ") {
            // The line that was being written when the process died may be cut.
            batches = number.parse::<u64>().map_or(batches, |number| batches.max(number));
        }
    };
    let mut passed = 0;
    for line in lines.by_ref().map_while(Result::ok) {
        note(&line);
        passed += u64::from(line.contains(place));
        // The first table is what the last process left behind.
        if passed == 2 {
            break;
        }
    }
    sleep(delay);
    process.kill().unwrap();
    assert_eq!(passed, 2, "the process ended by itself");
    // What it wrote before it died is still in the pipe. A cut number is smaller than the whole.
    lines.map_while(Result::ok).for_each(|line| note(&line));
    process.wait().unwrap();
    first..first + batches * BATCH
}

async fn all_found(folder: &Path, acknowledged: &[Range<u64>]) {
    let policy = Arc::new(AmqFilterPolicy::fpr(0.01).unwrap());
    // Nothing is compacted here, so that level 0 must have room for what is flushed.
    let settings = Settings { l0_max_ssts: 10_000, l0_max_ssts_per_key: 10_000, ..settings().0 };
    let db = Db::builder("db", store(folder))
        .with_settings(settings)
        .with_filter_policies(vec![policy.clone()])
        .build()
        .await
        .unwrap();
    for number in acknowledged.iter().flat_map(Range::clone) {
        let value = db.get(key(number)).await.unwrap();
        assert_eq!(value.as_deref(), Some(number.to_string().as_bytes()), "key {number}");
    }
    assert_eq!(policy.unreadable(), 0);
    db.close().await.unwrap();
}

#[tokio::test]
async fn fifty_kills_lose_no_acknowledged_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<Range<u64>> = Vec::new();
    let mut first = 0;
    for kill in 0..KILLS {
        let place = WHERE[(kill % 4) as usize];
        // From 0 to 6 ms, in an order that repeats after the places do.
        let delay = Duration::from_millis(kill * 5 % 7);
        let keys = killed(folder.path(), first, place, delay);
        // The batch that was not acknowledged may be there or not.
        first = keys.end + 100 * BATCH;
        acknowledged.push(keys);
        // All keys now and then; otherwise those of the last process.
        let from = if kill % 10 == 9 { 0 } else { kill as usize };
        all_found(folder.path(), &acknowledged[from..]).await;
    }
    let keys: u64 = acknowledged.iter().map(|keys| keys.end - keys.start).sum();
    println!("{keys} keys in {KILLS} processes");
    assert!(keys >= KILLS * BATCH);
}
