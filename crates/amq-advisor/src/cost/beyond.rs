//! Tables larger than the record's: measured by hand in one run outside the harness, with version
//! 0.1 on a virtual machine with two cores (x86-64 with AVX-512, 105 MB of shared third-level
//! cache) in November 2026. Ten million keys at 1 % (ribbon filters: 2^-8), a hundred million at
//! 2^-8. The larger tables do not fit that cache, so their times are those of memory. Where only
//! one query figure was taken, it stands for all shares of present keys.
//!
//! A point counts only where it lies beyond the largest table of the record.

use super::figures::{NAN, Point};

/// Contender, bytes, and nanoseconds: insert or build; query with none, half and all present;
/// remove.
#[rustfmt::skip]
pub(super) const POINTS: &[(&str, Point)] = &[
    ("bloom", (11_990_000, [28.0, 24.0, 35.0, 29.0, NAN])),
    ("bloom", (144_300_000, [111.0, 72.0, 112.0, 103.0, NAN])),
    ("blocked-bloom", (13_160_000, [10.0, 10.0, 10.0, 10.0, NAN])),
    ("blocked-bloom", (160_600_000, [27.0, 23.0, 23.0, 23.0, NAN])),
    ("counting", (48_000_000, [64.0, 37.0, 53.0, 50.0, 135.0])),
    ("blocked-counting", (57_100_000, [24.0, 16.0, 17.5, 19.0, 31.0])),
    ("scalable", (28_000_000, [199.0, 218.0, 175.0, 125.0, NAN])),
    ("cuckoo", (13_160_000, [82.0, 17.6, 17.6, 17.6, 31.0])),
    ("cuckoo", (144_700_000, [146.0, 56.0, 56.0, 56.0, 82.0])),
    ("windowed-cuckoo", (11_970_000, [155.0, 17.7, 17.7, 17.7, 29.0])),
    ("windowed-cuckoo", (146_000_000, [267.0, 57.0, 57.0, 57.0, 81.0])),
    ("quotient", (12_010_000, [86.0, 34.0, 34.0, 34.0, 114.0])),
    ("quotient", (133_300_000, [180.0, 92.0, 92.0, 92.0, 236.0])),
    ("bumped-ribbon", (10_030_000, [71.0, 19.0, 19.0, 19.0, NAN])),
    ("bumped-ribbon", (100_300_000, [76.0, 60.0, 60.0, 60.0, NAN])),
    ("standard-ribbon", (104_700_000, [63.0, 102.0, 102.0, 102.0, NAN])),
    ("narrow-ribbon", (10_900_000, [41.0, 22.0, 22.0, 22.0, NAN])),
    ("narrow-ribbon", (109_000_000, [63.0, 67.0, 67.0, 67.0, NAN])),
];
