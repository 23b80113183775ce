//! Measures the functions over rows of `i64` in memory: nanoseconds per row, and peak memory.
//! `measure [ROWS [BATCH]]`, ten million rows in batches of 8192 unless told otherwise.

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
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse::<usize>().expect("a number");
    if let [word, rows, batch, partitions, sql] = args.as_slice() {
        assert_eq!(word, "peak");
        return peak(number(rows), number(batch), number(partitions), sql).await;
    }
    let rows = args.first().map_or(10_000_000, number);
    let batch = args.get(1).map_or(8192, number);
    println!("{rows} rows in batches of {batch}; nanoseconds a row, the best of {RUNS} runs\n");
    println!("| query | 1 partition | 2 partitions |\n| --- | --- | --- |");
    let one = with_filter(rows, batch, 1).await?;
    let two = with_filter(rows, batch, 2).await?;
    let contains = "SELECT count(*) FROM t WHERE amq_contains((SELECT f FROM filter), x)";
    let agg = format!("SELECT amq_agg(x, {rows}, 0.01) FROM t");
    let million = format!("SELECT amq_agg(x, 10, 0.01) FROM t GROUP BY x % {}", rows / 10);
    for (name, sql) in [
        ("max(x)", "SELECT max(x) FROM t"),
        ("amq_agg(x, rows, 0.01)", &agg),
        ("approx_distinct(x)", "SELECT approx_distinct(x) FROM t"),
        ("count(*) where x > 5", "SELECT count(*) FROM t WHERE x > 5"),
        ("count(*) where amq_contains(f, x)", contains),
        ("max(x) by one group", "SELECT max(x) FROM t GROUP BY x * 0"),
        ("amq_agg by one group", &format!("{agg} GROUP BY x * 0")),
        (
            "amq_agg by 1000 groups",
            &format!("SELECT amq_agg(x, {}, 0.01) FROM t GROUP BY x % 1000", rows / 1000),
        ),
        ("amq_agg by groups of ten rows", &million),
    ] {
        let times = [time(&one, sql, rows).await?, time(&two, sql, rows).await?];
        println!("| {name} | {:.1} | {:.1} |", times[0], times[1]);
    }
    println!(
        "\n| memory at most, beside the rows | 1 partition | 2 partitions |\n| --- | --- | --- |"
    );
    for (name, sql) in [("amq_agg(x, rows, 0.01)", &agg), ("by groups of ten rows", &million)] {
        let megabytes = [1, 2].map(|partitions: usize| {
            // A process of its own, whose allocator gives back what is freed.
            let args = [rows, batch, partitions].map(|number| number.to_string());
            let mut child = std::process::Command::new(std::env::current_exe().expect("a path"));
            child.env("MALLOC_MMAP_THRESHOLD_", "100000").arg("peak").args(args).arg(sql);
            let output = child.output().expect("a process");
            String::from_utf8_lossy(&output.stdout).trim().to_string()
        });
        println!("| {name} | {} | {} |", megabytes[0], megabytes[1]);
    }
    Ok(())
}

/// Prints a query's peak memory in megabytes, besides that of the rows.
async fn peak(rows: usize, batch: usize, partitions: usize, sql: &str) -> Result<()> {
    let ctx = table(rows, batch, partitions)?;
    // Once with few keys, since the engine's code counts, too.
    let few = sql.replace("FROM t", "FROM (SELECT x FROM t LIMIT 10000)");
    ctx.sql(&few.replacen(&format!("x, {rows},"), "x, 10000,", 1)).await?.collect().await?;
    let kilobytes = |name: &str| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim_matches([':', '\t', ' ', 'k', 'B']).parse::<f64>().unwrap_or(f64::NAN)
    };
    let before = kilobytes("VmRSS");
    // Only on Linux; elsewhere the answer is no number.
    std::fs::write("/proc/self/clear_refs", "5").unwrap_or_default();
    let result = ctx.sql(sql).await?.collect().await?;
    println!("{:.0} MB", (kilobytes("VmHWM") - before) * 1024.0 / 1e6);
    drop(result);
    Ok(())
}

/// The table `t`.
fn table(rows: usize, batch: usize, partitions: usize) -> Result<SessionContext> {
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
    Ok(ctx)
}

/// The table, and a filter of as many other keys.
async fn with_filter(rows: usize, batch: usize, partitions: usize) -> Result<SessionContext> {
    let ctx = table(rows, batch, partitions)?;
    let sql = format!("CREATE TABLE filter AS SELECT amq_agg(-x - 1, {rows}, 0.01) AS f FROM t");
    ctx.sql(&sql).await?.collect().await?;
    Ok(ctx)
}

/// The time of running the plan, without making it.
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
