//! A database of two levels, made alike for every policy.

use crate::keys::{key, value};
use crate::store::Counting;
use slatedb::admin::Admin;
use slatedb::compactor::{
    CompactionScheduler, CompactionSchedulerSupplier, CompactionSpec, CompactorStateView, SourceId,
};
use slatedb::config::{
    CompactionWorkerOptions, CompactorOptions, FlushOptions, FlushType, Settings,
};
use slatedb::db_cache::DbCache;
use slatedb::{CompactorBuilder, Db, FilterPolicy};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Flushes that the keys are written in.
const FLUSHES: u64 = 25;

/// The last of them stay tables of level 0; the others become one sorted run.
const LEVEL_0: u64 = 2;

/// About how many tables the sorted run has.
const RUN_TABLES: u64 = 64;

/// Bytes of a row: key, value and what the engine adds.
const ROW_BYTES: u64 = 160;

pub type Policies = Vec<Arc<dyn FilterPolicy>>;

/// What loading cost.
pub struct Loaded {
    pub filter_bytes: u64,
    pub tables: u64,
    /// Seconds of the processor's time.
    pub flush_cpu: f64,
    pub compaction_cpu: f64,
}

/// Compacts only what it is told to.
struct Nothing;

impl CompactionScheduler for Nothing {
    fn propose(&self, _: &CompactorStateView) -> Vec<CompactionSpec> {
        Vec::new()
    }
}

impl CompactionSchedulerSupplier for Nothing {
    fn compaction_scheduler(
        &self,
        _: &CompactorOptions,
    ) -> Box<dyn CompactionScheduler + Send + Sync> {
        Box::new(Self)
    }
}

fn settings() -> Settings {
    Settings {
        flush_interval: None,
        wal_enabled: false,
        l0_sst_size_bytes: 1 << 30,
        max_unflushed_bytes: 2 << 30,
        l0_max_ssts: 100,
        l0_max_ssts_per_key: 100,
        compactor_options: None,
        garbage_collector_options: None,
        ..Settings::default()
    }
}

/// Writes the keys of the numbers below `keys`.
pub async fn load(
    store: &Arc<Counting>,
    policies: &Policies,
    keys: u64,
) -> Result<Loaded, Box<dyn Error>> {
    let worker = CompactionWorkerOptions {
        max_sst_size: (keys * ROW_BYTES / RUN_TABLES) as usize,
        compactions_poll_interval: Duration::from_millis(100),
        ..CompactionWorkerOptions::default()
    };
    let options = CompactorOptions {
        poll_interval: Duration::from_millis(100),
        commit_compacted_interval: Duration::from_millis(100),
        worker: Some(worker),
        ..CompactorOptions::default()
    };
    // It writes tables with the policies of the database that it is a part of.
    let compactor = CompactorBuilder::new("db", store.clone())
        .with_options(options)
        .with_scheduler_supplier(Arc::new(Nothing));
    let db = Db::builder("db", store.clone())
        .with_settings(settings())
        .with_filter_policies(policies.clone())
        .with_compactor_builder(compactor)
        .with_db_cache_disabled()
        .build()
        .await?;

    let mut flush_cpu = 0.0;
    for flush in 0..FLUSHES {
        for number in keys * flush / FLUSHES..keys * (flush + 1) / FLUSHES {
            db.put(key(number), value(number)).await?;
        }
        let started = cpu_seconds();
        db.flush_with_options(FlushOptions { flush_type: FlushType::MemTable }).await?;
        flush_cpu += cpu_seconds() - started;
    }

    let started = cpu_seconds();
    let views: Vec<_> = db.manifest().l0().iter().skip(LEVEL_0 as usize).map(|v| v.id).collect();
    let sources = views.into_iter().map(SourceId::SstView).collect();
    let admin = Admin::builder("db", store.clone()).build();
    admin.submit_compaction(CompactionSpec::new(sources, 0)).await?;
    while db.manifest().compacted().is_empty() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        db.refresh_manifest().await?;
    }
    let compaction_cpu = cpu_seconds() - started;

    let manifest = db.manifest();
    let filters = manifest.all_sst_views().map(|view| view.sst.info.filter_len);
    let (filter_bytes, tables) = filters.fold((0, 0), |(bytes, n), len| (bytes + len, n + 1));
    db.close().await?;
    Ok(Loaded { filter_bytes, tables, flush_cpu, compaction_cpu })
}

/// Opens the database to read it.
pub async fn open(
    store: &Arc<Counting>,
    policies: &Policies,
    cache: Arc<dyn DbCache>,
) -> Result<Arc<Db>, Box<dyn Error>> {
    let db = Db::builder("db", store.clone())
        .with_settings(settings())
        .with_filter_policies(policies.clone())
        .with_db_cache(cache, 0)
        .build()
        .await?;
    Ok(Arc::new(db))
}

/// Seconds of the processor's time that this process has used: of all its threads, so that other
/// work of the engine counts, too.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|f| f.parse::<f64>().ok());
    // In hundredths of a second on every Linux.
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
