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
            (11992, [8.9, 9.9, 10.0, 9.7, NAN]),
            (119920, [10.3, 11.2, 10.5, 11.2, NAN]),
            (1199120, [10.8, 16.5, 16.2, 16.1, NAN]),
        ],
        per_bit: [2.5, 2.3, 1.5, 2.6, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [4.8, 3.7, 3.7, 3.5, NAN]),
            (131616, [3.8, 3.7, 3.8, 3.8, NAN]),
            (1316160, [3.9, 8.1, 7.8, 9.1, NAN]),
        ],
        per_bit: [0.2, 0.3, 0.6, 0.2, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [43.0, 11.8, 12.0, 10.4, NAN]),
            (119920, [45.7, 12.8, 13.0, 12.2, NAN]),
            (1199120, [50.1, 17.8, 17.9, 16.8, NAN]),
        ],
        per_bit: [4.4, 2.5, 2.2, 2.7, 0.0],
    },
    Figures {
        contender: "counting-bloom",
        points: &[
            (47968, [15.5, 12.3, 12.3, 12.0, 26.7]),
            (479680, [17.3, 14.4, 14.5, 14.3, 30.2]),
            (4796480, [28.9, 20.2, 28.2, 23.7, 37.8]),
        ],
        per_bit: [4.0, 0.9, 1.9, 2.7, 5.5],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [7.0, 5.4, 5.4, 5.4, 8.7]),
            (571520, [6.3, 5.6, 6.2, 5.7, 9.6]),
            (5715136, [7.9, 15.2, 15.8, 16.0, 20.4]),
        ],
        per_bit: [0.1, 1.3, 1.0, 1.2, 1.7],
    },
    Figures {
        contender: "scalable-bloom",
        points: &[
            (21992, [118.3, 84.1, 69.6, 45.7, NAN]),
            (209000, [101.4, 85.0, 75.2, 43.4, NAN]),
            (2079120, [118.0, 112.4, 91.9, 69.2, NAN]),
        ],
        per_bit: [7.6, 0.0, 3.2, 4.0, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (27040, [72.5, 41.3, 38.1, 33.2, NAN]),
            (258688, [46.5, 39.4, 40.1, 37.1, NAN]),
            (2575264, [45.0, 49.9, 52.1, 47.1, NAN]),
        ],
        per_bit: [5.3, 4.2, 2.0, 0.4, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (15000, [74.3, 52.0, 48.2, 27.0, NAN]),
            (143936, [65.8, 54.9, 52.5, 29.5, NAN]),
            (1433248, [72.1, 66.8, 62.0, 36.1, NAN]),
        ],
        per_bit: [4.6, 2.8, 2.2, 3.5, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [21.3, 7.6, 7.5, 7.4, 13.5]),
            (131638, [26.4, 8.2, 8.4, 8.3, 14.6]),
            (1315848, [26.4, 13.9, 13.6, 14.8, 24.2]),
        ],
        per_bit: [0.1, 0.7, 0.6, 0.4, 0.2],
    },
    Figures {
        contender: "cuckoo-windowed",
        points: &[
            (12018, [54.1, 7.5, 7.5, 7.5, 13.6]),
            (119730, [83.1, 8.2, 8.4, 8.0, 12.1]),
            (1196857, [75.5, 14.3, 12.2, 14.3, 18.2]),
        ],
        per_bit: [0.0, 0.8, 0.5, 0.7, 1.5],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [33.5, 15.8, 16.0, 15.5, 57.6]),
            (120085, [35.6, 17.1, 17.3, 17.3, 61.1]),
            (1200704, [36.6, 23.3, 21.8, 23.7, 59.2]),
        ],
        per_bit: [1.1, 0.4, 1.1, 0.0, 1.9],
    },
    Figures {
        contender: "expandable-quotient",
        points: &[
            (28928, [72.1, 15.1, 15.6, 15.6, 42.4]),
            (231424, [70.3, 17.0, 16.4, 17.9, 48.0]),
            (1967104, [68.1, 24.7, 26.0, 26.4, 60.3]),
        ],
        per_bit: [1.2, 0.4, 0.0, 1.2, 3.2],
    },
    Figures {
        contender: "ribbon-bumped",
        points: &[
            (8529, [44.9, 11.5, 11.8, 11.9, NAN]),
            (84409, [57.9, 11.9, 11.9, 11.3, NAN]),
            (842945, [43.2, 15.6, 14.8, 14.7, NAN]),
        ],
        per_bit: [4.8, 1.7, 1.8, 1.4, 0.0],
    },
    Figures {
        contender: "ribbon",
        points: &[
            (8609, [43.2, 19.9, 19.8, 19.7, NAN]),
            (87444, [48.0, 19.8, 19.8, 19.8, NAN]),
            (873232, [47.2, 22.9, 23.1, 22.8, NAN]),
        ],
        per_bit: [0.0, 3.0, 2.1, 2.9, 0.0],
    },
    Figures {
        contender: "ribbon-narrow",
        points: &[
            (8929, [32.8, 12.5, 12.5, 12.5, NAN]),
            (91143, [42.2, 12.6, 12.9, 12.6, NAN]),
            (910714, [40.7, 16.6, 16.4, 17.4, NAN]),
        ],
        per_bit: [3.5, 2.3, 2.2, 2.0, 0.0],
    },
    Figures {
        contender: "ribbon-bumped-wide",
        points: &[
            (8521, [74.8, 17.1, 17.1, 16.5, NAN]),
            (84489, [82.8, 16.4, 17.1, 16.4, NAN]),
            (842217, [81.1, 20.3, 20.3, 20.5, NAN]),
        ],
        per_bit: [0.7, 3.0, 2.8, 3.3, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [5.8, 3.5, 9.6, 2.3, 6.7]),
            (1179664, [9.1, 8.3, 12.4, 4.8, 11.8]),
            (18874384, [19.1, 10.1, 18.2, 16.3, 20.9]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
