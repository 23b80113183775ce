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
            (11992, [10.0, 9.8, 10.0, 10.0, NAN]),
            (119920, [9.9, 11.0, 11.3, 11.3, NAN]),
            (1199120, [10.8, 16.0, 15.5, 16.5, NAN]),
        ],
        per_bit: [2.7, 2.2, 2.1, 2.2, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [4.9, 3.6, 3.7, 3.6, NAN]),
            (131616, [3.4, 3.8, 3.8, 3.8, NAN]),
            (1316160, [3.9, 8.3, 8.3, 8.7, NAN]),
        ],
        per_bit: [0.3, 0.4, 0.4, 0.6, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [12.0, 11.7, 11.6, 10.7, NAN]),
            (119920, [11.3, 12.6, 12.7, 13.1, NAN]),
            (1199120, [13.5, 17.9, 17.7, 18.3, NAN]),
        ],
        per_bit: [2.2, 2.1, 1.4, 2.1, 0.0],
    },
    Figures {
        contender: "counting-bloom",
        points: &[
            (47968, [15.8, 12.3, 12.3, 12.3, 25.9]),
            (479680, [16.8, 14.5, 14.6, 14.6, 30.8]),
            (4796480, [26.9, 20.4, 29.6, 23.9, 39.4]),
        ],
        per_bit: [4.8, 1.0, 1.9, 2.6, 4.0],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [7.0, 5.4, 5.4, 5.4, 8.8]),
            (571520, [6.3, 5.6, 5.7, 6.2, 10.2]),
            (5715136, [7.5, 15.4, 16.0, 17.0, 20.9]),
        ],
        per_bit: [0.2, 1.0, 0.5, 0.4, 1.2],
    },
    Figures {
        contender: "scalable-bloom",
        points: &[
            (21992, [110.8, 86.7, 70.9, 47.7, NAN]),
            (209000, [98.9, 88.7, 76.7, 50.2, NAN]),
            (2079120, [112.9, 107.8, 97.2, 70.9, NAN]),
        ],
        per_bit: [7.4, 0.0, 2.2, 3.1, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (27040, [74.7, 32.0, 37.9, 33.7, NAN]),
            (258688, [46.6, 35.7, 38.8, 36.1, NAN]),
            (2575264, [49.4, 52.6, 53.2, 47.3, NAN]),
        ],
        per_bit: [2.3, 1.9, 1.8, 0.3, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (15000, [82.7, 52.3, 48.1, 27.8, NAN]),
            (143936, [61.5, 54.9, 54.1, 31.0, NAN]),
            (1433248, [67.3, 72.9, 62.7, 38.4, NAN]),
        ],
        per_bit: [6.9, 0.4, 4.3, 3.7, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [20.6, 7.5, 7.6, 7.1, 13.9]),
            (131638, [23.3, 8.1, 8.2, 8.1, 14.7]),
            (1315848, [25.5, 14.1, 13.6, 14.1, 21.9]),
        ],
        per_bit: [0.2, 0.1, 0.0, 0.0, 0.8],
    },
    Figures {
        contender: "cuckoo-windowed",
        points: &[
            (12018, [56.0, 7.6, 7.6, 7.3, 13.8]),
            (119730, [76.4, 8.1, 8.2, 7.5, 12.2]),
            (1196857, [73.9, 14.4, 12.9, 14.2, 18.8]),
        ],
        per_bit: [0.0, 0.0, 0.9, 0.3, 0.8],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [31.0, 15.8, 16.1, 15.8, 56.8]),
            (120085, [34.4, 17.3, 17.4, 17.7, 57.2]),
            (1200704, [33.6, 23.7, 23.2, 24.6, 61.0]),
        ],
        per_bit: [0.9, 0.0, 0.3, 0.0, 3.8],
    },
    Figures {
        contender: "expandable-quotient",
        points: &[
            (28928, [68.4, 14.4, 15.5, 15.5, 43.6]),
            (231424, [64.6, 16.8, 16.1, 16.1, 39.4]),
            (1967104, [63.7, 26.5, 25.4, 25.9, 61.3]),
        ],
        per_bit: [2.4, 0.2, 1.0, 1.0, 2.9],
    },
    Figures {
        contender: "ribbon-bumped",
        points: &[
            (8529, [47.4, 11.4, 11.8, 11.8, NAN]),
            (84409, [56.6, 11.6, 12.1, 11.6, NAN]),
            (842945, [48.8, 16.0, 15.2, 14.7, NAN]),
        ],
        per_bit: [2.1, 1.4, 1.7, 1.3, 0.0],
    },
    Figures {
        contender: "ribbon",
        points: &[
            (8609, [45.4, 19.6, 19.9, 19.8, NAN]),
            (87444, [50.4, 20.0, 19.8, 20.1, NAN]),
            (873232, [46.2, 23.4, 22.4, 23.5, NAN]),
        ],
        per_bit: [2.2, 2.8, 2.8, 2.5, 0.0],
    },
    Figures {
        contender: "ribbon-narrow",
        points: &[
            (8929, [36.2, 12.5, 12.5, 12.5, NAN]),
            (91143, [42.0, 12.5, 12.6, 12.8, NAN]),
            (910714, [40.8, 16.5, 16.3, 17.1, NAN]),
        ],
        per_bit: [2.0, 2.6, 2.2, 2.3, 0.0],
    },
    Figures {
        contender: "ribbon-bumped-wide",
        points: &[
            (8521, [83.6, 17.2, 17.1, 16.4, NAN]),
            (84489, [87.8, 15.9, 17.1, 16.6, NAN]),
            (842217, [91.1, 20.3, 20.7, 19.7, NAN]),
        ],
        per_bit: [0.0, 3.0, 2.5, 3.3, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [6.6, 3.5, 9.3, 2.3, 6.3]),
            (1179664, [8.9, 8.3, 13.7, 4.9, 12.0]),
            (18874384, [18.0, 7.8, 16.5, 15.6, 17.2]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
