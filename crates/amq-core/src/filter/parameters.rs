//! Parameters as a machine-readable list.

use alloc::vec::Vec;
use core::fmt;

/// One of the numbers that determine a filter's table.
///
/// Prints as its name and value: `probes 7`.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name of the field.
    pub name: &'static str,
    /// Its value.
    pub value: ParameterValue,
    /// What the value counts: `bits`, `32-byte blocks`; `rate` and `ratio` for numbers without a
    /// unit.
    pub unit: &'static str,
}

impl Parameter {
    /// A parameter of this name.
    #[must_use]
    pub fn new(name: &'static str, value: impl Into<ParameterValue>, unit: &'static str) -> Self {
        Self { name, value: value.into(), unit }
    }
}

/// The value of a [`Parameter`].
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum ParameterValue {
    /// A whole number.
    Whole(u64),
    /// A rate or ratio.
    Real(f64),
    /// A limit that may be set. Without one it prints as `none`.
    Limit(Option<u64>),
    /// A number for each part of the table, such as the layers of a ribbon filter.
    Wholes(Vec<u64>),
}

impl From<u64> for ParameterValue {
    fn from(number: u64) -> Self {
        Self::Whole(number)
    }
}

impl From<u32> for ParameterValue {
    fn from(number: u32) -> Self {
        Self::Whole(number.into())
    }
}

impl From<f64> for ParameterValue {
    fn from(number: f64) -> Self {
        Self::Real(number)
    }
}

impl From<Option<u64>> for ParameterValue {
    fn from(limit: Option<u64>) -> Self {
        Self::Limit(limit)
    }
}

impl<const N: usize> From<[u64; N]> for ParameterValue {
    fn from(numbers: [u64; N]) -> Self {
        Self::Wholes(numbers.into())
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(number) | Self::Limit(Some(number)) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
            Self::Limit(None) => f.write_str("none"),
            Self::Wholes(numbers) => write!(f, "{numbers:?}"),
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.value)
    }
}

/// Lists a filter's parameters, for reports and logs. Implemented by
/// [`parameters!`](crate::parameters).
pub trait Parameters {
    /// Every parameter once, in the order of the fields.
    fn parameters(&self) -> impl Iterator<Item = Parameter>;
}

/// Implements [`Parameters`](crate::Parameters) and `Display` for a struct, from one list of
/// its fields with their units.
///
/// Leaving a field out is a compile error. Use `= value` for a field that is not a number, or that
/// has special values.
///
/// ```
/// use amq_core::{ParameterValue, Parameters, parameters};
///
/// struct MyParams { slots: u64, bits: u32, max_bytes: u64 }
///
/// parameters!(MyParams {
///     slots: "slots",
///     bits: "bits",
///     max_bytes: "bytes" = (*max_bytes != u64::MAX).then_some(*max_bytes),
/// });
///
/// let params = MyParams { slots: 1000, bits: 8, max_bytes: u64::MAX };
/// assert_eq!(params.to_string(), "slots 1000, bits 8, max_bytes none");
/// let slots = params.parameters().next().unwrap();
/// assert_eq!((slots.name, slots.unit), ("slots", "slots"));
/// assert_eq!(slots.value, ParameterValue::Whole(1000));
/// ```
#[macro_export]
macro_rules! parameters {
    ($params:ident { $($field:ident: $unit:literal $(= $value:expr)?),+ $(,)? }) => {
        impl $crate::Parameters for $params {
            fn parameters(&self) -> impl Iterator<Item = $crate::Parameter> {
                let Self { $($field),+ } = self;
                [$($crate::parameters!(@one $field, $unit $(, $value)?)),+].into_iter()
            }
        }

        /// The names and values of all parameters.
        impl ::core::fmt::Display for $params {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                let parameters = $crate::Parameters::parameters(self).enumerate();
                for (index, parameter) in parameters {
                    write!(f, "{}{parameter}", if index == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    };
    (@one $field:ident, $unit:literal) => {
        $crate::Parameter::new(stringify!($field), *$field, $unit)
    };
    (@one $field:ident, $unit:literal, $value:expr) => {
        $crate::Parameter::new(stringify!($field), $value, $unit)
    };
}
