//! Making filters: empty, or of all keys at once; and the arguments for that.

use crate::classes;
use crate::error::OrRaise;
use crate::files::kind_of;
use crate::filter::Filter;
use crate::hashing::Hashing;
use crate::interrupts::apart;
use crate::many::{Nulls, all};
use crate::number::{Natural, Real, SecretKey};
use crate::repr::text;
use crate::state::Content;
use amq::{AnyFilter, Budget, Goal, LoadOptions};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Below so many keys a thread takes longer to start than it saves.
const KEYS_A_THREAD: usize = 50_000;

/// The rate of a filter if nobody says one, or a size.
const DEFAULT_FPR: f64 = 0.01;

/// Arguments by name.
pub(crate) struct Options<'py>(pub(crate) Option<Bound<'py, PyDict>>);

impl<'py> Options<'py> {
    /// What `read` takes of these arguments, each once. The others are refused, with what is called
    /// what in other libraries.
    pub(crate) fn read<T>(
        given: Option<&Bound<'py, PyDict>>,
        read: impl FnOnce(&Self) -> PyResult<T>,
    ) -> PyResult<T> {
        let options = Self(given.cloned());
        let read = read(&options)?;
        let left = options.0.and_then(|options| options.keys().iter().next());
        let Some(name) = left else { return Ok(read) };
        let name = name.extract::<String>()?;
        let advice = match name.as_str() {
            "fp_rate" | "false_positive_rate" | "error_rate" => ": the rate is fpr",
            "expected_items" => ": the number of keys is capacity",
            "serializable" => ": leave it out, every filter can be saved",
            "free_threading" => ": leave it out, threads can share every filter",
            _ => "",
        };
        Err(PyTypeError::new_err(format!("there is no argument {name}{advice}")))
    }

    /// The argument of this name; none if it is left out, or `None`.
    pub(crate) fn take<T>(&self, name: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
    {
        let Some(options) = &self.0 else { return Ok(None) };
        let Some(value) = options.get_item(name)? else { return Ok(None) };
        options.del_item(name)?;
        match value.is_none() {
            true => Ok(None),
            false => value.extract().map(Some).or_else(|error| Err(named(&value, name, error)?)),
        }
    }

    /// What limits the size, if anything does: one of three.
    pub(crate) fn size(&self, fpr: Option<Real>) -> PyResult<Option<Budget>> {
        match (fpr, self.take::<Real>("bits_per_key")?, self.take::<Natural>("bytes")?) {
            (None, None, None) => Ok(None),
            (Some(fpr), None, None) => Ok(Some(Budget::Fpr(fpr.0))),
            (None, Some(bits), None) => Ok(Some(Budget::BitsPerKey(bits.0))),
            (None, None, Some(bytes)) => Ok(Some(Budget::Bytes(bytes.0))),
            _ => Err(PyValueError::new_err("give one of fpr, bits_per_key and bytes")),
        }
    }

    /// The same, where something must.
    pub(crate) fn budget(&self, fpr: Option<Real>) -> PyResult<Budget> {
        Ok(self.size(fpr)?.unwrap_or(Budget::Fpr(DEFAULT_FPR)))
    }

    pub(crate) fn seed(&self) -> PyResult<u64> {
        Ok(self.take::<Natural>("seed")?.map_or(amq::DEFAULT_SEED, |seed| seed.0))
    }

    /// What keys are hashed by.
    pub(crate) fn hashing(&self, hash_func: Option<Bound<'_, PyAny>>) -> PyResult<Hashing> {
        let (seed, key) = (self.take::<Natural>("seed")?, self.take::<SecretKey>("key")?);
        Hashing::new(seed.map(|seed| seed.0), key.map(|key| key.0), hash_func)
    }

    /// How many threads build a filter.
    pub(crate) fn threads(&self) -> PyResult<usize> {
        match self.take::<Natural>("threads")?.map_or(1, |threads| threads.0) {
            0 => Err(PyValueError::new_err("threads is 0: give the number of threads, from 1 on")),
            threads => Ok(usize::try_from(threads).unwrap_or(usize::MAX)),
        }
    }

    /// How a file is read that may leave its secret out.
    pub(crate) fn load(&self) -> PyResult<LoadOptions> {
        match (self.take::<Natural>("seed")?, self.take::<SecretKey>("key")?) {
            (None, None) => Ok(LoadOptions::new()),
            (Some(seed), None) => Ok(LoadOptions::new().seed(seed.0)),
            (None, Some(key)) => Ok(LoadOptions::new().key(key.0)),
            _ => Err(PyValueError::new_err("a file withholds a seed or a key, not both")),
        }
    }
}

/// The error that an argument is, with its name before the text.
pub(crate) fn named(value: &Bound<'_, PyAny>, name: &str, error: PyErr) -> PyResult<PyErr> {
    let (py, class) = (value.py(), error.get_type(value.py()));
    if !class.is(py.get_type::<PyTypeError>()) && !class.is(py.get_type::<PyValueError>()) {
        return Ok(error);
    }
    Ok(PyErr::from_type(class, format!("{name}: {}", text(error.value(py))?)))
}

/// An empty filter of the kind that a class stands for.
pub(crate) fn empty<'py>(
    cls: &Bound<'py, PyType>,
    capacity: Natural,
    fpr: Option<Real>,
    hash_func: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Filter> {
    let Some(kind) = kind_of(cls)? else {
        let text = "a filter is made by the class of its kind, as in BloomFilter(1000)";
        return Err(PyTypeError::new_err(text));
    };
    let (budget, hashing) =
        Options::read(options, |it| Ok((it.budget(fpr)?, it.hashing(hash_func)?)))?;
    let goal = Goal::new(capacity.0, budget);
    let file = hashing.wrap(AnyFilter::with_seed(kind, goal, hashing.seed()).raised()?);
    Ok(Filter::new(hashing, Content::File(file)))
}

/// Threads to build a filter of so many keys; none where one is as fast. They end with the build.
fn pool(threads: usize, keys: usize) -> PyResult<Option<ThreadPool>> {
    let threads = threads.min(keys / KEYS_A_THREAD);
    if threads < 2 {
        return Ok(None);
    }
    match ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => Ok(Some(pool)),
        Err(error) => Err(PyOSError::new_err(format!("threads={threads}: {error}"))),
    }
}

#[pymethods]
impl Filter {
    /// A filter of exactly these keys, of any kind: sized by their number.
    ///
    /// The keys are an array (NumPy, Arrow, pandas, polars) or any iterable; nulls of Arrow are
    /// left out. The rest is as in the constructors: one of fpr (0.01), bits_per_key and bytes, and
    /// one of hash_func, seed and key. Keeps eight bytes a key until the filter is made.
    ///
    /// With threads=4, four threads build the same filter from the hashes. That pays off for many
    /// keys in a RibbonFilter or FuseFilter.
    ///
    /// >>> from amq import RibbonFilter
    /// >>> blocked = RibbonFilter.build(["203.0.113.7", "198.51.100.23"], 0.001)
    /// >>> "203.0.113.7" in blocked, "192.0.2.1" in blocked
    /// (True, False)
    #[classmethod]
    #[pyo3(
        signature = (keys, fpr=None, hash_func=None, **options),
        text_signature = "(keys, fpr=0.01, hash_func=None, *, bits_per_key=None, bytes=None, \
                          seed=None, key=None, threads=1)"
    )]
    fn build<'py>(
        cls: &Bound<'py, PyType>,
        keys: &Bound<'py, PyAny>,
        fpr: Option<Real>,
        hash_func: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(kind) = kind_of(cls)? else {
            let text = "a filter is built by the class of its kind, as in FuseFilter.build(keys)";
            return Err(PyTypeError::new_err(text));
        };
        let (budget, hashing, threads) = Options::read(options, |it| {
            Ok((it.budget(fpr)?, it.hashing(hash_func)?, it.threads()?))
        })?;
        let (hashes, given) = all(keys, &hashing, Nulls::LeftOut)?;
        let (len, seed) = (hashes.len(), hashing.seed());
        let pool = pool(threads, len)?;
        let build = move || match pool {
            None => AnyFilter::build_hashes(kind, budget, seed, &hashes),
            Some(pool) => pool.install(|| AnyFilter::par_build_hashes(kind, budget, seed, &hashes)),
        };
        let mut file = hashing.wrap(apart(cls.py(), len, build)?.raised()?);
        file.set_encoding(given.encoding());
        classes::instance(cls.py(), hashing, file)
    }
}
