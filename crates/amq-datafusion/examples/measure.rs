//! Nanoseconds a row, over ten million rows of `i64` in memory: `measure [ROWS [BATCH]]`.

use datafusion::arrow::array::{Int64Array, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::physical_plan::collect;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;
use std::time::Instant;

/// Runs of each query; the fastest counts.
const RUNS: usize = 3;

#[tokio::main]
async fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse().expect("a number"));
    let rows: usize = args.next().unwrap_or(10_000_000);
    let batch: usize = args.next().unwrap_or(8192);
    println!("{rows} rows in batches of {batch}; nanoseconds a row, the best of {RUNS} runs\n");
    println!("| query | 1 partition | 2 partitions |\n| --- | --- | --- |");
    let one = table(rows, batch, 1).await?;
    let two = table(rows, batch, 2).await?;
    let contains = "SELECT count(*) FROM t WHERE amq_contains((SELECT f FROM filter), x)";
    for (name, sql) in [
        ("max(x)", "SELECT max(x) FROM t".to_string()),
        ("amq_agg(x, rows, 0.01)", format!("SELECT amq_agg(x, {rows}, 0.01) FROM t")),
        ("approx_distinct(x)", "SELECT approx_distinct(x) FROM t".to_string()),
        ("count(*) where x > 5", "SELECT count(*) FROM t WHERE x > 5".to_string()),
        ("count(*) where amq_contains(f, x)", contains.to_string()),
        ("max(x) group by one", "SELECT max(x) FROM t GROUP BY x * 0".to_string()),
        ("amq_agg by one group", format!("SELECT amq_agg(x, {rows}, 0.01) FROM t GROUP BY x * 0")),
        (
            "amq_agg by 1000 groups",
            format!("SELECT amq_agg(x, {}, 0.01) FROM t GROUP BY x % 1000", rows / 1000),
        ),
    ] {
        let times = [time(&one, &sql, rows).await?, time(&two, &sql, rows).await?];
        println!("| {name} | {:.1} | {:.1} |", times[0], times[1]);
    }
    Ok(())
}

/// The table, and a filter of as many other keys.
async fn table(rows: usize, batch: usize, partitions: usize) -> Result<SessionContext> {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(batch);
    let mut ctx = SessionContext::new_with_config(config);
    amq_datafusion::register_all(&mut ctx)?;
    let schema = Arc::new(Schema::new(vec![Field::new("x", DataType::Int64, false)]));
    let mut parts = vec![Vec::new(); partitions];
    for (index, start) in (0..rows).step_by(batch).enumerate() {
        let keys = (start..rows.min(start + batch)).map(|key| key as i64);
        let column = Arc::new(Int64Array::from_iter_values(keys));
        parts[index % partitions].push(RecordBatch::try_new(schema.clone(), vec![column])?);
    }
    ctx.register_table("t", Arc::new(MemTable::try_new(schema, parts)?))?;
    let sql = format!("CREATE TABLE filter AS SELECT amq_agg(-x - 1, {rows}, 0.01) AS f FROM t");
    ctx.sql(&sql).await?.collect().await?;
    Ok(ctx)
}

/// Of running the plan, and not of making it.
async fn time(ctx: &SessionContext, sql: &str, rows: usize) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let plan = ctx.sql(sql).await?.create_physical_plan().await?;
        let started = Instant::now();
        collect(plan, ctx.task_ctx()).await?;
        best = best.min(started.elapsed().as_nanos() as f64 / rows as f64);
    }
    Ok(best)
}
