//! `amq_estimate(f)` and `amq_info(f)`.

use crate::error::{plan, unread};
use crate::filters::{self, Column};
use amq::{AnyFile, AnyFilter, Filter, FilterFile};
use datafusion_common::arrow::array::{
    Array, ArrayRef, Float64Builder, StringBuilder, StructArray, UInt64Array, UInt64Builder,
};
use datafusion_common::arrow::buffer::NullBuffer;
use datafusion_common::arrow::datatypes::{DataType, Field, Fields};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use std::sync::{Arc, LazyLock};

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

/// The fields of `amq_info`.
static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    Fields::from(vec![
        Field::new("kind", DataType::Utf8, false),
        Field::new("keys", DataType::UInt64, false),
        Field::new("capacity", DataType::UInt64, false),
        Field::new("bytes", DataType::UInt64, false),
        Field::new("load", DataType::Float64, false),
        Field::new("fpr", DataType::Float64, false),
    ])
});

/// The function `amq_estimate(f)`: the approximate number of distinct keys in the filter `f`, as an
/// unsigned integer; null for null. For Bloom and counting filters it is estimated from the table,
/// within a few percent, and for quotient filters it is exact except for false positives, after any
/// number of merges. For other kinds it is their own count, in which a key of both merged filters
/// counts twice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqEstimate;

/// The function `amq_info(f)`: a struct of the filter's `kind`, the number of `keys` it counted
/// (see [`AmqEstimate`] for merged ones), its `capacity`, its `bytes` in memory, its `load` (0 to
/// 1), and its expected false-positive rate `fpr`; null for null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqInfo;

/// A function of a filter alone.
macro_rules! of_filter {
    ($type:ident, $name:literal, $returns:expr, $column:ident) => {
        impl ScalarUDFImpl for $type {
            fn name(&self) -> &str {
                $name
            }

            fn signature(&self) -> &Signature {
                &SIGNATURE
            }

            fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
                let [of] = types else {
                    return Err(plan(
                        $name,
                        format_args!("wants (f), not {} arguments", types.len()),
                    ));
                };
                filters::check($name, of)?;
                Ok(types.to_vec())
            }

            fn return_type(&self, _: &[DataType]) -> Result<DataType> {
                Ok($returns)
            }

            fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
                match args.args.first() {
                    Some(ColumnarValue::Array(array)) => {
                        Ok(ColumnarValue::Array($column($name, array)?))
                    }
                    Some(ColumnarValue::Scalar(value)) => {
                        let column = $column($name, &value.to_array()?)?;
                        Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&column, 0)?))
                    }
                    None => Err(plan($name, "wants (f)")),
                }
            }
        }
    };
}

of_filter!(AmqEstimate, "amq_estimate", DataType::UInt64, estimates);
of_filter!(AmqInfo, "amq_info", DataType::Struct(FIELDS.clone()), infos);

/// Applies a function to each filter; `None` for null.
fn told<T>(
    function: &str,
    array: &ArrayRef,
    tell: impl Fn(&AnyFilter) -> T,
) -> Result<Vec<Option<T>>> {
    let filters = Column::new(function, array)?;
    let of = |bytes: &[u8]| match AnyFile::from_bytes(bytes) {
        Ok(file) => Ok(tell(file.filter().into_inner())),
        Err(error) => Err(unread(function, None, error)),
    };
    (0..array.len()).map(|row| filters.value(row).map(of).transpose()).collect()
}

fn estimates(function: &str, array: &ArrayRef) -> Result<ArrayRef> {
    Ok(Arc::new(told(function, array, different)?.into_iter().collect::<UInt64Array>()))
}

/// The approximate number of distinct keys.
fn different(filter: &AnyFilter) -> u64 {
    let by_table = match filter {
        AnyFilter::Bloom(filter) => filter.estimated_cardinality(),
        AnyFilter::BlockedBloom(filter) => filter.estimated_cardinality(),
        AnyFilter::Counting(filter) => filter.estimated_cardinality(),
        AnyFilter::BlockedCounting(filter) => filter.estimated_cardinality(),
        AnyFilter::Quotient(filter) => return filter.distinct_len(),
        _ => f64::INFINITY,
    };
    // A full table gives no estimate.
    if by_table.is_finite() { by_table.round() as u64 } else { filter.len() }
}

fn infos(function: &str, array: &ArrayRef) -> Result<ArrayRef> {
    let stats = told(function, array, Filter::stats)?;
    let mut kind = StringBuilder::new();
    let [mut keys, mut capacity, mut bytes] = [(); 3].map(|()| UInt64Builder::new());
    let [mut load, mut fpr] = [(); 2].map(|()| Float64Builder::new());
    for stats in &stats {
        kind.append_value(stats.map_or("", |stats| stats.kind.id()));
        keys.append_value(stats.map_or(0, |stats| stats.len));
        capacity.append_value(stats.map_or(0, |stats| stats.capacity));
        bytes.append_value(stats.map_or(0, |stats| stats.bytes));
        load.append_value(stats.map_or(0.0, |stats| stats.load_factor));
        fpr.append_value(stats.map_or(0.0, |stats| stats.expected_fpr));
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(kind.finish()),
        Arc::new(keys.finish()),
        Arc::new(capacity.finish()),
        Arc::new(bytes.finish()),
        Arc::new(load.finish()),
        Arc::new(fpr.finish()),
    ];
    let nulls: NullBuffer = stats.iter().map(Option::is_some).collect();
    Ok(Arc::new(StructArray::new(FIELDS.clone(), columns, Some(nulls))))
}
