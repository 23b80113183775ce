//! Calls that run code of Python, from which a thread may never come back.
//!
//! An interpreter that ends also ends the daemon threads that are left, where they next wait for
//! its lock: in the midst of a generator, or of the caller's hash function. CPython before 3.14
//! does that by unwinding the thread's stack, which functions of Rust are not made for: they would
//! drop what they hold without the interpreter, and then abort the process. A thread that is
//! unwound stays here instead until the process is gone, as it does in CPython 3.14; pyo3 does the
//! same where a thread takes the lock back.
#![allow(unsafe_code, reason = "pyo3 declares that no function of Python unwinds")]

use pyo3::exceptions::PyAttributeError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::ffi::{CStr, c_char, c_int};
use std::hint::black_box;
use std::{mem, ptr, thread};

/// Keeps a thread that is unwound while it has this.
struct Stay;

impl Drop for Stay {
    fn drop(&mut self) {
        loop {
            thread::park();
        }
    }
}

/// Calls what unwinds the thread or returns.
#[inline(always)]
fn staying<T>(call: impl FnOnce() -> T) -> T {
    let stay = Stay;
    let returned = call();
    mem::forget(stay);
    returned
}

/// A function of Python as one that may unwind. The compiler does not see which one it is: it would
/// go by the function's declaration.
macro_rules! unwinding {
    ($function:path as fn($($argument:tt)*) -> $returned:ty) => {{
        type Declared = unsafe extern "C" fn($($argument)*) -> $returned;
        type Unwinding = unsafe extern "C-unwind" fn($($argument)*) -> $returned;
        // SAFETY: the types differ in nothing but whether the function of C may unwind.
        black_box(unsafe { mem::transmute::<Declared, Unwinding>($function) })
    }};
}

/// What is returned by a call of Python.
///
/// # Safety
///
/// The thread is attached, and the call returns a new reference, or NULL with an exception.
#[inline(always)]
unsafe fn returned<'py>(
    py: Python<'py>,
    call: impl FnOnce() -> *mut PyObject,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller says so.
    unsafe { Bound::from_owned_ptr_or_err(py, staying(call)) }
}

/// What a function returns, with one argument or with none.
#[inline]
pub(crate) fn call<'py>(
    function: &Bound<'py, PyAny>,
    argument: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let call =
        unwinding!(ffi::PyObject_CallFunctionObjArgs as fn(*mut PyObject, ...) -> *mut PyObject);
    let argument = argument.map_or(ptr::null_mut(), Bound::as_ptr);
    let end = ptr::null_mut::<PyObject>();
    // SAFETY: the objects live, and NULL ends the arguments.
    unsafe { returned(function.py(), || call(function.as_ptr(), argument, end)) }
}

/// An attribute, which may be a property; `None` if there is none.
pub(crate) fn attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, get) = (
        object.py(),
        unwinding!(ffi::PyObject_GetAttr as fn(*mut PyObject, *mut PyObject) -> *mut PyObject),
    );
    // SAFETY: the objects live.
    match unsafe { returned(py, || get(object.as_ptr(), name.as_ptr())) } {
        Err(error) if error.is_instance_of::<PyAttributeError>(py) => Ok(None),
        got => got.map(Some),
    }
}

/// Functions of one object.
macro_rules! unary {
    ($(
        $(#[$doc:meta])*
        $name:ident: $function:path;
    )*) => {$(
        $(#[$doc])*
        pub(crate) fn $name<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
            let function = unwinding!($function as fn(*mut PyObject) -> *mut PyObject);
            // SAFETY: the object lives.
            unsafe { returned(object.py(), || function(object.as_ptr())) }
        }
    )*};
}

unary! {
    /// The module of this name, which may have to be loaded.
    import: ffi::PyImport_Import;
    /// The integer that an object stands for.
    index: ffi::PyNumber_Index;
    /// What goes through the elements of an object.
    iterator: ffi::PyObject_GetIter;
    /// What `str` makes of an object.
    text: ffi::PyObject_Str;
}

/// What a method without arguments returns; `None` if there is no such method.
pub(crate) fn method<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    attribute(object, name)?.map(|method| call(&method, None)).transpose()
}

/// The number of elements, if an object says it.
pub(crate) fn len(object: &Bound<'_, PyAny>) -> Option<usize> {
    let len = unwinding!(ffi::PyObject_Size as fn(*mut PyObject) -> isize);
    // SAFETY: the object lives, and the thread is attached; without a length there is an exception.
    let len = staying(|| unsafe { len(object.as_ptr()) });
    usize::try_from(len).inspect_err(|_| drop(PyErr::take(object.py()))).ok()
}

/// Warns where the caller stands.
pub(crate) fn warn(category: &Bound<'_, PyAny>, text: &CStr) -> PyResult<()> {
    let py = category.py();
    let warn = unwinding!(ffi::PyErr_WarnEx as fn(*mut PyObject, *const c_char, isize) -> c_int);
    // SAFETY: the object and the text live, and the thread is attached; unless 0 is returned, there
    // is an exception.
    match staying(|| unsafe { warn(category.as_ptr(), text.as_ptr(), 1) }) {
        0 => Ok(()),
        _ => PyErr::take(py).map_or(Ok(()), Err),
    }
}

/// An iterator, over what Python iterates over.
pub(crate) struct Walk<'py> {
    iterator: Bound<'py, PyAny>,
    next: unsafe extern "C-unwind" fn(*mut PyObject) -> *mut PyObject,
}

impl<'py> Walk<'py> {
    pub(crate) fn over(object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let next = unwinding!(ffi::PyIter_Next as fn(*mut PyObject) -> *mut PyObject);
        Ok(Self { iterator: iterator(object)?, next })
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.iterator.py()
    }
}

impl<'py> Iterator for Walk<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: the iterator lives, and the thread is attached; a new reference is returned, or
        // NULL with an exception, or without one at the end.
        unsafe {
            let item = staying(|| (self.next)(self.iterator.as_ptr()));
            match Bound::from_owned_ptr_or_opt(self.py(), item) {
                Some(item) => Some(Ok(item)),
                None => PyErr::take(self.py()).map(Err),
            }
        }
    }
}
