//! Objects of Python in texts, and a filter in a notebook.
//!
//! In CPython `repr` and `str` hear signals, whatever the object: an exception of them can be that
//! of a handler, such as KeyboardInterrupt. So it is passed on, where `Display` would drop it.

use crate::filter::Filter;
use amq::Stats;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// An object as Python shows it.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.repr()?.to_string_lossy().into_owned())
}

/// An object as text, such as that of an exception.
pub(crate) fn text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.str()?.to_string_lossy().into_owned())
}

/// The name of an object's class.
pub(crate) fn class_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.get_type().name()?.to_string_lossy().into_owned())
}

/// The name of the module of a class; empty if there is no such text.
pub(crate) fn module_of<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyString>> {
    let py = class.py();
    let module = class.getattr_opt(intern!(py, "__module__"))?;
    let named = module.and_then(|module| module.cast_into::<PyString>().ok());
    Ok(named.unwrap_or_else(|| intern!(py, "").clone()))
}

#[pymethods]
impl Filter {
    /// What Jupyter shows: a bar of the keys that are in out of those planned for, and the numbers.
    fn _repr_html_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let class = class_of(slf)?;
        let state = slf.get().read(slf.py());
        Ok(html(&class, &state.stats(), &state.described()))
    }
}

fn html(class: &str, stats: &Stats, text: &str) -> String {
    let share = match stats.capacity {
        0 => 0.0,
        capacity => stats.len as f64 / capacity as f64,
    };
    let (width, colour) = match share {
        past if past > 1.0 => (100.0, "#c0392b"),
        share => (share * 100.0, "#2e7d5b"),
    };
    let text = text.split_once(": ").map_or(text, |(_, numbers)| numbers);
    format!(
        "<div><b>amq.{class}</b>\
         <div role=\"meter\" aria-valuemin=\"0\" aria-valuemax=\"100\" aria-valuenow=\"{width:.0}\" \
         style=\"width:20em;height:.6em;background:#8884;border-radius:.3em\">\
         <div style=\"width:{width:.1}%;height:100%;background:{colour};border-radius:.3em\"></div>\
         </div><small>{text}</small></div>"
    )
}
