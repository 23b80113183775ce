//! Registers the functions by name.

use crate::{
    AmqAgg, AmqConstant, AmqContains, AmqEstimate, AmqInfo, AmqMergeAgg, AmqTruncate, ContainsFile,
    FilterSubqueries, spark,
};
use datafusion_common::Result;
use datafusion_expr::registry::FunctionRegistry;
use datafusion_expr::{AggregateUDF, ScalarUDF};
use std::sync::Arc;

/// The scalar functions, with an `amq_contains_file` that may read no files: register your own
/// [`ContainsFile`] after them.
#[must_use]
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    let functions: Vec<ScalarUDF> = vec![
        AmqContains.into(),
        AmqEstimate.into(),
        AmqInfo.into(),
        AmqTruncate.into(),
        AmqConstant.into(),
        ContainsFile::default().into(),
        spark::MightContain.into(),
    ];
    functions.into_iter().map(Arc::new).collect()
}

/// The aggregates.
#[must_use]
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    let functions: Vec<AggregateUDF> =
        vec![AmqAgg.into(), AmqMergeAgg.into(), spark::BloomFilterAgg::default().into()];
    functions.into_iter().map(Arc::new).collect()
}

/// Registers every function, and the rule [`FilterSubqueries`], with a `SessionContext` or a
/// `SessionState`. Add the rule [`FilterJoins`](crate::FilterJoins) by `add_analyzer_rule`.
///
/// ```
/// use datafusion::prelude::SessionContext;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> datafusion::error::Result<()> {
/// let mut ctx = SessionContext::new();
/// amq_datafusion::register_all(&mut ctx)?;
/// let sql = "SELECT amq_contains((SELECT amq_agg(v, 1000, 0.01) FROM (VALUES (1)) AS t(v)), 2)";
/// let rows = ctx.sql(sql).await?.collect().await?;
/// assert_eq!(rows[0].num_rows(), 1);
/// # Ok(())
/// # }
/// ```
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in scalar_functions() {
        registry.register_udf(function)?;
    }
    for function in aggregate_functions() {
        registry.register_udaf(function)?;
    }
    registry.register_function_rewrite(Arc::new(FilterSubqueries))
}

/// Adds every function to the two maps of a registry by name, such as Ballista's, with which an
/// executor starts:
///
/// ```
/// # use std::collections::HashMap;
/// # use std::sync::Arc;
/// # #[derive(Default)]
/// # struct BallistaFunctionRegistry {
/// #     scalar_functions: HashMap<String, Arc<datafusion_expr::ScalarUDF>>,
/// #     aggregate_functions: HashMap<String, Arc<datafusion_expr::AggregateUDF>>,
/// # }
/// let mut registry = BallistaFunctionRegistry::default(); // begins with the built-in functions
/// amq_datafusion::extend(&mut registry.scalar_functions, &mut registry.aggregate_functions);
/// assert!(registry.aggregate_functions.contains_key("amq_agg"));
/// ```
pub fn extend(
    scalar: &mut impl Extend<(String, Arc<ScalarUDF>)>,
    aggregate: &mut impl Extend<(String, Arc<AggregateUDF>)>,
) {
    scalar.extend(scalar_functions().into_iter().map(|f| (f.name().to_string(), f)));
    aggregate.extend(aggregate_functions().into_iter().map(|f| (f.name().to_string(), f)));
}
