//! Plans travel by the functions' names, without a codec of ours.

use crate::engine::{array, numbers, session, table};
use datafusion::arrow::array::Int64Array;
use datafusion::execution::FunctionRegistry;
use datafusion::physical_plan::collect;
use datafusion_proto::bytes::{
    logical_plan_from_bytes, logical_plan_to_bytes, physical_plan_from_bytes,
    physical_plan_to_bytes,
};

#[tokio::test]
async fn a_plan_with_the_functions_survives_its_own_bytes() {
    let ctx = session();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet").display().to_string();
    table(&ctx, "made", vec![array(Int64Array::from_iter_values(0..1000))]);
    let copy = format!("COPY made TO '{path}' STORED AS PARQUET");
    ctx.sql(&copy).await.unwrap().collect().await.unwrap();
    ctx.register_parquet("t", &path, Default::default()).await.unwrap();
    for sql in [
        "SELECT amq_estimate(amq_agg(x, 1000, 0.0001, 'quotient')) FROM t",
        "SELECT amq_estimate(amq_merge_agg(f)) FROM (SELECT amq_agg(x, 1000, 0.0001) AS f FROM t GROUP BY x % 2)",
        "SELECT x % 10, bloom_filter_agg(x) FROM t GROUP BY x % 10",
    ] {
        let want = numbers(&ctx, sql).await;
        assert!(!want.is_empty());
        let logical = ctx.sql(sql).await.unwrap().into_optimized_plan().unwrap();
        let bytes = logical_plan_to_bytes(&logical).unwrap();
        let back = logical_plan_from_bytes(&bytes, &ctx.task_ctx()).unwrap();
        let physical = ctx.state().create_physical_plan(&back).await.unwrap();
        let bytes = physical_plan_to_bytes(physical).unwrap();
        let back = physical_plan_from_bytes(&bytes, &ctx.task_ctx()).unwrap();
        let rows = collect(back, ctx.task_ctx()).await.unwrap();
        let rows: usize = rows.iter().map(|batch| batch.num_rows()).sum();
        assert_eq!(rows, want.len(), "{sql}");
    }
}

#[test]
fn a_session_and_its_state_know_every_function() {
    let ctx = session();
    let mut state = datafusion::execution::SessionStateBuilder::new_with_default_features().build();
    amq_datafusion::register_all(&mut state).unwrap();
    let mut maps = (std::collections::HashMap::new(), std::collections::HashMap::new());
    amq_datafusion::extend(&mut maps.0, &mut maps.1);
    for function in amq_datafusion::scalar_functions() {
        let name = function.name();
        assert!(ctx.udf(name).is_ok() && state.udf(name).is_ok() && maps.0.contains_key(name));
    }
    for function in amq_datafusion::aggregate_functions() {
        let name = function.name();
        assert!(ctx.udaf(name).is_ok() && state.udaf(name).is_ok() && maps.1.contains_key(name));
    }
}
