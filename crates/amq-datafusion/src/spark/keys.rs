//! Columns as Spark's keys: integers of every width are longs, strings their bytes.

use crate::error::plan;
use datafusion_common::Result;
use datafusion_common::arrow::array::{Array, ArrayRef, AsArray, Int64Array, LargeStringArray};
use datafusion_common::arrow::compute::cast;
use datafusion_common::arrow::datatypes::{DataType, Int64Type};

pub(super) enum Keys {
    Longs(Int64Array),
    Strings(LargeStringArray),
}

impl Keys {
    pub(super) fn new(function: &str, array: &ArrayRef) -> Result<Self> {
        check(function, array.data_type())?;
        Ok(match is_string(array.data_type()) {
            true => Self::Strings(cast(array, &DataType::LargeUtf8)?.as_string().clone()),
            false => {
                Self::Longs(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
            }
        })
    }
}

/// Refuses a column type that Spark hashes differently, or not at all.
pub(super) fn check(function: &str, of: &DataType) -> Result<()> {
    let integer = of.is_integer() && *of != DataType::UInt64;
    if integer || is_string(of) || *of == DataType::Null {
        return Ok(());
    }
    if let DataType::Dictionary(_, values) = of {
        return check(function, values);
    }
    Err(plan(function, format_args!("takes BIGINT or narrower integers, and strings, not {of}")))
}

fn is_string(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => is_string(values),
        of => of.is_string(),
    }
}
