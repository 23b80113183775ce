//! `amq_truncate(f, fpr)`.

use crate::error::{execution, plan, unread};
use crate::filters::{self, Column};
use crate::literal;
use amq::{Budget, FilterFile, Goal};
use datafusion_common::arrow::array::{Array, ArrayRef, AsArray, BinaryArray};
use datafusion_common::arrow::datatypes::{DataType, Float64Type};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::{Arc, LazyLock};

const NAME: &str = "amq_truncate";

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

/// The function `amq_truncate(f, fpr)`: the filter that the keys of `f` would have been built into
/// at the higher false-positive rate `fpr`, made without them; null where either is null. Ribbon,
/// fuse and quotient filters can be truncated, and other kinds are refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqTruncate;

impl ScalarUDFImpl for AmqTruncate {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [filter, fpr] = types else {
            let text = format_args!("wants (f, fpr), not {} arguments", types.len());
            return Err(plan(NAME, text));
        };
        filters::check(NAME, filter)?;
        if !fpr.is_numeric() && !fpr.is_null() {
            return Err(plan(NAME, format_args!("`fpr` is a number, not {fpr}")));
        }
        Ok(vec![filter.clone(), DataType::Float64])
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let [filter, fpr] = args.args.try_into().map_err(|_| plan(NAME, "wants (f, fpr)"))?;
        let one = [&filter, &fpr].iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rates = fpr.to_array(if one { 1 } else { rows })?;
        let truncated = match &filter {
            ColumnarValue::Scalar(filter) => {
                let filter = filters::scalar(NAME, filter)?;
                truncate(&rates, |_| filter)?
            }
            ColumnarValue::Array(array) => {
                let filters = Column::new(NAME, array)?;
                truncate(&rates, |row| filters.value(row))?
            }
        };
        match one {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&truncated, 0)?)),
            false => Ok(ColumnarValue::Array(Arc::new(truncated))),
        }
    }

    /// Refuses a constant rate that no filter can have.
    fn simplify(&self, args: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        if let Some(Expr::Literal(value, _)) = args.get(1)
            && !value.is_null()
        {
            let fpr = literal::real(NAME, "fpr", value)?;
            Goal::fpr(1, fpr).checked().map_err(|error| plan(NAME, error))?;
        }
        Ok(ExprSimplifyResult::Original(args))
    }
}

/// The filter of each row at the rate of that row.
fn truncate<'a>(
    rates: &ArrayRef,
    filter: impl Fn(usize) -> Option<&'a [u8]>,
) -> Result<BinaryArray> {
    let rates = rates.as_primitive::<Float64Type>();
    let (mut truncated, mut bytes) = (Vec::with_capacity(rates.len()), 0);
    for row in 0..rates.len() {
        let made = match filter(row) {
            Some(filter) if rates.is_valid(row) => Some(of_row(filter, rates.value(row))?),
            _ => None,
        };
        bytes += made.as_ref().map_or(0, Vec::len);
        if bytes > i32::MAX as usize {
            let text = format_args!(
                "the filters of {} rows take more than the {} bytes of a Binary column: ask for a \
                 higher rate, or set datafusion.execution.batch_size to fewer rows",
                row + 1,
                i32::MAX
            );
            return Err(execution(NAME, text));
        }
        truncated.push(made);
    }
    Ok(truncated.into_iter().collect())
}

fn of_row(bytes: &[u8], fpr: f64) -> Result<Vec<u8>> {
    let mut file = filters::of_keys(bytes).map_err(|error| unread(NAME, None, error))?;
    let truncated = file.filter_mut().into_inner().truncate(Budget::Fpr(fpr));
    truncated.map_err(|error| execution(NAME, error))?;
    file.to_bytes().map_err(|error| execution(NAME, error))
}
