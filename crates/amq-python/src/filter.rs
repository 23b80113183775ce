//! What every filter can do: be asked, described and copied.

use crate::answers;
use crate::classes;
use crate::data::{expect_room, zeroed};
use crate::encoding::Given;
use crate::guard::{Both, Guarded, Read, Shared, Write};
use crate::hashing::Hashing;
use crate::many::{Many, PIECE};
use crate::number::Natural;
use crate::repr::class_of;
use crate::rolling;
use crate::state::{Content, State};
use amq::KeyHash;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An approximate-membership filter: "definitely not in", or "probably in".
///
/// This is what all kinds share. Make one by its kind, as in BloomFilter(1000, 0.01) or
/// FuseFilter.build(keys); or load a file, of whatever kind, with amq.load(path).
#[pyclass(frozen, subclass, module = "amq")]
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) hashing: Hashing,
    /// In a box, since some filters want an alignment that Python's allocator does not give.
    pub(crate) state: Box<Guarded<State>>,
}

/// What Python's allocator promises for every object.
const PYTHON_ALIGNS_TO: usize = 2 * size_of::<usize>();
const _: () = assert!(align_of::<Filter>() <= PYTHON_ALIGNS_TO);

impl Filter {
    pub(crate) fn new(hashing: Hashing, content: Content) -> Self {
        Self { hashing, state: Box::new(Guarded::new(State::new(content))) }
    }

    /// The filter's state, to be read.
    #[inline]
    pub(crate) fn read(&self, py: Python<'_>) -> Read<'_, State> {
        self.state.read(py)
    }

    /// The filter's state, to be changed.
    #[inline]
    pub(crate) fn write(&self, py: Python<'_>) -> Write<'_, State> {
        self.state.write(py)
    }

    /// The answer for a key of the common types; `None` says nothing.
    ///
    /// It is a function of its own so that the answer comes in a register, and pyo3's code around
    /// the method is one piece: that takes a tenth less time.
    #[inline(never)]
    fn contains_common(&self, key: &Bound<'_, PyAny>) -> Option<bool> {
        let (hash, _) = self.hashing.common(key)?;
        self.read(key.py()).contains(hash)
    }

    #[cold]
    fn contains_any(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let (hash, given) = self.hashing.hash(key)?;
        let state = self.read(key.py());
        state.expect(given)?;
        Ok(state.filter().contains_hash(hash))
    }

    /// The filter's state, for when the interpreter is let go of.
    pub(crate) fn shared(&self, py: Python<'_>) -> Shared<'_, State> {
        self.state.shared(py)
    }
}

#[pymethods]
impl Filter {
    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        match self.contains_common(key) {
            Some(answer) => Ok(answer),
            None => self.contains_any(key),
        }
    }

    /// So that an object whose method is the function, and which has the filter, is collected: it
    /// has the dict to be cleared.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.hashing.function())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        // Python's lengths have a sign.
        usize::try_from(self.read(py).filter().len())
            .map_or(usize::MAX >> 1, |len| len.min(usize::MAX >> 1))
    }

    fn __bool__(&self, py: Python<'_>) -> bool {
        !self.read(py).filter().is_empty()
    }

    /// The number of keys planned for.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> u64 {
        self.read(py).filter().capacity()
    }

    /// The false-positive rate that is to be expected now, from 0 to 1.
    #[getter]
    fn expected_fpr(&self, py: Python<'_>) -> f64 {
        self.read(py).filter().expected_fpr()
    }

    /// How full the table is, from 0 to 1.
    #[getter]
    fn load_factor(&self, py: Python<'_>) -> f64 {
        self.read(py).filter().load_factor()
    }

    /// Bytes of the table.
    #[getter]
    fn size_in_bytes(&self, py: Python<'_>) -> u64 {
        self.read(py).filter().size_in_bytes()
    }

    /// Bits of the table: the name that rbloom has for it.
    #[getter]
    fn size_in_bits(&self, py: Python<'_>) -> u64 {
        self.read(py).filter().size_in_bytes().saturating_mul(8)
    }

    /// Bits of the table over the different keys that are in; infinite without keys. Of a Bloom
    /// filter in memory these are approx_items, since len counts a key of both filters of a union
    /// twice; of others, len.
    #[getter]
    fn bits_per_key(&self, py: Python<'_>) -> f64 {
        self.read(py).bits_per_key()
    }

    /// All that describes the filter at this moment, as a dict.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = self.read(py);
        let (stats, bits_per_key) = (state.stats(), state.bits_per_key());
        drop(state);
        let dict = PyDict::new(py);
        dict.set_item("kind", stats.kind.id())?;
        dict.set_item("len", stats.len)?;
        dict.set_item("capacity", stats.capacity)?;
        dict.set_item("load_factor", stats.load_factor)?;
        dict.set_item("saturated", stats.saturated)?;
        dict.set_item("size_in_bytes", stats.bytes)?;
        dict.set_item("bits_per_key", bits_per_key)?;
        dict.set_item("expected_fpr", stats.expected_fpr)?;
        Ok(dict)
    }

    /// The function that the caller hashes keys by, if any.
    #[getter]
    fn hash_func(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.hashing.function().map(|function| function.clone_ref(py))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let described = slf.get().read(slf.py()).described();
        Ok(format!("<amq.{}: {described}>", class_of(slf)?))
    }

    fn __sizeof__(&self, py: Python<'_>) -> u64 {
        self.read(py).filter().size_in_bytes()
    }

    /// Whether both have the same table, parameters, and seed or secret key; and, but for Bloom
    /// filters, which estimate it, the same number of keys.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        Self::equals(slf, other)
    }
}

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
        let buffer = match PyBuffer::<u64>::get(hashes) {
            Ok(buffer) if buffer.dimensions() == 1 => buffer,
            // Such as KeyboardInterrupt, of an object whose buffer is made by Python.
            Err(error)
                if !error.is_instance_of::<PyBufferError>(py)
                    && !error.is_instance_of::<PyTypeError>(py) =>
            {
                return Err(error);
            }
            _ => {
                return Err(PyTypeError::new_err(format!(
                    "hashes are an array of numpy.uint64 in one dimension, as amq.hashes returns \
                     it, and no {}",
                    class_of(hashes)?
                )));
            }
        };
        let hashes: Vec<KeyHash> = buffer.to_vec(py)?.into_iter().map(KeyHash::new).collect();
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
        let shared = this.shared(py);
        let copied = py.detach(|| match shared.read().content() {
            Content::File(file) => Some(Content::File(file.clone())),
            Content::Rolling(generations) => Some(Content::Rolling(generations.copied())),
            Content::View(..) => None,
        });
        match copied {
            Some(Content::File(file)) => classes::instance(py, this.hashing.clone_ref(py), file),
            Some(Content::Rolling(generations)) => rolling::instance(py, generations),
            // It never changes.
            _ => Ok(slf.clone().into_any()),
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

impl Filter {
    pub(crate) fn equals(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        if slf.is(other) {
            return Ok(true);
        }
        let (py, ours, theirs) = (slf.py(), slf.get(), other.get());
        if !ours.hashing.is_same(py, &theirs.hashing)? {
            return Ok(false);
        }
        let both = Both::new(py, &ours.state, &theirs.state);
        Ok(py.detach(|| both.read(State::equals)))
    }
}

/// The filter that an argument is.
pub(crate) fn filter_of<'a, 'py>(
    argument: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, Filter>> {
    match argument.cast() {
        Ok(filter) => Ok(filter),
        Err(_) => Err(PyTypeError::new_err(format!(
            "this takes a filter, and no {}: update and union take keys",
            class_of(argument)?
        ))),
    }
}

/// A filter that is built from all its keys at once, and cannot be changed: in fewer bits.
#[pyclass(frozen, subclass, extends = Filter, module = "amq")]
#[derive(Debug)]
pub(crate) struct StaticFilter;

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
