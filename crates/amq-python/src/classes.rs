//! A class for each kind, made from the facade's table.
//!
//! Each has its own `add` without what pyo3 does around each call, for the keys and filters of most
//! calls. Python hands over one argument as it is (`METH_O`), where pyo3 takes a slice of them,
//! matches it with names, and counts that the thread is attached: more than the insertion itself.
//! Each class has its own since Python's quickest way of calling is for methods of the very class.
#![allow(unsafe_code, reason = "classes and methods are made while the program runs")]

use crate::filter::{Filter, StaticFilter};
use crate::hashing::Hashing;
use crate::insert::{InsertFilter, RemoveFilter};
use crate::state::Content;
use amq::{Abilities, AnyFile, AnyFilter, FilterKind};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

/// What the constructors take.
pub(crate) const ARGUMENTS: &str = "(capacity, fpr=0.01, hash_func=None, *, bits_per_key=None, \
                                    bytes=None, seed=None, key=None)";

/// Adds the classes to the module, each with its kind's own words. What a kind does with keys
/// chooses its base.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    for &kind in AnyFilter::KINDS {
        let (name, can) = (name_of(kind), Abilities::of(kind));
        let (base, arguments) = match (can.build_only, can.remove) {
            (true, _) => (py.get_type::<StaticFilter>(), String::new()),
            (_, true) => (py.get_type::<RemoveFilter>(), format!("{name}{ARGUMENTS}\n--\n\n")),
            (_, false) => (py.get_type::<InsertFilter>(), format!("{name}{ARGUMENTS}\n--\n\n")),
        };
        let class = class(&base, name, &format!("{arguments}{}{HOW}", kind.about()))?;
        class.setattr("kind", kind.id())?;
        give_add(&class)?;
        module.add(name, class)?;
    }
    Ok(())
}

/// A class that adds nothing to its base, and has no subclasses.
fn class<'py>(base: &Bound<'py, PyType>, name: &str, doc: &str) -> PyResult<Bound<'py, PyType>> {
    let (name, doc) = (CString::new(format!("amq.{name}"))?, CString::new(doc)?);
    let mut slots = [
        ffi::PyType_Slot { slot: ffi::Py_tp_doc, pfunc: doc.as_ptr().cast_mut().cast() },
        ffi::PyType_Slot { slot: 0, pfunc: ptr::null_mut() },
    ];
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: 0,
        itemsize: 0,
        flags: ffi::Py_TPFLAGS_DEFAULT as _,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the texts are copied, the slots end with 0, and a size of 0 is that of the base. A
    // new reference or NULL is returned.
    let class = unsafe {
        let class = ffi::PyType_FromSpecWithBases(&raw mut spec, base.as_ptr());
        Bound::from_owned_ptr_or_err(base.py(), class)?
    };
    Ok(class.cast_into()?)
}

/// What is in a file, as an object of its kind's class.
pub(crate) fn instance(
    py: Python<'_>,
    hashing: Hashing,
    file: AnyFile,
) -> PyResult<Bound<'_, PyAny>> {
    let kind = file.filter().kind();
    let base = PyClassInitializer::from(Filter::new(hashing, Content::File(file)));
    let can = Abilities::of(kind);
    let object = match (can.build_only, can.remove) {
        (true, _) => Bound::new(py, base.add_subclass(StaticFilter))?.into_any(),
        (_, true) => {
            let base = base.add_subclass(InsertFilter);
            Bound::new(py, base.add_subclass(RemoveFilter))?.into_any()
        }
        (_, false) => Bound::new(py, base.add_subclass(InsertFilter))?.into_any(),
    };
    object.setattr("__class__", py.import("amq._amq")?.getattr(name_of(kind))?)?;
    Ok(object)
}

/// The name of a kind's class: that of its type in Rust.
fn name_of(kind: FilterKind) -> &'static str {
    AnyFilter::names(kind).map_or(kind.id(), |(_, name)| name)
}

/// Goes behind the words about a kind.
const HOW: &str = "\n\n\
    capacity is the number of keys planned for. What limits the size is one of fpr, the \
    false-positive\nrate with so many keys (0.01), bits_per_key and bytes. Bytes of little use are \
    left: ask for a\nrate instead.\n\n\
    Keys are str, bytes, int, bool and tuples of them, and have the same bits in every process and \
    in\nRust. Other objects take hash_func, a function that returns an integer of 64 evenly \
    distributed\nbits. seed replaces the public one; key, 16 secret bytes, makes a filter that \
    withstands\nstrangers who choose the keys.";

/// The method that pyo3 makes, for all other calls.
static ADD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Gives a class its own `add`, if it inherits one.
fn give_add(class: &Bound<'_, PyType>) -> PyResult<()> {
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
