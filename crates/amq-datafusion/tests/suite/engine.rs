//! A session with the functions, and shortcuts for its answers.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, UInt64Type};
use datafusion::common::ScalarValue;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

pub(crate) fn session() -> SessionContext {
    session_with(SessionConfig::new().with_target_partitions(2))
}

pub(crate) fn session_with(config: SessionConfig) -> SessionContext {
    let mut ctx = SessionContext::new_with_config(config);
    amq_datafusion::register_all(&mut ctx).unwrap();
    ctx
}

/// A table of one column in several partitions, so that aggregates have states to merge.
pub(crate) fn table(ctx: &SessionContext, name: &str, partitions: Vec<ArrayRef>) {
    let batch =
        |array| vec![RecordBatch::try_from_iter_with_nullable([("x", array, true)]).unwrap()];
    let partitions: Vec<_> = partitions.into_iter().map(batch).collect();
    let table = MemTable::try_new(partitions[0][0].schema(), partitions).unwrap();
    ctx.register_table(name, Arc::new(table)).unwrap();
}

pub(crate) async fn rows(ctx: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>> {
    ctx.sql(sql).await?.collect().await
}

/// The one value of a query.
pub(crate) async fn value(ctx: &SessionContext, sql: &str) -> Result<ScalarValue> {
    let batches = rows(ctx, sql).await?;
    let batch = batches.iter().find(|batch| batch.num_rows() > 0).expect("a row");
    ScalarValue::try_from_array(batch.column(0), 0)
}

pub(crate) async fn bytes(ctx: &SessionContext, sql: &str) -> Result<Vec<u8>> {
    match value(ctx, sql).await? {
        ScalarValue::Binary(Some(bytes)) => Ok(bytes),
        other => panic!("no filter: {other:?}"),
    }
}

/// What a query that fails says.
pub(crate) async fn error(ctx: &SessionContext, sql: &str) -> String {
    match rows(ctx, sql).await {
        Ok(rows) => panic!("`{sql}` gave {rows:?}"),
        Err(error) => error.to_string(),
    }
}

/// What a query that cannot be planned says: nothing of it has run.
pub(crate) async fn planning_error(ctx: &SessionContext, sql: &str) -> String {
    let planned = ctx.sql(sql).await.and_then(|frame| frame.into_optimized_plan());
    match planned {
        Ok(plan) => panic!("`{sql}` was planned: {plan}"),
        Err(error) => error.to_string(),
    }
}

/// The one column of whole numbers of a query, sorted.
pub(crate) async fn numbers(ctx: &SessionContext, sql: &str) -> Vec<i64> {
    let mut numbers = Vec::new();
    for batch in rows(ctx, sql).await.unwrap() {
        match batch.column(0).as_primitive_opt::<Int64Type>() {
            Some(column) => numbers.extend(column.iter().flatten()),
            None => {
                let column = batch.column(0).as_primitive::<UInt64Type>();
                numbers.extend(column.iter().flatten().map(|n| i64::try_from(n).unwrap()));
            }
        }
    }
    numbers.sort_unstable();
    numbers
}

/// Answers of a query with one column of booleans, in order; `None` is null.
pub(crate) async fn answers(ctx: &SessionContext, sql: &str) -> Vec<Option<bool>> {
    let batches = rows(ctx, sql).await.unwrap();
    batches
        .iter()
        .flat_map(|batch| batch.column(0).as_boolean().iter().collect::<Vec<_>>())
        .collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn array(of: impl Array + 'static) -> ArrayRef {
    Arc::new(of)
}
