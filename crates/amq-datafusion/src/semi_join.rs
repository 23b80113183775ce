//! A semi-join filter in two steps: one query makes it, the next one uses it.

use crate::error::{execution, plan};
use crate::keys::Class;
use crate::{AmqAgg, AmqContains, filters};
use amq::{FilterKind, KeyHash};
use datafusion_common::arrow::array::RecordBatch;
use datafusion_common::{DataFusionError, Result, ScalarValue};
use datafusion_expr::{
    AggregateUDF, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, ScalarUDF, lit,
};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const NAME: &str = "semi_join_filter";

/// The number of files that this process has written.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Options of [`semi_join_filter`]: how to make and pass its filter.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SemiJoinOptions {
    /// Distinct keys on the build side.
    pub expected: u64,
    /// The false-positive rate: the share of rows without a partner that pass. 0.01 unless set.
    pub fpr: f64,
    /// The kind of filter. A split-block Bloom filter unless set.
    pub kind: FilterKind,
    /// Up to this many bytes, the filter is a literal in the plan. 1 MiB unless set.
    pub literal_bytes: usize,
    /// A folder that every process of the cluster sees, for larger filters, and the function
    /// [`ContainsFile`](crate::ContainsFile) that every one of them has registered.
    pub shared: Option<(PathBuf, Arc<ScalarUDF>)>,
}

impl SemiJoinOptions {
    /// Options for this many distinct keys on the build side.
    #[must_use]
    pub fn new(expected: u64) -> Self {
        Self {
            expected,
            fpr: 0.01,
            kind: FilterKind::BlockedBloom,
            literal_bytes: 1 << 20,
            shared: None,
        }
    }
}

/// The probe side of a join, reduced to rows that may have a partner on the build side: a share
/// `fpr` of the others remains.
///
/// Runs the first step at once, by `run`: an aggregate over the build side, computed in parts where
/// the rows are, and merged. The second step is the plan returned: the probe side with
/// `amq_contains(filter, key)`, for the join that follows. `run` is any engine, such as `|plan|
/// async { ctx.execute_logical_plan(plan).await?.collect().await }` for a `SessionContext` of
/// DataFusion or Ballista.
///
/// There are two steps because Ballista would copy a filter from a subquery once for each row; see
/// [`FilterSubqueries`](crate::FilterSubqueries).
///
/// A filter above `literal_bytes` is written to the shared folder, under a name derived from its
/// contents: equal filters share one file. The caller deletes it after the query.
pub async fn semi_join_filter<R, F>(
    run: R,
    build: LogicalPlan,
    build_key: Expr,
    probe: LogicalPlan,
    probe_key: Expr,
    options: &SemiJoinOptions,
) -> Result<LogicalPlan>
where
    R: FnOnce(LogicalPlan) -> F,
    F: Future<Output = Result<Vec<RecordBatch>>>,
{
    alike(&build, &build_key, &probe, &probe_key)?;
    let rows = run(filter_plan(build, build_key, options)?).await?;
    let bytes = collected(&rows)?;
    let contains = asking(&bytes, probe_key, options)?;
    LogicalPlanBuilder::from(probe).filter(contains)?.build()
}

/// Refuses keys of two types that a join can compare but a filter cannot.
fn alike(build: &LogicalPlan, build_key: &Expr, probe: &LogicalPlan, key: &Expr) -> Result<()> {
    let (ours, theirs) = (build_key.get_type(build.schema())?, key.get_type(probe.schema())?);
    let (class, other) = (Class::of(&ours), Class::of(&theirs));
    if class == other || [class, other].contains(&Class::Null) {
        return Ok(());
    }
    let text = format_args!(
        "the keys of one side are {ours} and of the other {theirs}, which no filter compares: cast \
         one of them"
    );
    Err(plan(NAME, text))
}

/// `SELECT amq_agg(key, expected, fpr, kind) FROM build`
fn filter_plan(build: LogicalPlan, key: Expr, options: &SemiJoinOptions) -> Result<LogicalPlan> {
    let SemiJoinOptions { expected, fpr, kind, .. } = options;
    let args = vec![key, lit(*expected), lit(*fpr), lit(kind.id())];
    let filter = AggregateUDF::from(AmqAgg).call(args).alias("filter");
    LogicalPlanBuilder::from(build).aggregate(Vec::<Expr>::new(), [filter])?.build()
}

/// The one value of the first step.
fn collected(rows: &[RecordBatch]) -> Result<Vec<u8>> {
    let found = rows.iter().find(|batch| batch.num_rows() > 0);
    let column = found.map(|batch| batch.column(0));
    let column = column.ok_or_else(|| execution(NAME, "the first step gave no filter"))?;
    let value = ScalarValue::try_from_array(column, 0)?;
    let bytes = filters::scalar(NAME, &value)?;
    bytes.map(<[u8]>::to_vec).ok_or_else(|| execution(NAME, "the first step gave a null"))
}

/// The condition of the second step.
fn asking(bytes: &[u8], key: Expr, options: &SemiJoinOptions) -> Result<Expr> {
    if bytes.len() <= options.literal_bytes {
        let filter = Expr::Literal(filters::boxed(bytes), None);
        return Ok(ScalarUDF::from(AmqContains).call(vec![filter, key]));
    }
    let Some((folder, function)) = &options.shared else {
        let text = format_args!(
            "the filter has {} bytes, too many for a literal ({}): name a folder in \
             SemiJoinOptions::shared, or raise literal_bytes",
            bytes.len(),
            options.literal_bytes
        );
        return Err(plan(NAME, text));
    };
    let name = format!("{:016x}.amq", KeyHash::of(bytes, 0).get());
    let path = folder.join(&name);
    let at = |error: std::io::Error| {
        DataFusionError::IoError(std::io::Error::new(
            error.kind(),
            format!("{NAME}: {}: {error}", path.display()),
        ))
    };
    // Written to a temporary file and renamed, so that no executor reads half of it.
    let own = (std::process::id(), WRITTEN.fetch_add(1, Relaxed));
    let aside = folder.join(format!("{name}.{}-{}", own.0, own.1));
    std::fs::write(&aside, bytes).and_then(|()| std::fs::rename(&aside, &path)).map_err(at)?;
    let text = path.to_str().ok_or_else(|| {
        plan(NAME, format_args!("the shared folder's path is no UTF-8: {}", path.display()))
    })?;
    Ok(function.call(vec![lit(text), key]))
}
