//! Filters that are built from all keys at once.

use crate::filter::Filter;
use pyo3::prelude::*;

/// A filter that is built from all its keys at once, and cannot be changed: in fewer bits.
#[pyclass(frozen, subclass, extends = Filter, module = "amq")]
#[derive(Debug)]
pub(crate) struct StaticFilter;
