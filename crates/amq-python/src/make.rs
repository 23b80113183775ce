//! What a constructor is told.

use crate::error::OrRaise;
use crate::hashing::Hashing;
use crate::number::{Natural, SecretKey};
use amq::{AnyFile, AnyFilter, Budget, FilterKind, Goal};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The rate of a filter if nobody says one, or a size.
const DEFAULT_FPR: f64 = 0.01;

/// One of three.
pub(crate) fn budget(
    fpr: Option<f64>,
    bits_per_key: Option<f64>,
    bytes: Option<Natural>,
) -> PyResult<Budget> {
    match (fpr, bits_per_key, bytes) {
        (fpr, None, None) => Ok(Budget::Fpr(fpr.unwrap_or(DEFAULT_FPR))),
        (None, Some(bits), None) => Ok(Budget::BitsPerKey(bits)),
        (None, None, Some(bytes)) => Ok(Budget::Bytes(bytes.0)),
        _ => Err(PyValueError::new_err("give one of fpr, bits_per_key and bytes")),
    }
}

/// An empty filter.
#[allow(clippy::too_many_arguments, reason = "those of the constructors in Python")]
pub(crate) fn empty(
    kind: FilterKind,
    capacity: Natural,
    fpr: Option<f64>,
    hash_func: Option<Bound<'_, PyAny>>,
    bits_per_key: Option<f64>,
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
