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

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, min, max } = self;
        write!(f, "{name} = {value} is not possible: it must be finite, ")?;
        match *name {
            "fpr" if *value == 0.0 => f.write_str(
                "and strictly between 0 and 1: what never errs is an exact set of the keys",
            ),
            "fpr" => f.write_str("and strictly between 0 and 1 (1 % is written 0.01)"),
            "bits_per_key" | "queries_per_key" => f.write_str("and more than 0"),
            _ if *max < f64::MAX => write!(f, "from {min} to {max}"),
            _ => write!(f, "and {min} or more"),
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
