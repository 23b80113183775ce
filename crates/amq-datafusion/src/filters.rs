//! Filters as columns: any binary column, or a boxed constant.
//!
//! A constant is passed to a function once per batch, and a `ScalarValue::Binary` copies its bytes
//! each time: for a filter of 13 MB, hundreds of nanoseconds per row. A `ScalarValue::List` is
//! shared. So constant filters are passed as lists of one.

use crate::error::{execution, plan};
use amq::{AnyFile, DecodeError, FilterFile};
use datafusion_common::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, LargeBinaryArray,
};
use datafusion_common::arrow::compute;
use datafusion_common::arrow::datatypes::{DataType, Field};
use datafusion_common::utils::SingleRowListArrayBuilder;
use datafusion_common::{Result, ScalarValue};
use std::sync::Arc;

/// A filter that SQL can query: one that hashes keys under its own seed.
pub(crate) fn of_keys(bytes: &[u8]) -> Result<AnyFile, DecodeError> {
    match AnyFile::from_bytes(bytes)? {
        file @ AnyFile::Keys(..) => Ok(file),
        AnyFile::Keyed(..) => Err(DecodeError::Keyed),
        // `Withheld` is only returned with `Secret::Unknown`, which is not used here.
        AnyFile::Hashes(_) | AnyFile::Withheld(..) => Err(DecodeError::Prehashed),
    }
}

/// Refuses a column type that cannot hold filters.
pub(crate) fn check(function: &str, of: &DataType) -> Result<()> {
    use DataType as T;
    match of {
        T::Null | T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => Ok(()),
        T::Dictionary(_, values) => check(function, values),
        of if is_boxed(of) => Ok(()),
        of => Err(plan(
            function,
            format_args!("a filter is a Binary value, as amq_agg makes it, not {of}"),
        )),
    }
}

/// The type of a boxed filter.
pub(crate) fn boxed_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Binary, true)))
}

pub(crate) fn is_boxed(of: &DataType) -> bool {
    matches!(of, DataType::List(item) if item.data_type() == &DataType::Binary)
}

/// A boxed filter.
pub(crate) fn boxed(bytes: &[u8]) -> ScalarValue {
    let array: ArrayRef = Arc::new(BinaryArray::from_vec(vec![bytes]));
    SingleRowListArrayBuilder::new(array).with_nullable(true).build_list_scalar()
}

/// The bytes of a constant filter; `None` if it is null.
pub(crate) fn scalar<'a>(function: &str, value: &'a ScalarValue) -> Result<Option<&'a [u8]>> {
    use ScalarValue as S;
    match value {
        S::Null => Ok(None),
        S::Binary(bytes)
        | S::LargeBinary(bytes)
        | S::BinaryView(bytes)
        | S::FixedSizeBinary(_, bytes) => Ok(bytes.as_deref()),
        S::Dictionary(_, value) => scalar(function, value),
        S::List(list) if list.is_null(0) => Ok(None),
        S::List(list) => match list.values().as_binary_opt::<i32>() {
            Some(values) if values.len() == 1 && values.is_valid(0) => Ok(Some(values.value(0))),
            Some(values) if values.len() == 1 => Ok(None),
            _ => Err(execution(function, "a list of several filters is no filter")),
        },
        other => Err(execution(function, format_args!("{} is no filter", other.data_type()))),
    }
}

/// The filters of a column.
pub(crate) enum Column<'a> {
    Binary(&'a BinaryArray),
    Large(&'a LargeBinaryArray),
    View(&'a BinaryViewArray),
    Fixed(&'a FixedSizeBinaryArray),
    /// Unpacked.
    Owned(LargeBinaryArray),
    Null,
}

impl<'a> Column<'a> {
    pub(crate) fn new(function: &str, array: &'a ArrayRef) -> Result<Self> {
        use DataType as T;
        Ok(match array.data_type() {
            T::Binary => Self::Binary(array.as_binary()),
            T::LargeBinary => Self::Large(array.as_binary()),
            T::BinaryView => Self::View(array.as_binary_view()),
            T::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary()),
            T::Null => Self::Null,
            T::Dictionary(..) => {
                let unpacked = compute::cast(array, &T::LargeBinary)?;
                Self::Owned(unpacked.as_binary().clone())
            }
            of if is_boxed(of) => {
                let lists = array.as_list::<i32>();
                let one = |row: usize| -> Result<Option<Vec<u8>>> {
                    let value = ScalarValue::try_from_array(lists, row)?;
                    Ok(scalar(function, &value)?.map(<[u8]>::to_vec))
                };
                let rows: Vec<_> = (0..lists.len()).map(one).collect::<Result<_>>()?;
                Self::Owned(rows.into_iter().collect())
            }
            of => {
                check(function, of)?;
                return Err(execution(function, format_args!("a column of {of} is no filter")));
            }
        })
    }

    /// The filter in a row; `None` if it is null.
    pub(crate) fn value(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Binary(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Large(array) => array.is_valid(row).then(|| array.value(row)),
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Fixed(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Owned(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Null => None,
        }
    }
}
