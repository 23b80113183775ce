//! Filters that are built from all keys at once.

use crate::classes;
use crate::error::OrRaise;
use crate::files::kind_of;
use crate::filter::Filter;
use crate::hashing::Hashing;
use crate::make;
use crate::many::{Nulls, all};
use crate::number::{Natural, Real, SecretKey};
use crate::patience::apart;
use amq::AnyFilter;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyType;

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
        let budget = make::budget(fpr, bits_per_key, bytes)?;
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
