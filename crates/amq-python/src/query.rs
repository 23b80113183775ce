//! Asking a filter for many keys, and copying it.

use crate::answers;
use crate::classes;
use crate::data::{expect_room, zeroed};
use crate::encoding::Given;
use crate::filter::Filter;
use crate::many::{Many, PIECE};
use crate::number::Natural;
use crate::rolling;
use crate::state::Content;
use amq::KeyHash;
use pyo3::buffer::PyBuffer;
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

    /// Whether the key with this hash is probably in: one of amq.hash under the filter's seed or
    /// secret key, or of its hash_func.
    #[pyo3(signature = (hash, /))]
    fn contains_hash(&self, py: Python<'_>, hash: Natural) -> bool {
        self.read(py).filter().contains_hash(KeyHash::new(hash.0))
    }

    /// The same of many hashes: an array of numpy.uint64, as amq.hashes returns it.
    #[pyo3(signature = (hashes, /))]
    fn contains_hashes<'py>(&self, hashes: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = hashes.py();
        let hashes = PyBuffer::<u64>::get(hashes)?.to_vec(py)?;
        let hashes: Vec<KeyHash> = hashes.into_iter().map(KeyHash::new).collect();
        let mut answers = zeroed(hashes.len())?;
        let shared = self.shared(py);
        for (hashes, answers) in hashes.chunks(PIECE).zip(answers.chunks_mut(PIECE)) {
            py.check_signals()?;
            py.detach(|| shared.read().contains_all(hashes, Given::NOTHING, answers))?;
        }
        answers::bools(py, &answers)
    }

    /// A filter of its own with the same keys.
    fn copy<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        expect_room(this.read(py).filter().size_in_bytes())?;
        if let Content::Rolling(generations) = this.read(py).content() {
            return rolling::instance(py, generations.copied());
        }
        let shared = this.shared(py);
        let copied = py.detach(|| shared.read().file().cloned());
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
