//! `add` without what pyo3 does around each call: for the keys and filters of most calls.
//!
//! Python hands over one argument as it is (`METH_O`), where pyo3 takes a slice of them, matches it
//! with names, and counts that the thread is attached: more than the insertion itself. Each class
//! has its own method, since Python's quickest way of calling is for those of the very class.
#![allow(unsafe_code, reason = "a method that Python calls as one of C")]

use crate::insert::InsertFilter;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// The method that pyo3 makes, for all other calls.
static ADD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Gives a class its own `add`, if it inherits one.
pub(crate) fn give_add(class: &Bound<'_, PyType>) -> PyResult<()> {
    let py = class.py();
    if !class.is_subclass_of::<InsertFilter>()? {
        return Ok(());
    }
    let general = ADD
        .get_or_try_init(py, || py.get_type::<InsertFilter>().getattr("add").map(Bound::unbind))?;
    let general = general.bind(py);
    let text = format!(
        "add{}\n--\n\n{}",
        general.getattr("__text_signature__")?,
        general.getattr("__doc__")?
    );
    // Methods of C keep their texts for ever, as this module does.
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"add".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: add },
        ml_flags: ffi::METH_O,
        ml_doc: CString::new(text)?.into_raw(),
    }));
    // SAFETY: the class lives, the definition for ever, and a new reference or NULL is returned.
    let method = unsafe {
        let method = ffi::PyDescr_NewMethod(class.as_type_ptr(), method);
        Bound::from_owned_ptr_or_err(py, method)?
    };
    class.setattr("add", method)
}

/// `add`, called by Python.
unsafe extern "C" fn add(slf: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with its lock held, or attached; with live objects, and with `slf`
    // of the class that the method is of, which derives from `InsertFilter`.
    let added = catch_unwind(AssertUnwindSafe(|| unsafe {
        let py = Python::assume_attached();
        let slf = Borrowed::from_ptr(py, slf).cast_unchecked::<InsertFilter>();
        let key = Borrowed::from_ptr(py, key);
        InsertFilter::add_another(&slf, &key)
    }));
    // SAFETY: as above; both are objects that live for ever.
    unsafe {
        match added {
            Ok(Some(new)) => ffi::PyBool_FromLong(new.into()),
            // A panic, too: it is told by pyo3, should it come again.
            Ok(None) | Err(_) => add_in_general(slf, key),
        }
    }
}

/// # Safety
///
/// As of a method that Python calls.
#[cold]
unsafe fn add_in_general(slf: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached, and the objects live. The method was made before this one.
    unsafe {
        let py = Python::assume_attached();
        match ADD.get(py) {
            Some(add) => ffi::PyObject_CallFunctionObjArgs(
                add.as_ptr(),
                slf,
                key,
                ptr::null_mut::<ffi::PyObject>(),
            ),
            None => ptr::null_mut(),
        }
    }
}
