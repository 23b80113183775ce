//! A cache with a place of its own for filters.

use async_trait::async_trait;
use slatedb::Error;
use slatedb::db_cache::foyer::{FoyerCache, FoyerCacheOptions};
use slatedb::db_cache::{CacheFetch, CacheLoader, CachedEntry, CachedKey, DbCache, SplitCache};
use std::sync::Arc;

/// What shares the bytes of a cache.
#[derive(Clone, Copy, PartialEq)]
pub enum Sharing {
    /// Filters and indexes, as in SlateDB's own metadata cache.
    Indexes,
    /// Filters alone: all indexes are cached elsewhere.
    Nothing,
}

/// A cache of this many bytes that holds no blocks.
pub fn cache(bytes: u64, sharing: Sharing) -> Arc<dyn DbCache> {
    let meta: Arc<dyn DbCache> = match sharing {
        Sharing::Indexes => Arc::new(one(bytes)),
        Sharing::Nothing => Arc::new(Apart { filters: one(bytes), rest: one(1 << 30) }),
    };
    Arc::new(SplitCache::new().with_meta_cache(Some(meta)).build())
}

/// One shard: several would each have too little room for large filters.
fn one(bytes: u64) -> FoyerCache {
    FoyerCache::new_with_opts(FoyerCacheOptions { max_capacity: bytes, shards: 1 })
}

struct Apart {
    filters: FoyerCache,
    rest: FoyerCache,
}

#[async_trait]
impl DbCache for Apart {
    async fn get_block(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.rest.get_block(key).await
    }

    async fn get_index(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.rest.get_index(key).await
    }

    async fn get_filter(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.filters.get_filter(key).await
    }

    async fn get_stats(&self, key: &CachedKey) -> Result<Option<CachedEntry>, Error> {
        self.rest.get_stats(key).await
    }

    /// Nothing is written here while keys are looked up: reads go through `fetch_...`.
    async fn insert(&self, key: CachedKey, value: CachedEntry) {
        self.rest.insert(key, value).await;
    }

    async fn remove(&self, key: &CachedKey) {
        self.filters.remove(key).await;
        self.rest.remove(key).await;
    }

    fn entry_count(&self) -> u64 {
        self.filters.entry_count() + self.rest.entry_count()
    }

    async fn fetch_index(&self, key: CachedKey, loader: CacheLoader) -> Result<CacheFetch, Error> {
        self.rest.fetch_index(key, loader).await
    }

    async fn fetch_filter(&self, key: CachedKey, loader: CacheLoader) -> Result<CacheFetch, Error> {
        self.filters.fetch_filter(key, loader).await
    }
}
