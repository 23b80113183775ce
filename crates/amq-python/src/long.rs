//! Python's integers as 64 bits, without an exception where they are longer.
#![allow(unsafe_code, reason = "the safe conversion makes an exception for each long integer")]

use pyo3::ffi::{PyErr_Clear, PyErr_Occurred};
use pyo3::ffi::{PyLong_AsLongLongAndOverflow, PyLong_AsUnsignedLongLong};
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
        1 => unsigned(number),
        _ => None,
    }
}

/// A positive integer of 64 bits.
fn unsigned(number: &Bound<'_, PyInt>) -> Option<u64> {
    // SAFETY: as above; the exception for a longer integer is cleared before anyone else sees it.
    unsafe {
        let value = PyLong_AsUnsignedLongLong(number.as_ptr());
        if value == u64::MAX && !PyErr_Occurred().is_null() {
            PyErr_Clear();
            return None;
        }
        Some(value)
    }
}
