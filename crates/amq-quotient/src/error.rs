//! Errors of growing, shrinking and inserting.

use crate::{MAX_SLOTS, QuotientParams};
use amq_core::InsertError;
use core::fmt;

/// Why a filter cannot grow or shrink. It stays as it was.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ResizeError {
    /// No remainder bit is left to turn into a quotient bit, or there would be too many slots.
    Grow {
        /// The filter's parameters.
        params: QuotientParams,
    },
    /// The number of slots is odd, or the remainders cannot be wider.
    Shrink {
        /// The filter's parameters.
        params: QuotientParams,
    },
    /// It has more keys than half its slots can hold.
    Keys {
        /// Keys it holds.
        keys: u64,
        /// The most that half its slots take.
        max: u64,
    },
    /// The allocation failed.
    OutOfMemory {
        /// The bytes of the new table.
        bytes: u64,
    },
}

impl fmt::Display for ResizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Grow { params: QuotientParams { slots, .. } } if slots > MAX_SLOTS / 2 => write!(
                f,
                "{slots} slots cannot be doubled: 2^56 is the most. Divide the keys among several \
                 filters"
            ),
            Self::Grow { .. } => f.write_str(
                "the filter cannot grow: each doubling takes a bit of the remainders, and none is \
                 left. Build one that is planned for more keys or a lower rate",
            ),
            Self::Shrink { params: QuotientParams { slots, .. } } if slots % 2 == 1 => write!(
                f,
                "{slots} slots cannot be halved: the number must be even. Build a smaller filter"
            ),
            Self::Shrink { params } => write!(
                f,
                "the filter cannot shrink: each halving widens the remainders by a bit, and {} is \
                 the most with {} slots",
                params.remainder_bits,
                params.slots / 2
            ),
            Self::Keys { keys, max } => write!(
                f,
                "the filter cannot shrink: it holds {keys} keys, and half its slots take at most \
                 {max}. Remove some first"
            ),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the allocator refused the {bytes} bytes of the new table, which is written beside \
                 the old one. Free memory and try again"
            ),
        }
    }
}

/// The same text as `Display`: a program prints it if its `main` returns the error.
impl fmt::Debug for ResizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ResizeError {}

/// The error of an insert into a full table that may not grow further.
pub(crate) fn refusal(params: QuotientParams, len: u64, capacity: u64) -> InsertError {
    if params.max_slots > params.slots {
        return InsertError::Limit { what: "slots", limit: params.max_slots };
    }
    InsertError::Table { len, capacity, load: len as f64 / params.slots as f64 }
}
