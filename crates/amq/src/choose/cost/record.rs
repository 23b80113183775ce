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
            (119920, [9.7, 11.1, 11.1, 11.1, NAN]),
            (1199120, [12.8, 13.6, 13.5, 13.6, NAN]),
        ],
        per_bit: [2.9, 2.3, 2.4, 2.4, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [4.5, 3.6, 3.6, 3.6, NAN]),
            (131616, [3.7, 3.7, 3.7, 3.7, NAN]),
            (1316160, [4.0, 4.7, 4.3, 4.6, NAN]),
        ],
        per_bit: [0.5, 0.5, 0.5, 0.4, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [46.7, 12.0, 12.0, 11.9, NAN]),
            (119920, [47.6, 12.8, 12.7, 12.8, NAN]),
            (1199120, [49.1, 14.7, 14.8, 14.7, NAN]),
        ],
        per_bit: [8.7, 2.7, 2.6, 2.7, 0.0],
    },
    Figures {
        contender: "counting-bloom",
        points: &[
            (47968, [13.1, 12.4, 12.7, 12.4, 26.8]),
            (479680, [15.3, 14.8, 15.0, 15.0, 30.5]),
            (4796480, [28.4, 19.3, 28.6, 22.9, 59.5]),
        ],
        per_bit: [4.3, 1.1, 2.5, 3.2, 10.1],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [7.3, 5.2, 5.2, 5.2, 8.6]),
            (571520, [7.4, 5.3, 5.3, 5.3, 9.0]),
            (5715136, [9.4, 8.0, 7.3, 7.8, 13.3]),
        ],
        per_bit: [0.4, 0.7, 0.4, 0.5, 0.8],
    },
    Figures {
        contender: "scalable-bloom",
        points: &[
            (21992, [122.9, 84.1, 68.8, 45.2, NAN]),
            (209000, [101.1, 91.0, 75.0, 52.0, NAN]),
            (2079120, [119.8, 112.7, 96.2, 68.5, NAN]),
        ],
        per_bit: [5.8, 4.7, 4.5, 5.8, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (27040, [76.1, 40.9, 37.2, 32.8, NAN]),
            (258688, [48.9, 40.4, 38.2, 35.0, NAN]),
            (2575264, [53.8, 53.2, 48.6, 43.4, NAN]),
        ],
        per_bit: [3.5, 3.8, 3.3, 1.3, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (15000, [76.2, 50.8, 46.7, 26.8, NAN]),
            (143936, [66.3, 55.6, 53.5, 30.1, NAN]),
            (1433248, [74.5, 63.7, 59.2, 34.6, NAN]),
        ],
        per_bit: [9.1, 3.5, 4.3, 4.2, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [22.2, 7.5, 7.5, 7.5, 13.8]),
            (131638, [25.9, 8.1, 8.1, 8.1, 14.7]),
            (1315848, [28.0, 10.1, 9.9, 10.1, 17.2]),
        ],
        per_bit: [0.4, 0.4, 0.4, 0.4, 1.4],
    },
    Figures {
        contender: "cuckoo-windowed",
        points: &[
            (12018, [46.7, 7.5, 7.4, 7.5, 14.1]),
            (119730, [60.5, 8.1, 8.1, 8.1, 14.9]),
            (1196857, [63.9, 9.2, 9.2, 9.2, 16.5]),
        ],
        per_bit: [0.0, 0.6, 0.5, 0.5, 1.5],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [31.9, 15.8, 16.1, 16.3, 44.9]),
            (120085, [34.3, 17.2, 17.4, 17.5, 52.3]),
            (1200704, [35.8, 19.1, 19.3, 19.5, 56.4]),
        ],
        per_bit: [0.9, 0.4, 0.3, 0.4, 2.0],
    },
    Figures {
        contender: "expandable-quotient",
        points: &[
            (28928, [69.1, 15.2, 15.5, 15.5, 41.3]),
            (231424, [65.2, 17.2, 17.5, 17.8, 53.6]),
            (1967104, [65.5, 21.6, 22.5, 23.1, 73.2]),
        ],
        per_bit: [1.0, 0.7, 1.0, 1.1, 2.5],
    },
    Figures {
        contender: "ribbon-bumped",
        points: &[
            (8529, [47.7, 9.7, 9.8, 10.0, NAN]),
            (84409, [56.4, 9.9, 9.9, 10.0, NAN]),
            (842945, [52.6, 10.3, 10.2, 10.4, NAN]),
        ],
        per_bit: [1.7, 1.5, 1.5, 1.5, 0.0],
    },
    Figures {
        contender: "ribbon",
        points: &[
            (8609, [46.9, 19.9, 19.9, 19.8, NAN]),
            (87444, [54.4, 20.0, 20.0, 20.0, NAN]),
            (873232, [49.5, 21.0, 21.1, 21.1, NAN]),
        ],
        per_bit: [2.2, 3.2, 3.1, 3.3, 0.0],
    },
    Figures {
        contender: "ribbon-narrow",
        points: &[
            (8929, [36.3, 10.4, 10.4, 10.4, NAN]),
            (91143, [41.3, 10.7, 10.9, 10.8, NAN]),
            (910714, [43.7, 11.0, 11.1, 11.0, NAN]),
        ],
        per_bit: [1.5, 1.9, 1.9, 1.9, 0.0],
    },
    Figures {
        contender: "ribbon-bumped-wide",
        points: &[
            (8521, [80.6, 17.2, 17.2, 17.2, NAN]),
            (84489, [89.7, 17.3, 17.3, 17.2, NAN]),
            (842217, [86.1, 18.4, 18.4, 18.4, NAN]),
        ],
        per_bit: [1.5, 3.4, 3.3, 3.4, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [4.9, 3.5, 9.4, 2.4, 4.7]),
            (1179664, [8.9, 7.1, 11.9, 3.7, 13.9]),
            (18874384, [17.7, 6.1, 13.9, 11.1, 17.7]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
