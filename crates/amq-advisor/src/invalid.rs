//! What no workload can be: an impossible number, or two things at once.

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
}

impl Invalid {
    /// `Ok` if the value is within the range, and `also` holds.
    pub(super) fn check(
        name: &'static str,
        value: f64,
        min: f64,
        max: f64,
        also: bool,
    ) -> Result<(), Self> {
        if also && (min..=max).contains(&value) {
            Ok(())
        } else {
            Err(Self { name, value, min, max })
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, min, max } = self;
        write!(f, "{name} = {value} is not possible: it must be finite, ")?;
        match (*name, max.is_finite()) {
            ("fpr", _) if *value == 0.0 => f.write_str(
                "and strictly between 0 and 1: what never errs is an exact set of the keys",
            ),
            ("fpr", _) => f.write_str("and strictly between 0 and 1 (1 % is written 0.01)"),
            (_, true) => write!(f, "from {min} to {max}"),
            ("bits_per_key" | "queries_per_key", false) => f.write_str("and more than 0"),
            (_, false) => write!(f, "and {min} or more"),
        }
    }
}

amq_core::impl_error!(Invalid);

/// Two things that no workload can be at once.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Contradiction {
    /// One of the two.
    pub first: &'static str,
    /// The other.
    pub second: &'static str,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, second } = self;
        write!(f, "{first} contradict {second}: leave out one of them")
    }
}

amq_core::impl_error!(Contradiction);
