//! Arrays of keys from Arrow's C data interface, if they are what their schema says.
#![allow(unsafe_code, reason = "what is imported is C's")]

use super::keys::given;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::{Array, ArrayRef, NullArray, make_array};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// The exception for an error of Arrow.
fn raise(error: ArrowError) -> PyErr {
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

/// Refuses types that hold no keys. The columns of a table are the keys' parts.
fn expect_keys(of: &DataType) -> PyResult<()> {
    let DataType::Struct(fields) = of else { return expect_keys_of("an Arrow array", of) };
    if fields.is_empty() {
        return Err(PyTypeError::new_err("a table without columns has no keys"));
    }
    for field in fields {
        let (name, of) = (field.name(), field.data_type());
        if *of == DataType::Null {
            let text = format!("column {name} has only nulls: leave it out");
            return Err(PyTypeError::new_err(text));
        }
        expect_keys_of(&format!("column {name}: an Arrow array"), of)?;
    }
    Ok(())
}

fn expect_keys_of(what: &str, of: &DataType) -> PyResult<()> {
    let instead = match of.is_temporal() {
        _ if given(of).is_some() => return Ok(()),
        true => "decide on a unit and a time zone, then cast it to integers or strings",
        false => "cast it to integers, strings or binaries",
    };
    Err(PyTypeError::new_err(format!("{what} of {of} holds no keys: {instead}")))
}

/// The columns of a table, or the array itself.
pub(super) fn columns_of(array: &ArrayRef) -> Vec<ArrayRef> {
    match array.as_struct_opt() {
        Some(table) => table.columns().to_vec(),
        None => vec![array.clone()],
    }
}

/// The type of an array of keys. That of a table of nulls alone is that of nulls.
pub(super) fn type_of(schema: &FFI_ArrowSchema) -> PyResult<DataType> {
    let columns = match schema.format() {
        "+s" => schema.children().collect(),
        _ => vec![schema],
    };
    for column in &columns {
        let extension = column.metadata().map_err(raise)?.remove("ARROW:extension:name");
        if extension.is_some_and(|name| name == "pandas.period") {
            let text = "an array of periods holds no keys: give their texts, astype(str)";
            return Err(PyTypeError::new_err(text));
        }
        // Such as the integers of 128 bits in polars.
        if DataType::try_from(*column).is_err() {
            return Err(PyTypeError::new_err(format!(
                "an Arrow array of the format {:?} holds no keys: cast it to integers of 64 bits, \
                 strings or binaries; or give its to_list()",
                column.format()
            )));
        }
    }
    if matches!(columns[..], [column] if column.format() == "n") {
        return Ok(DataType::Null);
    }
    let of = DataType::try_from(schema).map_err(raise)?;
    expect_keys(&of)?;
    Ok(of)
}

/// An array whose schema has a type from [`type_of`].
pub(super) fn imported(array: FFI_ArrowArray, of: &DataType) -> PyResult<ArrayRef> {
    // These are not imported: polars gives them a buffer, which the interface does not know, and
    // arrow refuses.
    if *of == DataType::Null {
        return Ok(Arc::new(NullArray::new(array.len())));
    }
    if !is_like(&array, of) {
        return Err(unread(&format!("it is none of {of}, as its schema says")));
    }
    // SAFETY: the structure is that of an array of this type, as the interface says.
    let data = unsafe { from_ffi_and_data_type(array, of.clone()) };
    let array = make_array(data.map_err(raise)?);
    match array.as_struct_opt().is_some_and(|table| table.null_count() > 0) {
        false => Ok(array),
        true => Err(PyTypeError::new_err(
            "an array of structs of which some are null holds no keys: give its fields",
        )),
    }
}

/// Whether an array has as many buffers and others in it as its type says. What is in these cannot
/// be looked at.
fn is_like(array: &FFI_ArrowArray, of: &DataType) -> bool {
    let buffers = array.num_buffers();
    match of {
        DataType::Struct(fields) => {
            let mut fields = fields.iter().enumerate();
            array.num_children() == fields.len()
                && fields.all(|(index, field)| is_like(array.child(index), field.data_type()))
        }
        DataType::Dictionary(_, values) => {
            buffers == 2 && array.dictionary().is_some_and(|array| is_like(array, values))
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => {
            buffers == 3 && array.dictionary().is_none()
        }
        DataType::Utf8View | DataType::BinaryView => buffers >= 3 && array.dictionary().is_none(),
        _ => buffers == 2 && array.dictionary().is_none(),
    }
}
