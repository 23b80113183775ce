//! Filters in every place of a query: answered rightly without copies, or refused while planned.

use crate::engine::{array, numbers, planning_error, session_with, table};
use amq_datafusion::FilterJoins;
use datafusion::arrow::array::Int64Array;
use datafusion::arrow::datatypes::DataType;
use datafusion::physical_plan::{ExecutionPlan, displayable};
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

const OFF: &str = "datafusion.optimizer.enable_physical_uncorrelated_scalar_subquery";
/// A scalar subquery, or a table of one row.
const ONE: &str = "(SELECT amq_agg(x, 2000, 0.0000001, 'quotient') AS f FROM build)";

fn session(shared: bool) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(2).set_bool(OFF, shared);
    let ctx = session_with(config);
    ctx.add_analyzer_rule(Arc::new(FilterJoins));
    let longs = |range: std::ops::Range<i64>| array(Int64Array::from_iter_values(range));
    table(&ctx, "build", vec![longs(0..600), longs(600..1000)]);
    table(&ctx, "probe", vec![longs(500..5000), longs(-5000..0)]);
    ctx
}

/// Whether a filter stands beside another column: one copy a row.
fn copies(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let is_filter = |of: &DataType| match of {
        DataType::List(item) => item.data_type() == &DataType::Binary,
        of => of.is_binary(),
    };
    let schema = plan.schema();
    let own = schema.fields().len() > 1
        && schema.fields().iter().any(|field| is_filter(field.data_type()));
    own || plan.children().into_iter().any(copies)
}

/// Places for a condition on `x`, each a query of one column of numbers.
const PLACES: [&str; 19] = [
    "SELECT x FROM probe WHERE {ask}",
    "SELECT x FROM probe WHERE x > 10 AND NOT {ask}",
    "SELECT x FROM probe WHERE x > 4000 OR {ask}",
    "SELECT CASE WHEN {ask} THEN x ELSE 0 END FROM probe",
    "SELECT x FROM probe WHERE CASE WHEN x > 700 THEN {ask} ELSE x > 0 END",
    "SELECT x FROM probe WHERE COALESCE({ask}, false)",
    "SELECT count(*) FILTER (WHERE {ask}) FROM probe",
    "SELECT count(*) FROM probe GROUP BY {ask}",
    "SELECT sum(CASE WHEN {ask} THEN 1 ELSE 0 END) FROM probe GROUP BY x % 7",
    "SELECT max(x) AS x FROM probe GROUP BY x % 5000 HAVING max(x) > 0 AND {ask_max}",
    "SELECT x FROM (SELECT x FROM probe UNION ALL SELECT x + 1 FROM probe) WHERE {ask}",
    "SELECT x FROM probe WHERE {ask} UNION SELECT x FROM build WHERE NOT {ask}",
    "WITH found AS (SELECT x FROM probe WHERE {ask}) SELECT f.x FROM found f JOIN found g ON f.x = g.x",
    "SELECT x FROM (SELECT DISTINCT x FROM probe ORDER BY x DESC LIMIT 4800) WHERE {ask}",
    "SELECT p.x FROM (SELECT x, x AS y FROM probe) p JOIN build ON p.y = build.x AND {ask_p}",
    "SELECT x FROM (SELECT x, y FROM (SELECT x, {ask} AS y FROM probe)) WHERE y",
    "SELECT sum(CASE WHEN {ask} THEN 1 ELSE 0 END) OVER (PARTITION BY x % 2) FROM probe",
    "SELECT p.x FROM probe p LEFT JOIN (SELECT x AS z FROM build WHERE {ask}) ON p.x = z WHERE p.x > 400",
    "SELECT x FROM probe ORDER BY {ask}, x",
];

/// The query with the condition in its place.
fn put(place: &str, ask: &dyn Fn(&str) -> String) -> String {
    let sql = place.replace("{ask_max}", &ask("max(x)")).replace("{ask_p}", &ask("p.x"));
    sql.replace("{ask}", &ask("x"))
}

/// Plans it, and runs it if it copies nothing; `None` if it is refused.
async fn found(ctx: &SessionContext, sql: &str) -> Option<Vec<i64>> {
    let frame = ctx.sql(sql).await;
    let planned = match frame {
        Ok(frame) => frame.create_physical_plan().await,
        Err(error) => Err(error),
    };
    match planned {
        Ok(plan) => {
            assert!(!copies(&plan), "{sql}\n{}", displayable(plan.as_ref()).indent(true));
            Some(numbers(ctx, sql).await)
        }
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains("copied once for each row"), "{sql}: {said}");
            assert!(said.contains("amq_datafusion::semi_join_filter"), "{sql}: {said}");
            None
        }
    }
}

#[tokio::test]
async fn a_subquery_is_asked_wherever_a_condition_can_stand() {
    let ctx = session(true);
    for place in PLACES {
        let want = numbers(&ctx, &put(place, &|x| format!("{x} BETWEEN 0 AND 999"))).await;
        assert!(!want.is_empty(), "{place}");
        for filter in [
            ONE.to_string(),
            format!("(SELECT f FROM {ONE} LIMIT 1)"),
            format!("arrow_cast({ONE}, 'LargeBinary')"),
            format!("(SELECT COALESCE({ONE}, {ONE}))"),
            format!(
                "(SELECT amq_merge_agg(f) FROM (SELECT f FROM {ONE} UNION ALL SELECT f FROM {ONE}))"
            ),
            format!("(WITH w AS {ONE} SELECT f FROM w)"),
            "(SELECT amq_agg(x, 2000, 0.0000001, 'quotient') FROM build WHERE x IN \
             (SELECT x FROM build))"
                .into(),
        ] {
            let sql = put(place, &|x| format!("amq_contains({filter}, {x})"));
            let got = found(&ctx, &sql).await;
            // A cast of the subquery is a function, and no subquery any more.
            match filter.starts_with("arrow_cast") {
                true => assert!(got.is_none_or(|got| got == want), "{sql}"),
                false => assert_eq!(got, Some(want.clone()), "{sql}"),
            }
        }
    }
}

#[tokio::test]
async fn a_subquery_within_an_expression_is_refused_anywhere() {
    for shared in [true, false] {
        let ctx = session(shared);
        for place in PLACES {
            for filter in [
                format!("COALESCE({ONE}, {ONE})"),
                format!("CASE WHEN {{x}} > 0 THEN {ONE} END"),
                format!("CASE WHEN true THEN {ONE} ELSE {ONE} END"),
                format!("NULLIF({ONE}, X'00')"),
            ] {
                let ask = |x: &str| format!("amq_contains({}, {x})", filter.replace("{x}", x));
                let sql = put(place, &ask);
                assert_eq!(found(&ctx, &sql).await, None, "{shared} {sql}");
            }
        }
        // A large literal, as the way out of another error would have it.
        let filter = "x".repeat(20_000).replace('x', "ab");
        let sql = format!(
            "SELECT x FROM probe WHERE amq_contains(CASE WHEN x > 0 THEN X'{filter}' END, x)"
        );
        assert_eq!(found(&ctx, &sql).await, None);
    }
}

#[tokio::test]
async fn what_a_subquery_turns_into_a_join_is_refused_as_one() {
    let nested = "SELECT x FROM probe p WHERE EXISTS (SELECT 1 FROM build WHERE EXISTS \
                  (SELECT 1 FROM {ONE} AS b WHERE amq_contains(b.f, build.x)))";
    let queries = [
        "SELECT x FROM probe WHERE EXISTS (SELECT 1 FROM {ONE} AS b WHERE amq_contains(b.f, probe.x))",
        "SELECT x FROM probe WHERE NOT EXISTS \
         (SELECT 1 FROM {ONE} AS b WHERE amq_contains(b.f, probe.x))",
        "SELECT x FROM probe WHERE x IN \
         (SELECT probe.x FROM {ONE} AS b WHERE amq_contains(b.f, probe.x))",
        "SELECT (SELECT amq_contains(b.f, probe.x) FROM {ONE} AS b) FROM probe",
        "SELECT x FROM probe WHERE (SELECT amq_contains(b.f, probe.x) FROM {ONE} AS b)",
        "SELECT y FROM probe CROSS JOIN LATERAL (SELECT amq_contains(b.f, probe.x) AS y FROM {ONE} AS b)",
        "SELECT y FROM probe, LATERAL (SELECT b.f IS NULL AS y FROM {ONE} AS b \
         WHERE amq_contains(b.f, probe.x)) AS found",
        "SELECT 1 FROM {ONE} AS b WHERE EXISTS (SELECT 1 FROM probe WHERE amq_contains(b.f, probe.x))",
        "SELECT (SELECT count(*) FROM probe WHERE amq_contains(b.f, probe.x)) FROM {ONE} AS b",
        "SELECT x FROM probe, {ONE} AS b WHERE EXISTS \
         (SELECT 1 FROM (SELECT max(x) AS m FROM build) AS c WHERE amq_contains(b.f, probe.x + c.m))",
        nested,
        // Values that are repeated in each row.
        "SELECT x FROM (SELECT x, {ONE} AS f FROM probe) WHERE amq_contains(f, x)",
        "SELECT x FROM (SELECT x, COALESCE({ONE}, {ONE}) AS f FROM probe) WHERE amq_contains(f, x)",
        "WITH made AS (SELECT x, {ONE} AS f FROM probe) SELECT amq_contains(f, x) FROM made",
        "SELECT amq_contains(f, x) FROM (SELECT x, amq_agg(x, 10000, 0.01) OVER () AS f FROM probe)",
        "SELECT amq_contains(amq_agg(x, 10000, 0.01) OVER (ORDER BY x), x) FROM probe",
        "SELECT amq_contains(f, x) FROM \
         (SELECT x, {ONE} AS f FROM probe UNION ALL SELECT x, {ONE} AS f FROM probe)",
    ];
    for shared in [true, false] {
        let ctx = session(shared);
        for query in queries {
            let said = planning_error(&ctx, &query.replace("{ONE}", ONE)).await;
            assert!(said.contains("copied once for each row"), "{shared} {query}: {said}");
            assert!(said.contains("amq_datafusion::semi_join_filter"), "{said}");
        }
    }
}

#[tokio::test]
async fn subqueries_that_copy_nothing_are_answered() {
    let ctx = session(true);
    let by_key = "(SELECT x % 10 AS g, amq_agg(x, 200, 0.0000001, 'quotient') AS f FROM build \
                  GROUP BY x % 10)";
    for sql in [
        format!(
            "SELECT x FROM probe WHERE EXISTS \
             (SELECT 1 FROM {by_key} AS b WHERE b.g = probe.x % 10 AND amq_contains(b.f, probe.x))"
        ),
        format!(
            "SELECT x FROM probe WHERE EXISTS (SELECT 1 FROM build \
             WHERE build.x = probe.x AND amq_contains({ONE}, build.x))"
        ),
        format!(
            "SELECT x FROM probe WHERE EXISTS \
             (SELECT 1 FROM build WHERE build.x = probe.x AND amq_contains({ONE}, probe.x))"
        ),
        format!(
            "SELECT x FROM probe WHERE x IN (SELECT x FROM build WHERE amq_contains({ONE}, x))"
        ),
    ] {
        let want: Vec<i64> = (500..1000).collect();
        let planned = ctx.sql(&sql).await.unwrap().create_physical_plan().await;
        planned.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(numbers(&ctx, &sql).await, want, "{sql}");
    }
    // One row asked of another.
    let sql = format!(
        "SELECT count(*) FROM {ONE} AS b WHERE EXISTS \
         (SELECT 1 FROM (SELECT max(x) AS m FROM build) AS c WHERE amq_contains(b.f, c.m))"
    );
    assert_eq!(numbers(&ctx, &sql).await, [1]);
}

/// Each level names two columns of the one below: the way to the bottom is not walked 2^60 times.
#[tokio::test]
async fn a_deep_plan_is_searched_in_little_time() {
    let ctx = session(true);
    let mut sql = format!("WITH t0 AS (SELECT x, f, f AS g FROM probe CROSS JOIN {ONE})");
    for level in 1..60 {
        let below = level - 1;
        sql += &format!(
            ", t{level} AS (SELECT x, COALESCE(f, g) AS f, COALESCE(g, f) AS g FROM t{below} \
             LIMIT 5000)"
        );
    }
    sql += " SELECT x FROM t59 WHERE amq_contains(f, x)";
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let said = thread.spawn(move || runtime.block_on(planning_error(&ctx, &sql))).unwrap().join();
    assert!(said.unwrap().contains("copied once for each row"));
}
