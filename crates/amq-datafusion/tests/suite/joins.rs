//! Joins that copy a filter to every row are refused, and no others.

use crate::engine::{array, numbers, planning_error, rows, session_with, table};
use amq_datafusion::FilterJoins;
use datafusion::arrow::array::Int64Array;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

fn session(config: SessionConfig) -> SessionContext {
    let ctx = session_with(config);
    ctx.add_analyzer_rule(Arc::new(FilterJoins));
    let longs = |range: std::ops::Range<i64>| array(Int64Array::from_iter_values(range));
    table(&ctx, "build", vec![longs(0..600), longs(600..1000)]);
    table(&ctx, "probe", vec![longs(500..5000), longs(-5000..0)]);
    ctx
}

const ONE: &str = "(SELECT amq_agg(x, 1000, 0.001) AS f FROM build)";

#[tokio::test]
async fn the_one_row_of_a_filter_is_not_joined_to_rows_that_ask_it() {
    let off = "datafusion.optimizer.enable_physical_uncorrelated_scalar_subquery";
    let spark = ONE.replace("amq_agg(x, 1000, 0.001)", "bloom_filter_agg(x)");
    let merged = "(SELECT amq_merge_agg(f) AS f FROM (SELECT amq_agg(x, 1000, 0.001) AS f \
                  FROM build GROUP BY x % 2) AS parts)";
    let queries = [
        format!("SELECT x FROM probe CROSS JOIN {ONE} WHERE amq_contains(f, x)"),
        format!("SELECT x FROM {ONE}, probe WHERE x > 5 AND NOT amq_contains(f, x)"),
        format!("SELECT x FROM probe CROSS JOIN {ONE} AS b WHERE amq_contains(b.f, probe.x)"),
        format!("WITH made AS {ONE} SELECT amq_contains(f, x) AS y FROM probe, made"),
        format!("SELECT x FROM probe JOIN {ONE} AS b ON amq_contains(b.f, probe.x)"),
        format!("SELECT x FROM probe LEFT JOIN {ONE} AS b ON amq_contains(b.f, probe.x)"),
        format!("SELECT count(*) FROM probe CROSS JOIN {ONE} GROUP BY amq_contains(f, x)"),
        format!("SELECT x FROM probe CROSS JOIN {ONE} ORDER BY amq_contains(f, x)"),
        format!("SELECT x FROM probe CROSS JOIN {spark} WHERE might_contain(f, x)"),
        format!("SELECT x FROM probe CROSS JOIN {merged} WHERE amq_contains(f, x)"),
        // However deep.
        format!(
            "SELECT y FROM (SELECT g AS h, x AS y FROM (SELECT CASE WHEN x > 0 THEN f END AS g, x FROM \
             (SELECT DISTINCT f, x FROM probe CROSS JOIN {ONE} LIMIT 100))) \
             WHERE amq_contains(h, y)"
        ),
        format!(
            "SELECT count(*) FROM (SELECT f, x FROM {ONE} CROSS JOIN probe UNION ALL \
             SELECT f, x FROM {ONE} CROSS JOIN probe) WHERE amq_contains(f, x)"
        ),
        format!(
            "SELECT x FROM build WHERE x IN \
             (SELECT p.x FROM probe p CROSS JOIN {ONE} WHERE amq_contains(f, p.x))"
        ),
        format!(
            "SELECT x FROM probe CROSS JOIN (SELECT f FROM {ONE} ORDER BY f LIMIT 1) \
             WHERE amq_contains(f, x)"
        ),
    ];
    for shared in [true, false] {
        let ctx = session(SessionConfig::new().set_bool(off, shared));
        for sql in &queries {
            let said = planning_error(&ctx, sql).await;
            assert!(said.contains("is the one row of a side of a join"), "{sql}: {said}");
            assert!(said.contains("copied once for each row"), "{said}");
            assert!(said.contains("amq_datafusion::semi_join_filter"), "{said}");
            assert_eq!(said.contains("Write it as a scalar subquery"), shared, "{said}");
        }
    }
}

#[tokio::test]
async fn the_way_out_is_taken_and_filters_by_key_are_joined() {
    let ctx = session(SessionConfig::new().with_target_partitions(2));
    let by_key = "(SELECT x % 10 AS g, amq_agg(x, 200, 0.0001) AS f FROM build GROUP BY x % 10)";
    let found = [
        format!("SELECT x FROM probe WHERE amq_contains({ONE}, x) AND x BETWEEN 500 AND 999"),
        format!(
            "SELECT x FROM probe JOIN {by_key} AS b ON x % 10 = b.g \
             WHERE amq_contains(b.f, x) AND x BETWEEN 500 AND 999"
        ),
        format!(
            "SELECT x FROM probe, {by_key} AS b \
             WHERE x % 10 = b.g AND amq_contains(b.f, x) AND x BETWEEN 500 AND 999"
        ),
        format!(
            "SELECT x FROM probe LEFT JOIN {by_key} AS b ON x % 10 = b.g \
             WHERE x BETWEEN 500 AND 999 AND amq_contains(b.f, x)"
        ),
    ];
    for sql in found {
        assert_eq!(numbers(&ctx, &sql).await, (500..1000).collect::<Vec<i64>>(), "{sql}");
    }
    // Nothing is copied, or nothing is asked of the copies.
    for sql in [
        format!("SELECT amq_contains(f, 5) FROM {ONE}"),
        format!("SELECT amq_contains(f, x) FROM {ONE} CROSS JOIN (SELECT max(x) AS x FROM probe)"),
        format!("SELECT amq_contains(f, g) FROM {by_key}"),
        format!("SELECT count(*) FROM probe CROSS JOIN {ONE} WHERE x > 5"),
        format!("SELECT f FROM {by_key} AS b JOIN probe ON b.g = probe.x WHERE probe.x = 2"),
        format!(
            "SELECT count(*) FROM build JOIN probe ON build.x = probe.x \
                 WHERE amq_contains({ONE}, build.x)"
        ),
    ] {
        rows(&ctx, &sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}
