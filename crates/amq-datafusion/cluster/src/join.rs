//! The join: a large table of facts, and a small table of keys, half of which occur in it.

use crate::{Cluster, Error};
use amq_datafusion::{SemiJoinOptions, semi_join_filter};
use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::prelude::{ParquetReadOptions, SessionContext, col};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Files of the large table.
const FILES: i64 = 8;
/// One key in this many of the large table is in the small one.
const EVERY: i64 = 200;

/// Two tables of Parquet files.
#[derive(Debug)]
pub struct Join {
    folder: PathBuf,
    rows: i64,
}

/// The result and cost of one run of the join.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// `count(*)` and `sum(v)` of the join.
    pub answer: (i64, i64),
    /// Rows of the large table that were joined: all, or those that passed the filter.
    pub probed: i64,
    /// Bytes of shuffle files.
    pub shuffled: u64,
    /// The time from the first step to the answer.
    pub time: Duration,
}

impl Join {
    /// Writes the tables: `facts (id, v)` of `rows` rows in several files, and `wanted (id)` of
    /// every 200th key and as many that do not occur.
    pub async fn write(folder: &Path, rows: i64) -> Result<Self, Error> {
        let ctx = SessionContext::new();
        let copy = async |select: String, name: String| -> Result<(), Error> {
            let path = folder.join(name);
            let sql = format!("COPY ({select}) TO '{}' STORED AS PARQUET", path.display());
            ctx.sql(&sql).await?.collect().await?;
            Ok(())
        };
        for file in 0..FILES {
            let (from, to) = (file * rows / FILES, (file + 1) * rows / FILES - 1);
            let select = format!(
                "SELECT value AS id, value % 97 AS v FROM generate_series({from}, {to}) AS t(value)"
            );
            copy(select, format!("facts/{file}.parquet")).await?;
        }
        let wanted = 2 * rows / EVERY;
        let select = format!(
            "SELECT value * {EVERY} AS id FROM generate_series(0, {}) AS t(value)",
            wanted - 1
        );
        copy(select, "wanted/0.parquet".into()).await?;
        Ok(Self { folder: folder.into(), rows })
    }

    /// `count(*)` and `sum(v)`, computed without an engine.
    #[must_use]
    pub fn answer(&self) -> (i64, i64) {
        let ids = (0..self.rows).step_by(EVERY as usize);
        (ids.clone().count() as i64, ids.map(|id| id % 97).sum())
    }

    /// Rows of the large table without a partner.
    #[must_use]
    pub fn without_partner(&self) -> i64 {
        self.rows - self.answer().0
    }

    /// Runs the join without a filter.
    pub async fn plain(&self, cluster: &Cluster) -> Result<Measured, Error> {
        let ctx = self.session(cluster).await?;
        let (before, started) = (cluster.shuffled_bytes()?, Instant::now());
        let answer = joined(&ctx, "facts").await?;
        let (time, shuffled) = (started.elapsed(), cluster.shuffled_bytes()? - before);
        Ok(Measured { answer, probed: self.rows, shuffled, time })
    }

    /// Runs the join after `semi_join_filter`, with the filter as a literal if small enough, else a
    /// file.
    pub async fn filtered(&self, cluster: &Cluster, fpr: f64) -> Result<Measured, Error> {
        let ctx = self.session(cluster).await?;
        let (before, started) = (cluster.shuffled_bytes()?, Instant::now());
        let mut options = SemiJoinOptions::new((2 * self.rows / EVERY) as u64);
        options.fpr = fpr;
        options.literal_bytes = 64 << 10;
        options.shared = Some((cluster.filters(), Arc::new(cluster.contains_file())));
        let table = async |name| ctx.table(name).await.map(|table| table.into_unoptimized_plan());
        let (build, probe) = (table("wanted").await?, table("facts").await?);
        let run = async |plan| ctx.execute_logical_plan(plan).await?.collect().await;
        let passed = semi_join_filter(run, build, col("id"), probe, col("id"), &options).await?;
        let passed = ctx.execute_logical_plan(passed).await?;
        ctx.register_table("passed", passed.into_view())?;
        let answer = joined(&ctx, "passed").await?;
        let (time, shuffled) = (started.elapsed(), cluster.shuffled_bytes()? - before);
        let probed = numbers(&ctx, "SELECT count(*), 0 FROM passed").await?.0;
        Ok(Measured { answer, probed, shuffled, time })
    }

    /// A session of the cluster with both tables.
    pub async fn session(&self, cluster: &Cluster) -> Result<SessionContext, Error> {
        let ctx = cluster.session().await?;
        for name in ["facts", "wanted"] {
            let path = self.folder.join(name).display().to_string();
            ctx.register_parquet(name, path, ParquetReadOptions::default()).await?;
        }
        Ok(ctx)
    }
}

async fn joined(ctx: &SessionContext, facts: &str) -> Result<(i64, i64), Error> {
    let sql = format!("SELECT count(*), sum(f.v) FROM {facts} f JOIN wanted w ON f.id = w.id");
    numbers(ctx, &sql).await
}

async fn numbers(ctx: &SessionContext, sql: &str) -> Result<(i64, i64), Error> {
    let batches = ctx.sql(sql).await?.collect().await?;
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).ok_or("no rows")?;
    let number = |column: usize| batch.column(column).as_primitive::<Int64Type>().value(0);
    Ok((number(0), number(1)))
}
