//! A filter that stays in its file.

use crate::filter::Filter;
use pyo3::prelude::*;

/// A filter of any kind that stays in its file, from amq.open. It can be asked, and not changed.
#[pyclass(frozen, extends = Filter, module = "amq")]
#[derive(Debug)]
pub(crate) struct FilterView;

#[pymethods]
impl FilterView {
    /// The name of the filter's kind.
    #[getter]
    fn kind(slf: &Bound<'_, Self>) -> &'static str {
        slf.as_super().get().read(slf.py()).filter().kind().id()
    }
}
