//! `amq_contains_file` in the object stores of a session.

use crate::engine::{answers, array, bytes, error, numbers, session, table};
use amq_datafusion::{ContainsFile, ObjectStoreFiles};
use datafusion::arrow::array::Int64Array;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::prelude::SessionContext;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::throttle::{ThrottleConfig, ThrottledStore};
use object_store::{ObjectStore, ObjectStoreExt};
use std::sync::Arc;
use std::time::Duration;

fn register(ctx: &SessionContext, url: &str, store: impl ObjectStore) -> Arc<dyn ObjectStore> {
    let store: Arc<dyn ObjectStore> = Arc::new(store);
    ctx.register_object_store(ObjectStoreUrl::parse(url).unwrap().as_ref(), Arc::clone(&store));
    store
}

fn allow<const N: usize>(ctx: &SessionContext, prefixes: [&str; N]) {
    let files = Arc::new(ObjectStoreFiles::new(&ctx.runtime_env()));
    ctx.register_udf(ContainsFile::allowing(prefixes).from_files(files).into());
}

async fn put(ctx: &SessionContext, store: &Arc<dyn ObjectStore>, place: &str, key: i64) {
    let made = bytes(ctx, &format!("SELECT amq_agg({key}, 10, 0.0001)")).await.unwrap();
    store.put(&Path::parse(place).unwrap(), made.into()).await.unwrap();
}

#[tokio::test]
async fn every_scheme_of_the_session_is_read_where_the_host_allows_it() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let s3 = register(&ctx, "s3://bucket", InMemory::new());
    let other = register(&ctx, "s3://other", InMemory::new());
    let mounted = LocalFileSystem::new_with_prefix(folder.path()).unwrap();
    let mounted = register(&ctx, "mounted://here", mounted);
    put(&ctx, &s3, "filters/of mine/f.amq", 7).await;
    put(&ctx, &s3, "secret.amq", 7).await;
    put(&ctx, &other, "filters/f.amq", 7).await;
    put(&ctx, &mounted, "f.amq", 8).await;
    let local = folder.path().join("f.amq").display().to_string();
    allow(&ctx, ["s3://bucket/filters/", "mounted://here", folder.path().to_str().unwrap()]);
    table(&ctx, "t", vec![array(Int64Array::from_iter_values(0..100_000))]);
    let found = async |path: &str| {
        let sql = format!("SELECT x FROM t WHERE amq_contains_file('{path}', x) AND x < 100");
        numbers(&ctx, &sql).await
    };
    assert_eq!(found("s3://bucket/filters/of mine/f.amq").await, [7]);
    for path in ["mounted://here/f.amq".into(), format!("file://{local}"), local] {
        assert_eq!(found(&path).await, [8], "{path}");
    }

    let ask = |path: &str| format!("SELECT amq_contains_file('{path}', 7)");
    for path in [
        "s3://bucket/secret.amq",
        "s3://bucket/filters/../secret.amq",
        "s3://bucket/filters/.\t./secret.amq",
        "s3://other/filters/f.amq",
        "s3://bucket@other/filters/f.amq",
        "file:///etc/passwd",
    ] {
        let said = error(&ctx, &ask(path)).await;
        assert!(said.contains("lies in no folder that the host allows"), "{path}: {said}");
    }
    s3.put(&Path::from("filters/short"), vec![0; 3].into()).await.unwrap();
    s3.put(&Path::from("filters/empty"), vec![].into()).await.unwrap();
    s3.put(&Path::from("filters/foreign"), vec![7; 1000].into()).await.unwrap();
    for name in ["short", "empty", "foreign", "none", "", ".", "a//b"] {
        let path = format!("s3://bucket/filters/{name}");
        let said = error(&ctx, &ask(&path)).await;
        assert!(said.contains(&format!("amq_contains_file: `{path}`: ")), "{said}");
    }
    allow(&ctx, ["gs://bucket"]);
    let said = error(&ctx, &ask("gs://bucket/f.amq")).await;
    assert!(said.contains("No suitable object store found for gs://bucket"), "{said}");
    let files = ContainsFile::allowing(["s3://bucket"]);
    ctx.register_udf(files.into());
    let said = error(&ctx, &ask("s3://bucket/secret.amq")).await;
    assert!(said.contains("local files only") && said.contains("ObjectStoreFiles"), "{said}");
}

#[tokio::test]
async fn an_object_that_was_replaced_is_read_anew_after_a_second() {
    let ctx = session();
    let s3 = register(&ctx, "s3://bucket", InMemory::new());
    allow(&ctx, ["s3://bucket"]);
    let ask = "SELECT amq_contains_file('s3://bucket/f', 7)";
    for (key, found) in [(7, true), (8, false), (7, true)] {
        put(&ctx, &s3, "f", key).await;
        tokio::time::sleep(Duration::from_millis(1010)).await;
        assert_eq!(answers(&ctx, ask).await, [Some(found)], "{key}");
    }
}

/// A store that waits by the runtime's clock, asked in every partition at once.
async fn a_slow_store() {
    let ctx = session();
    let wait_get_per_call = Duration::from_millis(20);
    let slow = ThrottleConfig { wait_get_per_call, ..Default::default() };
    let slow = register(&ctx, "s3://slow", ThrottledStore::new(InMemory::new(), slow));
    put(&ctx, &slow, "f", 7).await;
    allow(&ctx, ["s3://slow"]);
    let longs = |range: std::ops::Range<i64>| array(Int64Array::from_iter_values(range));
    table(&ctx, "t", vec![longs(0..50_000), longs(50_000..100_000), longs(0..50_000)]);
    let sql = "SELECT x FROM t WHERE amq_contains_file('s3://slow/f', x) AND x < 100";
    assert_eq!(numbers(&ctx, sql).await, [7, 7]);
}

#[tokio::test(flavor = "current_thread")]
async fn a_runtime_of_one_thread_waits_for_a_store() {
    a_slow_store().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_runtime_of_one_worker_waits_for_a_store() {
    a_slow_store().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_runtime_of_several_workers_waits_for_a_store() {
    a_slow_store().await;
}
