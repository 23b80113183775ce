//! Plans: what a filter will cost, before it is made.

use crate::error::OrRaise;
use crate::files::kind_of;
use crate::make::Options;
use crate::number::{Natural, Real};
use crate::repr::shown;
use amq::{AnyFilter, AnyPlan, FilterKind, Goal};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// What a filter will cost and how well it will do, before it is made; see amq.plan.
#[pyclass(frozen, name = "Plan", module = "amq", eq)]
#[derive(Debug, PartialEq)]
pub(crate) struct Sized(AnyPlan);

#[pymethods]
impl Sized {
    /// The name of the kind.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.params.id()
    }

    /// The number of keys planned for.
    #[getter]
    fn keys(&self) -> u64 {
        self.0.keys
    }

    /// Bytes of the table.
    #[getter]
    fn size_in_bytes(&self) -> u64 {
        self.0.bytes
    }

    /// Bits of the table for each planned key.
    #[getter]
    fn bits_per_key(&self) -> f64 {
        self.0.bits_per_key()
    }

    /// Bits per key over the least that any filter of this rate can take.
    #[getter]
    fn overhead(&self) -> f64 {
        self.0.overhead()
    }

    /// The false-positive rate with the planned number of keys in it.
    #[getter]
    fn expected_fpr(&self) -> f64 {
        self.0.expected_fpr
    }

    /// Peak bytes while it is built, the filter included.
    #[getter]
    fn build_bytes(&self) -> u64 {
        self.0.build_bytes
    }

    fn __repr__(&self) -> String {
        format!("<amq.Plan: {}: {}>", self.0.params, self.0)
    }
}

/// What a filter would cost: sizes and rates from exact formulas, and nothing is allocated.
///
/// The kind is a class, its name, or that of the kind in files. What limits the size is one of fpr
/// (0.01), bits_per_key and bytes.
///
/// >>> import amq
/// >>> amq.plan(amq.BloomFilter, 1_000_000, 0.01).size_in_bytes
/// 1199120
/// >>> round(amq.plan("ribbon", 1_000_000, 0.01).bits_per_key, 1)
/// 6.7
#[pyfunction]
#[pyo3(
    signature = (kind, capacity, fpr=None, **options),
    text_signature = "(kind, capacity, fpr=0.01, *, bits_per_key=None, bytes=None)"
)]
pub(crate) fn plan(
    kind: &Bound<'_, PyAny>,
    capacity: Natural,
    fpr: Option<Real>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Sized> {
    let goal = Goal::new(capacity.0, Options::read(options, |it| it.budget(fpr))?);
    Ok(Sized(AnyFilter::plan(kind_named(kind)?, goal).raised()?))
}

/// The kind that is meant by a class, its name, or the kind's own.
pub(crate) fn kind_named(kind: &Bound<'_, PyAny>) -> PyResult<FilterKind> {
    let Ok(name) = kind.cast::<PyString>() else {
        return match kind_of(kind)? {
            Some(kind) => Ok(kind),
            None => Err(PyTypeError::new_err(format!(
                "{} stands for no kind of filter: give its class, such as BloomFilter, or a name, \
                 such as \"bloom\"",
                shown(kind)?
            ))),
        };
    };
    let error = match name.to_str()?.parse::<FilterKind>() {
        Ok(kind) => return Ok(kind),
        Err(error) => error,
    };
    let is_named =
        |kind: &&FilterKind| AnyFilter::names(**kind).is_some_and(|(_, class)| name == class);
    match AnyFilter::KINDS.iter().find(is_named) {
        Some(&kind) => Ok(kind),
        None => Err(PyValueError::new_err(error.to_string())),
    }
}
