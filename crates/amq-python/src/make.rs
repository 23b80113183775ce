//! Making filters: empty, or of all keys at once.

use crate::classes;
use crate::error::OrRaise;
use crate::files::kind_of;
use crate::filter::Filter;
use crate::hashing::Hashing;
use crate::interrupts::apart;
use crate::many::{Nulls, all};
use crate::number::{Natural, Real, SecretKey};
use amq::{AnyFile, AnyFilter, Budget, FilterKind, Goal};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// The rate of a filter if nobody says one, or a size.
const DEFAULT_FPR: f64 = 0.01;

/// One of three.
pub(crate) fn budget(
    fpr: Option<Real>,
    bits_per_key: Option<Real>,
    bytes: Option<Natural>,
) -> PyResult<Budget> {
    match (fpr, bits_per_key, bytes) {
        (fpr, None, None) => Ok(Budget::Fpr(fpr.map_or(DEFAULT_FPR, |fpr| fpr.0))),
        (None, Some(bits), None) => Ok(Budget::BitsPerKey(bits.0)),
        (None, None, Some(bytes)) => Ok(Budget::Bytes(bytes.0)),
        _ => Err(PyValueError::new_err("give one of fpr, bits_per_key and bytes")),
    }
}

/// Refuses other arguments than ours, and says what is called what in other libraries.
pub(crate) fn expect_known(others: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(name) = others.and_then(|others| others.keys().iter().next()) else { return Ok(()) };
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

/// An empty filter.
#[allow(clippy::too_many_arguments, reason = "those of the constructors in Python")]
pub(crate) fn empty(
    kind: FilterKind,
    capacity: Natural,
    fpr: Option<Real>,
    hash_func: Option<Bound<'_, PyAny>>,
    bits_per_key: Option<Real>,
    bytes: Option<Natural>,
    seed: Option<Natural>,
    key: Option<SecretKey>,
) -> PyResult<(Hashing, AnyFile)> {
    let goal = Goal::new(capacity.0, budget(fpr, bits_per_key, bytes)?);
    let hashing = Hashing::new(seed.map(|seed| seed.0), key.map(|key| key.0), hash_func)?;
    let filter = AnyFilter::with_seed(kind, goal, hashing.seed()).raised()?;
    let file = hashing.wrap(filter);
    Ok((hashing, file))
}

#[pymethods]
impl Filter {
    /// A filter of exactly these keys, of any kind: sized by their number.
    ///
    /// The keys are an array (NumPy, Arrow, pandas, polars) or any iterable; nulls of Arrow are
    /// left out. The rest is as in the constructors: one of fpr (0.01), bits_per_key and bytes, and
    /// one of hash_func, seed and key. Keeps eight bytes a key until the filter is made.
    ///
    /// >>> from amq import RibbonFilter
    /// >>> blocked = RibbonFilter.build(["203.0.113.7", "198.51.100.23"], 0.001)
    /// >>> "203.0.113.7" in blocked, "192.0.2.1" in blocked
    /// (True, False)
    #[classmethod]
    #[pyo3(
        signature = (
            keys, fpr=None, hash_func=None, *, bits_per_key=None, bytes=None, seed=None, key=None
        ),
        text_signature = "(keys, fpr=0.01, hash_func=None, *, bits_per_key=None, bytes=None, \
                          seed=None, key=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "all but three by name")]
    fn build<'py>(
        cls: &Bound<'py, PyType>,
        keys: &Bound<'py, PyAny>,
        fpr: Option<Real>,
        hash_func: Option<Bound<'py, PyAny>>,
        bits_per_key: Option<Real>,
        bytes: Option<Natural>,
        seed: Option<Natural>,
        key: Option<SecretKey>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(kind) = kind_of(cls)? else {
            let text = "a filter is built by the class of its kind, as in FuseFilter.build(keys)";
            return Err(PyTypeError::new_err(text));
        };
        let budget = budget(fpr, bits_per_key, bytes)?;
        let hashing = Hashing::new(seed.map(|seed| seed.0), key.map(|key| key.0), hash_func)?;
        let (hashes, given) = all(keys, &hashing, Nulls::LeftOut)?;
        let (py, seed) = (cls.py(), hashing.seed());
        let len = hashes.len();
        let build = move || AnyFilter::build_hashes(kind, budget, seed, &hashes);
        let filter = apart(py, len, build)?.raised()?;
        let mut file = hashing.wrap(filter);
        file.set_encoding(given.encoding());
        classes::instance(py, hashing, file)
    }
}
