//! Written by `amq-bench fit` from the record named below. Do not edit.

use super::figures::{Figures, NAN};

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
            (119920, [9.8, 11.1, 11.1, 11.1, NAN]),
            (1199120, [11.7, 13.4, 13.3, 13.3, NAN]),
        ],
        per_bit: [2.6, 2.2, 2.3, 2.4, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [4.5, 3.6, 3.6, 3.6, NAN]),
            (131616, [3.4, 3.7, 3.7, 3.7, NAN]),
            (1316160, [4.1, 4.5, 4.2, 4.5, NAN]),
        ],
        per_bit: [0.2, 0.4, 0.3, 0.4, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [46.6, 12.5, 12.5, 12.5, NAN]),
            (119920, [47.4, 13.5, 13.7, 13.7, NAN]),
            (1199120, [48.6, 15.3, 15.3, 15.2, NAN]),
        ],
        per_bit: [7.5, 2.8, 2.7, 2.8, 0.0],
    },
    Figures {
        contender: "atomic-blocked-bloom",
        points: &[
            (13184, [31.1, 5.6, 5.6, 5.6, NAN]),
            (131616, [30.4, 5.8, 5.8, 5.8, NAN]),
            (1316160, [31.9, 6.7, 6.6, 6.7, NAN]),
        ],
        per_bit: [0.4, 0.6, 0.6, 0.6, 0.0],
    },
    Figures {
        contender: "counting",
        points: &[
            (47968, [13.0, 12.7, 12.8, 12.8, 26.7]),
            (479680, [15.3, 15.1, 15.4, 15.1, 30.1]),
            (4796480, [26.8, 19.6, 27.6, 22.4, 57.7]),
        ],
        per_bit: [3.5, 0.5, 2.1, 2.5, 6.4],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [7.4, 5.1, 5.1, 5.1, 8.6]),
            (571520, [6.7, 5.3, 5.3, 5.3, 9.2]),
            (5715136, [8.7, 7.8, 7.0, 7.6, 12.4]),
        ],
        per_bit: [0.1, 0.4, 0.4, 0.4, 0.6],
    },
    Figures {
        contender: "scalable",
        points: &[
            (21992, [123.4, 84.2, 68.7, 45.6, NAN]),
            (209000, [100.7, 90.3, 75.3, 51.9, NAN]),
            (2079120, [117.9, 111.2, 94.5, 68.0, NAN]),
        ],
        per_bit: [5.6, 4.5, 5.0, 4.4, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (27040, [76.0, 39.9, 37.1, 32.9, NAN]),
            (258688, [48.5, 40.0, 38.1, 35.2, NAN]),
            (2575264, [52.4, 52.5, 47.8, 43.2, NAN]),
        ],
        per_bit: [2.5, 2.5, 2.4, 1.3, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (15000, [76.0, 51.3, 47.4, 26.6, NAN]),
            (143936, [66.7, 56.3, 52.6, 30.1, NAN]),
            (1433248, [72.2, 63.4, 58.8, 34.1, NAN]),
        ],
        per_bit: [6.0, 2.6, 3.7, 3.7, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [22.4, 7.5, 7.5, 7.5, 13.4]),
            (131638, [26.7, 8.1, 8.1, 8.1, 14.5]),
            (1315848, [27.8, 9.3, 9.3, 9.3, 16.5]),
        ],
        per_bit: [0.3, 0.4, 0.4, 0.4, 1.1],
    },
    Figures {
        contender: "windowed-cuckoo",
        points: &[
            (12018, [46.7, 7.4, 7.4, 7.4, 14.0]),
            (119730, [60.0, 8.0, 8.0, 8.0, 14.7]),
            (1196857, [63.0, 9.0, 8.9, 9.1, 16.3]),
        ],
        per_bit: [0.0, 0.5, 0.4, 0.4, 1.1],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [30.6, 15.7, 16.0, 16.1, 43.7]),
            (120085, [32.8, 17.2, 17.3, 17.6, 51.8]),
            (1200704, [34.6, 19.0, 19.0, 19.4, 56.1]),
        ],
        per_bit: [0.5, 0.2, 0.2, 0.3, 1.2],
    },
    Figures {
        contender: "expandable-quotient",
        points: &[
            (28928, [68.1, 15.1, 15.4, 15.5, 42.3]),
            (231424, [64.0, 17.1, 17.5, 17.8, 55.2]),
            (1967104, [64.3, 21.5, 22.2, 22.9, 74.3]),
        ],
        per_bit: [0.8, 0.6, 0.8, 0.9, 1.9],
    },
    Figures {
        contender: "standard-ribbon",
        points: &[
            (8609, [48.4, 19.8, 19.8, 19.8, NAN]),
            (87444, [51.0, 20.0, 20.0, 20.0, NAN]),
            (873232, [48.5, 21.1, 20.9, 21.0, NAN]),
        ],
        per_bit: [1.7, 3.0, 3.1, 3.0, 0.0],
    },
    Figures {
        contender: "narrow-ribbon",
        points: &[
            (8929, [36.7, 10.3, 10.4, 10.4, NAN]),
            (91143, [38.9, 10.7, 10.7, 10.7, NAN]),
            (910714, [41.7, 10.9, 10.7, 10.9, NAN]),
        ],
        per_bit: [1.1, 1.8, 2.0, 1.8, 0.0],
    },
    Figures {
        contender: "bumped-ribbon",
        points: &[
            (8529, [48.3, 9.7, 9.8, 9.9, NAN]),
            (84409, [55.8, 9.8, 9.8, 9.9, NAN]),
            (842945, [51.6, 10.1, 10.2, 10.3, NAN]),
        ],
        per_bit: [1.6, 1.4, 1.4, 1.4, 0.0],
    },
    Figures {
        contender: "wide-bumped-ribbon",
        points: &[
            (8521, [80.1, 17.1, 17.2, 17.1, NAN]),
            (84489, [87.7, 17.3, 17.2, 17.2, NAN]),
            (842217, [83.7, 18.4, 18.3, 18.4, NAN]),
        ],
        per_bit: [2.0, 2.9, 2.9, 2.9, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [4.9, 3.3, 9.2, 2.3, 4.9]),
            (1179664, [9.1, 7.0, 11.8, 3.6, 14.0]),
            (18874384, [16.3, 5.6, 12.9, 9.7, 15.7]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
