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
            (119920, [9.9, 11.1, 11.1, 11.1, NAN]),
            (1199120, [11.6, 13.3, 13.3, 13.3, NAN]),
        ],
        per_bit: [2.6, 2.5, 2.4, 2.4, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [4.5, 3.6, 3.6, 3.6, NAN]),
            (131616, [3.7, 3.7, 3.7, 3.7, NAN]),
            (1316160, [4.3, 4.5, 4.2, 4.4, NAN]),
        ],
        per_bit: [0.1, 0.4, 0.4, 0.4, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [46.7, 11.7, 11.7, 11.7, NAN]),
            (119920, [47.6, 12.7, 12.7, 12.7, NAN]),
            (1199120, [48.7, 14.4, 14.3, 14.4, NAN]),
        ],
        per_bit: [7.4, 2.7, 2.7, 2.7, 0.0],
    },
    Figures {
        contender: "counting-bloom",
        points: &[
            (47968, [13.3, 12.4, 12.4, 12.4, 26.8]),
            (479680, [15.4, 14.7, 14.7, 14.8, 30.6]),
            (4796480, [26.6, 19.1, 28.2, 22.6, 57.2]),
        ],
        per_bit: [3.4, 0.6, 1.9, 2.3, 6.3],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [7.5, 5.1, 5.1, 5.2, 8.9]),
            (571520, [7.0, 5.3, 5.3, 5.3, 9.4]),
            (5715136, [8.7, 7.8, 7.1, 7.7, 13.0]),
        ],
        per_bit: [0.2, 0.3, 0.3, 0.3, 0.4],
    },
    Figures {
        contender: "scalable-bloom",
        points: &[
            (21992, [124.0, 83.5, 68.6, 45.0, NAN]),
            (209000, [101.0, 89.8, 75.1, 51.4, NAN]),
            (2079120, [116.8, 108.4, 92.0, 65.7, NAN]),
        ],
        per_bit: [5.5, 4.5, 5.1, 4.7, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (27040, [76.4, 40.4, 37.2, 33.2, NAN]),
            (258688, [48.8, 40.3, 38.4, 35.4, NAN]),
            (2575264, [53.1, 51.9, 48.0, 43.2, NAN]),
        ],
        per_bit: [2.7, 3.2, 2.6, 1.6, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (15000, [76.8, 50.6, 46.9, 26.3, NAN]),
            (143936, [66.7, 55.5, 52.0, 29.8, NAN]),
            (1433248, [72.2, 61.8, 57.7, 33.5, NAN]),
        ],
        per_bit: [5.3, 3.1, 3.7, 3.8, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [21.7, 7.5, 7.5, 7.5, 13.5]),
            (131638, [25.8, 8.1, 8.1, 8.1, 14.6]),
            (1315848, [27.0, 9.4, 9.2, 9.2, 16.2]),
        ],
        per_bit: [0.6, 0.4, 0.4, 0.4, 1.3],
    },
    Figures {
        contender: "cuckoo-windowed",
        points: &[
            (12018, [43.6, 7.5, 7.5, 7.5, 13.9]),
            (119730, [58.1, 8.1, 8.1, 8.1, 14.7]),
            (1196857, [60.8, 9.0, 8.9, 8.9, 16.2]),
        ],
        per_bit: [0.0, 0.3, 0.3, 0.3, 1.0],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [30.5, 15.7, 15.9, 16.2, 44.2]),
            (120085, [33.2, 17.2, 17.3, 17.6, 52.1]),
            (1200704, [34.8, 18.9, 19.0, 19.3, 56.1]),
        ],
        per_bit: [0.5, 0.3, 0.3, 0.3, 1.3],
    },
    Figures {
        contender: "expandable-quotient",
        points: &[
            (28928, [68.2, 15.2, 15.4, 15.5, 42.0]),
            (231424, [64.3, 17.1, 17.5, 17.8, 54.0]),
            (1967104, [64.9, 21.2, 21.9, 22.5, 73.2]),
        ],
        per_bit: [0.8, 0.6, 0.9, 1.0, 1.9],
    },
    Figures {
        contender: "ribbon-bumped",
        points: &[
            (8529, [48.1, 9.7, 9.8, 9.9, NAN]),
            (84409, [53.3, 9.8, 9.8, 9.9, NAN]),
            (842945, [51.1, 10.1, 10.1, 10.2, NAN]),
        ],
        per_bit: [2.0, 1.3, 1.3, 1.3, 0.0],
    },
    Figures {
        contender: "ribbon",
        points: &[
            (8609, [47.9, 19.9, 19.9, 19.8, NAN]),
            (87444, [50.2, 20.0, 20.0, 20.0, NAN]),
            (873232, [49.6, 21.0, 20.9, 20.9, NAN]),
        ],
        per_bit: [1.3, 3.1, 3.1, 3.1, 0.0],
    },
    Figures {
        contender: "ribbon-narrow",
        points: &[
            (8929, [36.8, 10.4, 10.4, 10.4, NAN]),
            (91143, [39.0, 10.7, 10.6, 10.7, NAN]),
            (910714, [40.9, 11.0, 10.8, 11.1, NAN]),
        ],
        per_bit: [1.7, 1.8, 1.9, 1.6, 0.0],
    },
    Figures {
        contender: "ribbon-bumped-wide",
        points: &[
            (8521, [82.1, 17.2, 17.1, 17.2, NAN]),
            (84489, [87.1, 17.3, 17.2, 17.2, NAN]),
            (842217, [84.7, 18.4, 18.3, 18.4, NAN]),
        ],
        per_bit: [1.2, 3.1, 3.1, 3.1, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [4.9, 3.5, 9.4, 2.3, 4.9]),
            (1179664, [8.8, 7.1, 11.6, 3.3, 14.3]),
            (18874384, [16.0, 5.4, 13.2, 9.7, 15.7]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
