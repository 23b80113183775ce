//! Written by `amq-bench fit` from the record named below. Do not edit.

use super::{Figures, NAN};

/// Where the figures come from.
pub(super) const SOURCE: &str = "reports/records/intel-xeon-processor-2-cores/2026-11-22";

/// For each contender of the harness its figures, for a growing number of random 64-bit
/// keys at a rate of 1 %.
#[rustfmt::skip]
pub(super) const FIGURES: &[Figures] = &[
    Figures {
        contender: "bloom",
        points: &[
            (11992, [9.1, 9.9, 9.9, 9.9, NAN]),
            (119920, [10.0, 11.1, 11.1, 11.1, NAN]),
            (1199120, [12.1, 13.7, 13.6, 13.5, NAN]),
        ],
        per_bit: [2.6, 2.2, 2.3, 2.2, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [4.5, 3.6, 3.6, 3.6, NAN]),
            (131616, [3.5, 3.7, 3.7, 3.7, NAN]),
            (1316160, [4.7, 5.6, 4.9, 5.5, NAN]),
        ],
        per_bit: [0.2, 0.3, 0.3, 0.3, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [46.6, 12.3, 12.0, 12.1, NAN]),
            (119920, [48.0, 12.7, 12.8, 12.8, NAN]),
            (1199120, [51.2, 14.5, 14.4, 14.5, NAN]),
        ],
        per_bit: [7.1, 3.1, 2.7, 2.7, 0.0],
    },
    Figures {
        contender: "counting-bloom",
        points: &[
            (47968, [13.0, 12.5, 12.7, 12.5, 26.6]),
            (479680, [16.2, 15.0, 14.8, 14.8, 30.6]),
            (4796480, [27.7, 20.4, 28.3, 22.8, 57.5]),
        ],
        per_bit: [2.9, 0.3, 2.0, 2.4, 7.5],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [7.5, 5.2, 5.2, 5.2, 8.7]),
            (571520, [7.2, 5.3, 5.3, 5.3, 9.1]),
            (5715136, [8.4, 7.9, 7.7, 7.9, 12.9]),
        ],
        per_bit: [0.4, 0.4, 0.2, 0.3, 1.2],
    },
    Figures {
        contender: "scalable-bloom",
        points: &[
            (21992, [125.4, 86.8, 71.0, 45.5, NAN]),
            (209000, [99.7, 89.8, 74.9, 51.7, NAN]),
            (2079120, [120.5, 114.2, 99.0, 69.5, NAN]),
        ],
        per_bit: [8.5, 4.7, 3.7, 5.4, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (27040, [74.7, 40.5, 37.4, 33.7, NAN]),
            (258688, [49.5, 40.6, 38.4, 35.5, NAN]),
            (2575264, [52.7, 53.0, 48.8, 43.8, NAN]),
        ],
        per_bit: [2.4, 2.0, 2.2, 1.2, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (15000, [75.9, 51.4, 46.7, 27.3, NAN]),
            (143936, [68.8, 55.8, 52.7, 30.1, NAN]),
            (1433248, [85.8, 64.7, 59.7, 34.3, NAN]),
        ],
        per_bit: [4.1, 2.8, 4.4, 4.0, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [22.7, 7.8, 7.5, 7.5, 13.5]),
            (131638, [26.0, 8.1, 8.1, 8.1, 14.5]),
            (1315848, [27.7, 9.3, 9.1, 9.4, 16.3]),
        ],
        per_bit: [0.3, 0.5, 0.4, 0.5, 1.4],
    },
    Figures {
        contender: "cuckoo-windowed",
        points: &[
            (12018, [44.5, 7.4, 7.4, 7.4, 14.1]),
            (119730, [58.4, 8.0, 8.0, 8.1, 15.4]),
            (1196857, [61.6, 9.0, 9.1, 9.0, 16.3]),
        ],
        per_bit: [2.4, 0.8, 0.3, 0.8, 2.2],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [31.0, 15.9, 16.0, 16.3, 44.5]),
            (120085, [34.1, 17.2, 17.4, 17.7, 52.7]),
            (1200704, [37.9, 19.0, 19.2, 19.4, 56.4]),
        ],
        per_bit: [0.2, 0.3, 0.6, 0.4, 1.8],
    },
    Figures {
        contender: "expandable-quotient",
        points: &[
            (28928, [69.5, 15.2, 15.5, 15.5, 42.6]),
            (231424, [64.0, 17.1, 17.5, 17.8, 54.1]),
            (1967104, [65.2, 21.1, 21.9, 22.4, 74.0]),
        ],
        per_bit: [1.6, 0.9, 1.1, 1.4, 8.4],
    },
    Figures {
        contender: "ribbon-bumped",
        points: &[
            (8529, [49.1, 9.8, 9.9, 9.9, NAN]),
            (84409, [54.9, 10.0, 9.9, 10.0, NAN]),
            (842945, [52.8, 10.3, 10.2, 10.4, NAN]),
        ],
        per_bit: [1.8, 1.4, 1.4, 1.4, 0.0],
    },
    Figures {
        contender: "ribbon",
        points: &[
            (8609, [47.6, 20.0, 19.9, 19.9, NAN]),
            (87444, [52.3, 20.0, 20.0, 20.0, NAN]),
            (873232, [48.8, 21.1, 21.1, 21.0, NAN]),
        ],
        per_bit: [2.4, 3.0, 3.0, 3.1, 0.0],
    },
    Figures {
        contender: "ribbon-narrow",
        points: &[
            (8929, [36.6, 10.5, 10.4, 10.5, NAN]),
            (91143, [40.0, 10.8, 10.7, 10.6, NAN]),
            (910714, [44.0, 10.8, 11.0, 10.9, NAN]),
        ],
        per_bit: [1.3, 2.0, 1.9, 2.0, 0.0],
    },
    Figures {
        contender: "ribbon-bumped-wide",
        points: &[
            (8521, [82.2, 17.2, 17.5, 17.2, NAN]),
            (84489, [89.6, 17.3, 17.2, 17.3, NAN]),
            (842217, [87.1, 18.4, 18.3, 18.4, NAN]),
        ],
        per_bit: [1.6, 3.2, 3.2, 3.2, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [4.8, 3.5, 9.4, 2.4, 4.6]),
            (1179664, [8.6, 7.1, 12.0, 3.8, 14.5]),
            (18874384, [20.1, 6.0, 13.8, 11.4, 19.3]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
