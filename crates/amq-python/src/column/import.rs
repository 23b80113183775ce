//! Arrays of keys from Arrow's C data interface, if they are what their schema says.
#![allow(unsafe_code, reason = "what is imported is C's")]

use super::arrow::{column, expect_keys, raise, unread};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::{ArrayRef, NullArray, make_array};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// The type of an array of keys. That of a table of nulls alone is that of nulls.
pub(super) fn type_of(schema: &FFI_ArrowSchema) -> PyResult<DataType> {
    // The column of a table of one, or the array itself.
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
    column(make_array(data.map_err(raise)?))
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
