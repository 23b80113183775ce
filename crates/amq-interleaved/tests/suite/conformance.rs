//! The laws of filters: of one bin as a filter, and of files.

use crate::as_filter::{OneBin, Spread, spread};
use amq_conformance::suite;
use amq_interleaved::BlockedParams;

suite!(one_bin: OneBin => [empty, merge],
    out_of_range [BlockedParams::new(0), BlockedParams::new((1 << 31) + 1), BlockedParams::new(u64::MAX)]);
suite!(spread_over_bins: Spread => file(spread));
