//! Errors of planning a filter.

use super::number::{Counted, Limit, Range};
use crate::FilterKind;
use core::fmt;

/// No filter can be planned for this goal or parameter. Nothing was allocated.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PlanError {
    /// The number of keys is outside the variant's range. (0 keys are planned as 1, and are never
    /// the reason.)
    Keys {
        /// The requested value.
        keys: u64,
        /// The smallest number accepted.
        min: u64,
        /// The largest number accepted; `u64::MAX` if there is no limit.
        max: u64,
    },

    /// The false-positive rate is not strictly between 0 and 1 (or not a number).
    Fpr {
        /// The requested value.
        fpr: f64,
    },

    /// The rate is below that of equal 64-bit hashes: the probability that an absent key has the
    /// same hash as one of this many keys.
    FprBelowHashFloor {
        /// The requested value.
        fpr: f64,
        /// `keys / 2^64`.
        floor: f64,
        /// Number of keys.
        keys: u64,
    },

    /// This variant cannot reach the rate for this many keys at any size.
    FprUnreachable {
        /// The requested value.
        fpr: f64,
        /// The lowest rate this variant can be planned for.
        lowest: f64,
        /// Number of keys.
        keys: u64,
    },

    /// Bits per key are not positive and finite.
    BitsPerKey {
        /// The requested value.
        bits_per_key: f64,
    },

    /// For so few keys, the smallest filter needs more bits per key.
    FewKeys {
        /// The requested value.
        bits_per_key: f64,
        /// Number of keys.
        keys: u64,
        /// The smallest larger number of keys for which these bits suffice.
        least: u64,
    },

    /// The variant's smallest filter for these keys needs more bytes.
    Bytes {
        /// Requested bytes, for all keys together.
        bytes: u64,
        /// The smallest size accepted for them.
        min: u64,
    },

    /// The filter would be larger than the variant, or the machine's address space, allows.
    TooLarge {
        /// The bytes needed (`inf` if that overflows).
        bytes: f64,
        /// The most this variant can hold here.
        max_bytes: u64,
    },

    /// An explicit parameter is out of its range.
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The smallest value accepted.
        min: u64,
        /// The largest value accepted; `u64::MAX` if there is no limit.
        max: u64,
    },

    /// An explicit parameter is not a multiple of the required number.
    Multiple {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The required divisor.
        of: u64,
    },

    /// An explicit ratio, such as a tightening ratio, is out of its range.
    Share {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: f64,
        /// The value must be below this.
        below: f64,
    },

    /// A filter that doubles would fill up with entries without a fingerprint.
    Doublings {
        /// Bits of a fingerprint.
        fingerprint_bits: u32,
        /// Requested doublings.
        doublings: u32,
        /// The most doublings that fingerprints of this length allow.
        most: u32,
    },

    /// The program was built without this kind of filter.
    LeftOut {
        /// The requested kind.
        kind: FilterKind,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keys { keys, min, max } => write!(
                f,
                "a filter for {} cannot be planned: the number {}",
                Counted(*keys, "keys"),
                Range { min: *min, max: *max }
            ),
            Self::Fpr { fpr } => write!(
                f,
                "a false-positive rate of {fpr:?} is not possible: it must lie strictly between \
                 0 and 1 (1 % is written 0.01)"
            ),
            Self::FprBelowHashFloor { fpr, floor, keys } => write!(
                f,
                "a false-positive rate of {fpr:?} is not above the floor of {floor:?} that \
                 64-bit hashes set for {}: {} keep the keys themselves",
                Counted(*keys, "keys"),
                if *floor < 0.5 { "ask for a higher rate, or" } else { "plan for fewer keys, or" }
            ),
            Self::FprUnreachable { fpr, lowest, keys } => write!(
                f,
                "this variant cannot reach a false-positive rate of {fpr:?} for {} at any size: \
                 ask for more than {lowest:?}, or take another variant",
                Counted(*keys, "keys")
            ),
            Self::BitsPerKey { bits_per_key } => write!(
                f,
                "{bits_per_key:?} bits per key is not possible: it must be positive and finite"
            ),
            Self::FewKeys { bits_per_key, keys, least } => write!(
                f,
                "{bits_per_key} {} too few for {}: enough from {} on; or give a size in bytes, \
                 or a false-positive rate",
                if *bits_per_key == 1.0 { "bit per key is" } else { "bits per key are" },
                Counted(*keys, "keys"),
                Counted(*least, "keys")
            ),
            Self::Bytes { bytes: 1, min } => write!(
                f,
                "1 byte is too few for these keys: the smallest filter of this variant that \
                 holds them takes {min}"
            ),
            Self::Bytes { bytes, min } => write!(
                f,
                "{bytes} bytes are too few for these keys: the smallest filter of this variant \
                 that holds them takes {min}"
            ),
            Self::TooLarge { bytes, max_bytes } => write!(
                f,
                "the filter would take some {bytes:.1e} bytes, and fewer than {} are possible \
                 here: ask for fewer keys, a higher rate or a smaller size, or split the keys \
                 among several filters",
                Limit(*max_bytes)
            ),
            Self::Parameter { name, value, min, max } => {
                write!(f, "{name} = {value} is not possible: it {}", Range { min: *min, max: *max })
            }
            Self::Multiple { name, value, of } => {
                write!(f, "{name} = {value} is not possible: it must be a multiple of {of}")
            }
            Self::Share { name, value, below } => write!(
                f,
                "{name} = {value:?} is not possible: it must lie strictly between 0 and {below}"
            ),
            Self::Doublings { fingerprint_bits, doublings, most } => write!(
                f,
                "{fingerprint_bits}-bit fingerprints last for {}, not for {doublings}: then \
                 entries whose bits are used up would fill the table. Take longer fingerprints, \
                 or allow fewer doublings",
                Counted((*most).into(), "doublings")
            ),
            Self::LeftOut { kind } if matches!(kind, FilterKind::Other(_)) => write!(
                f,
                "the {} filter is of another crate, and is made by its own type alone",
                kind.name()
            ),
            Self::LeftOut { kind } => write!(
                f,
                "this program was built without the {kind} filter: take another kind, or turn on \
                 the variant's feature of the crate"
            ),
        }
    }
}

impl fmt::Debug for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for PlanError {}

impl PlanError {
    /// `Ok` if the parameter `name` is strictly between 0 and `below`; NaN is not.
    pub fn check_share(name: &'static str, value: f64, below: f64) -> Result<(), Self> {
        if value > 0.0 && value < below { Ok(()) } else { Err(Self::Share { name, value, below }) }
    }

    /// `Ok` if the parameter `name` is a multiple of `of`.
    pub const fn check_multiple(name: &'static str, value: u64, of: u64) -> Result<(), Self> {
        if of != 0 && value.is_multiple_of(of) {
            Ok(())
        } else {
            Err(Self::Multiple { name, value, of })
        }
    }

    /// `Ok` if the parameter `name` is from `min` to `max`.
    pub fn check_parameter(name: &'static str, value: u64, min: u64, max: u64) -> Result<(), Self> {
        if (min..=max).contains(&value) {
            Ok(())
        } else {
            Err(Self::Parameter { name, value, min, max })
        }
    }
}
