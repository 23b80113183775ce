//! Streams of Arrow: arrays, one after the other.
#![allow(unsafe_code, reason = "the functions of a stream are C's")]

use super::import::{imported, type_of, unread};
use arrow_array::ArrayRef;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::DataType;
use pyo3::prelude::*;
use std::ffi::CStr;

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
