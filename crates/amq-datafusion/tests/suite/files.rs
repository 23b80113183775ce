//! `amq_contains_file`, and a join's filter in two steps.

use crate::engine::{answers, array, bytes, error, numbers, session, table};
use amq::{AnyFilter, FilterFile};
use amq_datafusion::{ContainsFile, FilterFiles, SemiJoinOptions, semi_join_filter};
use datafusion::arrow::array::Int64Array;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionContext, col, lit};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

async fn write(ctx: &SessionContext, path: &Path, key: i64) {
    let made = bytes(ctx, &format!("SELECT amq_agg({key}, 10, 0.0001)")).await.unwrap();
    std::fs::write(path, made).unwrap();
}

#[tokio::test]
async fn files_are_read_only_in_folders_that_the_host_allows() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let allowed = folder.path().join("filters");
    std::fs::create_dir(&allowed).unwrap();
    let inside = allowed.join("one.amq");
    let outside = folder.path().join("two.amq");
    write(&ctx, &inside, 7).await;
    write(&ctx, &outside, 7).await;
    let ask = |path: &str| format!("SELECT amq_contains_file('{path}', 7)");
    let said = error(&ctx, &ask(inside.to_str().unwrap())).await;
    assert!(
        said.contains("the host allows none") && said.contains("ContainsFile::allowing"),
        "{said}"
    );

    ctx.register_udf(ContainsFile::allowing([allowed.to_str().unwrap()]).into());
    for path in [inside.display().to_string(), format!("file://{}", inside.display())] {
        assert_eq!(answers(&ctx, &ask(&path)).await, [Some(true)]);
    }
    std::os::unix::fs::symlink(&outside, allowed.join("link.amq")).unwrap();
    for path in [
        outside.display().to_string(),
        format!("{}/../two.amq", allowed.display()),
        format!("{}/link.amq", allowed.display()),
        format!("{}2/one.amq", allowed.display()),
        "one.amq".into(),
        "/etc/passwd".into(),
        "s3://bucket/one.amq".into(),
    ] {
        let said = error(&ctx, &ask(&path)).await;
        assert!(said.contains("lies in no folder that the host allows"), "{path}: {said}");
    }
    std::fs::write(allowed.join("damaged.amq"), vec![7; 300]).unwrap();
    std::fs::write(allowed.join("short.amq"), b"short").unwrap();
    for name in ["damaged.amq", "short.amq", "none.amq", "."] {
        let path = format!("{}/{name}", allowed.display());
        let said = error(&ctx, &ask(&path)).await;
        assert!(said.contains("amq_contains_file: ") && said.contains(name), "{said}");
    }
    table(&ctx, "paths", vec![array(datafusion::arrow::array::StringArray::from(vec!["a"]))]);
    let said = error(&ctx, "SELECT amq_contains_file(x, 7) FROM paths").await;
    assert!(said.contains("the path is a literal"), "{said}");
    assert_eq!(answers(&ctx, "SELECT amq_contains_file(NULL, 7)").await, [None]);
}

#[tokio::test]
async fn a_file_that_was_replaced_is_read_anew() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.amq");
    ctx.register_udf(ContainsFile::allowing([folder.path().to_str().unwrap()]).into());
    let sql = format!("SELECT amq_contains_file('{}', 7)", path.display());
    for (key, found) in [(7, true), (8, false), (7, true)] {
        write(&ctx, &path, key).await;
        assert_eq!(answers(&ctx, &sql).await, [Some(found)], "{key}");
    }
}

/// Such as an object store.
#[derive(Debug, Default)]
struct Elsewhere {
    bytes: Vec<u8>,
    /// How often it was read to its end.
    whole: AtomicUsize,
}

impl FilterFiles for Elsewhere {
    fn read(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        assert!(path.starts_with("s3://bucket/filters/"));
        let most = self.bytes.len().min(most as usize);
        self.whole.fetch_add((most == self.bytes.len()) as usize, Relaxed);
        Ok(self.bytes[..most].to_vec())
    }
}

#[tokio::test]
async fn files_elsewhere_are_read_once_and_kept() {
    let ctx = session();
    let bytes = bytes(&ctx, "SELECT amq_agg(7, 10, 0.0001)").await.unwrap();
    let files = Arc::new(Elsewhere { bytes, whole: AtomicUsize::new(0) });
    let function = ContainsFile::allowing(["s3://bucket/filters"]).from_files(files.clone());
    ctx.register_udf(function.into());
    table(&ctx, "t", vec![array(Int64Array::from_iter_values(0..100_000))]);
    let sql = "SELECT x FROM t WHERE amq_contains_file('s3://bucket/filters/f', x) AND x < 100";
    assert_eq!(numbers(&ctx, sql).await, [7]);
    assert_eq!(files.whole.load(Relaxed), 1);
    for path in [
        "s3://bucket/filters/../secret/f",
        "s3://bucket/filters2/f",
        "s3://bucket/filters/%2e%2e/f",
        "s3://bucket/filters/.\t./f",
        "s3://bucket/filters/f ",
        "s3://other/filters/f",
        "/bucket/filters/f",
    ] {
        let said = error(&ctx, &format!("SELECT amq_contains_file('{path}', 7)")).await;
        assert!(said.contains("lies in no folder"), "{path}: {said}");
    }
}

/// It says that it is short, and more and more comes.
#[tokio::test]
async fn no_more_of_a_file_is_read_than_its_header_says() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.amq");
    write(&ctx, &path, 7).await;
    let whole = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    ctx.register_udf(ContainsFile::allowing([folder.path().to_str().unwrap()]).into());
    let said = error(&ctx, &format!("SELECT amq_contains_file('{}', 7)", path.display())).await;
    assert!(said.contains("f.amq") && said.contains("1 byte"), "{said}");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(whole - 1).unwrap();
    let said = error(&ctx, &format!("SELECT amq_contains_file('{}', 7)", path.display())).await;
    assert!(said.contains("f.amq") && said.contains(&format!("{}", whole - 1)), "{said}");
}

#[tokio::test]
async fn a_joins_filter_goes_over_as_a_literal_or_as_a_file() {
    let ctx = session();
    let longs = |range: std::ops::Range<i64>| array(Int64Array::from_iter_values(range));
    table(&ctx, "build", vec![longs(0..500), longs(500..1000)]);
    table(&ctx, "probe", vec![longs(500..50_000), longs(-50_000..0)]);
    let folder = tempfile::tempdir().unwrap();
    let function = ContainsFile::allowing([folder.path().to_str().unwrap()]);
    let function = Arc::new(ScalarUDF::from(function));
    ctx.register_udf(function.as_ref().clone());
    let plan = async |sql: &str| ctx.sql(sql).await.unwrap().into_unoptimized_plan();
    let filtered = async |options: &SemiJoinOptions| {
        let run = async |plan| ctx.execute_logical_plan(plan).await?.collect().await;
        let (build, probe) = (plan("SELECT * FROM build").await, plan("SELECT * FROM probe").await);
        semi_join_filter(run, build, col("x"), probe, col("x"), options).await
    };
    let mut options = SemiJoinOptions::new(1000);
    options.fpr = 0.001;
    let by_literal = filtered(&options).await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);

    options.literal_bytes = 100;
    let said = filtered(&options).await.unwrap_err().to_string();
    assert!(said.contains("too many for a literal") && said.contains("shared"), "{said}");

    options.shared = Some((folder.path().into(), function));
    let by_file = filtered(&options).await.unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert!(AnyFilter::load(files[0].as_ref().unwrap().path()).unwrap().contains(&999i64));

    for plan in [by_literal, by_file] {
        let frame = ctx.execute_logical_plan(plan).await.unwrap();
        let rows = frame.clone().count().await.unwrap();
        assert!((550..=650).contains(&rows), "{rows}: 500 partners, and 0.001 of 99,000");
        let partners = frame.filter(col("x").between(lit(500), lit(999))).unwrap();
        assert_eq!(partners.count().await.unwrap(), 500);
    }
}

/// A join compares a number with a text, and a filter would drop every row.
#[tokio::test]
async fn a_join_of_keys_of_two_types_is_refused_beforehand() {
    let ctx = session();
    table(&ctx, "build", vec![array(Int64Array::from_iter_values(0..10))]);
    let plan = async |sql: &str| ctx.sql(sql).await.unwrap().into_unoptimized_plan();
    for (of, passes) in [
        ("arrow_cast(x, 'UInt8')", true),
        ("CAST(x AS VARCHAR)", false),
        ("arrow_cast(arrow_cast(x, 'Int32'), 'Date32')", false),
        ("CAST(x AS TIMESTAMP)", false),
    ] {
        let ran = std::sync::atomic::AtomicBool::new(false);
        let run = async |plan| {
            ran.store(true, Relaxed);
            ctx.execute_logical_plan(plan).await?.collect().await
        };
        let (build, probe) = (
            plan("SELECT * FROM build").await,
            plan(&format!("SELECT {of} AS x FROM build")).await,
        );
        let options = SemiJoinOptions::new(10);
        let made = semi_join_filter(run, build, col("x"), probe, col("x"), &options).await;
        assert_eq!((made.is_ok(), ran.load(Relaxed)), (passes, passes), "{of}");
        if let Err(error) = made {
            let said = error.to_string();
            assert!(said.contains("Int64") && said.contains("cast one of them"), "{said}");
        }
    }
}
