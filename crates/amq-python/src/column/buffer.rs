//! Arrays of NumPy and others, through the buffer protocol.
#![allow(unsafe_code, reason = "elements are read where they lie, at any stride")]

use super::keys::Use;
use crate::encoding::Given;
use crate::interrupts::now_and_then;
use crate::key::is_named;
use crate::repr::text;
use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// A one-dimensional array of keys.
///
/// It is read without the interpreter. Whoever changes it meanwhile gets filters with some hash of
/// what was read, as with NumPy's own functions; its memory cannot go away.
pub(crate) struct Items {
    buffer: PyUntypedBuffer,
    item: Item,
    len: usize,
    stride: isize,
}

/// What an element is.
#[derive(Clone, Copy)]
enum Item {
    /// A byte: any but 0 is true.
    Truth,
    Integer {
        signed: bool,
        swapped: bool,
    },
    /// As many bytes; NumPy pads with zeros, and so takes those at the end for none of the key.
    Bytes,
    /// Characters of four bytes each, likewise.
    Text {
        swapped: bool,
    },
}

impl Items {
    /// The buffer that an object has, if it has one.
    pub(super) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Some(buffer) = buffer_of(object)? else { return Ok(None) };
        let item = Item::of(&buffer)?;
        let &[len] = buffer.shape() else { return Err(dimensions(buffer.dimensions())) };
        if buffer.suboffsets().is_some_and(|suboffsets| suboffsets.iter().any(|&to| to >= 0)) {
            return Err(PyValueError::new_err("an array of pointers: give a copy of it"));
        }
        let stride = buffer.strides()[0];
        let items = Self { buffer, item, len, stride };
        items.expect_text(object.py())?;
        Ok(Some(items))
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// What its elements are.
    pub(super) const fn given(&self) -> Given {
        match self.item {
            Item::Truth | Item::Integer { .. } => Given::INTEGERS,
            Item::Bytes => Given::BYTES,
            Item::Text { .. } => Given::TEXT,
        }
    }

    /// Where an element begins.
    fn element(&self, index: usize) -> *const u8 {
        assert!(index < self.len);
        let start = self.buffer.buf_ptr().cast_const().cast::<u8>();
        // SAFETY: the index is one of the array, whose elements lie at these places within one
        // object: the protocol says so, and `self.buffer` keeps it.
        unsafe { start.offset(index as isize * self.stride) }
    }

    /// The bytes of an element.
    fn bytes(&self, index: usize) -> &[u8] {
        // SAFETY: each element has as many bytes, and is kept by `self.buffer`. Should another
        // thread write there, any of both values is as good.
        unsafe { std::slice::from_raw_parts(self.element(index), self.buffer.item_size()) }
    }

    /// The integer of `N` bytes at an index, extended to 64 bits.
    #[inline(always)]
    fn integer<const N: usize>(&self, index: usize, signed: bool, swapped: bool) -> u64 {
        // SAFETY: an element of this type has so many bytes, at any alignment.
        let mut bytes = unsafe { self.element(index).cast::<[u8; N]>().read_unaligned() };
        if swapped != cfg!(target_endian = "big") {
            bytes.reverse();
        }
        let mut all = [0; 8];
        all[..N].copy_from_slice(&bytes);
        let unused = 64 - 8 * N as u32;
        let high = u64::from_le_bytes(all) << unused;
        if signed { (high.cast_signed() >> unused).cast_unsigned() } else { high >> unused }
    }

    /// Makes something of the keys from an index on.
    pub(super) fn make<V: Use>(&self, from: usize, what: V) -> V::Made<'_> {
        match (self.item, self.buffer.item_size()) {
            (Item::Truth, _) => {
                what.keys(move |row| self.bytes(from + row).iter().any(|&byte| byte != 0))
            }
            (Item::Integer { signed, swapped }, 1) => {
                what.keys(move |row| self.integer::<1>(from + row, signed, swapped))
            }
            (Item::Integer { signed, swapped }, 2) => {
                what.keys(move |row| self.integer::<2>(from + row, signed, swapped))
            }
            (Item::Integer { signed, swapped }, 4) => {
                what.keys(move |row| self.integer::<4>(from + row, signed, swapped))
            }
            // Of these the sign makes no difference.
            (Item::Integer { swapped: false, .. }, 8) => what.keys(move |row| {
                // SAFETY: an element has so many bytes, at any alignment.
                unsafe { self.element(from + row).cast::<u64>().read_unaligned() }
            }),
            (Item::Integer { signed, swapped }, _) => {
                what.keys(move |row| self.integer::<8>(from + row, signed, swapped))
            }
            (Item::Bytes, _) => what.keys(move |row| {
                let bytes = self.bytes(from + row);
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                &bytes[..end]
            }),
            (Item::Text { swapped }, _) => what.keys(move |row| {
                let text = characters(self.bytes(from + row), swapped).map_while(Result::ok);
                text.collect::<String>()
            }),
        }
    }

    /// Looks for what is no character: half of a surrogate pair, which has no UTF-8.
    fn expect_text(&self, py: Python<'_>) -> PyResult<()> {
        let Item::Text { swapped } = self.item else { return Ok(()) };
        for index in 0..self.len {
            now_and_then(py, index)?;
            if let Some(code) = characters(self.bytes(index), swapped).find_map(Result::err) {
                return Err(PyValueError::new_err(format!(
                    "element {index} has the code point {code:#x}, which is no character and \
                     has no UTF-8: encode the texts yourself, and give the bytes"
                )));
            }
        }
        Ok(())
    }
}

/// The characters of an element without the zeros at its end, or what is none.
fn characters(bytes: &[u8], swapped: bool) -> impl Iterator<Item = Result<char, u32>> {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last / 4 + 1);
    bytes.chunks_exact(4).take(end).map(move |code| {
        let mut four = [0; 4];
        four.copy_from_slice(code);
        let code = u32::from_ne_bytes(four);
        let code = if swapped { code.swap_bytes() } else { code };
        char::from_u32(code).ok_or(code)
    })
}

impl Item {
    /// What the elements of this format are; see Python's module `struct`.
    fn of(buffer: &PyUntypedBuffer) -> PyResult<Self> {
        let format = buffer.format().to_string_lossy();
        let order = format.chars().next().filter(|order| "@=<>!".contains(*order));
        let swapped = match order {
            Some('>' | '!') => cfg!(target_endian = "little"),
            Some('<') => cfg!(target_endian = "big"),
            _ => false,
        };
        let code = format.trim_start_matches(|c: char| "@=<>!".contains(c));
        let size = buffer.item_size();
        match code.trim_start_matches(|c: char| c.is_ascii_digit()) {
            "b" | "h" | "i" | "l" | "q" | "n" if matches!(size, 1 | 2 | 4 | 8) => {
                Ok(Self::Integer { signed: true, swapped })
            }
            "?" => Ok(Self::Truth),
            "B" | "H" | "I" | "L" | "Q" | "N" if matches!(size, 1 | 2 | 4 | 8) => {
                Ok(Self::Integer { signed: false, swapped })
            }
            "s" => Ok(Self::Bytes),
            "w" if size.is_multiple_of(4) => Ok(Self::Text { swapped }),
            "e" | "f" | "d" | "g" => Err(PyTypeError::new_err(
                "an array of floats holds no keys: decide what -0.0 and nan are, then give its \
                 view('u8'), or its integers",
            )),
            "O" => Err(PyTypeError::new_err(
                "an array of objects is not read: give its tolist(), or an array of Arrow",
            )),
            _ => Err(PyTypeError::new_err(format!(
                "an array of the format {format:?} holds no keys: give one of integers or bytes, \
                 or its tolist()"
            ))),
        }
    }
}

/// Refuses the arrays that NumPy does not lend, with a way out.
fn expect_lent(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if is_named(&object.get_type(), "numpy.ma", "MaskedArray")? {
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
