//! Errors in SQL's words.

use datafusion_common::DataFusionError;
use std::fmt::Display;

/// What goes wrong when a query runs; `function` is the one that it is said of.
pub(crate) fn execution(function: &str, error: impl Display) -> DataFusionError {
    DataFusionError::Execution(format!("{function}: {error}"))
}

/// What is wrong with the query itself.
pub(crate) fn plan(function: &str, error: impl Display) -> DataFusionError {
    DataFusionError::Plan(format!("{function}: {error}"))
}
