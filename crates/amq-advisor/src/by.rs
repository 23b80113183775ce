//! What choices are ranked by.

/// Differences of less than this are ties.
pub(crate) const TIE: f64 = 0.03;

/// Where time comes first and no size is named, a filter may take so many times the bits of the
/// smallest one that keeps the rate; and so many times that again, as long as errors are most of
/// what it costs.
pub const TIME_MAY_TAKE: f64 = 2.0;

/// Where time comes first in a size, and neither a rate nor the cost of a false positive is named,
/// a filter that says yes to a larger share of absent keys comes after all that say it to fewer.
pub const USEFUL_FPR: f64 = 0.5;

/// A filter that says yes to a larger share of absent keys is of little use, and that is said.
pub(crate) const POOR_FPR: f64 = 0.32;

/// The keys themselves are named beside a filter if they take at most so many times its bytes.
pub(crate) const NEARLY: f64 = 1.6;

/// Tails that differ by no more than so many nanoseconds are alike: in two records those of one
/// filter differ by as much, since a clock is read for each insert.
pub(crate) const TAIL_NOISE_NS: f64 = 100.0;

/// What the choices are ranked by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum By {
    /// Bits per key.
    Bits,
    /// Bits of rate, in a size.
    Rate,
    /// Nanoseconds within so many bits per key.
    Time(f64),
    /// Nanoseconds that one insert in a thousand exceeds, within so many bits per key.
    Tail(f64),
}
