//! Arrays of Arrow.

use super::block::{Block, Fill, blocks};
use crate::encoding::Given;
use crate::interrupts::Patience;
use crate::key::Under;
use amq::KeyHash;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ByteArrayType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, GenericByteArray};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The exception for an error of Arrow.
pub(super) fn raise(error: ArrowError) -> PyErr {
    unread(&error.to_string())
}

/// The exception for an array that cannot be read.
pub(super) fn unread(why: &str) -> PyErr {
    let text = format!("the Arrow array cannot be read: {why}");
    // What a stream's producer in Python raised comes as pyarrow words it, with its traceback.
    let last = |line: &str| line == "KeyboardInterrupt" || line.starts_with("KeyboardInterrupt: ");
    match why.lines().any(last) {
        true => PyKeyboardInterrupt::new_err(text),
        false => PyValueError::new_err(text),
    }
}

/// Refuses types that hold no keys. A table of one column is that column.
pub(super) fn expect_keys(of: &DataType) -> PyResult<()> {
    let of = match of {
        DataType::Struct(fields) => match &fields[..] {
            [field] => field.data_type(),
            fields => {
                let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                return Err(PyTypeError::new_err(format!(
                    "this takes one column of keys, not a table of these: {}",
                    names.join(", ")
                )));
            }
        },
        of => of,
    };
    if given(of).is_some() {
        return Ok(());
    }
    Err(PyTypeError::new_err(match of.is_temporal() {
        true => format!(
            "an Arrow array of {of} holds no keys: decide on a unit and a time zone, then cast it to \
             integers or strings"
        ),
        false => format!(
            "an Arrow array of {of} holds no keys: cast it to integers, strings or binaries"
        ),
    }))
}

/// The column of a table of one, or the array itself.
pub(super) fn column(array: ArrayRef) -> PyResult<ArrayRef> {
    match array.as_struct_opt() {
        None => Ok(array),
        Some(table) if table.null_count() == 0 => Ok(table.column(0).clone()),
        Some(_) => Err(PyTypeError::new_err(
            "an array of structs of which some are null holds no keys: give its field",
        )),
    }
}

/// What keys of this type are; `None` if they are none.
fn given(of: &DataType) -> Option<Given> {
    match of {
        DataType::Dictionary(_, values) => given(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Some(Given::TEXT),
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => Some(Given::BYTES),
        DataType::Null => Some(Given::NOTHING),
        DataType::Boolean => Some(Given::INTEGERS),
        integer if integer.is_integer() => Some(Given::INTEGERS),
        _ => None,
    }
}

/// Calls `each` with the hashes of an array of keys.
pub(super) fn hashed(
    array: &ArrayRef,
    under: impl Under,
    patience: &mut Patience,
    each: &mut impl FnMut(&Block<'_>) -> PyResult<()>,
) -> PyResult<()> {
    let nulls: Option<NullBuffer> = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
    let given = given(array.data_type()).unwrap_or(Given::OTHERS);
    blocks(&fill(array, under), array.len(), nulls.as_ref(), given, patience, each)
}

/// How the hashes of an array are computed.
fn fill<'a>(array: &'a ArrayRef, under: impl Under + 'a) -> Fill<'a> {
    macro_rules! integers {
        ($type:ty) => {{
            let values = array.as_primitive::<$type>().values();
            Box::new(move |first, hashes| {
                for (hash, value) in hashes.iter_mut().zip(&values[first..]) {
                    *hash = under.hash(value);
                }
            })
        }};
    }
    match array.data_type() {
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => integers!(UInt64Type),
        DataType::Boolean => {
            let values = array.as_boolean();
            each_of(move |index| under.hash(&values.value(index)))
        }
        DataType::Utf8 => bytes(array.as_string::<i32>(), under),
        DataType::LargeUtf8 => bytes(array.as_string::<i64>(), under),
        DataType::Binary => bytes(array.as_binary::<i32>(), under),
        DataType::LargeBinary => bytes(array.as_binary::<i64>(), under),
        DataType::Utf8View => {
            let values = array.as_string_view().clone().to_binary_view();
            each_of(move |index| under.hash(values.value(index)))
        }
        DataType::BinaryView => {
            let values = array.as_binary_view();
            each_of(move |index| under.hash(values.value(index)))
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            each_of(move |index| under.hash(values.value(index)))
        }
        DataType::Dictionary(..) => dictionary(array, under),
        // All are nulls: there is nothing to be hashed.
        _ => Box::new(|_, _| ()),
    }
}

/// One by one.
fn each_of<'a>(hash: impl Fn(usize) -> KeyHash + 'a) -> Fill<'a> {
    Box::new(move |first, hashes| {
        for (index, to) in (first..).zip(hashes) {
            *to = hash(index);
        }
    })
}

/// Strings and binaries, which lie behind one another. Text is not looked at as such.
fn bytes<'a, T: ByteArrayType>(array: &'a GenericByteArray<T>, under: impl Under + 'a) -> Fill<'a> {
    let (offsets, data) = (array.value_offsets(), array.value_data());
    Box::new(move |first, hashes| {
        let ends = offsets[first..].windows(2);
        for (hash, ends) in hashes.iter_mut().zip(ends) {
            let key = data.get(ends[0].as_usize()..ends[1].as_usize());
            *hash = under.hash(key.unwrap_or_default());
        }
    })
}

/// Each different value is hashed once.
fn dictionary<'a>(array: &'a ArrayRef, under: impl Under + 'a) -> Fill<'a> {
    let array = array.as_any_dictionary();
    let values = array.values();
    if values.is_empty() {
        return Box::new(|_, _| ());
    }
    let mut hashes = vec![KeyHash::new(0); values.len()];
    fill(values, under)(0, &mut hashes);
    let places = array.normalized_keys();
    each_of(move |index| hashes[places[index]])
}
