//! Numbers: as arguments, where an error names the value; and as 64 bits, without an exception
//! where they are longer or none.
#![allow(unsafe_code, reason = "the safe conversions make an exception where this says no")]

use crate::repr::{class_of, shown};
use amq::SipKey;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi::{PyIndex_Check, PyLong_AsLongLongAndOverflow, PyNumber_Index, PySequence_Check};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use std::ffi::c_int;

/// A number of keys or bytes, or a seed: what has `__index__`, from 0 to 2^64 - 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Natural(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Natural {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = whole(&object)?;
        if let Some(number) = number.as_ref().and_then(|number| number.extract().ok()) {
            return Ok(Self(number));
        }
        let shown = shown(&object)?;
        if object.is_instance_of::<PyFloat>() {
            let text = format!("{shown} is a float: write int({shown}), or 10**6 for 1e6");
            return Err(PyTypeError::new_err(text));
        }
        match number {
            None => Err(PyTypeError::new_err(format!("{shown} is no whole number"))),
            Some(_) => {
                let text = format!("{shown} is out of range: from 0 to 2**64 - 1");
                Err(PyValueError::new_err(text))
            }
        }
    }
}

/// A rate, or a number of bits: what has `__float__` or `__index__`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real(pub(crate) f64);

impl<'py> FromPyObject<'_, 'py> for Real {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (error, py) = match object.extract() {
            Ok(number) => return Ok(Self(number)),
            Err(error) => (error, object.py()),
        };
        Err(if error.is_instance_of::<PyTypeError>(py) {
            PyTypeError::new_err(format!("{} is no number, such as 0.01", shown(&object)?))
        } else if error.is_instance_of::<PyOverflowError>(py) {
            PyValueError::new_err(format!("{} is too large for a float", shown(&object)?))
        } else {
            error
        })
    }
}

/// The secret of a keyed filter: 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SecretKey(pub(crate) SipKey);

impl<'py> FromPyObject<'_, 'py> for SecretKey {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(bytes) = object.extract::<Vec<u8>>() else {
            let text = format!("a key is 16 bytes, and no {}", class_of(&object)?);
            return Err(PyTypeError::new_err(text));
        };
        match <[u8; 16]>::try_from(bytes) {
            // No filter is saved under it.
            Ok(bytes) if bytes == [0; 16] => Err(PyValueError::new_err(
                "a key of zeros is no secret: secrets.token_bytes(16) makes one",
            )),
            Ok(bytes) => Ok(Self(SipKey::new(bytes))),
            // Its length alone: it is a secret.
            Err(other) => Err(PyValueError::new_err(format!(
                "a key has 16 bytes, not {}: secrets.token_bytes(16) makes one",
                other.len()
            ))),
        }
    }
}

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
