//! Asking a filter for many keys, and copying it.

use crate::answers;
use crate::classes;
use crate::data::{expect_room, is_large};
use crate::filter::Filter;
use crate::many::Many;
use pyo3::prelude::*;

#[pymethods]
impl Filter {
    /// Whether each of many keys is probably in: an array of bools, in the order of the keys.
    ///
    /// The keys are an array (NumPy, Arrow, pandas, polars) or any iterable. The answers are a
    /// NumPy array if NumPy is there, and a memoryview of bools if not. Nulls of Arrow are not in.
    ///
    /// >>> from amq import BloomFilter
    /// >>> seen = BloomFilter(1000)
    /// >>> seen.update(["alice", "bob"])
    /// 2
    /// >>> seen.contains(["bob", "mallory"]).tolist()
    /// [True, False]
    fn contains<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let answers = Many::of(keys, &self.hashing)?.contained_in(self)?;
        answers::bools(keys.py(), &answers)
    }

    /// A filter of its own with the same keys.
    fn copy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let bytes = this.read(py).filter().size_in_bytes();
        expect_room(bytes)?;
        let copied = if is_large(bytes) {
            let shared = this.shared(py);
            py.detach(|| shared.read().file().cloned())
        } else {
            this.read(py).file().cloned()
        };
        match copied {
            Some(file) => classes::instance(py, this.hashing.clone_ref(py), file),
            // It never changes.
            None => Ok(slf.clone().into_any()),
        }
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::copy(slf)
    }

    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        memo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = memo;
        Self::copy(slf)
    }
}
