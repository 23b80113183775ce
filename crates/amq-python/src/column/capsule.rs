//! Arrow's C data interface: arrays and streams in capsules.
#![allow(unsafe_code, reason = "what is in a capsule is C's")]

use super::arrow::raise;
use crate::calls::{attribute, method, text};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayRef, make_array};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

/// The array that an object gives with `__arrow_c_array__`, if it has that.
pub(super) fn array(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    let name = intern!(object.py(), "__arrow_c_array__");
    let Some(exported) = method(object, name)? else { return Ok(None) };
    let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) = exported.extract()?;
    let (schema, array) = (schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?);
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold these structures, filled as the interface says. The
    // array is moved out, which the capsule notices; the schema is read while its capsule lives.
    let (array, schema) = unsafe { (FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    if array.is_released() {
        let text = "the Arrow array was taken out of its capsule before: export it once more";
        return Err(PyValueError::new_err(text));
    }
    // SAFETY: the structures are those of one array, as the interface says.
    let data = unsafe { from_ffi(array, schema) };
    Ok(Some(make_array(data.map_err(raise)?)))
}

/// Refuses columns of polars whose elements are addresses of objects, which it exports as binaries.
pub(super) fn expect_values(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !object.get_type().module()?.to_str()?.starts_with("polars.") {
        return Ok(());
    }
    let py = object.py();
    let types = match attribute(object, intern!(py, "dtypes"))? {
        Some(types) => types,
        None => PyTuple::new(py, attribute(object, intern!(py, "dtype"))?)?.into_any(),
    };
    for of in types.try_iter()? {
        if text(&of?)?.extract::<&str>()? == "Object" {
            return Err(PyTypeError::new_err(
                "a column of objects holds no keys: give its to_list(), or cast it to integers, \
                 strings or binaries",
            ));
        }
    }
    Ok(())
}

/// The stream of arrays that an object gives with `__arrow_c_stream__`, if it has that.
pub(super) fn stream(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayStreamReader>> {
    let name = intern!(object.py(), "__arrow_c_stream__");
    let Some(capsule) = method(object, name)? else { return Ok(None) };
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let stream = stream.cast::<FFI_ArrowArrayStream>().as_ptr();
    // SAFETY: a capsule of this name holds this structure; it is moved out, which the capsule
    // notices.
    let reader = unsafe { ArrayStreamReader::from_raw(stream) };
    Ok(Some(reader.map_err(raise)?))
}
