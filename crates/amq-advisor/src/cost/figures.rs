//! The row types of the tables of times.

/// The operations: insert or build, query (none, half and all of the keys present), remove.
pub(super) const OPERATIONS: usize = 5;

/// No time was measured.
pub(super) const NAN: f64 = f64::NAN;

/// Bytes of the table, and nanoseconds an operation; NaN where there is none.
pub(super) type Point = (u64, [f64; OPERATIONS]);

/// The figures of one contender of the harness.
#[derive(Debug)]
pub(super) struct Figures {
    pub(super) contender: &'static str,
    pub(super) points: &'static [Point],
    /// Nanoseconds more for each bit of `log2(1 / rate)` beyond those of 1 %.
    pub(super) per_bit: [f64; OPERATIONS],
}
