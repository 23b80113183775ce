//! The map of keys to small values.

use crate::answers;
use crate::column::Elements;
use crate::data::{reserve, to_object, zeroed};
use crate::error::{OrRaise, Raise, of_system};
use crate::file::{FilePath, decode_seeded, expect_pickled, load_seeded, saving};
use crate::hashing::Hashing;
use crate::interrupts::{apart, now_and_then};
use crate::key;
use crate::many::{Nulls, PIECE, all};
use crate::number;
use crate::number::Natural;
use crate::repr::shown;
use amq::ribbon::MapError;
use amq::{DEFAULT_SEED, RibbonMap};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};

/// A map from a fixed set of keys to values of a few bits, 1 to 32. It does not store the keys: a
/// key that was not among them gets some value, too.
///
/// >>> from amq import RibbonMap
/// >>> shard = RibbonMap.build({"alice": 5, "bob": 0, "carol": 7})
/// >>> shard["bob"], shard["carol"], shard.value_bits
/// (0, 7, 3)
#[pyclass(frozen, name = "RibbonMap", module = "amq", eq)]
#[derive(Debug)]
pub(crate) struct Map {
    map: RibbonMap,
    /// Whether the seed was left out of its file.
    withheld: bool,
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl Raise for MapError {
    fn raise(self) -> PyErr {
        match self {
            Self::Build(error) => error.raise(),
            other => PyValueError::new_err(other.to_string()),
        }
    }
}

#[pymethods]
impl Map {
    /// The name of the kind, as in files.
    #[classattr]
    fn kind() -> &'static str {
        amq::FilterKind::RibbonMap.id()
    }

    /// A map of these keys, an array or any iterable, to as many values; or of a dict. Values have
    /// as many bits as the largest takes, or as you say.
    #[staticmethod]
    #[pyo3(signature = (keys, values=None, *, bits=None, seed=None))]
    fn build(
        keys: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
        bits: Option<u32>,
        seed: Option<Natural>,
    ) -> PyResult<Self> {
        let (keys, values) = match (keys.cast::<PyDict>(), values) {
            (Ok(dict), None) => (dict.keys().into_any(), dict.values().into_any()),
            (_, Some(values)) => (keys.clone(), values.clone()),
            (Err(_), None) => {
                let text = "give a dict, or as many values as keys";
                return Err(PyTypeError::new_err(text));
            }
        };
        let seed = seed.map_or(DEFAULT_SEED, |seed| seed.0);
        let (hashes, _) = all(&keys, &Hashing::Seed(seed), Nulls::Refused)?;
        let values = numbers(&values, hashes.len())?;
        let bits = bits.unwrap_or_else(|| {
            let most = values.iter().copied().max().unwrap_or(0);
            (u32::BITS - most.leading_zeros()).max(1)
        });
        let (len, pairs) = (hashes.len(), hashes.into_iter().zip(values));
        let map =
            apart(keys.py(), len, move || RibbonMap::build_hashes(bits, seed, pairs))?.raised()?;
        Ok(Self { map, withheld: false })
    }

    /// The value of a key; of one that is not in the map, any.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<u32> {
        let (hash, _) = key::hashed(key, self.map.seed())?;
        Ok(self.map.get_hash(hash))
    }

    /// Refused: without this, Python would look for the key among map[0], map[1], ... for ever.
    ///
    /// It is an attribute and no method, of which the module has one: pyo3's code around two of
    /// them is shared, and takes a tenth more time of each filter's.
    #[classattr]
    fn __contains__(py: Python<'_>) -> PyResult<Bound<'_, PyCFunction>> {
        wrap_pyfunction!(no_container, py)
    }

    /// No map is iterated over, as Python would do in the same way.
    #[classattr]
    fn __iter__() -> Option<()> {
        None
    }

    /// The values of many keys, an array or any iterable: an array of numpy.uint32, or a memoryview
    /// where there is no NumPy.
    fn get_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let hashing = Hashing::Seed(self.map.seed());
        let (hashes, _) = all(keys, &hashing, Nulls::Refused)?;
        let py = keys.py();
        let mut values = zeroed(hashes.len())?;
        for (hashes, values) in hashes.chunks(PIECE).zip(values.chunks_mut(PIECE)) {
            py.check_signals()?;
            py.detach(|| self.map.get_batch(hashes, values))
                .map_err(|error| PyValueError::new_err(error.to_string()))?;
        }
        answers::values(py, &values)
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.map.len()).unwrap_or(usize::MAX >> 1)
    }

    /// Bits of a value.
    #[getter]
    fn value_bits(&self) -> u32 {
        self.map.value_bits()
    }

    /// Bytes of the table.
    #[getter]
    fn size_in_bytes(&self) -> u64 {
        self.map.size_in_bytes()
    }

    /// Saves the map in a file; secret=False leaves out its seed, as of a filter.
    #[pyo3(signature = (path, *, secret=None))]
    fn save(&self, py: Python<'_>, path: FilePath, secret: Option<bool>) -> PyResult<()> {
        let options = saving(self.withheld, secret)?;
        let saved = py.detach(|| options.save(&self.map, &path.0));
        saved.map_err(|error| of_system(&error, &path.0))
    }

    /// The map as the bytes of a file; secret=False as in save.
    #[pyo3(signature = (*, secret=None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        secret: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = saving(self.withheld, secret)?;
        to_object(py, &py.detach(|| options.to_bytes(&self.map)).raised()?)
    }

    /// Loads a map from a file that holds nothing else.
    #[staticmethod]
    #[pyo3(signature = (path, *, seed=None))]
    pub(crate) fn load(py: Python<'_>, path: FilePath, seed: Option<Natural>) -> PyResult<Self> {
        let (map, withheld) = load_seeded(py, &path.0, seed)?;
        Ok(Self { map, withheld })
    }

    /// The map in these bytes.
    #[staticmethod]
    #[pyo3(signature = (data, *, seed=None))]
    fn from_bytes(data: &Bound<'_, PyAny>, seed: Option<Natural>) -> PyResult<Self> {
        let (map, withheld) = decode_seeded(data, seed)?;
        Ok(Self { map, withheld })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Py<PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        expect_pickled(this.withheld)?;
        let arguments = (this.to_bytes(py, None)?,).into_pyobject(py)?;
        Ok((slf.get_type().getattr("from_bytes")?, arguments.unbind()))
    }

    fn __repr__(&self) -> String {
        format!(
            "<amq.RibbonMap: {} keys to values of {} bits in {} bytes>",
            self.map.len(),
            self.map.value_bits(),
            self.map.size_in_bytes()
        )
    }
}

/// As many values as there are keys: a list, an array or any iterable.
fn numbers(values: &Bound<'_, PyAny>, keys: usize) -> PyResult<Vec<u32>> {
    let mut numbers = Vec::new();
    reserve(&mut numbers, keys)?;
    for (index, value) in Elements::listed(values)?.enumerate() {
        let value = value?;
        now_and_then(value.py(), index)?;
        if index == keys {
            return Err(unequal(keys, "more"));
        }
        let number = number::whole(&value)?.and_then(|number| number.extract::<u32>().ok());
        match number {
            Some(number) => numbers.push(number),
            None => {
                let text = format!("{} is no value: from 0 to 2**32 - 1", shown(&value)?);
                return Err(PyValueError::new_err(text));
            }
        }
    }
    match numbers.len() {
        count if count == keys => Ok(numbers),
        count => Err(unequal(keys, &count.to_string())),
    }
}

fn unequal(keys: usize, values: &str) -> PyErr {
    let text = format!("there are {keys} keys and {values} values: give one for each key");
    PyValueError::new_err(text)
}

/// What `in` calls on a map.
#[pyfunction]
#[pyo3(name = "__contains__", signature = (key, /))]
fn no_container(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    let _ = key;
    Err(PyTypeError::new_err(
        "a map gives every key a value, and does not tell which keys it has: keep a filter of them \
         beside it, such as RibbonFilter",
    ))
}
