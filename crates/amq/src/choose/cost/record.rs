//! Written by `amq-bench fit` from the record named below. Do not edit.

use super::{Figures, NAN};

/// Where the figures come from.
pub(super) const SOURCE: &str = "reports/records/intel-xeon-processor-2-cores/2026-11-21";

/// For each contender of the harness its figures, for a growing number of random 64-bit
/// keys at a rate of 1 %.
#[rustfmt::skip]
pub(super) const FIGURES: &[Figures] = &[
    Figures {
        contender: "bloom",
        points: &[
            (11992, [11.1, 10.1, 10.0, 10.1, NAN]),
            (119920, [9.8, 11.5, 11.6, 11.5, NAN]),
            (1199120, [11.8, 14.3, 14.3, 14.3, NAN]),
        ],
        per_bit: [2.6, 2.2, 2.3, 2.4, 0.0],
    },
    Figures {
        contender: "blocked-bloom",
        points: &[
            (13184, [10.7, 3.7, 3.7, 3.9, NAN]),
            (131616, [4.2, 4.0, 4.0, 4.2, NAN]),
            (1316160, [4.5, 5.7, 5.3, 5.7, NAN]),
        ],
        per_bit: [0.1, 0.7, 0.7, 0.8, 0.0],
    },
    Figures {
        contender: "atomic-bloom",
        points: &[
            (11992, [56.4, 11.9, 11.9, 11.8, NAN]),
            (119920, [58.0, 13.1, 14.7, 12.9, NAN]),
            (1199120, [64.2, 15.3, 16.0, 15.9, NAN]),
        ],
        per_bit: [7.6, 2.7, 2.6, 2.5, 0.0],
    },
    Figures {
        contender: "counting-bloom",
        points: &[
            (47968, [16.3, 12.4, 12.4, 12.4, 27.2]),
            (479680, [17.0, 15.6, 15.2, 15.5, 30.1]),
            (4796480, [32.5, 22.0, 30.2, 25.1, 45.6]),
        ],
        per_bit: [3.6, 1.3, 2.8, 3.0, 5.6],
    },
    Figures {
        contender: "blocked-counting",
        points: &[
            (57152, [11.4, 5.5, 5.4, 5.6, 8.3]),
            (571520, [7.3, 6.7, 6.5, 6.6, 8.5]),
            (5715136, [9.0, 9.6, 11.8, 12.5, 11.6]),
        ],
        per_bit: [0.1, 2.1, 1.4, 1.3, 0.3],
    },
    Figures {
        contender: "scalable-bloom",
        points: &[
            (21560, [124.9, 75.8, 64.0, 41.7, NAN]),
            (208568, [96.9, 82.4, 70.5, 48.0, NAN]),
            (2078688, [116.4, 111.2, 93.3, 66.7, NAN]),
        ],
        per_bit: [2.8, 1.3, 5.9, 4.8, 0.0],
    },
    Figures {
        contender: "scalable-blocked",
        points: &[
            (26464, [72.1, 34.4, 33.7, 31.0, NAN]),
            (258112, [40.6, 35.6, 35.5, 33.4, NAN]),
            (2574688, [48.6, 50.6, 48.6, 45.4, NAN]),
        ],
        per_bit: [0.6, 3.1, 0.6, 0.6, 0.0],
    },
    Figures {
        contender: "scalable-bounded",
        points: &[
            (14760, [85.8, 48.6, 44.1, 24.5, NAN]),
            (143696, [64.5, 52.4, 49.4, 27.3, NAN]),
            (1433008, [69.7, 64.6, 59.7, 35.5, NAN]),
        ],
        per_bit: [6.5, 1.6, 2.4, 2.6, 0.0],
    },
    Figures {
        contender: "cuckoo",
        points: &[
            (13208, [25.0, 7.7, 7.6, 7.6, 13.7]),
            (131638, [32.7, 8.5, 8.5, 8.5, 14.7]),
            (1315848, [32.6, 10.2, 10.2, 10.1, 16.0]),
        ],
        per_bit: [0.0, 0.4, 0.5, 0.6, 0.3],
    },
    Figures {
        contender: "cuckoo-windowed",
        points: &[
            (12018, [81.8, 7.9, 7.7, 8.1, 14.0]),
            (119730, [111.2, 8.3, 8.5, 8.3, 14.8]),
            (1196857, [108.2, 10.3, 10.0, 10.0, 19.3]),
        ],
        per_bit: [0.0, 0.5, 0.6, 0.4, 0.0],
    },
    Figures {
        contender: "quotient",
        points: &[
            (12045, [29.9, 15.8, 16.0, 16.2, 51.8]),
            (120085, [37.7, 17.6, 17.5, 17.8, 61.6]),
            (1200704, [39.4, 19.9, 21.3, 20.2, 64.9]),
        ],
        per_bit: [0.0, 0.1, 0.0, 0.1, 0.1],
    },
    Figures {
        contender: "ribbon-bumped",
        points: &[
            (8529, [100.4, 11.3, 11.3, 11.5, NAN]),
            (84409, [71.5, 11.5, 11.7, 11.7, NAN]),
            (842945, [68.7, 13.6, 13.2, 12.9, NAN]),
        ],
        per_bit: [0.0, 1.2, 1.2, 1.3, 0.0],
    },
    Figures {
        contender: "ribbon",
        points: &[
            (8609, [70.4, 19.5, 19.6, 19.5, NAN]),
            (87444, [60.7, 19.7, 20.0, 19.6, NAN]),
            (873232, [56.2, 19.7, 20.9, 20.8, NAN]),
        ],
        per_bit: [0.8, 2.3, 2.0, 2.2, 0.0],
    },
    Figures {
        contender: "ribbon-narrow",
        points: &[
            (8929, [39.6, 12.1, 12.0, 12.1, NAN]),
            (91143, [35.6, 12.5, 12.5, 12.6, NAN]),
            (910714, [35.1, 13.9, 13.8, 13.9, NAN]),
        ],
        per_bit: [0.8, 2.1, 2.0, 2.1, 0.0],
    },
    Figures {
        contender: "ribbon-bumped-wide",
        points: &[
            (8521, [241.0, 17.0, 16.9, 16.9, NAN]),
            (84489, [161.0, 17.0, 17.4, 17.0, NAN]),
            (842217, [172.2, 19.0, 17.2, 18.6, NAN]),
        ],
        per_bit: [0.0, 1.6, 2.2, 1.8, 0.0],
    },
    Figures {
        contender: "std-hashset",
        points: &[
            (147472, [5.0, 3.7, 9.5, 2.6, 5.5]),
            (1179664, [7.2, 8.5, 13.0, 4.6, 14.4]),
            (18874384, [17.2, 8.3, 16.0, 14.9, 14.5]),
        ],
        per_bit: [0.0, 0.0, 0.0, 0.0, 0.0],
    },
];
