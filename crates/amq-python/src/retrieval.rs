//! The map of keys to small values.

use crate::data::of_data;
use crate::error::{OrRaise, Raise, of_file, of_system};
use crate::hashing::Hashing;
use crate::key;
use crate::many::{self, Many, all};
use crate::number::Natural;
use amq::ribbon::MapError;
use amq::{DEFAULT_SEED, RibbonMap};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyTuple, PyType};
use std::path::PathBuf;

/// A map from a fixed set of keys to values of a few bits, 1 to 32. It does not store the keys: a
/// key that was not among them gets some value, too.
///
/// >>> from amq import RibbonMap
/// >>> shard = RibbonMap.build({"alice": 5, "bob": 0, "carol": 7})
/// >>> shard["bob"], shard["carol"], shard.value_bits
/// (0, 7, 3)
#[pyclass(frozen, name = "RibbonMap", module = "amq", eq)]
#[derive(Debug, PartialEq)]
pub(crate) struct Map(RibbonMap);

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
                return Err(pyo3::exceptions::PyTypeError::new_err(text));
            }
        };
        let seed = seed.map_or(DEFAULT_SEED, |seed| seed.0);
        let (hashes, _) = all(Many::of(&keys)?, &Hashing::Seed(seed))?;
        let values = numbers(&values)?;
        if hashes.len() != values.len() {
            return Err(PyValueError::new_err(format!(
                "there are {} keys and {} values",
                hashes.len(),
                values.len()
            )));
        }
        let bits = bits.unwrap_or_else(|| {
            let most = values.iter().copied().max().unwrap_or(0);
            (u32::BITS - most.leading_zeros()).max(1)
        });
        let pairs = hashes.into_iter().zip(values);
        keys.py().detach(|| RibbonMap::build_hashes(bits, seed, pairs)).raised().map(Self)
    }

    /// The value of a key; of one that is not in the map, any.
    fn __getitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<u32> {
        let (hash, _) = key::hashed(key, self.0.seed())?;
        Ok(self.0.get_hash(hash))
    }

    /// The values of many keys, an array or any iterable: an array of numpy.uint32, or a memoryview
    /// where there is no NumPy.
    fn get_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (hashes, _) = all(Many::of(keys)?, &Hashing::Seed(self.0.seed()))?;
        let py = keys.py();
        let values = py.detach(|| {
            let mut values = vec![0; hashes.len()];
            self.0.get_batch(&hashes, &mut values).map(|()| values)
        });
        let values = values.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let bytes: Vec<u8> = values.into_iter().flat_map(u32::to_ne_bytes).collect();
        many::array(&PyByteArray::new(py, &bytes), "uint32", "I")
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.0.len()).unwrap_or(usize::MAX >> 1)
    }

    /// Bits of a value.
    #[getter]
    fn value_bits(&self) -> u32 {
        self.0.value_bits()
    }

    /// Bytes of the table.
    #[getter]
    fn size_in_bytes(&self) -> u64 {
        self.0.size_in_bytes()
    }

    /// Saves the map in a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(&path)).map_err(|error| of_system(&error, &path))
    }

    /// The map as the bytes of a file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &py.detach(|| self.0.to_bytes()).raised()?))
    }

    /// Loads a map from a file that holds nothing else.
    #[classmethod]
    #[pyo3(signature = (path, *, seed=None))]
    fn load(cls: &Bound<'_, PyType>, path: PathBuf, seed: Option<Natural>) -> PyResult<Self> {
        let loaded = cls.py().detach(|| match seed {
            None => RibbonMap::load(&path),
            Some(seed) => RibbonMap::load_with_seed(&path, seed.0),
        });
        loaded.map(Self).map_err(|error| of_file(error, &path))
    }

    /// The map in these bytes.
    #[classmethod]
    #[pyo3(signature = (data, *, seed=None))]
    fn from_bytes(
        cls: &Bound<'_, PyType>,
        data: &Bound<'_, PyAny>,
        seed: Option<Natural>,
    ) -> PyResult<Self> {
        of_data(data, |bytes| {
            cls.py().detach(|| match seed {
                None => RibbonMap::from_bytes(bytes).raised(),
                Some(seed) => RibbonMap::from_bytes_with_seed(bytes, seed.0).raised(),
            })
        })
        .map(Self)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Py<PyTuple>)> {
        let py = slf.py();
        let arguments = (slf.get().to_bytes(py)?,).into_pyobject(py)?;
        Ok((slf.get_type().getattr("from_bytes")?, arguments.unbind()))
    }

    fn __repr__(&self) -> String {
        format!(
            "<amq.RibbonMap: {} keys to values of {} bits in {} bytes>",
            self.0.len(),
            self.0.value_bits(),
            self.0.size_in_bytes()
        )
    }
}

/// Values: of an array those of its `tolist` or the like.
fn numbers(values: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let list = ["tolist", "to_pylist", "to_list"];
    for method in list {
        if values.hasattr(method)? {
            return numbers_of(&values.call_method0(method)?);
        }
    }
    numbers_of(values)
}

fn numbers_of(values: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let number = |value: PyResult<Bound<'_, PyAny>>| {
        let value = value?;
        value.extract::<u32>().map_err(|_| {
            let shown = value.repr().map(|text| text.to_string()).unwrap_or_default();
            PyValueError::new_err(format!("{shown} is no value: from 0 to 2**32 - 1"))
        })
    };
    values.try_iter()?.map(number).collect()
}
