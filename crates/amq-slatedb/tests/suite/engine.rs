//! The policy in the engine: what is read of the object store, and what is found.

use crate::store::Counting;
use crate::support::{Policies, flush, key, one};
use amq_slatedb::AmqFilterPolicy;
use slatedb::config::Settings;
use slatedb::db_cache::foyer::FoyerCache;
use slatedb::db_cache::{DbCache, SplitCache};
use slatedb::object_store::memory::InMemory;
use slatedb::{BloomFilterPolicy, Db};
use std::sync::Arc;

const KEYS: u64 = 3000;

fn ours() -> Policies {
    one(AmqFilterPolicy::fpr(0.01).unwrap())
}

fn built_in() -> Policies {
    vec![Arc::new(BloomFilterPolicy::new(10))]
}

fn store() -> Arc<Counting> {
    Counting::new(Arc::new(InMemory::new()))
}

/// A cache of filters and indexes, but not of blocks.
fn cache() -> Arc<dyn DbCache> {
    Arc::new(SplitCache::new().with_meta_cache(Some(Arc::new(FoyerCache::new()))).build())
}

async fn open(store: &Arc<Counting>, policies: Policies) -> Db {
    open_with(store, policies, (cache(), 0)).await
}

/// Nothing is compacted.
async fn open_with(
    store: &Arc<Counting>,
    policies: Policies,
    (cache, id): (Arc<dyn DbCache>, u64),
) -> Db {
    let settings = Settings { compactor_options: None, ..Settings::default() };
    Db::builder("db", store.clone())
        .with_settings(settings)
        .with_filter_policies(policies)
        .with_db_cache(cache, id)
        .build()
        .await
        .unwrap()
}

/// Writes a table of every second number from `first` on.
async fn write(db: &Db, first: u64) {
    for number in (first..first + 2 * KEYS).step_by(2) {
        db.put(key(number), number.to_string()).await.unwrap();
    }
    flush(db).await.unwrap();
}

async fn all_found(db: &Db, first: u64) {
    for number in (first..first + 2 * KEYS).step_by(2) {
        let value = db.get(key(number)).await.unwrap();
        assert_eq!(value.as_deref(), Some(number.to_string().as_bytes()), "key {number}");
    }
}

/// GETs for the absent numbers between those written.
async fn gets_of_absent(store: &Counting, db: &Db, first: u64) -> u64 {
    let before = store.gets().0;
    for number in (first..first + 2 * KEYS - 2).step_by(2) {
        assert_eq!(db.get(key(number + 1)).await.unwrap(), None, "key {}", number + 1);
    }
    store.gets().0 - before
}

#[tokio::test]
async fn absent_keys_are_answered_without_a_read() {
    let store = store();
    let db = open(&store, ours()).await;
    write(&db, 0).await;
    db.close().await.unwrap();
    let db = open(&store, ours()).await;
    all_found(&db, 0).await;
    // 30 of 3,000 are expected to be false positives, each of which reads a block.
    let gets = gets_of_absent(&store, &db, 0).await;
    assert!((5..70).contains(&gets), "{gets} reads");
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_deleted_key_stays_deleted_above_an_older_value() {
    let store = store();
    let db = open(&store, ours()).await;
    write(&db, 0).await;
    // The newer table has both values and tombstones.
    for number in (0..2 * KEYS).step_by(2) {
        if number % 4 == 0 {
            db.delete(key(number)).await.unwrap();
        } else {
            db.put(key(number), "newer").await.unwrap();
        }
    }
    flush(&db).await.unwrap();
    db.close().await.unwrap();
    let db = open(&store, ours()).await;
    for number in (0..2 * KEYS).step_by(2) {
        let value = db.get(key(number)).await.unwrap();
        let newer = (number % 4 != 0).then_some("newer".as_bytes());
        assert_eq!(value.as_deref(), newer, "key {number}");
    }
    db.close().await.unwrap();
}

#[tokio::test]
async fn a_database_with_the_built_in_filter_goes_on_and_back_again() {
    let store = store();
    // Every table is of one policy, and each policy opens the tables of both.
    for (round, policies) in [built_in(), ours(), built_in(), ours()].into_iter().enumerate() {
        let db = open(&store, policies).await;
        let first = 10_000 * round as u64;
        write(&db, first).await;
        for earlier in 0..=round as u64 {
            all_found(&db, 10_000 * earlier).await;
        }
        db.close().await.unwrap();
    }
    // Its own tables are filtered; the others are searched.
    let db = open(&store, ours()).await;
    all_found(&db, 0).await;
    all_found(&db, 10_000).await;
    let others = gets_of_absent(&store, &db, 0).await;
    let own = gets_of_absent(&store, &db, 10_000).await;
    assert_eq!(others, KEYS - 1);
    assert!(own < 70, "{own} reads");
    db.close().await.unwrap();
}

#[tokio::test]
async fn with_both_policies_the_tables_of_both_are_filtered() {
    let store = store();
    let both = || [built_in(), ours()].concat();
    for (first, policies) in [(0, built_in()), (10_000, ours()), (20_000, both())] {
        let db = open(&store, policies).await;
        write(&db, first).await;
        db.close().await.unwrap();
    }
    let db = open(&store, both()).await;
    for first in [0, 10_000, 20_000] {
        all_found(&db, first).await;
        let gets = gets_of_absent(&store, &db, first).await;
        assert!(gets < 70, "{gets} reads");
    }
    db.close().await.unwrap();
}

/// The entries of a cache are found by table, not by policy.
#[tokio::test]
async fn a_cache_answers_by_the_policy_that_filled_it() {
    let store = store();
    let db = open(&store, ours()).await;
    write(&db, 0).await;
    db.close().await.unwrap();

    // The built-in policy reads none of our filters, and the cache remembers that there are none.
    let shared = cache();
    for (policies, id, filtered) in
        [(built_in(), 0, false), (ours(), 0, false), (ours(), 1, true), (built_in(), 1, true)]
    {
        let db = open_with(&store, policies, (shared.clone(), id)).await;
        all_found(&db, 0).await;
        let gets = gets_of_absent(&store, &db, 0).await;
        assert_eq!(gets < 70, filtered, "{gets} reads with the id {id}");
        db.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_cache_keeps_the_bits_of_the_policy_that_filled_it() {
    let store = store();
    let db = open(&store, ours()).await;
    write(&db, 0).await;
    db.close().await.unwrap();

    let few = || one(AmqFilterPolicy::fpr(0.01).unwrap().with_cached_bits_per_key(2.2).unwrap());
    let shared = cache();
    // About a quarter of 3,000 at 2.2 bits, and 30 with the whole filter.
    for (policies, id, range) in
        [(few(), 0, 500..1000), (ours(), 0, 500..1000), (ours(), 1, 5..70), (few(), 1, 5..70)]
    {
        let db = open_with(&store, policies, (shared.clone(), id)).await;
        all_found(&db, 0).await;
        let gets = gets_of_absent(&store, &db, 0).await;
        assert!(range.contains(&gets), "{gets} reads with the id {id}");
        db.close().await.unwrap();
    }
}
