//! `amq_contains`, and what a subquery costs.

use crate::engine::{
    answers, array, bytes, error, hex, numbers, planning_error, rows, session, session_with, table,
};
use amq::{
    AnyFile, AnyFilter, BloomFilter, FilterFile, FilterKind, Goal, KeyEncoding, KeyHash, Keyed,
    Prehashed, SaveOptions, SipKey,
};
use amq_datafusion::ContainsFile;
use datafusion::arrow::array::{
    BinaryArray, BinaryViewArray, Int64Array, LargeBinaryArray, RecordBatch,
};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, ScalarUDF};
use datafusion::prelude::{SessionConfig, col, lit};

const TRAP: &str = "SELECT x FROM probe WHERE \
                    amq_contains((SELECT amq_agg(x, 1000, 0.001) FROM build), x)";

async fn join_session(config: SessionConfig) -> datafusion::prelude::SessionContext {
    let ctx = session_with(config);
    let longs = |range: std::ops::Range<i64>| array(Int64Array::from_iter_values(range));
    table(&ctx, "build", vec![longs(0..600), longs(600..1000)]);
    table(&ctx, "probe", vec![longs(500..50_000), longs(-50_000..0)]);
    ctx
}

#[tokio::test]
async fn a_subquery_filters_the_other_side_of_a_join() {
    let ctx = join_session(SessionConfig::new().with_target_partitions(2)).await;
    let found = numbers(&ctx, TRAP).await;
    assert!((500..1000).all(|key| found.contains(&key)));
    let wrong = found.len() - 500;
    assert!((50..=150).contains(&wrong), "{wrong} of 99,000 at 0.001");
    // Shared, and not copied once a batch.
    let plan = rows(&ctx, &format!("EXPLAIN {TRAP}")).await.unwrap();
    let plan = pretty_format_batches(&plan).unwrap().to_string();
    assert!(plan.contains("amq_constant") && !plan.contains("CrossJoin"), "{plan}");
}

#[tokio::test]
async fn a_subquery_copied_for_each_row_is_refused_while_planning() {
    let off = "datafusion.optimizer.enable_physical_uncorrelated_scalar_subquery";
    let ctx = join_session(SessionConfig::new().set_bool(off, false)).await;
    let spark = TRAP.replace("amq_contains", "might_contain");
    let spark = spark.replace("amq_agg(x, 1000, 0.001)", "bloom_filter_agg(x)");
    let projected =
        "SELECT amq_contains((SELECT amq_agg(x, 1000, 0.01) FROM build), x) AS y FROM probe";
    let deeper =
        TRAP.replace("amq_contains((", "amq_contains(coalesce((").replace("), x)", "), NULL), x)");
    for sql in [TRAP, &spark, projected, &deeper] {
        let said = planning_error(&ctx, sql).await;
        assert!(said.contains("copied once for each row"), "{said}");
        assert!(said.contains("amq_datafusion::semi_join_filter"), "{said}");
    }
    // A subquery elsewhere is no filter's.
    let sql = "SELECT x FROM probe WHERE x = (SELECT max(x) FROM build)";
    assert_eq!(numbers(&ctx, sql).await, [999]);
    let ctx = join_session(SessionConfig::new()).await;
    let correlated = "SELECT x FROM probe WHERE amq_contains(\
                      (SELECT amq_agg(b.x, 9, 0.01) FROM build b WHERE b.x = probe.x), x)";
    let said = planning_error(&ctx, correlated).await;
    assert!(said.contains("is a correlated subquery"), "{said}");
}

#[tokio::test]
async fn literals_columns_and_nulls_are_asked() {
    let ctx = session();
    let mut filter = AnyFilter::new(FilterKind::Cuckoo, Goal::fpr(10, 0.0001)).unwrap();
    filter.insert(&5i64).unwrap();
    let one = filter.to_bytes().unwrap();
    let other = bytes(&ctx, "SELECT amq_agg(6, 10, 0.0001)").await.unwrap();
    table(&ctx, "t", vec![array(Int64Array::from(vec![Some(5), None, Some(6)]))]);
    let literal = format!("X'{}'", hex(&one));
    let sql = format!("SELECT amq_contains({literal}, x) FROM t");
    assert_eq!(answers(&ctx, &sql).await, [Some(true), None, Some(false)]);
    let sql = format!("SELECT amq_contains({literal}, 5) FROM t");
    assert_eq!(answers(&ctx, &sql).await, [Some(true); 3]);
    assert_eq!(answers(&ctx, "SELECT amq_contains(NULL, x) FROM t").await, [None; 3]);

    let filters = vec![Some(&one[..]), Some(&one), None, Some(&other), Some(&other), Some(&one)];
    let keys = Int64Array::from(vec![Some(5), Some(6), Some(5), Some(6), Some(5), None]);
    for column in [
        array(LargeBinaryArray::from(filters.clone())),
        array(BinaryViewArray::from_iter(filters.clone())),
    ] {
        let columns = [("f", column), ("x", array(keys.clone()))];
        let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(n, a)| (n, a, true)));
        ctx.deregister_table("both").unwrap();
        ctx.register_batch("both", batch.unwrap()).unwrap();
        let want = [Some(true), Some(false), None, Some(true), Some(false), None];
        assert_eq!(answers(&ctx, "SELECT amq_contains(f, x) FROM both").await, want);
        let five = answers(&ctx, "SELECT amq_contains(f, 5) FROM both").await;
        let want = [Some(true), Some(true), None, Some(false), Some(false), Some(true)];
        assert_eq!(five, want);
    }
}

#[tokio::test]
async fn filters_of_another_seed_are_asked_under_it() {
    let ctx = session();
    let mut filter = AnyFilter::with_seed(FilterKind::Bloom, Goal::fpr(100, 0.0001), 99).unwrap();
    for key in 0..100i64 {
        filter.insert(&key).unwrap();
    }
    table(&ctx, "t", vec![array(Int64Array::from_iter_values(0..200))]);
    let sql =
        format!("SELECT x FROM t WHERE amq_contains(X'{}', x)", hex(&filter.to_bytes().unwrap()));
    assert_eq!(numbers(&ctx, &sql).await, (0..100).collect::<Vec<i64>>());
}

/// The answers would all be "no".
#[tokio::test]
async fn a_filter_is_not_asked_for_keys_of_a_type_that_it_cannot_have() {
    let ctx = session();
    let made = "SELECT arrow_cast(x, 'Int16') AS i, CAST(x AS VARCHAR) AS s, \
                arrow_cast(x, 'Date32') AS d, CAST(x AS TIMESTAMP) AS t, x = 1 AS b, \
                arrow_cast(CAST(x AS VARCHAR), 'Dictionary(Int8, BinaryView)') AS y, NULL AS n \
                FROM (SELECT arrow_cast(column1, 'Int32') AS x FROM (VALUES (1), (2)))";
    ctx.sql(&format!("CREATE TABLE t AS {made}")).await.unwrap().collect().await.unwrap();
    for (of, asked) in [("i", "bn"), ("s", "yn"), ("y", "sn"), ("d", "n"), ("t", "n"), ("b", "in")]
    {
        let made = bytes(&ctx, &format!("SELECT amq_agg({of}, 10, 0.0001) FROM t")).await.unwrap();
        for column in ["i", "s", "d", "t", "b", "y", "n"] {
            let queries = [
                format!("SELECT amq_contains(X'{}', {column}) AS f FROM t", hex(&made)),
                format!(
                    "SELECT amq_contains(f, {column}) FROM t, \
                     (SELECT amq_merge_agg(f) AS f FROM (SELECT amq_agg({of}, 10, 0.0001) AS f \
                     FROM t GROUP BY {of}))"
                ),
            ];
            for sql in queries {
                if column == of || asked.contains(column) {
                    let answers = answers(&ctx, &sql).await;
                    assert!(column != of || answers == [Some(true); 2], "{of} {column}");
                } else {
                    let said = error(&ctx, &sql).await;
                    assert!(said.contains("every answer would be \"no\""), "{of} {column} {said}");
                    assert!(said.contains("the filter's keys are") && said.contains("cast"));
                }
            }
        }
    }
    // Of the command, from a list of digests.
    let mut digests = AnyFilter::new(FilterKind::Bloom, Goal::fpr(10, 0.001)).unwrap();
    digests.insert(&[0xca_u8, 0xfe]).unwrap();
    let digests = AnyFile::Keys(digests, KeyEncoding::Hex.into()).to_bytes().unwrap();
    let ask = |key: &str| format!("SELECT amq_contains(X'{}', {key})", hex(&digests));
    assert_eq!(answers(&ctx, &ask("decode('cafe', 'hex')")).await, [Some(true)]);
    for key in ["'cafe'", "5", "arrow_cast('cafe', 'Dictionary(Int8, Utf8View)')"] {
        let said = error(&ctx, &ask(key)).await;
        assert!(said.contains("decode(x, 'hex')"), "{key}: {said}");
    }
    // Files that do not say.
    let mut filter = AnyFilter::new(FilterKind::Bloom, Goal::fpr(10, 0.001)).unwrap();
    filter.insert("1").unwrap();
    let sql = format!("SELECT amq_contains(X'{}', i) FROM t", hex(&filter.to_bytes().unwrap()));
    assert_eq!(answers(&ctx, &sql).await, [Some(false); 2]);
}

/// Their keys would be hashed otherwise than by the filter, and every answer be "no".
#[tokio::test]
async fn filters_of_keys_that_sql_cannot_hash_are_refused() {
    let ctx = session();
    let goal = Goal::fpr(100, 0.01);
    let key = SipKey::new([7; 16]);
    let mut keyed = Keyed::<BloomFilter>::new(goal, key).unwrap();
    keyed.insert(&5i64).unwrap();
    let mut hashes = Prehashed::of(AnyFilter::new(FilterKind::Bloom, goal).unwrap());
    hashes.get_mut().insert_hash(KeyHash::new(5)).unwrap();
    let mut secret = AnyFilter::with_seed(FilterKind::Bloom, goal, 77).unwrap();
    secret.insert(&5i64).unwrap();
    let withheld = [
        SaveOptions::new().without_secret().to_bytes(&keyed),
        SaveOptions::new().without_secret().to_bytes(&secret),
    ];
    let [keyed_without, without_seed] = withheld.map(Result::unwrap);
    let [keyed, hashes] = [keyed.to_bytes(), hashes.to_bytes()].map(Result::unwrap);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.amq");
    let function = ContainsFile::allowing([folder.path().to_str().unwrap()]);
    ctx.register_udf(function.into());
    for (bytes, text) in [
        (&keyed, "SQL cannot pass a secret"),
        (&keyed_without, "SQL cannot pass a secret"),
        (&without_seed, "SQL cannot pass a secret"),
        (&hashes, "SQL hashes keys itself"),
    ] {
        let filter = hex(bytes);
        std::fs::write(&path, bytes).unwrap();
        table(&ctx, "t", vec![array(LargeBinaryArray::from_iter_values([bytes]))]);
        for sql in [
            format!("SELECT amq_contains(X'{filter}', 5)"),
            "SELECT amq_contains(x, 5) FROM t".into(),
            "SELECT amq_merge_agg(x) FROM t".into(),
            format!("SELECT amq_contains_file('{}', 5)", path.display()),
        ] {
            let said = error(&ctx, &sql).await;
            assert!(said.contains(text) && said.contains("amq_agg"), "{said}");
        }
        ctx.deregister_table("t").unwrap();
    }
    // What does not depend on the keys is told.
    for bytes in [keyed, hashes] {
        let sql = format!("SELECT amq_estimate(X'{}')", hex(&bytes));
        assert_eq!(numbers(&ctx, &sql).await, [1]);
    }
}

#[tokio::test]
async fn data_frames_ask_as_sql_does() {
    let ctx = session();
    let made =
        bytes(&ctx, "SELECT amq_agg(column1, 10, 0.001) FROM (VALUES (1), (2))").await.unwrap();
    table(&ctx, "t", vec![array(Int64Array::from_iter_values(0..100))]);
    let contains = ScalarUDF::from(amq_datafusion::AmqContains);
    let filter = Expr::Literal(ScalarValue::Binary(Some(made)), None);
    let frame = ctx.table("t").await.unwrap();
    let frame =
        frame.filter(contains.call(vec![filter, col("x")]).and(col("x").lt(lit(50)))).unwrap();
    assert_eq!(frame.count().await.unwrap(), 2);
}

#[tokio::test]
async fn damaged_filters_are_refused_and_none_is_taken_for_another() {
    let ctx = session();
    let good = bytes(&ctx, "SELECT amq_agg(5, 100, 0.01)").await.unwrap();
    // The good one first, so that it is kept.
    let ask = |bytes: &[u8]| format!("SELECT amq_contains(X'{}', 5)", hex(bytes));
    assert_eq!(answers(&ctx, &ask(&good)).await, [Some(true)]);
    for len in [0, 1, 191, 192, good.len() - 1] {
        let said = error(&ctx, &ask(&good[..len])).await;
        assert!(said.contains("amq_contains: "), "{said}");
    }
    // In the payload, too: the header is then that of the good one.
    for place in [0, 9, 100, 191, 192, 300, good.len() - 1] {
        let mut damaged = good.clone();
        damaged[place] ^= 4;
        let said = error(&ctx, &ask(&damaged)).await;
        assert!(said.contains("amq_contains: "), "{place}: {said}");
        // In a column.
        table(&ctx, "t", vec![array(BinaryArray::from_iter_values([&good, &damaged, &good]))]);
        let said = error(&ctx, "SELECT amq_contains(x, 5) FROM t").await;
        assert!(said.contains("amq_contains: "), "{place}: {said}");
        ctx.deregister_table("t").unwrap();
    }
    assert_eq!(answers(&ctx, &ask(&good)).await, [Some(true)]);
}
