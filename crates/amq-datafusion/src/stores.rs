//! Filters in the object stores of a session.

use crate::local::{FilterFiles, LocalFiles, local};
use datafusion_execution::object_store::{ObjectStoreRegistry, ObjectStoreUrl};
use datafusion_execution::runtime_env::RuntimeEnv;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::task::block_in_place;

/// Files in any object store that a session has registered at the time of the query, such as
/// `s3://bucket/f.amq`. Local files, with or without `file://`, are read as by [`LocalFiles`].
///
/// ```
/// use amq_datafusion::{ContainsFile, ObjectStoreFiles};
/// use datafusion::prelude::SessionContext;
/// use std::sync::Arc;
///
/// let ctx = SessionContext::new(); // ctx.register_object_store(...)
/// let files = Arc::new(ObjectStoreFiles::new(&ctx.runtime_env()));
/// let function = ContainsFile::allowing(["s3://bucket/filters"]).from_files(files);
/// ctx.register_udf(function.into());
/// ```
///
/// A query waits for the store once for each filter, and then once a second for its header while
/// the query runs. So a replaced object is noticed within a second.
///
/// A multi-threaded runtime continues with other work meanwhile. On a current-thread runtime, the
/// store is read on a separate thread. (A tokio `LocalSet` on a multi-threaded runtime cannot wait:
/// run the query outside of it.)
#[derive(Clone, Debug)]
pub struct ObjectStoreFiles {
    registry: Arc<dyn ObjectStoreRegistry>,
}

impl ObjectStoreFiles {
    /// Files in the stores of this session or executor, including those registered later.
    #[must_use]
    pub fn new(runtime: &RuntimeEnv) -> Self {
        Self { registry: Arc::clone(&runtime.object_store_registry) }
    }

    /// The store of a URL, and the path in it.
    fn place(&self, url: &str) -> io::Result<(Arc<dyn ObjectStore>, Path)> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("file", url));
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let store = ObjectStoreUrl::parse(format!("{scheme}://{host}"));
        let store = store.and_then(|store| self.registry.get_store(store.as_ref()));
        Ok((store.map_err(io::Error::other)?, Path::parse(path).map_err(io::Error::other)?))
    }
}

impl FilterFiles for ObjectStoreFiles {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        if local(path).is_some() {
            return LocalFiles.read(path, most);
        }
        let (store, place) = self.place(path)?;
        let options = GetOptions::new().with_range(Some(0..most));
        let read = async move { store.get_opts(&place, options).await?.bytes().await };
        Ok(waited_for(read)?.map_err(io::Error::from)?.into())
    }

    fn believed_for(&self) -> Duration {
        Duration::from_secs(1)
    }
}

/// Blocks on a future.
fn waited_for<T: Send>(future: impl Future<Output = T> + Send) -> io::Result<T> {
    match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            Ok(block_in_place(|| handle.block_on(future)))
        }
        _ => thread::scope(|scope| {
            let own = || Ok(Builder::new_current_thread().enable_all().build()?.block_on(future));
            let own = thread::Builder::new().spawn_scoped(scope, own)?;
            own.join().unwrap_or_else(|_| Err(io::Error::other("the object store panicked")))
        }),
    }
}
