//! Answers for columns: null where the key or the filter is.

use crate::filters::{self, Column};
use datafusion_common::arrow::array::{Array, ArrayRef, BooleanArray};
use datafusion_common::arrow::buffer::{BooleanBuffer, NullBuffer};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs};
use std::sync::Arc;

/// The operations that a function of `(filter, key)` needs for its kind of filter.
pub(crate) trait Asked {
    type Filter;

    /// The name of the function, for errors.
    fn name(&self) -> &str;

    /// The filter in these bytes, decoded or cached; `constant` is the box that contains them, if
    /// any.
    fn filter(&self, bytes: &[u8], constant: Option<&ScalarValue>) -> Result<Arc<Self::Filter>>;

    /// Sets `answers`, one for each key.
    fn ask(&self, filter: &Self::Filter, keys: &dyn Array, answers: &mut Vec<bool>) -> Result<()>;
}

/// The value of `function(filter, key)`.
pub(crate) fn invoke(function: &impl Asked, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
    let rows = args.number_rows;
    let [filter, key] = args.args.try_into().map_err(|args: Vec<_>| {
        let text = format_args!("wants (filter, key), not {} arguments", args.len());
        crate::error::plan(function.name(), text)
    })?;
    let constant = |column: &ColumnarValue| matches!(column, ColumnarValue::Scalar(_));
    let one = constant(&filter) && constant(&key);
    let keys = key.to_array(if one { 1 } else { rows })?;
    let answers = match filter {
        ColumnarValue::Scalar(filter) => of_constant(function, &filter, &keys)?,
        ColumnarValue::Array(filters) => of_column(function, &filters, &keys)?,
    };
    match one {
        true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&answers, 0)?)),
        false => Ok(ColumnarValue::Array(Arc::new(answers))),
    }
}

fn of_constant<F: Asked>(
    function: &F,
    filter: &ScalarValue,
    keys: &ArrayRef,
) -> Result<BooleanArray> {
    let Some(bytes) = filters::scalar(function.name(), filter)? else {
        return Ok(BooleanArray::new_null(keys.len()));
    };
    let filter = function.filter(bytes, Some(filter))?;
    let mut answers = Vec::with_capacity(keys.len());
    function.ask(&filter, keys, &mut answers)?;
    Ok(BooleanArray::new(packed(&answers), keys.logical_nulls()))
}

/// Queries consecutive rows with the same filter at once.
fn of_column<F: Asked>(function: &F, filters: &ArrayRef, keys: &ArrayRef) -> Result<BooleanArray> {
    let filters = Column::new(function.name(), filters)?;
    let mut answers = Vec::with_capacity(keys.len());
    let mut has_filter = Vec::with_capacity(keys.len());
    let mut of_run = Vec::new();
    let mut row = 0;
    while row < keys.len() {
        let bytes = filters.value(row);
        let same = (row + 1..keys.len()).take_while(|&next| filters.value(next) == bytes).count();
        let end = row + 1 + same;
        match bytes {
            None => answers.resize(end, false),
            Some(bytes) => {
                let filter = function.filter(bytes, None)?;
                of_run.clear();
                function.ask(&filter, &keys.slice(row, end - row), &mut of_run)?;
                answers.extend_from_slice(&of_run);
            }
        }
        has_filter.resize(end, bytes.is_some());
        row = end;
    }
    let has_filter = NullBuffer::new(packed(&has_filter));
    let nulls = NullBuffer::union(keys.logical_nulls().as_ref(), Some(&has_filter));
    Ok(BooleanArray::new(packed(&answers), nulls))
}

fn packed(answers: &[bool]) -> BooleanBuffer {
    BooleanBuffer::collect_bool(answers.len(), |row| answers[row])
}
