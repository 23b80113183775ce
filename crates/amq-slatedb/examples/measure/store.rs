//! An object store that counts what is read from it.

use async_trait::async_trait;
use futures::stream::BoxStream;
use slatedb::object_store::path::Path;
use slatedb::object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A store, and the reads of its objects so far.
#[derive(Debug)]
pub struct Counting {
    store: Arc<dyn ObjectStore>,
    gets: AtomicU64,
    bytes: AtomicU64,
}

impl Counting {
    pub fn new(store: Arc<dyn ObjectStore>) -> Arc<Self> {
        Arc::new(Self { store, gets: AtomicU64::new(0), bytes: AtomicU64::new(0) })
    }

    /// The GETs so far of tables, and the bytes asked for. Other objects are not counted.
    pub fn gets(&self) -> (u64, u64) {
        (self.gets.load(Relaxed), self.bytes.load(Relaxed))
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "counting {}", self.store)
    }
}

#[async_trait]
impl ObjectStore for Counting {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        opts: PutOptions,
    ) -> Result<PutResult> {
        self.store.put_opts(location, payload, opts).await
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        opts: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.store.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let head = options.head;
        let result = self.store.get_opts(location, options).await?;
        if !head && location.as_ref().ends_with(".sst") {
            self.gets.fetch_add(1, Relaxed);
            self.bytes.fetch_add(result.range.end - result.range.start, Relaxed);
        }
        Ok(result)
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.store.delete_stream(locations)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.store.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.store.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.store.copy_opts(from, to, options).await
    }
}
