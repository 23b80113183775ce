//! What cannot be done is refused in SQL's words, most of it while the query is planned.

use crate::engine::{array, error, planning_error, session, session_with, table};
use datafusion::arrow::array::Int64Array;
use datafusion::prelude::SessionConfig;

#[tokio::test]
async fn parameters_are_literals_in_their_range() {
    let ctx = session();
    table(&ctx, "t", vec![array(Int64Array::from_iter_values(0..10))]);
    for (args, text) in [
        ("x, 10, 0", "false-positive rate"),
        ("x, 10, 0.0", "false-positive rate"),
        ("x, 10, 1.0", "false-positive rate"),
        ("x, 10, -0.5", "false-positive rate"),
        ("x, 10, 1e-300", "rate"),
        ("x, 0, 0.01", "`expected` is a whole number of 1 or more, not 0"),
        ("x, -5, 0.01", "`expected` is a whole number of 1 or more, not -5"),
        ("x, 10.5, 0.01", "`expected` is a whole number of 1 or more, not 10.5"),
        ("x, NULL, 0.01", "`expected` is a"),
        ("x, '10', 0.01", "`expected` is a number"),
        ("x, 10, NULL", "`fpr` is a number"),
        ("x, 10, '1%'", "`fpr` is a number"),
        ("x, 1e300, 0.01", "`expected` is a whole number"),
        ("x, 3000000000, 0.01", "a Binary value holds"),
        ("x, 9223372036854775807, 0.01", "amq_agg: "),
        ("x, 500000000, 0.01, 'ribbon'", "is built from all hashes at once"),
        ("x, 10, 0.01, 'xor'", "no filter is called `xor`"),
        ("x, 10, 0.01, 'split-block'", "it is blocked-bloom now"),
        ("x, 10, 0.01, 5", "`kind` is a text"),
        ("x, 10, 0.01, NULL", "`kind` is a text"),
        ("x, 10, 0.01, 'expandable-quotient'", "cannot be merged"),
        ("x, x, 0.01", "argument 2 must be a literal, not `t.x`"),
        ("x, 10, x * 0.1", "argument 3 must be a literal"),
        ("x, 10", "wants (x, expected, fpr [, kind]), not 2 arguments"),
        ("x", "wants (x, expected, fpr [, kind]), not 1 arguments"),
        ("x, 10, 0.01, 'bloom', 1", "not 5 arguments"),
    ] {
        let said = planning_error(&ctx, &format!("SELECT amq_agg({args}) FROM t")).await;
        assert!(said.contains("amq_agg: ") && said.contains(text), "{args}: {said}");
    }
    // Constants that are reckoned first are literals then.
    ctx.sql("SELECT amq_agg(x, 5 * 2, 1.0 / 100) FROM t").await.unwrap().collect().await.unwrap();
    ctx.sql("SELECT amq_agg(x, 1e6, 0.01) FROM t").await.unwrap().collect().await.unwrap();
}

#[tokio::test]
async fn more_keys_than_expected_are_an_error() {
    let ctx = session();
    table(&ctx, "t", vec![array(Int64Array::from_iter_values(0..20_000))]);
    for (kind, text) in [
        ("blocked-bloom", "so that the filter would err at a rate of"),
        ("bloom", "so that the filter would err at a rate of"),
        ("counting", "so that the filter would err at a rate of"),
        ("cuckoo", "more rows than `expected`"),
        ("ribbon", "more keys than `expected`"),
    ] {
        for (x, group) in [("x", ""), ("x", " GROUP BY x % 2")] {
            let sql = format!("SELECT amq_agg({x}, 5000, 0.01, '{kind}') FROM t{group}");
            let said = error(&ctx, &sql).await;
            assert!(said.contains("amq_agg: ") && said.contains(text), "{kind}: {said}");
        }
    }
    // One that grows keeps its rate, but two that grew cannot be merged and keep it.
    let sql = "SELECT amq_agg(x, 5000, 0.01, 'scalable') FROM t";
    let one = session_with(SessionConfig::new().with_target_partitions(1));
    table(&one, "t", vec![array(Int64Array::from_iter_values(0..20_000))]);
    one.sql(sql).await.unwrap().collect().await.unwrap();
    let said = error(&ctx, sql).await;
    assert!(said.contains("amq_agg: filters that cannot be merged"), "{said}");
    // The same keys again are no more keys.
    let sql = "SELECT amq_agg(x % 5000, 5000, 0.01) FROM t";
    ctx.sql(sql).await.unwrap().collect().await.unwrap();
}

#[tokio::test]
async fn what_is_no_filter_is_refused_by_every_function() {
    let ctx = session();
    for (call, text) in [
        ("amq_contains(5, 5)", "a filter is a Binary value"),
        ("amq_contains('text', 5)", "a filter is a Binary value"),
        ("amq_contains(X'00')", "wants (filter, key), not 1 arguments"),
        ("amq_contains(X'00', 5)", "amq_contains: "),
        ("amq_estimate(5)", "a filter is a Binary value"),
        ("amq_estimate(X'00', 1)", "wants (f), not 2 arguments"),
        ("amq_estimate(X'00')", "amq_estimate: "),
        ("amq_info(X'00')", "amq_info: "),
        ("amq_merge_agg(5)", "a filter is a Binary value"),
        ("amq_merge_agg(X'00')", "amq_merge_agg: "),
    ] {
        let said = error(&ctx, &format!("SELECT {call}")).await;
        assert!(said.contains(text), "{call}: {said}");
    }
}
