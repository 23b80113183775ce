//! Constant arguments.

use crate::error::plan;
use datafusion_common::arrow::array::RecordBatch;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::expr::AggregateFunction;
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{ColumnarValue, Expr};
use std::sync::Arc;

/// The parameters of an aggregate: the constants after its first argument.
pub(crate) fn parameters(function: &str, args: &AccumulatorArgs) -> Result<Vec<ScalarValue>> {
    // A constant refers to no columns; a column has no value in an empty batch.
    let nothing = RecordBatch::new_empty(Arc::new(args.schema.clone()));
    let mut values = Vec::new();
    for (index, expr) in args.exprs.iter().enumerate().skip(1) {
        match expr.evaluate(&nothing) {
            Ok(ColumnarValue::Scalar(value)) => values.push(value),
            _ => return Err(no_constant(function, index, expr)),
        }
    }
    Ok(values)
}

/// The same in the logical plan, where a wrong one is found before execution. `None` if one is not
/// known yet, such as a parameter of a prepared statement.
pub(crate) fn planned_parameters(
    function: &str,
    call: &AggregateFunction,
) -> Result<Option<Vec<ScalarValue>>> {
    let mut values = Vec::new();
    for (index, expr) in call.params.args.iter().enumerate().skip(1) {
        match expr {
            Expr::Literal(value, _) => values.push(value.clone()),
            Expr::Placeholder(_) => return Ok(None),
            _ if expr.any_column_refs() => return Err(no_constant(function, index, expr)),
            _ => return Ok(None),
        }
    }
    Ok(Some(values))
}

fn no_constant(
    function: &str,
    index: usize,
    expr: &dyn std::fmt::Display,
) -> datafusion_common::DataFusionError {
    plan(function, format_args!("argument {} must be a literal, not `{expr}`", index + 1))
}

/// A count: a whole number above 0, which may be written as `1e6`.
pub(crate) fn count(function: &str, name: &str, value: &ScalarValue) -> Result<u64> {
    let refused =
        || plan(function, format_args!("`{name}` is a whole number of 1 or more, not {value}"));
    let whole = if value.data_type().is_integer() {
        value.cast_to(&DataType::UInt64).ok().and_then(|number| match number {
            ScalarValue::UInt64(number) => number,
            _ => None,
        })
    } else {
        let number = real(function, name, value)?;
        // Beyond 2^53, floats skip whole numbers.
        (number.fract() == 0.0 && number <= 9e15 && number > 0.0).then_some(number as u64)
    };
    whole.filter(|&number| number > 0).ok_or_else(refused)
}

/// A number.
pub(crate) fn real(function: &str, name: &str, value: &ScalarValue) -> Result<f64> {
    if value.data_type().is_numeric()
        && let Ok(ScalarValue::Float64(Some(number))) = value.cast_to(&DataType::Float64)
    {
        return Ok(number);
    }
    Err(plan(function, format_args!("`{name}` is a number, not {value}")))
}

/// A text.
pub(crate) fn text<'a>(function: &str, name: &str, value: &'a ScalarValue) -> Result<&'a str> {
    match value.try_as_str() {
        Some(Some(text)) => Ok(text),
        _ => Err(plan(function, format_args!("`{name}` is a text, not {value}"))),
    }
}
