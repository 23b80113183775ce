//! Tolerances of comparisons, and the measures by which choices are ranked.

/// Sizes and rates that differ by less than this are ties.
pub(crate) const TIE: f64 = 0.03;

/// If two times differ by less than this, the smaller filter comes first.
pub(crate) const TIME_TIE: f64 = 0.05;

/// The same for extrapolated times, which are less certain.
pub(crate) const EXTRAPOLATED_TIE: f64 = 0.2;

/// Among ties in the first measure, smaller differences than this in the second are ignored: two
/// runs of a benchmark differ by as much.
pub(crate) const NEAR: f64 = 0.1;

/// If time comes first and no size is given, a filter may take this many times the bits of the
/// smallest one that meets the rate. This doubles again while errors are most of its cost.
pub const TIME_MAY_TAKE: f64 = 2.0;

/// If time comes first within a size, and neither a rate nor the cost of a false positive is given,
/// filters with a higher rate than this come last.
pub const USEFUL_FPR: f64 = 0.5;

/// If a size alone forces a higher rate than this, the answer begins with that rate, and with the
/// size that the usual rate needs.
pub(crate) const FORCED_FPR: f64 = 0.05;

/// A filter with a higher rate than this is of little use, and the answer says so.
pub(crate) const POOR_FPR: f64 = 0.32;

/// A filter with a higher rate than this is useless.
pub(crate) const USELESS_FPR: f64 = 0.9;

/// An exact structure is listed beside a filter if it takes at most this many times its bytes.
pub(crate) const NEARLY: f64 = 1.6;

/// Tails that differ by at most this many nanoseconds are ties: measuring them reads a clock for
/// each insert.
pub(crate) const TAIL_NOISE_NS: f64 = 100.0;

/// An exact set of at most this many bytes comes before any filter: it stays in a cache, so a
/// filter saves almost nothing.
pub const SMALL_SET_BYTES: u64 = 64 << 10;

/// The measure by which choices are ranked.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum By {
    /// Bits per key.
    Bits,
    /// The rate, in a given size.
    Rate,
    /// Nanoseconds, within this many bits per key.
    Time(f64),
    /// The 99.9th percentile of insert times, within this many bits per key.
    Tail(f64),
}
