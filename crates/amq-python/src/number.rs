//! Numbers as arguments: an error names the value.

use crate::long;
use crate::repr::{class_of, shown};
use amq::SipKey;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

/// A number of keys or bytes, or a seed: what has `__index__`, from 0 to 2^64 - 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Natural(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Natural {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = long::whole(&object)?;
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
