//! What no workload can be: an impossible number, or two things at once.

use alloc::string::String;
use core::fmt;

/// A number in a workload that no workload can have.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Invalid {
    /// The name of the builder's method.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// The least there can be.
    pub min: f64,
    /// The most.
    pub max: f64,
    /// Whether these two are excluded themselves.
    pub open: bool,
}

impl Invalid {
    /// `Ok` if the value is finite and from `min` to `max`, or between them if these are excluded.
    pub(super) fn check(
        name: &'static str,
        value: f64,
        [min, max]: [f64; 2],
        open: bool,
    ) -> Result<(), Self> {
        let is_in = if open { min < value && value < max } else { (min..=max).contains(&value) };
        if is_in && value.is_finite() { Ok(()) } else { Err(Self { name, value, min, max, open }) }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, min, max, open } = self;
        write!(f, "{name} = {value} is not possible: it must be ")?;
        match (open, max.is_finite()) {
            (true, true) => write!(f, "more than {min} and less than {max}"),
            (true, false) => write!(f, "more than {min}"),
            (false, true) => write!(f, "from {min} to {max}"),
            (false, false) => write!(f, "{min} or more"),
        }?;
        match (*name, *value) {
            ("fpr", 0.0) => f.write_str(": only an exact set of the keys never errs"),
            ("fpr", _) => f.write_str(" (1 % is written 0.01)"),
            _ if !value.is_finite() => f.write_str(", and finite"),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Invalid {}

/// Two things that no workload can be at once.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contradiction {
    /// One of the two.
    pub first: String,
    /// The other.
    pub second: String,
    /// The way out.
    pub way: &'static str,
}

impl Contradiction {
    /// One that ends if either is left out.
    pub(super) fn of(first: &str, second: &str) -> Self {
        Self { first: first.into(), second: second.into(), way: "leave out one of them" }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second, way } = self;
        write!(f, "cannot combine {first} with {second}: {way}")
    }
}

impl fmt::Debug for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Contradiction {}
