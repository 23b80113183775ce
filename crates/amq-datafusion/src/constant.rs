//! Boxes the value of a scalar subquery as a constant, and refuses other subqueries.

use crate::error::plan;
use crate::filters::{self, Column};
use crate::spark::MightContain;
use crate::{contains, error};
use datafusion_common::arrow::array::{Array, BinaryArray, ListArray};
use datafusion_common::arrow::buffer::OffsetBuffer;
use datafusion_common::arrow::datatypes::{DataType, Field};
use datafusion_common::config::ConfigOptions;
use datafusion_common::tree_node::{Transformed, TreeNode};
use datafusion_common::{DFSchema, Result};
use datafusion_expr::expr_rewriter::FunctionRewrite;
use datafusion_expr::logical_plan::Subquery;
use datafusion_expr::{
    ColumnarValue, Expr, LogicalPlanBuilder, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use std::iter::repeat_n;
use std::sync::{Arc, LazyLock};

const NAME: &str = "amq_constant";

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

/// The function `amq_constant(f)`: a filter as a list of one, which is shared, not copied, as the
/// value of a scalar subquery. [`FilterSubqueries`] inserts it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqConstant;

impl ScalarUDFImpl for AmqConstant {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [of] = types else {
            return Err(plan(NAME, format_args!("wants (f), not {} arguments", types.len())));
        };
        filters::check(NAME, of)?;
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(filters::boxed_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let [column] = columns.as_slice() else {
            return Err(plan(NAME, "wants (f)"));
        };
        let filters = Column::new(NAME, column)?;
        let rows = column.len();
        let bytes: usize = (0..rows).filter_map(|row| filters.value(row)).map(<[u8]>::len).sum();
        if bytes > i32::MAX as usize {
            return Err(error::execution(NAME, format_args!("{bytes} bytes are too many at once")));
        }
        let values: BinaryArray = (0..rows).map(|row| filters.value(row)).collect();
        let item = Arc::new(Field::new_list_field(DataType::Binary, true));
        let ones = OffsetBuffer::from_lengths(repeat_n(1, rows));
        Ok(ColumnarValue::Array(Arc::new(ListArray::new(item, ones, Arc::new(values), None))))
    }
}

/// The rule that rewrites `amq_contains((SELECT amq_agg(k) FROM build), x)`, and `might_contain`
/// alike.
///
/// If the engine passes the value of such a subquery once, it becomes a shared constant. Otherwise
/// the engine would join the subquery to every row and copy the filter with each: 8 GB for a batch
/// of 8192 rows and a filter of 1 MB. That is refused at planning time. It applies to Ballista,
/// whose stages share no memory, and to correlated subqueries. [`FilterJoins`](crate::FilterJoins)
/// refuses explicit joins.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FilterSubqueries;

impl FunctionRewrite for FilterSubqueries {
    fn name(&self) -> &str {
        "amq_filter_subqueries"
    }

    fn rewrite(
        &self,
        mut expr: Expr,
        _: &DFSchema,
        config: &ConfigOptions,
    ) -> Result<Transformed<Expr>> {
        let Expr::ScalarFunction(call) = &mut expr else {
            return Ok(Transformed::no(expr));
        };
        let name = call.func.name();
        if name != contains::NAME && name != MightContain::NAME {
            return Ok(Transformed::no(expr));
        }
        let Some(filter) = call.args.first_mut() else {
            return Ok(Transformed::no(expr));
        };
        let shared = config.optimizer.enable_physical_uncorrelated_scalar_subquery;
        let copied = |expr: &Expr| match expr {
            Expr::ScalarSubquery(subquery) => !shared || !subquery.outer_ref_columns.is_empty(),
            _ => false,
        };
        if filter.exists(|expr| Ok(copied(expr)))? {
            return Err(refusal(name, if shared { Trap::Correlated } else { Trap::Unshared }));
        }
        let Some(subquery) = subquery(filter) else {
            let is_subquery = |expr: &Expr| Ok(matches!(expr, Expr::ScalarSubquery(_)));
            // An expression of literals alone is folded to a literal.
            let changes = filter.any_column_refs() || filter.exists(is_subquery)?;
            if changes && holds_filter(filter) {
                return Err(refusal(name, Trap::Nested));
            }
            return Ok(Transformed::no(expr));
        };
        let schema = subquery.subquery.schema();
        if schema.fields().iter().any(|field| filters::is_boxed(field.data_type())) {
            return Ok(Transformed::no(expr));
        }
        let boxed = ScalarUDF::from(AmqConstant)
            .call(schema.columns().into_iter().map(Expr::Column).collect());
        let plan = LogicalPlanBuilder::from(subquery.subquery.as_ref().clone());
        subquery.subquery = Arc::new(plan.project([boxed])?.build()?);
        Ok(Transformed::yes(expr))
    }
}

/// Whether an expression contains a constant filter that would be copied to every row: the value of
/// a subquery, or a large literal.
pub(crate) fn holds_filter(expr: &Expr) -> bool {
    /// Copied, 128 MiB in a batch of 8192 rows.
    const SMALL: usize = 16 << 10;

    let holds = |expr: &Expr| match expr {
        Expr::ScalarSubquery(subquery) => {
            let fields = subquery.subquery.schema().fields();
            fields.iter().any(|field| {
                let of = field.data_type();
                *of != DataType::Null && filters::check(NAME, of).is_ok()
            })
        }
        Expr::Literal(value, _) => {
            matches!(filters::scalar(NAME, value), Ok(Some(bytes)) if bytes.len() > SMALL)
        }
        _ => false,
    };
    expr.exists(|expr| Ok(holds(expr))).unwrap_or(true)
}

/// Why a filter would be copied once for each row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trap {
    /// Its subquery or literal is part of an expression.
    Nested,
    /// Its subquery is correlated.
    Correlated,
    /// Its subquery becomes a join.
    Unshared,
    /// It is joined; `shared` if a subquery's value would not be.
    Join { shared: bool },
}

pub(crate) fn refusal(function: &str, trap: Trap) -> datafusion_common::DataFusionError {
    let why = match trap {
        Trap::Nested => "the filter is a subquery or a literal within an expression",
        Trap::Correlated => "the filter is a correlated subquery",
        Trap::Unshared => {
            "the filter is a subquery that is planned as a join \
             (enable_physical_uncorrelated_scalar_subquery is off, as always in Ballista)"
        }
        Trap::Join { .. } => {
            "the filter is the one row of a side of a join (as a correlated subquery is one, or a \
             value repeated in each row)"
        }
    };
    let way_out = match trap {
        Trap::Nested => {
            "Ask each filter by itself, as in CASE WHEN c THEN amq_contains((SELECT f FROM ...), \
             x) END, or put the expression into the subquery. Or run"
        }
        Trap::Join { shared: true } => {
            "Write it as a scalar subquery, whose value is shared: \
             amq_contains((SELECT f FROM ...), x). Or run"
        }
        _ => "Run",
    };
    plan(
        function,
        format_args!(
            "{why}: it would be copied once for each row. {way_out} the filter's query first and \
             put its value into this one, as a literal or, if it is large, as a file for \
             amq_contains_file: amq_datafusion::semi_join_filter does both"
        ),
    )
}

/// The expression as a scalar subquery, under any alias or cast.
fn subquery(expr: &mut Expr) -> Option<&mut Subquery> {
    match expr {
        Expr::ScalarSubquery(subquery) => Some(subquery),
        Expr::Alias(alias) => subquery(&mut alias.expr),
        Expr::Cast(cast) => subquery(&mut cast.expr),
        _ => None,
    }
}
