//! Filters that are truncated in caches.

use crate::store::Counting;
use crate::support::{WholeKey, block, built, flush, has, key, maybes};
use amq_ribbon::RibbonFilter;
use amq_slatedb::AmqFilterPolicy;
use foyer::{BlockEngineConfig, DeviceBuilder, FsDeviceBuilder, HybridCacheBuilder};
use slatedb::config::Settings;
use slatedb::db_cache::foyer_hybrid::FoyerHybridCache;
use slatedb::db_cache::{CachedEntry, CachedKey, DbCache, SplitCache};
use slatedb::object_store::memory::InMemory;
use slatedb::{Db, FilterPolicy};
use std::path::Path;
use std::sync::Arc;

const KEYS: u64 = 20_000;

/// Bytes that a filter of few keys may take whatever the limit.
const SMALLEST_LIMIT: f64 = 1024.0;

fn policy() -> AmqFilterPolicy {
    AmqFilterPolicy::bits_per_key(10.0).unwrap().with_cached_bits_per_key(5.0).unwrap()
}

#[test]
fn a_filter_in_a_cache_is_half_as_large_and_denies_no_key() {
    let policy = policy();
    let whole = built(&policy, (0..KEYS).map(key));
    let cached = whole.clamp_allocated_size();
    assert!(cached.size() * 100 < whole.size() * 55, "{} of {}", cached.size(), whole.size());
    // One in 32: 3,125, within five standard deviations.
    let answered = maybes(&*cached, 1 << 32, 100_000);
    assert!((2850..3400).contains(&answered), "{answered} of 100,000");
    assert!((0..KEYS).all(|number| has(&*cached, key(number))));
    // It is no larger and no smaller when it enters the next cache.
    assert_eq!(block(&*cached.clamp_allocated_size()), block(&*cached));
}

#[test]
fn a_table_gets_the_whole_filter() {
    let plain = AmqFilterPolicy::bits_per_key(10.0).unwrap();
    let whole = block(&*built(&policy(), (0..KEYS).map(key)));
    assert_eq!(whole, block(&*built(&plain, (0..KEYS).map(key))));
    assert_eq!(policy().name(), plain.name());
}

#[test]
fn what_a_disk_cache_gets_is_a_filter_for_every_policy() {
    let whole = built(&policy(), (0..KEYS).map(key));
    let on_disk = block(&*whole.clamp_allocated_size());
    assert!(on_disk.len() < block(&*whole).len());
    for reader in [policy(), AmqFilterPolicy::fpr(0.01).unwrap()] {
        let read = reader.decode(&on_disk);
        assert_eq!(reader.unreadable(), 0);
        assert_eq!(block(&*read), on_disk);
        assert!((0..KEYS).all(|number| has(&*read, key(number))));
    }
}

#[test]
fn a_filter_that_is_small_enough_stays_as_it_is() {
    let policy = AmqFilterPolicy::fpr(0.01).unwrap().with_cached_bits_per_key(12.0).unwrap();
    let few = AmqFilterPolicy::fpr(0.01).unwrap().with_cached_bits_per_key(2.0).unwrap();
    // The second is a split-block filter, which cannot be truncated.
    for filter in [built(&policy, (0..KEYS).map(key)), built(&few, (0..20).map(key))] {
        assert_eq!(block(&*filter.clamp_allocated_size()), block(&*filter));
    }
    assert!(AmqFilterPolicy::fpr(0.01).unwrap().with_cached_bits_per_key(0.0).is_err());
}

#[test]
fn a_filter_in_a_cache_keeps_the_limit_in_tables_of_every_size() {
    let plain = AmqFilterPolicy::bits_per_key(10.0).unwrap();
    let policies = [
        || AmqFilterPolicy::bits_per_key(10.0),
        || AmqFilterPolicy::bits_per_key(33.0),
        || AmqFilterPolicy::fpr(1e-6),
    ];
    let limits = [1.1, 1.5, 2.0, 3.0, 6.0, 9.0];
    for (policy, limit) in policies.iter().flat_map(|policy| limits.map(|limit| (policy, limit))) {
        let policy = policy().unwrap().with_cached_bits_per_key(limit).unwrap();
        for keys in [1u64, 30, 100, 200, 400, 700, 1000, 1500, 3000, 10_000, 50_000] {
            let whole = built(&policy, (0..keys).map(key));
            let cached = whole.clamp_allocated_size();
            // What a filter of no bits would take.
            let constant = plain.builder().build().size() + size_of::<RibbonFilter>();
            let bytes = cached.size() - constant.min(cached.size());
            let allowed = (limit * keys as f64 / 8.0).max(SMALLEST_LIMIT);
            assert!(bytes as f64 <= allowed, "{bytes} bytes of {keys} keys within {limit} bits");
            assert!((0..keys).all(|number| has(&*cached, key(number))));
        }
    }
}

#[test]
fn the_limit_is_of_the_keys_that_a_table_has() {
    // Each key twice: once as a key, and once as its own prefix.
    let limited = |policy: AmqFilterPolicy| policy.with_cached_bits_per_key(5.0).unwrap();
    let policy = || AmqFilterPolicy::bits_per_key(10.0).unwrap();
    let both = limited(policy().with_prefix_extractor(Arc::new(WholeKey)));
    let [both, keys] = [both, limited(policy())].map(|policy| built(&policy, (0..KEYS).map(key)));
    assert_eq!(both.clamp_allocated_size().size(), keys.clamp_allocated_size().size());
}

/// A cache on disk, whose part in memory is too small for anything.
async fn disk_cache(folder: &Path) -> Arc<dyn DbCache> {
    let device = FsDeviceBuilder::new(folder).with_capacity(64 << 20).build().unwrap();
    let cache = HybridCacheBuilder::<CachedKey, CachedEntry>::new()
        .memory(1024)
        .with_weighter(|_, entry: &CachedEntry| entry.size())
        .storage()
        .with_engine_config(BlockEngineConfig::new(device).with_block_size(1 << 20))
        .build()
        .await
        .unwrap();
    let meta = Arc::new(FoyerHybridCache::new_with_cache(cache));
    Arc::new(SplitCache::new().with_meta_cache(Some(meta)).build())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_key_is_found_through_a_disk_cache_of_smaller_filters() {
    let folder = tempfile::tempdir().unwrap();
    let cache = disk_cache(folder.path()).await;
    let store = Counting::new(Arc::new(InMemory::new()));
    let policy = Arc::new(policy());
    for open in 0..2 {
        let settings = Settings { compactor_options: None, ..Settings::default() };
        let db = Db::builder("db", store.clone())
            .with_settings(settings)
            .with_filter_policies(vec![policy.clone()])
            .with_db_cache(cache.clone(), 0)
            .build()
            .await
            .unwrap();
        if open == 0 {
            for number in 0..KEYS {
                db.put(key(2 * number), "value").await.unwrap();
            }
            flush(&db).await.unwrap();
        }
        for number in 0..KEYS {
            assert!(db.get(key(2 * number)).await.unwrap().is_some(), "key {number}");
        }
        for number in 0..1000 {
            assert!(db.get(key(2 * number + 1)).await.unwrap().is_none(), "key {number}");
        }
        db.close().await.unwrap();
    }
    assert_eq!(policy.unreadable(), 0);
}
