//! Arrays of NumPy and others, through the buffer protocol.
#![allow(unsafe_code, reason = "integers are read where they lie")]

use super::import::unread;
use crate::data::expect_room;
use crate::repr::{module_of, text};
use arrow_array::{ArrayRef, BooleanArray, LargeBinaryArray, LargeStringArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer};
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

/// A one-dimensional array of keys, as arrays of Arrow. Integers that lie behind one another are
/// read where they are, and others copied, piece by piece.
///
/// It is read without the interpreter. Whoever changes it meanwhile gets filters with some hash of
/// what was read, as with NumPy's own functions; its memory cannot go away.
pub(super) struct Items {
    buffer: Arc<PyUntypedBuffer>,
    /// What an element is. Of bytes and text NumPy pads with zeros, and so takes those at the end
    /// for none of the key. A character has four bytes, and a byte that is not 0 is true.
    of: DataType,
    /// Whether elements are in the other byte order.
    swapped: bool,
    len: usize,
    at: usize,
}

/// Elements that are copied at once.
const PIECE: usize = 1 << 16;

impl Items {
    /// The buffer that an object has, if it has one.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Some(buffer) = buffer_of(object)? else { return Ok(None) };
        let (of, swapped) = type_of(&buffer)?;
        let &[len] = buffer.shape() else { return Err(dimensions(buffer.dimensions())) };
        if buffer.suboffsets().is_some_and(|suboffsets| suboffsets.iter().any(|&to| to >= 0)) {
            return Err(PyValueError::new_err("an array of pointers: give a copy of it"));
        }
        let mut items = Self { buffer: Arc::new(buffer), of, swapped, len, at: 0 };
        if items.of == DataType::LargeUtf8 {
            // A text that is none changes nothing.
            while items.next()?.is_some() {
                object.py().check_signals()?;
            }
            items.at = 0;
        }
        Ok(Some(items))
    }

    /// The next elements; `None` at the end.
    pub(super) fn next(&mut self) -> PyResult<Option<ArrayRef>> {
        let (size, start) = (self.buffer.item_size(), self.at);
        let lent = self.lent();
        let len = if lent.is_some() { self.len } else { PIECE.min(self.len - start) };
        if start == self.len {
            return Ok(None);
        }
        self.at += len;
        let data = lent.map_or_else(|| self.copied(start, len), Ok)?;
        let element = |row: usize| &data[row * size..][..size];
        // Without its last zeros.
        let key = |row: usize| {
            let element = element(row);
            &element[..element.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)]
        };
        expect_room(data.len() as u64)?;
        Ok(Some(match &self.of {
            DataType::Boolean => {
                let truths = BooleanBuffer::collect_bool(len, |row| !key(row).is_empty());
                Arc::new(BooleanArray::new(truths, None))
            }
            DataType::LargeBinary => {
                Arc::new(LargeBinaryArray::from_iter_values((0..len).map(key)))
            }
            DataType::LargeUtf8 => {
                let text = |row| {
                    let end = key(row).len().next_multiple_of(4);
                    let codes = element(row)[..end].chunks_exact(4);
                    codes.map(|code| character(code, start + row)).collect::<PyResult<String>>()
                };
                let texts = (0..len).map(text).collect::<PyResult<Vec<_>>>()?;
                Arc::new(LargeStringArray::from_iter_values(texts))
            }
            integers => {
                let array = ArrayDataBuilder::new(integers.clone()).len(len).add_buffer(data);
                make_array(array.build().map_err(|error| unread(&error.to_string()))?)
            }
        }))
    }

    /// All bytes, where they lie; `None` if they are not integers of this machine, one behind the
    /// other.
    fn lent(&self) -> Option<Buffer> {
        let (buffer, size) = (&self.buffer, self.buffer.item_size());
        let start = NonNull::new(buffer.buf_ptr().cast::<u8>())?;
        let lies = buffer.is_c_contiguous() && start.addr().get().is_multiple_of(size.max(1));
        if !lies || self.swapped || !self.of.is_integer() {
            return None;
        }
        // SAFETY: the protocol says that there are so many bytes, which the buffer keeps.
        let lent =
            |owner| unsafe { Buffer::from_custom_allocation(start, buffer.len_bytes(), owner) };
        Some(lent(Arc::clone(buffer) as _))
    }

    /// The bytes of some elements, one behind the other and in the order of this machine.
    fn copied(&self, from: usize, len: usize) -> PyResult<Buffer> {
        let (size, stride) = (self.buffer.item_size(), self.buffer.strides()[0]);
        let start = self.buffer.buf_ptr().cast_const().cast::<u8>();
        expect_room((len * size) as u64)?;
        let mut copy = MutableBuffer::new(len * size);
        for index in from..from + len {
            // SAFETY: the index is one of the array, whose elements lie at these places within one
            // object: the protocol says so, and `self.buffer` keeps it. Should another thread write
            // there, any of both values is as good.
            copy.extend_from_slice(unsafe {
                slice::from_raw_parts(start.offset(index as isize * stride), size)
            });
        }
        if self.swapped {
            let unit = match self.of {
                DataType::LargeUtf8 => 4,
                DataType::LargeBinary | DataType::Boolean => 1,
                _ => size,
            };
            copy.as_slice_mut().chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
        Ok(copy.into())
    }
}

/// Refuses what is no character: half of a surrogate pair, which has no UTF-8.
fn character(code: &[u8], row: usize) -> PyResult<char> {
    let code = u32::from_ne_bytes(code.try_into().unwrap_or_default());
    char::from_u32(code).ok_or_else(|| {
        PyValueError::new_err(format!(
            "element {row} has the code point {code:#x}, which is no character and has no UTF-8: \
             encode the texts yourself, and give the bytes"
        ))
    })
}

/// What the elements of a buffer are by its format, and whether they are in the other byte order;
/// see Python's module `struct`.
fn type_of(buffer: &PyUntypedBuffer) -> PyResult<(DataType, bool)> {
    let format = buffer.format().to_string_lossy();
    let swapped = match format.chars().next() {
        Some('>' | '!') => cfg!(target_endian = "little"),
        Some('<') => cfg!(target_endian = "big"),
        _ => false,
    };
    let code = format.trim_start_matches(|c: char| "@=<>!".contains(c));
    let code = code.trim_start_matches(|c: char| c.is_ascii_digit());
    let signed = matches!(code, "b" | "h" | "i" | "l" | "q" | "n");
    let of = match (code, buffer.item_size()) {
        (_, 1) if signed => DataType::Int8,
        (_, 2) if signed => DataType::Int16,
        (_, 4) if signed => DataType::Int32,
        (_, 8) if signed => DataType::Int64,
        ("B" | "H" | "I" | "L" | "Q" | "N", 1) => DataType::UInt8,
        ("B" | "H" | "I" | "L" | "Q" | "N", 2) => DataType::UInt16,
        ("B" | "H" | "I" | "L" | "Q" | "N", 4) => DataType::UInt32,
        ("B" | "H" | "I" | "L" | "Q" | "N", 8) => DataType::UInt64,
        ("?", _) => DataType::Boolean,
        ("s", _) => DataType::LargeBinary,
        ("w", size) if size.is_multiple_of(4) => DataType::LargeUtf8,
        _ => {
            return Err(PyTypeError::new_err(match code {
                "e" | "f" | "d" | "g" => "an array of floats holds no keys: decide what -0.0 and \
                                          nan are, then give its view('u8'), or its integers"
                    .to_owned(),
                "O" => "an array of objects is not read: give its tolist(), or an array of Arrow"
                    .to_owned(),
                _ => format!(
                    "an array of the format {format:?} holds no keys: give one of integers or \
                     bytes, or its tolist()"
                ),
            }));
        }
    };
    Ok((of, swapped))
}

/// Refuses the arrays that NumPy does not lend, with a way out.
fn expect_lent(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let class = object.get_type();
    // (pyo3 writes the whole name with `str`, which hears signals, and drops what these raise.)
    if class.name()? == "MaskedArray" && module_of(&class)? == "numpy.ma" {
        let text = "a masked array lends the masked elements, too: give its compressed()";
        return Err(PyTypeError::new_err(text));
    }
    let py = object.py();
    let Some(dtype) = object.getattr_opt(intern!(py, "dtype"))? else { return Ok(()) };
    let Some(kind) = dtype.getattr_opt(intern!(py, "kind"))? else { return Ok(()) };
    match kind.extract::<char>() {
        Ok('M' | 'm') => Err(PyTypeError::new_err(format!(
            "an array of {} holds no keys: decide on a unit and a time zone, then give its \
             view('i8'), or its texts, astype('U')",
            text(&dtype)?
        ))),
        Ok('T') => Err(PyTypeError::new_err(
            "an array of StringDType is not lent: give its tolist(), or its astype('U')",
        )),
        _ => Ok(()),
    }
}

fn dimensions(number: usize) -> PyErr {
    let text = format!("an array of {number} dimensions: give its ravel(), or a list of one key");
    PyValueError::new_err(text)
}

/// Whether an object has a buffer.
pub(super) fn has(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the pointer is that of a live object.
    unsafe { pyo3::ffi::PyObject_CheckBuffer(object.as_ptr()) == 1 }
}

/// Refuses an array of several dimensions or of none, if it says how many it has.
pub(super) fn expect_one_dimension(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let number = object.getattr_opt(intern!(object.py(), "ndim"))?;
    match number.and_then(|number| number.extract().ok()) {
        None | Some(1) => Ok(()),
        Some(number) => Err(dimensions(number)),
    }
}

/// The buffer of an object; `None` if it has none.
fn buffer_of(object: &Bound<'_, PyAny>) -> PyResult<Option<PyUntypedBuffer>> {
    if !has(object) {
        return Ok(None);
    }
    expect_lent(object)?;
    // One without a dimension has no shape, which is taken for an error.
    expect_one_dimension(object)?;
    match PyUntypedBuffer::get(object) {
        // One that does not say where its elements lie, such as an array of ctypes: a view does.
        Err(error) if error.is_instance_of::<PyBufferError>(object.py()) => {
            let view = PyMemoryView::from(object).map_err(|_| error)?;
            expect_one_dimension(&view)?;
            PyUntypedBuffer::get(&view).map(Some)
        }
        buffer => buffer.map(Some),
    }
}
