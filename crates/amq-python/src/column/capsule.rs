//! Arrow's C data interface: arrays, and streams of arrays, in capsules.
#![allow(unsafe_code, reason = "what is in a capsule is C's")]

use super::import::{imported, type_of, unread};
use crate::repr::{module_of, text};
use arrow_array::ArrayRef;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::DataType;
use pyo3::exceptions::{PyImportError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyString, PyTuple};
use std::ffi::CStr;

/// The array that an object gives with `__arrow_c_array__`, if it has that.
pub(super) fn array(object: &Bound<'_, PyAny>) -> PyResult<Option<ArrayRef>> {
    let name = intern!(object.py(), "__arrow_c_array__");
    let Some(exported) = exported(object, name)? else { return Ok(None) };
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
    imported(array, &type_of(schema)?).map(Some)
}

/// The array of pyarrow that an object makes of itself, as the arrays in columns of pandas do; None
/// if it does not, or pyarrow is not there.
pub(super) fn made<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    match exported(object, intern!(py, "__arrow_array__")) {
        Err(error) if error.is_instance_of::<PyImportError>(py) => Ok(None),
        made => made,
    }
}

/// The stream of arrays that an object gives with `__arrow_c_stream__`, if it has that.
pub(super) fn stream(object: &Bound<'_, PyAny>) -> PyResult<Option<Stream>> {
    let name = intern!(object.py(), "__arrow_c_stream__");
    let Some(capsule) = exported(object, name)? else { return Ok(None) };
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds this structure; it is moved out, which the capsule
    // notices.
    let stream =
        unsafe { FFI_ArrowArrayStream::from_raw(stream.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    Stream::new(stream).map(Some)
}

/// What an object exports with this method, if it has it. What another library says of its array
/// gets a way out.
fn exported<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let Some(export) = object.getattr_opt(name)? else { return Ok(None) };
    let error = match export.call0() {
        Ok(exported) => return Ok(Some(exported)),
        Err(error) => error,
    };
    let class = error.get_type(py);
    let refused = class.is(py.get_type::<PyValueError>())
        || class.is(py.get_type::<PyTypeError>())
        || class.is(py.get_type::<PyOverflowError>())
        || module_of(&class)?.to_string_lossy().starts_with("pyarrow.");
    if !refused {
        return Err(error);
    }
    let refused = PyTypeError::new_err(format!(
        "the array cannot be exported to Arrow ({}): give its to_list()",
        text(error.value(py))?
    ));
    refused.set_cause(py, Some(error));
    Err(refused)
}

/// Refuses queries of polars.
pub(super) fn expect_collected(object: &Bound<'_, PyAny>) -> PyResult<()> {
    match object.get_type().name()? == "LazyFrame" {
        true => Err(PyTypeError::new_err(
            "a LazyFrame is a query, and holds no keys: give its collect()",
        )),
        false => Ok(()),
    }
}

/// Refuses columns of polars whose elements are addresses of objects, which it exports as binaries.
pub(super) fn expect_values(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !module_of(&object.get_type())?.to_string_lossy().starts_with("polars.") {
        return Ok(());
    }
    let py = object.py();
    let types = match object.getattr_opt(intern!(py, "dtypes"))? {
        Some(types) => types,
        None => PyTuple::new(py, object.getattr_opt(intern!(py, "dtype"))?)?.into_any(),
    };
    for of in types.try_iter()? {
        if of?.str()?.to_str()? == "Object" {
            return Err(PyTypeError::new_err(
                "a column of objects holds no keys: give its to_list(), or cast it to integers, \
                 strings or binaries",
            ));
        }
    }
    Ok(())
}

/// Arrays of keys, to be read once.
pub(crate) struct Stream {
    stream: FFI_ArrowArrayStream,
    of: DataType,
}

impl Stream {
    /// Reads its schema alone.
    pub(super) fn new(mut stream: FFI_ArrowArrayStream) -> PyResult<Self> {
        let (Some(get), Some(_)) = (stream.get_schema(), stream.release()) else {
            return Err(unread(
                "the stream was taken out of its capsule before: export it once more",
            ));
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the function is that of the stream, which is not released, and fills the
        // structure.
        match unsafe { get(&raw mut stream, &raw mut schema) } {
            0 => Ok(Self { of: type_of(&schema)?, stream }),
            _ => Err(unread(&said(&mut stream))),
        }
    }

    /// The next array; `None` at the end. Without the interpreter, which the stream may take.
    pub(super) fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        let Some(get) = self.stream.get_next() else { return Ok(None) };
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as in `new`.
        if unsafe { get(&raw mut self.stream, &raw mut array) } != 0 {
            return Err(unread(&said(&mut self.stream)));
        }
        match array.is_released() {
            true => Ok(None),
            false => imported(array, &self.of).map(Some),
        }
    }
}

/// What a stream says of its last function, which failed.
fn said(stream: &mut FFI_ArrowArrayStream) -> String {
    let text = stream.get_last_error().map(|get| {
        // SAFETY: the function is that of the stream, which is not released. It returns NULL, or a
        // text that lives until the next call.
        unsafe {
            let text = get(stream);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        }
    });
    text.flatten().unwrap_or_else(|| "the stream does not say why".to_owned())
}
