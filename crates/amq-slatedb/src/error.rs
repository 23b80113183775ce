//! Errors of making a policy.

use amq_core::PlanError;
use std::error::Error;
use std::fmt;

/// A policy refuses this budget.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PolicyError {
    /// No filter can be planned for the rate or the bits.
    Plan(PlanError),

    /// More bits per key than a ribbon filter can use.
    Bits {
        /// The value asked for.
        bits_per_key: f64,
        /// The most that is accepted.
        most: f64,
    },
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => write!(f, "{error}"),
            Self::Bits { bits_per_key, most } => write!(
                f,
                "{bits_per_key} bits per key are more than a filter can use: ask for at most \
                 {most}, with which fewer than one absent key in four billion is a false positive"
            ),
        }
    }
}

impl fmt::Debug for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for PolicyError {}

impl From<PlanError> for PolicyError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}
