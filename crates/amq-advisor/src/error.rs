//! Why the advisor has no answer.

use crate::numbers::{Number, Rate};
use crate::unsupported::Instead;
use crate::{Choice, DEFAULT_FPR, Demand, Need};
use core::fmt;

/// Why the advisor has no answer.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ChooseError {
    /// A number out of range.
    Invalid {
        /// The name of the builder method.
        name: &'static str,
        /// The number.
        value: f64,
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
        /// Whether these bounds are exclusive.
        open: bool,
    },

    /// Two parts of the description that contradict each other.
    Contradiction {
        /// One of the two.
        first: String,
        /// The other.
        second: String,
        /// How to resolve it.
        way: &'static str,
    },

    /// Needs that no filter of this family meets, at least one.
    Unsupported(Vec<Instead>),

    /// Two demands that no structure meets together.
    Conflict(Box<Conflict>),
}

/// Two demands that no structure meets together.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Conflict {
    /// One of the two.
    pub first: Demand,
    /// The other.
    pub second: Demand,
    /// Further demands of the conflict: without them, the two could be met. Usually none.
    pub further: Vec<Demand>,
    /// Ways out: a demand to give up, and the first choice without it.
    pub ways_out: Vec<(Demand, Choice)>,
}

impl fmt::Display for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { name, value, min, max, open } => {
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
            Self::Contradiction { first, second, way } => {
                write!(f, "cannot combine {first} with {second}: {way}")
            }
            Self::Unsupported(needs) => {
                for (index, Instead { need, wanted, take, .. }) in needs.iter().enumerate() {
                    let and = if index == 0 { "" } else { "; and " };
                    let of = if *need == Need::WhichSet { "a single set" } else { "this family" };
                    write!(f, "{and}no filter of {of} {wanted}: take {take}")?;
                }
                Ok(())
            }
            Self::Conflict(conflict) => conflict.fmt(f),
        }
    }
}

impl Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.second) {
            (first, second) if first == second => write!(f, "no filter holds {first}"),
            (first, keys @ Demand::Keys(_)) => write!(f, "no filter holds {keys} with {first}"),
            (first, second) => write!(f, "no filter offers both {first} and {second}"),
        }?;
        for demand in &self.further {
            write!(f, ", with {demand}")?;
        }
        let keys = if let Demand::Keys(keys) = self.second { keys.planned() } else { 0 };
        let asked = if let Demand::Fpr(fpr) = self.first { fpr } else { DEFAULT_FPR };
        let floor = amq_core::numeric::hash_floor(keys);
        let is_below = asked < floor;
        if is_below {
            write!(
                f,
                ": filters compare 64-bit hashes, and an absent key has the hash of one of {} keys at a \
                 rate of {}. Ask for a higher rate, split the keys among several filters, or keep the \
                 keys themselves (`--need exact`)",
                Number(keys),
                Rate(-libm::expm1(-floor))
            )?;
        }
        for (index, (demand, choice)) in self.ways_out.iter().enumerate() {
            f.write_str(match index {
                0 if is_below => ". Or ",
                0 => ": ",
                _ => "; or ",
            })?;
            let it = choice.structure;
            if let Demand::Keys(_) = demand {
                // The size depends on the bound.
                write!(f, "set a bound on the keys (`--keys N --need grow`) and take {it}")?;
                continue;
            }
            write!(f, "drop \"{demand}\" and take {it} ({:.1} bits per key", choice.bits_per_key)?;
            match choice.rate() {
                Some(rate) => write!(f, ", rate {})", Rate(rate))?,
                None => f.write_str(")")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ChooseError {}
