//! `GROUP BY`: few rows a group or many, and the engine's memory pool.

use crate::engine::{numbers, rows, session, session_with};
use amq::{AnyFilter, FilterFile};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

fn session_within(bytes: usize) -> SessionContext {
    let pool = Arc::new(GreedyMemoryPool::new(bytes));
    // No disk: the engine can spill nothing.
    let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
    let runtime = RuntimeEnvBuilder::new().with_memory_pool(pool).with_disk_manager_builder(disk);
    let runtime = runtime.build_arc().unwrap();
    let config = SessionConfig::new().with_target_partitions(2);
    let mut ctx = SessionContext::new_with_config_rt(config, runtime);
    amq_datafusion::register_all(&mut ctx).unwrap();
    ctx
}

/// Each group's filter has the group's keys, in states of every size, and merged.
#[tokio::test]
async fn every_group_has_a_filter_of_its_own_keys() {
    for (kind, expected) in [
        ("blocked-bloom", 40),
        ("blocked-bloom", 10_000),
        ("counting", 2000),
        ("quotient", 2000),
        ("ribbon", 2000),
    ] {
        let ctx = session();
        // Group g has 10, 100, 1000 keys for g % 3 = 0, 1, 2, if it was planned for so many.
        let sql = format!(
            "SELECT g, amq_agg(x, {expected}, 0.0001, '{kind}') FROM \
             (SELECT value % 30 AS g, value AS x FROM generate_series(0, 29999) AS t(value)) \
             WHERE x < 30 * least(power(10, 1 + g % 3), {expected}) GROUP BY g"
        );
        let mut groups = 0;
        for batch in rows(&ctx, &sql).await.unwrap() {
            let (group, filter) = (batch.column(0), batch.column(1).as_binary::<i32>());
            let group = group.as_primitive::<Int64Type>();
            for row in 0..batch.num_rows() {
                let (group, bytes) = (group.value(row), filter.value(row));
                let filter = AnyFilter::from_bytes(bytes).unwrap();
                let keys = 10i64.pow(1 + (group % 3) as u32).min(expected);
                assert!(
                    (0..keys).all(|key| filter.contains(&(key * 30 + group))),
                    "{kind}: {group}"
                );
                let wrong = (0..10_000i64).filter(|key| filter.contains(&(key * 30 + group + 1)));
                assert!(wrong.count() < 15, "{kind}: {group}");
                groups += 1;
            }
        }
        assert_eq!(groups, 30);
    }
}

/// The engine stops aggregating in partitions if there is a group for almost every row, and turns
/// rows into states.
#[tokio::test]
async fn a_group_for_every_row_skips_the_partial_step() {
    let config = SessionConfig::new()
        .with_target_partitions(2)
        .set_u64("datafusion.execution.skip_partial_aggregation_probe_rows_threshold", 1000);
    let ctx = session_with(config);
    let sql = "SELECT amq_contains(amq_agg(nullif(x, 5), 10, 0.001), g) AS found, count(*) FROM \
               (SELECT value AS g, value AS x FROM generate_series(0, 99999) AS t(value)) \
               GROUP BY g";
    let sql = format!("SELECT count(*) FROM ({sql}) WHERE found");
    assert_eq!(numbers(&ctx, &sql).await, [99_999]);
}

#[tokio::test]
async fn a_million_groups_of_ten_rows_stay_within_four_gigabytes() {
    let ctx = session_within(4 << 30);
    let sql = "SELECT count(*) FROM (SELECT amq_agg(value, 10, 0.01) AS f FROM \
               generate_series(0, 9999999) AS t(value) GROUP BY value % 1000000) \
               WHERE amq_estimate(f) > 5";
    assert_eq!(numbers(&ctx, sql).await, [1_000_000]);
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = peak.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    if let Some(kilobytes) = peak.and_then(|line| line.trim().strip_suffix(" kB")) {
        assert!(kilobytes.trim().parse::<u64>().unwrap() < 4 << 20, "{kilobytes} kB");
    }
}

#[tokio::test]
async fn the_memory_pool_refuses_what_the_groups_would_take() {
    let ctx = session_within(8 << 20);
    let sql = "SELECT sum(amq_estimate(f)) FROM (SELECT amq_agg(value, 100000, 0.01) AS f FROM \
               generate_series(0, 999999) AS t(value) GROUP BY value % 200)";
    let plan = ctx.sql(sql).await.unwrap();
    let said = plan.collect().await.unwrap_err().to_string();
    assert!(said.contains("Resources exhausted"), "{said}");
    // Without groups, too.
    let sql = "SELECT amq_estimate(amq_agg(value, 50000000, 0.01)) FROM \
               generate_series(0, 99999) AS t(value)";
    let said = ctx.sql(sql).await.unwrap().collect().await.unwrap_err().to_string();
    assert!(said.contains("Resources exhausted") && said.contains("AggregateStream"), "{said}");
}
