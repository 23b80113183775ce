//! The policy on each of the four builders that take one.

use crate::store::Counting;
use crate::support::{flush, key};
use amq_slatedb::AmqFilterPolicy;
use slatedb::compactor::SizeTieredCompactionSchedulerSupplier;
use slatedb::config::{CompactionWorkerOptions, CompactorOptions, DbReaderOptions, Settings};
use slatedb::object_store::ObjectStoreExt;
use slatedb::object_store::memory::InMemory;
use slatedb::object_store::path::Path;
use slatedb::{
    CompactionWorkerBuilder, CompactorBuilder, Db, DbReader, Filter, FilterBuilder, FilterPolicy,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const TABLES: u64 = 8;
const KEYS: u64 = 2000;

/// Our policy, and how often it was asked.
struct Spy {
    policy: AmqFilterPolicy,
    builders: AtomicU64,
    decoded: AtomicU64,
}

impl Spy {
    fn new() -> Arc<Self> {
        let policy = AmqFilterPolicy::fpr(0.01).unwrap();
        Arc::new(Self { policy, builders: AtomicU64::new(0), decoded: AtomicU64::new(0) })
    }

    fn builders(&self) -> u64 {
        self.builders.load(Relaxed)
    }

    fn decoded(&self) -> u64 {
        self.decoded.load(Relaxed)
    }
}

impl FilterPolicy for Spy {
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn builder(&self) -> Box<dyn FilterBuilder> {
        self.builders.fetch_add(1, Relaxed);
        self.policy.builder()
    }

    fn decode(&self, data: &[u8]) -> Arc<dyn Filter> {
        self.decoded.fetch_add(1, Relaxed);
        self.policy.decode(data)
    }

    fn estimate_size(&self, num_keys: usize) -> usize {
        self.policy.estimate_size(num_keys)
    }
}

fn store() -> Arc<Counting> {
    Counting::new(Arc::new(InMemory::new()))
}

/// A database that neither compacts nor deletes.
async fn open(store: &Arc<Counting>, policy: &Arc<Spy>) -> Db {
    let settings = Settings { compactor_options: None, ..Settings::default() };
    Db::builder("db", store.clone())
        .with_settings(settings)
        .with_filter_policies(vec![policy.clone()])
        .with_db_cache_disabled()
        .build()
        .await
        .unwrap()
}

/// Writes the tables, closes the database, and returns the policy that wrote them.
async fn write(store: &Arc<Counting>) -> Arc<Spy> {
    let policy = Spy::new();
    let db = open(store, &policy).await;
    for table in 0..TABLES {
        for number in 0..KEYS {
            db.put(key(number * TABLES + table), "value").await.unwrap();
        }
        flush(&db).await.unwrap();
    }
    db.close().await.unwrap();
    policy
}

/// How many of the tables there are now, of level 0 or of sorted runs, have our filter.
async fn tables_with_filter(store: &Arc<Counting>, db: &Db) -> (usize, usize) {
    let manifest = db.manifest();
    let (mut with, mut all) = (0, 0);
    for view in manifest.all_sst_views() {
        let info = &view.sst.info;
        let range = info.filter_offset..info.filter_offset + info.filter_len;
        let path = Path::from(format!("db/compacted/{}.sst", view.sst.id.value()));
        let block = store.get_range(&path, range).await.unwrap();
        // After the number of filters, the name's length and the name.
        let name = AmqFilterPolicy::NAME.as_bytes();
        with += usize::from(block.get(4..4 + name.len()) == Some(name));
        all += 1;
    }
    (with, all)
}

async fn all_found(db: &Db) {
    for number in 0..TABLES * KEYS {
        assert!(db.get(key(number)).await.unwrap().is_some(), "key {number}");
    }
}

fn options(worker: Option<CompactionWorkerOptions>) -> CompactorOptions {
    CompactorOptions {
        poll_interval: Duration::from_millis(50),
        commit_compacted_interval: Duration::from_millis(50),
        worker,
        ..CompactorOptions::default()
    }
}

fn worker_options() -> CompactionWorkerOptions {
    let compactions_poll_interval = Duration::from_millis(50);
    CompactionWorkerOptions { compactions_poll_interval, ..CompactionWorkerOptions::default() }
}

/// Waits until the tables have been compacted, and checks the result.
async fn is_compacted_with_filter(store: &Arc<Counting>) {
    let policy = Spy::new();
    let db = open(store, &policy).await;
    for _ in 0..600 {
        db.refresh_manifest().await.unwrap();
        if !db.manifest().compacted().is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(!db.manifest().compacted().is_empty(), "nothing was compacted in 30 seconds");
    let (with, all) = tables_with_filter(store, &db).await;
    assert_eq!(with, all);
    all_found(&db).await;
    assert_eq!(policy.policy.unreadable(), 0);
    db.close().await.unwrap();
}

#[tokio::test]
async fn the_database_writes_and_reads_the_filters() {
    let store = store();
    let policy = write(&store).await;
    assert!(policy.builders() >= TABLES);
    let policy = Spy::new();
    let db = open(&store, &policy).await;
    assert_eq!(tables_with_filter(&store, &db).await, (TABLES as usize, TABLES as usize));
    all_found(&db).await;
    assert!(policy.decoded() >= TABLES * KEYS);
    db.close().await.unwrap();
}

#[tokio::test]
async fn the_reader_reads_the_filters() {
    let store = store();
    write(&store).await;
    let policy = Spy::new();
    let reader = DbReader::builder("db", store.clone())
        .with_options(DbReaderOptions::default())
        .with_filter_policies(vec![policy.clone()])
        .build()
        .await
        .unwrap();
    for number in 0..TABLES * KEYS {
        assert!(reader.get(key(number)).await.unwrap().is_some(), "key {number}");
    }
    for number in 0..1000 {
        assert!(reader.get(key(1 << 40 | number)).await.unwrap().is_none());
    }
    assert!(policy.decoded() >= TABLES);
    assert_eq!(policy.policy.unreadable(), 0);
    reader.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_compactor_writes_the_filters() {
    let store = store();
    write(&store).await;
    let policy = Spy::new();
    let compactor = CompactorBuilder::new("db", store.clone())
        .with_options(options(Some(worker_options())))
        .with_scheduler_supplier(Arc::new(SizeTieredCompactionSchedulerSupplier::new()))
        .with_filter_policies(vec![policy.clone()])
        .build();
    let compactor = Arc::new(compactor);
    let running = tokio::spawn({
        let compactor = compactor.clone();
        async move { compactor.run().await }
    });
    is_compacted_with_filter(&store).await;
    assert!(policy.builders() >= 1);
    compactor.stop().await.unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_compaction_worker_writes_the_filters() {
    let store = store();
    write(&store).await;
    // The coordinator has the built-in policy, and writes no table.
    let coordinator =
        Arc::new(CompactorBuilder::new("db", store.clone()).with_options(options(None)).build());
    let policy = Spy::new();
    let worker = CompactionWorkerBuilder::new("db", store.clone())
        .with_options(worker_options())
        .with_filter_policies(vec![policy.clone()])
        .build()
        .await
        .unwrap();
    let worker = Arc::new(worker);
    let running = [
        tokio::spawn({
            let coordinator = coordinator.clone();
            async move { coordinator.run().await }
        }),
        tokio::spawn({
            let worker = worker.clone();
            async move { worker.run().await }
        }),
    ];
    is_compacted_with_filter(&store).await;
    assert!(policy.builders() >= 1);
    worker.stop().await.unwrap();
    coordinator.stop().await.unwrap();
    for task in running {
        task.await.unwrap().unwrap();
    }
}
