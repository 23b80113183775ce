//! A filter's state as numbers.

use super::{Filter, FilterKind};
use crate::error::number::Counted;
use core::fmt;

/// A filter's state at one moment; see [`Filter::stats`].
///
/// Prints as one line:
///
/// ```text
/// cuckoo: 950000 keys of 1000000 planned, load 90.3 %, 1316024 bytes (11.08 bits per key),
/// expected false-positive rate 0.703 %
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// The kind of filter.
    pub kind: FilterKind,
    /// [`Filter::len`].
    pub len: u64,
    /// [`Filter::capacity`].
    pub capacity: u64,
    /// [`Filter::load_factor`], 0 to 1.
    pub load_factor: f64,
    /// [`Filter::saturated`]: saturated counters, full blocks.
    pub saturated: u64,
    /// [`Filter::size_in_bytes`].
    pub bytes: u64,
    /// [`Filter::expected_fpr`], 0 to 1.
    pub expected_fpr: f64,
}

impl Stats {
    /// Collects the values from the filter's methods; the default of [`Filter::stats`].
    #[must_use]
    pub fn of<F: Filter + ?Sized>(filter: &F) -> Self {
        Self {
            kind: filter.kind(),
            len: filter.len(),
            capacity: filter.capacity(),
            load_factor: filter.load_factor(),
            saturated: filter.saturated(),
            bytes: filter.size_in_bytes(),
            expected_fpr: filter.expected_fpr(),
        }
    }

    /// Bits of the table divided by [`len`](Self::len); infinite without keys. After a merge, keys
    /// that were in both filters count twice: for a Bloom filter, divide by `estimated_cardinality`
    /// instead.
    #[must_use]
    pub fn bits_per_key(&self) -> f64 {
        self.bytes as f64 * 8.0 / self.len as f64
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, Counted(self.len, "keys"))?;
        if self.len > self.capacity {
            write!(f, ", more than the {} planned", self.capacity)?;
        } else {
            write!(f, " of {} planned", self.capacity)?;
        }
        write!(f, ", load {:.1} %, {} bytes", self.load_factor * 100.0, self.bytes)?;
        if self.len > 0 {
            write!(f, " ({:.2} bits per key)", self.bits_per_key())?;
        }
        write!(f, ", expected false-positive rate ")?;
        match self.expected_fpr {
            // Percentages are easier to read than powers of ten, unless they are tiny.
            fpr if fpr == 0.0 || fpr >= 1e-5 => write!(f, "{:.3} %", fpr * 100.0)?,
            fpr => write!(f, "{fpr:.2e}")?,
        }
        match self.saturated {
            0 => Ok(()),
            places => write!(f, ", {places} saturated"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn stats_print_as_one_line() {
        let stats = Stats {
            kind: FilterKind::Counting,
            len: 1000,
            capacity: 1200,
            load_factor: 0.4567,
            saturated: 0,
            bytes: 4800,
            expected_fpr: 0.00703,
        };
        assert_eq!(
            stats.to_string(),
            "counting Bloom: 1000 keys of 1200 planned, load 45.7 %, 4800 bytes (38.40 bits per key), \
             expected false-positive rate 0.703 %"
        );
        let stats = Stats { len: 0, saturated: 3, expected_fpr: 1.2e-9, ..stats };
        assert_eq!(
            stats.to_string(),
            "counting Bloom: 0 keys of 1200 planned, load 45.7 %, 4800 bytes, expected false-positive \
             rate 1.20e-9, 3 saturated"
        );
        let stats = Stats { len: 1, ..stats };
        assert!(stats.to_string().starts_with("counting Bloom: 1 key of 1200 planned, "));
        let stats = Stats { len: 1201, saturated: 0, expected_fpr: 0.02, ..stats };
        assert_eq!(
            stats.to_string(),
            "counting Bloom: 1201 keys, more than the 1200 planned, load 45.7 %, 4800 bytes (31.97 \
             bits per key), expected false-positive rate 2.000 %"
        );
    }
}
