//! A join's filter with DataFrames, in two steps: as it must be done on a cluster.

use amq_datafusion::{SemiJoinOptions, register_all, semi_join_filter};
use datafusion::error::Result;
use datafusion::prelude::{JoinType, SessionContext, col};

#[tokio::main]
async fn main() -> Result<()> {
    let mut ctx = SessionContext::new();
    register_all(&mut ctx)?;
    let series = async |range: &str| {
        ctx.sql(&format!("SELECT value AS id FROM generate_series({range}) AS t(value)")).await
    };
    let wanted = series("990000, 1010000").await?;
    let facts = series("1, 1000000").await?;

    let passed = semi_join_filter(
        |plan| async { ctx.execute_logical_plan(plan).await?.collect().await },
        wanted.clone().into_unoptimized_plan(),
        col("id"),
        facts.into_unoptimized_plan(),
        col("id"),
        &SemiJoinOptions::new(20_001),
    )
    .await?;
    let passed = ctx.execute_logical_plan(passed).await?;
    println!("{} of 1,000,000 rows go into the join", passed.clone().count().await?);

    let wanted = wanted.select(vec![col("id").alias("wanted")])?;
    let joined = passed.join(wanted, JoinType::Inner, &["id"], &["wanted"], None)?;
    println!("{} rows come out of it", joined.count().await?);
    Ok(())
}
