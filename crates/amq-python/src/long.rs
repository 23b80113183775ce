//! Python's integers as 64 bits, without an exception where they are longer or none.
#![allow(unsafe_code, reason = "the safe conversions make an exception where this says no")]

use pyo3::ffi::PyLong_AsLongLongAndOverflow;
use pyo3::ffi::{PyIndex_Check, PyNumber_Index, PySequence_Check};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use std::ffi::c_int;

/// The integer in two's complement of 64 bits; `None` unless it lies from -2^63 to 2^64 - 1.
#[inline]
pub(crate) fn short(number: &Bound<'_, PyInt>) -> Option<u64> {
    let mut overflow: c_int = 0;
    // SAFETY: the pointer is that of a live object, the thread is attached, and the object is an
    // `int`, so that no exception is set: too long ones are told by `overflow`.
    let value = unsafe { PyLong_AsLongLongAndOverflow(number.as_ptr(), &raw mut overflow) };
    match overflow {
        0 => Some(value as u64),
        1 => number.extract().ok(),
        _ => None,
    }
}

/// The lowest 64 bits of an integer; `None` if it has more than 128.
#[inline]
pub(crate) fn lowest(number: &Bound<'_, PyInt>) -> Option<u64> {
    let long = || match number.extract::<i128>() {
        Ok(bits) => Some(bits as u64),
        Err(_) => number.extract::<u128>().ok().map(|bits| bits as u64),
    };
    short(number).or_else(long)
}

/// What an object has as `__index__`, such as an integer of NumPy; `None` of what has none, and of
/// sequences, such as an array of one element.
pub(crate) fn index<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    // SAFETY: the pointer is that of a live object, and the thread is attached.
    match unsafe { PySequence_Check(object.as_ptr()) } {
        1 => Ok(None),
        _ => whole(object),
    }
}

/// The same, but sequences may be integers, too. What `__index__` raises is passed on.
pub(crate) fn whole<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    let object_ptr = object.as_ptr();
    // SAFETY: the pointer is that of a live object, and the thread is attached; a new reference is
    // returned, or NULL with an exception.
    let number = unsafe {
        if PyIndex_Check(object_ptr) == 0 {
            return Ok(None);
        }
        Bound::from_owned_ptr_or_err(object.py(), PyNumber_Index(object_ptr))?
    };
    Ok(Some(number.cast_into()?))
}
