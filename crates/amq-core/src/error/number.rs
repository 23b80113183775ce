//! Numbers and limits in error texts.

use core::fmt;

/// A limit. Large ones close to a power of two are written as `2^64 - 16`, not
/// `18446744073709551600`.
pub(super) struct Limit(pub(super) u64);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let power = u128::from(self.0).next_power_of_two();
        match power - u128::from(self.0) {
            0 if self.0 >= 1 << 20 => write!(f, "2^{}", power.trailing_zeros()),
            below @ 1..=64 if self.0 >= 1 << 31 => {
                write!(f, "2^{} - {below}", power.trailing_zeros())
            }
            _ => self.0.fmt(f),
        }
    }
}

/// A number with its noun, given in the plural: `2 bytes`, `1 byte`.
pub(crate) struct Counted(pub(crate) u64, pub(crate) &'static str);

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0, noun(self.0, self.1))
    }
}

/// The noun for this number, from its plural.
pub(super) fn noun(number: u64, plural: &'static str) -> &'static str {
    if number == 1 { plural.strip_suffix('s').unwrap_or(plural) } else { plural }
}

/// The range of a number: `must be 1`, `must be at least 1`, `must be from 1 to 9`.
pub(super) struct Range {
    pub(super) min: u64,
    /// `u64::MAX` means no limit.
    pub(super) max: u64,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (min, max) = (Limit(self.min), Limit(self.max));
        match *self {
            Self { min, max } if min == max => write!(f, "must be {}", Limit(min)),
            Self { max: u64::MAX, .. } => write!(f, "must be at least {min}"),
            Self { min: 0, .. } => write!(f, "must be at most {max}"),
            _ => write!(f, "must be from {min} to {max}"),
        }
    }
}
