//! Which differences count, and what the choices are ranked by.

/// Sizes and rates that differ by less than this are ties.
pub(crate) const TIE: f64 = 0.03;

/// Of two times that differ by less than this, the smaller filter comes first.
pub(crate) const TIME_TIE: f64 = 0.05;

/// The same for extrapolated times, which are less certain.
pub(crate) const EXTRAPOLATED_TIE: f64 = 0.2;

/// Of what ties in one measure, differences of less than this in the other do not count: two runs
/// of a benchmark differ by as much.
pub(crate) const NEAR: f64 = 0.1;

/// Where time comes first and no size is named, a filter may take this many times the bits of the
/// smallest one that keeps the rate. That doubles again while errors are most of its cost.
pub const TIME_MAY_TAKE: f64 = 2.0;

/// Where time comes first in a size, and neither a rate nor the cost of a false positive is named,
/// filters with a higher rate than this come last.
pub const USEFUL_FPR: f64 = 0.5;

/// If a size alone forces a higher rate, the answer begins with that, and with what the usual rate
/// needs.
pub(crate) const FORCED_FPR: f64 = 0.05;

/// A filter with a higher rate is of little use, and the answer says so.
pub(crate) const POOR_FPR: f64 = 0.32;

/// A filter with a higher rate is useless.
pub(crate) const USELESS_FPR: f64 = 0.9;

/// The keys themselves stand beside a filter if they take at most this many times its bytes.
pub(crate) const NEARLY: f64 = 1.6;

/// Tails that differ by no more nanoseconds than this are ties: a clock is read for each insert.
pub(crate) const TAIL_NOISE_NS: f64 = 100.0;

/// An exact set of at most this many bytes comes before any filter: it stays in a cache, and a
/// filter saves next to nothing.
pub const SMALL_SET_BYTES: u64 = 64 << 10;

/// What the choices are ranked by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum By {
    /// Bits per key.
    Bits,
    /// The rate, in a given size.
    Rate,
    /// Nanoseconds, within this many bits per key.
    Time(f64),
    /// Nanoseconds that one insert in a thousand exceeds, within this many bits per key.
    Tail(f64),
}
